"""From the constraints of an experiment file to figures that can be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evosdc.engine.headline import Headline, Shortfall
from evosdc.engine.measure_on_subset import measure_on_subset
from evosdc.errors import ExperimentError, Fault, FaultCollector, did_you_mean
from evosdc.experiment.config.experiment import Experiment, Measures, Named
from evosdc.model import Aggregation, Expected, Fitted, Microdata, PostRandomised
from evosdc.model.constraint import Constraint, Constraints
from evosdc.plugins.registry import Registry


@dataclass
class Figures:
    """What constraints look at: further fitted measures by the name of their score, and figures made of scores."""

    fitted: dict[str, Fitted] = field(default_factory=dict)
    derived: dict[str, Aggregation] = field(default_factory=dict)


def parsed_constraints(experiment: Experiment) -> tuple[Constraint, ...]:
    """Return the constraints as they are written.

    Raises
    ------
    ExperimentError
        With one fault for each text that is none.
    """
    collect = FaultCollector()
    listed = []
    for text in experiment.constraints:
        with collect.step():
            listed.append(Constraint.parse(text))
    if collect.faults:
        raise ExperimentError(collect.faults)
    return tuple(listed)


def constraints_of(
    experiment: Experiment,
    measures: Measures,
    registry: Registry,
    microdata: Microdata,
    aggregation: Aggregation,
    genotype: object,
) -> tuple[Constraints, dict[str, Fitted]]:
    """Return the constraints, and the measures that they need besides those of the experiment.

    Raises
    ------
    InputError
        With the faults of all constraints.
    """
    listed = parsed_constraints(experiment)
    figures, collect = Figures(), FaultCollector()
    for constraint in listed:
        with collect.step():
            _add(figures, constraint, measures, registry, microdata, aggregation)
    if isinstance(genotype, PostRandomised) and genotype.expected:
        collect.faults += [
            Fault(
                f"constraint on {name}",
                "a figure without expectation under transition matrices",
                "one that has one",
                "Let the genotype draw instead.",
            )
            for name, fitted in figures.fitted.items()
            if not isinstance(fitted, Expected)
        ]
    collect.settle()
    return Constraints(listed, figures.derived), figures.fitted


def _add(
    figures: Figures,
    constraint: Constraint,
    measures: Measures,
    registry: Registry,
    microdata: Microdata,
    aggregation: Aggregation,
) -> None:
    name, attribute, where = constraint.name, constraint.attribute, f"constraint {str(constraint)!r}"
    taken = {measure.name: measure for measure in measures.all}
    kinds = {"il": measures.il, "dr": measures.dr}
    if attribute is not None and attribute not in microdata.protect:
        wanted = f"one of {', '.join(microdata.protect)}"
        advice = did_you_mean(attribute, microdata.protect)
        raise ExperimentError(Fault(where, f"{attribute}, which is not protected", wanted, advice))
    if name in kinds:
        if not kinds[name]:
            raise ExperimentError(Fault(where, f"no measure of {name}", f"measures = {{ {name} = [...] }}"))
        if attribute is not None:
            for measure in kinds[name]:
                _fit(figures, measure, attribute, registry, microdata)
            figures.derived[constraint.figure_name] = _of_attribute(aggregation, name, attribute)
    elif attribute is not None and name in registry.names("measure"):
        _fit(figures, taken.get(name, Named(name=name)), attribute, registry, microdata)
    elif name in taken:
        return
    elif name in registry.names("privacy-model"):
        if attribute is not None:
            advice = "Leave `of` out, or protect that attribute alone."
            raise ExperimentError(Fault(where, "a privacy model of one attribute", "one of the whole file", advice))
        headline = Headline(registry.build("privacy-model", name, {}), microdata)
        release = headline.view(microdata.original)
        if not headline.model.applies(release):
            given = f"a file without what {name} looks at"
            raise ExperimentError(Fault(where, given, "for instance an attribute with the role sensitive"))
        figures.fitted[name] = headline
        safe = constraint.operator == (">=" if headline.model.larger_is_safer else "<=")
        if safe and headline.model.shortfall(release, constraint.bound) is not None:
            figures.fitted[constraint.shortfall_name] = Shortfall(headline, constraint.bound)
    elif name in registry.names("measure"):
        advice = f"Take it as well: measures.other = [{name!r}]."
        raise ExperimentError(Fault(where, f"{name}, a measure that is not taken", "one of the measures", advice))
    else:
        known = ["il", "dr", *registry.names("measure"), *registry.names("privacy-model")]
        wanted = "il, dr, a measure or a privacy model"
        raise ExperimentError(Fault(where, f"{name}, which nothing is called", wanted, did_you_mean(name, known)))


def _fit(figures: Figures, measure: Named, attribute: str, registry: Registry, microdata: Microdata) -> None:
    built = registry.build("measure", measure.name, measure.params)
    figure = f"{measure.name} of {attribute}"
    built.require_support(microdata.original.select([attribute]), f"measure {figure}")
    if figure not in figures.fitted:
        figures.fitted[figure] = measure_on_subset(built, microdata, (attribute,))


def _of_attribute(aggregation: Aggregation, kind: str, attribute: str) -> Aggregation:
    def named(measures: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{name} of {attribute}" for name in measures)

    if kind == "il":
        return Aggregation(named(aggregation.il))
    return Aggregation((), named(aggregation.linkage), named(aggregation.disclosure), aggregation.rule)


def judged_constraints(constraints: Constraints, scores: Mapping[str, float]) -> list[dict[str, object]]:
    """Return each constraint with the figure that it looks at and whether it holds, JSON-able."""
    return [
        {
            "constraint": str(constraint),
            "value": scores[constraint.figure_name],
            "holds": constraint.excess(scores[constraint.figure_name]) == 0.0,
        }
        for constraint in constraints.listed
    ]
