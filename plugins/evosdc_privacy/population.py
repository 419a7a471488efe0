"""How many members of the population have a key of the file, by a population file or by sampling weights."""

import numpy as np
from numpy.typing import NDArray

from evosdc.model import IntruderView, MissingMatch, Parameters
from evosdc.table.equivalence import Classes, equivalence_classes, ranks, told_apart
from evosdc.table.hierarchy import ROOT
from evosdc.table.table import MISSING, Codes, Numbers
from evosdc.table.wildcard_tree import matching_sums, prefix_tree

POPULATION_NEEDED = "a file of the population or sampling weights"


def joint_codes(view: IntruderView) -> Codes:
    """Return the keys of the file's records and then of the population's, in one coding, shape (n + N, V)."""
    assert view.population is not None
    both = (view.table, view.population)
    columns = []
    for name in view.quasi_identifiers:
        column = np.concatenate([table.column(name) for table in both])
        columns.append(column if view.table.schema[name].categorical else ranks(column))
    codes = np.ascontiguousarray(np.column_stack(columns).astype(np.int32))
    return told_apart(codes) if view.missing is MissingMatch.NEVER else codes


def suppressed_records(view: IntruderView) -> NDArray[np.bool_]:
    """Return which records are published as ``*`` wherever a generalised file has it, shape (n,): they point to nobody.

    None where that is all of them: then values were recoded, and no record left out.
    """
    wiped, rooted = np.ones(len(view.table), dtype=np.bool_), False
    for name in view.quasi_identifiers:
        attribute = view.table.schema[name]
        roots = {ROOT} if attribute.hierarchy is None else {ROOT, attribute.hierarchy.levels[0][-1]}
        leaves = () if attribute.hierarchy is None else attribute.hierarchy.position
        codes = [attribute.code[label] for label in roots if label in attribute.code and label not in leaves]
        if attribute.categorical and codes:
            wiped &= np.isin(view.table.column(name), codes)
            rooted = True
    return wiped if rooted and not wiped.all() else np.zeros(len(view.table), dtype=np.bool_)


def matched(view: IntruderView) -> tuple[Classes, NDArray[np.int64], Numbers, NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys of file and population together, and how many of both match each.

    Returns
    -------
    classes : Classes
        Of the records of the file, then the members of the population.
    found : ndarray of int64, shape (m,)
        Records of the file that match a key; suppressed ones match none.
    everyone : ndarray of float64, shape (m,)
        Members of the population that match it.
    inside, own : ndarray of int64, shape (m,)
        Records, and members, that have the key itself.
    """
    n, codes = len(view.table), joint_codes(view)
    classes = equivalence_classes(codes)
    kept = ~suppressed_records(view)
    inside = np.bincount(classes.of[:n][kept], minlength=len(classes)).astype(np.int64)
    own = classes.counts - np.bincount(classes.of[:n], minlength=len(classes)).astype(np.int64)
    found, everyone = inside, own.astype(np.float64)
    keys = codes[classes.first]
    if view.missing is MissingMatch.WILDCARD and bool((keys == MISSING).any()):
        found, everyone = matching_sums(prefix_tree(keys), inside, everyone, keys)
    return classes, found, everyone, inside, own


def population_frequencies(view: IntruderView) -> Numbers:
    """Return how many members of the population share each record's key, shape (n,), at least its frequency.

    Counted in the population file where there is one; else the sum of the sampling weights, or, without weights, the
    frequency in the file itself. A suppressed record is shared by the whole population.
    """
    own = view.frequencies[0].astype(np.float64)[view.classes.of]
    if view.population is None:
        estimated: Numbers = np.maximum(view.frequencies[1][view.classes.of], own)
        return estimated
    classes, _, everyone, _, _ = matched(view)
    counted: Numbers = everyone[classes.of[: len(view.table)]].copy()
    counted[suppressed_records(view)] = float(len(view.population))
    return np.maximum(counted, own)


def population_size(view: IntruderView, params: Parameters | None = None) -> float | None:
    """Return the number of people in the population, at least that of records; None where nothing tells.

    By the parameter `population_size`, the population file or the sum of the sampling weights, whichever is there
    first.
    """
    given = getattr(params, "population_size", None)
    n = float(len(view.table))
    if given is not None:
        return max(float(given), n)
    if view.population is not None:
        return max(float(len(view.population)), n)
    return max(float(view.weights.sum()), n) if view.weights is not None else None
