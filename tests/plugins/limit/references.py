"""Slow and obviously right: all subsets in one linear program, and the scores of files by the registered measures."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog

from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, MissingRule, Scale, Schema
from evosdc.table.table import Table
from evosdc_limit.objective import Objective


def whole_program(objective: Objective, t: float) -> float:
    """Return the optimum of the program of the definition, with a column for every set and published category."""
    attributes = objective.attributes
    V = len(attributes)
    loss, guess = 100.0 / (V * len(objective.losses)), (50.0 if objective.linkage else 100.0) / V
    cost, sets = [], []
    for v, terms in enumerate(attributes):
        A = len(terms.originals)
        for S in chain.from_iterable(combinations(range(A), k) for k in range(1, A + 1)):
            for b in range(len(terms.published)):
                il = loss * np.mean([terms.distances[b, a] for a in S]) * ("dbil" in objective.losses)
                if terms.bits > 0:
                    il += loss * np.log2(len(S)) / terms.bits * ("ebil" in objective.losses)
                base = max(terms.frequencies)
                gain = objective.guess == "guess-gain"
                slope = 0.0 if gain and base == 1.0 else 1.0 / (1.0 - base) if gain else 1.0
                dr = guess * slope * (1.0 / len(S) - (base if gain else 0.0))
                cost.append(t * il + (1 - t) * dr)
                sets.append((v, S, b))
    tables = [F for size in (1, 2) for F in combinations(range(V), size)] if "ctbil" in objective.losses else []
    published = [(v, b) for v, terms in enumerate(attributes) for b in range(len(terms.published))]
    m, e = len(sets), len(published)
    cost += [0.0] * e + [t * 100.0 / (len(objective.losses) * len(tables)) for _ in tables]
    equal, right, below, most = [], [], [], []
    for v, terms in enumerate(attributes):
        for a in range(len(terms.originals)):
            equal.append([1.0 / len(S) if v == w and a in S else 0.0 for w, S, _ in sets] + [0.0] * (e + len(tables)))
            right.append(terms.frequencies[a])
    for place, (v, b) in enumerate(published):
        row = [float((v, b) == (w, c)) for w, _, c in sets] + [0.0] * (e + len(tables))
        row[m + place] = -1.0
        below.append(row)
        most.append(attributes[v].shares[b])
    for number, F in enumerate(tables):
        for v in F:
            row = [0.0] * m + [float(w == v) for w, _ in published] + [0.0] * len(tables)
            row[m + e + number] = -1.0
            below.append(row)
            most.append(0.0)
    found = linprog(cost, np.array(below), most, np.array(equal), right, method="highs")
    assert found.success, found.message
    return float(found.fun)


def scores(original: Table, masked: Table, guess: str = "guess") -> tuple[float, float]:
    """Return IL and DR, linkages taken as 0, by the registered measures."""
    il = float(np.mean([_score(name, original, masked) for name in ("dbil", "ctbil", "ebil")]))
    if guess == "guess":
        return il, _score("best-guess", original, masked) / 2.0
    gains = []
    for name in original.schema.names:
        one = original.select([name])
        base = np.unique(one.codes, return_counts=True)[1].max() / len(one)
        found = _score("best-guess", one, masked.select([name])) / 100.0
        gains.append(0.0 if base == 1.0 else (found - base) / (1.0 - base))
    return il, 50.0 * float(np.mean(gains))


def _score(name: str, original: Table, masked: Table) -> float:
    return float(default_registry().build("measure", name, {}).fit(original).score(masked))


def table_of(codes: np.ndarray, sizes: list[int], ordinal: list[bool], na: MissingRule = MissingRule.CATEGORY) -> Table:
    """Return a table with categories named by their codes."""
    attributes = tuple(
        Attribute(f"a{v}", scale=Scale.ORDINAL if o else Scale.NOMINAL, categories=tuple(map(str, range(size))))
        for v, (size, o) in enumerate(zip(sizes, ordinal, strict=True))
    )
    return Table(Schema(attributes, na=na), codes.astype(np.int32), np.zeros((len(codes), 0)))


@st.composite
def tables(draw: st.DrawFn, records: int = 14, attributes: int = 3, categories: int = 4) -> Table:
    """Return small tables, nominal and ordinal, with and without missing values, under both rules for them."""
    V = draw(st.integers(1, attributes))
    sizes = draw(st.lists(st.integers(1, categories), min_size=V, max_size=V))
    ordinal = draw(st.lists(st.booleans(), min_size=V, max_size=V))
    na = draw(st.sampled_from([MissingRule.CATEGORY, MissingRule.WILDCARD]))
    n = draw(st.integers(1, records))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    least = draw(st.sampled_from([-1, 0]))
    return table_of(np.column_stack([rng.integers(least, size, n) for size in sizes]), sizes, ordinal, na)
