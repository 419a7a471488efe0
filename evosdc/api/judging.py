"""``evosdc.judge``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.api.measurement import matched_by
from evosdc.api.results import Judged
from evosdc.api.tables import as_file, as_version, warn_of_another_order
from evosdc.errors import Fault, ParameterError
from evosdc.model import EarlierRelease
from evosdc.options.inspection import JudgeOptions
from evosdc.options.model import read, takes
from evosdc.plugins.registry import default_registry
from evosdc.runs.published import read_crosswalk
from evosdc.table.table import Table


@takes(JudgeOptions, {"attributes": "protect"})
def judge(
    original: Any,
    masked: Any,
    *,
    protect: Sequence[str] | None = None,
    crosswalk: str | Path | None = None,
    claimed: float | Mapping[str, float] | None = None,
    earlier: Sequence[Any] = (),
    judges: Sequence[str] | None = None,
    seed: int | None = None,
) -> Judged:
    """Return a second opinion on a masked table, by judges that took no part in making it.

    Parameters
    ----------
    original, masked : frame or Table
        Record r of both is the same respondent, unless a crosswalk is given. Roles of a frame are those that
        ``evosdc init`` proposes; columns that are left out of a protected file may be missing in `masked`. Originals
        that a crosswalk has not are left out. Earlier releases are frames or Tables in the order of the original, or
        pairs of one and its crosswalk.
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
    whole = before
    before, after = matched_by(options.crosswalk, before, as_version(masked, before, None, names))
    if options.earlier and len(before) != len(whole):
        given = "a masked table from which records were left out"
        raise ParameterError(Fault("earlier", given, "one with all records of the original"))
    opinion = second_opinions(
        before,
        {"": after},
        names,
        registry=default_registry(),
        judges=options.judges,
        claimed={"": options.claimed},
        seed=judging_seed(chosen_seed(options.seed)),
        in_order=options.crosswalk is None,
        earlier=tuple(_released(place, one, whole) for place, one in enumerate(options.earlier, 1)),
    )[""]
    found = identity_of(before, after, opinion.attributes, default_registry())
    return Judged.of(replace(opinion, identity=found))


def _released(place: int, given: Any, original: Table) -> EarlierRelease:
    """Return an earlier release and whose its records are."""
    data, crosswalk = given if isinstance(given, tuple) else (given, None)
    table = as_version(data, original, None, None)
    rows = np.arange(len(table), dtype=np.intp)
    if crosswalk is not None:
        rows = read_crosswalk(Path(crosswalk), len(table), len(original))
    elif len(table) != len(original):
        wanted = f"{len(original)} as in the original, or a pair of the table and its crosswalk"
        raise ParameterError(Fault(f"earlier release {place}", f"{len(table)} records", wanted))
    return EarlierRelease(f"earlier release {place}", table, rows)
