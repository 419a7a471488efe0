"""Privacy models in constraints: how many offspring a second are judged, followed and from scratch.

Run from the repository's root: ``python -m benchmarks.constraints [--records 1000] [--children 3000]``. The file is
made up: three masked quasi-identifiers, one that is not masked, and a sensitive attribute of five categories. Children
differ from their parent in one record. CPU seconds, on one core; figures have to be the same to the last bit.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from evosdc.engine.followed_headline import FollowedHeadline
from evosdc.engine.followed_sizes import FollowedSizes, follows_sizes
from evosdc.engine.headline import Headline
from evosdc.model import Incremental, Microdata
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
    "population-uniqueness": {"population_size": 100_000},
}
SIZES = (8, 5, 4, 3, 5)


def made_up(records: int) -> Microdata:
    """Return the file."""
    rng = np.random.default_rng(1)
    roles = (*[Role.QUASI_IDENTIFIER] * 4, Role.SENSITIVE)
    schema = Schema(
        tuple(
            Attribute(f"a{v}", role, Scale.ORDINAL, tuple(map(str, range(size))))
            for v, (role, size) in enumerate(zip(roles, SIZES, strict=True))
        )
    )
    codes = np.column_stack([(rng.random(records) ** 2 * size).astype(np.int32) for size in SIZES])
    return Microdata(Table(schema, codes, np.empty((records, 0))), ("a0", "a1", "a2"))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--children", type=int, default=3000)
    options = parser.parse_args()
    microdata, rng = made_up(options.records), np.random.default_rng(2)
    parent = microdata.original
    children = []
    for _ in range(options.children):
        codes, row, v = parent.codes.copy(), int(rng.integers(options.records)), int(rng.integers(3))
        codes[row, v] = (codes[row, v] + 1) % SIZES[v]
        children.append((Table(parent.schema, codes, parent.numbers), np.array([row])))
    print(f"{options.records} records          from scratch/s   followed/s   times")
    for name, params in MODELS.items():
        headline = Headline(default_registry().build("privacy-model", name, params), microdata)
        followed: Incremental[Any] = FollowedSizes(headline) if follows_sizes(headline) else FollowedHeadline(headline)
        state = followed.start(parent)
        followed.value(followed.update(state, *children[0]))
        headline.score(parent)
        began = time.process_time()
        scratch = [headline.score(table) for table, _ in children]
        middle = time.process_time()
        fast = [followed.value(followed.update(state, table, rows)) for table, rows in children]
        end = time.process_time()
        assert scratch == fast
        rates = options.children / (middle - began), options.children / (end - middle)
        print(f"{name:22} {rates[0]:14.0f} {rates[1]:12.0f} {rates[1] / rates[0]:7.1f}", flush=True)


if __name__ == "__main__":
    main()
