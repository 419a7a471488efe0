"""A run's recipe: written, explained step by step, and carried out on another file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import floor, inf, log10, sqrt
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from evosdc._version import __version__
from evosdc.assess.data_check import require_no_split_households
from evosdc.assess.mask import apply_masking, build_steps, last_step_of
from evosdc.engine.mending import mended
from evosdc.engine.problem import Problem
from evosdc.errors import DataError, ExperimentError, Fault, FaultCollector, InputError, did_you_mean
from evosdc.experiment.assembly import Assembly, check_names
from evosdc.experiment.data import load_data
from evosdc.experiment.experiment import AttributeProfile, DataSource, Experiment, MadeFor
from evosdc.experiment.reader import Recipe, RecipeStep, located, read_recipe, recipe_text, resolve
from evosdc.files.atomic import write_text
from evosdc.files.schema.schema_file import dump_schema, load_schema
from evosdc.model import Composed, Individual, Masking
from evosdc.model.constraint import Constraint, without_publishable
from evosdc.model.individual import INFEASIBILITY
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import PLANNING, RECIPE, RECIPE_SCHEMA, RunFolder
from evosdc.secret import Purpose, Seed, draw_seed, public, stream
from evosdc.table.numerals import numbers
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Numbers, Table

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
    until: float = inf,
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
            if found and monotonic() >= until:
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


def _scored(problem: Problem, table: Table) -> dict[str, float]:
    scores, objectives = problem.score(table)
    return scores | {"score": objectives[0]}


def _mean(found: Sequence[dict[str, float]]) -> MeanScores:
    return MeanScores({name: sum(one[name] for one in found) / len(found) for name in found[0]}, len(found))


# Keys of an experiment that say how a recipe was judged.
JUDGED = ("genotype", "measures", "fitness", "constraints", "limits", "structural_zeros", "audience", "bound")


def recipe_of(assembly: Assembly, masking: Masking, mean: MeanScores | None = None, until: float = inf) -> Recipe:
    """Return a plan as a recipe: its scores in the mean over several files, and those without each step."""
    problem, registry, seed = assembly.problem, assembly.registry, assembly.seed
    steps = [_in_order(step) for step in masking.steps]
    if mean is None:
        mean = mean_scores(problem, registry, steps, seed, until=until)
    scores, draws = ({}, 1) if mean is None else mean
    original = mean_scores(problem, registry, [], seed)
    rests = [[*steps[:place], *steps[place + 1 :]] for place in range(len(steps))]
    without = [mean_scores(problem, registry, rest, seed, until=until) for rest in rests]
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
                without=_shown({} if rest is None else rest.scores, problem),
            )
            for step, rest in zip(steps, without, strict=True)
        ),
        judged={key: document[key] for key in JUDGED if document.get(key)},
        made_for=made_for(assembly.source.table, assembly.microdata.protect),
    )


def write_recipe(folder: RunFolder, assembly: Assembly, best: Individual) -> Recipe | None:
    """Write ``recipe.toml`` of a run's solution or of its evolved plan, and return its content; None without one."""
    # Beside it stands the schema that another wave is read by. A plan that was evolved before the search says by how
    # much the published file is better.
    genotype = assembly.problem.genotype
    if isinstance(genotype, Composed):
        recipe = recipe_of(assembly, genotype.masking(best.genome))
    elif folder.file(PLANNING).exists():
        figures = {name: round(best.scores[name], 4) for name in ("il", "dr") if name in best.scores}
        recipe = read_recipe(folder.file(RECIPE)).model_copy(update={"published": figures})
    else:
        return None
    write_text(folder.file(RECIPE), recipe_text(recipe))
    data, schema = assembly.experiment.data, assembly.source.table.schema
    written = {} if data.schema_file is None else load_schema(data.schema_file).attributes
    inference = assembly.source.inference
    rules = dict(inference.rules) if inference is not None else {}
    rules |= {name: one.rule for name, one in written.items() if one.rule is not None}
    listed = {name for name, one in written.items() if one.hierarchy is not None} | data.hierarchies.keys()
    rules = {name: rule for name, rule in rules.items() if name not in listed}
    # Rules draw the hierarchies of another wave, which may have other values; lists of values are the user's own alone.
    kept = tuple(one if one.name in listed else replace(one, hierarchy=None) for one in schema.attributes)
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
    if recipe.beside:
        yield recipe.beside
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
    listed = (text for key in ("constraints", "limits") for text in recipe.judged.get(key, ()))
    texts = [text for text in listed if isinstance(text, str)]
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
    known = recipe.made_for.protect
    for number, step in enumerate(recipe.steps, 1):
        where, collect = f"{path}: step {number}", FaultCollector()
        with collect.step():
            registry.build("masking-method", step.method, step.params)
        faults += [replace(fault, where=f"{where}: {fault.where}") for fault in collect.faults]
        faults += _unknown(f"{where}: attributes", step.attributes, known)
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


