"""``evosdc.judge``."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from evosdc.api.masking import require_seed
from evosdc.api.tables import as_table, listed
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.calls.second_opinion import SecondOpinion

Data = TypeVar("Data", "pd.DataFrame", Table)


def judge(
    original: Data,
    masked: Data,
    *,
    protect: Sequence[str] | str | None = None,
    claimed: float | Mapping[str, float] | None = None,
    judges: Sequence[str] | str | None = None,
    seed: int = 1,
) -> "SecondOpinion":
    """Return a second opinion on a masked table, by judges that took no part in making it.

    Parameters
    ----------
    original, masked : DataFrame or Table
        Record r of both is the same respondent.
    protect : sequence of str, optional
        What was masked; by default the quasi-identifiers, and whatever else differs.
    claimed : float or mapping of str to float, optional
        The risk that is claimed, in per cent, or by family of judges (``linkage``, ``guess``). By default what the
        informed measures say of the file.
    judges : sequence of str, optional
        Measures to ask; by default all judges.
    seed : int
        Of the halves and samples that judges draw.

    Raises
    ------
    InputError
        Tables of different shape, unknown judges or attributes, or a claim that is no percentage.

    Examples
    --------
    >>> evosdc.judge(frame, protected, protect=["age", "sex"]).verdict.sentence  # doctest: +SKIP
    """
    from evosdc.calls.judging import judged
    from evosdc.files.frame import table_from_frame

    require_seed(seed)
    before = as_table(original)
    after = masked if isinstance(masked, Table) else table_from_frame(masked, before.schema)
    return judged(
        before,
        after,
        listed(protect),
        registry=default_registry(),
        judges=listed(judges),
        claimed=claimed,
        seed=seed,
    )
