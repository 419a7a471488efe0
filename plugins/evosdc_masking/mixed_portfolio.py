"""The portfolio of files with categories and numbers."""

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.model import Masking
from evosdc.table.table import MISSING, Table
from evosdc_masking.numeric_portfolio import numbers_only
from evosdc_masking.portfolio import categories_only
from evosdc_masking.swapping.rank_swapping import reach

SWAPS = range(1, 12)
CLASSES = range(2, 10)
QUALITIES = range(10, 101, 10)


def mixed(table: Table) -> list[Masking]:
    """Return the default portfolio of a file that has both categories and numbers, a reconstruction.

    First the methods that mask all attributes: rank swapping (p = 1..11 percent), MDAV and Mondrian (k = 2..9 each).
    Then methods that leave the attributes of the other kind as they are. For categories, as in the portfolio
    `categorical`: PRAM, top, bottom and global coding. For numbers, as in `numeric`: individual ranking, projected
    microaggregation, noise and JPEG. A search combines them by crossover.

    Entries that cannot apply (k > n) or would change nothing are left out. Labels are unique.

    Parameters
    ----------
    table : Table
        The protected attributes.

    Raises
    ------
    ParameterError
        There is no record, or attributes of one kind only.
    """
    names, numbers = (tuple(a.name for a in kind) for kind in (table.schema.categorical, table.schema.numeric))
    if not names or not numbers or len(table) == 0:
        given = "no record" if names and numbers else f"no {'numeric' if names else 'categorical'} attribute"
        advice = "The portfolios categorical and numeric are for attributes of one kind."
        raise ParameterError(Fault("portfolio mixed", given, "records with categories and numbers", advice))
    present = np.concatenate(((table.codes != MISSING).sum(axis=0), (~np.isnan(table.numbers)).sum(axis=0)))
    entries = [Masking("rank-swapping", {"p": p}) for p in SWAPS if reach(int(present.max()), p) >= 1]
    for method in ("mdav", "mondrian"):
        entries += [Masking(method, {"k": k}) for k in CLASSES if k <= len(table)]
    return [*entries, *categories_only(table, names), *numbers_only(table, numbers, QUALITIES)]
