"""``evosdc measure``."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from evosdc.assess.changes import differs, reordered_words
from evosdc.assess.defaults import choose_attributes, default_measures, entries_by_role
from evosdc.assess.measure import score_table
from evosdc.cli.inputs import is_dataset, matched_tables, open_source, require_comparable, single_run
from evosdc.cli.text import print_json, print_rows, say, warn
from evosdc.errors import FaultCollector
from evosdc.experiment.experiment import MeasureEntry, Measures
from evosdc.experiment.members import published_file
from evosdc.experiment.problem import aggregation_of, drawing_from
from evosdc.files.source import holds_generalised
from evosdc.model import Microdata
from evosdc.options.inspection import MeasureOptions
from evosdc.options.written import named_parameters
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table, assign_known


def measure(options: MeasureOptions) -> None:
    """Measure a masked file, and print a row a measure."""
    registry, collect, entries = default_registry(), FaultCollector(), options.entries or {}
    names = None if options.entries is None else list(entries) or [""]
    compared: _Compared | None = None
    given: dict[str, Any] = {}
    unfit = {"--schema": options.schema_file, "--crosswalk": options.crosswalk}
    run = single_run("measure", options.original, options.masked, unfit)
    for name in names or ():
        with collect.step():
            registry.spec("measure", name)
    with collect.step():
        compared = _of_files(names, options) if run is None else _of_run(run, names, options.protect)
    with collect.step():
        measured = list(compared.params) if compared is not None else names or []
        given = named_parameters(options.settings, registry.keys_of("measure", measured))
    collect.settle()
    assert compared is not None
    before, after, chosen = compared.before, compared.after, compared.chosen
    given = {name: {**entries.get(name, {}), **given.get(name, {})} for name in compared.params}
    params = {name: {**own, **given[name]} for name, own in compared.params.items()}
    judged = score_table(before, after, params, chosen, registry, options.baselines, compared.of)
    specs: dict[str, Any] = {name: registry.spec("measure", name) for name in params}
    il, dr = compared.combined or [[name for name in specs if specs[name].kind == kind] for kind in ("il", "dr")]
    linkage = options.linkage or compared.linkage
    figures: dict[str, Mapping[str, float]] = {"score": judged.scores}
    figures |= {"identity": judged.identity, "permutation": judged.permutation} if options.baselines else {}
    if il or dr:
        losses, disclosures = (tuple(MeasureEntry(name=name) for name in own) for own in (il, dr))
        combined = Measures(il=losses, dr=disclosures, linkage=linkage, risks=compared.risks)
        figures = {h: aggregation_of(combined, registry).combine(scores) for h, scores in figures.items()}
    unmeasured = [name for name in after.schema.names if name not in chosen]
    differing = [name for name in unmeasured if differs(before, after, name)]
    words = reordered_words(before, after, unmeasured)
    words = words or f"{', '.join(differing)}: other than in the original, and not measured; see --protect."
    warnings = [*judged.warnings, *([words] if differing else [])]
    warn(warnings)
    if options.as_json:
        besides: dict[str, Any] = {"attributes": list(chosen), "records": len(before)}
        besides |= {"missing_rule": str(before.schema.na), "linkage": linkage, "risks": compared.risks}
        besides |= {"of": compared.of, "parameters": judged.parameters} | ({"warnings": warnings} if warnings else {})
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
    for name, own in compared.of.items():
        say(f"{name} judges {', '.join(own)}.")
    if compared.risks == "max":
        say("DR is the greatest of the risks: of linkage by what an intruder knows, of inference of what is sensitive.")
    say(f"{len(before)} records, {', '.join(chosen)}; missing values count by the rule '{before.schema.na}'.")
    for name, settings in given.items():
        if settings:
            say(f"{name}: {', '.join(f'{key} = {json.dumps(value)}' for key, value in settings.items())}")
    if any(judged.parameters.values()):
        say("--json shows all parameters of the measures.")
    if options.baselines:
        say("identity: the original itself; permutation: its records in random order.")


@dataclass(frozen=True)
class _Compared:
    """The input of measures: tables with the same respondent in row r, their attributes, and the measures."""

    before: Table
    after: Table
    chosen: tuple[str, ...]
    params: Mapping[str, Mapping[str, Any]]
    of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    linkage: Literal["max", "mean"] = "max"
    risks: Literal["mean", "max"] = "mean"
    combined: tuple[list[str], list[str]] | None = None


def _of_run(path: Path, names: list[str] | None, attributes: Sequence[str] | None) -> _Compared:
    """Return the published file of a run and its original, to be measured as the run did unless others are named."""
    registry = default_registry()
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


def _of_files(names: list[str] | None, options: MeasureOptions) -> _Compared:
    """Return a masked file and its original, to be measured by the usual measures unless others are named."""
    original, masked, registry = options.original, options.masked, default_registry()
    assert masked is not None, "two files, where it is no run"
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
    before, after = matched_tables(source, masked, options.crosswalk, chosen, generalised or None)
    return _Compared(before, after, chosen, {name: {} for name in names}, of, risks=risks)
