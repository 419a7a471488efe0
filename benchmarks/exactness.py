"""A long search, checked: speed by its journal, exactness by a fresh evaluation of what it stored, and memory.

Run from the repository's root: ``python -m benchmarks.exactness EXPERIMENT.toml [--evaluations N] [--smoke]``.

The journal's scores have to equal, to the last bit, those of an evaluation that starts from scratch: of every member of
the final population and front, and of the stored file that was read back. Memory is the growth of this process' peak,
from before the starting files to the end of the search, with the genomes and the incremental states of the population.
"""

from __future__ import annotations

import resource
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from evosdc.engine.verification import unequal
from evosdc.experiment.build.assembly import assemble
from evosdc.experiment.config.reader import read_experiment
from evosdc.experiment.run.run import Finished, run_once
from evosdc.files.masked_file import read_masked
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal


def peak() -> float:
    """Return the greatest memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def checked(finished: Finished, assembly: Any) -> list[str]:
    """Return all that differs from a fresh evaluation, in words."""
    problem, state = assembly.problem, finished.state
    differences = unequal(problem, [*state.population.individuals, *state.front, state.best])
    stored = read_masked(finished.folder / finished.result["best"]["file"], assembly.source)
    scores, objectives = problem.score(stored.table.select(assembly.microdata.protect))
    if list(objectives) != finished.result["best"]["fitness"]:
        differences.append(f"the stored file scores {objectives}, the result says {finished.result['best']['fitness']}")
    told = {name: finished.result["best"]["scores"][name] for name in scores}
    if told != scores:
        differences.append(f"the stored file has {scores}, the result says {told}")
    return differences


@click.command()
@click.argument("experiment", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--evaluations", default=100_000, show_default=True, help="how many candidates to evaluate")
@click.option("--set", "settings", multiple=True, help="KEY=VALUE, as in `evosdc run`")
@click.option("--smoke", is_flag=True, help="a few evaluations, to see that it works")
def main(experiment: Path, evaluations: int, settings: tuple[str, ...], smoke: bool) -> None:
    """Search, then compare what the search believes with a fresh evaluation."""
    count = 2_000 if smoke else evaluations
    chosen = read_experiment(experiment, settings)
    chosen = chosen.model_copy(update={"stop": type(chosen.stop)(evaluations=count)})
    assembly = assemble(chosen, default_registry())
    before = peak()
    with TemporaryDirectory() as folder:
        finished = run_once(chosen, Path(folder) / "run", default_registry(), chosen.seed)
        grown = peak() - before
        records = read_journal(finished.folder / "journal.jsonl")
        differences = checked(finished, assembly)
    first, last = records[min(1, len(records) - 1)], records[-1]
    spent = max(last["seconds"] - first["seconds"], 1e-9)
    rate = (last["evaluations"] - first["evaluations"]) / spent
    members = len(finished.state.population.individuals)
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
    raise SystemExit(1 if differences else 0)


if __name__ == "__main__":
    main()
