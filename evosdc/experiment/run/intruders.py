"""How many people an informed intruder finds in a run's file."""

from collections.abc import Mapping
from typing import Any

from evosdc.assess.intruder import Found, found_by_intruder
from evosdc.errors import InputError
from evosdc.experiment.assembly import Assembly
from evosdc.table.exact_values import known_of
from evosdc.table.table import Table


def found_in(
    assembly: Assembly,
    original: Table,  # all attributes of the records that are published
    masked: Table,  # their protected attributes
    identity: Mapping[str, Any] | None,  # what the result says of the unprotected original, where it does
    scored: Mapping[str, float] | None = None,
) -> Found | None:
    """Return what the informed intruder finds; None where no measure of identity can read the file."""
    if masked.schema != assembly.microdata.original.schema:
        return None
    registry, measures, protect = assembly.registry, assembly.experiment.measures, assembly.microdata.protect
    params = {m.name: m.params for m in measures.all} if measures is not None else {}
    # What the search was judged by is not fitted again where it judges all that the intruder knows.
    judged = known_of(original, protect) == protect
    whole = [m.name for m in measures.all if not m.of] if measures is not None and judged else []
    fitted = {name: assembly.problem.measures[name] for name in whole}
    scores = (identity or {}).get("scores", {})
    unprotected = {name: scores[name] for name in fitted if name in scores}
    try:
        return found_by_intruder(original, masked, protect, registry, params, fitted, unprotected, scored)
    except InputError:
        return None
