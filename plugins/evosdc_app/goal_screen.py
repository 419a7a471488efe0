"""Screen 3: requirements of the file, time of the search, and the limits of both."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, prod
from pathlib import Path
from typing import Any, NamedTuple

from anyio import to_thread
from starlette.responses import Response

from evosdc.files.atomic import make_folder
from evosdc.files.schema.schema_file import load_schema
from evosdc.model.constraint import AUDIENCES
from evosdc.options.model import FLAG, Described, described
from evosdc.options.search import ProtectOptions
from evosdc.options.written import names_text
from evosdc.plugins.registry import default_registry
from evosdc.printing import printable
from evosdc.runs.layout import RESOLVED, free_folder, object_if_readable
from evosdc.table.schema import Role, Scale
from evosdc_app.calls import Answer
from evosdc_app.file_screen import data_words
from evosdc_app.folder import RUNS, line_of
from evosdc_app.plane import drawing, points_of
from evosdc_app.sources import is_dataset
from evosdc_app.workbench import Form, Routes, Workbench, away, link

QUICK, WHOLE = "2s", "20s"  # what the limit may take: at first, and then for a better one

# losses and risks that have a limit, see docs/protect.md
LIMITED = (("dbil", "ctbil", "ebil"), ("best-guess", "dbrl", "prl", "informed-linkage"))
MOST_PAIRS = 100_000  # pairs of categories of two columns up to which the limit is computed at once
TUNED_IN = "5s"  # what the methods may be tuned for

SECONDS = 60

PATIENCE = 60.0  # seconds in which a search may be refused that was just begun, before its page is shown all the same

SETTINGS = ("tune", "explainable", "truthful", "second_opinion", "neutralise_formulas", "shuffle", "seed",
            "executor", "workers")  # fmt: skip
"""Options of the command that the form takes as they are."""

# what stands in the form at first; without a seed the search draws from a fresh secret key
_FIRST = {"audience": "public", "seconds": str(SECONDS), "k": "3", "linked": "5", "dr": "20", "executor": "processes"}


async def goal(bench: Workbench, form: Form) -> Response:
    """Show the requirements that can be set."""
    data = form.one("data")
    return await _shown(bench, data) if data else bench.no_file("goal")


async def _shown(bench: Workbench, data: str, typed: Form | None = None, faults: Sequence[str] = ()) -> Response:
    """Return the page; after a refused form, its input and the reason."""
    words, _ = data_words(bench, data)
    names, chosen = await to_thread.run_sync(attributes_of, bench, data)
    registry = default_registry()
    first = {name: [value] for name, value in _FIRST.items()}
    given = Form(first | (typed if typed is not None else {"data": [data], "protect": chosen}))
    wanted = {key: given.one(key) for key in ("dr_on", "dr", "limited") if given.one("dr_on")}
    return bench.page(
        "goal.html", "goal", "Goal", 400 if faults else 200, data=data, names=names, given=given, words=words,
        executors=registry.names("executor"), settings=settings(), intruder=informed(), faults=list(faults),
        audiences=AUDIENCES, wanted=wanted | ({"protect": given.get("protect", [])} if typed is not None else {}),
        command=line_of(_command(bench, given)),
    )  # fmt: skip


def informed() -> tuple[str, str]:
    """Return the measure of what an informed intruder finds, as verdicts count him, whichever way he looks."""
    registry = default_registry()
    name = registry.defaults("measure", "intruder")[-1]
    return name, registry.spec("measure", name).summary


async def command(bench: Workbench, form: Form) -> Response:
    """Show the command that a form stands for, as it is filled in."""
    words = await to_thread.run_sync(_command, bench, form)
    return bench.fragment("command.html", command=line_of(words))


async def refused(bench: Workbench, form: Form) -> Response:
    """Show why `evosdc protect` would refuse to begin; nothing where it would not."""
    words = await to_thread.run_sync(_command, bench, form, "any")
    _, depends = data_words(bench, form.one("data"))
    answer = await bench.calls.ask([*words[:-2], "--check"], *depends)
    return bench.fragment("faults.html", faults=answer.faults)


def requirements(form: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the requirements of a form, as `--require` takes it."""
    given = Form({name: list(values) for name, values in form.items()})
    wanted = [f"k-anonymity >= {given.one('k')}"] if given.one("k_on") else []
    wanted += [f"{informed()[0]} <= {given.one('linked')}"] if given.one("linked_on") else []
    wanted += [f"dr <= {given.one('dr')}"] if given.one("dr_on") else []
    wanted += ["publishable on conditions"] if given.one("publishable") else []
    return wanted + [line.strip() for line in given.one("more").splitlines() if line.strip()]


