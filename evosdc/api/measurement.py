"""``evosdc.measure``."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evosdc.api.results import Scores
from evosdc.api.tables import as_table, as_version, chosen_of, held_once, warn_of_another_order
from evosdc.options.inspection import MeasureOptions
from evosdc.options.model import read, takes
from evosdc.plugins.registry import Registry, default_registry
from evosdc.table.table import Table


@takes(MeasureOptions, {"attributes": "protect"})
def measure(
    original: Any,
    masked: Any,
    measures: Sequence[str | Mapping[str, Any]] | Mapping[str, Any] | None = None,
    *,
    protect: Sequence[str] | None = None,
    crosswalk: str | Path | None = None,
) -> Scores:
    """Measure a masked table against its original.

    Generalised tables, whose labels leave the original's categories, are judged by the losses of generalisation.

    Parameters
    ----------
    original, masked : frame or Table
        Record r of both is the same respondent, whatever an index says, unless a crosswalk is given. Columns that are
        left out of a protected file may be missing. Originals that a crosswalk has not are left out.
    {options}

    Returns
    -------
    Scores
        A dict by measure, with ``frame`` and ``report(path)``; a notebook shows it as a table.

    Raises
    ------
    InputError
        Tables of different shape, unknown measures or attributes, a scale that a measure cannot judge, or a crosswalk
        of other tables.
    """
    from evosdc.assess.measure import score_table

    options = read(MeasureOptions, locals())
    registry, params = default_registry(), options.entries
    if options.crosswalk is None:
        warn_of_another_order(original, masked)
    frame = held_once(original)
    before = as_table(frame)
    chosen = chosen_of(frame, before, options.protect, warn=False)
    generalised = None if params is None else _reads_generalised(params, registry)
    before, after = matched_by(options.crosswalk, before, as_version(masked, before, generalised, chosen))
    judged = score_table(before, after, params, chosen, registry)
    for told in judged.warnings:
        warnings.warn(told, stacklevel=3)
    return Scores(judged.scores)


def matched_by(crosswalk: Path | None, original: Table, masked: Table) -> tuple[Table, Table]:
    """Return two tables with each record in the same row of both, by a crosswalk where there is one.

    Raises
    ------
    DataError
        The crosswalk cannot be read, or is one of other tables.
    """
    if crosswalk is None:
        return original, masked
    from evosdc.assess.changes import matched
    from evosdc.runs.published import read_crosswalk

    rows = read_crosswalk(crosswalk, len(masked), len(original))
    return matched(original, masked, rows, original.schema.withheld)


def _reads_generalised(params: Mapping[str, Mapping[str, Any]] | None, registry: Registry) -> bool:
    """Whether one of the measures judges generalised tables; unknown names are refused elsewhere."""
    known = [name for name in params or () if name in registry.names("measure")]
    return any(registry.implementation("measure", name).generalised for name in known)