def application(
    recipe: Recipe, source: Mapping[str, Any], registry: Registry, seed: int | None, unlike: bool = False
) -> Experiment:
    """Return the experiment that carries a recipe out on a file; its result warns where that is unlike the first."""
    protect = recipe.made_for.protect
    given = parse_parameters(DataSource, {**source, "protect": list(protect)}, "data")
    data = load_data(given, registry)
    require_schema(recipe.made_for, data.table)
    published = [attribute.name for attribute in data.table.schema.attributes if attribute.role.published]
    strata = [_unknown(f"recipe: step {number}: by", s.by, published) for number, s in enumerate(recipe.steps, 1)]
    if faults := [fault for listed in strata for fault in listed]:
        raise DataError(faults)
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
        "release": True,
        "made_for": recipe.made_for,
    }
    return located(Experiment(**document), Path.cwd())


def _unknown(where: str, names: Sequence[str], known: Sequence[str]) -> list[Fault]:
    """Return a fault for each name that is not among those known."""
    wanted = f"some of {', '.join(known)}"
    return [Fault(where, repr(name), wanted, did_you_mean(name, known)) for name in names if name not in known]


LEAST_PEOPLE = 10  # frequencies are rounded to steps of at least this many records, and of at least one per cent
FEWEST = 50  # smallest file in which numbers get deciles
MOST_CATEGORIES = 20  # more ordered categories that are numbers, such as ages, are taken for numbers
LIKE = 5.0  # per cent of the records that may be elsewhere without a word, besides what sampling explains
UNLIKE = 25.0  # per cent of the records elsewhere from which on a recipe is refused without --unlike


class Difference(NamedTuple):
    """How far an attribute of a file is from the one that a recipe was made for."""

    # `percent` of the records are in other categories or bands; `expected` of them by sampling alone, about. `new`
    # categories that are not rare here are not in the recipe, with `new_percent` of the records.

    attribute: str
    percent: float
    expected: float

    new: int = 0
    new_percent: float = 0.0
    of: str = "categories"

    @property
    def notable(self) -> bool:
        """Whether it is more than sampling explains, and more than a little."""
        return self.percent > LIKE + 2.0 * self.expected

    @property
    def tells(self) -> bool:
        """Whether the files are large enough that a difference would be seen."""
        return LIKE + 2.0 * self.expected < UNLIKE

    def sentences(self) -> Iterator[str]:
        """Yield warnings on the attribute; usually none."""
        if self.notable:
            yield (
                f"{self.attribute}: {self.percent:.0f} % of the records are in other {self.of} than in the file that "
                f"the recipe was made for; sampling explains about {self.expected:.0f} %"
            )
        elif not self.tells:
            yield (
                f"{self.attribute}: too few records, or too many categories, to see whether they are like those of "
                "the file that the recipe was made for"
            )
        if self.new:
            yield (
                f"{self.attribute}: {self.new} {'category' if self.new == 1 else 'categories'} with "
                f"{self.new_percent:.0f} % of the records not known to the recipe"
            )


def made_for(table: Table, protect: Sequence[str]) -> MadeFor:
    """Return the profile of a recipe's file: scales, and rounded frequencies or deciles."""
    profiles = {name: _profile(table, table.schema[name]) for name in protect}
    return MadeFor(records=len(table), protect=tuple(protect), attributes=profiles)


def _profile(table: Table, attribute: Attribute) -> AttributeProfile:
    n = len(table)
    known = _numbers(table, attribute)
    if known is not None and (len(known) >= FEWEST or not attribute.categorical):
        deciles = () if len(known) < FEWEST else _rounded(np.quantile(known, np.arange(1, 10) / 10))
        return AttributeProfile(scale=attribute.scale.value, deciles=deciles)
    step = max(1.0, 100.0 * LEAST_PEOPLE / n)
    percent = {label: round(round(share / step) * step, 1) for label, share in _shares(table, attribute).items()}
    kept = {label: share for label, share in percent.items() if share > 0.0}
    return AttributeProfile(scale=attribute.scale.value, percent=kept)