class Setting(NamedTuple):
    """An option of ``evosdc protect`` as a field of the form; a box is ticked for what is not done by default."""

    field: str
    option: Described

    @property
    def box(self) -> bool:
        """Whether it is a box to tick."""
        return self.option.kind == FLAG

    @property
    def text(self) -> str:
        """What a tick or a value does."""
        return f"Turn off: {self.option.text}" if self.box and self.option.default is True else self.option.text


def settings() -> list[Setting]:
    """Return the other options of the form, with the texts of the command."""
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
    if (audience := form.one("audience")) and audience != _FIRST["audience"]:
        found += ["--audience", audience]
    for one in settings():
        given = form.one(one.field)
        if given and given != _FIRST.get(one.field):
            found += [f"--{one.field}"] if one.box else [f"--{one.field}", given]
    return [*found, "-o", run or f"{RUNS}/{_free(bench, data).name}"]


def _free(bench: Workbench, data: str) -> Any:
    return free_folder(bench.folder.root / RUNS, data.rpartition("/")[2].partition(".")[0] or "run")


async def begin(bench: Workbench, form: Form) -> Response:
    """Begin a search."""
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


async def limit(bench: Workbench, form: Form) -> Response:
    """Show the limit that no file beats, and the required risk."""
    data = form.one("data")
    protect = form.get("protect", [])
    quick = not form.one("whole")
    numbers, others = await to_thread.run_sync(by_scale, bench, data, protect)
    # Numbers have no limit. Of the others by themselves it holds all the same: they are a file, too, and masked.
    kept = others if numbers and others else protect
    command, depends = await to_thread.run_sync(limit_words, bench, data, kept, QUICK if quick else WHOLE)
    slow = await to_thread.run_sync(_takes_long, bench, data, others)
    answer = Answer(tuple(command), 0, "{}", "") if slow else await bench.calls.ask([*command, "--json"], *depends)
    found = answer.document
    curve = [(float(point["il"]), float(point["dr"])) for point in found.get("curve", ())]
    # A wish is compared with the limit where the search is by measures that have one: else the two are not alike.
    limited = bool(form.one("limited"))
    wish = wish_of(form)
    wanted = wish if limited and not numbers else None
    least = _least_loss(curve, wanted) if wanted is not None and curve else None
    without = any("numeric" in text for text in answer.faults)  # no fault: such columns have no limit
    more = link("/fragment/reached", **form) if numbers and not limited and quick else ""
    return bench.fragment(
        "limit.html", faults=[] if without else answer.faults,
        lacking=[slow] if slow else answer.faults if without else [],
        apart=wish is not None and not limited and not numbers, numbers=numbers, more=more,
        others=others if numbers else [], drawing=drawing((), curve, wanted) if curve else None,
        found=found, wanted=wanted, least=least, command=line_of(command), rows=_rows(curve),
        better=link("/fragment/limit", **form, whole=1) if quick and curve else "",
    )  # fmt: skip


