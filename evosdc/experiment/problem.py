"""The problem of a search: measures, aggregation, fitness and constraints of an experiment."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, prod
from typing import Any, cast

import numpy as np

from evosdc.assess.defaults import default_measures, measures_by_role
from evosdc.assess.intruder import strictest_bound
from evosdc.assess.mask import RegisteredMethods
from evosdc.assess.risk import RegisteredModels
from evosdc.assess.three_risks import TAIL
from evosdc.assess.verdict import required_words
from evosdc.engine.class_keeping import headline_of
from evosdc.engine.headline import Headline, Shortfall, unmasked_of
from evosdc.engine.measure_on_subset import measure_on_subset
from evosdc.engine.problem import Problem
from evosdc.errors import (
    ExperimentError,
    Fault,
    FaultCollector,
    InputError,
    ParameterError,
    PluginError,
    asked,
    did_you_mean,
)
from evosdc.experiment.experiment import Experiment, MeasureEntry, Measures, Named
from evosdc.model import Aggregation, Described, Expected, Fitness, Fitted, Genotype, Microdata, Stochastic, matrices_of
from evosdc.model.constraint import ACCEPTED, MOST_SURE, TIMES_BOUND, Constraint, Constraints, without_publishable
from evosdc.model.fitness import single_measure
from evosdc.plugins.registry import Registry
from evosdc.processors import side_by_side
from evosdc.secret import Key, Seed, Streams, judging_seed
from evosdc.specs import MaskingMethodSpec
from evosdc.table.schema import Role, Schema
from evosdc.table.table import Table


def parse_constraints(experiment: Experiment) -> tuple[Constraint, ...]:
    """Return the constraints as they are written, without those on the verdict, then the limits of evosdc."""
    collect = FaultCollector()
    listed = []
    required = without_publishable(experiment.constraints)[0]
    for text, own in (*((text, False) for text in required), *((text, True) for text in experiment.limits)):
        with collect.step():
            listed.append(Constraint.parse(text, own))
    if collect.faults:
        raise ExperimentError(collect.faults)
    return tuple(listed)


@dataclass
class Figures:
    """The figures of constraints: further fitted measures by the name of their score, and figures made of scores."""

    measures: Measures
    registry: Registry
    microdata: Microdata
    aggregation: Aggregation
    fitted: dict[str, Fitted] = field(default_factory=dict)
    derived: dict[str, Aggregation] = field(default_factory=dict)

    def add(self, constraint: Constraint) -> None:
        """Add the figure of one constraint."""
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
            least, greatest = zip(*(self.registry.measure(measure.name).range for measure in kinds[name]), strict=True)
            self._require_possible(constraint, min(least), max(greatest))
        elif attribute is not None and name in offered:
            self._require_possible(constraint, *self.registry.measure(name).range)
            self._fit(taken.get(name, Named(name=name)), attribute)
        elif name in taken:
            self._require_possible(constraint, *self.registry.measure(name).range)
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


def _of_attribute(aggregation: Aggregation, kind: str, attribute: str) -> Aggregation:
    def named(measures: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{name} of {attribute}" for name in measures)

    if kind == "il":
        return Aggregation(named(aggregation.il))
    linkage, disclosure = named(aggregation.linkage), named(aggregation.disclosure)
    return Aggregation((), linkage, disclosure, aggregation.rule, aggregation.risks)


def judge_constraints(problem: Problem, scores: Mapping[str, float], registry: Registry) -> list[dict[str, Any]]:
    """Return each constraint with the figure that it looks at, whether it is met, and whose it is, JSON-able."""
    # Of privacy models also the ``quasi_identifiers`` that they look at, which of these are ``unmasked``, and the
    # requirement in ``words`` that name them. Of a missed limit also the ``meaning`` of its measure: users have not
    # chosen that.
    judged = []
    for constraint in problem.constraints.listed:
        value = scores[constraint.figure_name]
        met = constraint.excess(value) == 0.0
        entry: dict[str, Any] = {"requirement": str(constraint), "value": value, "met": met, "own": constraint.own}
        if (headline := headline_of(constraint, problem.measures)) is not None:
            entry |= {"quasi_identifiers": list(headline.quasi_identifiers), "unmasked": list(unmasked_of(headline))}
            entry["words"] = required_words(entry)
        if constraint.own and not met and constraint.name in registry.names("measure"):
            entry["meaning"] = registry.spec("measure", constraint.name).summary.rstrip(".")
        judged.append(entry)
    return judged


Judged = tuple[Measures, Mapping[str, Fitted]]


def drawing_from(seed: Seed, measure: Named, registry: Registry) -> dict[str, Any]:
    """Return the parameters of a measure; with a key, its seed comes from the key unless it is given."""
    params = measure.params
    if isinstance(seed, Key) and "seed" in registry.implementation("measure", measure.name).Params.model_fields:
        return {"seed": judging_seed(seed)} | params
    return params


def build_problem(
    experiment: Experiment, microdata: Microdata, registry: Registry, seed: Seed, before: Judged | None = None
) -> Problem:
    """Return the problem of an experiment on its microdata; a worker builds it, too."""
    collect = FaultCollector()
    genotype: Genotype[Any] | None = None
    fitness = None
    with collect.step():
        needs = {"methods": RegisteredMethods, "models": RegisteredModels}  # parts of the registry
        name, params = experiment.genotype.name, experiment.genotype.params
        parts = [needs[one](registry) for one in registry.implementation("genotype", name).needs]
        genotype = registry.build("genotype", name, params, microdata, *parts)
    fitted: dict[str, Fitted] = {}
    experiment = guarded(experiment, genotype, registry)
    measures = experiment.measures
    assert measures is not None, "the assembly fills in those taken as usual"
    listed, at_hand = ((), {}) if before is None else (before[0].all, before[1])
    fits: dict[str, Callable[[], Fitted]] = {}
    for measure in measures.all:
        with collect.step():
            built = registry.build("measure", measure.name, drawing_from(seed, measure, registry))
            judged = _judged(measure, microdata)
            built.require_support(judged, f"measure {measure.name}")
            if genotype is not None and genotype.generalises and not built.generalised:
                fit = [
                    name for name in registry.names("measure") if registry.implementation("measure", name).generalised
                ]
                name = experiment.genotype.name
                given = f"a measure of files in the original's own categories, which those of genotype {name} are not"
                raise ParameterError(Fault(f"measure {measure.name}", given, f"one of {', '.join(fit)}"))
            names = judged.schema.names
            whole = names == microdata.original.schema.names
            if measure in listed:
                fits[measure.name] = partial(at_hand.__getitem__, measure.name)
            elif whole:
                fits[measure.name] = partial(built.fit_in, microdata)
            else:
                fits[measure.name] = partial(measure_on_subset, built, microdata, names)
    tried = side_by_side(len(microdata.original), [partial(_fitted, name, fit) for name, fit in fits.items()])
    for name, found in zip(fits, tried, strict=True):
        with collect.step():
            if isinstance(found, InputError):
                raise found
            fitted[name] = found
    with collect.step():
        require_judged(measures, microdata.original.schema, registry)
    aggregation = Aggregation(())
    with collect.step():
        aggregation = aggregation_of(measures, registry)
    with collect.step():
        fitness = fitness_of(experiment, registry)
    constraints, figures = Constraints(), Figures(measures, registry, microdata, aggregation)
    with collect.step():
        required = parse_constraints(experiment)
        for constraint in required:
            with collect.step():
                figures.add(constraint)
        margins = experiment.tighter[-1].margins if experiment.tighter else {}
        constraints = Constraints(required, figures.derived, margins)
    if isinstance(genotype, Stochastic) and genotype.expected:
        collect.faults += [
            Fault(
                f"measure {name}",
                "a measure without expectation under transition matrices",
                "measures, and constraints on figures, that have one",
                f"Genotype {experiment.genotype.name} judges by expectations here; let it draw instead.",
            )
            for name, found in (fitted | figures.fitted).items()
            if not isinstance(found, Expected)
        ]
    if fitness is not None and not collect.faults:
        known = set(fitted) | set(aggregation.combine(dict.fromkeys(fitted, 0.0)))
        known |= set(genotype.trait_names) if isinstance(genotype, Described) else set()
        lacking = [name for name in fitness.needs if name not in known]
        if lacking:
            collect.faults.append(
                Fault(
                    f"fitness {experiment.fitness.name}",
                    f"no measure for {', '.join(lacking)}",
                    "measures = { il = [...], dr = [...] } with all that it combines",
                    " ".join(filter(None, (did_you_mean(name, known) for name in lacking))),
                )
            )
    collect.settle()
    if genotype is None or fitness is None:
        raise PluginError("a genotype or fitness was not built although nothing was wrong")
    return Problem(genotype, fitted | figures.fitted, aggregation, fitness, Streams(seed), constraints)


def _fitted(name: str, fit: Callable[[], Fitted]) -> Fitted | InputError:
    """Return a fitted measure, or the error where it cannot read the file: others are fitted all the same."""

    def fitting() -> Fitted:
        return fit()

    try:
        return asked(f"measure {name}", fitting)
    except InputError as error:
        return error


def judged_as_usual(experiment: Experiment, microdata: Microdata, registry: Registry) -> Experiment:
    """Return an experiment that names no measures with those it takes, and with the constraints that come with them."""
    # A registered data set is judged by the measures of the literature on it, which follow the scales. A file of the
    # user's own is judged as `protect` judges it: risk by role, loss by the tables of analysts, harms besides, and
    # values that stay as they were, which are kept below what a verdict accepts.
    if experiment.measures is not None:
        return experiment
    if experiment.data.name is not None:
        usual = Measures.model_validate(default_measures(microdata.original.schema, registry))
        return experiment.model_copy(update={"measures": usual})
    required, accepted = without_publishable(experiment.constraints)[0], experiment.accepted
    bounds = exact_risks(microdata, registry, required, accepted)
    judged = measures_by_role(microdata, registry) | {"other": (*harms_of(registry), *bounds)}
    bounded = _bounded(experiment)
    risks = [entry["name"] if isinstance(entry, dict) else entry for entry in judged["dr"]]
    aims = aims_of(experiment.constraints, registry, risks, experiment.goal)
    limits = (*experiment.limits, *limits_of(bounds | aims, bounded))
    return experiment.model_copy(update={"measures": Measures.model_validate(judged), "limits": limits})


def _judged(measure: MeasureEntry, microdata: Microdata) -> Table:
    """Return the protected attributes that a measure judges, in the order of the file."""
    original = microdata.original
    if measure.of is None:
        return original
    unknown = [name for name in measure.of if name not in original.schema]
    if unknown:
        wanted = f"some of the protected attributes {', '.join(original.schema.names)}"
        raise ExperimentError(Fault(f"measure {measure.name}: of", ", ".join(unknown), wanted))
    return original.select([name for name in original.schema.names if name in measure.of])


def require_judged(measures: Measures, schema: Schema, registry: Registry) -> None:
    """Raise when losses are combined but none of them judges attributes of some scale: a search would ruin those."""
    known = [m.name for m in measures.il if m.name in registry.names("measure")]
    seen = {scale for name in known for scale in registry.implementation("measure", name).supports}
    unseen = [attribute for attribute in schema.attributes if attribute.scale not in seen]
    if known and unseen:
        scales = " and ".join(sorted({str(attribute.scale) for attribute in unseen}))
        given = f"no measure that judges {', '.join(attribute.name for attribute in unseen)}"
        advice = "Add one, see `evosdc plugins list`, or name no measures to take those that fit the file."
        raise ExperimentError(Fault("measures.il", given, f"a loss of {scales} attributes as well", advice))


def fitness_of(experiment: Experiment, registry: Registry) -> Fitness:
    """Return the fitness by its name, which may be that of one of the experiment's measures."""
    name, params = experiment.fitness.name, experiment.fitness.params
    if name not in registry.names("fitness") and name in registry.names("measure"):
        if experiment.measures is not None and name not in {m.name for m in experiment.measures.all}:
            advice = f"Take it as well: measures = [..., {name!r}]."
            raise ExperimentError(
                Fault(f"fitness {name}", "a measure that is not taken", "one of the measures", advice)
            )
        return single_measure(name, params, registry.measure(name).direction)
    fitness: Fitness = registry.build("fitness", name, params)
    if experiment.measures is None:  # only the name and the parameters can be looked at
        return fitness
    taken = [measure.name for measure in experiment.measures.all if measure.name in registry.names("measure")]
    return fitness.bound({m: registry.measure(m).direction for m in taken})


