"""What no file beats: the limit beside a goal, and on the map of a search by measures that have one."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from evosdc.files.schema.schema_file import load_schema
from evosdc.options.written import names_text
from evosdc.runs.layout import RESOLVED
from evosdc.table.schema import Role, Scale
from evosdc_app.file_screen import data_words
from evosdc_app.folder import line_of, told
from evosdc_app.plane import Plane
from evosdc_app.sources import is_dataset
from evosdc_app.workbench import Workbench, asked

QUICK, WHOLE = "2s", "20s"
"""What the limit may take: at first, and then for a better one."""

LIMITED = (("dbil", "ctbil", "ebil"), ("best-guess", "dbrl", "prl", "informed-linkage"))
"""Losses and risks that have a limit, see docs/protect.md."""


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


async def limit(bench: Workbench, request: Request) -> Response:
    """Show what no file beats, and what was asked for."""
    data = asked(request, "data")
    protect = request.query_params.getlist("protect")
    quick = not asked(request, "whole")
    numbers, others = await to_thread.run_sync(by_scale, bench, data, protect)
    # Numbers have no limit. Of the others by themselves it holds all the same: they are a file, too, and masked.
    kept = others if numbers and others else protect
    command, depends = await to_thread.run_sync(limit_words, bench, data, kept, QUICK if quick else WHOLE)
    answer = await bench.calls.ask([*command, "--json"], *depends)
    found = answer.document
    curve = [(float(point["il"]), float(point["dr"])) for point in found.get("curve", ())]
    # A wish is compared with the limit where the search is by measures that have one: else the two are not alike.
    limited = bool(asked(request, "limited"))
    wish = wish_of(request)
    wanted = wish if limited and not numbers else None
    least = _least_loss(curve, wanted) if wanted is not None and curve else None
    lacking = any("numeric" in text for text in answer.faults)  # no fault: such columns have no limit
    more = f"/fragment/reached?{request.url.query}" if numbers and not limited and quick else ""
    return bench.fragment(
        "limit.html", faults=[] if lacking else answer.faults, lacking=answer.faults if lacking else [],
        apart=wish is not None and not limited and not numbers, numbers=numbers, more=more,
        others=others if numbers else [], drawing=Plane((), curve, wanted).drawing() if curve else None,
        found=found, asked=wanted, least=least, command=line_of(command), rows=_rows(curve),
        better=f"/fragment/limit?{request.url.query}&whole=1" if quick and curve else "",
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


def wish_of(request: Request) -> float | None:
    """Return the greatest risk that is asked for; None where none is."""
    return _number(asked(request, "dr")) if asked(request, "dr_on") else None


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
    """Return how a command is told which attributes are masked; nothing where they are those that it takes itself."""
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
    """The limits of runs by measures that have one, asked for while they search.

    Parameters
    ----------
    bench : Workbench
    """

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
        resolved = told(run / RESOLVED)
        if not resolved:
            return  # it has not begun
        self._tasks[run.name] = asyncio.create_task(self._ask(run, resolved))

    async def _ask(self, run: Path, resolved: dict[str, Any]) -> None:
        source = resolved.get("data") or {}
        if not has_limit(resolved.get("measures") or {}):
            return
        data, protect = self.bench.folder.data_of(run), source.get("protect") or []
        for time in (QUICK, WHOLE):
            words, depends = await to_thread.run_sync(limit_words, self.bench, data, protect, time)
            answer = await self.bench.calls.ask([*words, "--json"], *depends)
            curve = [(float(point["il"]), float(point["dr"])) for point in answer.document.get("curve", ())]
            self._curves[run.name] = curve or self.known(run)


def has_limit(measures: dict[str, Any]) -> bool:
    """Whether measures are those that the command tells the limit of."""
    il, dr = ({str(one.get("name")) for one in measures.get(key) or []} for key in ("il", "dr"))
    return il == set(LIMITED[0]) and "best-guess" in dr and dr <= set(LIMITED[1])


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {("GET", "/fragment/limit"): limit}
