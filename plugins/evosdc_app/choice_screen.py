"""Screen 5: look at files of the front, compare them, choose one, and export it."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anyio import move_on_after, sleep, to_thread
from starlette.exceptions import HTTPException
from starlette.responses import Response

from evosdc.engine.checkpoint import SO_FAR
from evosdc.errors import DataError, EvosdcError, Fault
from evosdc.plugins.registry import default_registry
from evosdc.runs import layout
from evosdc.runs.result import Best, Result, Verdict
from evosdc.runs.status import FINISHED, RUNNING, read_run_status
from evosdc_app.calls import RefusedError, error_sentences, sentences
from evosdc_app.folder import RUNS, line_of, text_or_empty
from evosdc_app.plane import ZOOMS, Point, drawing, window_of
from evosdc_app.search_screen import bound_of, front_of, map_of
from evosdc_app.workbench import Form, Routes, Workbench, away, link

OWN = "best"  # how commands name the run's own best file
OPTIONS = ("neutralise-formulas", "keep-order")
PAGES = {"report": layout.REPORT, "users": layout.FOR_USERS, "recipe": layout.RECIPE}
_CLOSING = 10.0  # seconds that a process is waited for which still writes the report of its finished run

GOES_ON = (
    "The search goes on, and its front with it: no command gives a file of it a second time. Finish or stop it first."
)

FIRST = ("il", "dr")
ZOOM_WORDS = (
    ("", "whole map"),
    ("front", "the front"),
    *((zoom, f"{zoom} times at the chosen file") for zoom in ZOOMS),
)


@dataclass(frozen=True)
class Front:
    """What can be chosen of a run."""

    members: list[dict[str, Any]]  # `member` (the number), `scores`, `origin`
    own: int | None  # the number of the run's own best file; None where no member is it, or the run does not tell yet
    scores: Mapping[str, float]  # of the run's own best file; empty where not known
    publication: Verdict | None  # the verdict on it; empty where there is none
    ended: bool  # whether the run has a result that is its last word, and whether it goes on
    running: bool

    def scores_of(self, member: str) -> Mapping[str, float]:
        """Return the scores of a member, or of the own file."""
        if member == OWN:
            return self.scores
        found: Mapping[str, float] = self.members[int(member)]["scores"]
        return found

    def known(self, member: str, otherwise: str) -> str:
        """Return a member that there is."""
        there = member == OWN or (member.isdecimal() and len(member) < 10 and int(member) < len(self.members))
        return (OWN if member == OWN else str(int(member))) if there else otherwise


def read_front(run: Path) -> Front:
    """Return the files of a run to choose from, without reading its data."""
    members: list[dict[str, Any]] = [entry | {"member": at} for at, entry in enumerate(front_of(run))]
    result, status = Result.known(run), read_run_status(run)
    best = result.best if result is not None else Best()
    # As the command line does: a file of the same scores, and of the same origin where several have them.
    alike = [entry["member"] for entry in members if entry["scores"] == best.scores]
    same = [at for at in alike if members[at]["origin"] == best.origin]
    running = status.phase == RUNNING
    return Front(
        members,
        next(iter(same or alike), None) if result is not None else None,
        best.scores or {key: value for key, value in (status.best or {}).items() if key in ("il", "dr")},
        None if running or result is None else result.verdict,
        result is not None and not result.so_far and not running,
        running,
    )


async def choose(bench: Workbench, form: Form) -> Response:
    """Show the front of a run, to point at a file of it."""
    data, name = form.one("data"), form.one("run")
    if not name:
        runs = [run for run in bench.folder.runs(data or None) if read_run_status(run).phase != RUNNING]
        if not runs:
            return bench.page("choose_none.html", "choose", "Choose", data=data)
        name = runs[0].name
    wanted = form.one("member", OWN), form.one("other"), form.one("zoom")
    return await shown(bench, data, bench.folder.run(name), *wanted)


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
    names = [*FIRST, *(key for key in scores if key not in (*FIRST, "infeasibility", "tighter"))]
    output = form.one("output") if form is not None else proposed(bench, data, run, member)
    # Where a run kept the order of records, its verdict is about that order: so is a file of it at first.
    kept = (layout.object_if_readable(run / layout.RESOLVED).get("data") or {}).get("shuffle") is False
    given = form if form is not None else Form({"keep-order": ["1"]} if kept else {})
    rows = [(OWN, front.scores)] if front.scores and front.own is None else []
    rows += [(str(entry["member"]), entry["scores"]) for entry in front.members]
    exports = exports_of(bench, run)
    judged = run_of(run, member)  # made when it was exported before
    verdict = _verdict(judged) if (judged / layout.REPORT).exists() else None
    names_of_own = (OWN, str(front.own)) if member == OWN else (member,)
    return bench.page(
        "choose.html", "choose", "Choose", 400 if faults else 200, data=data, run=run.name, front=front, own=OWN,
        drawing=drawing(marks, curve, bound_of(run), window_of(marks, zoom)), zoom=zoom, zooms=ZOOM_WORDS,
        member=member, other=other, rows=rows, shown=[member, *([other] if other and other != member else [])],
        names=names, meanings=meanings(names), output=output, faults=list(faults), goes_on=GOES_ON,
        ticked=[name for name in OPTIONS if given.get(name)], command=line_of(export_words(run, member, output, given)),
        recipe=text_or_empty(run / layout.RECIPE), exports=exports, judged=judged.name if verdict else "",
        verdict=verdict, before=[one for one in exports if str(one["member"]) in names_of_own],
        has={"report": (run / layout.REPORT).exists(), "users": (run / layout.FOR_USERS).exists()},
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
            outside = scores.get("infeasibility", 0.0) > 0.0
            marks.append(Point(scores["il"], scores["dr"], kind, label, address, outside))
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


def _verdict(run: Path) -> Verdict | None:
    result = Result.known(run)
    return None if result is None else result.verdict


async def member(bench: Workbench, form: Form) -> Response:
    """Show the facts about a file."""
    run, at = bench.folder.run(form.one("run")), form.one("member", OWN)
    asked = bool(form.one("judge"))
    words = ["member", f"{RUNS}/{run.name}", at if at == OWN or at.isdecimal() else "0"]
    words += ["--judge"] if asked else []
    depends = [run / layout.RESULT, run / SO_FAR, *sorted(run.glob("checkpoint-*.npz"))[-1:]]
    answer = await bench.calls.ask([*words, "--json"], *depends)
    found = answer.document
    if asked:
        return bench.fragment("opinion.html", faults=answer.faults, opinion=found.get("second_opinion"), at=at)
    result = Result.known(run)
    front = await to_thread.run_sync(read_front, run)
    own = result is not None and front.ended and at in (OWN, str(front.own))
    return bench.fragment(
        "member.html", faults=answer.faults, found=found, at=at, run=run.name, command=line_of(words), own=own,
        opinion=result.second_opinion.best if result is not None and own else None,
        complete=result is not None and result.second_opinion.complete,
        judge=line_of(judge_words(run)), **(_sections(found) if found else {}),
    )  # fmt: skip


def judge_words(run: Path) -> list[str]:
    """Return the command by which judges complete the verdict of a run."""
    return ["judge", f"{RUNS}/{run.name}"]


async def judge(bench: Workbench, form: Form) -> Response:
    """Run `evosdc judge`, which writes the verdict, the report and the name of the file again."""
    run = bench.folder.run(form.one("run"))
    await _require_ended(bench, run)
    answer = await bench.calls.carry_out([*judge_words(run), "--json"])
    if answer.faults:
        return await shown(bench, form.one("data"), run, OWN, "", "", None, answer.faults)
    return away("/choose", {"data": form.one("data"), "run": run.name})


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


def proposed(bench: Workbench, data: str, run: Path, member: str) -> str:
    """Return a name that an exported file may have."""
    suffix = Path(str((Result.known(run) or Result()).best.file or "best.csv")).suffix
    stem = data.rpartition("/")[2].partition(".")[0] or run.name
    return bench.folder.free(f"{stem}-protected{'' if member == OWN else f'-{member}'}{suffix}")


def export_words(run: Path, member: str, output: str, given: Mapping[str, Any]) -> list[str]:
    """Return the command that exports a file; `given` has the options that are ticked."""
    options = [f"--{name}" for name in OPTIONS if given.get(name)]
    return ["export", f"{RUNS}/{run.name}", member, *options, "-o", output]


def exports_of(bench: Workbench, run: Path) -> list[dict[str, Any]]:
    """Return the exported files of a run."""
    return [
        {"member": said["member"], "manifest": bench.folder.name(path), "command": said.get("command", ""),
         "file": bench.folder.name(path.with_name(str((said.get("output") or {}).get("name", ""))))}
        for path, said in bench.folder.exports()
        if said.get("run") in (run.name, run_of(run, said["member"]).name)
    ]  # fmt: skip


async def command(bench: Workbench, form: Form) -> Response:
    """Show the command that the form stands for, as it is filled in."""
    run = bench.folder.run(form.one("run"))
    words = export_words(run, form.one("member"), form.one("output"), form)
    return bench.fragment("export_command.html", command=line_of(words))


async def export(bench: Workbench, form: Form) -> Response:
    """Run `evosdc export`; a refused form keeps its input."""
    run = bench.folder.run(form.one("run"))
    try:
        return await _exported(bench, form, run)
    except EvosdcError as error:
        faults = sentences(error)
    return await shown(bench, form.one("data"), run, form.one("member"), "", "", form, faults)


async def _exported(bench: Workbench, form: Form, run: Path) -> Response:
    member = form.one("member", OWN)
    if not (member.isdecimal() or member == OWN):
        raise DataError(Fault("member", repr(member), f"a number, or {OWN}"))
    await _require_ended(bench, run)
    output = bench.folder.name(bench.folder.path(form.one("output")))
    if output in bench.exporting:
        raise DataError(Fault(output, "a file that is being written", "another name", "Wait for the first export."))
    named = output
    bench.exporting.add(named)
    try:
        # Another file than the own one is judged first: its own verdict names it, its own page has its checksum.
        of_file, commands = await _run_of(bench, run, member)
        source = (run, member) if of_file == run else (of_file, OWN)
        answer = await bench.calls.carry_out(export_words(*source, output, form))
        refused = answer.status == 1 and layout.REFUSED in answer.out  # it is written, under a name that says so
        if answer.status and not refused:
            raise RefusedError(error_sentences(answer.err))
        output = str(layout.refused_name(Path(output))) if refused else output
        own = of_file != run or member in (OWN, str(read_front(run).own))
        typed = line_of(list(answer.words))
    finally:
        bench.exporting.discard(named)

    return bench.page(
        "exported.html", "choose", "Exported", data=form.one("data"), run=of_file.name, of=run.name, member=member,
        output=output, own=own, refused=refused,
        verdict=_verdict(of_file) if own else None,
        manifest=bench.folder.name(layout.manifest_path(bench.folder.root / output)),
        warnings=answer.warnings, said=answer.out.splitlines(), commands=[*commands, typed],
        # A stopped run reports on its own best file only.
        has={name: own and (of_file / page).exists() for name, page in PAGES.items()}, names=PAGES,
    )  # fmt: skip


async def _require_ended(bench: Workbench, run: Path) -> None:
    """Raise where a search goes on; wait for one that has ended, and writes its report yet."""
    with move_on_after(_CLOSING):
        while read_run_status(run).phase != RUNNING and bench.jobs.active(run):
            await sleep(0.1)
    phase = read_run_status(run).phase
    # Of a finished run everything is there but the report, which takes longer than that on a busy computer.
    if phase == RUNNING or (phase != FINISHED and bench.jobs.active(run)):
        raise RefusedError([GOES_ON])


def run_of(run: Path, member: str | int) -> Path:
    """Return the run folder in which a member is the best file."""
    return run.with_name(f"{run.name}-file-{member}")


async def _run_of(bench: Workbench, run: Path, member: str) -> tuple[Path, list[str]]:
    """Return the run folder whose best file a member is, and the command that made it."""
    # A run that was stopped stays the only one: it has no verdict yet.
    front = read_front(run)
    if member in (OWN, str(front.own)) or not front.ended:
        return run, []
    folder = run_of(run, member)
    words = ["choose", f"{RUNS}/{run.name}", member, "-o", f"{RUNS}/{folder.name}"]
    if not (folder / layout.REPORT).exists():
        there = folder.exists()
        answer = await bench.calls.carry_out(words)
        if not (folder / layout.REPORT).exists():
            if not there:
                shutil.rmtree(folder, ignore_errors=True)
            raise RefusedError(error_sentences(answer.err))
    return folder, [line_of(words)]


async def withdraw(bench: Workbench, form: Form) -> Response:
    """Take an export back: the file and its manifest, as long as nobody changed them."""
    from evosdc.files.atomic import written_by_evosdc

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


ROUTES: Routes = {
    ("GET", "/choose"): choose,
    ("GET", "/fragment/member"): member,
    ("GET", "/fragment/export"): command,
    ("POST", "/judge"): judge,
    ("POST", "/export"): export,
    ("POST", "/withdraw"): withdraw,
}
