"""Screen 2: what the file reveals as it is, and after a step of recoding or suppression by hand."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.responses import Response

from evosdc.files.schema.schema_file import load_schema
from evosdc.options.written import names_text
from evosdc.plugins.registry import default_registry
from evosdc.table.numerals import numbers
from evosdc.table.schema import Scale
from evosdc_app.calls import Answer, error_sentences
from evosdc_app.choice_screen import meanings
from evosdc_app.file_screen import data_words, done
from evosdc_app.folder import line_of
from evosdc_app.goal_screen import attributes_of
from evosdc_app.sources import is_dataset
from evosdc_app.workbench import Form, Routes, Workbench, away

LISTED = 1000  # records that are listed
PAGE = 25  # records on a page of them


async def risk(bench: Workbench, form: Form) -> Response:
    """Show the page; figures come as soon as they are there."""
    data = form.one("data")
    if not data:
        return bench.no_file("risk")
    words, _ = data_words(bench, data)
    return bench.page("risk.html", "risk", "Risk before", data=data, command=line_of(_words(words)))


async def figures(bench: Workbench, form: Form) -> Response:
    """Show the result of `evosdc risk`."""
    answer = await _answer(bench, form)
    return bench.fragment("risk_figures.html", faults=answer.faults, **_fields(answer.document), **_page(answer, form))


async def standing(bench: Workbench, form: Form) -> Response:
    """Show a page of the records that stand out."""
    answer = await _answer(bench, form)
    out = answer.document.get("standing_out") or {"records": 0, "listed": []}
    return bench.fragment("standing.html", faults=answer.faults, standing=out, **_page(answer, form))


async def _answer(bench: Workbench, form: Form) -> Answer:
    words, depends = data_words(bench, form.one("data"))
    return await bench.calls.ask([*_words(words), "--json"], *depends)


def _page(answer: Answer, form: Form) -> dict[str, Any]:
    """Return the records of a page, and where it stands."""
    listed = (answer.document.get("standing_out") or {}).get("listed") or []
    pages = max(1, -(-len(listed) // PAGE))
    number = max(1, min(form.page, pages))
    shown = listed[(number - 1) * PAGE : number * PAGE]
    return {"data": form.one("data"), "listed": shown, "number": number, "pages": pages}


def _words(words: list[str]) -> list[str]:
    return ["risk", *words, "--standing-out", str(LISTED)]


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    registry = default_registry()
    rows = []
    for name in registry.names("privacy-model"):
        if name in document:
            model = registry.build("privacy-model", name, {})
            summary = registry.spec("privacy-model", name).summary
            rows.append((name, summary, model.in_words(document[name]), model.verdict(document)))
    # The columns' shares come from whichever model tells them.
    shares: dict[str, float] = next(
        (document[n]["contributions"] for n, *_ in rows if "contributions" in document[n]), {}
    )
    columns = sorted(shares.items(), key=lambda entry: -entry[1])
    out = document.get("standing_out") or {}
    measure = str((out.get("intruder") or {}).get("measure"))
    return {
        "models": rows,
        "lacking": sorted((document.get("not_applicable") or {}).items()),
        "columns": [(name, share, round(max(0.0, min(share, 100.0)), 2)) for name, share in columns],
        "standing": out,
        "intruder": out.get("intruder"),
        "meaning": meanings([measure]).get(measure, ""),
        "records": document.get("records", 0),
        "known": document.get("quasi_identifiers", []),
    }


# possible actions, by the parameter of the form
STEPS = {
    "width": ("global-recoding", "numbers into intervals of this width"),
    "level": ("global-recoding", "values to this level of the hierarchy"),
    "top": ("top-coding", "numbers above this value into one category"),
    "k": ("local-suppression", "values suppressed in groups of fewer than this many records"),
}


async def recoding(bench: Workbench, form: Form) -> Response:
    """Show the form; the counts come as soon as they are there."""
    data = form.one("data")
    if not data:
        return bench.no_file("risk")
    names, chosen = await to_thread.run_sync(attributes_of, bench, data)
    query = await to_thread.run_sync(_first_step, bench, data, chosen) if chosen else {}
    return bench.page(
        "recoding.html", "risk", "Recode by hand", data=data, names=[name for name, _ in names], chosen=chosen,
        kinds=STEPS, query=query,
    )  # fmt: skip


async def counted(bench: Workbench, form: Form) -> Response:
    """Show the small groups of the file before and after the step that is filled in."""
    given = {name: form.one(name) for name in ("data", "column", "step", "value")}
    words, depends = data_words(bench, given["data"])
    chosen = (await to_thread.run_sync(attributes_of, bench, given["data"]))[1]
    known = [*chosen, *([given["column"]] if given["column"] not in chosen else [])]
    judged = ["--quasi-identifiers", names_text(known), "--models", "k-anonymity", "--json"]
    before = await bench.calls.ask(["risk", *words, *judged], *depends)
    after: dict[str, int] = {}
    faults = before.faults
    with tempfile.TemporaryDirectory(prefix=".", dir=bench.folder.root) as place:  # for its owner alone
        file = str(Path(place, _name(given["data"])))
        masked = await bench.calls.carry_out(_mask_words(bench, given, file))
        faults = faults or (error_sentences(masked.err) if masked.status else [])
        if not faults:
            answer = await bench.calls.carry_out(["risk", file, *words[1:], *judged])
            faults = error_sentences(answer.err) if answer.status else []
            after = {} if faults else json.loads(answer.out)["k-anonymity"]["records_below"]
    command = line_of(_mask_words(bench, given, bench.folder.free(_name(given["data"]))))
    rows = [] if faults else list(before.document["k-anonymity"]["records_below"].items())
    return bench.fragment("recoding_counts.html", before=rows, after=after, faults=faults, command=command)


async def recode(bench: Workbench, form: Form) -> Response:
    """Carry the step out: a new file beside the old one, by `evosdc mask`."""
    given = {name: form.one(name) for name in ("data", "column", "step", "value")}
    output = bench.folder.free(_name(given["data"]))
    await done(bench, _mask_words(bench, given, output))
    await to_thread.run_sync(_keep_schema, bench, given["data"], output)
    return away("/file", {"data": output})


def _keep_schema(bench: Workbench, data: str, output: str) -> None:
    """Give a new file the schema of the old one, where the command wrote none of its own: no label is new."""
    if is_dataset(data, bench.folder):
        return
    before, after = bench.folder.schema_of(data), bench.folder.schema_of(output)
    if before.parent == after.parent and before.exists() and not after.exists():
        shutil.copyfile(before, after)  # hierarchies are named, and stay where they are


def _name(data: str) -> str:
    stem, dot, ending = data.rpartition("/")[2].rpartition(".")
    return f"{stem}-recoded.{ending}" if dot else f"{data}-recoded.csv"


def _params(given: Mapping[str, str]) -> dict[str, Any]:
    try:
        value = float(given["value"])
    except ValueError:
        value = 0.0  # which the method refuses in its own words
    whole = int(value) if value.is_integer() else value
    if given["step"] == "k":
        return {"k": whole}
    return {"value" if given["step"] == "top" else given["step"]: whole, "output": "label"}


def _mask_words(bench: Workbench, given: Mapping[str, str], output: str) -> list[str]:
    method = STEPS.get(given["step"], STEPS["width"])[0]
    words, _ = data_words(bench, given["data"])
    settings = [word for key, value in _params(given).items() for word in ("--set", f"{key}={value}")]
    protect = [given["column"]] if given["step"] != "k" else attributes_of(bench, given["data"])[1]
    return ["mask", method, *words, "--protect", names_text(protect), *settings, "-o", output]


def _first_step(bench: Workbench, data: str, names: list[str]) -> dict[str, str]:
    """Return the step that the form shows at first, one that fits: the first numbers, or the first hierarchy."""
    file = None if is_dataset(data, bench.folder) else bench.folder.schema_of(data)
    said = load_schema(file) if file is not None and file.exists() else None
    schema = bench.sources.source(data, said).table.schema
    for name in names:
        one = schema[name]
        ordered = one.scale is Scale.ORDINAL and not one.date_format
        if one.scale is Scale.NUMERIC or (ordered and numbers(one.categories) is not None):
            return {"step": "width", "column": name, "value": "10"}
    drawn = next((name for name in names if schema[name].hierarchy is not None), None)
    return {"step": "level" if drawn else "k", "column": drawn or names[0], "value": "1" if drawn else "3"}


ROUTES: Routes = {
    ("GET", "/risk"): risk,
    ("GET", "/fragment/risk"): figures,
    ("GET", "/fragment/standing"): standing,
    ("GET", "/recoding"): recoding,
    ("GET", "/fragment/recoding"): counted,
    ("POST", "/recode"): recode,
}
