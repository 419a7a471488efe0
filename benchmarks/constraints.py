"""Privacy models in constraints: how many offspring a second are judged, followed as a search does and from scratch.

Run from the repository's root: ``python -m benchmarks.constraints [--records N ...] [--children 2000]``. Files are made
up: three masked quasi-identifiers, one that is not masked, and a sensitive attribute of five categories; once with few
keys, so that many records share one, and once with many. Children differ from their parent in one record, and every
tenth is the next parent. States of short files are copied, those of longer ones travel. CPU seconds, on one core;
figures have to be the same to the last bit.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from evosdc.engine.followed_headline import FollowedHeadline, follows
from evosdc.engine.followed_sizes import FollowedSizes, follows_sizes
from evosdc.engine.headline import Headline
from evosdc.engine.travelling import LEAST_CELLS
from evosdc.model import Incremental, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Rows, Table

MODELS: dict[str, dict[str, float]] = {
    "k-anonymity": {},
    "p-sensitivity": {},
    "l-diversity": {},
    "t-closeness": {},
    "beta-likeness": {},
    "average-risk": {},
    "population-uniqueness": {"population_size": 10_000_000},
}
FIRST, FEWEST = 20, 40
"""Children that are judged before the clock starts, and at least in all."""
SECONDS = 5.0
"""After which no further child is asked for: some estimates take a tenth of a second."""
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


class Wandering:
    """Two versions of a file that take turns: a step sets what differs, as tables that travel do.

    Parameters
    ----------
    parent : Table
    sizes : sequence of int
        Categories of its attributes.
    """

    def __init__(self, parent: Table, sizes: Sequence[int]) -> None:
        self._versions = [parent.codes.copy() for _ in range(2)]
        self._numbers, self._schema, self._sizes = parent.numbers, parent.schema, sizes
        self._behind, self._undo = np.zeros(0, dtype=np.intp), None
        self._rng, self._step = np.random.default_rng(2), 0

    def child(self) -> tuple[Table, Rows]:
        """Return the next child, and the records in which it differs from the one before it."""
        before, after = self._versions
        after[self._behind] = before[self._behind]
        rows = set()
        if self._undo is not None:
            row, v, code = self._undo
            after[row, v] = code
            rows.add(row)
        row, v = int(self._rng.integers(len(after))), int(self._rng.integers(3))
        kept = self._step % 10 == 9
        self._undo = None if kept else (row, v, int(after[row, v]))
        after[row, v] = (after[row, v] + 1) % self._sizes[v]
        rows.add(row)
        self._step += 1
        self._versions = [after, before]
        self._behind = np.array(sorted(rows), dtype=np.intp)
        view = after.view()
        view.flags.writeable = False
        return Table(self._schema, view, self._numbers), self._behind


def rates(model: str, records: int, sizes: Sequence[int], children: int) -> tuple[float, float, bool]:
    """Return how many children a second are judged from scratch and followed, and whether states were copied."""
    microdata = made_up(records, sizes)
    headline = Headline(default_registry().build("privacy-model", model, MODELS[model]), microdata)
    assert follows(headline) or follows_sizes(headline)
    followed: Incremental[Any] = FollowedSizes(headline) if follows_sizes(headline) else FollowedHeadline(headline)
    copies = microdata.original.codes.size < LEAST_CELLS
    ask, wandering = followed.update if copies else followed.follow, Wandering(microdata.original, sizes)
    state, spent, judged = followed.start(microdata.original), 0.0, 0
    while judged < children and (judged < FEWEST or spent < SECONDS):
        child, rows = wandering.child()
        if judged == FIRST:
            spent = 0.0
        began = time.process_time()
        state = ask(state, child, rows)
        value = followed.value(state)
        spent += time.process_time() - began
        judged += 1
    again = max(1, min(children, 200_000 // records))
    began = time.process_time()
    for _ in range(again):
        assert headline.score(Table(child.schema, child.codes, child.numbers)) == value
    return again / (time.process_time() - began), (judged - FIRST) / spent, copies


@click.command(help=__doc__)
@click.option("--records", "lengths", type=int, multiple=True, default=(1000, 100_000, 1_000_000))
@click.option("--children", default=2000)
@click.option("--smoke", is_flag=True, help="A short file alone, to see that it works.")
def main(lengths: tuple[int, ...], children: int, smoke: bool) -> None:
    """Print a table for each kind of file."""
    if smoke:
        lengths, children = (1000, 6000), 50
    for name, sizes in KEYS.items():
        print(f"{name:22}{'records':>9}{'from scratch/s':>16}{'followed/s':>12}{'times':>9}")
        for model in MODELS:
            for records in lengths:
                scratch, fast, copies = rates(model, records, sizes, children)
                how = "  copied" if copies else ""
                print(f"{model:22}{records:>9}{scratch:>16.1f}{fast:>12.0f}{fast / scratch:>9.0f}{how}", flush=True)


if __name__ == "__main__":
    main()
