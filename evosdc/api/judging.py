"""``evosdc.judge``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evosdc.api.masking import require_seed
from evosdc.api.results import Judged
from evosdc.api.tables import as_file, as_version, listed, warn_of_another_order
from evosdc.plugins.registry import default_registry


def judge(
    original: Any,
    masked: Any,
    *,
    protect: Sequence[str] | str | None = None,
    claimed: float | Mapping[str, float] | None = None,
    judges: Sequence[str] | str | None = None,
    seed: int = 1,
) -> Judged:
    """Return a second opinion on a masked table, by judges that took no part in making it.

    Parameters
    ----------
    original, masked : frame or Table
        Record r of both is the same respondent. Roles of a frame are those that ``evosdc init`` proposes; columns that
        are left out of a protected file may be missing in `masked`.
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
    from evosdc.release.identity import identity_of

    require_seed(seed)
    warn_of_another_order(original, masked)
    before, _ = as_file(original, listed(protect))
    after = as_version(masked, before, None, listed(protect))
    opinion = judged(
        before,
        after,
        listed(protect),
        registry=default_registry(),
        judges=listed(judges),
        claimed=claimed,
        seed=seed,
    )
    found = identity_of(before, after, opinion.attributes, default_registry())
    return Judged.of(replace(opinion, identity=found))
