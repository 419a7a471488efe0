"""Bounds of risk that a search keeps where nothing was required."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from evosdc.assess.intruder import strictest_bound
from evosdc.assess.three_risks import TAIL
from evosdc.errors import ParameterError
from evosdc.experiment.experiment import Experiment, MeasureEntry, Measures
from evosdc.model import Genotype, Microdata, matrices_of
from evosdc.model.constraint import ACCEPTED, MOST_SURE, TIMES_BOUND, Constraint, without_publishable
from evosdc.plugins.registry import Registry
from evosdc.table.distinct_values import distinct_values
from evosdc.table.schema import Role, Schema

MOST_HARM = 3.0  # what a measure of harm may come to at most, in per cent of the records


# How many more sensitive values, in per cent of the people, may be right when looked up in tables of the file than of
# people who are not in it: the excess that a judge of members and others may find for certain.
MOST_LEARNED = 2.0


def harms_of(registry: Registry) -> dict[str, float]:
    """Return the measures of harm that plugins offer, relabelling for one, each with its bound."""
    return dict.fromkeys(registry.defaults("measure", "harm"), MOST_HARM)


def exact_risks(
    microdata: Microdata, registry: Registry, require: Sequence[str] = (), accepted: float = ACCEPTED
) -> dict[str, float]:
    """Return the measures of disclosure by exact values and in tables of the file, each with its bound."""
    # The verdict refuses a file that is beyond one. A measure that not even the original exceeds is left out: no masked
    # file of it has to be kept from anything.
    original, bound = microdata.original, strictest_bound(require, registry, accepted)
    scales = {str(attribute.scale) for attribute in original.schema.attributes}
    fitting = [
        name
        for name in registry.defaults("measure", "exact")
        if scales <= set(getattr(registry.spec("measure", name), "scales", ()))
    ]
    bounds = dict.fromkeys(fitting, bound)
    learned = learned_of(registry) if microdata.table.schema.with_role(Role.SENSITIVE) else {}
    return {
        name: most
        for name, most in (bounds | learned).items()
        if len(original) and _score_of_original(name, microdata, registry, OF_MASKED if name in learned else {}) > most
    }


# Parameters of these measures in a search: what unmasked columns disclose of each other is a condition of the verdict.
OF_MASKED: Mapping[str, Any] = {"masked": True}


def learned_of(registry: Registry) -> dict[str, float]:
    """Return the measures of disclosure of sensitive attributes by tables of a file, each with its bound."""
    return dict.fromkeys(registry.defaults("measure", "lookup"), MOST_LEARNED)


# Records of which the people worst off are looked for, and pairs of them with different originals up to which a search
# follows that: it matches all pairs for each file that it keeps.
MATCHED = 3000, 10_000_000


def followed_judges(microdata: Microdata, registry: Registry, goal: float | None) -> dict[str, float]:
    """Return the judges that a search with a goal follows, each with the verdict's bound."""
    # None that not even the original exceeds. Of the people worst off none in a large file of many combinations. Any
    # other judge only where numbers are masked: with categories alone it costs a search most of its evaluations.
    known, n = microdata.original.select(known_among(microdata.original.schema)), len(microdata.original)
    if goal is None or not n or not len(known.schema):
        return {}
    different = min(n, prod(len(distinct_values(known.column(name))) for name in known.schema.names))
    few = min(n, MATCHED[0]) * different <= MATCHED[1]
    numbers = any(not attribute.categorical for attribute in known.schema.attributes)
    bounds = _bounds_of_judges(registry, goal)
    return {
        name: most
        for name, most in bounds.items()
        if (few if getattr(registry.spec("measure", name), "family", "") == TAIL else numbers)
        and _score_of_original(name, replace(microdata, protect=known.schema.names), registry) > most
    }


def known_among(schema: Schema) -> tuple[str, ...]:
    """Return the attributes that an intruder is taken to know: all but sensitive ones."""
    return tuple(a.name for a in schema.attributes if a.role is not Role.SENSITIVE)


def _bounds_of_judges(registry: Registry, goal: float) -> dict[str, float]:
    tail = max(MOST_SURE, TIMES_BOUND * goal)
    names = registry.defaults("measure", "followed")
    return {n: tail if getattr(registry.spec("measure", n), "family", "") == TAIL else goal for n in names}


