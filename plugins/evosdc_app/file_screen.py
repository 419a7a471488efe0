"""Screen 1: choose a file; see it; its roles, scales and hierarchies."""

import gzip
import os
import tempfile
import zipfile
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from evosdc.errors import DataError, Fault, InputError
from evosdc.files.schema.schema_edits import edit_schema, reasons_told, schema_steps, undo_edit
from evosdc.files.schema.schema_file import load_schema
from evosdc.options.written import listed, names_text
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Role, Scale
from evosdc_app.columns import histogram_of, label_of, weight_sentence
from evosdc_app.folder import ENDINGS, hierarchy_names, line_of
from evosdc_app.guard import UPLOAD
from evosdc_app.hierarchy_screen import hierarchy_words
from evosdc_app.proposal import done, init_words
from evosdc_app.sources import at_hand, is_dataset
from evosdc_app.workbench import Workbench, asked, away, number_asked

_SMALL = 8_000_000
"""Bytes of a file that is read before its page is shown."""

_TOGETHER = 10.0
"""Seconds between a file of labels and the step that names it, where both come from one click."""

ROLES = tuple(map(str, Role))
SCALES = (*map(str, Scale), "date")
MEANINGS = {
    "identifier": "names a respondent; left out of the protected file",
    "quasi-identifier": "an intruder may know it; masked",
    "sensitive": "nobody should learn it of a respondent; not masked",
    "other": "all else; published as it is",
    "weight": "sampling weight",
    "household": "tells households apart",
    "stratum": "stratum of the sampling design",
    "drop": "left out as well: free text, or what nobody needs",
    "nominal": "categories without an order",
    "ordinal": "categories that stand in their order",
    "numeric": "numbers",
    "date": "days in the order of time",
}


async def start(bench: Workbench, request: Request) -> Response:
    """Show what can be chosen."""
    registry = default_registry()
    datasets = [(name, registry.spec("dataset", name).summary) for name in registry.names("dataset")]
    files = await to_thread.run_sync(bench.folder.data_files)
    return bench.page(
        "start.html", "file", "Choose a file", files=files, datasets=datasets, folder=str(bench.folder.root),
        endings=ENDINGS, recent=bench.folder.runs()[:8], unnamed=bench.folder.unnamed(),
    )  # fmt: skip


async def file(bench: Workbench, request: Request) -> Response:
    """Show a file and what its attributes are taken for."""
    data = asked(request, "data")
    if not data:
        return await start(bench, request)
    dataset = is_dataset(data, bench.folder)
    schema = None if dataset else bench.folder.schema_of(data)
    if not dataset:
        bench.folder.data_file(data)
    name = None if schema is None else bench.folder.name(schema)
    faults: list[str] = []
    if schema is not None and not schema.exists() and bench.folder.data_file(data).stat().st_size <= _SMALL:
        try:
            await to_thread.run_sync(bench.sources.contents, data)
        except InputError as error:  # there is nothing to propose
            faults = list(map(str, error.faults))
    return bench.page(
        "file.html", "file", data, data=data, dataset=dataset, schema=name,
        proposed=schema is not None and schema.exists(),
        command=line_of(init_words(bench, data)) if schema is not None else "", faults=faults,
    )  # fmt: skip


async def preview(bench: Workbench, request: Request) -> Response:
    """Show a page of records."""
    data, number = asked(request, "data"), number_asked(request, "page", 1)
    contents = await to_thread.run_sync(bench.sources.contents, data)
    number = max(1, min(number, contents.pages))
    return bench.fragment(
        "preview.html", data=data, number=number, pages=contents.pages, records=contents.records,
        names=[column.name for column in contents.columns], rows=contents.page(number),
    )  # fmt: skip