def aggregation_of(measures: Measures, registry: Registry) -> Aggregation:
    """Return how the measures make IL and DR: linkage measures are known by the family of their spec."""
    collect = FaultCollector()
    for kind, listed in (("il", measures.il), ("dr", measures.dr)):
        for measure in listed:
            with collect.step():
                found = registry.measure(measure.name).kind
                if found != kind:
                    wanted = f"a measure of kind {kind}"
                    raise ExperimentError(Fault(f"measures.{kind}: {measure.name}", f"one of kind {found}", wanted))
    collect.settle()
    families = {m.name: registry.measure(m.name).family for m in measures.dr}
    return Aggregation(
        tuple(m.name for m in measures.il),
        tuple(name for name, family in families.items() if family == "linkage"),
        tuple(name for name, family in families.items() if family != "linkage"),
        measures.linkage,
        measures.risks,
    )


LAST = "last"  # parameter of genotypes of plans: a step that ends every plan


def require_last(genotype: Mapping[str, Any], required: Iterable[Constraint], registry: Registry) -> None:
    """Raise `ParameterError` where the last step of all plans guarantees less than the requirement."""
    last = genotype.get(LAST)
    if not isinstance(last, Mapping) or last.get("method") not in registry.names("masking-method"):
        return
    given = {key: value for key, value in last.items() if key not in ("method", "attributes")}
    params = registry.parameters("masking-method", last["method"], given)
    spec = cast(MaskingMethodSpec, registry.spec("masking-method", last["method"]))
    faults = []
    for constraint in required:
        parameter = dict(spec.guarantees).get(constraint.name)
        if parameter is not None and constraint.plain and getattr(params, parameter) < ceil(constraint.bound):
            wanted = f"{ceil(constraint.bound)} at least, since {constraint.name} >= {constraint.bound:g} is required"
            faults.append(Fault(f"{LAST}: {spec.name}: {parameter}", str(getattr(params, parameter)), wanted))
    if faults:
        raise ParameterError(faults)


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
    # The verdict refuses a file that is beyond one. A measure that even the original keeps within its bound needs no
    # constraint.
    original, bound = microdata.original, strictest_bound(require, registry, accepted)
    scales = {str(attribute.scale) for attribute in original.schema.attributes}
    fitting = [name for name in registry.defaults("measure", "exact") if scales <= set(registry.measure(name).scales)]
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


