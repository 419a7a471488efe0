"""``evosdc large``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from evosdc.options import shared
from evosdc.options.model import argument, names, option, texts
from evosdc.options.written import named_parameters, parameters


class LargeOptions(shared.JsonOptions):
    """What all commands of ``evosdc large`` have."""

    schema_file: Path | None = shared.SCHEMA
    workers: int | None = option(None, "Start a Dask cluster of N workers here.", metavar="N", ge=1)
    address: str | None = option(None, "Use the Dask cluster of this scheduler.", flags=("--dask",), metavar="ADDRESS")


class LargeRiskOptions(LargeOptions):
    """Show what DATA, a Parquet file of any length, reveals of its respondents, as evosdc risk does."""

    data: Path = argument(Path())
    quasi_identifiers: Sequence[str] = names("What an intruder knows.", ...)
    sensitive: Sequence[str] = names("What an intruder wants to learn.", ())
    missing_rule: Literal["wildcard", "category"] | None = option(None, "What a missing value equals.")
    models: Sequence[str] | None = names(
        "Registered privacy models; default: all that judge counts.", registered="privacy-model"
    )
    settings: Sequence[str] = texts("A parameter of a model.", "MODEL.KEY=VALUE")


class LargeMeasureOptions(LargeOptions):
    """Compare MASKED with ORIGINAL, two Parquet files of the same records in one order, as evosdc measure does."""

    original: Path = argument(Path())
    masked: Path = argument(Path())
    protect: Sequence[str] | None = names("Judged columns; default: all columns that both files have.")
    measures: Sequence[str] | None = names(
        "Registered names; default: all that joint counts tell.", registered="measure"
    )
    settings: Sequence[str] = texts("A parameter of a measure.", "NAME.KEY=VALUE")


class LargeMaskOptions(LargeOptions):
    """Mask columns of DATA, Parquet of any length, by pram, global-recoding, local-suppression or rank-swapping.

    The file is an intermediate step: rows keep their order, and there is no verdict.
    """

    method: str = argument("", registered="masking-method")
    data: Path = argument(Path())
    protect: Sequence[str] = names("What to mask.", ...)
    settings: Sequence[str] = shared.SETTINGS
    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    output: Path = option(..., "Parquet file to write.", metavar="FILE.parquet")
    force: bool = shared.FORCE


def large_risk(options: LargeRiskOptions) -> None:
    """Print what a file reveals."""
    from evosdc.cli.risk import show_models
    from evosdc.cli.text import print_json, say
    from evosdc.plugins.registry import default_registry
    from evosdc_large import workers as cluster
    from evosdc_large.risk import counted_models, risk_of_parquet

    registry = default_registry()
    models = list(counted_models(registry)) if options.models is None else list(options.models)
    chosen = named_parameters(options.settings, registry.keys_of("privacy-model", models), "MODEL")
    with cluster.workers(options.address, options.workers) as by:
        figures = risk_of_parquet(
            options.data, list(options.quasi_identifiers), list(options.sensitive), schema=options.schema_file,
            missing=options.missing_rule, models=chosen, by=by,
        )  # fmt: skip
    if options.as_json:
        print_json(figures)
    else:
        show_models(chosen, figures)
        say(
            f"{figures['records']} records, {figures['distinct']} distinct; known to an intruder: "
            f"{', '.join(figures['quasi_identifiers'])}; missing values count by the rule '{figures['missing_rule']}'."
        )


def large_measure(options: LargeMeasureOptions) -> None:
    """Print scores of a masked file."""
    from evosdc.cli.text import print_json, print_rows, say
    from evosdc.plugins.registry import default_registry
    from evosdc_large import workers as cluster
    from evosdc_large.measure import measure_parquet, measures_of_counts

    registry = default_registry()
    measures = measures_of_counts(registry) if options.measures is None else list(options.measures)
    chosen = named_parameters(options.settings, registry.keys_of("measure", measures))
    judged = None if options.protect is None else list(options.protect)
    with cluster.workers(options.address, options.workers) as by:
        figures = measure_parquet(
            options.original, options.masked, judged, schema=options.schema_file, measures=chosen, by=by
        )
    if options.as_json:
        print_json(figures)
        return
    specs: dict[str, Any] = {name: registry.spec("measure", name) for name in chosen}
    rows = [(name, f"{figures[name]:.4f}", spec.kind, spec.summary) for name, spec in specs.items()]
    print_rows(dict.fromkeys(("measure", "score", "kind", "what it is"), "left"), rows)
    say(
        f"{figures['records']} records, {', '.join(figures['attributes'])}; missing values count by the rule "
        f"'{figures['missing_rule']}'."
    )


def large_mask(options: LargeMaskOptions) -> None:
    """Write a masked file."""
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.text import print_json, say
    from evosdc.secret import PUBLIC_SEED
    from evosdc_large import workers as cluster
    from evosdc_large.masking import IN_ORDER, mask_parquet

    data, output, seed = options.data, options.output, options.seed
    require_apart(output, data, options.schema_file, options.key)
    with cluster.workers(options.address, options.workers) as by:
        changed = mask_parquet(
            data, options.method, output, list(options.protect), schema=options.schema_file, seed=seed,
            key=options.key, by=by, force=options.force, params=parameters(options.settings),
        )  # fmt: skip
    not_for_release = [IN_ORDER, *([] if seed is None else [PUBLIC_SEED])]
    if options.as_json:
        document = {"output": str(output), "method": options.method, "seed": seed, "changed": changed}
        print_json(document | {"not_for_release": not_for_release})
        return
    say(f"Values changed: {', '.join(f'{name} {count}' for name, count in changed.items())}: {output}")
    for sentence in not_for_release:
        say(sentence)
