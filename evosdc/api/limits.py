"""``evosdc.limit``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evosdc.api.tables import as_table, listed
from evosdc.errors import DataError, Fault
from evosdc.plugins.registry import default_registry

if TYPE_CHECKING:
    from evosdc.model import Limit
    from evosdc.specs import LimitSpec


def limit(
    data: Any,
    *,
    protect: Sequence[str] | str | None = None,
    il: Sequence[str] | str | None = None,
    dr: Sequence[str] | str | None = None,
    seconds: float | None = None,
) -> "Limit":
    """Return what no masked version of data can beat in information loss and disclosure risk.

    Parameters
    ----------
    data : frame or Table
        Schema as in `mask`.
    protect : sequence of str, optional
        What may be masked; by default the quasi-identifiers, and where none is declared all attributes but identifiers.
    il, dr : sequence of str, optional
        Measures; by default those of the limit that is offered first. A risk has a limit where it is made of guesses:
        ``dr=["guess-gain", "dbrl"]``.
    seconds : float, optional
        Time that it may take; by default as long as it takes.

    Raises
    ------
    InputError
        Unknown names, or measures and attributes that have no limit.

    Examples
    --------
    >>> found = evosdc.limit(frame, protect=["age", "sex"])  # doctest: +SKIP
    >>> found.least["max"], found.least_dr(20.0), found.above(25.8, "max")  # doctest: +SKIP
    """
    from evosdc.assess.defaults import choose_attributes
    from evosdc.assess.measure import limit_for
    from evosdc.experiment.build.problem import aggregation_of
    from evosdc.experiment.config.experiment import MeasureEntry, Measures
    from evosdc.model import Judgement, Microdata
    from evosdc.specs import LimitSpec

    registry, table = default_registry(), as_table(data)
    offered = [spec for spec in registry.specs("limit") if isinstance(spec, LimitSpec)]
    named_il = listed(il) or (offered[0].il if offered else ())
    named_dr = listed(dr) or (offered[0].dr if offered else ())
    entries = [tuple(MeasureEntry(name=name) for name in names) for names in (named_il, named_dr)]
    aggregation = aggregation_of(Measures(il=entries[0], dr=entries[1]), registry)
    original = Microdata(table, choose_attributes(table.schema, listed(protect), option="--protect")).original
    params = {name: registry.parameters("measure", name, {}).model_dump() for name in (*named_il, *named_dr)}
    found = limit_for(Judgement(original, aggregation, params), registry, float("inf") if seconds is None else seconds)
    if found is None:
        given = f"{', '.join((*named_il, *named_dr))} of {', '.join(original.schema.names)}"
        wanted = "measures that have a limit, of categorical attributes, and enough time"
        advice = f"A limit is known for {_known(offered)}." if offered else "No plugin offers a limit."
        raise DataError(Fault("limit", given, wanted, advice))
    return found


def _known(offered: "Sequence[LimitSpec]") -> str:
    return "; ".join(", ".join((*spec.il, *spec.dr)) for spec in offered)
