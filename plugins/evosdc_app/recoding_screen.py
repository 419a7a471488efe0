"""Recoding, top coding and suppression by hand, one step at a time: how many records are in small groups after each."""

import json
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from evosdc.files.schema.schema_file import load_schema
from evosdc.files.source import Source
from evosdc.options.written import names_text
from evosdc.table.schema import Scale
from evosdc_app.calls import error_sentences
from evosdc_app.file_screen import data_words
from evosdc_app.folder import line_of
from evosdc_app.limits import attributes_of
from evosdc_app.proposal import done
from evosdc_app.sources import is_dataset
from evosdc_app.workbench import Workbench, asked, away

STEPS = {
    "width": ("global-recoding", "numbers into intervals of this width"),
    "level": ("global-recoding", "values to this level of the hierarchy"),
    "top": ("top-coding", "numbers above this value into one category"),
    "k": ("local-suppression", "values suppressed in groups of fewer than this many records"),
}
"""What can be done, by the parameter that the form asks for."""


async def recoding(bench: Workbench, request: Request) -> Response:
    """Show the form; the counts come as soon as they are there."""
    data = asked(request, "data")
    if not data:
        return bench.no_file("risk")
    names, chosen = await to_thread.run_sync(attributes_of, bench, data)
    numeric = await to_thread.run_sync(_numbers, bench, data, chosen) if chosen else []
    first = (numeric or chosen or [""])[0]
    return bench.page(
        "recoding.html", "risk", "Recode by hand", data=data, names=[name for name, _ in names], chosen=chosen,
        kinds=STEPS, query={"step": "width", "column": first, "value": "10"},
    )  # fmt: skip


async def counted(bench: Workbench, request: Request) -> Response:
    """Show the small groups of the file before and after the step that is filled in."""
    given = {name: asked(request, name) for name in ("data", "column", "step", "value")}
    words, depends = data_words(bench, given["data"])
    chosen = (await to_thread.run_sync(attributes_of, bench, given["data"]))[1]
    known = [*chosen, *([given["column"]] if given["column"] not in chosen else [])]
    judged = ["--quasi-identifiers", names_text(known), "--models", "k-anonymity", "--json"]
    before = await bench.calls.ask(["risk", *words, *judged], *depends)
    after: dict[str, int] = {}
    faults = before.faults
    with tempfile.TemporaryDirectory(prefix=".", dir=bench.folder.root) as place:  # for its owner alone
        file = str(Path(place, _name(given["data"])))
        masked = await bench.calls.carry_out(_words(bench, given, file))
        faults = faults or (error_sentences(masked.err) if masked.status else [])
        if not faults:
            answer = await bench.calls.carry_out(["risk", file, *words[1:], *judged])
            faults = error_sentences(answer.err) if answer.status else []
            after = {} if faults else json.loads(answer.out)["k-anonymity"]["records_below"]
    command = line_of(_words(bench, given, bench.folder.free(_name(given["data"]))))
    rows = [] if faults else list(before.document["k-anonymity"]["records_below"].items())
    return bench.fragment("recoding_counts.html", before=rows, after=after, faults=faults, command=command)


async def recode(bench: Workbench, request: Request) -> Response:
    """Carry the step out: a new file beside the old one, by `evosdc mask`."""
    form = await bench.form(request)
    given = {name: form.one(name) for name in ("data", "column", "step", "value")}
    output = bench.folder.free(_name(given["data"]))
    await done(bench, _words(bench, given, output))
    return away("/file", {"data": output})


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


def _words(bench: Workbench, given: Mapping[str, str], output: str) -> list[str]:
    method = STEPS.get(given["step"], STEPS["width"])[0]
    words, _ = data_words(bench, given["data"])
    settings = [word for key, value in _params(given).items() for word in ("--set", f"{key}={value}")]
    protect = [given["column"]] if given["step"] != "k" else attributes_of(bench, given["data"])[1]
    return ["mask", method, *words, "--protect", names_text(protect), *settings, "-o", output]


def _source(bench: Workbench, data: str) -> Source:
    dataset = is_dataset(data, bench.folder)
    schema = None if dataset or not bench.folder.schema_of(data).exists() else load_schema(bench.folder.schema_of(data))
    found: Source = bench.sources.source(data, schema)
    return found


def _numbers(bench: Workbench, data: str, names: list[str]) -> list[str]:
    """Return which attributes are numbers, or ordered categories."""
    schema = _source(bench, data).table.schema
    return [name for name in names if schema[name].scale is not Scale.NOMINAL]


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/recoding"): recoding,
    ("GET", "/fragment/recoding"): counted,
    ("POST", "/recode"): recode,
}
