"""``evosdc status``, and how the condition of a run or a study is put in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.options import PATH, json_option

if TYPE_CHECKING:
    from evosdc.experiment.study.status import Condition, StudyCondition
    from evosdc.runs.status import RunCondition

MOST_LISTED = 40


@click.command()
@click.argument("run_dir", type=PATH)
@json_option
def status(run_dir: Path, as_json: bool) -> None:
    """Show how a run or a study is doing: state, best file, speed, time left. Does not touch it."""
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.experiment.study.status import condition_of

    condition = condition_of(run_dir)
    if as_json:
        print_json(condition.document())
        return
    for name, text in rows(condition):
        say(f"{name + ':':<14}{text}")


def rows(condition: Condition) -> Iterator[tuple[str, str]]:
    """Yield what there is to say of a condition: names and texts."""
    from evosdc.experiment.study.status import StudyCondition

    yield "title", condition.title
    yield "folder", str(condition.folder)
    if isinstance(condition, StudyCondition):
        yield from _study_rows(condition)
    else:
        yield from _run_rows(condition)
    if condition.holder is not None:
        yield "process", f"{condition.holder.pid} on {condition.holder.host}, since {condition.holder.since}"


def _run_rows(run: RunCondition) -> Iterator[tuple[str, str]]:
    yield "state", run.state + (f" ({run.message})" if run.message else "")
    yield "generation", f"{run.generation}"
    yield "evaluations", f"{run.evaluations} in {duration(run.seconds)}"
    if run.failed:
        yield "failed", f"{run.failed} evaluations, penalised"
    if run.best:
        yield "best", figures(run.best)
    if run.front > 1:
        yield "front", f"{run.front} files"
    if run.active and run.evaluations_per_second:
        yield (
            "speed",
            f"{run.evaluations_per_second:.1f} evaluations, {run.generations_per_second:.2f} generations a second",
        )
    if run.active:
        yield "time left", foreseen(run.left)
    if run.silent is not None:
        yield "last sign", f"{duration(run.silent)} ago"


def _study_rows(study: StudyCondition) -> Iterator[tuple[str, str]]:
    from evosdc.runs.status import FINISHED, WAITING

    yield "state", study.state
    counts = ", ".join(f"{number} {state}" for state, number in study.counts.items() if number)
    yield "runs", f"{len(study.runs)}: {counts}"
    if study.best is not None and study.best.best is not None:
        yield "best", f"{figures(study.best.best)} in {study.best.folder.relative_to(study.folder)}"
    if study.active:
        yield "speed", f"{study.evaluations_per_second:.1f} evaluations a second"
        yield "time left", "cannot be foreseen yet" if study.left is None else f"about {duration(study.left)}"
    silent = [run.silent for run in study.runs if run.silent is not None]
    if silent:
        yield "last sign", f"{duration(min(silent))} ago"
    under_way = [
        pair for pair in zip(study.runs, study.labels, strict=True) if pair[0].state not in (FINISHED, WAITING)
    ]
    for run, label in under_way[:MOST_LISTED]:
        of = f" ({label})" if label else ""
        best = f", best {figures(run.best)}" if run.best else ""
        yield f"{run.folder.relative_to(study.folder)}", f" {run.state}, generation {run.generation}{best}{of}"
    if len(under_way) > MOST_LISTED:
        yield "and", f"{len(under_way) - MOST_LISTED} more"


def line(condition: Condition) -> str:
    """Return a condition in one line, without anything that changes by itself as time goes by."""
    from evosdc.experiment.study.status import StudyCondition

    best: Mapping[str, Any] | None
    if isinstance(condition, StudyCondition):
        parts = [f"{number} {state}" for state, number in condition.counts.items() if number]
        best = condition.best.best if condition.best is not None else None
    else:
        parts = [f"generation {condition.generation}", f"{condition.evaluations} evaluations"]
        parts += [f"{condition.failed} failed"] * bool(condition.failed)
        best = condition.best
        if condition.message and not condition.generation:
            parts = [condition.message]
    if best:
        parts.append(f"best {figures(best)}")
    return f"{condition.state}: {', '.join(parts)}"


def figures(best: Mapping[str, Any]) -> str:
    """Return fitness, IL and DR in words."""
    fitness = " ".join(f"{value:.3f}" for value in best.get("fitness", ()))
    pair = ", ".join(f"{name.upper()} {best[name]:.2f}" for name in ("il", "dr") if name in best)
    return fitness + (f" ({pair})" if pair else "")


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
