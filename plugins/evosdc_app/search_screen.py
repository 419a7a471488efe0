"""Screen 4: progress of searches, from their folders alone."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from evosdc.printing import printable
from evosdc.runs.layout import LOCK, PORTFOLIO, RESOLVED, object_if_readable, read_json
from evosdc.runs.lock import read_owner
from evosdc.runs.result import Result, Verdict, bounds_of
from evosdc.runs.status import FAILED, FINISHED, RUNNING, WAITING, RunStatus, read_run_status
from evosdc_app.folder import RUNS
from evosdc_app.plane import Point, drawing, points_of, window_of
from evosdc_app.workbench import Form, Routes, Workbench, away, link

LOOK = 0.7  # seconds between two looks at the folders
SILENT = 15.0  # seconds after which a line goes to a browser though nothing changed: so one that is gone is noticed

MOST_SHOWN = 12

# what the words of a status mean
MEANINGS = {
    "best": "The best file so far by the goal of the search. IL, information loss: 0, as useful as the original; 100, "
    "nothing useful is left. DR, disclosure risk: 0, intruders learn nothing; 100, they find every respondent.",
    "front": "Files of which none is better than another in both information loss and disclosure risk.",
    "generation": "A round of the search: files are changed and recombined, judged, and the best are kept.",
    "evaluations": "Files that were masked and judged.",
    "failed": "Files that could not be judged; they count as the worst.",
    "time left": "Until the first limit of the search that can be foreseen; it may end earlier.",
}


async def search(bench: Workbench, form: Form) -> Response:
    """Show the searches on a file side by side, or all."""
    data, chosen = form.one("data"), form.one("run")
    runs = await to_thread.run_sync(_shown, bench, data, chosen)
    zoom = form.one("zoom")
    views = [await to_thread.run_sync(view, bench, run, zoom) for run in runs]
    views = [one | {"data": one["data"] or data} for one in views]  # one that just began does not tell yet
    return bench.page(
        "search.html", "search", "Search", data=data, run=chosen, views=views,
        live=link("/events", run=[run.name for run in runs], zoom=zoom) if runs else "", zoom=zoom,
    )  # fmt: skip


def _shown(bench: Workbench, data: str, chosen: str) -> list[Path]:
    runs = bench.folder.runs(data or None)[:MOST_SHOWN]
    if chosen:
        path = bench.folder.run_place(chosen)
        if not path.is_dir() and not bench.jobs.faults(path):
            raise HTTPException(404, f"There is no search {printable(chosen)} in this folder.")
        runs = [path, *(run for run in runs if run != path)]
    return runs


def view(bench: Workbench, run: Path, zoom: str = "") -> dict[str, Any]:
    """Return the displayed state of a run."""
    bench.jobs.reap()  # else one that was killed would seem to live
    status = read_run_status(run)
    faults = bench.jobs.faults(run)
    phase = status.phase
    if bench.jobs.active(run) and phase == WAITING:
        phase = RUNNING
    elif faults and not (run / RESOLVED).exists():  # else what could not go on is as it was
        phase = FAILED
    if phase in (RUNNING, FINISHED):
        faults = []  # what was refused before is over
    points, curve = map_of(run)
    curve = curve or bench.limits.known(run)
    known = Result.known(run) if phase not in (RUNNING, WAITING) else None
    result = known or Result()
    ahead = status.left
    done = None
    if phase == RUNNING and ahead is not None and status.seconds + ahead > 0:
        done = round(100 * status.seconds / (status.seconds + ahead))
    return {
        "name": run.name,
        "data": bench.folder.data_of(run),
        "phase": phase,
        "colour": colour_of(phase, known.verdict if known is not None else None),
        "faults": list(map(bench.folder.without_root, faults)),
        "status": status,
        "words": _words(status, phase),
        "done": 100 if phase == FINISHED else done,
        "drawing": drawing(points, curve, bound_of(run), window_of(points, zoom)) if points or curve else None,
        "reason": _reason(status) or ("reading the file" if phase == RUNNING and not (run / RESOLVED).exists() else ""),
        "meanings": MEANINGS,
        "missed": [f"{one.requirement}: it is {one.value:g}" for one in result.requirements if not one.met],
        "warnings": result.warnings,
        "headline": known.verdict.headline if known is not None else "",
        "provided": result.verdict.provided,
        "going": phase == RUNNING,
        "resumable": phase not in (RUNNING, WAITING, FINISHED) and (run / RESOLVED).exists(),
        "choosable": any(point.kind == "front" for point in points),
        "report": (run / "report.html").exists(),
    }


def colour_of(phase: str, verdict: Verdict | None) -> str:
    """Return the classes of a run's colour: how its search is, and once that has ended what its verdict is."""
    if phase != FINISHED or verdict is None:
        return phase
    if verdict.publishable is False:
        return f"{phase} refused"
    return phase if verdict.publishable and not verdict.conditions else f"{phase} conditional"


def standing_of(run: Path) -> tuple[str, str]:
    """Return how a run is in words, its verdict too, and the colour of that."""
    phase, result = read_run_status(run).phase, Result.known(run)
    verdict = result.verdict if result is not None and phase == FINISHED else None
    return f"{phase}, {verdict.headline}" if verdict is not None else phase, colour_of(phase, verdict)


def _words(status: RunStatus, phase: str) -> list[tuple[str, str]]:
    """Return the status as `evosdc status` says it."""
    from evosdc.cli.status import rows

    # The last sign of life grows older by itself, and tells something only of a run that lives.
    left_out = ["title", "folder", "process", "state", "report"]
    left_out += [] if phase == RUNNING else ["last sign"]
    left_out += [] if status.evaluations else ["generation", "evaluations"]  # there is no search yet to count
    return [(name, text) for name, text in rows(status) if name not in left_out]


