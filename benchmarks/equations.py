"""Equations to matrices: the stack over whole matrices against `deap.gp.compile` called cell by cell, on one core.

Run from the repository's root: ``python -m benchmarks.equations [--repeat 5]``. Trees are random, of 25 to 35 nodes, 30
on average. Both sides must give the same values; the exit status is 1 when they do not, or when the stack makes less
than 20 000 matrices of 10 x 10 a second or is less than 50 times as fast.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from deap import gp
from rich.console import Console
from rich.table import Table as Grid

from evosdc.randomisation.equations.equation import CODE, FUNCTIONS, SYMBOLS, TERMINALS, Equation
from evosdc.randomisation.equations.evaluation import Quantities, matrix_of, quantities, values
from evosdc.secret import random_from
from evosdc_equations.variation import NUMBER, equation_of, grown, primitive_set, tree_of

WANTED_RATE, WANTED_RATIO = 20_000, 50
NAMES = {"+": "plus", "-": "minus", "*": "times", "/": "over", "min": "least", "max": "greatest", "abs": "absolute"}


def closed(value: float) -> float:
    return 0.0 if math.isnan(value) else min(max(value, -1e12), 1e12)


def over(x: float, y: float) -> float:
    try:
        return 1.0 if y == 0 else closed(x / y)
    except OverflowError:
        return math.copysign(1e12, x) * math.copysign(1, y)


PLAIN: dict[str, Callable[..., float]] = {
    "+": lambda x, y: closed(x + y),
    "-": lambda x, y: closed(x - y),
    "*": lambda x, y: closed(x * y),
    "/": over,
    "min": min,
    "max": max,
    "neg": lambda x: -x,
    "abs": abs,
    "sqrt": lambda x: math.sqrt(abs(x)),
    "log": lambda x: math.log1p(abs(x)),
    "if_less": lambda x, y, u, v: u if x < y else v,
}


def compilable() -> gp.PrimitiveSetTyped:
    """Return a set whose functions are plain Python, as a user of DEAP would write it."""
    pset = gp.PrimitiveSetTyped("plain", [NUMBER] * len(TERMINALS), NUMBER)
    pset.renameArguments(**{f"ARG{i}": name for i, name in enumerate(TERMINALS)})
    for name in FUNCTIONS:
        pset.addPrimitive(PLAIN[name], [NUMBER] * SYMBOLS[CODE[name]].arity, NUMBER, NAMES.get(name, name))
    return pset


def plain_tree(equation: Equation, pset: gp.PrimitiveSetTyped) -> gp.PrimitiveTree:
    """Return the equation as a tree of that set."""
    return gp.PrimitiveTree(
        [pset.mapping[NAMES.get(node.name, node.name)] if node.arity else node for node in tree_of(equation)]
    )


def random_equations(count: int, least: int, most: int) -> list[Equation]:
    """Return `count` random trees of `least` to `most` nodes."""
    pset = primitive_set(TERMINALS, FUNCTIONS, constants=True)
    rng, found = np.random.default_rng(1), []
    while len(found) < count:
        tree = grown(pset, 6, random_from(rng), least=3)
        if least <= len(tree) <= most:
            found.append(equation_of(tree))
    return found


def attribute(c: int) -> Quantities:
    codes = np.arange(c)
    T = np.random.default_rng(c).integers(5, 200, c)
    return quantities(T, np.abs(codes[:, None] - codes) / c, True, 0.5)


def seconds(work: Callable[[], Any], repeat: int) -> float:
    """Return the least of `repeat` timings."""
    timings = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        timings.append(time.perf_counter() - began)
    return min(timings)


def cell_by_cell(trees: Sequence[gp.PrimitiveTree], pset: gp.PrimitiveSetTyped, cells: Quantities) -> list[list[float]]:
    columns = [tuple(row) for row in cells.planes[1:].T.tolist()]
    return [[function(*cell) for cell in columns] for function in (gp.compile(tree, pset) for tree in trees)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    equations, pset = random_equations(400, 25, 35), compilable()
    trees = [plain_tree(equation, pset) for equation in equations]
    nodes = sum(map(len, equations)) / len(equations)
    grid = Grid(title=f"{len(equations)} equations of {nodes:.1f} nodes on average, one core")
    for heading in (
        "matrix",
        "stack: values/s",
        "stack: matrices/s",
        "deap.gp.compile: values/s",
        "ratio",
        "same values",
    ):
        grid.add_column(heading, justify="right")
    good = True
    for c in (4, 10, 25):
        cells = attribute(c)
        found = [values(equation, cells) for equation in equations]
        plain = cell_by_cell(trees, pset, cells)
        same = all(np.array_equal(a.ravel(), b) for a, b in zip(found, plain, strict=True))
        stack = seconds(lambda cells=cells: [values(e, cells) for e in equations], repeat)  # type: ignore[misc]
        whole = seconds(lambda cells=cells: [matrix_of(e, cells) for e in equations], repeat)  # type: ignore[misc]
        by_cell = seconds(lambda cells=cells: cell_by_cell(trees, pset, cells), max(1, repeat // 2))  # type: ignore[misc]
        rates = [len(equations) / taken for taken in (stack, whole, by_cell)]
        good = good and same and (c != 10 or (rates[1] >= WANTED_RATE and by_cell / stack >= WANTED_RATIO))
        grid.add_row(
            f"{c} x {c}", *(f"{rate:,.0f}" for rate in rates), f"{by_cell / stack:,.0f}", "yes" if same else "NO"
        )
    Console().print(grid)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
