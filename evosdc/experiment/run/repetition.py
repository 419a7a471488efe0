"""What repeats a run that a time has ended: the experiment that names the counts it came to."""

import tomllib
from typing import Any

from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.config.experiment import Start
from evosdc.experiment.config.maskings import MaskingEntry
from evosdc.experiment.config.reader import experiment_of
from evosdc.experiment.config.resolution import experiment_text
from evosdc.experiment.run.environment import write_experiment
from evosdc.runs.layout import EXPERIMENT, RunFolder
from evosdc.table.table import Table


def begun_from(assembly: Assembly, evaluated: int) -> Start | None:
    """Return a start of the first files and genomes alone that a run has evaluated; None where it began with all."""
    start, plan = assembly.experiment.start, assembly.plan
    if evaluated >= plan.candidates:
        return None
    given = [entry for entry in plan.maskings[:evaluated] if isinstance(entry.source, Table)]
    made = [entry for entry in plan.maskings[:evaluated] if not isinstance(entry.source, Table)]
    before = len(plan.maskings) + len(plan.initial)
    first = min(max(evaluated - len(plan.maskings), 0), len(plan.initial))
    return Start(
        methods=tuple(MaskingEntry.of(entry.masking) for entry in made),
        files=() if start is None else start.files[: len(given)],
        initial=((start and start.initial) or True) if first and first == len(plan.initial) else first or False,
        random=max(0, evaluated - before),
        without_best=plan.without_best,
    )


def ended_by_time(folder: RunFolder, generation: int) -> bool:
    """Whether the search of a run had come to its end in a generation since its time was over: `write_repetition`."""
    try:
        stop = tomllib.loads(folder.file(EXPERIMENT).read_text(encoding="utf-8")).get("stop", {})
    except (OSError, ValueError):
        return False
    timed = experiment_of(folder).stop
    return stop.get("generations") == generation and timed.generations != generation and "seconds" not in stop


def write_repetition(folder: RunFolder, assembly: Assembly, evaluated: int | None, generations: int | None) -> None:
    """Write ``experiment.toml`` so that it gives what a time allowed, without one.

    Parameters
    ----------
    folder : RunFolder
    assembly : Assembly
        As the search began with it.
    evaluated : int or None
        Files and genomes that it began with; None where that is written already.
    generations : int or None
        After which time was over; None where it was not.
    """
    named = experiment_of(folder)
    start = assembly.experiment.start or named.start
    if evaluated is not None:
        start = begun_from(assembly, evaluated) or start
    changes: dict[str, Any] = {"start": start}
    if generations is not None:
        changes["stop"] = named.stop.model_copy(update={"generations": generations, "seconds": None, "whole": None})
    write_experiment(folder, experiment_text(named.model_copy(update=changes)))
