"""``evosdc export``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH


@click.command()
@click.argument("run_dir", type=PATH)
@click.argument("member", type=click.IntRange(min=0))
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE.csv")
def export(run_dir: Path, member: int, output: Path) -> None:
    """Write the protected file of MEMBER of the Pareto front: its number in front.csv, 0 for the least loss."""
    from evosdc.cli.inputs import files_read, require_apart
    from evosdc.cli.text import say
    from evosdc.experiment.run.export import front_member
    from evosdc.model import Generalising
    from evosdc.plugins.registry import default_registry

    assembly, individual = front_member(run_dir, member, default_registry())
    require_apart(output, *files_read(assembly), *(path for path in run_dir.rglob("*") if path.is_file()))
    masked = assembly.problem.decode(individual.genome, individual.key)
    genotype = assembly.problem.genotype
    omitted = genotype.omitted(individual.genome) if isinstance(genotype, Generalising) else None
    written = assembly.source.write(output, masked, omitted=omitted)
    scores = ", ".join(f"{name} {value:.3f}" for name, value in individual.scores.items())
    say(f"Wrote {output}: member {member} of the front, {scores}.")
    if written.dropped:
        say(f"Identifiers left out: {', '.join(written.dropped)}.")