# Surest matches: how many records are looked at, and up to how many pairs a search follows the measure, which matches
# all pairs for each file that it keeps.
MATCHED = 3000, 10_000_000


def followed_judges(microdata: Microdata, registry: Registry, goal: float | None) -> dict[str, float]:
    """Return the judges that a search with a goal follows, each with the verdict's bound."""
    # Leaves out judges whose bound the original keeps, surest matches in large varied files, and all others where no
    # numbers are masked: with categories alone they cost a search most of its evaluations.
    known, n = microdata.original.select(known_among(microdata.original.schema)), len(microdata.original)
    if goal is None or not n or not len(known.schema):
        return {}
    different = min(n, prod(len(np.unique(known.column(name))) for name in known.schema.names))
    few = min(n, MATCHED[0]) * different <= MATCHED[1]
    numbers = any(not attribute.categorical for attribute in known.schema.attributes)
    bounds = _bounds_of_judges(registry, goal)
    return {
        name: most
        for name, most in bounds.items()
        if (few if registry.measure(name).family == TAIL else numbers)
        and _score_of_original(name, replace(microdata, protect=known.schema.names), registry) > most
    }


def known_among(schema: Schema) -> tuple[str, ...]:
    """Return the attributes that an intruder is taken to know: all but sensitive ones."""
    return tuple(a.name for a in schema.attributes if a.role is not Role.SENSITIVE)