def by_scale(bench: Workbench, data: str, protect: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return which of the attributes that are masked are numbers, and which are not."""
    dataset = is_dataset(data, bench.folder)
    _, chosen = attributes_of(bench, data)
    names = list(dict.fromkeys(protect)) or chosen
    said = None if dataset or not bench.folder.schema_of(data).exists() else load_schema(bench.folder.schema_of(data))
    scales = {name: one.scale for name, one in said.attributes.items()} if said is not None else {}
    if any(scales.get(name) is None for name in names):  # as found: the file has to be read
        found = bench.sources.source(data, said).table.schema
        scales = {attribute.name: attribute.scale for attribute in found.attributes}
    numbers = [name for name in names if scales.get(name) is Scale.NUMERIC]
    return numbers, [name for name in names if name not in numbers]


def _takes_long(bench: Workbench, data: str, names: Sequence[str]) -> str:
    """Return why no limit is computed while a user waits; empty where it is."""
    file = None if is_dataset(data, bench.folder) else bench.folder.schema_of(data)
    schema = bench.sources.source(data, load_schema(file) if file is not None and file.exists() else None).table.schema
    largest = sorted(names, key=lambda name: len(schema[name].categories), reverse=True)[:2]
    pairs = prod(len(schema[name].categories) for name in largest)
    if pairs <= MOST_PAIRS:
        return ""
    return f"It would take long: {' and '.join(map(printable, largest))} have {pairs:,} pairs of categories."


def wish_of(form: Form) -> float | None:
    """Return the greatest risk that is accepted; None where none is set."""
    return _number(form.one("dr")) if form.one("dr_on") else None


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
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def protected_words(protect: Iterable[str], chosen: Iterable[str]) -> list[str]:
    """Return the arguments that name the masked attributes; none where they are the default."""
    named = list(dict.fromkeys(protect))
    if not named or set(named) == set(chosen):
        return []
    return ["--protect", names_text(named)]


def limit_words(bench: Workbench, data: str, protect: Sequence[str], time: str) -> tuple[list[str], list[Path]]:
    """Return the command that tells a limit, and the files that it depends on."""
    words, depends = data_words(bench, data)
    _, chosen = attributes_of(bench, data)
    return ["limit", *words, *protected_words(protect, chosen), "--time", time], depends


class RunLimits:
    """The limits of runs by measures that have one, computed while they search."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._curves: dict[str, list[tuple[float, float]]] = {}

    def known(self, run: Path) -> list[tuple[float, float]]:
        """Return the limit of a run as far as it is known."""
        return self._curves.get(run.name, [])

    def ask(self, run: Path) -> None:
        """Have the limit of a run computed, once."""
        if run.name in self._tasks:
            return
        resolved = object_if_readable(run / RESOLVED)
        if not resolved:
            return  # it has not begun
        self._tasks[run.name] = asyncio.create_task(self._ask(run, resolved))

    async def _ask(self, run: Path, resolved: dict[str, Any]) -> None:
        source = resolved.get("data") or {}
        measures = resolved.get("measures") or {}
        il, dr = ({str(one.get("name")) for one in measures.get(key) or []} for key in ("il", "dr"))
        if il != set(LIMITED[0]) or "best-guess" not in dr or not dr <= set(LIMITED[1]):
            return  # other measures have no limit
        data, protect = self.bench.folder.data_of(run), source.get("protect") or []
        for time in (QUICK, WHOLE):
            words, depends = await to_thread.run_sync(limit_words, self.bench, data, protect, time)
            answer = await self.bench.calls.ask([*words, "--json"], *depends)
            curve = [(float(point["il"]), float(point["dr"])) for point in answer.document.get("curve", ())]
            self._curves[run.name] = curve or self.known(run)


async def reached(bench: Workbench, form: Form) -> Response:
    """Show what `evosdc tune` finds at once, judged as the search judges, and the requirements."""
    data = form.one("data")
    words, depends = await to_thread.run_sync(data_words, bench, data)
    _, chosen = await to_thread.run_sync(attributes_of, bench, data)
    command = ["tune", *words, *protected_words(form.get("protect", []), chosen), "--time", TUNED_IN]
    answer = await bench.calls.ask([*command, "--json"], *depends)
    found: list[dict[str, Any]] = answer.document.get("methods") or []
    points = points_of(found, "classical")
    wish = wish_of(form)
    within = [point for point in points if wish is not None and point.dr <= wish]
    return bench.fragment(
        "reached.html", faults=answer.faults, command=line_of(command), wish=wish,
        drawing=drawing(points, (), wish) if points else None,
        least=min(within, key=lambda point: point.il) if within else None,
    )  # fmt: skip


ROUTES: Routes = {
    ("GET", "/goal"): goal,
    ("GET", "/fragment/command"): command,
    ("GET", "/fragment/refused"): refused,
    ("GET", "/fragment/limit"): limit,
    ("GET", "/fragment/reached"): reached,
    ("POST", "/begin"): begin,
}
