"""What this distribution adds to evosdc. Nothing heavy is imported here."""

from evosdc.model import FitnessSpec, GenotypeSpec, MaskingMethodSpec, MeasureSpec, hookimpl


@hookimpl
def evosdc_masking_methods():
    """Offer the method `scramble`."""
    yield MaskingMethodSpec(
        name="scramble",
        implementation="evosdc_stranger.scramble:Scramble",
        summary="Permute the values of each attribute among some of the records.",
    )


@hookimpl
def evosdc_measures():
    """Offer the measure `share-changed`."""
    yield MeasureSpec(
        name="share-changed",
        implementation="evosdc_stranger.share:ShareChanged",
        kind="il",
        scales=("nominal", "ordinal", "numeric"),
        summary="Percentage of cells that differ from the original.",
    )


@hookimpl
def evosdc_genotypes():
    """Offer the genotype `suppressions`."""
    yield GenotypeSpec(
        name="suppressions",
        implementation="evosdc_stranger.suppressions:Suppressions",
        summary="Which cells of the file are suppressed.",
    )


@hookimpl
def evosdc_fitnesses():
    """Offer the fitness `product`."""
    yield FitnessSpec(
        name="product", implementation="evosdc_stranger.product:Product", summary="IL times DR, on the 0..100 scale."
    )


@hookimpl
def evosdc_commands(cli):
    """Add the command `greet`."""
    from evosdc_stranger.greeting import greet

    cli.add_command(greet)


@hookimpl
def evosdc_run_finished(run, result):
    """Note the end of a run in the diary."""
    from evosdc_stranger.diary import note

    note(run["title"], result)
