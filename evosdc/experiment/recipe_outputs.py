"""A run's recipe: written, explained step by step, and carried out on another file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from evosdc._version import __version__
from evosdc.assess.data_check import require_no_split_households
from evosdc.assess.mask import apply_masking, build_steps, last_step_of
from evosdc.engine.mending import mended
from evosdc.engine.problem import Problem
from evosdc.errors import DataError, ExperimentError, Fault, FaultCollector, InputError, did_you_mean
from evosdc.experiment.assembly import Assembly, check_names
from evosdc.experiment.data import load_data
from evosdc.experiment.experiment import DataSource, Experiment
from evosdc.experiment.reader import located, resolve
from evosdc.experiment.recipe import Recipe, RecipeStep, read_recipe, recipe_text
from evosdc.experiment.recipe_profile import UNLIKE, differences, made_for, require_schema
from evosdc.files.atomic import write_text
from evosdc.files.schema.schema_file import dump_schema, load_schema
from evosdc.model import Composed, Individual, Masking
from evosdc.model.constraint import Constraint, without_publishable
from evosdc.model.individual import INFEASIBILITY
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import RECIPE, RECIPE_SCHEMA, RunFolder
from evosdc.secret import Purpose, Seed, draw_seed, public, stream
from evosdc.table.table import Table

DRAWS = 4  # files that a recipe is judged on, with each of its steps left out in turn


class MeanScores(NamedTuple):
    """Scores of a plan in the mean over files that it makes, and over how many; of one where nothing is random."""

    scores: dict[str, float]
    draws: int


def chain_of(steps: Sequence[Masking]) -> Masking:
    """Return single steps as one entry of a portfolio."""
    first, *further = steps
    return replace(first, then=tuple(further))


def mean_scores(
    problem: Problem,
    registry: Registry,
    steps: Sequence[Masking],
    seed: Seed,
    draws: int = DRAWS,
    until: float | None = None,
) -> MeanScores | None:
    """Return the scores of a plan, in the mean over files that it makes; ``score`` is the fitness's first objective."""
    microdata, found = problem.genotype.microdata, list[dict[str, float]]()
    if not steps:
        return _mean([_scored(problem, microdata.original)])
    masking = chain_of(steps)
    try:
        methods = build_steps(masking, registry)
        last = last_step_of(masking, methods, microdata)
        before = None
        for draw in range(draws):
            if found and until is not None and monotonic() >= until:
                break
            rng = stream(draw_seed(seed, draw), Purpose.MASK)
            table = apply_masking(masking, methods, microdata, rng)
            if before is not None and table.same_records(before):
                return _mean(found[:1])  # nothing of it is random
            before = table if draw == 0 else None
            found.append(_scored(problem, mended(problem, table, last).table))
    except InputError:
        return None
    return _mean(found)


def contributions(
    problem: Problem, registry: Registry, steps: Sequence[Masking], seed: Seed, until: float | None = None
) -> list[dict[str, float] | None]:
    """Return by step the scores of the plan without it, as `mean_scores` does."""
    without = [[*steps[:place], *steps[place + 1 :]] for place in range(len(steps))]
    found = [mean_scores(problem, registry, rest, seed, until=until) for rest in without]
    return [None if mean is None else mean.scores for mean in found]


def _scored(problem: Problem, table: Table) -> dict[str, float]:
    scores, objectives = problem.score(table)
    return scores | {"score": objectives[0]}


def _mean(found: Sequence[dict[str, float]]) -> MeanScores:
    return MeanScores({name: sum(one[name] for one in found) / len(found) for name in found[0]}, len(found))


# Keys of an experiment that say how a recipe was judged.
JUDGED = ("genotype", "measures", "fitness", "constraints", "structural_zeros")


def recipe_of(
    assembly: Assembly, masking: Masking, mean: MeanScores | None = None, until: float | None = None
) -> Recipe:
    """Return a plan as a recipe: its scores in the mean over several files, and those without each step."""
    problem, registry, seed = assembly.problem, assembly.registry, assembly.seed
    steps = [_in_order(step) for step in masking.steps]
    if mean is None:
        mean = mean_scores(problem, registry, steps, seed, until=until)
    scores, draws = ({}, 1) if mean is None else mean
    original = mean_scores(problem, registry, [], seed)
    # With the defaults of today: a later version's may be others, and a run that was resumed has them filled in.
    experiment = resolve(assembly.experiment, registry, assembly.microdata.protect, assembly.experiment.start)
    document = experiment.model_dump(mode="json", by_alias=True, exclude_none=True)
    return Recipe(
        format=1,
        title=assembly.experiment.heading,
        evosdc=__version__,
        seed=public(seed),
        draws=draws,
        scores=_shown(scores, problem),
        original=_shown({} if original is None else original.scores, problem),
        steps=tuple(
            RecipeStep(
                words=step.label,
                method=step.method,
                params=dict(step.params),
                attributes=step.attributes,
                by=step.by,
                without=_shown(without or {}, problem),
            )
            for step, without in zip(steps, contributions(problem, registry, steps, seed, until), strict=True)
        ),
        judged={key: document[key] for key in JUDGED if document.get(key)},
        made_for=made_for(assembly.source.table, assembly.microdata.protect),
    )


