"""``evosdc risk``."""

import json
from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

from evosdc.api.inspection import risk_figures
from evosdc.assess import risk as figures_of
from evosdc.assess.changes import reordered_words
from evosdc.cli.inputs import is_dataset, open_source, require_apart, require_comparable
from evosdc.cli.text import print_json, print_rows, say, warn
from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.files.atomic import require_unused, write_text
from evosdc.files.encoding import read_text
from evosdc.files.source import read_published, read_source
from evosdc.model import IntruderView
from evosdc.options.inspection import RiskOptions
from evosdc.options.written import named_parameters
from evosdc.plugins.registry import default_registry
from evosdc.printing import figure_text
from evosdc.randomisation.matrix_file import read_matrices, stochastic
from evosdc.randomisation.transition import Matrix
from evosdc.runs.layout import RESULT, manifest_path, object_if_readable
from evosdc.runs.published import read_crosswalk
from evosdc.runs.result import Result, Verdict
from evosdc.table.table import Numbers

FIRST = 5  # models that are shown where not all are wanted


def risk(options: RiskOptions) -> None:
    """Print what a file reveals, and write figures of its records."""
    registry, schema, data = default_registry(), options.schema_file, Path(options.data)
    population, transitions = (
        None if path is None else Path(path) for path in (options.population, options.transitions)
    )
    names = list(registry.names("privacy-model")) if options.models is None else list(options.models) or [""]
    chosen: dict[str, dict[str, Any]] = {name: {} for name in names}
    collect = FaultCollector()
    with collect.step():
        chosen = named_parameters(options.settings, registry.keys_of("privacy-model", chosen), "MODEL")
    rows: dict[str, Matrix] = {}
    view: IntruderView | None = None
    with collect.step():
        figures_of.build_models(chosen, registry)
    with collect.step():
        rows = matrix_rows(transitions) if transitions is not None else {}
    with collect.step():
        if options.original is not None:
            require_comparable("risk", data, options.crosswalk)
        elif options.crosswalk is not None:
            raise ParameterError(Fault("--crosswalk", "a file, and no --original", "both or none"))
    with collect.step():
        if schema is None or is_dataset(options.data):
            source = open_source(options.data, schema, options.reading)
        else:  # identifiers of the schema may be left out of a published file
            source = read_published(data, schema, True, **options.reading)
        known_by = options.known_by
        view = figures_of.intruder_view_of(source.table, *known_by, None, rows, False)
        if population is not None:
            described = figures_of.population_description(source.table.schema, view.quasi_identifiers)
            view = figures_of.intruder_view_of(
                source.table, *known_by, read_source(population, described).table, rows, False
            )
    collect.settle()
    if view is None:
        raise ParameterError(Fault(options.data, "no file", "a file"))
    if options.record_figures is not None:
        records = Path(options.record_figures)
        require_apart(records, data, schema, population, transitions)
        write_record_figures(records, figures_of.record_figures(view, chosen, registry), options.force)
    perturbed = perturbed_by(options, view)
    found = risk_figures(view, chosen, perturbed, options.standing_out)
    if options.as_json:
        print_json(found)
        return
    show_models(chosen, found, perturbed.verdict if perturbed else "", options.every or options.models is not None)
    suppressed = int(view.suppressed.sum())
    if suppressed:
        say(f"{suppressed} records are suppressed whole (*): they are counted apart, and are no class of their own.")
    say(
        f"{len(view.table) - suppressed} records; known to an intruder: {', '.join(view.quasi_identifiers)}; "
        f"missing values count by the rule '{view.missing}'."
    )
    for sentence in (*(perturbed.sentences() if perturbed else ()), *found.outstanding):
        say(sentence)


def write_record_figures(path: Path, figures: "Mapping[str, Numbers]", force: bool) -> None:
    """Write what models say of records: a line a record, its position from 1, and a column a model."""
    require_unused(path, replace=force, advice="Choose another file, or add --force.")
    columns = [column.tolist() for column in figures.values()]
    rows = enumerate(zip(*columns, strict=True), start=1)
    lines = (",".join([str(at), *("" if isnan(value) else f"{value:.10g}" for value in row)]) for at, row in rows)
    write_text(path, "\n".join([",".join(["record", *figures]), *lines]) + "\n")


