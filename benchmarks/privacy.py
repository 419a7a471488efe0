"""Privacy models of one file: frequencies, frequencies with wildcards, SUDA2, and k-anonymity within a search.

Run from the repository's root: ``python -m benchmarks.privacy [--smoke]``. CPU seconds, medians, on one core. The files
have 50 000 records and seven attributes of dependent categories. References are plain: pandas for frequencies, a
compiled comparison of all pairs of distinct keys for wildcards, pandas set by set for SUDA2; both sides must agree.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numba import njit
from rich.console import Console
from rich.table import Table as Grid

from evosdc.model import IntruderView, MissingMatch
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import MISSING, Table
from evosdc_privacy.frequencies import KAnonymity
from evosdc_privacy.special_uniques import membership, uniques_of

SIZES = (2, 9, 6, 5, 4, 10, 2)
"""Categories of the attributes, as many as a household survey's roof, walls, water and so on have."""

GOALS = {"frequencies": 0.043 / 3, "frequencies, 2 % wildcards": 13.7 / 50, "SUDA2, all sizes": 0.40}
"""CPU seconds to stay below: sdcMicro's, seen on another machine, divided by what the project asks for."""


def survey(n: int, missing: float = 0.0, seed: int = 1, sizes: tuple[int, ...] = SIZES) -> IntruderView:
    """Return a made-up sample with weights; attributes depend on each other, and values are skewed."""
    rng = np.random.default_rng(seed)
    latent = rng.random(n)
    columns = [
        np.minimum((latent * 0.5 + rng.random(n) ** 2 * 0.7) * size, size - 1).astype(np.int32) for size in sizes
    ]
    codes = np.column_stack(columns)
    codes[rng.random(codes.shape) < missing] = MISSING
    attributes = tuple(Attribute(f"a{v}", categories=tuple(map(str, range(size)))) for v, size in enumerate(sizes))
    table = Table(Schema(attributes), codes, np.empty((n, 0)))
    rule = MissingMatch.WILDCARD if missing else MissingMatch.CATEGORY
    return IntruderView(table, table.schema.names, weights=rng.integers(20, 200, n).astype(np.float64), missing=rule)


def seconds(call: Callable[[], Any], repeat: int) -> float:
    """Return the median CPU time of a call, after one that compiles."""
    call()
    times = []
    for _ in range(repeat):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return median(times)


def by_pandas(view: IntruderView) -> tuple[Any, Any]:
    """Return sample and population frequencies of the records."""
    names = list(view.quasi_identifiers)
    frame = pd.DataFrame(view.table.codes, columns=names).assign(weight=view.weights)
    grouped = frame.groupby(names, sort=False)["weight"]
    return grouped.transform("size").to_numpy(), grouped.transform("sum").to_numpy()


@njit(cache=True)
def by_pairs(keys: Any, counts: Any, weights: Any) -> Any:
    """Return sample and population frequencies of distinct keys, each compared with each."""
    m, columns = keys.shape
    number, weight = np.zeros(m, np.int64), np.zeros(m, np.float64)
    for i in range(m):
        for j in range(m):
            same = True
            for v in range(columns):
                if keys[i, v] != keys[j, v] and keys[i, v] >= 0 and keys[j, v] >= 0:
                    same = False
                    break
            if same:
                number[i] += counts[j]
                weight[i] += weights[j]
    return number, weight


def uniques_by_pandas(view: IntruderView) -> set[tuple[int, tuple[int, ...]]]:
    """Return the minimal sample uniques set by set."""
    codes = pd.DataFrame(view.table.codes)
    found: dict[int, list[frozenset[int]]] = {}
    for size in range(1, codes.shape[1] + 1):
        for chosen in combinations(range(codes.shape[1]), size):
            for record in np.flatnonzero(~codes.duplicated(list(chosen), keep=False).to_numpy()).tolist():
                if not any(smaller <= set(chosen) for smaller in found.get(record, [])):
                    found.setdefault(record, []).append(frozenset(chosen))
    return {(record, tuple(sorted(chosen))) for record, sets in found.items() for chosen in sets}


def report(smoke: bool) -> None:
    """Print the table."""
    n, repeat = (2_000, 1) if smoke else (50_000, 7)
    grid = Grid(title=f"privacy models, {n} records, 7 attributes, CPU seconds (medians of {repeat})")
    for heading in ("what", "evosdc", "plain reference", "times", "to stay below"):
        grid.add_column(heading, justify="left" if heading == "what" else "right")

    def row(what: str, own: float, plain: float | None) -> None:
        goal = f"{GOALS[what]:.4f}" if what in GOALS else "0.0001" if "1000" in what else ""
        beside = ("-", "-") if plain is None else (f"{plain:.4f}", f"{plain / own:.0f}")
        grid.add_row(what, f"{own:.6f}", *beside, goal)

    whole, holed = survey(n), survey(n, 0.02)
    counts, population = whole.frequencies
    plain = by_pandas(whole)
    assert np.array_equal(counts[whole.classes.of], plain[0])
    assert np.allclose(population[whole.classes.of], plain[1])
    row("frequencies", seconds(lambda: replace(whole).frequencies, repeat), seconds(lambda: by_pandas(whole), repeat))

    arguments = (holed.keys, holed.classes.counts, holed.classes.total(weights_of(holed)))
    assert np.array_equal(by_pairs(*arguments)[0], holed.frequencies[0])
    row(
        "frequencies, 2 % wildcards",
        seconds(lambda: replace(holed).frequencies, repeat),
        seconds(lambda: by_pairs(*arguments), 1),
    )

    owner, sets = uniques_of(whole, 7)
    records = whole.classes.first[owner].tolist()
    found = {(r, tuple(np.flatnonzero(held).tolist())) for r, held in zip(records, membership(sets, 7), strict=True)}
    assert found == uniques_by_pandas(whole)
    row(
        "SUDA2, all sizes",
        seconds(lambda: uniques_of(replace(whole), 7), repeat),
        seconds(lambda: uniques_by_pandas(whole), 1),
    )
    row(
        "SUDA2, all sizes, 2 % wildcards",
        seconds(lambda: uniques_of(replace(holed), 7), repeat),
        None,
    )

    small, model = survey(1000, sizes=(25, 8, 21)), KAnonymity(KAnonymity.Params())
    loops = 20 if smoke else 2000
    tables = [Table(small.table.schema, small.table.codes.copy(), small.table.numbers) for _ in range(loops)]

    def searched() -> None:
        for table in tables:
            model.assess(IntruderView(table, small.quasi_identifiers))

    row("k-anonymity, 1000 x 3", seconds(searched, 3) / loops, seconds(lambda: by_pandas(small), repeat))
    Console(width=110).print(grid)
    unique = int(whole.classes.counts[counts == 1].sum())
    print(f"{len(whole.classes)} distinct keys, {unique} unique records; with wildcards {len(holed.classes)} keys.")


def weights_of(view: IntruderView) -> Any:
    """Return the weights, which every survey made here has."""
    assert view.weights is not None
    return view.weights


def main() -> None:
    """Read the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small files, one repetition")
    report(parser.parse_args().smoke)


if __name__ == "__main__":
    main()
