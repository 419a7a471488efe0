"""The hierarchy of an attribute, drawn and to be edited; a part of screen 1."""

from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.responses import Response

from evosdc.errors import DataError, Fault, InputError
from evosdc.files.schema.description import AttributeDescription
from evosdc.files.schema.hierarchies import HierarchyRule, write_hierarchy
from evosdc.files.schema.schema_edits import edit_schema, undo_edit
from evosdc.files.schema.schema_file import hierarchy_name, load_schema
from evosdc.printing import printable
from evosdc.report.wording import listing
from evosdc.table.hierarchy import ROOT, Hierarchy
from evosdc.table.schema import Scale
from evosdc_app.sources import is_dataset
from evosdc_app.workbench import Form, Routes, Workbench, away

RULES = {
    "widths": "numbers: widths of intervals, level by level, such as 5, 10, 20",
    "merge": "ordered categories: how many neighbours are merged, such as 2, 4",
    "prefix": "codes: signs masked from the right, such as 1, 2",
    "dates": "dates: month, quarter, year, decade",
    "own": "words: groups of your own, typed into a table; how many levels, such as 1",
    "none": "none: take the hierarchy away",
}
_RULES = tuple(RULES)[:-2]
_MOST_LEVELS = 9
_MOST_LEAVES = 400  # values that are shown; the labels of more are edited in their file


async def hierarchy(bench: Workbench, form: Form) -> Response:
    """Show the hierarchy of an attribute, drawn and to be edited."""
    if not form.one("data"):
        return bench.no_file("file")
    return await _shown(bench, form.one("data"), form.one("attribute"), Form(), [])


async def _shown(bench: Workbench, data: str, name: str, form: Form, faults: list[str]) -> Response:
    """Return the page; after a refused form, its input and the reason."""
    found, rule, order = await to_thread.run_sync(_hierarchy, bench, data, name)
    order = form.one("order").splitlines() if form.one("order") else order
    leaves = [] if found is None else [(leaf, found.levels[place]) for place, leaf in enumerate(found.leaves)]
    height, cells = (found.height if found is not None else 0), form.get("cell", [])
    if form.one("kind") == "labels" and len(cells) == len(leaves) * (height + 1):
        rows = [cells[at : at + height + 1] for at in range(0, len(cells), height + 1)]
        leaves = [(row[0], tuple(row[1:])) for row in rows]
    return bench.page(
        "hierarchy.html", "file", f"Hierarchy of {name}", 400 if faults else 200, data=data, attribute=name,
        leaves=leaves[:_MOST_LEAVES], left_out=max(0, len(leaves) - _MOST_LEAVES), height=height, rule=rule,
        rules=RULES, kind=form.one("kind"), parts=form.one("parts"), fixed=is_dataset(data, bench.folder),
        faults=faults, order=order if len(order) <= _MOST_LEAVES else [],
    )  # fmt: skip


def _hierarchy(bench: Workbench, data: str, name: str) -> tuple[Any, str, list[str]]:
    """Return an attribute's hierarchy, the rule that makes it in words, and its categories where they have an order."""
    dataset = is_dataset(data, bench.folder)
    said = None if dataset else load_schema(bench.folder.schema_of(data))
    table = bench.sources.source(data, said).table
    table.schema.require([name], data)
    one = said.attributes.get(name) if said is not None else None
    rule = "" if one is None or one.rule is None else hierarchy_words(one)
    attribute = table.schema[name]
    order = list(attribute.categories) if attribute.scale is Scale.ORDINAL else []
    return attribute.hierarchy, rule, order


async def order(bench: Workbench, form: Form) -> Response:
    """Give the categories of an ordinal attribute another order."""
    data, name = form.one("data"), form.one("attribute")
    schema = bench.folder.schema_of(data)
    try:
        async with bench.writing:
            await to_thread.run_sync(_ordered, bench, data, schema, name, form.one("order"))
    except InputError as error:
        return await _shown(bench, data, name, form, list(map(str, error.faults)))
    return away("/hierarchy", {"data": data, "attribute": name}, "order")


def _ordered(bench: Workbench, data: str, schema: Path, name: str, given: str) -> None:
    categories = [line.strip() for line in given.splitlines() if line.strip()]
    step = edit_schema(schema, name, {"categories": categories})
    try:
        _hierarchy(bench, data, name)
    except InputError:  # one is missing, or stands twice
        if step.changes:
            undo_edit(schema)
        raise


