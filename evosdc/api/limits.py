"""``evosdc.limit``."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evosdc.api.html import Shown, heading, paragraphs, table
from evosdc.api.tables import as_table
from evosdc.errors import DataError, Fault
from evosdc.model import Limit
from evosdc.options.model import read, takes
from evosdc.options.search import LimitOptions
from evosdc.plugins.registry import default_registry

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.api.picture import Picture
    from evosdc.specs import LimitSpec


class KnownLimit(Shown, Limit):
    """A limit that a notebook shows; see `evosdc.limit`."""

    @property
    def frame(self) -> "pd.DataFrame":
        """A row a corner of the curve: ``il dr``; no file lies below."""
        import pandas as pd

        return pd.DataFrame(self.curve, columns=["il", "dr"])

    def plot(self) -> "Picture":
        """Return a picture of the curve below which no file lies."""
        from evosdc.api.picture import points

        lines = {"no file lies below": self.curve}
        return points("The limit", "information loss", "disclosure risk", lines, list(lines))

    def _lines(self) -> Iterator[str]:
        yield f"No masked file of {', '.join(self.attributes)} is better, by {', '.join((*self.il, *self.dr))}:"
        yield from (f"{fitness} of IL and DR: {value:.3f} at least" for fitness, value in self.least.items())
        yield "Next: .least_dr(20), .above(25.8, 'max'), .frame, .plot()"

    def _repr_html_(self) -> str:
        first, *others = self._lines()
        return heading(first) + paragraphs(others[:-1]) + table(["IL of at most", "DR of at least"], self.curve)


@takes(LimitOptions, {"seconds": "time", "attributes": "protect"})
def limit(
    data: Any,
    *,
    protect: Sequence[str] | None = None,
    il: Sequence[str] | None = None,
    dr: Sequence[str] | None = None,
    time: float | str | None = None,
) -> KnownLimit:
    """Return what no masked version of data can beat in information loss and disclosure risk.

    Parameters
    ----------
    data : frame or Table
        Schema as in `mask`.
    {options}

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
    from evosdc.experiment.experiment import MeasureEntry, Measures
    from evosdc.experiment.problem import aggregation_of
    from evosdc.model import Judgement, Microdata
    from evosdc.specs import LimitSpec

    options = read(LimitOptions, locals())
    registry, given = default_registry(), as_table(data)
    offered = [spec for spec in registry.specs("limit") if isinstance(spec, LimitSpec)]
    named_il = options.il or (offered[0].il if offered else ())
    named_dr = options.dr or (offered[0].dr if offered else ())
    entries = [tuple(MeasureEntry(name=name) for name in names) for names in (named_il, named_dr)]
    aggregation = aggregation_of(Measures(il=entries[0], dr=entries[1]), registry)
    original = Microdata(given, choose_attributes(given.schema, options.protect)).original
    params = {name: registry.parameters("measure", name, {}).model_dump() for name in (*named_il, *named_dr)}
    found = limit_for(Judgement(original, aggregation, params), registry, options.time or float("inf"))
    if found is None:
        asked = f"{', '.join((*named_il, *named_dr))} of {', '.join(original.schema.names)}"
        wanted = "measures that have a limit, of categorical attributes, and enough time"
        advice = f"A limit is known for {_known(offered)}." if offered else "No plugin offers a limit."
        raise DataError(Fault("limit", asked, wanted, advice))
    return KnownLimit(found.least, found.curve, found.il, found.dr, found.attributes)


def _known(offered: "Sequence[LimitSpec]") -> str:
    return "; ".join(", ".join((*spec.il, *spec.dr)) for spec in offered)