def _bounds_of_judges(registry: Registry, goal: float) -> dict[str, float]:
    tail = max(MOST_SURE, TIMES_BOUND * goal)
    names = registry.defaults("measure", "followed")
    return {n: tail if registry.measure(n).family == TAIL else goal for n in names}


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
    # Measures of the risk that a verdict may state, without those that a requirement bounds. A search with a goal keeps
    # what masked sensitive attributes disclose to the same bound: it has nothing else that would mask them.
    others, verdict = without_publishable(require)
    if not verdict and goal is None:
        return {}
    bounded = {constraint.name for constraint in map(Constraint.parse, others) if constraint.operator == "<="}
    risks = [*registry.defaults("measure", "identity"), *(registry.defaults("measure", "inference") if goal else ())]
    stated = set(risks) - bounded
    accepted = ACCEPTED if goal is None else goal
    return dict.fromkeys((name for name in judged if name in stated), strictest_bound(others, registry, accepted))


def aims_among(constraints: Iterable[Constraint], registry: Registry) -> list[Constraint]:
    """Return the limits that `aims_of` has added to the requirements."""
    stated = {name for occasion in ("identity", "inference") for name in registry.defaults("measure", occasion)}
    return [one for one in constraints if one.own and one.name in stated]


def limits_of(bounds: Mapping[str, float], bounded: Iterable[str] = ()) -> list[str]:
    """Return the constraints that keep measures at or below their bounds, except those bounded already."""
    return [f"{name} <= {bound:g}" for name, bound in bounds.items() if name not in set(bounded)]


