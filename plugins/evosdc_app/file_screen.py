"""Screen 1: choose a file; see it; its roles, scales and hierarchies, proposed and edited."""

import filecmp
import gzip
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from evosdc.errors import DataError, Fault, InputError
from evosdc.files.column import Column
from evosdc.files.formats import TEXT, Reading, ending_of
from evosdc.files.schema.schema_edits import edit_schema, reasons_told, remarks_told, schema_steps, undo_edit
from evosdc.files.schema.schema_file import load_schema
from evosdc.options.written import listed, names_text
from evosdc.plugins.registry import default_registry
from evosdc.runs.status import read_run_status
from evosdc.table.dates import date_format_of, days_of
from evosdc.table.numerals import numbers
from evosdc.table.schema import Role, Scale
from evosdc_app.calls import error_sentences
from evosdc_app.folder import ENDINGS, hierarchy_names, line_of, reading_of
from evosdc_app.guard import UPLOAD
from evosdc_app.hierarchy_screen import hierarchy_words
from evosdc_app.search_screen import standing_of
from evosdc_app.sources import Contents, at_hand, cut, is_dataset
from evosdc_app.workbench import Form, Routes, Workbench, away

BARS = 12  # bars of a histogram, of numbers as of categories
SHOWN = 3  # categories that are named beside it
_SMALL = 8_000_000  # bytes of a file that is read before its page is shown
_TOGETHER = 10.0  # seconds between a file of labels and the step that names it, where both come from one click

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


async def start(bench: Workbench, form: Form) -> Response:
    """Show what can be chosen."""
    registry = default_registry()
    datasets = [(name, registry.spec("dataset", name).summary) for name in registry.names("dataset")]
    files = await to_thread.run_sync(bench.folder.data_files)
    recent = [(run.name, *standing_of(run)) for run in bench.folder.runs()[:8]]
    return bench.page(
        "start.html", "file", "Choose a file", files=files, datasets=datasets, folder=str(bench.folder.root),
        endings=ENDINGS, recent=recent, unnamed=bench.folder.unnamed(),
    )  # fmt: skip


async def file(bench: Workbench, form: Form) -> Response:
    """Show a file and what its attributes are taken for."""
    data = form.one("data")
    if not data:
        return await start(bench, form)
    dataset = is_dataset(data, bench.folder)
    schema = None if dataset else bench.folder.schema_of(data)
    if not dataset:
        bench.folder.data_file(data)
    name = None if schema is None else bench.folder.name(schema)
    faults: list[str] = []
    notes: Sequence[str] = ()
    if schema is not None and not schema.exists() and bench.folder.data_file(data).stat().st_size <= _SMALL:
        try:
            notes = (await to_thread.run_sync(bench.sources.contents, data)).notes
        except InputError as error:  # there is nothing to propose
            faults = list(map(str, error.faults))
    return bench.page(
        "file.html", "file", data, data=data, dataset=dataset, schema=name,
        proposed=schema is not None and schema.exists(),
        command=line_of(init_words(bench, data)) if schema is not None else "", faults=faults, notes=notes,
        text=ending_of(data)[0] in TEXT, workbook=ending_of(data)[0] == ".xlsx",
    )  # fmt: skip


async def preview(bench: Workbench, form: Form) -> Response:
    """Show a page of records."""
    data, number = form.one("data"), form.page
    contents = await to_thread.run_sync(bench.sources.contents, data)
    number = max(1, min(number, contents.pages))
    return bench.fragment(
        "preview.html", data=data, number=number, pages=contents.pages, records=contents.records,
        names=[column.name for column in contents.columns], rows=contents.page(number),
    )  # fmt: skip


async def attributes(bench: Workbench, form: Form) -> Response:
    """Show roles and scales with their reasons, to be edited."""
    data = form.one("data")
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


def label_of(contents: Contents, name: str) -> str:
    """Return the label that the file has for a column, as SPSS and Stata do; empty where it has none."""
    labels = getattr(contents.original, "variable_labels", None) or {}
    return cut(str(labels.get(name) or ""))