def write_recipe(folder: RunFolder, assembly: Assembly, best: Individual) -> Recipe | None:
    """Write ``recipe.toml`` of a run's solution, and return its content; None where the run does not evolve plans."""
    # Beside it stands the schema that another wave is read by.
    genotype = assembly.problem.genotype
    if not isinstance(genotype, Composed):
        return None
    recipe = recipe_of(assembly, genotype.masking(best.genome))
    write_text(folder.file(RECIPE), recipe_text(recipe))
    data, schema = assembly.experiment.data, assembly.source.table.schema
    written = {} if data.schema_file is None else load_schema(data.schema_file).attributes
    rules = {name: one.rule for name, one in written.items() if one.rule is not None}
    hierarchies = {name for name, one in written.items() if one.hierarchy is not None}
    given = hierarchies | rules.keys() | data.hierarchies.keys()
    # Hierarchies not given by the user were built from values that another wave may lack.
    kept = tuple(one if one.name in given else replace(one, hierarchy=None) for one in schema.attributes)
    dump_schema(replace(schema, attributes=kept), folder.file(RECIPE_SCHEMA), rules=rules, open_ended=True)
    return recipe


def _in_order(step: Masking) -> Masking:
    """Return a step with its parameters in the order in which TOML has them, tables last: its words depend on it."""
    return replace(step, params=dict(sorted(step.params.items(), key=lambda pair: isinstance(pair[1], Mapping))))


def _shown(scores: dict[str, float], problem: Problem) -> dict[str, float]:
    """Return rounded scores; the first of several objectives is no score of the whole."""
    single = problem.fitness.objectives == 1
    return {name: round(value, 4) for name, value in scores.items() if single or name != "score"}


SMALL = 0.05  # points on the 0..100 scale below which a difference is not reported

# What a step does to risk and loss, where they fall and where they rise.
VERBS = {
    "dr": ("takes {} points off the risk", "adds {} points to the risk"),
    "il": ("takes {} points off the loss", "costs {} points of loss"),
}

WORDS = {"dr": "risk", "il": "loss", "score": "score"}


def explanation(recipe: Recipe) -> Iterator[str]:
    """Yield sentences on the effect of the recipe on the file, and of each step in the recipe."""
    whole, original = recipe.scores, recipe.original
    if not recipe.digest:
        yield "Written by hand, or by another version: whether the figures are of these steps is not known."
    elif recipe.edited:
        edited = [number for number, step in enumerate(recipe.steps, 1) if step.words != step.masking.label]
        which = f"step {', '.join(map(str, edited))}" if edited else "steps left out or moved, or what is beside them"
        yield f"Changed by hand since the recipe was judged: {which}. All figures are those of before."
    if whole and original:
        every = f"All {len(recipe.steps)} steps" if len(recipe.steps) > 1 else "The step"
        yield f"{every}: {_change(original, whole)}."
    genotype = recipe.judged.get("genotype")
    last = genotype.get("last") if isinstance(genotype, Mapping) else None
    for number, step in enumerate(recipe.steps, 1):
        # Whether it is the step that all plans had to end by.
        assures = isinstance(last, Mapping) and step is recipe.steps[-1] and last.get("method") == step.method
        share = _contribution(step, whole, assures, _broken(recipe, step))
        yield f"Step {number}, {step.masking.label}: {share}"
    if recipe.draws > 1:
        yield f"All figures are means over {recipe.draws} files; they differ a little on others."


def _contribution(step: RecipeStep, whole: Mapping[str, float], assures: bool, broken: Sequence[str]) -> str:
    if not step.words:
        return "it was added by hand, so that its share is not known."
    if not step.without or not whole:
        return "without it the recipe cannot be carried out, so that its share is not known."
    before, after = step.without, whole
    needs = f"{' and '.join(broken) or 'what is required'} {'do' if len(broken) > 1 else 'does'}"
    needed = before.get(INFEASIBILITY, 0.0) > after.get(INFEASIBILITY, 0.0) == 0.0
    if all(abs(after[name] - before[name]) < SMALL for name in ("il", "dr") if name in after and name in before):
        if needed:
            return f"it makes sure of what is required: without it {needs} not hold. Loss and risk hardly change."
        if assures:
            return "it makes sure of what is required on any file; on this one there was hardly anything left to do."
        return "it changes neither loss nor risk; the recipe would do without it."
    parts: list[str] = []
    for name, (less, more) in VERBS.items():
        if name not in before or name not in after:
            continue
        gap = after[name] - before[name]
        if abs(gap) >= SMALL:
            verb = (more if gap > 0 else less).format(f"{abs(gap):.2f}")
            parts.append(f"{verb} ({before[name]:.2f} -> {after[name]:.2f})")
    both = "score" in before and "score" in after
    scored = f"; the score is {after['score']:.2f}, without it {before['score']:.2f}" if both else ""
    last = ""
    if needed:
        last = f" Without it {needs} not hold."
    elif assures:
        last = " It makes sure of what is required on any file."
    elif before.get("score", after.get("score", 0.0)) < after.get("score", 0.0) - SMALL:
        last = " On these files the recipe is better without it: a longer search might leave it out."
    does = " and ".join(parts) or "changes neither loss nor risk that are known"
    return f"it {does}{scored}.{last}"


