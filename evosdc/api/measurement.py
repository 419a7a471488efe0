"""``evosdc.measure``."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from evosdc.api.tables import as_table, listed
from evosdc.plugins.registry import Registry, default_registry
from evosdc.table.schema import Schema
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd

Data = TypeVar("Data", "pd.DataFrame", Table)


def measure(
    original: Data,
    masked: Data,
    measures: Sequence[str] | str | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    attributes: Sequence[str] | str | None = None,
) -> dict[str, float]:
    """Measure a masked table against its original.

    Generalised tables, whose labels leave the original's categories, are judged by the losses of generalisation.

    Parameters
    ----------
    original, masked : DataFrame or Table
        Record r of both is the same respondent.
    measures : sequence of str, or mapping of str to mapping
        Registered names; a mapping gives parameters by name. By default as `protect` judges:
        risk by role, each attribute's own, and the losses of analysts; a generalised file by `lm` and `dm`.
    attributes : sequence of str, optional
        What is judged; by default the quasi-identifiers, and where none is declared all attributes but identifiers.

    Returns
    -------
    dict of str to float
        By measure.

    Raises
    ------
    InputError
        Tables of different shape, unknown measures or attributes, or a scale that a measure cannot judge.
    """
    from evosdc.calls.measurement import score_table

    registry = default_registry()
    named = {measures: {}} if isinstance(measures, str) else measures
    params = named if named is None or isinstance(named, Mapping) else {name: {} for name in named}
    before = as_table(original)
    after = masked if isinstance(masked, Table) else _version(masked, before.schema, params, registry)
    return dict(score_table(before, after, params, listed(attributes), registry).scores)


def _version(frame: Any, schema: Schema, params: Mapping[str, Mapping[str, Any]] | None, registry: Registry) -> Table:
    """Return the table of a masked frame; one that may be generalised keeps labels that the original does not have."""
    from evosdc.files.frame import columns_of, table_from_frame
    from evosdc.files.widening import is_generalised, widened

    columns = [part.column for part in columns_of(frame)]
    generalised = is_generalised(schema, columns) if params is None else _reads_generalised(params, registry)
    known = widened(schema, columns) if generalised else schema
    return table_from_frame(frame, known)


def _reads_generalised(params: Mapping[str, Mapping[str, Any]] | None, registry: Registry) -> bool:
    """Whether one of the measures judges generalised tables; unknown names are refused elsewhere."""
    known = [name for name in params or () if name in registry.names("measure")]
    return any(registry.implementation("measure", name).generalised for name in known)
