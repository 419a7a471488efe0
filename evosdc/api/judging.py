"""``evosdc.judge``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evosdc.api.measurement import matched_by
from evosdc.api.results import Judged
from evosdc.api.tables import as_file, as_version, warn_of_another_order
from evosdc.options.inspection import JudgeOptions
from evosdc.options.model import read, takes
from evosdc.plugins.registry import default_registry


@takes(JudgeOptions, {"attributes": "protect"})
def judge(
    original: Any,
    masked: Any,
    *,
    protect: Sequence[str] | None = None,
    crosswalk: str | Path | None = None,
    claimed: float | Mapping[str, float] | None = None,
    judges: Sequence[str] | None = None,
    seed: int | None = None,
) -> Judged:
    """Return a second opinion on a masked table, by judges that took no part in making it.

    Parameters
    ----------
    original, masked : frame or Table
        Record r of both is the same respondent, unless a crosswalk is given. Roles of a frame are those that
        ``evosdc init`` proposes; columns that are left out of a protected file may be missing in `masked`. Originals
        that a crosswalk has not are left out.
    {options}

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

    options = read(JudgeOptions, locals())
    if options.crosswalk is None:
        warn_of_another_order(original, masked)
    before, _ = as_file(original, options.protect)
    names = None if options.protect is None else before.schema.named(options.protect, "protect")
    before, after = matched_by(options.crosswalk, before, as_version(masked, before, None, names))
    opinion = second_opinions(
        before,
        {"": after},
        names,
        registry=default_registry(),
        judges=options.judges,
        claimed={"": options.claimed},
        seed=judging_seed(chosen_seed(options.seed)),
        in_order=options.crosswalk is None,
    )[""]
    found = identity_of(before, after, opinion.attributes, default_registry())
    return Judged.of(replace(opinion, identity=found))
