"""The hierarchy of an attribute, drawn and to be edited; a part of screen 1."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from evosdc.errors import DataError, Fault, InputError
from evosdc.files.schema.description import AttributeDescription
from evosdc.files.schema.hierarchy_file import write_hierarchy
from evosdc.files.schema.schema_edits import edit_schema, undo_edit
from evosdc.files.schema.schema_reader import load_schema
from evosdc.files.schema.schema_writer import hierarchy_name, value_text
from evosdc.table.hierarchy import Hierarchy
from evosdc_app.sources import is_dataset
from evosdc_app.workbench import Workbench, asked, away

_RULES = ("widths", "merge", "prefix", "dates")
_MOST_LEAVES = 400
"""Values that are shown; the labels of more are edited in their file."""


async def hierarchy(bench: Workbench, request: Request) -> Response:
    """Show the hierarchy of an attribute, drawn and to be edited."""
    data, name = asked(request, "data"), asked(request, "attribute")
    found, rule = await to_thread.run_sync(_hierarchy, bench, data, name)
    leaves = [] if found is None else [(leaf, found.levels[place]) for place, leaf in enumerate(found.leaves)]
    return bench.page(
        "hierarchy.html", "file", f"Hierarchy of {name}", data=data, attribute=name, leaves=leaves[:_MOST_LEAVES],
        left_out=max(0, len(leaves) - _MOST_LEAVES), height=found.height if found is not None else 0, rule=rule,
        rules=_RULES, fixed=is_dataset(data, bench.folder),
    )  # fmt: skip


def _hierarchy(bench: Workbench, data: str, name: str) -> tuple[Any, str]:
    dataset = is_dataset(data, bench.folder)
    said = None if dataset else load_schema(bench.folder.schema_of(data))
    table = bench.sources.source(data, said).table
    table.schema.require([name], data)
    one = said.attributes.get(name) if said is not None else None
    rule = "" if one is None or one.rule is None else hierarchy_words(one)
    return table.schema[name].hierarchy, rule


async def draw(bench: Workbench, request: Request) -> Response:
    """Give an attribute another hierarchy: by a rule, by labels in a file of its own, or none."""
    form = await bench.form(request)
    data, name = form.one("data"), form.one("attribute")
    schema = bench.folder.schema_of(data)
    kind = form.one("kind")
    if kind == "labels":
        value: Any = await to_thread.run_sync(_write_labels, schema, name, form.get("cell", []), form.one("width"))
    elif kind in _RULES:
        value = {kind: _parts(form.one("parts"))}
    else:
        value = None
    step = await to_thread.run_sync(edit_schema, schema, name, {"hierarchy": value})
    try:
        await to_thread.run_sync(_hierarchy, bench, data, name)
    except InputError:
        if step.changes:
            await to_thread.run_sync(undo_edit, schema)  # it does not fit the values
        raise
    return away("/hierarchy", {"data": data, "attribute": name})


def _parts(given: str) -> list[Any]:
    parts = [part.strip() for part in given.replace(";", ",").split(",") if part.strip()]
    try:
        return [float(part) if "." in part else int(part) for part in parts]
    except ValueError:
        return parts


def _write_labels(schema: Path, name: str, cells: list[str], width: str) -> str:
    size = int(width) if width.isdecimal() else 0
    if size < 2 or len(cells) % size:
        raise DataError(Fault("hierarchy", f"{len(cells)} labels", f"rows of {size}"))
    rows = [tuple(cells[at : at + size]) for at in range(0, len(cells), size)]
    found = Hierarchy(tuple(row[0] for row in rows), tuple(row[1:] for row in rows))
    taken = [path.name for path in schema.parent.glob(f"{schema.stem}-*.csv")]
    file = hierarchy_name(schema.stem, name, taken)
    write_hierarchy(found, schema.with_name(file))
    return file


def hierarchy_words(said: AttributeDescription | None) -> str:
    """Return the hierarchy of an attribute in few words; empty where it has none."""
    if said is not None and said.rule is not None:
        return value_text({k: v for k, v in said.rule.model_dump(exclude_defaults=True).items() if v is not None})
    return "" if said is None or said.hierarchy is None else f"{said.hierarchy.height} levels"


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/hierarchy"): hierarchy,
    ("POST", "/draw"): draw,
}
