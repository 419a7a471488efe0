"""The key of each record in a masked file, as one number, for privacy models that a search follows."""

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.class_following import radix_of
from evosdc.engine.headline import Headline
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.schema import MissingRule
from evosdc.table.table import Codes, Rows


class ClassKeys:
    """Numbers the keys of records: equal where records are alike on all quasi-identifiers, masked or not.

    Parameters
    ----------
    headline : Headline
        For which `countable` holds.
    """

    def __init__(self, headline: Headline) -> None:
        microdata = headline.microdata
        schema, masked = microdata.table.schema, microdata.original.schema
        protected = [name for name in headline.quasi_identifiers if name in microdata.protect]
        fixed = [name for name in headline.quasi_identifiers if name not in microdata.protect]
        place = {attribute.name: position for position, attribute in enumerate(masked.categorical)}
        self._columns = [place[name] for name in protected]
        unmasked = equivalence_classes(key_codes(microdata.table, fixed))
        radix = radix_of([len(schema[name].categories) + 1 for name in protected] + [len(unmasked)])
        assert radix is not None
        self._radix = radix[:-1]
        self._fixed = unmasked.of * radix[-1]

    def of(self, codes: Codes, rows: Rows | slice) -> NDArray[np.int64]:
        """Return the keys of some records of a masked file, given all its codes."""
        keys: NDArray[np.int64] = (codes[rows][:, self._columns].astype(np.int64) + 1) @ self._radix + self._fixed[rows]
        return keys


def countable(headline: Headline) -> bool:
    """Whether keys can be numbers: missing values are no wildcards, since classes then overlap, and masked
    quasi-identifiers and sensitive attributes are categories.
    """
    microdata = headline.microdata
    schema = microdata.table.schema
    if schema.na is MissingRule.WILDCARD:
        return False
    masked = [name for name in (*headline.quasi_identifiers, *headline.sensitive) if name in microdata.protect]
    if any(not schema[name].categorical for name in masked):
        return False
    sizes = [len(schema[name].categories) + 1 for name in masked]
    return radix_of([*sizes, len(microdata.table)]) is not None
