"""A file of the front, or the run's own best one, is exported; a part of screen 5."""

import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from anyio import move_on_after, sleep
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from evosdc.errors import DataError, EvosdcError, Fault
from evosdc.runs.layout import FOR_USERS, RECIPE, REPORT, RESULT
from evosdc.runs.status import RUNNING, read_run_status
from evosdc_app.calls import RefusedError, error_sentences, sentences
from evosdc_app.folder import RUNS, line_of, told
from evosdc_app.front import OWN, Front, read_front
from evosdc_app.workbench import Form, Workbench, away

OPTIONS = ("neutralise-formulas", "keep-order")
_CLOSING = 10.0
"""Seconds that a process may take to end after its run says that it did."""

GOES_ON = (
    "The search goes on, and its front with it: no command gives a file of it a second time. Finish or stop it first."
)


def proposed(bench: Workbench, data: str, run: Path, member: str) -> str:
    """Return a name that an exported file may have."""
    suffix = Path(str((told(run / RESULT).get("best") or {}).get("file") or "best.csv")).suffix
    stem = data.rpartition("/")[2].partition(".")[0] or run.name
    return bench.folder.free(f"{stem}-protected{'' if member == OWN else f'-{member}'}{suffix}")


def export_words(run: Path, member: str, output: str, given: Mapping[str, Any]) -> list[str]:
    """Return the command that exports a file; `given` has the options that are ticked."""
    options = [f"--{name}" for name in OPTIONS if given.get(name)]
    return ["export", f"{RUNS}/{run.name}", member, *options, "-o", output]


def exports_of(bench: Workbench, run: Path) -> list[dict[str, Any]]:
    """Return what was exported of a run."""
    return [
        {"member": said["member"], "manifest": bench.folder.name(path), "command": said.get("command", ""),
         "file": bench.folder.name(path.with_name(str((said.get("output") or {}).get("name", ""))))}
        for path, said in bench.folder.exports()
        if said.get("run") == run.name
    ]  # fmt: skip


async def command(bench: Workbench, request: Request) -> Response:
    """Show the command that the form stands for, as it is filled in."""
    given = Form()
    for name, value in request.query_params.multi_items():
        given.setdefault(name, []).append(value)
    run = bench.folder.run(given.one("run"))
    words = export_words(run, given.one("member"), given.one("output"), given)
    return bench.fragment("export_command.html", command=line_of(words))


async def export(bench: Workbench, request: Request) -> Response:
    """Carry out `evosdc export`; what was typed stays in the form where it is refused."""
    from evosdc_app.choice_screen import shown

    form = await bench.form(request)
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
    with move_on_after(_CLOSING):  # a run that has just finished still puts its things away
        while read_run_status(run).phase != RUNNING and bench.jobs.active(run):
            await sleep(0.1)
    if read_run_status(run).phase == RUNNING or bench.jobs.active(run):
        raise RefusedError([GOES_ON])
    output = bench.folder.name(bench.folder.path(form.one("output")))
    if output in bench.exporting:
        raise DataError(Fault(output, "a file that is being written", "another name", "Wait for the first export."))
    bench.exporting.add(output)
    try:
        answer = await bench.calls.carry_out(export_words(run, member, output, form))
        if answer.status:
            raise RefusedError(error_sentences(answer.err))
        of_file, commands = await _run_of(bench, run, member)
        own = of_file != run or member in (OWN, str(read_front(run).own))
    finally:
        bench.exporting.discard(output)

    def about(text: str) -> bool:
        """Whether something said is of this file: the run speaks of its best one, and this one was judged alone."""
        return of_file == run or not text.startswith("The verdict of this run")

    return bench.page(
        "exported.html", "choose", "Exported", data=form.one("data"), run=of_file.name, of=run.name, member=member,
        output=output, own=own,
        verdict=(told(of_file / RESULT).get("verdict") or None) if own else None,
        manifest=bench.folder.name((bench.folder.root / output).with_name(f"{Path(output).stem}.manifest.json")),
        warnings=[text for text in answer.warnings if about(text)],
        said=[text for text in answer.out.splitlines() if about(text)],
        commands=[line_of(list(answer.words)), *commands],
        # What a stopped run says is about its own best file, and of another one nothing.
        has={"report": own and (of_file / REPORT).exists(), "users": own and (of_file / FOR_USERS).exists(),
             "recipe": own and (of_file / RECIPE).exists()},
        names={"report": REPORT, "users": FOR_USERS, "recipe": RECIPE},
    )  # fmt: skip


async def _run_of(bench: Workbench, run: Path, member: str) -> tuple[Path, list[str]]:
    """Return the run folder whose best file a member is, made by `evosdc choose` where there is none, and its command.

    A run that was stopped stays the only one: it has no verdict yet.
    """
    front: Front = read_front(run)
    if member in (OWN, str(front.own)) or not front.ended:
        return run, []
    folder = run.with_name(f"{run.name}-file-{member}")
    words = ["choose", f"{RUNS}/{run.name}", member, "-o", f"{RUNS}/{folder.name}"]
    if not (folder / REPORT).exists():
        there = folder.exists()
        answer = await bench.calls.carry_out(words)
        if not (folder / REPORT).exists():
            if not there:
                shutil.rmtree(folder, ignore_errors=True)
            raise RefusedError(error_sentences(answer.err))
    return folder, [line_of(words)]


async def withdraw(bench: Workbench, request: Request) -> Response:
    """Take an export back: the file and its manifest, as long as nobody changed them."""
    from evosdc.files.atomic import written_by_evosdc

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
    ("GET", "/fragment/export"): command,
    ("POST", "/export"): export,
    ("POST", "/withdraw"): withdraw,
}
