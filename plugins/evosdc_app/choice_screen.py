"""Screen 5: look at files of the front, compare them, and choose one."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from evosdc.engine.checkpoint import SO_FAR
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import FOR_USERS, RECIPE, REPORT, RESOLVED, RESULT
from evosdc.runs.status import RUNNING, read_run_status
from evosdc_app.calls import RefusedError
from evosdc_app.export_screen import GOES_ON, OPTIONS, export_words, exports_of, proposed
from evosdc_app.folder import RUNS, line_of, told
from evosdc_app.front import OWN, Front, read_front
from evosdc_app.plane import ZOOMS, Plane, Point, window_of
from evosdc_app.search_screen import map_of
from evosdc_app.workbench import Form, Workbench, asked, link

FIRST = ("il", "dr")
ZOOM_WORDS = (
    ("", "whole map"),
    ("front", "the front"),
    *((zoom, f"{zoom} times at the chosen file") for zoom in ZOOMS),
)


async def choose(bench: Workbench, request: Request) -> Response:
    """Show the front of a run, to point at a file of it."""
    data, name = asked(request, "data"), asked(request, "run")
    if not name:
        runs = [run for run in bench.folder.runs(data or None) if read_run_status(run).phase != RUNNING]
        if not runs:
            return bench.page("choose_none.html", "choose", "Choose", data=data)
        name = runs[0].name
    run = bench.folder.run(name)
    return await shown(bench, data, run, asked(request, "member", OWN), asked(request, "other"), asked(request, "zoom"))


async def shown(
    bench: Workbench,
    data: str,
    run: Path,
    member: str,
    other: str,
    zoom: str = "",
    form: Form | None = None,
    faults: Sequence[str] = (),
) -> Response:
    """Return the page of a front; with a form, what was typed into it and what is wrong with it."""
    data = data or bench.folder.data_of(run)
    front = await to_thread.run_sync(read_front, run)
    if not front.members:
        if faults:
            raise RefusedError(faults)
        return bench.page("choose_none.html", "choose", "Choose", data=data)
    first = OWN if front.scores else "0"
    member, other = front.known(member, first), front.known(other, "")
    # The own file has one name, whether or not it is a member.
    member, other = (OWN if front.scores and at == str(front.own) else at for at in (member, other))
    marks, curve = await to_thread.run_sync(_marks, run, front, data, member, other, zoom)
    scores = front.members[0]["scores"]
    names = [*FIRST, *(key for key in scores if key not in (*FIRST, "infeasibility"))]
    output = form.one("output") if form is not None else proposed(bench, data, run, member)
    given = form if form is not None else _as_the_run(run)
    rows = [(OWN, front.scores)] if front.scores and front.own is None else []
    rows += [(str(entry["member"]), entry["scores"]) for entry in front.members]
    exports = exports_of(bench, run)
    judged = run.with_name(f"{run.name}-file-{member}")  # made when it was exported before
    verdict = told(judged / RESULT).get("verdict") if (judged / REPORT).exists() else None
    names_of_own = (OWN, str(front.own)) if member == OWN else (member,)
    return bench.page(
        "choose.html", "choose", "Choose", 400 if faults else 200, data=data, run=run.name, front=front, own=OWN,
        drawing=Plane(marks, curve, window=window_of(marks, zoom)).drawing(), zoom=zoom, zooms=ZOOM_WORDS,
        member=member, other=other, rows=rows, shown=[member, *([other] if other and other != member else [])],
        names=names, meanings=meanings(names), output=output, faults=list(faults), goes_on=GOES_ON,
        ticked=[name for name in OPTIONS if given.get(name)], command=line_of(export_words(run, member, output, given)),
        recipe=_recipe(run), exports=exports, judged=judged.name if verdict else "",
        verdict=verdict, before=[one for one in exports if str(one["member"]) in names_of_own],
        has={"report": (run / REPORT).exists(), "users": (run / FOR_USERS).exists()},
    )  # fmt: skip


def _marks(
    run: Path, front: Front, data: str, member: str, other: str, zoom: str
) -> tuple[list[Point], list[tuple[float, float]]]:
    points, curve = map_of(run)
    marks = [point for point in points if point.kind in ("original", "classical")]
    listed = [(str(entry["member"]), entry["scores"]) for entry in front.members]
    if front.scores and front.own is None:
        listed.append((OWN, front.scores))
    for at, scores in listed:
        # The own file stands where the member does that it is.
        own = at == OWN or at == str(front.own)
        named = OWN if own else at
        kind = "chosen" if member in (at, named) else "other" if other in (at, named) else "best" if own else "front"
        if all(key in scores for key in FIRST):
            label = f"{'best file' if own else f'file {at}'}: IL {scores['il']:.2f}, DR {scores['dr']:.2f}"
            address = link("/choose", data=data, run=run.name, member=named, other=other, zoom=zoom)
            marks.append(Point(scores["il"], scores["dr"], kind, label, address))
    return marks, curve


def meanings(names: Sequence[str]) -> dict[str, str]:
    """Return what scores mean."""
    registry = default_registry()
    fixed = {
        "il": "Information loss: 0, as useful as the original; 100, nothing useful is left.",
        "dr": "Disclosure risk: 0, intruders learn nothing; 100, they find every respondent.",
    }
    known = registry.names("measure")
    return fixed | {name: registry.spec("measure", name).summary for name in names if name in known}


def _as_the_run(run: Path) -> Form:
    """Return what is ticked at first: where a run kept the order of records, its verdict is about that order."""
    kept = (told(run / RESOLVED).get("data") or {}).get("shuffle") is False
    return Form({"keep-order": ["1"]} if kept else {})


def _recipe(run: Path) -> str:
    try:
        return (run / RECIPE).read_text(encoding="utf-8")
    except OSError:
        return ""


async def member(bench: Workbench, request: Request) -> Response:
    """Show what is to be known of a file."""
    run, at = bench.folder.run(asked(request, "run")), asked(request, "member", OWN)
    judge = bool(asked(request, "judge"))
    words = ["member", f"{RUNS}/{run.name}", at if at == OWN or at.isdecimal() else "0"]
    words += ["--judge"] if judge else []
    depends = [run / RESULT, run / SO_FAR, *sorted(run.glob("checkpoint-*.npz"))[-1:]]
    answer = await bench.calls.ask([*words, "--json"], *depends)
    found = answer.document
    if judge:
        return bench.fragment("opinion.html", faults=answer.faults, opinion=found.get("second_opinion"), at=at)
    return bench.fragment(
        "member.html", faults=answer.faults, found=found, at=at, run=run.name, command=line_of(words),
        **(_sections(found) if found else {}),
    )  # fmt: skip


def _sections(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a member as reports show them."""
    import pandas as pd

    from evosdc.report import release
    from evosdc.runs.reader import RecordedRun

    empty = RecordedRun(Path(), "", {}, {}, {}, {}, (), 0, pd.DataFrame(), {})
    run = replace(empty, release=found)
    return {
        "tables": release.cross_tables(run),
        "analyses": release.analyses(run),
        "risky": release.records_at_risk(run),
        "reach": found.get("records"),
        "scores": found["scores"],
        "meanings": meanings(list(found["scores"])),
    }


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/choose"): choose,
    ("GET", "/fragment/member"): member,
}
