"""``evosdc status``, ``watch`` and ``finish``, and how the status of a run or a study is put in words."""

import shlex
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from evosdc.cli.signals import Stopped, forget
from evosdc.cli.text import answer, harmless, say
from evosdc.experiment.display import scores_in_words
from evosdc.experiment.study_status import Status, StudyStatus, read_status
from evosdc.options.runs import FinishOptions, StatusOptions, WatchOptions
from evosdc.runs.layout import RESULT
from evosdc.runs.published import published_faults
from evosdc.runs.result import Result
from evosdc.runs.status import FINISHED, WAITING, RunStatus, lacking_faults

MOST_LISTED = 40
GRACE = 10.0  # seconds to wait for a run that is only about to begin


def status(options: StatusOptions) -> None:
    """Print how a run is doing."""
    found = read_status(options.run_dir)
    faults = [] if found.active else [*lacking_faults(options.run_dir), *published_faults(options.run_dir)]
    changed = [str(fault) for fault in faults]
    listed = (*rows(found), *(("warning", text) for text in changed))
    document = found.to_json() | ({"warnings": changed} if changed else {})
    answer(options, document, (f"{name + ':':<14}{text}" for name, text in listed))
    if changed:
        click.get_current_context().exit(2)


def rows(found: Status) -> Iterator[tuple[str, str]]:
    """Yield the lines of a status: names and texts."""
    yield "title", found.title
    yield "folder", str(found.folder)
    if isinstance(found, StudyStatus):
        yield from _study_rows(found)
    else:
        yield from _run_rows(found)
    if found.owner is not None:
        yield "process", f"{found.owner.pid} on {found.owner.host}, since {found.owner.since}"


def _run_rows(run: "RunStatus") -> Iterator[tuple[str, str]]:
    yield "state", state_in_words(run)
    yield "generation", f"{run.generation}"
    yield "evaluations", f"{run.evaluations} in {duration(run.seconds)}"
    if run.failed:
        yield "failed", f"{run.failed} evaluations, penalised"
    if run.best:
        yield "best", scores_in_words(run.best)
    if run.front > 1:
        yield "front", f"{run.front} files"
    if run.phase == FINISHED:
        reason = f", it could not be written ({run.no_report})" if run.no_report else ""
        none = f"none{reason}; {shlex.join(['evosdc', 'report', str(run.folder)])} writes it"
        yield "report", str(run.report) if run.report is not None else none
    if run.active and run.evaluations_per_second:
        yield (
            "speed",
            f"{run.evaluations_per_second:.1f} evaluations, {run.generations_per_second:.2f} generations a second",
        )
    if run.active:
        yield "time left", foreseen(run.left)
    if run.silent is not None:
        yield "last sign", f"{duration(run.silent)} ago"


def state_in_words(run: "RunStatus") -> str:
    """Return the phase of a run with its last message: ``stopped by the user``, ``finished (12 seconds)``."""
    if run.message.startswith(run.phase):
        return run.message
    return run.phase + (f" ({run.message})" if run.message else "")


def _study_rows(study: "StudyStatus") -> Iterator[tuple[str, str]]:
    yield "state", study.phase
    counts = ", ".join(f"{number} {phase}" for phase, number in study.counts.items() if number)
    yield "runs", f"{len(study.runs)}: {counts}"
    if study.best is not None and study.best.best is not None:
        yield "best", f"{scores_in_words(study.best.best)} in {study.best.folder.relative_to(study.folder)}"
    if study.active:
        yield "speed", f"{study.evaluations_per_second:.1f} evaluations a second"
        yield "time left", "cannot be foreseen yet" if study.left is None else f"about {duration(study.left)}"
    if study.silent is not None:
        yield "last sign", f"{duration(study.silent)} ago"
    under_way = [
        pair for pair in zip(study.runs, study.labels, strict=True) if pair[0].phase not in (FINISHED, WAITING)
    ]
    for run, label in under_way[:MOST_LISTED]:
        of = f" ({label})" if label else ""
        best = f", best {scores_in_words(run.best)}" if run.best else ""
        yield f"{run.folder.relative_to(study.folder)}", f" {run.phase}, generation {run.generation}{best}{of}"
    if len(under_way) > MOST_LISTED:
        yield "and", f"{len(under_way) - MOST_LISTED} more"


def line(found: Status) -> str:
    """Return a status in one line, without anything that changes by itself as time goes by."""
    best: Mapping[str, Any] | None
    if isinstance(found, StudyStatus):
        parts = [f"{number} {phase}" for phase, number in found.counts.items() if number]
        best = found.best.best if found.best is not None else None
    else:
        parts = [f"generation {found.generation}", f"{found.evaluations} evaluations"]
        parts += [f"{found.failed} failed"] * bool(found.failed)
        best = found.best
        if found.message and not found.generation:
            parts = [found.message]
    if best:
        parts.append(f"best {scores_in_words(best)}")
    return f"{found.phase}: {', '.join(parts)}"


def foreseen(seconds: float | None) -> str:
    """Return the time left in words."""
    return "cannot be foreseen" if seconds is None else f"at most {duration(seconds)}"


def duration(seconds: float) -> str:
    """Return seconds in words: ``4.2 s``, ``3 min 20 s``, ``5 h 10 min``, ``2 d 3 h``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 24 else f"{hours // 24} d {hours % 24} h"


def watch(options: WatchOptions) -> int:
    """Follow a run."""
    try:
        found = _followed(options.run_dir, options.interval, Console())
    except KeyboardInterrupt as error:
        if isinstance(error, Stopped) and error.number != signal.SIGINT:
            raise
        forget()
        return 0
    return 0 if found.phase == FINISHED else 1


def _followed(path: Path, interval: float, console: "Console") -> "Status":
    found, printed, began = read_status(path), "", monotonic()
    live = Live(_table(found), console=console, refresh_per_second=4) if console.is_terminal else None
    if live is not None:
        live.start()
    try:
        while True:
            if live is not None:
                live.update(_table(found), refresh=True)
            elif (text := line(found)) != printed:
                console.print(harmless(text), highlight=False, soft_wrap=True, markup=False)
                printed = text
            if not found.active and not (found.phase == WAITING and monotonic() < began + GRACE):
                return found
            sleep(interval)
            found = read_status(path)
    finally:
        if live is not None:
            live.stop()
            say(line(found))


def _table(found: Status) -> "Table":
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, text in rows(found):
        table.add_row(Text(harmless(name), style="bold"), Text(harmless(text)))
    return table


def finish(options: FinishOptions) -> None:
    """End a run from another terminal or computer."""
    # These load pandas and a compiler; status and watch need none.
    from evosdc.api.runs import finish as finished
    from evosdc.cli.run import leave_by

    ended = finished(options.run_dir, time=options.time)
    found = read_status(options.run_dir)
    lines = [line(found), *(f"Best file so far: {file}" for file in ended["files"])]
    lines += [] if ended["report"] is None else [f"Report:           {ended['report']}"]
    lines += ["It received the request to end, and ends after this generation."] if found.active else []
    answer(options, ended, lines)
    if found.active:
        click.get_current_context().exit(1)
    if (options.run_dir / RESULT).exists():
        leave_by(Result.read(options.run_dir), options.as_json)
