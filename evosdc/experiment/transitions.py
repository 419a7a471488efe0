"""The matrices of a file masked by PRAM, for analysts who correct their counts."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.files.atomic import write_text
from evosdc.printing import csv_text
from evosdc.randomisation.certificate import capacity
from evosdc.randomisation.invariance import marginal_shift, retained
from evosdc.randomisation.transition import Matrix, plain_rows
from evosdc.runs import layout
from evosdc.runs.layout import RunFolder
from evosdc.table.schema import Attribute
from evosdc.table.table import Table

SINGULAR = 1e12  # condition number from which on a matrix is taken for one that has no inverse

_INVARIANT = 1e-9

_WITHHELD = (
    "The matrix is invariant: its stationary distribution is the exact distribution of the original, so giving the "
    "matrix away gives that away. One-way counts of the published file need no correction in expectation."
)
_USE = (
    "Counts T of an attribute are estimated without bias by solving P' T = T_published, two-way counts by applying the "
    "inverses on both sides, and so on. inflation is the factor by which the randomisation enlarges the variance of an "
    "estimated count, against that of a simple random sample published as it is; null for a category whose estimated "
    "count is nobody's or everybody's."
)


def write_transitions(folder: RunFolder, original: Table, masked: Table, matrices: Sequence[Matrix]) -> None:
    """Write ``transitions.json``, ``matrix-ATTRIBUTE.csv`` and ``analyst.json``."""
    # The first two are the custodian's: they hold the original's frequencies, or determine them. The last one holds
    # nothing that cannot be published; the seed is in none of them, since it discloses every draw.
    document = {}
    for attribute, matrix in zip(original.schema.categorical, matrices, strict=True):
        document[attribute.name] = {
            "categories": list(attribute.categories),
            "frequencies": _counts(original, attribute).tolist(),
            "published": _counts(masked, attribute).tolist(),
            "retained": retained(matrix, _counts(original, attribute)),
            "shift": marginal_shift(matrix, _counts(original, attribute)),
            "capacity": capacity([matrix]),
            "matrix": plain_rows(matrix),
        }
    folder.write_json(layout.TRANSITIONS, document)
    for name, file in matrix_files([a.name for a in original.schema.categorical]).items():
        categories, rows = document[name]["categories"], document[name]["matrix"]
        lines = [[category, *map(repr, row)] for category, row in zip(categories, rows, strict=True)]
        write_text(folder.file(file), csv_text([["original", *categories], *lines]))
    folder.write_json(layout.ANALYST, matrices_for_analysts(original, masked, matrices))


def matrix_files(names: Sequence[str]) -> dict[str, str]:
    """Return a file name for each attribute: its name without characters that file systems refuse; unique by number."""
    files: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "attribute"
        file, number = f"matrix-{stem}.csv", 1
        while file in files.values():
            number += 1
            file = f"matrix-{stem}-{number}.csv"
        files[name] = file
    return files


def matrices_for_analysts(original: Table, masked: Table, matrices: Sequence[Matrix]) -> dict[str, Any]:
    """Return what users of the published file may know to correct their estimates."""
    # Reckoned from the published counts, never from the original ones; the original only decides whether a matrix is
    # invariant, in which case it is withheld.
    attributes = {}
    for attribute, matrix in zip(original.schema.categorical, matrices, strict=True):
        if np.array_equal(matrix, np.identity(len(matrix))):
            attributes[attribute.name] = {"randomised": False}
            continue
        entry: dict[str, Any] = {"randomised": True, "categories": list(attribute.categories)}
        withheld = marginal_shift(matrix, _counts(original, attribute)) < _INVARIANT
        entry |= {"invariant": withheld, "matrix": None if withheld else plain_rows(matrix)}
        entry |= correction_figures(matrix, _counts(masked, attribute))
        attributes[attribute.name] = entry | ({"note": _WITHHELD} if withheld else {})
    return {"method": "post-randomisation (PRAM)", "use": _USE, "attributes": attributes}


def correction_figures(matrix: Matrix, published: NDArray[np.int64]) -> dict[str, Any]:
    """Return the condition of a matrix, and the loss of precision by correction with its inverse."""
    condition = float(np.linalg.cond(matrix)) if len(matrix) else 1.0
    if not condition < SINGULAR:
        return {"condition": None, "inflation": None}
    inverse = np.linalg.inv(matrix)
    total = float(published.sum())
    estimated = np.clip(published @ inverse, 0.0, total)
    spread = np.diag(estimated @ matrix) - matrix.T @ (estimated[:, None] * matrix)
    added = np.diagonal(inverse.T @ spread @ inverse)
    sampling = estimated * (1.0 - estimated / max(total, 1.0))
    inflation = [
        1.0 + max(float(extra), 0.0) / float(base) if base > 1e-6 * max(total, 1.0) else None
        for extra, base in zip(added, sampling, strict=True)
    ]
    return {"condition": condition, "inflation": inflation}


def _counts(table: Table, attribute: Attribute) -> NDArray[np.int64]:
    column = table.column(attribute.name)
    return np.bincount(column[column >= 0].astype(np.intp), minlength=len(attribute.categories)).astype(np.int64)