def histogram_of(column: Column, missing: tuple[str, ...], ordered: bool) -> dict[str, Any]:
    """Return a histogram: heights in per cent of the highest bar, what it shows in words, and the missing records."""
    counts = column.counts
    kept = [place for place, text in enumerate(column.texts) if counts[place] and text not in missing]
    texts, times = [column.texts[place] for place in kept], counts[kept]
    lacking = len(column) - int(times.sum())
    dates = date_format_of(texts) if ordered and texts else ""
    days = days_of(texts, dates) if dates else None
    values = days.astype(float) if days is not None else numbers(texts, column.mark) if ordered and texts else None
    if values is not None and len(texts) > BARS:
        bars, edges = np.histogram(values, BARS, weights=times)
        ends = (days.min(), days.max()) if days is not None else (f"{edges[0]:g}", f"{edges[-1]:g}")
        words = f"{ends[0]} to {ends[1]}"
    else:
        order = np.argsort(values, kind="stable") if values is not None else np.argsort(-times, kind="stable")
        bars = times[order][:BARS]
        most = np.argsort(-times, kind="stable")[:SHOWN]
        if len(texts) > BARS and times.max() == 1:
            return {"bars": [], "of": 1, "words": "all differ", "missing": lacking}
        shares = [f"{cut(texts[place])[:24]} {100.0 * times[place] / len(column):.0f} %" for place in most]
        words = ", ".join(shares) + (", ..." if len(texts) > SHOWN else "")
    highest = float(max(bars.max(initial=0), 1))
    heights = [(place, round(100.0 * float(bar) / highest, 1)) for place, bar in enumerate(bars)]
    return {"bars": heights, "of": max(len(heights), 1), "words": words, "missing": lacking}


def weight_sentence(column: Column, missing: tuple[str, ...]) -> str:
    """Return what the records stand for by the weights of a column; empty where they are no numbers."""
    values = column.record_numbers(missing, None)
    known = values[~np.isnan(values)]
    if not len(known):
        return ""
    return f"{len(column):,} records stand for {known.sum():,.0f} people, each for {known.min():g} to {known.max():g}"


async def remarks(bench: Workbench, form: Form) -> Response:
    """Show what the records say of themselves, and what does not fit."""
    data = form.one("data")
    words, depends = data_words(bench, data)
    command = ["check", "--data", *words]
    answer = await bench.calls.ask(command, *depends)
    sentences = [line for line in answer.out.splitlines() if line.strip()]
    schema = None if is_dataset(data, bench.folder) else bench.folder.schema_of(data)
    proposed = remarks_told(schema) if schema is not None and schema.exists() else []
    proposed = [text for text in proposed if text not in (*sentences, *answer.warnings)]
    return bench.fragment(
        "remarks.html", faults=answer.faults, sentences=sentences, proposed=proposed, warnings=answer.warnings,
        command=line_of(command),
    )  # fmt: skip


def data_words(bench: Workbench, data: str) -> tuple[list[str], list[Path]]:
    """Return the arguments that name a file and its schema, and the files that the answers depend on."""
    if is_dataset(data, bench.folder):
        at_hand(data)
        return [data], []
    path, schema = bench.folder.data_file(data), bench.folder.schema_of(data)
    name = bench.folder.name(path)
    if not schema.exists():
        return [name], [path]
    beside = sorted(schema.parent.glob(f"{schema.stem}-*.csv"))
    return [name, "--schema", bench.folder.name(schema)], [path, schema, *beside]


async def copy(bench: Workbench, form: Form) -> Response:
    """Write a registered data set to a file, so that its schema can be edited."""
    name = form.one("data")
    if not is_dataset(name, bench.folder):
        raise HTTPException(404)
    at_hand(name)
    file = bench.folder.free(f"{name}.csv")
    await done(bench, ["datasets", "fetch", name, "-o", file])
    return away("/file", {"data": file})


async def edit(bench: Workbench, form: Form) -> Response:
    """Change roles and scales, each attribute a step of `evosdc edit`."""
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
        # The page may be older than the file and name columns that are gone: then no schema fits.
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


async def undo(bench: Workbench, form: Form) -> Response:
    """Take the last step of the schema back."""
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