def _reason(status: RunStatus) -> str:
    """Return the last message of a run, such as why it ended."""
    from evosdc.cli.status import state_in_words

    return state_in_words(status).removeprefix(status.phase).strip()


def front_of(run: Path) -> list[dict[str, Any]]:
    """Return ``scores`` and ``origin`` of each member of the front: of the result where a run has ended."""
    from evosdc.engine.checkpoint import front_scores

    # Only a result judges files by the experiment's own bounds; a search may go by tighter ones.
    known = Result.known(run)
    ended = known is not None and not known.so_far and known.front
    return [member.model_dump() for member in ended] if ended else front_scores(run)


def bound_of(run: Path) -> float | None:
    """Return the risk above which no file keeps the bounds of a run."""
    return bounds_of(object_if_readable(run / RESOLVED)).get("dr")


def map_of(run: Path) -> tuple[list[Point], list[tuple[float, float]]]:
    """Return the files of a run as points, and its limit where it is known: before, while and after it searches."""
    listed: list[dict[str, Any]] = []
    try:
        found = read_json(run / PORTFOLIO)
        listed = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    except (OSError, ValueError):
        pass  # not yet written, or just being replaced
    original = points_of([entry for entry in listed if not entry.get("masking")][:1], "original")
    classical = points_of([entry for entry in listed if entry.get("masking")], "classical")
    front = points_of(front_of(run), "front")
    best = points_of([{"scores": read_run_status(run).best or {}, "label": "best file so far"}], "best")
    curve = ((Result.known(run) or Result()).limit or {}).get("curve") or []
    return [*original, *classical, *front, *best], [(float(p["il"]), float(p["dr"])) for p in curve]


async def events(bench: Workbench, form: Form) -> Response:
    """Send runs to the page as they change; all tabs receive the same."""
    runs = [bench.folder.run_place(name) for name in form.get("run", [])][:MOST_SHOWN]
    if form.one("once"):
        views = [await to_thread.run_sync(view, bench, run, form.one("zoom")) for run in runs]
        return JSONResponse([_state(bench, shown)[0] for shown in views])
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(
        _changes(bench, form.request, runs, form.one("zoom")), media_type="text/event-stream", headers=headers
    )


async def _changes(bench: Workbench, request: Request, runs: list[Path], zoom: str) -> AsyncIterator[str]:
    seen: dict[Path, str] = {}
    quiet = 0.0
    while not await request.is_disconnected():
        for run in runs:
            if read_run_status(run).phase == RUNNING:
                bench.limits.ask(run)
            shown = await to_thread.run_sync(view, bench, run, zoom)
            state, text = _state(bench, shown)
            if seen.get(run) != text:
                seen[run], quiet = text, 0.0
                yield f"event: run\ndata: {json.dumps(state)}\n\n"
        if quiet >= SILENT:
            quiet = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(LOOK)
        quiet += LOOK


def _state(bench: Workbench, shown: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the state of a run for the page, and its HTML."""
    text = bench.text("run_live.html", view=shown)
    states = {key: shown[key] for key in ("name", "phase", "going", "resumable", "choosable")}
    return states | {"html": text}, text


async def stop(bench: Workbench, form: Form) -> Response:
    """Stop a run as Ctrl-C does."""
    run, data = _of_form(bench, form)
    if not bench.jobs.stop(run):
        raise HTTPException(400, f"{run.name}: nobody writes to this run on this computer.")
    return away("/search", {"data": data, "run": run.name})


async def finish(bench: Workbench, form: Form) -> Response:
    """Have a run end with its best file so far."""
    run, data = _of_form(bench, form)
    # Requested without waiting: a run in preparation ends later, and other answers need the place.
    answer = await bench.calls.carry_out(["finish", f"{RUNS}/{run.name}", "--wait", "1s"])
    if answer.faults and answer.status == 2:
        raise HTTPException(400, " ".join(answer.faults))
    return away("/search", {"data": data, "run": run.name})


async def resume(bench: Workbench, form: Form) -> Response:
    """Resume a stopped run."""
    run, data = _of_form(bench, form)
    if bench.jobs.active(run) or read_run_status(run).active:
        return away("/search", {"data": data, "run": run.name})  # a second click
    bench.jobs.begin(["resume", f"{RUNS}/{run.name}"], run)
    for _ in range(50):
        owner = read_owner(run / LOCK)
        if owner is not None and owner.alive:
            break
        if bench.jobs.faults(run):
            break
        await asyncio.sleep(0.1)
    return away("/search", {"data": data, "run": run.name})


async def remove(bench: Workbench, form: Form) -> Response:
    """Take a search back: its folder with all that is in it."""
    run, data = _of_form(bench, form)
    status = read_run_status(run)
    if status.active or bench.jobs.active(run):
        raise HTTPException(400, f"{run.name}: it goes on. Stop it first.")
    if not (run / RESOLVED).exists() or run.is_symlink():
        raise HTTPException(400, f"{run.name}: this is no run.")
    await to_thread.run_sync(shutil.rmtree, run)
    bench.jobs.forget(run)
    return away("/history", {"data": data})


def _of_form(bench: Workbench, form: Form) -> tuple[Path, str]:
    return bench.folder.run(form.one("run")), form.one("data")


ROUTES: Routes = {
    ("GET", "/search"): search,
    ("GET", "/events"): events,
    ("POST", "/stop"): stop,
    ("POST", "/finish"): finish,
    ("POST", "/resume"): resume,
    ("POST", "/remove"): remove,
}
