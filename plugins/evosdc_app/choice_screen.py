"""Screen 5: look at files of the front, compare them, and export one."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import FOR_USERS, RECIPE, REPORT, RESULT
from evosdc.runs.status import RUNNING, read_run_status
from evosdc_app.calls import error_sentences
from evosdc_app.folder import RUNS, line_of, told
from evosdc_app.plane import Plane, Point
from evosdc_app.search_screen import map_of
from evosdc_app.workbench import Workbench, asked, away, link, number_asked

FIRST = ("il", "dr")


async def choose(bench: Workbench, request: Request) -> Response:
    """Show the front of a run, to point at a file of it."""
    data, name = asked(request, "data"), asked(request, "run")
    if not name:
        runs = [run for run in bench.folder.runs(data or None) if read_run_status(run).phase != RUNNING]
        if not runs:
            return bench.page("choose_none.html", "choose", "Choose", data=data)
        name = runs[0].name
    run = bench.folder.run(name)
    data = data or bench.folder.data_of(run)
    members = await to_thread.run_sync(_members, run)
    if not members:
        return bench.page("choose_none.html", "choose", "Choose", data=data)
    best = _best(run, members)
    member = _within(number_asked(request, "member", best), members, best)
    other = _within(number_asked(request, "other", -1), members, -1)
    points, curve = await to_thread.run_sync(map_of, run)
    marks = [point for point in points if point.kind in ("original", "classical")]
    here = {"data": data, "run": name}
    for entry in members:
        at = entry["member"]
        kind = "chosen" if at == member else "other" if at == other else "best" if at == best else "front"
        scores = entry["scores"]
        if all(key in scores for key in FIRST):
            label = f"file {at}: IL {scores['il']:.2f}, DR {scores['dr']:.2f}"
            marks.append(
                Point(scores["il"], scores["dr"], kind, label, link("/choose", **here, member=at, other=_given(other)))
            )
    shown = [member, *([other] if other >= 0 else [])]
    names = [*FIRST, *(key for key in members[0]["scores"] if key not in (*FIRST, "infeasibility"))]
    output = _proposed(bench, data, run, member)
    return bench.page(
        "choose.html", "choose", "Choose", data=data, run=name, drawing=Plane(marks, curve).drawing(), members=members,
        member=member, other=other, best=best, shown=shown, names=names, meanings=_meanings(names),
        output=output, command=line_of(_export(run, member, output, ())), running=read_run_status(run).phase == RUNNING,
        recipe=_recipe(run), has={"report": (run / REPORT).exists(), "users": (run / FOR_USERS).exists()},
        exports=_exports(bench, run),
    )  # fmt: skip


def _members(run: Path) -> list[dict[str, Any]]:
    from evosdc.engine.checkpoint import front_scores

    return [entry | {"member": at} for at, entry in enumerate(front_scores(run))]


def _given(other: int) -> int | None:
    return None if other < 0 else other


def _within(member: int, members: list[dict[str, Any]], otherwise: int) -> int:
    return member if 0 <= member < len(members) else otherwise


def _best(run: Path, members: list[dict[str, Any]]) -> int:
    """Return the member that was published as the best file; the most balanced one where that is not told."""
    scores = (told(run / RESULT).get("best") or {}).get("scores") or read_run_status(run).best or {}
    pair = [scores.get(key) for key in FIRST]
    for entry in members:
        if [entry["scores"].get(key) for key in FIRST] == pair:
            return int(entry["member"])
    return min(range(len(members)), key=lambda at: max(members[at]["scores"].get(key, 100.0) for key in FIRST))


def _meanings(names: list[str]) -> dict[str, str]:
    registry = default_registry()
    fixed = {
        "il": "Information loss: 0, as useful as the original; 100, nothing useful is left.",
        "dr": "Disclosure risk: 0, intruders learn nothing; 100, they find every respondent.",
    }
    known = registry.names("measure")
    return fixed | {name: registry.spec("measure", name).summary for name in names if name in known}


def _recipe(run: Path) -> str:
    try:
        return (run / RECIPE).read_text(encoding="utf-8")
    except OSError:
        return ""


def _proposed(bench: Workbench, data: str, run: Path, member: int) -> str:
    suffix = Path(str((told(run / RESULT).get("best") or {}).get("file") or "best.csv")).suffix
    stem = data.rpartition("/")[2].partition(".")[0] or run.name
    return bench.folder.free(f"{stem}-protected-{member}{suffix}")


def _export(run: Path, member: int, output: str, options: tuple[str, ...]) -> list[str]:
    return ["export", f"{RUNS}/{run.name}", str(member), *options, "-o", output]


def _exports(bench: Workbench, run: Path) -> list[dict[str, Any]]:
    return [
        {"member": said["member"], "manifest": bench.folder.name(path), "command": said.get("command", ""),
         "file": bench.folder.name(path.with_name(str((said.get("output") or {}).get("name", ""))))}
        for path, said in bench.folder.exports()
        if said.get("run") == run.name
    ]  # fmt: skip


async def member(bench: Workbench, request: Request) -> Response:
    """Show what is to be known of a file of the front."""
    run, at = bench.folder.run(asked(request, "run")), number_asked(request, "member", 0)
    judge = bool(asked(request, "judge"))
    words = ["member", f"{RUNS}/{run.name}", str(at), *(["--judge"] if judge else [])]
    depends = [run / RESULT, *sorted(run.glob("checkpoint-*.npz"))[-1:]]
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

    empty = RecordedRun(Path(), "", {}, {}, {}, {}, {}, (), 0, pd.DataFrame(), {})
    run = replace(empty, release=found)
    return {
        "tables": release.cross_tables(run),
        "analyses": release.analyses(run),
        "risky": release.records_at_risk(run),
        "reach": found.get("records"),
        "scores": found["scores"],
        "meanings": _meanings(list(found["scores"])),
    }


async def export(bench: Workbench, request: Request) -> Response:
    """Carry out `evosdc export`."""
    form = await bench.form(request)
    run = bench.folder.run(form.one("run"))
    at = form.one("member")
    if not at.isdecimal():
        raise HTTPException(400, f"member: given {at!r}; wanted a number.")
    output = bench.folder.name(bench.folder.path(form.one("output")))
    options = tuple(f"--{name}" for name in ("neutralise-formulas", "data-package") if form.one(name))
    answer = await bench.calls.carry_out(_export(run, int(at), output, options))
    if answer.status:
        raise HTTPException(400, " ".join(error_sentences(answer.err)))
    of_file, commands = await _run_of(bench, run, int(at))
    run = of_file or run
    return bench.page(
        "exported.html", "choose", "Exported", data=form.one("data"), run=run.name, member=int(at), output=output,
        manifest=bench.folder.name((bench.folder.root / output).with_name(f"{Path(output).stem}.manifest.json")),
        warnings=answer.warnings, said=answer.out.splitlines(), commands=[line_of(list(answer.words)), *commands],
        own=of_file is not None,
        has={"report": (run / REPORT).exists(), "users": (run / FOR_USERS).exists(), "recipe": (run / RECIPE).exists()},
        names={"report": REPORT, "users": FOR_USERS, "recipe": RECIPE},
    )  # fmt: skip


async def _run_of(bench: Workbench, run: Path, at: int) -> tuple[Path | None, list[str]]:
    """Return the run folder whose best file a member is, made by `evosdc choose` where there is none, and its command.

    None while the search goes on.
    """
    if read_run_status(run).phase == RUNNING:
        return None, []
    if at == _best(run, _members(run)):
        return run, []
    folder = run.with_name(f"{run.name}-file-{at}")
    words = ["choose", f"{RUNS}/{run.name}", str(at), "-o", f"{RUNS}/{folder.name}"]
    if not (folder / REPORT).exists():
        answer = await bench.calls.carry_out(words)
        if not (folder / REPORT).exists():
            raise HTTPException(400, " ".join(error_sentences(answer.err)))
    return folder, [line_of(words)]


async def withdraw(bench: Workbench, request: Request) -> Response:
    """Take an export back: the file and its manifest, as long as nobody changed them."""
    from evosdc.files.own_files import written_by_evosdc

    form = await bench.form(request)
    manifest = bench.folder.file(form.one("manifest"))
    found = next((said for path, said in bench.folder.exports() if path == manifest), None)
    if found is None:
        raise HTTPException(404)
    file = manifest.with_name(Path(str((found.get("output") or {}).get("name", ""))).name)
    if file.exists() and not written_by_evosdc(file):
        raise HTTPException(400, f"{file.name}: it was changed since it was written, and stays.")
    file.unlink(missing_ok=True)
    manifest.unlink()
    return away("/history", {"data": form.one("data")})


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/choose"): choose,
    ("GET", "/fragment/member"): member,
    ("POST", "/export"): export,
    ("POST", "/withdraw"): withdraw,
}
