"""``evosdc.check_records``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evosdc.api.tables import as_table, listed
from evosdc.table.structural_zeros import THRESHOLD
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd


def check_records(
    data: "pd.DataFrame | Table", protect: Sequence[str] | str | None = None, *, threshold: float = THRESHOLD
) -> dict[str, Any]:
    """Look for broken edit rules and for combinations that never occur, as ``evosdc check --data`` does.

    Parameters
    ----------
    data : DataFrame or Table
        The confidential file; a table brings the edit rules of its schema.
    protect : sequence of str, optional
        The attributes to be masked; by default the quasi-identifiers.
    threshold : float
        Records that margins must lead to expect of a combination that never occurs, positive.

    Returns
    -------
    dict
        ``records``; ``edit_rules``, each with how many records break it; ``structural_zeros``, None where nothing is
        masked; and under ``given_away`` masked attributes that follow from others.

    Raises
    ------
    InputError
        Attributes that the file does not have, or a threshold that is not positive.

    Examples
    --------
    >>> evosdc.check_records(frame, ["age", "status"])["structural_zeros"]["count"]  # doctest: +SKIP
    """
    from evosdc.assess.data_check import check_records as found
    from evosdc.errors import Fault, ParameterError
    from evosdc.table.schema import Role

    if not threshold > 0:
        raise ParameterError(Fault("threshold", f"{threshold:g}", "a positive number of records"))
    table = as_table(data)
    chosen = listed(protect)
    return found(
        table, table.schema.with_role(Role.QUASI_IDENTIFIER) if chosen is None else chosen, threshold
    ).to_json()
