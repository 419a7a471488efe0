"""An experiment written as a Python script; it runs by itself, and spread over the workers that SCOOP starts.

    python experiments/cluster/script.py [--smoke] [-o FOLDER]
    python -m scoop -n 4 experiments/cluster/script.py [--smoke] [-o FOLDER]

Both print the same digest. SCOOP's own launcher opens its sockets to the network and trusts any client: on a
shared network use ``executor = { name = "scoop", workers = 4 }`` instead, which starts workers that do not.
"""

from __future__ import annotations

from pathlib import Path

import click

import evosdc
from evosdc.experiment.reader import read_experiment

HERE = Path(__file__).parent


@click.command()
@click.option("--smoke", is_flag=True, help="A few generations of the embedded file only.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="New run folder.")
def main(smoke: bool, output: Path | None) -> None:
    """Run the experiment and print its digest."""
    smaller = ["algorithm.generations=6", "data={ name = 'housing', first = 200 }", "algorithm.islands=2"]
    result = evosdc.run(read_experiment(HERE / "islands.toml", smaller if smoke else []), output)
    click.echo(f"{result['digest']} {result['evaluations']} evaluations")


if __name__ == "__main__":
    main()
