"""Columns that tell what others hide: they are computed from the masked ones, or masked together with them."""

import logging

from evosdc.experiment.experiment import DataSource
from evosdc.table.dependence import by_columns, determinations
from evosdc.table.distinct_values import distinct_values
from evosdc.table.schema import Role
from evosdc.table.table import Table

_LOG = logging.getLogger(__name__)

_UNMASKED = (Role.QUASI_IDENTIFIER, Role.OTHER, Role.STRATUM)  # roles of columns that are published beside masked ones


def with_dependent(data: DataSource, table: Table) -> DataSource:
    """Return a source of which no published column tells a masked one, with a remark on each that would."""
    # A column that is a function of a masked one is computed from its masked values, and so no two masked columns
    # contradict each other where the user leaves open what is masked. Another column that tells a masked one is masked,
    # too.
    schema = table.schema
    quasi = schema.with_role(Role.QUASI_IDENTIFIER)
    protect = quasi if data.protect is None else schema.named(data.protect, "protect")
    beside = [a.name for a in schema.attributes if a.role in _UNMASKED and a.name not in protect]
    recompute = dict(data.recompute)
    if data.protect is None:
        # The finest first: what follows from it is no source of others.
        finest = sorted(protect, key=lambda name: -len(distinct_values(table.column(name))))
        kept: list[str] = []
        for name in finest:
            found = by_columns(table, [name], kept)
            recompute |= found
            kept += [] if found else [name]
    masked = [name for name in protect if name not in recompute]
    recompute |= by_columns(table, [name for name in beside if name not in recompute], masked)
    told = determinations(table, masked) if masked else ()
    further = list(dict.fromkeys(d.by for d in told if d.by in beside and d.by not in recompute))
    for name, by in recompute.items():
        if name not in data.recompute:
            _LOG.warning("%s follows from %s: it is computed from the masked values of that column", name, by)
    for name in further:
        others = ", ".join(dict.fromkeys(d.masked for d in told if d.by == name))
        _LOG.warning("%s tells %s: it is masked, too", name, others)
    if not recompute and not further:
        return data
    return data.model_copy(update={"recompute": recompute, "protect": (*masked, *further)})
