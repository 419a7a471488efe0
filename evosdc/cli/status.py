"""``evosdc status``, and how the status of a run or a study is put in words."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.cli.text import say, scores_in_words
from evosdc.options.shared import JsonOptions

if TYPE_CHECKING:
    from evosdc.experiment.study_status import Status, StudyStatus
    from evosdc.runs.status import RunStatus

MOST_LISTED = 40


@click.command()
@click.argument("run_dir", type=PATH)
@takes_options(JsonOptions)
def status(run_dir: Path, options: JsonOptions) -> None:
    """Show how a run or a study is doing: state, best file, speed, time left. Does not touch it.

    Exit status 2 where files of the run are lacking, or a published one is not the one that it wrote.
    """
    from evosdc.cli.results import print_json
    from evosdc.experiment.study_status import read_status
    from evosdc.runs.published import published_faults
    from evosdc.runs.status import lacking_faults

    found = read_status(run_dir)
    faults = [] if found.active else [*lacking_faults(run_dir), *published_faults(run_dir)]
    changed = [str(fault) for fault in faults]
    if options.as_json:
        print_json(found.to_json() | ({"warnings": changed} if changed else {}))
    else:
        for name, text in (*rows(found), *(("warning", text) for text in changed)):
            say(f"{name + ':':<14}{text}")
    if changed:
        click.get_current_context().exit(2)


def rows(found: "Status") -> Iterator[tuple[str, str]]:
    """Yield what there is to say of a status: names and texts."""
    from evosdc.experiment.study_status import StudyStatus

    yield "title", found.title
    yield "folder", str(found.folder)
    if isinstance(found, StudyStatus):
        yield from _study_rows(found)
    else:
        yield from _run_rows(found)
    if found.owner is not None:
        yield "process", f"{found.owner.pid} on {found.owner.host}, since {found.owner.since}"


def _without_report(run: "RunStatus") -> str:
    from evosdc.cli.ending import report_again

    reason = f", it could not be written ({run.no_report})" if run.no_report else ""
    return f"none{reason}; {report_again(run.folder)} writes it"


def _run_rows(run: "RunStatus") -> Iterator[tuple[str, str]]:
    from evosdc.runs.status import FINISHED

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
        yield "report", str(run.report) if run.report is not None else _without_report(run)
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
    """Return the phase of a run with what it last said: ``stopped by the user``, ``finished (12 seconds)``."""
    if run.message.startswith(run.phase):
        return run.message
    return run.phase + (f" ({run.message})" if run.message else "")


def _study_rows(study: "StudyStatus") -> Iterator[tuple[str, str]]:
    from evosdc.runs.status import FINISHED, WAITING

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


def line(found: "Status") -> str:
    """Return a status in one line, without anything that changes by itself as time goes by."""
    from evosdc.experiment.study_status import StudyStatus

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