async def attributes(bench: Workbench, request: Request) -> Response:
    """Show roles and scales with their reasons, to be edited."""
    data = asked(request, "data")
    contents = await to_thread.run_sync(bench.sources.contents, data)
    if contents.source is not None:
        schema_of_set = contents.source.table.schema
        distinct = {c.name: len(c.present(schema_of_set.missing_of(c.name))) for c in contents.columns}
        rows = [
            {"name": a.name, "role": str(a.role), "scale": a.scale_word, "reason": "", "distinct": distinct[a.name],
             "hierarchy": "yes" if a.hierarchy is not None else "",
             "drawn": histogram_of(c, schema_of_set.missing_of(a.name), a.scale is not Scale.NOMINAL)}
            for a, c in zip(schema_of_set.attributes, contents.columns, strict=True)
        ]  # fmt: skip
        return bench.fragment("attributes.html", data=data, rows=rows, fixed=True, meanings=MEANINGS)
    schema = bench.folder.schema_of(data)
    said = load_schema(schema)
    reasons = reasons_told(schema)
    rows = []
    for column in contents.columns:
        name, one = column.name, said.attributes.get(column.name)
        missing = (*said.missing, *(one.missing if one is not None else ()))
        scale = "" if one is None or one.scale is None else str(one.scale)
        rows.append(
            {
                "name": name,
                "role": str(one.role) if one is not None and one.role is not None else "other",
                "scale": "date" if one is not None and one.date_format is not None else scale,
                "reason": reasons.get(name, ""),
                "distinct": len(column.present(missing)),
                "hierarchy": hierarchy_words(one),
                "label": label_of(contents, name),
                "missing": names_text(one.missing or ()) if one is not None else "",
                "drawn": histogram_of(column, missing, scale != str(Scale.NOMINAL)),
                "weight": weight_sentence(column, missing) if one is not None and one.role is Role.WEIGHT else "",
            }
        )
    return bench.fragment(
        "attributes.html", data=data, rows=rows, fixed=False, roles=ROLES, scales=SCALES, meanings=MEANINGS
    )


async def remarks(bench: Workbench, request: Request) -> Response:
    """Show what the records say of themselves, and what does not fit."""
    data = asked(request, "data")
    words, depends = data_words(bench, data)
    command = ["check", "--data", *words]
    answer = await bench.calls.ask(command, *depends)
    sentences = [line for line in answer.out.splitlines() if line.strip()]
    return bench.fragment(
        "remarks.html", faults=answer.faults, sentences=sentences, warnings=answer.warnings, command=line_of(command)
    )


def data_words(bench: Workbench, data: str) -> tuple[list[str], list[Path]]:
    """Return how commands are told of a file and its schema, and the files that their answers depend on."""
    if is_dataset(data, bench.folder):
        at_hand(data)
        return [data], []
    path, schema = bench.folder.data_file(data), bench.folder.schema_of(data)
    name = bench.folder.name(path)
    if not schema.exists():
        return [name], [path]
    beside = sorted(schema.parent.glob(f"{schema.stem}-*.csv"))
    return [name, "--schema", bench.folder.name(schema)], [path, schema, *beside]


async def copy(bench: Workbench, request: Request) -> Response:
    """Write a registered data set to a file, so that its schema can be edited."""
    form = await bench.form(request)
    name = form.one("data")
    if not is_dataset(name, bench.folder):
        raise HTTPException(404)
    at_hand(name)
    file = bench.folder.free(f"{name}.csv")
    await done(bench, ["datasets", "fetch", name, "-o", file])
    return away("/file", {"data": file})


async def edit(bench: Workbench, request: Request) -> Response:
    """Change roles and scales, each attribute a step of `evosdc edit`."""
    form = await bench.form(request)
    data = form.one("data")
    schema = bench.folder.schema_of(data)
    names, before = form.get("name", []), form.get("before", [])
    roles, scales = form.get("role", []), form.get("scale", [])
    codes: Sequence[str | None] = form.get("missing") or [None] * len(names)
    if len({len(names), len(before), len(roles), len(scales), len(codes)}) > 1:
        raise HTTPException(400, "This form is not whole: columns lack a part. Load its page again.")
    wanted = []
    for name, was, role, scale, missing in zip(names, before, roles, scales, codes, strict=True):
        old_role, _, old = was.partition(" ")
        old_scale, _, old_missing = old.partition(" ")
        changes: dict[str, Any] = {"role": role} if role != old_role else {}
        changes |= {"scale": scale} if scale and scale != old_scale else {}
        if missing is not None and missing.strip() != old_missing.strip():
            changes["missing"] = listed(missing) or None
        wanted += [(name, changes)] if changes else []
    if wanted:
        # A page of before the file was written anew may name columns that it has no more; with such, no schema fits.
        contents = await to_thread.run_sync(bench.sources.contents, data)
        names = [column.name for column in contents.columns]
        for name, _ in wanted:
            if name not in names:
                raise DataError(Fault(data, repr(name), f"one of {', '.join(names)}"))
    async with bench.writing:
        await to_thread.run_sync(_edited, schema, wanted)
    if form.one("part"):
        return Response(status_code=204)
    return away("/file", {"data": data}, "attributes")


