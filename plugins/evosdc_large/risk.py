"""What a large file, taken by itself, reveals of its respondents: privacy models of its distinct records."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evosdc.assess.risk import assess, intruder_view_of, view_summary
from evosdc.errors import Fault, ParameterError
from evosdc.model import MissingMatch
from evosdc.plugins.registry import Registry, default_registry
from evosdc_large.blocks import blocks_of
from evosdc_large.counting import added_up, counted
from evosdc_large.description import description_of, table_of
from evosdc_large.workers import Workers


def risk_of_parquet(
    path: Path | str,
    keys: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    schema: Path | None = None,
    missing: str | None = None,
    models: Mapping[str, Mapping[str, Any]] | None = None,
    by: Workers | None = None,
) -> dict[str, Any]:
    """Return what privacy models find in a Parquet file, as ``evosdc.risk`` does of a file that fits into memory.

    Parameters
    ----------
    path : Path or str
    keys, sensitive : sequence of str
        What an intruder knows, and wants to learn.
    schema : Path, optional
        A schema file; of other columns it may say what it likes.
    missing : {"wildcard", "category"}, optional
        What a missing value equals; by default as the schema says.
    models : mapping of str to mapping, optional
        Parameters by registered name; by default all that judge distinct records with counts.
    by : Workers, optional
        Who counts; this process by default.

    Raises
    ------
    InputError
        The file, the schema, a name or a model cannot be used, or there are too many distinct records.
    """
    if missing == MissingMatch.NEVER:
        raise ParameterError(Fault("missing", repr(missing), "wildcard or category", "Records are counted by value."))
    names, registry = tuple(dict.fromkeys((*keys, *sensitive))), default_registry()
    description = description_of(schema, names)
    found = (by or Workers()).total(counted, blocks_of(Path(path), names), added_up)
    table = table_of(found, description, str(path))
    view = replace(intruder_view_of(table, list(keys), list(sensitive), missing=missing), counts=found.counts)
    chosen = counted_models(registry) if models is None else models
    return assess(view, chosen, registry) | view_summary(view) | {"distinct": len(view.classes)}


def counted_models(registry: Registry) -> dict[str, dict[str, Any]]:
    """Return the privacy models that judge distinct records with counts, without parameters of their own."""
    names = registry.names("privacy-model")
    return {name: {} for name in names if registry.implementation("privacy-model", name).counted}
