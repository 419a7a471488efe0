"""What is kept below a bound although nobody asked for it: harms, and values that are published as they were."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evosdc.assess.intruder import strictest_bound
from evosdc.model import Microdata
from evosdc.model.constraint import Constraint, without_publishable
from evosdc.plugins.registry import Registry

MOST_HARM = 3.0
"""What a measure of harm may come to at most, in per cent of the records."""


def harms_of(registry: Registry) -> dict[str, float]:
    """Return the measures of harm that plugins offer, relabelling for one, each with its bound."""
    return dict.fromkeys(registry.defaults("measure", "harm"), MOST_HARM)


def exact_risks(microdata: Microdata, registry: Registry, require: Sequence[str] = ()) -> dict[str, float]:
    """Return the measures of risk by exact values that the file can be refused for, each with the verdict's bound.

    A measure that not even the original exceeds is left out: no masked file of it has to be kept from anything.

    Parameters
    ----------
    microdata : Microdata
    registry : Registry
    require : sequence of str
        Requirements, which may set the bound.

    Raises
    ------
    ExperimentError
        A requirement cannot be read.
    """
    original, bound = microdata.original, strictest_bound(require, registry)
    scales = {str(attribute.scale) for attribute in original.schema.attributes}
    fitting = [
        name
        for name in registry.defaults("measure", "exact")
        if scales <= set(getattr(registry.spec("measure", name), "scales", ()))
    ]
    exceeded = [
        name
        for name in fitting
        if len(original) and registry.build("measure", name, {}).fit_in(microdata).score(original) > bound
    ]
    return dict.fromkeys(exceeded, bound)


def aims_of(require: Sequence[str], registry: Registry, judged: Iterable[str]) -> dict[str, float]:
    """Return the measures that a search has to keep to the bound of the verdict that is required; none without one.

    They are those, among the measures by which it judges the risk, that a verdict may state, but for those that a
    requirement bounds already. A verdict looks in both directions, and they in one: a measure of both is computed anew
    for each candidate, which takes most of the search.

    Parameters
    ----------
    require : sequence of str
        Requirements, of which one may be on the verdict, and others may set the bound.
    registry : Registry
    judged : iterable of str
        Names of measures.
    """
    others, verdict = without_publishable(require)
    if not verdict:
        return {}
    bounded = {constraint.name for constraint in map(Constraint.parse, others) if constraint.operator == "<="}
    stated = set(registry.defaults("measure", "identity")) - bounded
    return dict.fromkeys((name for name in judged if name in stated), strictest_bound(others, registry))


def aims_among(constraints: Sequence[str], registry: Registry) -> list[str]:
    """Return the constraints that `aims_of` has added to requirements: they stand behind the one on the verdict."""
    places = [place for place, text in enumerate(constraints) if without_publishable([text])[1]]
    if not places:
        return []
    required, added = constraints[: places[0] + 1], constraints[places[0] + 1 :]
    return [text for text in added if text in limits_of(aims_of(required, registry, registry.names("measure")))]


def limits_of(bounds: Mapping[str, float], bounded: Iterable[str] = ()) -> list[str]:
    """Return the constraints that keep measures at or below their bounds, but for those bounded already."""
    return [f"{name} <= {bound:g}" for name, bound in bounds.items() if name not in set(bounded)]


def with_origins(
    judged: Sequence[Mapping[str, Any]],
    registry: Registry,
    most_harm: float = MOST_HARM,
    aims: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Return judged constraints that say by ``own`` whether evosdc set them itself, and nobody required them.

    Parameters
    ----------
    judged : sequence of mapping
        Of `judge_constraints`. Of two that are alike the user's comes first.
    registry : Registry
    most_harm : float
        The bound of harms.
    aims : sequence of str
        Of `aims_among`.
    """
    texts = [str(entry["requirement"]) for entry in judged]
    exact = dict.fromkeys(registry.defaults("measure", "exact"), strictest_bound(texts, registry))
    limits = [*limits_of(dict.fromkeys(harms_of(registry), most_harm) | exact), *aims]
    last = {text: place for place, text in enumerate(texts)}
    return [
        {**entry, "own": text in limits and last[text] == place}
        for place, (entry, text) in enumerate(zip(judged, texts, strict=True))
    ]
