"""From the constraints of an experiment file to figures that can be judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from evosdc.assess.verdict import required_words
from evosdc.engine.class_keeping import headline_of
from evosdc.engine.headline import Headline, Shortfall, unmasked_of
from evosdc.engine.measure_on_subset import measure_on_subset
from evosdc.errors import ExperimentError, Fault, FaultCollector, did_you_mean
from evosdc.experiment.experiment import Experiment, Measures, Named
from evosdc.model import Aggregation, Expected, Fitted, Microdata, Stochastic
from evosdc.model.constraint import Constraint, Constraints, without_publishable
from evosdc.plugins.registry import Registry
from evosdc.specs import MeasureSpec


def parse_constraints(experiment: Experiment) -> tuple[Constraint, ...]:
    """Return the constraints as they are written, without those on the verdict."""
    collect = FaultCollector()
    listed = []
    for text in without_publishable(experiment.constraints)[0]:
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
    """Return the constraints, and the measures that they need besides those of the experiment."""
    listed = parse_constraints(experiment)
    figures, collect = Figures(measures, registry, microdata, aggregation), FaultCollector()
    for constraint in listed:
        with collect.step():
            figures.add(constraint)
    if isinstance(genotype, Stochastic) and genotype.expected:
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


@dataclass
class Figures:
    """What constraints look at: further fitted measures by the name of their score, and figures made of scores."""

    measures: Measures
    registry: Registry
    microdata: Microdata
    aggregation: Aggregation
    fitted: dict[str, Fitted] = field(default_factory=dict)
    derived: dict[str, Aggregation] = field(default_factory=dict)

    def add(self, constraint: Constraint) -> None:
        """Take in what one constraint looks at."""
        name, attribute, where = constraint.name, constraint.attribute, f"constraint {str(constraint)!r}"
        taken = {measure.name: measure for measure in self.measures.all}
        kinds = {"il": self.measures.il, "dr": self.measures.dr}
        offered, models = self.registry.names("measure"), self.registry.names("privacy-model")
        if constraint.params and name not in models:
            raise ExperimentError(Fault(where, f"parameters of {name}", "those of a privacy model"))
        if attribute is not None and attribute not in self.microdata.protect and name not in models:
            wanted = f"one of {', '.join(self.microdata.protect)}"
            advice = did_you_mean(attribute, self.microdata.protect)
            raise ExperimentError(Fault(where, f"{attribute}, which is not protected", wanted, advice))
        if name in kinds:
            if not kinds[name]:
                raise ExperimentError(Fault(where, f"no measure of {name}", f"measures = {{ {name} = [...] }}"))
            if attribute is not None:
                for measure in kinds[name]:
                    self._fit(measure, attribute)
                self.derived[constraint.figure_name] = _of_attribute(self.aggregation, name, attribute)
            self._require_possible(constraint, *_span([self._range(measure.name) for measure in kinds[name]]))
        elif attribute is not None and name in offered:
            self._require_possible(constraint, *self._range(name))
            self._fit(taken.get(name, Named(name=name)), attribute)
        elif name in taken:
            self._require_possible(constraint, *self._range(name))
        elif name in models:
            self._add_model(constraint, where)
        elif name in offered:
            advice = f"Take it as well: measures.other = [{name!r}]."
            raise ExperimentError(Fault(where, f"{name}, a measure that is not taken", "one of the measures", advice))
        else:
            wanted, advice = "il, dr, a measure or a privacy model", did_you_mean(name, ["il", "dr", *offered, *models])
            raise ExperimentError(Fault(where, f"{name}, which nothing is called", wanted, advice))

    def _add_model(self, constraint: Constraint, where: str) -> None:
        name = constraint.name
        table = self.microdata.table
        if constraint.attribute is not None and constraint.attribute not in table.schema:
            wanted, advice = "a sensitive attribute", did_you_mean(constraint.attribute, table.schema.names)
            raise ExperimentError(Fault(where, f"{constraint.attribute}, which the file does not have", wanted, advice))
        model = self.registry.build("privacy-model", name, dict(constraint.params))
        sensitive = None if constraint.attribute is None else (constraint.attribute,)
        if sensitive and model.applies(Headline(model, self.microdata, ()).view(self.microdata.original)):
            advice = "Leave `of` out: the model looks at no sensitive attribute."
            raise ExperimentError(Fault(where, "a privacy model of one attribute", "one of the whole file", advice))
        headline = Headline(model, self.microdata, sensitive)
        view = headline.view(self.microdata.original)
        if not headline.model.applies(view):
            given = f"a file without what {name} looks at"
            raise ExperimentError(Fault(where, given, "for instance an attribute with the role sensitive"))
        self._require_possible(constraint, *headline.model.attainable(view), f"of {len(view.table)} records")
        self.fitted[constraint.figure_name] = headline
        safe = constraint.operator == (">=" if headline.model.larger_is_safer else "<=")
        if safe and headline.model.shortfall(view, constraint.bound) is not None:
            self.fitted[constraint.shortfall_name] = Shortfall(headline, constraint.bound)

    def _range(self, name: str) -> tuple[float, float]:
        """Return what a measure can come to."""
        spec = self.registry.spec("measure", name)
        assert isinstance(spec, MeasureSpec)
        return spec.range

    def _require_possible(self, constraint: Constraint, least: float, greatest: float, of: str = "") -> None:
        """Refuse a constraint that no file can fulfil, before a search tries to."""
        bound, safe = constraint.bound, constraint.operator
        if (safe == "<=" and bound < least) or (safe == ">=" and bound > greatest):
            file = " ".join(filter(None, ("no masking of a file", of)))
            given = f"{bound:g}, which {file} can keep"
            end = f"{least:g} or more" if safe == "<=" else f"{greatest:g} or less"
            advice = f"{constraint.name} lies between {least:g} and {greatest:g}."
            raise ExperimentError(Fault(f"constraint {str(constraint)!r}", given, end, advice))

    def _fit(self, measure: Named, attribute: str) -> None:
        built = self.registry.build("measure", measure.name, measure.params)
        figure = f"{measure.name} of {attribute}"
        built.require_support(self.microdata.original.select([attribute]), f"measure {figure}")
        if figure not in self.fitted:
            self.fitted[figure] = measure_on_subset(built, self.microdata, (attribute,))


def _span(ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return between what a mean of figures lies."""
    return min(least for least, _ in ranges), max(greatest for _, greatest in ranges)


