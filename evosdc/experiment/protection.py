"""The experiments that ``evosdc protect`` and ``evosdc tune`` run: good defaults for a file and a requirement."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, cast

from evosdc.assess.data_check import require_no_split_households
from evosdc.assess.defaults import composition, default_portfolio, measures_by_role
from evosdc.engine.choice import choice_of
from evosdc.engine.headline import Headline, unmasked_of
from evosdc.errors import ExperimentError, Fault, InputError, ParameterError
from evosdc.experiment import problem
from evosdc.experiment.data import load_data, microdata_of, with_dependent
from evosdc.experiment.experiment import DataSource, Experiment
from evosdc.experiment.reader import parse_experiment
from evosdc.model import Guaranteed, Microdata, designs_of
from evosdc.model.constraint import ACCEPTED, AUDIENCES, Constraint, without_publishable
from evosdc.model.parameters import parse_parameters
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import Registry
from evosdc.specs import MaskingMethodSpec
from evosdc.table.schema import Role


def assurance_of(
    microdata: Microdata, registry: Registry, require: Sequence[str], measures: Sequence[str], bound: float
) -> Mapping[str, Any] | None:
    """Return the proposal of the first genotype that guarantees a required privacy model; None where none does."""
    # None, too, where an intruder knows unmasked attributes, where sensitive attributes are masked, whose risk is not
    # re-identification, and where named measures cannot judge wider labels.
    constraints = [Constraint.parse(text) for text in require]
    required = [one for one in constraints if one.name in registry.names("privacy-model")]
    named = [*measures, *(one.name for one in constraints if one.name in registry.names("measure"))]
    schema = microdata.original.schema
    if not required or any(schema[name].role is Role.SENSITIVE for name in schema.names):
        return None
    if not all(registry.implementation("measure", name).generalised for name in named):
        return None
    models = (registry.build("privacy-model", one.name, dict(one.params)) for one in required)
    if any(unmasked_of(Headline(model, microdata)) for model in models):
        return None
    return _proposed("anonymity", microdata, registry, required, bound)


def truthful_experiment(
    microdata: Microdata, registry: Registry, require: Sequence[str], bound: float
) -> Mapping[str, Any]:
    """Return the proposal of a genotype whose published values are all true: only coarser, or absent."""
    required = [Constraint.parse(text) for text in require]
    models = registry.names("privacy-model")
    faults = [
        Fault(
            "--truthful",
            f"the requirement {one}",
            "requirements on privacy models",
            "Measures compare values that were changed; here all of them are true. --bound sets the size of groups.",
        )
        for one in required
        if one.name not in models
    ]
    if faults:
        raise ExperimentError(faults)
    proposed = _proposed("truthful", microdata, registry, required, bound)
    if proposed is None:
        wanted = "attributes that a genotype can publish in coarser values"
        raise ParameterError(Fault("--truthful", "a file that no genotype generalises", wanted))
    return proposed


def _proposed(
    occasion: str, microdata: Microdata, registry: Registry, required: Sequence[Constraint], bound: float
) -> Mapping[str, Any] | None:
    for name in registry.defaults("genotype", occasion):
        kind = registry.implementation("genotype", name)
        proposed = kind.assurance(microdata, required, bound) if issubclass(kind, Guaranteed) else None
        if proposed is not None:
            return dict(proposed)
    return None


# Generations of the search, and without improvement after which it ends: two of them are a round of sixty candidates at
# first, and of hundreds later.
GENERATIONS, STALLED = 600, 200

# Likewise, of a search of protection plans, where a generation is a round of some eighteen plans.
PLAN_GENERATIONS, PLAN_STALLED = 1200, 60

# Files that are masked and judged to tune masking methods, where no time is given; else a share of the time.
TUNED = 600

PLANNED = 400  # protection plans that are evaluated after that, likewise


def protection(
    source: Mapping[str, Any],  # as the key ``data`` of an experiment; paths are relative to the working folder
    registry: Registry,
    options: ProtectOptions,  # those about where results go, and what the file is, are not read
    *,
    start: Mapping[str, Any] | None = None,
    harms: bool = True,  # whether harms are judged and limited, and values that stay as they were
) -> Experiment:
    """Return the experiment that protects a file, with defaults for all open settings."""
    # Where a genotype assures a file of a required privacy model, groups of users for one, it is taken with the
    # measures that it proposes. Else risk is judged by role and loss by the tables of analysts, see
    # `evosdc.assess.defaults.measures_by_role`. Harms that plugins offer for the occasion, relabelling for one, and
    # values that stay as they were are kept below bounds: see `evosdc.experiment.problem`.
    il, dr, explainable, seconds = options.il or (), options.dr or (), options.explainable, options.time
    wished, (require, verdict) = tuple(options.require), without_publishable(options.require)
    fitness, audience = options.fitness, options.audience
    if fitness is None:
        fitness, audience = registry.default("fitness", "protect"), audience or "public"
    recipients = {"audience": audience, "bound": options.bound}
    goal = options.bound if options.bound is not None else AUDIENCES[audience] if audience else None
    accepted = ACCEPTED if goal is None else goal
    source = {**source, "earlier": [str(path) for path in options.earlier]} if options.earlier else source
    given = parse_parameters(DataSource, source, "data")
    data = load_data(given, registry)
    if not explainable:
        given = with_dependent(given, data.table)
        source = {**source, **given.model_dump(include={"protect", "recompute"}, exclude_defaults=True)}
        data = data.recomputing(given.recompute)
    microdata = microdata_of(data, given.protect, data.table.schema.names, population=given.population)
    assurance = None
    if options.truthful:
        assurance = truthful_experiment(microdata, registry, require, accepted)
    elif not explainable and start is None:
        assurance = assurance_of(microdata, registry, require, (*il, *dr), accepted)
    measures = measures_by_role(microdata, registry, il, dr)
    usual = registry.implementation("genotype", registry.default("genotype", "experiment"))
    if assurance is not None or explainable or not usual.keeps_households:
        require_no_split_households(data.table, microdata.protect)
    if assurance is not None:
        named = {kind: list(names) for kind, names in (("il", il), ("dr", dr)) if names}
        measures = {"il": [], "dr": [], **assurance["measures"], **named}
        harms = False  # labels of groups are true: nothing was relabelled
    bounds = problem.harms_of(registry) | problem.exact_risks(microdata, registry, require, accepted) if harms else {}
    judges = problem.followed_judges(microdata, registry, goal) if harms else {}
    bounds |= judges
    limited = {name: bound for name, bound in bounds.items() if name not in (*measures["il"], *dr)}
    aims = problem.aims_of(wished, registry, _names(measures["dr"]), goal) if harms else {}
    if options.fitness is None and assurance is None and not aims:
        fitness = registry.default("fitness", "balance")  # nothing bounds the risk that is judged
    learned = problem.learned_of(registry)
    known = problem.known_among(microdata.original.schema)
    known = () if len(known) == len(microdata.protect) else known
    required = dict.fromkeys(Constraint.parse(text).name for text in require)
    taken = (*measures["il"], *_names(measures["dr"]), *limited)
    measures["other"] = [
        *measures.get("other", ()),
        *(
            {
                "name": name,
                **({"of": known} if name in judges and known else {}),
                **(problem.OF_MASKED if name in learned else {}),
            }
            for name in limited
        ),
        *(name for name in required if name in registry.names("measure") and name not in taken),
    ]
    name = str(source.get("name", source.get("file", "")))
    document: dict[str, Any] = {
        "title": f"Protection of {Path(name).name}",
        "seed": options.seed,
        "data": dict(source),
        "fitness": {"name": fitness},
        **{key: value for key, value in recipients.items() if value is not None},
        "structural_zeros": options.structural_zeros,
        "algorithm": {"name": registry.default("algorithm", "protect")},
        "measures": measures,
        "constraints": [*require, *([verdict] if verdict else ())],
        "limits": problem.limits_of(limited | aims),
        "second_opinion": options.second_opinion,
        "stop": _stop(seconds, options.generations, GENERATIONS, STALLED),
    }
    if goal is None:
        document["release"] = True  # its file is for release, whatever the search follows
    if (executor := options.executor_entry()) is not None:
        document["executor"] = executor
    if options.choose is not None:
        choose = choice_of(options.choose)
        document["choose"] = choose if isinstance(choose, str) else choose.model_dump(exclude_none=True)
    if explainable:
        document["genotype"] = plan_genotype(map(Constraint.parse, require), microdata, registry)
        document["algorithm"] = {"name": registry.default("algorithm", "plan")}
        document["stop"] = _stop(seconds, options.generations, PLAN_GENERATIONS, PLAN_STALLED)
    if assurance is not None:
        document |= {key: value for key, value in assurance.items() if key != "measures"}
    elif start is None and options.tune:
        # Of many tuned files most are alike; a search gets further from the portfolio's variety besides.
        original = microdata.original
        portfolio = default_portfolio(original.schema, registry)
        limits = {} if seconds else {"evaluations": TUNED}
        # Files of the methods offered for the occasion come first, however little time is left.
        occasions = ("protect", composition(original.schema))
        offered = tuple(name for one in occasions for name in registry.defaults("masking-method", one))
        if any(Constraint.parse(text).name in registry.names("privacy-model") for text in require):
            # Those without designs for the file take too long on it.
            anonymous = registry.defaults("masking-method", "anonymity")
            fitting = [n for n in anonymous if designs_of(registry.implementation("masking-method", n), original)]
            offered = (*fitting, *offered)
        methods = [{"method": name} for name in offered]
        start = {"tuned": {"files": 1} | limits, "methods": methods, "portfolio": portfolio}
        if registry.defaults("genotype", "plan") and not explainable:
            start["planned"] = {} if seconds else {"evaluations": PLANNED}
    if start is not None:
        document["start"] = dict(start)
    return parse_experiment(document, Path.cwd(), "protect")


def _stop(seconds: float | None, generations: int | None, most: int, stalled: int) -> dict[str, Any]:
    if not seconds:
        return {"generations": generations or most, "stalled": stalled}
    return {"whole": seconds} | ({"generations": generations} if generations else {})


def _names(entries: Sequence[Any]) -> list[str]:
    return [str(entry["name"]) if isinstance(entry, Mapping) else str(entry) for entry in entries]


LASTING = "lasting"  # parameter of genotypes of plans: whether methods that take long are tried


def plan_genotype(required: Iterable[Constraint], microdata: Microdata, registry: Registry) -> dict[str, Any]:
    """Return the genotype of plans for a file with requirements, as in an experiment."""
    # What takes long is left to tuning, and a step comes last that makes sure of a requirement, where the genotype has
    # parameters for that.
    name = registry.default("genotype", "plan")
    fields = registry.implementation("genotype", name).Params.model_fields
    genotype: dict[str, Any] = {"name": name}
    if LASTING in fields:
        genotype[LASTING] = False
    last = assuring_step(required, microdata, registry) if problem.LAST in fields else None
    return genotype if last is None else genotype | {problem.LAST: last}


def assuring_step(required: Iterable[Constraint], microdata: Microdata, registry: Registry) -> dict[str, Any] | None:
    """Return a step that makes sure of the first requirement that any masking method guarantees."""
    # None where no method does: plans are then led by the requirement as all files are. None, too, where an intruder
    # knows attributes that are published as they are: no masking of the others can make sure of anything.
    specs = cast(tuple[MaskingMethodSpec, ...], registry.specs("masking-method"))
    # Those first that leave records alone which fulfil a requirement already.
    assuring = sorted(specs, key=lambda spec: "assurance" not in spec.default_for)
    for constraint in required:
        if not constraint.plain:
            continue
        for spec in assuring:
            parameter = dict(spec.guarantees).get(constraint.name)
            if parameter is not None:
                step = {"method": spec.name, parameter: ceil(constraint.bound)}
                names = _judged_by(constraint.name, microdata, registry)
                if names and _fits(step, names, microdata, registry):
                    return step if len(names) == len(microdata.protect) else step | {"attributes": names}
    return None


def _judged_by(model: str, microdata: Microdata, registry: Registry) -> list[str]:
    """Return the attributes that a privacy model looks at; none where some of them are not masked."""
    headline = Headline(registry.build("privacy-model", model, {}), microdata)
    return [] if unmasked_of(headline) else list(headline.quasi_identifiers)


def _fits(step: dict[str, Any], names: list[str], microdata: Microdata, registry: Registry) -> bool:
    params = {key: value for key, value in step.items() if key != "method"}
    try:
        registry.build("masking-method", step["method"], params).require_fit(microdata.original.select(names))
    except InputError:
        return False
    return True
