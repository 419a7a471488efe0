"""Masked files put in order before they are judged: labels that were exchanged, then records that rules forbid."""

from typing import NamedTuple

import numpy as np

from evosdc.engine.problem import Problem
from evosdc.model import Mending
from evosdc.table.labels import with_right_labels
from evosdc.table.table import Table


class Mended(NamedTuple):
    """A masked table in order, and the attributes whose labels had to be put right."""

    table: Table
    right_labels: tuple[str, ...]


def mended(problem: Problem, masked: Table) -> Mended:
    """Return a masked file as a search may start from it.

    Where a constraint bounds a measure of exchanged labels (`evosdc.model.Mending`), attributes above the bound are
    published under the labels that most of their records have. Then records that rules forbid are repaired
    (`evosdc.engine.class_keeping.Repair`).

    Parameters
    ----------
    problem : Problem
    masked : Table
        The protected attributes, in the original's categories.
    """
    microdata = problem.genotype.microdata
    wrong: dict[str, None] = {}
    for constraint in problem.constraints.listed:
        fitted = problem.measures.get(constraint.figure_name)
        if isinstance(fitted, Mending) and constraint.operator == "<=":
            wrong |= dict.fromkeys(fitted.wrongly_labelled(masked, constraint.bound))
    righted = with_right_labels(microdata.original, masked, tuple(wrong)) if wrong else masked
    # Where missing values were exchanged, nothing can be put right.
    changed = tuple(name for name in wrong if not np.array_equal(masked.column(name), righted.column(name)))
    return Mended(problem.repair.repaired(righted), changed)
