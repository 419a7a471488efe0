"""A long search, checked: speed by its journal, exactness by a fresh evaluation of what it stored, and memory.

Run from the repository's root: ``python -m benchmarks.exactness EXPERIMENT.toml [--evaluations N] [--edits N]
[--smoke]``.

The journal's scores have to equal, but for rounding, those of an evaluation that starts from scratch: of every member
of the final population and front, and of the stored file that was read back. Memory is the growth of this process'
peak, from before the starting files to the end of the search, with the genomes and the trackers of the population.

With ``--edits N`` one file is also edited N times, a few cells at a time and now and then many, while a tracker
of every measure takes the edits; after each the tracked score has to equal a fresh one.
"""

from __future__ import annotations

import resource
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import click
import numpy as np

from evosdc.engine.fresh import ROUNDING, unequal
from evosdc.experiment.assembly import assemble
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import Finished, run_once
from evosdc.files.source import read_masked
from evosdc.model import Changes, Rescoring
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal
from evosdc.testing.tables import edited

SHARES, CHANCES = (0.0, 0.003, 0.1), (0.9, 0.09, 0.01)
"""Records that an edit changes, as shares of the file, of which one at least; and how often."""


def peak() -> float:
    """Return the greatest memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def checked(finished: Finished, assembly: Any) -> list[str]:
    """Return all that differs from a fresh evaluation, in words."""
    problem, state = assembly.problem, finished.state
    differences = unequal(problem, [*state.population, *state.front, state.best])
    stored = read_masked(finished.folder / finished.result.best.file, assembly.source)
    scores, objectives = problem.score(stored.table.select(assembly.microdata.protect))
    if not np.allclose(objectives, finished.result.best.fitness, rtol=ROUNDING, atol=ROUNDING):
        differences.append(f"the stored file scores {objectives}, the result says {finished.result.best.fitness}")
    reported = {name: finished.result.best.scores[name] for name in scores}
    if not np.allclose([*reported.values()], [*scores.values()], rtol=ROUNDING, atol=ROUNDING):
        differences.append(f"the stored file has {scores}, the result says {reported}")
    return differences


def walked(assembly: Any, edits: int, seed: int) -> tuple[dict[str, int], float]:
    """Edit one file many times, and return by measure how often the tracked score was not the fresh one.

    Returns
    -------
    wrong : dict of str to int
    seconds : float
        Processor time of the trackers alone.
    """
    original, rng = assembly.microdata.original, np.random.default_rng(seed)
    fitted, masked, spent = assembly.problem.measures, original, 0.0
    trackers = {name: measure.track(masked) for name, measure in fitted.items()}
    trackers = {name: tracker for name, tracker in trackers.items() if not isinstance(tracker, Rescoring)}
    wrong = dict.fromkeys(trackers, 0)
    for _ in range(edits):
        before = masked
        masked, rows = edited(masked, rng, float(rng.choice(SHARES, p=CHANCES)))
        change = Changes.of_one(rows, before.take(rows), masked.take(rows))
        began = process_time()
        for tracker in trackers.values():
            tracker.take(change)
        scores = {name: tracker.score for name, tracker in trackers.items()}
        spent += process_time() - began
        for name, score in scores.items():
            wrong[name] += not np.isclose(score, fitted[name].score(masked), rtol=ROUNDING, atol=ROUNDING)
    return wrong, spent


@click.command()
@click.argument("experiment", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--evaluations", default=100_000, show_default=True, help="how many candidates to evaluate")
@click.option("--edits", default=0, help="how many times to edit a file, compared after each")
@click.option("--set", "settings", multiple=True, help="KEY=VALUE, as in `evosdc run`")
@click.option("--smoke", is_flag=True, help="a few evaluations, to see that it works")
def main(experiment: Path, evaluations: int, edits: int, settings: tuple[str, ...], smoke: bool) -> None:
    """Search, then compare what the search believes with a fresh evaluation."""
    count = 2_000 if smoke else evaluations
    chosen = read_experiment(experiment, settings)
    chosen = chosen.model_copy(update={"stop": type(chosen.stop)(evaluations=count)})
    seed = 1 if chosen.seed is None else chosen.seed
    assembly = assemble(chosen, default_registry(), seed)
    before = peak()
    with TemporaryDirectory() as folder:
        finished = run_once(chosen, Path(folder) / "run", default_registry(), seed)
        grown = peak() - before
        records = read_journal(finished.folder / "journal.jsonl")
        differences = checked(finished, assembly)
    first, last = records[min(1, len(records) - 1)], records[-1]
    spent = max(last["seconds"] - first["seconds"], 1e-9)
    rate = (last["evaluations"] - first["evaluations"]) / spent
    members = len(finished.state.population)
    click.echo(f"{chosen.heading}: {len(assembly.microdata.original)} records x {len(assembly.microdata.protect)}")
    click.echo(
        f"  evaluated              {last['evaluations']} in {last['generation']} generations, {rate:.0f} a second"
    )
    click.echo(f"  best, first to last    {records[0]['best']['fitness']} to {last['best']['fitness']}")
    click.echo(f"  memory                 {grown:.0f} MB more than before the start, for {members} members")
    click.echo(f"  compared afresh        {members} members, {len(finished.state.front)} of the front, the stored file")
    click.echo(f"  differences            {len(differences)}")
    for text in differences[:20]:
        click.echo(f"    {text}")
    wrong: dict[str, int] = {}
    if edits or smoke:
        wrong, seconds = walked(assembly, 100 if smoke else edits, seed)
        number = 100 if smoke else edits
        click.echo(
            f"  edits tracked          {number}, {1e6 * seconds / number:.0f} microseconds of the processor each"
        )
        click.echo(f"  wrong after an edit    {', '.join(f'{name} {count}' for name, count in wrong.items())}")
    raise SystemExit(1 if differences or any(wrong.values()) else 0)


if __name__ == "__main__":
    main()