async def upload(bench: Workbench, form: Form) -> Response:
    """Take a file into the folder; nothing is written over."""
    given = Path(form.one("name").replace("\\", "/")).name.replace(".schema-", "-schema-")  # no hierarchy
    if Path(given).suffix.lower() not in ENDINGS:
        raise DataError(Fault(given, "a file of another kind", f"one that ends with {', '.join(ENDINGS)}"))
    bench.folder.path(given)
    handle, part = tempfile.mkstemp(prefix=".", suffix=".part", dir=bench.folder.root)  # for its owner alone
    try:
        with os.fdopen(handle, "wb") as target:
            async for chunk in form.request.stream():
                target.write(chunk)
        await to_thread.run_sync(_require_room, Path(part), given, int(form.request.scope["most_upload"]))
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
        return  # damaged: reading it reports that
    if found > most:
        wanted = f"at most {most // 1_000_000} MB"
        raise DataError(
            Fault(name, "a packed file of more", wanted, "Begin the workbench with a greater --most-upload.")
        )


def init_words(bench: Workbench, data: str, reading: Reading | None = None) -> list[str]:
    """Return the command that proposes a schema, read as it is said here or as the schema says that is there."""
    path = bench.folder.schema_of(data)
    reading = reading or reading_of(path)
    given = [word for key in ("encoding", "sheet") if (own := getattr(reading, key)) for word in (f"--{key}", own)]
    return ["init", bench.folder.word(data), "-o", bench.folder.name(path), "--no-ask", *given]


async def done(bench: Workbench, words: list[str]) -> str:
    """Carry out a command that writes files and return what it printed; what it refuses is raised in its own words."""
    answer = await bench.calls.carry_out(words)
    if answer.status:
        raise HTTPException(400, " ".join(error_sentences(answer.err)))
    return answer.out


async def propose(bench: Workbench, form: Form) -> Response:
    """Carry out `evosdc init`."""
    data = form.one("data")
    bench.folder.data_file(data)
    reading = Reading(encoding=form.one("encoding").strip() or None, sheet=form.one("sheet").strip() or None)
    await done(bench, init_words(bench, data, reading))
    return away("/file", {"data": data}, "attributes")


async def take_back(bench: Workbench, form: Form) -> Response:
    """Take a proposal away with the hierarchies that came with it, as long as it is what it was."""
    data = form.one("data")
    async with bench.writing:
        schema = bench.folder.schema_of(data)
        name = bench.folder.name(schema)
        if not schema.exists():
            raise HTTPException(400, f"{name}: there is no proposal to take back.")
        if await to_thread.run_sync(schema_steps, schema):
            raise HTTPException(400, f"{name}: it was edited since it was proposed. Take these steps back first.")
        if any(read_run_status(run).active or bench.jobs.active(run) for run in bench.folder.runs(data)):
            raise HTTPException(400, f"{name}: a search on {data} goes on. Stop it first.")
        for file in await _unchanged(bench, data, schema):
            file.unlink()
    return away("/file", {"data": data})


async def _unchanged(bench: Workbench, data: str, schema: Path) -> list[Path]:
    """Return the files of a proposal; raise where they are not those that `evosdc init` writes."""
    with tempfile.TemporaryDirectory(prefix=".", dir=schema.parent) as folder:  # for its owner alone
        again = Path(folder, schema.name)
        words = init_words(bench, data)
        await done(bench, [str(again) if word == bench.folder.name(schema) else word for word in words])
        proposed = [path.name for path in sorted(Path(folder).iterdir())]
        files = [schema.with_name(name) for name in proposed]
        if any(path.is_symlink() or not path.is_file() for path in files) or any(
            not filecmp.cmp(path, again.with_name(path.name), shallow=False) for path in files
        ):
            raise HTTPException(
                400,
                f"{bench.folder.name(schema)}: it is not what evosdc init proposes, so somebody wrote in it, and it "
                "stays. Delete the file by hand if it is not needed.",
            )
    return files


ROUTES: Routes = {
    ("GET", "/"): start,
    ("GET", "/file"): file,
    ("GET", "/fragment/preview"): preview,
    ("GET", "/fragment/attributes"): attributes,
    ("GET", "/fragment/remarks"): remarks,
    ("POST", "/init"): propose,
    ("POST", "/unpropose"): take_back,
    ("POST", "/copy"): copy,
    ("POST", "/edit"): edit,
    ("POST", "/undo"): undo,
    ("POST", UPLOAD): upload,
}