def _edited(schema: Path, wanted: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Take all steps, or none where one is refused."""
    taken = 0
    try:
        for name, changes in wanted:
            taken += bool(edit_schema(schema, name, changes).changes)
    except InputError:
        for _ in range(taken):
            undo_edit(schema)
        raise


async def undo(bench: Workbench, request: Request) -> Response:
    """Take the last step of the schema back."""
    form = await bench.form(request)
    data = form.one("data")
    async with bench.writing:
        schema = bench.folder.schema_of(data)
        step = form.one("step")
        # What the button names is taken back, not a step that another tab has taken since.
        if step and step != str(len(await to_thread.run_sync(schema_steps, schema))):
            raise HTTPException(409, "Another step was taken, or this one was taken back, since. Load the page again.")
        await to_thread.run_sync(_taken_back, schema)
    return away(form.one("to") if form.one("to") in ("/history", "/file") else "/file", {"data": data})


def _taken_back(schema: Path) -> None:
    """Undo the last edit, and remove a file of labels that was written with it and that nothing names any more."""
    before, step = hierarchy_names(schema), undo_edit(schema)
    for name in set(before) - set(hierarchy_names(schema)):
        file = schema.parent / name
        own = file.parent == schema.parent and file.name.startswith(f"{schema.stem}-") and file.is_file()
        if own and abs(file.stat().st_mtime - datetime.fromisoformat(step.when).timestamp()) < _TOGETHER:
            file.unlink()


async def upload(bench: Workbench, request: Request) -> Response:
    """Take a file into the folder; nothing is written over."""
    bench.check(request.headers.get("x-form", ""))
    given = Path(asked(request, "name").replace("\\", "/")).name.replace(".schema-", "-schema-")  # no hierarchy
    if Path(given).suffix.lower() not in ENDINGS:
        raise DataError(Fault(given, "a file of another kind", f"one that ends with {', '.join(ENDINGS)}"))
    bench.folder.path(given)
    handle, part = tempfile.mkstemp(prefix=".", suffix=".part", dir=bench.folder.root)  # for its owner alone
    try:
        with os.fdopen(handle, "wb") as target:
            async for chunk in request.stream():
                target.write(chunk)
        await to_thread.run_sync(_require_room, Path(part), given, int(request.scope["most_upload"]))
        while True:
            name = bench.folder.free(given)
            with suppress(FileExistsError):  # taken a moment ago
                os.link(part, bench.folder.path(name))
                break
    finally:
        Path(part).unlink()
    return JSONResponse({"data": name})


def _require_room(part: Path, name: str, most: int) -> None:
    """Raise where a packed file would unpack to more than may be uploaded."""
    found = 0
    try:
        if zipfile.is_zipfile(part):
            with zipfile.ZipFile(part) as archive:
                found = sum(member.file_size for member in archive.infolist())
        elif name.lower().endswith(".gz"):
            with gzip.open(part) as file:
                while found <= most and (chunk := file.read(1 << 20)):
                    found += len(chunk)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):
        return  # damaged, which is told when it is read
    if found > most:
        wanted = f"at most {most // 1_000_000} MB"
        raise DataError(
            Fault(name, "a packed file of more", wanted, "Begin the workbench with a greater --most-upload.")
        )


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/"): start,
    ("GET", "/file"): file,
    ("GET", "/fragment/preview"): preview,
    ("GET", "/fragment/attributes"): attributes,
    ("GET", "/fragment/remarks"): remarks,
    ("POST", "/copy"): copy,
    ("POST", "/edit"): edit,
    ("POST", "/undo"): undo,
    ("POST", UPLOAD): upload,
}
