"""Screen 3: what the file must fulfil, how long the search may take, and what is possible at all."""

import csv
import io
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from evosdc.files.atomic import make_folder
from evosdc.files.schema.schema_reader import load_schema
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import free_folder
from evosdc.table.schema import Role
from evosdc_app.file_screen import data_words
from evosdc_app.folder import RUNS, line_of
from evosdc_app.plane import Plane, Point
from evosdc_app.sources import is_dataset
from evosdc_app.workbench import Form, Workbench, asked, away

SECONDS = 60
LIMIT_TIME = "20s"
"""What the limit may take."""

LIMITED = (("dbil", "ctbil", "ebil"), ("best-guess", "dbrl", "prl", "informed-linkage"))
"""Losses and risks that have a limit, see docs/protect.md."""


async def goal(bench: Workbench, request: Request) -> Response:
    """Show what can be asked for."""
    data = asked(request, "data")
    words, _ = data_words(bench, data)
    names, chosen = await to_thread.run_sync(attributes_of, bench, data)
    registry = default_registry()
    return bench.page(
        "goal.html", "goal", "Goal", data=data, names=names, chosen=chosen, words=words,
        executors=registry.names("executor"), intruder=informed(), seconds=SECONDS,
        command=line_of(_command(bench, Form({"data": [data], "seconds": [str(SECONDS)], "protect": chosen}))),
    )  # fmt: skip


def informed() -> tuple[str, str]:
    """Return the measure by which an informed intruder is counted, the one that knows most, and what it is."""
    registry = default_registry()
    name = registry.defaults("measure", "identity")[-1]
    return name, registry.spec("measure", name).summary


def attributes_of(bench: Workbench, data: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return names and roles of what may be masked, and the quasi-identifiers among them."""
    if is_dataset(data, bench.folder):
        schema = bench.sources.contents(data).source.table.schema
        roles = [(a.name, str(a.role)) for a in schema.attributes if a.role.published]
    else:
        file = bench.folder.schema_of(data)
        if not file.exists():
            return [], []
        said = load_schema(file).attributes
        roles = [
            (name, str(one.role or Role.OTHER)) for name, one in said.items() if (one.role or Role.OTHER).published
        ]
    return roles, [name for name, role in roles if role == Role.QUASI_IDENTIFIER]


async def command(bench: Workbench, request: Request) -> Response:
    """Show the command that a form stands for, as it is filled in."""
    form = Form()
    for name, value in request.query_params.multi_items():
        form.setdefault(name, []).append(value)
    words = await to_thread.run_sync(_command, bench, form)
    return bench.fragment("command.html", command=line_of(words))


async def limit(bench: Workbench, request: Request) -> Response:
    """Show what no file beats, and what was asked for."""
    data = asked(request, "data")
    words, depends = data_words(bench, data)
    _, chosen = await to_thread.run_sync(attributes_of, bench, data)
    protect = request.query_params.getlist("protect")
    command = ["limit", *words, *_protected(protect, chosen), "--time", LIMIT_TIME]
    answer = await bench.calls.ask([*command, "--json"], *depends)
    found = answer.document
    curve = [(float(point["il"]), float(point["dr"])) for point in found.get("curve", ())]
    wanted = _number(asked(request, "dr")) if asked(request, "dr_on") else None
    points = [Point(0.0, curve[0][1], "original", f"IL 0, DR {curve[0][1]:.1f}")] if curve else []
    least = _least_loss(curve, wanted) if wanted is not None and curve else None
    return bench.fragment(
        "limit.html", faults=answer.faults, drawing=Plane(points, curve, wanted).drawing() if curve else None,
        found=found, asked=wanted, least=least, command=line_of(command), rows=_rows(curve),
    )  # fmt: skip


def _rows(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return for some risks the loss that they cost at least."""
    return [(risk, loss) for risk in (40.0, 30.0, 20.0, 10.0, 5.0) if (loss := _least_loss(curve, risk)) is not None]


def _least_loss(curve: Sequence[tuple[float, float]], risk: float) -> float | None:
    """Return the least loss at which the curve is at or below a risk; None where it never is."""
    before: tuple[float, float] | None = None
    for il, dr in sorted(curve):
        if dr <= risk:
            if before is None or before[1] <= dr:
                return il
            return before[0] + (before[1] - risk) / (before[1] - dr) * (il - before[0])
        before = (il, dr)
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _protected(protect: Iterable[str], chosen: Iterable[str]) -> list[str]:
    named = list(dict.fromkeys(protect))
    if not named or set(named) == set(chosen):
        return []
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(named)
    return ["--protect", line.getvalue()]


def requirements(form: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what a form asks for, as `--require` takes it."""
    given = Form({name: list(values) for name, values in form.items()})
    wanted = [f"k-anonymity >= {given.one('k')}"] if given.one("k_on") else []
    wanted += [f"{informed()[0]} <= {given.one('linked')}"] if given.one("linked_on") else []
    wanted += [f"dr <= {given.one('dr')}"] if given.one("dr_on") else []
    wanted += ["publishable on conditions"] if given.one("publishable") else []
    return wanted + [line.strip() for line in given.one("more").splitlines() if line.strip()]


def _command(bench: Workbench, form: Form, run: str = "") -> list[str]:
    """Return the command of a form; without a folder of the run, the one that is free now."""
    data = form.one("data")
    words, _ = data_words(bench, data)
    _, chosen = attributes_of(bench, data)
    found = ["protect", *words, *_protected(form.get("protect", []), chosen)]
    for requirement in requirements(form):
        found += ["--require", requirement]
    if form.one("limited"):
        found += ["--il", ",".join(LIMITED[0]), "--dr", ",".join(LIMITED[1])]
    if not form.one("unhurried"):
        found += ["--time", f"{form.one('seconds', str(SECONDS))}s"]
    if form.one("unhurried") and form.one("generations"):
        found += ["--generations", form.one("generations")]
    found += ["--no-tune"] if form.one("untuned") else []
    for flag in ("shuffle", "explainable", "neutralise-formulas"):
        found += [f"--{flag}"] if form.one(flag) else []
    found += ["--no-second-opinion"] if form.one("unjudged") else []
    if form.one("seed", "1") != "1":
        found += ["--seed", form.one("seed")]
    if form.one("executor", "processes") != "processes":
        found += ["--executor", form.one("executor")]
    if form.one("workers"):
        found += ["--workers", form.one("workers")]
    return [*found, "-o", run or f"{RUNS}/{_free(bench, data).name}"]


def _free(bench: Workbench, data: str) -> Any:
    return free_folder(bench.folder.root / RUNS, data.rpartition("/")[2].partition(".")[0] or "run")


async def begin(bench: Workbench, request: Request) -> Response:
    """Begin a search."""
    form = await bench.form(request)
    run = _free(bench, form.one("data"))
    make_folder(run)  # from now on the name is taken
    words = await to_thread.run_sync(_command, bench, form, bench.folder.name(run))
    bench.jobs.begin(words, run)
    return away("/search", {"data": form.one("data"), "run": run.name})


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/goal"): goal,
    ("GET", "/fragment/command"): command,
    ("GET", "/fragment/limit"): limit,
    ("POST", "/begin"): begin,
}
