"""Informed linkage where the transition matrices are known: from a file, and in expectation over its draws."""

from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import EvaluationError, Fault, FaultCollector, ParameterError
from evosdc.randomisation.expectation import with_missing
from evosdc.randomisation.matrix_file import LabelledMatrix, read_matrices, stochastic
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Table
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.prefix_tree import tree_of

MOST_RECORDS = 1 << 18  # Records that may be published, up to which an expectation is computed
_WHERE = "measure informed-linkage: matrices"


def matrices_by_attribute(path: Path, schema: Schema) -> dict[str, Matrix]:
    """Return the transition matrices of a file by attribute of a schema; those of other attributes are left out."""
    # Categories that a matrix lacks stay what they are.
    found: dict[str, Matrix] = {}
    collect = FaultCollector()
    for one in read_matrices(path):
        with collect.step():
            names = one.attributes or (schema.names if len(schema) == 1 else ())
            if len(names) != 1:
                named = ", ".join(names) or "no attribute in particular"
                advice = "Leave `matrices` out: the transitions are then estimated from the file."
                raise ParameterError(Fault(_WHERE, f"a matrix of {named}", "one for each single attribute", advice))
            if names[0] in schema:
                found[names[0]] = _on(stochastic(one), schema[names[0]])
    if not collect.faults and not found:
        collect.faults.append(
            Fault(_WHERE, f"{path}, with none of the attributes", f"one of {', '.join(schema.names)}")
        )
    if collect.faults:
        raise ParameterError(collect.faults)
    return found


def _on(given: LabelledMatrix, attribute: Attribute) -> Matrix:
    """Return a matrix between all categories of an attribute."""
    labels = [state[0] for state in given.states]
    unknown = [str(label) for label in labels if label not in attribute.code]
    if unknown:
        wanted = f"categories of {attribute.name}"
        raise ParameterError(Fault(f"{_WHERE}: {attribute.name}", f"the category {', '.join(unknown)}", wanted))
    codes = [attribute.code[str(label)] for label in labels]
    matrix = np.identity(len(attribute.categories))
    matrix[np.ix_(codes, codes)] = given.matrix
    return matrix


def expected_links(original: Table, transitions: Sequence[Matrix]) -> float:
    """Return ``100 sum_y max_x prod_v p_v(y_v | x_v) / n``, x among the originals, y over all possible records."""
    # Where t originals share the greatest probability of y, each of them is linked with 1/t when it publishes y, so
    # that together they count that probability once. Missing values stay.
    gaps = [bool((column < 0).any()) for column in original.codes.T]
    matrices = [with_missing(P) if some else P for P, some in zip(transitions, gaps, strict=True)]
    sizes = np.array([len(matrix) for matrix in matrices], dtype=np.int64)
    possible = prod(sizes.tolist())
    if possible > MOST_RECORDS:
        given = f"informed-linkage: {possible} records may be published, too many for expectations"
        raise EvaluationError(f"{given}; let the genotype draw instead, or protect fewer attributes")
    # A missing value is the last category.
    tree = tree_of((original.codes % sizes).astype(np.int32))
    offsets = np.concatenate(([0], np.cumsum(sizes * sizes)))
    flat = np.concatenate([np.asarray(matrix, dtype=np.float64).T.ravel() for matrix in matrices])
    total = float(_greatest_chances(tree.order, tree.roots, tree.nodes, sizes, offsets, flat))
    return min(100.0 * total / len(original), 100.0)


@njit(cache=True)
def _greatest_chances(
    order: Integers, roots: int, nodes: Counts, sizes: Integers, offsets: Integers, flat: NDArray[np.float64]
) -> float:
    """Return the sum over all records of the greatest probability that an original of the tree has of publishing it."""
    last = len(order) - 1
    record = np.zeros(last + 1, np.int64)
    current, ends = np.empty(last + 1, np.int64), np.empty(last + 1, np.int64)
    chances, most = np.empty(last + 1), np.empty(last + 2)
    total, level = 0.0, 0
    while level >= 0:
        # The greatest probability of this record, and of what follows each level whatever the original.
        most[last + 1] = 1.0
        for place in range(last, -1, -1):
            v = order[place]
            base = offsets[v] + record[v] * sizes[v]
            most[place] = most[place + 1] * flat[base : base + sizes[v]].max()
        best, level = 0.0, 0
        current[0], ends[0], chances[0] = 0, roots, 1.0
        while level >= 0:
            node = current[level]
            if node == ends[level]:
                level -= 1
                continue
            current[level] = node + 1
            v = order[level]
            chance = chances[level] * flat[offsets[v] + record[v] * sizes[v] + nodes[node, 0]]
            if chance * most[level + 1] <= best:
                continue
            if level < last:
                level += 1
                current[level], ends[level], chances[level] = nodes[node, 1], nodes[node, 2], chance
            else:
                best = chance
        total += best
        # The next record, the last attribute first; below 0 after the last one.
        level = last
        while level >= 0 and record[level] == sizes[level] - 1:
            record[level] = 0
            level -= 1
        if level >= 0:
            record[level] += 1
    return total