def _bounded(experiment: Experiment) -> set[str]:
    """Return the figures that an experiment bounds already."""
    return {text.partition("<")[0].strip() for text in (*experiment.constraints, *experiment.limits)}


NO_BOUND = 100.0  # per cent of the records from which there is nothing to guard


def guarded(experiment: Experiment, genotype: object, registry: Registry) -> Experiment:
    """Return an experiment with bounds on the harms of matrices that plugins offer, such as relabelling."""
    # What bounds a harm already stays as it is, so that an experiment may be stricter or looser; so does an experiment
    # with another kind of genotype, or with a genotype without a bound on relabelling.
    measures = experiment.measures
    drawing = matrices_of(genotype) if isinstance(genotype, Genotype) else None
    if drawing is None or measures is None or drawing.most_relabelled >= NO_BOUND:
        return experiment
    bounded = _bounded(experiment)
    harms = [name for name in registry.defaults("measure", "harm") if name not in bounded]
    taken = {measure.name for measure in measures.all}
    others = [*measures.other, *(MeasureEntry(name=name) for name in harms if name not in taken)]
    limits = (*experiment.limits, *limits_of(dict.fromkeys(harms, drawing.most_relabelled)))
    judged = Measures.model_validate({**dict(measures), "other": tuple(others)})
    return experiment.model_copy(update={"measures": judged, "limits": limits})
