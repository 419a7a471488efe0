"""Speed of the measures of an informed intruder: in whole searches, and of large files from scratch.

Run from the repository's root: ``python -m benchmarks.informed [EXPERIMENT.toml] [--evaluations N] [--smoke]``.

The first table sets searches with the six measures of the thesis beside searches with guesses and informed linkage,
with ``relabelling`` as a constraint besides, and with all that ``evosdc protect`` judges by: offspring a second by the
journal's clock and by the processor's. A loaded machine slows the clock most, and both alike. Searches are repeated in
turn, and the medians reported. The last column leaves out children that are known already, which cost nothing: with the
six measures of the thesis `parent-child` makes many of them.

The second table links files of 8 attributes from scratch: Adult's complete records, with EVOSDC_DATA set, whose two
halves of attributes are joined again at random up to 300 000 records; and records of random categories, nearly all
distinct.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from time import process_time

import click
import numpy as np

from benchmarks.engine import HOUSING, searched
from benchmarks.measures import load, noisy
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc_measures.linkage.informed import InformedLinkage

THESIS = ("measures={ il = ['dbil', 'ctbil', 'ebil'], dr = ['id', 'dbrl', 'prl'] }",)
INFORMED = ("measures={ il = ['dbil', 'ctbil', 'ebil'], dr = ['guess-gain', 'dbrl', 'prl', 'informed-linkage'] }",)
CONSTRAINED = (
    "measures={ il = ['dbil', 'ctbil', 'ebil'], dr = ['guess-gain', 'dbrl', 'prl', 'informed-linkage'], "
    "other = ['relabelling'] }",
    "constraints=['relabelling <= 3']",
)
PROTECT = (
    "measures={ il = ['ctbil', 'ctbil-across'], dr = ['dbrl', 'prl', 'informed-linkage', 'ranked-linkage'], "
    "risks = 'max', other = ['worst-relabelling'] }",
    "constraints=['worst-relabelling <= 3']",
    "structural_zeros=true",
)
"""Measures and constraints of ``evosdc protect`` where all protected attributes are quasi-identifiers."""

SEARCHES = {"thesis": THESIS, "informed": INFORMED, "with relabelling": CONSTRAINED, "protect": PROTECT}


def compare_searches(path: Path, algorithm: str, evaluations: int, repeats: int) -> None:
    """Print the speed of an algorithm under each set of measures."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in SEARCHES}
    for settings in SEARCHES.values():
        searched(path, algorithm, evaluations, settings)  # compiles, also what is needed first after many rounds
    for _ in range(repeats):
        for name, settings in SEARCHES.items():
            found[name].append(searched(path, algorithm, evaluations, settings))
    columns = (("offspring", "seconds"), ("offspring", "processor"), ("evaluated", "processor"))
    speeds = {
        name: [median(run[count] / run[clock] for run in runs) for count, clock in columns]
        for name, runs in found.items()
    }
    for name, (by_clock, by_processor, evaluated) in speeds.items():
        share, fresh = by_processor / speeds["thesis"][1], evaluated / speeds["thesis"][2]
        click.echo(f"{algorithm:<14}{name:<18}{by_clock:>13.0f}{by_processor:>14.0f}{share:>12.2f}{fresh:>12.2f}")


def joined_anew(adult: Table, n: int, rng: np.random.Generator) -> Table:
    """Return n records whose first and last attributes are those of two of Adult's."""
    half = adult.codes.shape[1] // 2
    codes = np.hstack(
        [adult.codes[rng.integers(0, len(adult), n)][:, part] for part in (slice(half), slice(half, None))]
    )
    return Table(adult.schema, codes, np.empty((n, 0)))


def uniform(n: int, rng: np.random.Generator) -> Table:
    """Return n records of 8 attributes with 10 categories each."""
    labels = tuple("abcdefghij")
    schema = Schema(tuple(Attribute(f"v{v}", scale=Scale.NOMINAL, categories=labels) for v in range(8)))
    return Table(schema, rng.integers(0, 10, (n, 8)).astype(np.int32), np.empty((n, 0)))


def link_large(name: str, original: Table, rng: np.random.Generator) -> None:
    """Print the time to fit and to link a file at several amounts of noise."""
    distinct = len(np.unique(original.codes, axis=0))
    measure = InformedLinkage(InformedLinkage.Params())
    few = original.take(np.arange(10))
    measure.fit(few).score(few)  # compiles
    for share in (0.2, 0.6, 1.0):
        masked = noisy(original, share, rng)
        times = [process_time()]
        fitted = measure.fit(original)
        times.append(process_time())
        score = fitted.score(masked)
        times.append(process_time())
        fit, link = np.diff(times)
        click.echo(f"{name:<10}{len(original):>9}{distinct:>10}{share:>8.0%}{fit:>10.2f}{link:>10.2f}{score:>10.4f}")


@click.command()
@click.argument("experiment", type=click.Path(exists=True, dir_okay=False, path_type=Path), default=HOUSING)
@click.option("--evaluations", default=20_000, show_default=True, help="offspring of each search")
@click.option("--repeats", default=3, show_default=True, help="searches of each kind")
@click.option("--smoke", is_flag=True, help="a few evaluations and records, to see that it works")
def main(experiment: Path, evaluations: int, repeats: int, smoke: bool) -> None:
    """Print how fast searches with informed measures are, and how fast large files are linked."""
    click.echo(
        f"{'algorithm':<14}{'measures':<18}{'offspring/s':>13}{'by processor':>14}{'to thesis':>12}{'evaluated':>12}"
    )
    for algorithm in ("parent-child", "memetic"):
        compare_searches(experiment, algorithm, 400 if smoke else evaluations, 1 if smoke else repeats)
    n, rng = 2000 if smoke else 300_000, np.random.default_rng(2024)
    adult = load("adult", rng)
    complete = adult.take(np.flatnonzero((adult.codes >= 0).all(axis=1)))
    click.echo(f"\n{'file':<10}{'records':>9}{'distinct':>10}{'noise':>8}{'fit, s':>10}{'link, s':>10}{'score':>10}")
    link_large("adult", joined_anew(complete, n, rng), rng)
    link_large("uniform", uniform(n, rng), rng)


if __name__ == "__main__":
    main()