async def draw(bench: Workbench, form: Form) -> Response:
    """Give an attribute another hierarchy: by a rule, by labels in a file of its own, or none."""
    data, name = form.one("data"), form.one("attribute")
    schema = bench.folder.schema_of(data)
    try:
        async with bench.writing:
            await to_thread.run_sync(_draw, bench, data, schema, name, form)
    except InputError as error:
        return await _shown(bench, data, name, form, list(map(str, error.faults)))
    return away("/hierarchy", {"data": data, "attribute": name})


def _draw(bench: Workbench, data: str, schema: Path, name: str, form: Form) -> None:
    kind = form.one("kind")
    value: Any = None
    written: Path | None = None
    if kind == "labels":
        written = _write_labels(schema, name, form.get("cell", []), form.one("width"))
        value = written.name
    elif kind == "own":
        cells, width = _own_groups(bench, data, name, form.one("parts", "1"))
        written = _write_labels(schema, name, cells, width)
        value = written.name
    elif kind in _RULES:
        value = {kind: _parts(name, kind, form.one("parts"))}
    step = None
    try:
        step = edit_schema(schema, name, {"hierarchy": value})
        _hierarchy(bench, data, name)
    except InputError:  # it does not fit the values
        if step is not None and step.changes:
            undo_edit(schema)
        if written is not None:
            written.unlink()
        raise


def _own_groups(bench: Workbench, data: str, name: str, given: str) -> tuple[list[str], str]:
    """Return a table in which every value is a group of its own, to be typed over, and its width."""
    table = bench.sources.source(data, load_schema(bench.folder.schema_of(data))).table
    table.schema.require([name], data)
    leaves = table.schema[name].categories
    where = f"hierarchy of {name}"
    if not 0 < len(leaves) <= _MOST_LEAVES:
        number = f"{len(leaves)} categories" if leaves else "numbers"
        raise DataError(Fault(where, number, f"1 to {_MOST_LEAVES} categories", "Use another rule, or write its file."))
    if not (given.strip().isdecimal() and 0 < int(given) <= _MOST_LEVELS):
        raise DataError(Fault(f"{where}, levels", printable(given), f"a whole number, 1 to {_MOST_LEVELS}"))
    levels = int(given)
    return [cell for leaf in leaves for cell in (*[leaf] * (levels + 1), ROOT)], str(levels + 2)


def _parts(name: str, kind: str, given: str) -> list[Any]:
    parts = [part.strip() for part in given.replace(";", ",").split(",") if part.strip()]
    where = f"hierarchy of {name}, levels"
    if not parts:
        raise DataError(Fault(where, "none", "one or more", f"For {RULES[kind]}."))
    if kind == "dates":
        return parts
    try:
        return [float(part) if "." in part and kind == "widths" else int(part) for part in parts]
    except ValueError:
        wanted = "numbers" if kind == "widths" else "whole numbers"
        raise DataError(Fault(where, printable(given), f"{wanted}, by commas", f"For {RULES[kind]}.")) from None


def _write_labels(schema: Path, name: str, cells: list[str], width: str) -> Path:
    size = int(width) if width.isdecimal() else 0
    if size < 2 or len(cells) % size:
        raise DataError(Fault("hierarchy", f"{len(cells)} labels", f"rows of {size}"))
    rows = [tuple(cells[at : at + size]) for at in range(0, len(cells), size)]
    found = Hierarchy(tuple(row[0] for row in rows), tuple(row[1:] for row in rows))
    taken = [path.name for path in schema.parent.glob(f"{schema.stem}-*.csv")]
    file = hierarchy_name(schema.stem, name, taken)
    write_hierarchy(found, schema.with_name(file))
    return schema.with_name(file)


def hierarchy_words(said: AttributeDescription | None) -> str:
    """Return the hierarchy of an attribute in few words; empty where it has none."""
    if said is not None and said.rule is not None:
        return _rule_words(said.rule)
    return "" if said is None or said.hierarchy is None else f"{said.hierarchy.height} levels"


def _rule_words(rule: HierarchyRule) -> str:
    if rule.widths is not None:
        from_where = f", from {rule.start:.12g}" if rule.start else ""
        return f"intervals of {listing([f'{width:.12g}' for width in rule.widths])}{from_where}"
    if rule.merge is not None:
        return f"{listing(list(map(str, rule.merge)))} neighbours merged"
    if rule.dates is not None:
        return listing(rule.dates)
    if rule.prefix is True:
        return "one more sign masked from the right at each level"
    signs = listing(list(map(str, rule.prefix or ())))
    return f"{signs} {'sign' if signs == '1' else 'signs'} masked from the right"


ROUTES: Routes = {
    ("GET", "/hierarchy"): hierarchy,
    ("POST", "/draw"): draw,
    ("POST", "/order"): order,
}
