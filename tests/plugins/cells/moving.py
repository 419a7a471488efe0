"""Moves of files, and which ones may be made, in the slowest way."""

import numpy as np

from evosdc.table.table import MISSING


def moved(cells, parent, kind, rng, costs=None):
    """Return the file after one move; with `costs` its records are drawn by these."""
    through = None if costs is None else np.cumsum(costs, dtype=np.float64)
    return cells.changed(parent, cells.moved(parent, [kind], [costs is not None], through, rng))


def children(cells, parent, change):
    """Return the files of several children."""
    return [cells.changed(parent, change.part(place, place + 1)) for place in range(len(change.ends))]


def assert_same_changes(one, other):
    for a, b in zip(one[:2], other[:2], strict=True):
        assert a.tolist() == b.tolist()
    for a, b in zip(one[2:], other[2:], strict=True):
        assert a.same_records(b)


def gray(number):
    return number ^ (number >> 1)


class Allowed:
    """Which moves of single records may be made in a file, by what is said of them.

    Parameters
    ----------
    cells : Cells
    parent : ndarray or FileBlocks
    """

    def __init__(self, cells, parent):
        self.cells, self.parent = cells, np.asarray(parent).tolist()
        self.original = np.asarray(cells.seeded(cells.microdata.original)).tolist()
        original = cells.microdata.original
        self.attributes = (*original.schema.categorical, *original.schema.numeric)
        self.missing = [bool(original.absent(a.name).any()) for a in self.attributes]
        categorical = len(original.schema.categorical)
        # A number of the original's range is `reach` to `2 reach`.
        self.reach = [0] * categorical + [
            round((np.nanmax(column) - np.nanmin(column)) * 10**a.decimals) if not np.isnan(column).all() else 0
            for a, column in zip(original.schema.numeric, original.numbers.T, strict=True)
        ]

    def fits(self, row, record):
        """Whether a record keeps all rules."""
        if self.cells.microdata.rules is None:
            return True
        genes = np.array([record])
        genes = self.cells.load({"cells": np.repeat(genes, len(self.parent), axis=0)})
        one = self.cells.decode_records(genes, np.array([row]))
        return not self.cells.microdata.rules.broken(one, np.array([row], dtype=np.intp)).any()

    def other_value(self, v, before, after):
        """Whether a cell may get another value so."""
        attribute, reach = self.attributes[v], self.reach[v]
        if after == before or (after == MISSING and not self.missing[v]):
            return False
        if attribute.categorical:
            size = len(attribute.categories)
            near = self.cells.params.steps and attribute.scale == "ordinal" and before != MISSING and size > 1
            return abs(after - before) == 1 and after != MISSING if near else after < size
        if after == MISSING:
            return True
        if before == MISSING:
            return reach <= after <= 2 * reach
        inside, now = min(max(before - reach, 0), reach), after - reach
        one_bit = (gray(inside) ^ gray(now)).bit_count() == 1 if now >= 0 else False
        return 0 <= now <= reach and now != inside and (one_bit or self.cells.params.numbers == "gaussian")

    def value(self, row, after):
        """Whether one cell of a record may get another value so."""
        before = self.parent[row]
        changed = [v for v in range(len(before)) if before[v] != after[v]]
        return len(changed) == 1 and self.other_value(changed[0], before[changed[0]], after[changed[0]])

    def categories(self, row):
        """Return the records that another category of some attribute makes of one."""
        before = self.parent[row]
        made = []
        for v, attribute in enumerate(self.attributes):
            for code in range(MISSING, len(attribute.categories) if attribute.categorical else MISSING):
                if self.other_value(v, before[v], code):
                    made.append([*before[:v], code, *before[v + 1 :]])
        return [record for record in made if self.fits(row, record)]

    def restorations(self, row):
        """Return the records with one cell back to the original."""
        before, original = self.parent[row], self.original[row]
        differing = [v for v in range(len(before)) if before[v] != original[v]]
        return [[*before[:v], original[v], *before[v + 1 :]] for v in differing]

    def exchanges(self, row):
        """Return what two records may become that swap a value, by the other one's position."""
        made = []
        for v in range(len(self.attributes)):
            for other in range(len(self.parent)):
                one, two = list(self.parent[row]), list(self.parent[other])
                if self.original[row][v] == self.original[other][v] and one[v] != two[v]:
                    one[v], two[v] = two[v], one[v]
                    made.append({row: one, other: two})
        return made

    def assert_move(self, kind, row, after):
        """Fail unless a move at a record may make these records of others, by position."""
        assert all(self.fits(place, record) for place, record in after.items()), "a rule is broken"
        if kind == "exchange" and len(after) == 2:
            assert after in self.exchanges(row)
            return
        if not after:
            assert not self.categories(row), "nothing was changed, although a category could be"
            return
        assert list(after) == [row], "another record was changed"
        if kind == "restoration":
            restored = self.restorations(row)
            fitting = [record for record in restored if self.fits(row, record)]
            assert after[row] in fitting or (len(fitting) == len(restored) == 0 or len(fitting) < len(restored))
            if after[row] in fitting:
                return
        if kind == "adoption" and after[row] in self.parent:
            return
        assert self.value(row, after[row]), "no valid value of one cell"
