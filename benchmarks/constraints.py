"""Privacy models in constraints: how many offspring a second are judged, tracked as a search does and from scratch.

Run from the repository's root: ``python -m benchmarks.constraints [--records N ...]``. Files are made up: three masked
quasi-identifiers, one that is not masked, and a sensitive attribute of five categories; once with few keys, so that
many records share one, and once with many. A tracker scores 40 children of one parent at a time, which differ
from it in one record, and then updates to one of them. CPU seconds, on one core; scores are those from scratch.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import click
import numpy as np

from evosdc.engine.headline import Headline
from evosdc.model import Changes, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

MODELS: dict[str, dict[str, float]] = {
    "k-anonymity": {},
    "p-sensitivity": {},
    "l-diversity": {},
    "t-closeness": {},
    "beta-likeness": {},
    "average-risk": {},
    "population-uniqueness": {"population_size": 10_000_000},
}
CHILDREN = 40
SECONDS = 2.0
"""After which a tracker is no longer timed."""
KEYS = {"few keys": (8, 5, 4, 3, 5), "many keys": (60, 50, 40, 3, 5)}


def made_up(records: int, sizes: Sequence[int]) -> Microdata:
    """Return the file."""
    rng = np.random.default_rng(1)
    roles = (*[Role.QUASI_IDENTIFIER] * 4, Role.SENSITIVE)
    schema = Schema(
        tuple(
            Attribute(f"a{v}", role, Scale.ORDINAL, tuple(map(str, range(size))))
            for v, (role, size) in enumerate(zip(roles, sizes, strict=True))
        )
    )
    codes = np.column_stack([(rng.random(records) ** 2 * size).astype(np.int32) for size in sizes])
    return Microdata(Table(schema, codes, np.empty((records, 0))), ("a0", "a1", "a2"))


def children_of(table: Table, sizes: Sequence[int], rng: np.random.Generator) -> Changes:
    """Return children that each change one value of one record."""
    rows = np.full(CHILDREN, rng.integers(len(table)), dtype=np.intp)
    before = table.take(rows)
    codes, children = before.codes.copy(), np.arange(CHILDREN)
    attributes = rng.integers(0, 3, CHILDREN)
    codes[children, attributes] = rng.integers(0, np.array(sizes)[attributes])
    return Changes(children + 1, rows, before, Table(table.schema, codes, before.numbers))


def rates(model: str, records: int, sizes: Sequence[int], rounds: int) -> tuple[float, float, float]:
    """Return how many children a second are judged from scratch and tracked, and the seconds of an update to one."""
    microdata, rng = made_up(records, sizes), np.random.default_rng(2)
    headline = Headline(default_registry().build("privacy-model", model, MODELS[model]), microdata)
    table, spent, taken, done = microdata.original, 0.0, 0.0, 0
    tracker = headline.track(table)
    while done < rounds and spent < SECONDS:
        changes = children_of(table, sizes, rng)
        began = time.process_time()
        scores = tracker.tries(changes)
        middle = time.process_time()
        tracker.take(changes.part(0, 1))
        assert abs(tracker.score - scores[0]) <= 1e-9 * max(1.0, abs(scores[0]))
        # Compilation in the first round does not count.
        if done:
            spent, taken = spent + middle - began, taken + time.process_time() - middle
        table = changes.part(0, 1).applied_to(table)
        done += 1
    again = max(1, min(500, 200_000 // records))
    began = time.process_time()
    for _ in range(again):
        score = headline.score(Table(table.schema, table.codes, table.numbers))
    scratch = again / (time.process_time() - began)
    assert abs(score - tracker.score) <= 1e-9 * max(1.0, abs(score))
    return scratch, CHILDREN * (done - 1) / spent, taken / (done - 1)


@click.command(help=__doc__)
@click.option("--records", "lengths", type=int, multiple=True, default=(1000, 100_000, 1_000_000))
@click.option("--rounds", default=200)
@click.option("--smoke", is_flag=True, help="A short file alone, to see that it works.")
def main(lengths: tuple[int, ...], rounds: int, smoke: bool) -> None:
    """Print a table for each kind of file."""
    if smoke:
        lengths, rounds = (1000, 6000), 5
    for name, sizes in KEYS.items():
        print(f"{name:22}{'records':>9}{'from scratch/s':>16}{'tracked/s':>12}{'times':>9}{'gone on to, ms':>16}")
        for model in MODELS:
            for records in lengths:
                scratch, fast, taken = rates(model, records, sizes, rounds)
                numbers = f"{scratch:>16.1f}{fast:>12.0f}{fast / scratch:>9.0f}{1e3 * taken:>16.3f}"
                print(f"{model:22}{records:>9}{numbers}", flush=True)


if __name__ == "__main__":
    main()
