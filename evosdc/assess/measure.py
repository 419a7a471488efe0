"""One masked table scored against its original, and the limit that no masked table beats."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from types import MappingProxyType
from typing import Any

import numpy as np

from evosdc.assess.defaults import choose_attributes, entries_by_role
from evosdc.errors import EvosdcError, FaultCollector, asked
from evosdc.model import Fitted, Measure, Microdata
from evosdc.model.limit import Judgement, Limit
from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, stream
from evosdc.table.alignment import align_codes, has_labels_of_its_own, restrict_to
from evosdc.table.exact_values import with_published_decimals
from evosdc.table.row_positions import moved_sentences
from evosdc.table.table import Table

_SEED = 1


@dataclass(frozen=True)
class TableScores:
    """Scores by measure."""

    scores: Mapping[str, float]  # of the masked table
    # of the original itself, which loses nothing, and of its records in random order, which keeps all statistics but no
    # respondent's values; empty unless requested
    identity: Mapping[str, float]
    permutation: Mapping[str, float]
    parameters: Mapping[str, Mapping[str, Any]]  # those in force by measure, defaults included, as JSON has them
    warnings: tuple[str, ...] = ()  # sentences on what makes the scores doubtful: records in another order


def score_table(
    original: Table,
    masked: Table,
    measures: Mapping[str, Mapping[str, Any]] | None,
    attributes: Sequence[str] | None,
    registry: Registry,
    baselines: bool = False,
    of: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> TableScores:
    """Judge a masked table."""
    original = with_published_decimals(original, masked)
    collect = FaultCollector()
    built: dict[str, Measure] = {}
    for name, params in (measures or {}).items():
        with collect.step():
            built[name] = registry.build("measure", name, params)
    versions: dict[bool, Table] = {}
    with collect.step():
        microdata = Microdata(original, choose_attributes(original.schema, attributes))
        before = microdata.original
        if measures is None and has_labels_of_its_own(before, masked):
            usual_names = registry.defaults("measure", "generalised")
            built = {name: registry.build("measure", name, {}) for name in usual_names}
        elif measures is None:
            usual = entries_by_role(microdata, registry)
            built = {name: registry.build("measure", name, {}) for name in usual}
            of = {name: names for name, names in usual.items() if names}
        if any(not measure.generalised for measure in built.values()):
            versions[False] = align_codes(before, masked)
        if any(measure.generalised for measure in built.values()):
            versions[True] = restrict_to(before, masked)
        for name, measure in built.items():
            with collect.step():
                measure.require_support(before.select(of.get(name, before.schema.names)), f"measure {name}")
    collect.settle()
    order = stream(_SEED, Purpose.MASK).permutation(len(original)).astype(np.intp)
    scores, identity, permutation = {}, {}, {}
    for name, measure in built.items():
        names = tuple(of.get(name, before.schema.names))
        part = len(names) < len(before.schema.names)
        fitted = asked(f"measure {name}", measure.fit_in, Microdata(original, names) if part else microdata)

        score = partial(_score, name, fitted, names if part else None)
        scores[name] = score(versions[measure.generalised])
        if baselines:
            identity[name], permutation[name] = score(before), score(before.take(order))
    parameters = {name: measure.params.model_dump(mode="json") for name, measure in built.items()}
    return TableScores(scores, identity, permutation, parameters, tuple(moved_sentences(original, masked)))


def _score(name: str, fitted: Fitted, names: Sequence[str] | None, table: Table) -> float:
    """Return the score of a table, or of some attributes of it."""
    return float(asked(f"measure {name}", fitted.score, table if names is None else table.select(names)))


_LOG = logging.getLogger("evosdc.limits")


def limit_for(judgement: Judgement, registry: Registry, seconds: float) -> Limit | None:
    """Return the first limit that a plugin has for measures; None where there is none, or time is too short."""
    began = monotonic()
    for name in registry.names("limit"):
        left = seconds - (monotonic() - began)
        if left <= 0.0:
            break
        try:
            found: Limit | None = registry.implementation("limit", name)(judgement, left)
        except EvosdcError as error:
            # A limit is an addition: a search does not fail for want of it.
            _LOG.warning("limit %s: %s", name, error)
            continue
        if found is not None:
            return found
    return None
