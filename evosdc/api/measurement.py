"""``evosdc.measure``."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from evosdc.api.results import Scores
from evosdc.api.tables import as_table, as_version, chosen_of, held_once, listed, warn_of_another_order
from evosdc.plugins.registry import Registry, default_registry


def measure(
    original: Any,
    masked: Any,
    measures: Sequence[str] | str | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    attributes: Sequence[str] | str | None = None,
) -> Scores:
    """Measure a masked table against its original.

    Generalised tables, whose labels leave the original's categories, are judged by the losses of generalisation.

    Parameters
    ----------
    original, masked : frame or Table
        Record r of both is the same respondent, whatever an index says. Columns that are left out of a
        protected file may be missing.
    measures : sequence of str, or mapping of str to mapping
        Registered names; a mapping gives parameters by name. By default as `protect` judges:
        risk by role, each attribute's own, and the losses of analysts; a generalised file by `lm` and `dm`.
    attributes : sequence of str, optional
        What is judged; by default the quasi-identifiers, and where none is declared all attributes but identifiers.

    Returns
    -------
    Scores
        A dict by measure, with ``frame`` and ``report(path)``; a notebook shows it as a table.

    Raises
    ------
    InputError
        Tables of different shape, unknown measures or attributes, or a scale that a measure cannot judge.
    """
    from evosdc.calls.measurement import score_table

    registry = default_registry()
    named = {measures: {}} if isinstance(measures, str) else measures
    params = named if named is None or isinstance(named, Mapping) else {name: {} for name in named}
    warn_of_another_order(original, masked)
    frame = held_once(original)
    before = as_table(frame)
    chosen = chosen_of(frame, before, listed(attributes), warn=False)
    after = as_version(masked, before, None if params is None else _reads_generalised(params, registry), chosen)
    judged = score_table(before, after, params, chosen, registry)
    for told in judged.warnings:
        warnings.warn(told, stacklevel=2)
    return Scores(judged.scores)


def _reads_generalised(params: Mapping[str, Mapping[str, Any]] | None, registry: Registry) -> bool:
    """Whether one of the measures judges generalised tables; unknown names are refused elsewhere."""
    known = [name for name in params or () if name in registry.names("measure")]
    return any(registry.implementation("measure", name).generalised for name in known)