def _score_of_original(
    name: str, microdata: Microdata, registry: Registry, params: Mapping[str, Any] | None = None
) -> float:
    """Return the score of the original itself; 0 where the measure does not apply to such a file."""
    try:
        return float(registry.build("measure", name, dict(params or {})).fit_in(microdata).score(microdata.original))
    except ParameterError:
        return 0.0


def aims_of(
    require: Sequence[str], registry: Registry, judged: Iterable[str], goal: float | None = None
) -> dict[str, float]:
    """Return the measures that a search has to keep to the bound of the verdict; none where it has no such goal."""
    # They are those, among the measures by which it judges the risk, that a verdict may state, but for those that a
    # requirement bounds already. A search with a goal keeps what masked sensitive attributes disclose to the same
    # bound: it has nothing else that would mask them.
    others, verdict = without_publishable(require)
    if not verdict and goal is None:
        return {}
    bounded = {constraint.name for constraint in map(Constraint.parse, others) if constraint.operator == "<="}
    risks = [*registry.defaults("measure", "identity"), *(registry.defaults("measure", "inference") if goal else ())]
    stated = set(risks) - bounded
    accepted = ACCEPTED if goal is None else goal
    return dict.fromkeys((name for name in judged if name in stated), strictest_bound(others, registry, accepted))


def aims_among(constraints: Sequence[str], registry: Registry, goal: float | None = None) -> list[str]:
    """Return the constraints that `aims_of` has added behind the requirements."""
    # They stand behind the requirement on the verdict, and where there is none, where the first of them does.
    verdicts = [place + 1 for place, text in enumerate(constraints) if without_publishable([text])[1]]
    for place in verdicts[:1] or range(len(constraints)):
        aims = limits_of(aims_of(constraints[:place], registry, registry.names("measure"), goal))
        added = [text for text in constraints[place:] if text in aims]
        if added and (verdicts or constraints[place] in aims):
            return added
    return []


def limits_of(bounds: Mapping[str, float], bounded: Iterable[str] = ()) -> list[str]:
    """Return the constraints that keep measures at or below their bounds, except those bounded already."""
    return [f"{name} <= {bound:g}" for name, bound in bounds.items() if name not in set(bounded)]


def with_origins(
    judged: Sequence[Mapping[str, Any]],  # of `judge_constraints`. Of two that are alike the user's comes first.
    registry: Registry,
    most_harm: float = MOST_HARM,  # the bound of harms
    aims: Sequence[str] = (),  # of `aims_among`
    accepted: float = ACCEPTED,  # the bound of the verdict where no requirement sets it
) -> list[dict[str, Any]]:
    """Return judged constraints; ``own`` says whether evosdc set them itself, without a request."""
    texts = [str(entry["requirement"]) for entry in judged]
    exact = dict.fromkeys(registry.defaults("measure", "exact"), strictest_bound(texts, registry, accepted))
    own = dict.fromkeys(harms_of(registry), most_harm) | exact | learned_of(registry)
    own |= _bounds_of_judges(registry, accepted)
    limits = [*limits_of(own), *aims]
    last = {text: place for place, text in enumerate(texts)}
    return [
        {**entry, "own": text in limits and last[text] == place}
        for place, (entry, text) in enumerate(zip(judged, texts, strict=True))
    ]


NO_BOUND = 100.0  # per cent of the records from which there is nothing to guard


def guarded(experiment: Experiment, genotype: object, registry: Registry) -> Experiment:
    """Return an experiment with bounds on the harms of matrices that plugins offer, such as relabelling."""
    # What bounds a harm already stays as it is, so that an experiment may be stricter or looser; so does an experiment
    # with another kind of genotype, or with a genotype without a bound on relabelling.
    measures = experiment.measures
    drawing = matrices_of(genotype) if isinstance(genotype, Genotype) else None
    if drawing is None or measures is None or drawing.most_relabelled >= NO_BOUND:
        return experiment
    bounded = {text.partition("<")[0].strip() for text in experiment.constraints}
    harms = [name for name in registry.defaults("measure", "harm") if name not in bounded]
    taken = {measure.name for measure in measures.all}
    others = [*measures.other, *(MeasureEntry(name=name) for name in harms if name not in taken)]
    limits = [f"{name} <= {drawing.most_relabelled:g}" for name in harms]
    judged = Measures.model_validate({**dict(measures), "other": tuple(others)})
    return experiment.model_copy(update={"measures": judged, "constraints": (*experiment.constraints, *limits)})
