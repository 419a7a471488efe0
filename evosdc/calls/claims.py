"""Risks that are claimed of a published file: given, measured in a search, or measured now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evosdc.calls.judged_files import Sides, require_readable
from evosdc.errors import Fault, ParameterError
from evosdc.model import Microdata
from evosdc.plugins.registry import Registry

GIVEN = "the claim given"
"""Where a claim comes from that was not measured."""


@dataclass(frozen=True)
class Claims:
    """Risks that a search claims, by family of judges, and the measures that say so.

    Parameters
    ----------
    values : mapping of str to float
        In per cent; families that it leaves out are measured.
    by : mapping of str to str
    """

    values: Mapping[str, float]
    by: Mapping[str, str]

    def of(self, families: Sequence[str]) -> "Claims":
        """Return the claims of some families."""
        kept = [family for family in self.values if family in families]
        return Claims({f: self.values[f] for f in kept}, {f: self.by[f] for f in kept})


def require_claim(claimed: float | Mapping[str, float] | Claims | None) -> None:
    """Check that claimed risks are percentages.

    Raises
    ------
    ParameterError
        One is not, with all that are not.
    """
    if isinstance(claimed, Claims):
        return
    values = claimed if isinstance(claimed, Mapping) else {} if claimed is None else {"": claimed}
    faults = [
        Fault(f"claimed {family}".strip(), repr(value), "a risk in per cent, from 0 to 100")
        for family, value in values.items()
        if isinstance(value, bool) or not 0.0 <= value <= 100.0
    ]
    if faults:
        raise ParameterError(faults)


def claims_on(sides: Sides, claimed: float | Mapping[str, float] | Claims | None, registry: Registry) -> Claims:
    """Return the claimed risk by family of judges, and where it comes from."""
    if isinstance(claimed, Mapping):
        return Claims({family: float(value) for family, value in claimed.items()}, dict.fromkeys(claimed, GIVEN))
    families = ["linkage", *(["guess"] if sides.harmful else [])]
    if isinstance(claimed, float | int):
        return Claims(dict.fromkeys(families, float(claimed)), dict.fromkeys(families, GIVEN))
    given = claimed.of(families) if claimed is not None else Claims({}, {})
    claims, claimed_by = dict(given.values), dict(given.by)
    open_families = [family for family in families if family not in claims]
    asked = [(name, "linkage", sides.known) for name in registry.defaults("measure", "identity")]
    asked += [(name, "guess", sides.wanted) for name in registry.defaults("measure", "inference")]
    for name, family, names in asked:
        if family not in open_families:
            continue
        try:
            measure = registry.build("measure", name, {})
            require_readable(registry.spec("measure", name), measure, sides)
            measure.require_support(sides.original.select(names), f"measure {name}")
            fitted = measure.fit_in(Microdata(sides.original, names))
            score = float(fitted.score(sides.masked.select(names)))
        except ParameterError:
            continue  # cannot read files of this kind: it claims nothing
        if score >= claims.get(family, -1.0):
            claims[family], claimed_by[family] = score, name
    return Claims(claims, claimed_by)