def _broken(recipe: Recipe, step: RecipeStep) -> list[str]:
    """Return known requirements, and limits on exchanged labels, that do not hold without a step."""
    listed = recipe.judged.get("constraints", ())
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list | tuple) else []
    on_figures, _ = without_publishable(texts)  # a file without a step has no verdict
    known = [(text, Constraint.parse(text)) for text in on_figures]
    return [
        text
        for text, constraint in known
        if constraint.figure_name in step.without and constraint.excess(step.without[constraint.figure_name]) > 0.0
    ]


def _change(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    both = {name: word for name, word in WORDS.items() if name in before and name in after}
    return ", ".join(f"{word} {before[name]:.2f} -> {after[name]:.2f}" for name, word in both.items())


def usable_recipe(path: Path, registry: Registry) -> Recipe:
    """Read a recipe whose methods, attributes and measures are known."""
    recipe = read_recipe(path)
    faults: list[Fault] = []
    for number, step in enumerate(recipe.steps, 1):
        faults += _of_step(f"{path}: step {number}", step, recipe, registry)
    for name in recipe.made_for.protect:
        if name not in recipe.made_for.attributes:
            wanted = "how each attribute in made_for.protect was distributed"
            faults.append(Fault(f"{path}: made_for.attributes", f"no {name}", wanted))
    try:
        given = {key: value for key, value in recipe.judged.items() if key != "genotype"}
        document = {**given, "data": {"file": "any.csv"}}
        check_names(parse_parameters(Experiment, document, ""), registry)
    except InputError as error:
        faults += [replace(fault, where=f"{path}: judged: {fault.where}") for fault in error.faults]
    if faults:
        raise ExperimentError(faults)
    return recipe


def schema_of_recipe(path: Path, columns: Sequence[str]) -> Path | None:
    """Return the schema that lies beside a recipe, by which a file of the same columns is read; None for others."""
    file = path.parent / RECIPE_SCHEMA
    return file if file.is_file() and set(load_schema(file).attributes) == set(columns) else None


def _of_step(where: str, step: RecipeStep, recipe: Recipe, registry: Registry) -> list[Fault]:
    collect = FaultCollector()
    with collect.step():
        registry.build("masking-method", step.method, step.params)
    faults = [replace(fault, where=f"{where}: {fault.where}") for fault in collect.faults]
    known = recipe.made_for.protect
    return faults + [
        Fault(f"{where}: attributes", repr(name), f"some of {', '.join(known)}", did_you_mean(name, known))
        for name in step.attributes
        if name not in known
    ]


def application(
    recipe: Recipe, source: Mapping[str, Any], registry: Registry, seed: int | None, unlike: bool = False
) -> Experiment:
    """Return the experiment that carries a recipe out on a file; its result warns where that is unlike the first."""
    protect = recipe.made_for.protect
    given = parse_parameters(DataSource, {**source, "protect": list(protect)}, "data")
    data = load_data(given, registry)
    require_schema(recipe.made_for, data.table)
    _require_strata(recipe, data.table)
    require_no_split_households(data.table, protect)
    far = [one for one in differences(recipe.made_for, data.table) if one.percent > UNLIKE and one.notable]
    if far and not unlike:
        wanted = "a file like the one that the recipe was made for"
        advice = (
            "Evolve a recipe for this file, or carry it out all the same (--unlike; in Python unlike=True); its risk "
            "is computed again."
        )
        raise DataError([Fault(one.attribute, next(one.sentences()).partition(": ")[2], wanted, advice) for one in far])
    entry = recipe.entry.model_copy(update={"draw": 0})
    # Not the genotype that found it: any file can be judged, whether or not it could have found the recipe here.
    document = {
        **{key: value for key, value in recipe.judged.items() if key != "genotype"},
        "title": f"Recipe on {given.name or (given.file.name if given.file else 'data')}",
        "seed": seed,
        "data": given,
        "start": {"methods": [entry]},
        "stop": {"generations": 0},
        "second_opinion": True,
        "made_for": recipe.made_for,
    }
    return located(Experiment(**document), Path.cwd())


def _require_strata(recipe: Recipe, table: Table) -> None:
    """Raise where a file lacks attributes whose values form the strata of a step."""
    published = [attribute.name for attribute in table.schema.attributes if attribute.role.published]
    faults = [
        Fault(
            f"recipe: step {number}: by", repr(name), f"some of {', '.join(published)}", did_you_mean(name, published)
        )
        for number, step in enumerate(recipe.steps, 1)
        for name in step.by
        if name not in published
    ]
    if faults:
        raise DataError(faults)