def _numbers(table: Table, attribute: Attribute) -> Numbers | None:
    """Return the present numbers of an attribute: of a numeric one, or of many ordered categories such as ages."""
    column = table.column(attribute.name)
    if not attribute.categorical:
        return np.asarray(column[~np.isnan(column)], dtype=np.float64)
    values = numbers(attribute.categories) if attribute.scale is Scale.ORDINAL else None
    if values is None or len(values) <= MOST_CATEGORIES:
        return None
    present: Numbers = values[column[column != MISSING]]
    return present


def _rounded(deciles: Numbers) -> tuple[float, ...]:
    """Return deciles to two significant digits, of themselves or of their differences, whichever is finer."""
    # Years are so rounded to whole ones, and not to centuries.
    between = float(np.ptp(deciles))
    sizes = ((abs(value), between) for value in deciles.tolist())
    digits = (max((1 - floor(log10(size)) for size in pair if size > 0.0), default=0) for pair in sizes)
    return tuple(float(round(value, places)) for value, places in zip(deciles.tolist(), digits, strict=True))


def require_schema(known: MadeFor, table: Table) -> None:
    """Raise where a file lacks an attribute that a recipe masks or has it on another scale."""
    faults = []
    for name, profile in known.attributes.items():
        if name not in table.schema:
            advice = "Rename the column, or evolve a recipe for this file."
            faults.append(Fault(name, "no such attribute", "the attributes that the recipe masks", advice))
        elif table.schema[name].scale.value != profile.scale:
            given, wanted = f"scale {table.schema[name].scale.value}", f"{profile.scale}, as the recipe was made for"
            advice = "Say so in the schema; in a frame ordered categories are ordinal, unordered ones nominal."
            faults.append(Fault(name, given, wanted, advice))
    if faults:
        raise DataError(faults)


def differences(known: MadeFor, table: Table) -> list[Difference]:
    """Return how far each protected attribute of a file is from the file that a recipe was made for."""
    # Of few categories the total variation distance of the rounded frequencies, those together that the recipe does not
    # name since they were rare; of numbers the greatest distance between the shares below the known deciles.
    found = []
    for name, profile in known.attributes.items():
        if name not in table.schema or table.schema[name].scale.value != profile.scale:
            continue
        attribute = table.schema[name]
        present = _numbers(table, attribute)
        if profile.deciles and present is not None:
            found.append(_of_numbers(name, profile, present))
        elif attribute.categorical and not profile.deciles:
            found.append(_of_categories(name, profile, known.records, table))
    return found


def _of_categories(name: str, profile: AttributeProfile, records: int, table: Table) -> Difference:
    now = _shares(table, table.schema[name])
    step = max(1.0, 100.0 * LEAST_PEOPLE / records)
    gaps = [max(abs(share - now.get(label, 0.0)) - step / 2.0, 0.0) for label, share in profile.percent.items()]
    others = {label: share for label, share in now.items() if label not in profile.percent}
    # All that the recipe does not name: rare categories, missing values, and what rounding lost.
    rest_then = 100.0 - sum(profile.percent.values())
    rest_now = 100.0 - sum(now.get(label, 0.0) for label in profile.percent)
    gap = max(abs(rest_now - rest_then) - step / 2.0 * sqrt(len(profile.percent) + 1), 0.0)
    terms = len(profile.percent) + 1 if profile.percent else len(table)
    expected = 100.0 * sqrt(terms / 6.28 * (1.0 / max(len(table), 1) + 1.0 / records))
    new = [share for share in others.values() if share >= 2.0 * step]
    return Difference(name, (sum(gaps) + gap) / 2.0, expected, len(new), sum(new))


def _of_numbers(name: str, profile: AttributeProfile, present: Numbers) -> Difference:
    ascending, many = np.sort(present), max(len(present), 1)
    # Numbers with few values are tied with their deciles: the share at a decile is a span.
    below = np.searchsorted(ascending, profile.deciles, side="left") / many
    upto = np.searchsorted(ascending, profile.deciles, side="right") / many
    shares = np.arange(1, 10) / 10
    gaps = np.maximum(np.maximum(below - shares, shares - upto), 0.0)
    return Difference(name, 100.0 * float(gaps.max()), 100.0 / sqrt(many), of="ranges")


def _shares(table: Table, attribute: Attribute) -> dict[str, float]:
    """Return the per cent of the records by category, of those that occur."""
    column = table.column(attribute.name)
    counts = np.bincount(column[column != MISSING], minlength=len(attribute.categories))
    return {
        label: 100.0 * count / max(len(table), 1)
        for label, count in zip(attribute.categories, counts.tolist(), strict=True)
        if count
    }
