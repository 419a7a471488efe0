"""CASC reference file EIA: 4092 monthly reports of U.S. electric utilities, 1996.

The ten numeric attributes are quasi-identifiers; number and name of the utility are identifiers.
"""

from collections.abc import Mapping
from pathlib import Path

from evosdc.datasets.casc import load_casc
from evosdc.datasets.loading import nominal, numeric, ordinal
from evosdc.files.source import Source
from evosdc.table.schema import Role

_STATES = (
    "AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR "
    "PA RI SC SD TN TX UT VA VT WA WI WV WY"
)
_AMOUNTS = "resrevenue ressales comrevenue comsales indrevenue indsales othrevenue othrsales totrevenue totsales"

ATTRIBUTES = (
    nominal("utilityid", (), Role.IDENTIFIER),
    nominal("utilname", (), Role.IDENTIFIER),
    nominal("state", _STATES),
    nominal("year", "96"),
    ordinal("month", "1 2 3 4 5 6 7 8 9 10 11 12"),
    *(numeric(name, Role.QUASI_IDENTIFIER) for name in _AMOUNTS.split()),
)


def load(paths: Mapping[str, Path]) -> Source:
    """Return the data set from ``EIA.csv``; the identifiers' categories are those found."""
    return load_casc("eia", ATTRIBUTES, paths["EIA.csv"])
