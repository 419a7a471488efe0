"""``evosdc protect``."""

import click

from evosdc.cli.options import DATA, takes_options
from evosdc.options.search import ProtectOptions


@click.command()
@click.argument("data", type=DATA)
@takes_options(ProtectOptions)
def protect(data: str, options: ProtectOptions) -> None:
    """Protect DATA, a file or the name of a registered data set, with good defaults.

    Looks for the file of least loss in which no more people are found than --audience allows: finds the best parameters
    of every masking method, evolves the masked files, asks judges that the search did not use, and writes the best
    file, the front and a report. Exit status 1 where the file does not fulfil what was
    required; with --require publishable also where the verdict has conditions, which --require "publishable on
    conditions" accepts.
    """
    from evosdc.cli.inputs import data_of
    from evosdc.cli.run import carry_out, leave_by
    from evosdc.cli.text import say
    from evosdc.experiment.assembly import assemble
    from evosdc.experiment.protection import protection
    from evosdc.plugins.registry import default_registry
    from evosdc.secret import chosen_seed

    source = data_of(
        data,
        options.schema_file,
        options.protect,
        options.neutralise_formulas,
        options.shuffle,
        options.population,
        options.reading,
    )
    experiment = protection(source, default_registry(), options)
    drawn = chosen_seed(options.seed, options.key)
    if options.check:
        assemble(experiment, default_registry(), drawn)
        say("Nothing stands against the search.")
        return
    leave_by(
        carry_out(experiment, options.output, options.quiet, options.as_json, options.report, drawn), options.as_json
    )
