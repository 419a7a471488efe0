"""``evosdc.judge``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evosdc.api.measurement import matched_by
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
    seed: int | None = None,
    crosswalk: str | Path | None = None,
) -> Judged:
    """Return a second opinion on a masked table, by judges that took no part in making it.

    Parameters
    ----------
    original, masked : frame or Table
        Record r of both is the same respondent, unless a crosswalk is given. Roles of a frame are those that
        ``evosdc init`` proposes; columns that are left out of a protected file may be missing in `masked`.
    protect : sequence of str, optional
        What was masked; by default the quasi-identifiers, and whatever else differs.
    claimed : float or mapping of str to float, optional
        The risk that is claimed, in per cent, or by family of judges (``linkage``, ``guess``). By default what the
        informed measures say of the file.
    judges : sequence of str, optional
        Measures to ask; by default all judges.
    seed : int, optional
        Of the halves and samples that judges draw, to repeat an opinion; by default they are drawn afresh.
    crosswalk : str or Path, optional
        Of a table whose records were shuffled, the file that says which record is which: ``crosswalk.csv`` of a run
        folder. Originals that it has not, since they were not published, are left out.

    Raises
    ------
    InputError
        Tables of different shape, unknown judges or attributes, a claim that is no percentage, or a crosswalk of other
        tables.

    Examples
    --------
    >>> evosdc.judge(frame, protected, protect=["age", "sex"]).verdict.sentence  # doctest: +SKIP
    """
    from evosdc.assess.judge import second_opinions
    from evosdc.assess.verdict import identity_of
    from evosdc.secret import chosen_seed, judging_seed

    drawn = judging_seed(chosen_seed(seed))
    if crosswalk is None:
        warn_of_another_order(original, masked)
    before, _ = as_file(original, listed(protect))
    before, after = matched_by(crosswalk, before, as_version(masked, before, None, listed(protect)))
    opinion = second_opinions(
        before,
        {"": after},
        listed(protect),
        registry=default_registry(),
        judges=listed(judges),
        claimed={"": claimed},
        seed=drawn,
        in_order=crosswalk is None,
    )[""]
    found = identity_of(before, after, opinion.attributes, default_registry())
    return Judged.of(replace(opinion, identity=found))
