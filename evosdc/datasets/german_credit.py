"""German Credit (Statlog): 1000 applicants.

Categories stand in the order of their documented codes. Quasi-identifiers are those that the thesis protects: existing
account, savings and present employment. ``A14`` (no account) and ``A65`` (unknown savings) close the ordinal scales.
"""

from collections.abc import Mapping
from pathlib import Path

from evosdc.datasets.loading import lines_of, nominal, numeric, ordinal, source_from_lines
from evosdc.files.source import Source
from evosdc.table.schema import Role

_PROTECTED = Role.QUASI_IDENTIFIER

ATTRIBUTES = (
    ordinal("existacc", "A11 A12 A13 A14", _PROTECTED),
    numeric("duration"),
    nominal("credit-history", "A30 A31 A32 A33 A34"),
    nominal("purpose", "A40 A41 A42 A43 A44 A45 A46 A47 A48 A49 A410"),
    numeric("credit-amount"),
    ordinal("savings", "A61 A62 A63 A64 A65", _PROTECTED),
    ordinal("presemploy", "A71 A72 A73 A74 A75", _PROTECTED),
    numeric("installment-rate"),
    nominal("personal-status-sex", "A91 A92 A93 A94 A95"),
    nominal("other-debtors", "A101 A102 A103"),
    numeric("residence-since"),
    nominal("property", "A121 A122 A123 A124"),
    numeric("age"),
    nominal("other-installment-plans", "A141 A142 A143"),
    nominal("housing", "A151 A152 A153"),
    numeric("existing-credits"),
    ordinal("job", "A171 A172 A173 A174"),
    numeric("people-liable"),
    nominal("telephone", "A191 A192"),
    nominal("foreign-worker", "A201 A202"),
    nominal("class", "1 2", Role.SENSITIVE),
)


def load(paths: Mapping[str, Path]) -> Source:
    """Return the data set from ``german.data``."""
    return source_from_lines("german-credit", ATTRIBUTES, lines_of(paths["german.data"], None))
