"""``evosdc measure``."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from evosdc.cli.options import DATA, PATH, takes_options
from evosdc.cli.text import print_json, print_rows, say, warn
from evosdc.options.inspection import MeasureOptions

if TYPE_CHECKING:
    from evosdc.plugins.registry import Registry
    from evosdc.table.table import Table


@click.command()
@click.argument("original", type=DATA, metavar="RUN | ORIGINAL")
@click.argument("masked", type=PATH, required=False)
@takes_options(MeasureOptions)
def measure(original: str, masked: Path | None, options: MeasureOptions) -> None:
    """Measure the file that a RUN published, or a MASKED file against its ORIGINAL: less is better.

    ORIGINAL is a file or a registered data set. Losses and risks lie between 0 and 100. Generalised files are judged by
    the losses of generalisation.
    """

    from evosdc.assess.changes import differs, reordered_words
    from evosdc.assess.measure import score_table
    from evosdc.cli.inputs import single_run
    from evosdc.errors import FaultCollector
    from evosdc.options.written import parameters
    from evosdc.plugins.registry import default_registry

    registry = default_registry()
    collect = FaultCollector()
    entries = options.entries
    names = None if entries is None else list(entries) or [""]
    compared: _Compared | None = None
    given: dict[str, Any] = {}
    run = single_run("measure", original, masked, {"--schema": options.schema_file, "--crosswalk": options.crosswalk})
    for name in names or ():
        with collect.step():
            registry.spec("measure", name)
    with collect.step():
        if run is not None:
            compared = _of_run(run, registry, names, options.protect)
        else:
            assert masked is not None, "two files, where it is no run"
            compared = _of_files(original, masked, registry, names, options)
    with collect.step():
        given = _params(list(compared.params) if compared is not None else names or [], parameters(options.settings))
        given = {name: {**(entries or {}).get(name, {}), **own} for name, own in given.items()}
    collect.settle()
    assert compared is not None
    before, after, chosen, of, risks = compared.before, compared.after, compared.chosen, compared.of, compared.risks
    linkage = options.linkage or compared.linkage
    params = {name: {**own, **given.get(name, {})} for name, own in compared.params.items()}
    judged = score_table(before, after, params, chosen, registry, options.baselines, of)
    figures = {"score": judged.scores}
    if options.baselines:
        figures |= {"identity": judged.identity, "permutation": judged.permutation}
    specs: dict[str, Any] = {name: registry.spec("measure", name) for name in params}
    il, dr = compared.combined or [[name for name in specs if specs[name].kind == kind] for kind in ("il", "dr")]
    figures = {h: _combined(scores, il, dr, linkage, risks, registry) for h, scores in figures.items()}
    rule = str(before.schema.na)
    unmeasured = [name for name in after.schema.names if name not in chosen]
    differing = [name for name in unmeasured if differs(before, after, name)]
    reordered = reordered_words(before, after, unmeasured)
    words = [reordered or f"{', '.join(differing)}: other than in the original, and not measured; see --protect."]
    judged = replace(judged, warnings=(*judged.warnings, *(words if differing else ())))
    warn(judged.warnings)
    if options.as_json:
        besides: dict[str, Any] = {"attributes": list(chosen), "records": len(before), "missing_rule": rule}
        besides |= {"linkage": linkage, "risks": risks, "of": of, "parameters": judged.parameters}
        besides |= {"warnings": list(judged.warnings)} if judged.warnings else {}
        if options.baselines:
            besides["baselines"] = {heading: figures[heading] for heading in ("identity", "permutation")}
        print_json(dict(figures["score"]) | besides)
        return
    both = {"il": "information loss, all measures of it together", "dr": "disclosure risk, likewise"}
    named = [(name, name.upper(), "", text) for name, text in both.items() if name in figures["score"]]
    rows = [
        [shown, *(f"{scores[name]:.4f}" for scores in figures.values()), kind, text]
        for name, shown, kind, text in (*named, *((name, name, one.kind, one.summary) for name, one in specs.items()))
    ]
    columns = {"measure": "whole"} | dict.fromkeys(figures, "right") | {"kind": "whole", "what it is": "whole"}
    print_rows(columns, rows, styles=["bold"] * len(named) + [""] * len(specs), box=False)
    linkages = [name for name in dr if specs[name].family == "linkage"]
    if len(linkages) > 1:
        say(f"DR takes the {'greatest' if linkage == 'max' else 'mean'} of {', '.join(linkages)}.")
    for name, own in of.items():
        say(f"{name} judges {', '.join(own)}.")
    if risks == "max":
        say("DR is the greatest of the risks: of linkage by what an intruder knows, of inference of what is sensitive.")
    say(f"{len(before)} records, {', '.join(chosen)}; missing values count by the rule '{rule}'.")
    for name, own in given.items():
        if own:
            say(f"{name}: {', '.join(f'{key} = {json.dumps(value)}' for key, value in own.items())}")
    if any(judged.parameters.values()):
        say("--json shows all parameters of the measures.")
    if options.baselines:
        say("identity: the original itself; permutation: its records in random order.")


@dataclass(frozen=True)
class _Compared:
    """The input of measures: tables with the same respondent in row r, their attributes, and the measures."""

    before: "Table"
    after: "Table"
    chosen: tuple[str, ...]
    params: Mapping[str, Mapping[str, Any]]
    of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    linkage: Literal["max", "mean"] = "max"
    risks: Literal["mean", "max"] = "mean"
    combined: tuple[list[str], list[str]] | None = None


def _of_run(path: Path, registry: "Registry", names: list[str] | None, attributes: Sequence[str] | None) -> _Compared:
    """Return the published file of a run and its original, to be measured as the run did unless others are named."""
    from evosdc.assess.defaults import choose_attributes
    from evosdc.experiment.experiment import MeasureEntry
    from evosdc.experiment.members import published_file
    from evosdc.experiment.problem import drawing_from
    from evosdc.table.role_assignment import assign_known

    found = published_file(path, registry)
    measures, protect = found.assembly.experiment.measures, found.assembly.microdata.protect
    assert measures is not None, "the assembly fills in the measures"
    before = assign_known(found.original, protect)
    chosen = tuple(protect) if attributes is None else choose_attributes(before.schema, attributes)
    own = {entry.name: entry for entry in measures.all}
    entries = [own.get(name) or MeasureEntry(name=name) for name in names or own if name in registry.names("measure")]
    return _Compared(
        before,
        found.masked,
        chosen,
        {entry.name: drawing_from(found.assembly.seed, entry, registry) for entry in entries},
        {entry.name: entry.of for entry in entries if entry.of is not None} if attributes is None else {},
        measures.linkage,
        measures.risks,
        ([m.name for m in measures.il], [m.name for m in measures.dr]) if names is None else None,
    )


def _of_files(
    original: str, masked: Path, registry: "Registry", names: list[str] | None, options: MeasureOptions
) -> _Compared:
    """Return a masked file and its original, to be measured by the usual measures unless others are named."""
    from evosdc.assess.defaults import choose_attributes, default_measures, entries_by_role
    from evosdc.cli.inputs import is_dataset, matched_tables, open_source, require_comparable
    from evosdc.files.masked_file import holds_generalised
    from evosdc.model import Microdata

    require_comparable("measure", masked, options.crosswalk)
    source = open_source(original, options.schema_file, options.reading)
    chosen = choose_attributes(source.table.schema, options.protect, otherwise_all=False)
    of: dict[str, tuple[str, ...]] = {}
    risks: Literal["mean", "max"] = "mean"
    if names is None:
        if holds_generalised(masked, source):
            names = list(registry.defaults("measure", "generalised"))
        elif is_dataset(original):
            usual = default_measures(source.table.schema.select(chosen), registry)
            names = [*usual["il"], *usual["dr"]]
        else:
            entries = entries_by_role(Microdata(source.table, chosen), registry)
            names, of, risks = list(entries), {name: own for name, own in entries.items() if own}, "max"
    known = [name for name in names if name in registry.names("measure")]
    generalised = any(registry.implementation("measure", name).generalised for name in known)
    before, after = matched_tables(source, masked, options.crosswalk, chosen, generalised)
    return _Compared(before, after, chosen, {name: {} for name in names}, of, risks=risks)


def _params(names: list[str], given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the parameters by measure; raises `ExperimentError` for those of a measure that is not taken."""
    from evosdc.errors import ExperimentError, Fault, did_you_mean

    faults = [
        Fault(
            "--set",
            f"a parameter of {name!r}",
            f"NAME.KEY=VALUE for one of {', '.join(names)}",
            did_you_mean(name, names),
        )
        for name, value in given.items()
        if name not in names or not isinstance(value, dict)
    ]
    if faults:
        raise ExperimentError(faults)
    return {name: dict(given.get(name, {})) for name in names}


def _combined(
    scores: Mapping[str, float],
    il: Sequence[str],
    dr: Sequence[str],
    linkage: Literal["max", "mean"],
    risks: Literal["mean", "max"],
    registry: "Registry",
) -> dict[str, float]:
    """Return the scores with IL and DR, where there are measures of that kind."""
    from evosdc.experiment.experiment import MeasureEntry, Measures
    from evosdc.experiment.problem import aggregation_of

    if not il and not dr:
        return dict(scores)
    losses, disclosures = (tuple(MeasureEntry(name=name) for name in names) for names in (il, dr))
    measures = Measures(il=losses, dr=disclosures, linkage=linkage, risks=risks)
    return dict(aggregation_of(measures, registry).combine(scores))
