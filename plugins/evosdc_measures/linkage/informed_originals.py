"""What an informed intruder holds of the originals, whichever way masked records are then linked to them."""

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.transition import Matrix
from evosdc.table.distinct_values import distinct_values, placed_values
from evosdc.table.table import Codes, Table
from evosdc_measures.domains import Integers
from evosdc_measures.linkage.likelihood import Behind, behind, costs_of_matrix
from evosdc_measures.linkage.prefix_tree import tree_of
from evosdc_measures.linkage.rivals import Originals

FOLLOWED_CELLS = 1 << 16
"""Greatest number of joint counts that a state holds; with more, a file is linked anew after each change."""
MOST_CELLS = 1 << 26
"""Greatest number of joint counts of a file."""


class InformedOriginals:
    """The originals as a tree, and the layout of the counts by original and published category.

    Parameters
    ----------
    original : Table
    matrices : mapping of str to ndarray of float64, shape (c, c)
        Known transition matrices, by attribute.
    measure : str
        What the measure is called in errors.
    """

    def __init__(self, original: Table, matrices: dict[str, Matrix], measure: str) -> None:
        n = len(original)
        attributes = original.schema.categorical
        self._original = original
        self._rows = np.array([len(a.categories) + 1 for a in attributes], dtype=np.int64)
        given = np.array([a.name in matrices for a in attributes], dtype=np.bool_)
        model, self._frequencies = behind(original.codes, self._rows, given)
        self._follows = bool(model.offsets[-1] <= FOLLOWED_CELLS)
        self._known = {
            v: costs_of_matrix(matrices[a.name], distinct_values(original.codes[:, v]))
            for v, a in enumerate(attributes)
            if a.name in matrices
        }
        published = self._rows if self._known else np.minimum(self._rows, n)
        _require_few_cells(published * model.strides, [a.name for a in attributes], measure)
        self._originals = Originals(model, tree_of(model.own))

    def _narrowed(self, codes: Codes) -> tuple[Codes, Behind]:
        """Return codes and layout; of many categories, those alone that the file publishes are given room."""
        if self._follows or self._known:
            return codes, self._originals.model
        narrow, rows = np.empty_like(codes), np.empty_like(self._rows)
        for v in range(codes.shape[1]):
            occurring, place, _ = placed_values(codes[:, v])
            narrow[:, v], rows[v] = place - 1, len(occurring)
        return narrow, self._originals.model.with_rows(rows)


def _require_few_cells(cells: Integers, names: list[str], measure: str) -> None:
    if cells.sum() > MOST_CELLS:
        given = f"{names[int(cells.argmax())]} with too many categories for a table by original and masked category"
        advice = "Merge its categories, or declare it numeric: numbers are taken by classes."
        wanted = f"tables of at most {MOST_CELLS} cells, all attributes together"
        raise ParameterError(Fault(f"measure {measure}: attributes", given, wanted, advice))