def perturbed_by(options: RiskOptions, view: IntruderView) -> figures_of.Perturbed | None:
    """Return the meaning of uniques in a perturbed file; None where no file says that it was perturbed."""
    data, original, known = Path(options.data), options.original, view.quasi_identifiers
    if original is not None:
        from_file = Path(original).exists()
        schema, reading = (options.schema_file, options.reading) if from_file else (None, None)
        made_from = open_source(original, schema, reading)
        made_from.table.schema.require(known, "--original")
        if options.crosswalk is not None:
            made_from = made_from.ordered_by(read_crosswalk(options.crosswalk, len(view.table), len(made_from.table)))
        others = [name for name in view.table.schema.names if name not in known]
        reordered = reordered_words(made_from.table, view.table, others)
        warn([reordered] if reordered else ())
        found = figures_of.against_original(made_from.table, view, default_registry(), f"by {Path(original).name}")
        return replace(found, of_run=verdict_on_file(data)) if found is not None else None
    recorded_by, recorded_of = recorded_changes(data)
    changed = {name: recorded_of.get(name, 0) for name in known}
    if not any(changed.values()):
        return None
    return figures_of.perturbed_file(f"by {recorded_by}", changed, view, of_run=verdict_on_file(data))


def recorded_changes(path: Path) -> tuple[str, dict[str, int]]:
    """Return the file that records the perturbation of a data file, and the number of values of each attribute."""
    # It is the manifest beside it, or the result of the run folder that it lies in.
    for found in (manifest_path(path), path.with_name(RESULT)):
        document = object_if_readable(found)
        best = document.get("best")
        if found.name == RESULT and not (isinstance(best, dict) and best.get("file") == path.name):
            continue
        output = document.get("output")  # files whose names differ in their ending alone have one manifest
        if isinstance(output, dict) and output.get("name", path.name) != path.name:
            continue
        # Files of older versions have only the counts of all changes.
        perturbed = document.get("perturbed", document.get("changed"))
        if isinstance(perturbed, dict):
            return found.name, {str(name): count for name, count in perturbed.items() if isinstance(count, int)}
    return "", {}


def verdict_on_file(path: Path) -> "Verdict | None":
    """Return the verdict of the run folder that a data file lies in; None for any other file."""
    result = Result.known(path.parent)
    return result.verdict if result is not None and result.best.file == path.name else None


def matrix_rows(path: Path) -> "dict[str, Matrix]":
    """Return, by attribute, the rows of a file's matrices; only those of values that occurred where it has counts."""
    matrices = [stochastic(found) for found in read_matrices(path)]
    text = read_text(path, ParameterError)
    document = json.loads(text) if text.lstrip("\ufeff \r\n\t").startswith("{") else {}
    rows = {}
    for found in matrices:
        name = " x ".join(found.attributes) or path.stem
        entry = document.get(name, {})
        counts = entry.get("frequencies") if isinstance(entry, dict) else None
        occurring = [count > 0 for count in counts] if isinstance(counts, list) else [True] * len(found.matrix)
        rows[name] = found.matrix[occurring] if len(occurring) == len(found.matrix) else found.matrix
    return rows


def show_models(
    chosen: Mapping[str, Mapping[str, Any]], figures: Mapping[str, Any], instead: str = "", every: bool = True
) -> None:
    """Print the verdicts, and a row for each model, those that do not apply last."""
    built = figures_of.build_models(chosen, default_registry())
    verdicts = {name: model.verdict(figures) for name, model in built.items() if name in figures and not instead}
    for verdict in (instead, *verdicts.values()):
        if verdict:
            say(f"Verdict: {verdict}")
    ordered = sorted(built, key=lambda name: (name not in figures, not every and not verdicts.get(name)))
    listed = ordered if every else [name for name in ordered if name in figures][:FIRST]
    rows = []
    for name in listed:
        if name in figures:
            figure = f"{built[name].headline.replace('_', ' ')} {figure_text(figures[name][built[name].headline])}"
            rows.append((name, figure, built[name].in_words(figures[name])))
        else:
            rows.append((name, "-", f"does not apply: {figures['not_applicable'][name]}"))
    styles = ["" if name in figures else "dim" for name in listed]
    print_rows({"privacy model": "whole", "figure": "right", "what it means": "left"}, rows, styles=styles, box=False)
    if len(listed) < len(built):
        say(f"{len(built) - len(listed)} more privacy models: --all shows them.")
