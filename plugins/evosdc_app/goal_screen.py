"""Screen 3: what the file must fulfil, how long the search may take, and what is possible at all."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from evosdc.files.atomic import make_folder
from evosdc.options.model import FLAG, Described, described
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import RESOLVED, free_folder
from evosdc_app.file_screen import data_words
from evosdc_app.folder import RUNS, line_of
from evosdc_app.limits import LIMITED, attributes_of, protected_words
from evosdc_app.workbench import Form, Workbench, asked, away

SECONDS = 60

PATIENCE = 60.0
"""Seconds in which a search may be refused that was just begun, before its page is shown all the same."""

SETTINGS = ("audience", "tune", "explainable", "truthful", "second_opinion", "neutralise_formulas", "shuffle", "seed",
            "executor", "workers")  # fmt: skip
"""Options of the command that the form takes as they are."""

_FIRST = {"seconds": str(SECONDS), "k": "3", "linked": "5", "dr": "20", "executor": "processes"}
"""What stands in the form at first; without a seed the search draws from a fresh secret key."""


async def goal(bench: Workbench, request: Request) -> Response:
    """Show what can be asked for."""
    data = asked(request, "data")
    return await _shown(bench, data) if data else bench.no_file("goal")


async def _shown(bench: Workbench, data: str, typed: Form | None = None, faults: Sequence[str] = ()) -> Response:
    """Return the page; with a form that was refused, what was typed into it and why."""
    words, _ = data_words(bench, data)
    names, chosen = await to_thread.run_sync(attributes_of, bench, data)
    registry = default_registry()
    first = {name: [value] for name, value in _FIRST.items()}
    given = Form(first | (typed if typed is not None else {"data": [data], "protect": chosen}))
    wanted = {key: given.one(key) for key in ("dr_on", "dr", "limited") if given.one("dr_on")}
    return bench.page(
        "goal.html", "goal", "Goal", 400 if faults else 200, data=data, names=names, given=given, words=words,
        executors=registry.names("executor"), settings=settings(), intruder=informed(), faults=list(faults),
        wanted=wanted | ({"protect": given.get("protect", [])} if typed is not None else {}),
        command=line_of(_command(bench, given)),
    )  # fmt: skip


def informed() -> tuple[str, str]:
    """Return the measure of what an informed intruder finds, as verdicts count him, whichever way he looks."""
    registry = default_registry()
    name = registry.defaults("measure", "intruder")[-1]
    return name, registry.spec("measure", name).summary


async def command(bench: Workbench, request: Request) -> Response:
    """Show the command that a form stands for, as it is filled in."""
    form = Form()
    for name, value in request.query_params.multi_items():
        form.setdefault(name, []).append(value)
    words = await to_thread.run_sync(_command, bench, form)
    return bench.fragment("command.html", command=line_of(words))


async def refused(bench: Workbench, request: Request) -> Response:
    """Show why `evosdc protect` would refuse to begin; nothing where it would not."""
    form = Form()
    for name, value in request.query_params.multi_items():
        form.setdefault(name, []).append(value)
    words = await to_thread.run_sync(_command, bench, form, "any")
    _, depends = data_words(bench, form.one("data"))
    answer = await bench.calls.ask([*words[:-2], "--check"], *depends)
    return bench.fragment("refused.html", faults=answer.faults)


def requirements(form: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what a form asks for, as `--require` takes it."""
    given = Form({name: list(values) for name, values in form.items()})
    wanted = [f"k-anonymity >= {given.one('k')}"] if given.one("k_on") else []
    wanted += [f"{informed()[0]} <= {given.one('linked')}"] if given.one("linked_on") else []
    wanted += [f"dr <= {given.one('dr')}"] if given.one("dr_on") else []
    wanted += ["publishable on conditions"] if given.one("publishable") else []
    return wanted + [line.strip() for line in given.one("more").splitlines() if line.strip()]


@dataclass(frozen=True)
class Setting:
    """An option of ``evosdc protect`` as a field of the form; a box is ticked for what is not done by default."""

    field: str
    option: Described

    @property
    def box(self) -> bool:
        """Whether it is a box to tick."""
        return self.option.kind == FLAG


def settings() -> list[Setting]:
    """Return the options that the form offers besides the goal, with the texts of the command."""
    found = []
    for one in described(ProtectOptions):
        if one.name in SETTINGS:
            on, _, off = one.flags[-1].partition("/")
            found.append(Setting((off if one.default is True else on).removeprefix("--"), one))
    return found


def _command(bench: Workbench, form: Form, run: str = "") -> list[str]:
    """Return the command of a form; without a folder of the run, the one that is free now."""
    data = form.one("data")
    words, _ = data_words(bench, data)
    _, chosen = attributes_of(bench, data)
    found = ["protect", *words, *protected_words(form.get("protect", []), chosen)]
    for requirement in requirements(form):
        found += ["--require", requirement]
    if form.one("limited"):
        found += ["--il", ",".join(LIMITED[0]), "--dr", ",".join(LIMITED[1])]
    if not form.one("unhurried"):
        found += ["--time", f"{form.one('seconds', str(SECONDS))}s"]
    if form.one("unhurried") and form.one("generations"):
        found += ["--generations", form.one("generations")]
    for one in settings():
        given = form.one(one.field)
        if given and given != _FIRST.get(one.field):
            found += [f"--{one.field}"] if one.box else [f"--{one.field}", given]
    return [*found, "-o", run or f"{RUNS}/{_free(bench, data).name}"]


def _free(bench: Workbench, data: str) -> Any:
    return free_folder(bench.folder.root / RUNS, data.rpartition("/")[2].partition(".")[0] or "run")


async def begin(bench: Workbench, request: Request) -> Response:
    """Begin a search."""
    form = await bench.form(request)
    run = _free(bench, form.one("data"))
    make_folder(run)  # from now on the name is taken
    try:
        words = await to_thread.run_sync(_command, bench, form, bench.folder.name(run))
    except BaseException:
        run.rmdir()  # nothing was begun
        raise
    bench.jobs.begin(words, run)
    refused = await _refusal(bench, run)
    if refused:
        return await _shown(bench, form.one("data"), form, refused)
    return away("/search", {"data": form.one("data"), "run": run.name})


async def _refusal(bench: Workbench, run: Path) -> list[str]:
    """Return the sentences in which a command refused a search that was just begun; nothing where it goes on."""
    for _ in range(int(PATIENCE / 0.1)):
        if (run / RESOLVED).exists():
            return []
        if not bench.jobs.active(run):
            faults = bench.jobs.faults(run)
            if faults:
                bench.jobs.forget(run)
            return faults
        await asyncio.sleep(0.1)
    return []


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/goal"): goal,
    ("GET", "/fragment/command"): command,
    ("GET", "/fragment/refused"): refused,
    ("POST", "/begin"): begin,
}