def _of_attribute(aggregation: Aggregation, kind: str, attribute: str) -> Aggregation:
    def named(measures: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{name} of {attribute}" for name in measures)

    if kind == "il":
        return Aggregation(named(aggregation.il))
    linkage, disclosure = named(aggregation.linkage), named(aggregation.disclosure)
    return Aggregation((), linkage, disclosure, aggregation.rule, aggregation.risks)


def judge_constraints(
    constraints: Constraints, scores: Mapping[str, float], measures: Mapping[str, Fitted] = MappingProxyType({})
) -> list[dict[str, object]]:
    """Return each constraint with the figure that it looks at and whether it is met, JSON-able."""
    # Of privacy models also the ``quasi_identifiers`` that they look at, which of these are ``unmasked``, and the
    # requirement in ``words`` that name them.
    return [
        {
            "requirement": str(constraint),
            "value": scores[constraint.figure_name],
            "met": constraint.excess(scores[constraint.figure_name]) == 0.0,
        }
        | _looked_at(str(constraint), headline_of(constraint, measures))
        for constraint in constraints.listed
    ]


def _looked_at(requirement: str, headline: Headline | None) -> dict[str, object]:
    if headline is None:
        return {}
    over = {"quasi_identifiers": list(headline.quasi_identifiers), "unmasked": list(unmasked_of(headline))}
    return {**over, "words": required_words({"requirement": requirement, **over})}
