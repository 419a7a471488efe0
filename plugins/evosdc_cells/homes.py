"""Households in a file of cells: what members share changes for all of them at once."""

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Microdata
from evosdc.table.households import households_of, shared_in_households
from evosdc.table.table import Rows
from evosdc_cells.edit_rules import GeneRules
from evosdc_cells.files import File, Genes, records_of
from evosdc_cells.moves import Made


class Homes:
    """Which records live together, and which genes they share."""

    def __init__(self, home: NDArray[np.int64], shared: NDArray[np.intp], rules: GeneRules | None) -> None:
        # Of each record its household, and the records household by household.
        self._home, self._shared, self._rules = home, shared, rules
        self._order = np.argsort(home, kind="stable")
        self._sizes = np.bincount(home)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._first = self._order[self._starts][home]

    def alike(self, genes: Genes, fallback: Genes) -> Genes:
        """Return genes of which members share what they should: the first one's.

        A household of which a record breaks a rule then has the genes of `fallback`, where all is in order.
        """
        genes = genes.copy()
        genes[:, self._shared] = genes[self._first][:, self._shared]
        if self._rules is not None:
            broken = np.zeros(len(self._sizes), dtype=bool)
            broken[self._home[self._rules.broken(genes)]] = True
            genes[broken[self._home]] = fallback[broken[self._home]]
        return genes

    def spread(self, g: File, made: Made) -> Made:
        """Return what children change with all members of the households that they touch.

        Those who did not change are in it, too: changes of several children, put together, take each household from
        one of them. A child that would break a rule changes nothing.
        """
        n, homes = len(self._home), len(self._sizes)
        child, row = np.divmod(made.keys, n)
        of_home = child * homes + self._home[row]
        moved = (made.before[:, self._shared] != made.after[:, self._shared]).any(axis=1)
        touched = np.unique(of_home)
        sizes = self._sizes[touched % homes]
        ends = np.cumsum(sizes)
        places = np.repeat(self._starts[touched % homes] - (ends - sizes), sizes) + np.arange(sizes.sum())
        keys = np.repeat(touched // homes, sizes) * n + self._order[places]
        order = np.argsort(keys)
        keys, owner = keys[order], np.repeat(np.arange(len(touched)), sizes)[order]
        before = records_of(g, keys % n).astype(np.int64)
        after = before.copy()
        after[keys.searchsorted(made.keys)] = made.after
        # Of several members who changed what is shared the first one counts.
        source, first = np.unique(of_home[moved], return_index=True)
        values = np.flatnonzero(moved)[first]
        place = source.searchsorted(touched).clip(max=max(len(source) - 1, 0))
        has = (source[place] == touched)[owner] if len(source) else np.zeros(len(keys), dtype=bool)
        if len(source):
            after[np.ix_(has, self._shared)] = made.after[values[place[owner[has]]]][:, self._shared]
        still = ~has
        after[np.ix_(still, self._shared)] = before[still][:, self._shared]
        if self._rules is not None:
            broken = np.unique(keys[self._rules.broken(after, (keys % n).astype(np.intp))] // n)
            back = np.isin(keys // n, broken)
            after[back] = before[back]
        return Made(keys, before, after)

    def spread_file(self, before: Genes, after: Genes, rows: Rows) -> Genes:
        """Return a file that differs in some records with what they share changed for their households."""
        one = Made(rows.astype(np.int64), before[rows].astype(np.int64), after[rows].astype(np.int64))
        made = self.spread(before, one)
        genes = before.copy()
        genes[made.keys] = made.after
        return genes


def homes_of(microdata: Microdata, rules: GeneRules | None) -> Homes | None:
    """Return the households of a file whose members share masked attributes; None without such."""
    schema, table = microdata.original.schema, microdata.table
    shared = shared_in_households(table, schema.names)
    if not shared:
        return None
    names = [attribute.name for attribute in (*schema.categorical, *schema.numeric)]
    return Homes(households_of(table).of, np.array(sorted(map(names.index, shared)), dtype=np.intp), rules)
