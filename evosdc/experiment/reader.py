"""Reading experiment files, and writing one with nothing left open."""

import json
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import tomli_w
from pydantic import Field, ValidationError

from evosdc._version import __version__
from evosdc.errors import CheckpointError, ExperimentError, Fault, FaultCollector, InputError
from evosdc.experiment.experiment import (
    NO_EARLIER,
    ExecutorChoice,
    Experiment,
    InvalidExperimentError,
    MadeFor,
    MaskingEntry,
    MeasureEntry,
    Named,
    Start,
)
from evosdc.files.encoding import read_text
from evosdc.model import Masking, Parameters
from evosdc.model.constraint import Constraint, without_publishable
from evosdc.model.parameters import parse_parameters
from evosdc.options.written import override
from evosdc.plugins.registry import Registry, nested
from evosdc.printing import printable
from evosdc.runs.layout import RECIPE, RESOLVED, RunFolder, run_folders

HEAD = """# A protection plan. `evosdc apply` carries it out on a file like the one that it was made for, and
# `evosdc explain` says what each step contributes. Frequencies are rounded, and no record stands here.
# Keep it apart from the protected file all the same: it tells how records were masked.
"""


class RecipeStep(Parameters):
    """One step: a masking method, and the file's scores without it."""

    words: str = Field("", description="the step in words")
    method: str
    params: dict[str, Any] = Field(default_factory=dict)
    attributes: tuple[str, ...] = Field((), description="what it masks; default: all protected attributes")
    by: tuple[str, ...] = Field((), description="attributes that form strata")
    without: dict[str, float] = Field(default_factory=dict, description="scores of the recipe without this step")

    @property
    def masking(self) -> Masking:
        """The step as an entry of a portfolio."""
        return Masking(self.method, self.params, self.attributes, self.by)


MUCH_WORSE = 1.25  # times the loss of the published file from which a recipe says that it makes another one


class Recipe(Parameters):
    """A recipe: steps in their order, what they scored, how that was judged, and what file they were made for."""

    format: Literal[1] = Field(description="version of this format")
    title: str = ""
    evosdc: str = Field("", description="the version that wrote it")
    seed: int | None = Field(None, ge=0, description="the public seed of a study; nothing of a secret key is stored")
    draws: int = Field(1, ge=1, description="files that `scores` are means over")
    scores: dict[str, float] = Field(default_factory=dict, description="of the recipe, by measure")
    original: dict[str, float] = Field(default_factory=dict, description="of the file without protection")
    published: dict[str, float] = Field(
        default_factory=dict, description="scores of the file that the run published, where the recipe did not make it"
    )
    steps: tuple[RecipeStep, ...] = Field(min_length=1)
    judged: dict[str, Any] = Field(
        default_factory=dict, description="keys of an experiment: genotype, measures, fitness, constraints"
    )
    made_for: MadeFor
    digest: str = Field("", description="of all the rest as it was written, so that an edit is noticed")

    @property
    def content(self) -> str:
        """The digest of the recipe's content, whatever its own digest field says."""
        document = self.model_dump(mode="json", exclude={"digest"})
        return sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def beside(self) -> str:
        """Return in a sentence that the run published a much better file; empty otherwise."""
        own, better = self.scores.get("il"), self.published.get("il")
        if own is None or better is None or own <= MUCH_WORSE * better + 1.0:
            return ""
        return (
            f"This plan did not make the published file of its run: expect a loss of about {own:.1f}, where that file "
            f"has {better:.1f}. A plan that is evolved to the end comes nearer: evosdc protect DATA --explainable"
        )

    @property
    def edited(self) -> bool:
        """Whether it was changed since it was written, or is written by hand."""
        return self.digest != self.content

    @property
    def entry(self) -> MaskingEntry:
        """The whole recipe as an entry of a start."""
        first, *further = [MaskingEntry.of(step.masking) for step in self.steps]
        return first.model_copy(update={"then": tuple(further)})


def read_recipe(path: Path) -> Recipe:
    """Read a recipe file."""
    run = path if path.is_dir() else path.parent
    if run_folders(run) and not path.is_file():
        left = (run / RECIPE).is_file()
        advice = f"Name {run / RECIPE}." if left else "Protect again with --explainable, or by the genotype recipes."
        given = "a run folder" if left else "a run that left no recipe"
        raise ExperimentError(Fault(printable(str(run)), given, "the recipe of a run", printable(advice)))
    try:
        document = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        wanted = "a recipe, which is TOML"
        raise ExperimentError(Fault(str(path), f"what is no TOML ({error})", wanted)) from None
    if "format" not in document or "steps" not in document:
        wanted = "a recipe, as a run leaves it that evolves plans"
        advice = "It has the keys format, steps and made_for."
        raise ExperimentError(Fault(str(path), "a TOML file of another kind", wanted, advice))
    return parse_parameters(Recipe, document, str(path))


def recipe_text(recipe: Recipe) -> str:
    """Return a recipe as the text of its file, with the digest of its content."""
    written = recipe.model_copy(update={"digest": recipe.content})
    document: Mapping[str, Any] = written.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    beside = f"# {recipe.beside}\n" if recipe.beside else ""
    return HEAD + beside + tomli_w.dumps({"format": recipe.format, **document})


def with_recipes(start: Start, base: Path) -> Start:
    """Return a start with the plans of its recipe files among its methods."""
    collect, entries = FaultCollector(), []
    for path in start.recipes:
        with collect.step():
            entries.append(read_recipe((base / path.expanduser()).resolve()).entry)
    collect.settle()
    # By keywords: as a text, the key would be the name of a genotype, and the framework names none.
    return start.model_copy(update=dict(methods=(*start.methods, *entries), recipes=()))  # noqa: C408


def read_experiment(path: Path, settings: Iterable[str] = ()) -> Experiment:
    """Read and validate an experiment file."""
    where = str(path)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        advice = "Check the path; `experiments/` has examples."
        raise ExperimentError(Fault(where, "no such file", "an experiment file", advice)) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        if not isinstance(error, OSError) and path.suffix.lower() not in ("", ".toml", ".json"):
            given, wanted = "what looks like a data file", "an experiment file, which is TOML"
            advice = f"To check data: {shlex.join(['evosdc', 'check', '--data', str(path)])}"
            raise ExperimentError(Fault(where, given, wanted, advice)) from None
        if isinstance(error, tomllib.TOMLDecodeError):
            raise ExperimentError(Fault(where, f"text that is not TOML: {error}", "a TOML file")) from None
        raise ExperimentError(Fault(where, f"a file that cannot be read ({error})", "a text file, UTF-8")) from None
    for setting in settings:
        override(document, setting)
    return parse_experiment(document, path.parent, where)


def experiment_of(folder: RunFolder) -> Experiment:
    """Return the experiment that a run folder holds, with every default filled in."""
    try:
        return Experiment.model_validate(folder.read_json(RESOLVED))
    except (ValidationError, ExperimentError):
        given, wanted = "a damaged file", "the experiment of a run, as evosdc wrote it"
        raise CheckpointError(Fault(str(folder.file(RESOLVED)), given, wanted, "Begin a new run.")) from None


def parse_experiment(document: Mapping[str, Any], base: Path, where: str = "experiment") -> Experiment:
    """Validate a document and make the paths in it absolute."""
    try:
        return located(Experiment.model_validate(dict(document)), base)
    except InvalidExperimentError as error:
        faults = [replace(fault, where=f"{where}: {fault.where}") for fault in error.faults]
        raise ExperimentError([*faults, *_faults_besides(document, error.keys, base)]) from None


def located(experiment: Experiment, base: Path) -> Experiment:
    """Return the experiment with paths that are relative to a folder made absolute."""
    data = experiment.data
    update: dict[str, Any] = {
        name: (base / path).resolve() for name in ("file", "schema_file", "population") if (path := getattr(data, name))
    }
    update["earlier"] = tuple(
        path if path == NO_EARLIER else (base / path.expanduser()).resolve() for path in data.earlier
    )
    update["hierarchies"] = {
        name: (base / rule.expanduser()).resolve() if isinstance(rule, Path) else rule
        for name, rule in data.hierarchies.items()
    }
    start = experiment.start
    if start is not None and start.files:
        files = tuple((base / path.expanduser()).resolve() for path in start.files)
        start = start.model_copy(update={"files": files})
    if start is not None and start.recipes:
        start = with_recipes(start, base)
    sweep = {
        key: tuple(str((base / str(value)).resolve()) for value in values) if key in _SWEPT_PATHS else values
        for key, values in experiment.sweep.items()
    }
    return experiment.model_copy(update={"data": data.model_copy(update=update), "start": start, "sweep": sweep})


_SWEPT_PATHS = ("data.file", "data.schema", "data.population")


def _faults_besides(document: Mapping[str, Any], faulty: frozenset[str], base: Path) -> tuple[Fault, ...]:
    """Return further faults: names, parameters and data under the keys that can be read."""
    from evosdc.experiment.assembly import assemble, check_names
    from evosdc.plugins.registry import default_registry

    rest = {key: value for key, value in document.items() if key in Experiment.model_fields and key not in faulty}
    if "stop" in faulty and isinstance(rest.get("algorithm"), dict):
        rest["algorithm"] = {key: value for key, value in rest["algorithm"].items() if key != "generations"}
    known = "data" in rest
    if not known:
        rest["data"] = {"name": "housing"}  # stands in: only names are looked at then
    try:
        experiment = located(Experiment.model_validate(rest), base)
        (assemble if known else check_names)(experiment, default_registry())
    except InputError as error:
        return error.faults
    return ()


def resolve(experiment: Experiment, registry: Registry, protect: tuple[str, ...], start: Start | None) -> Experiment:
    """Return the experiment with the parameters of everything that it names, and the attributes that it protects."""
    measures = experiment.measures
    assert measures is not None, "the assembly fills in the measures"
    listed = {
        group: tuple(
            MeasureEntry(of=m.of, **_measure(registry, m, experiment.seed).model_dump())
            for m in getattr(measures, group)
        )
        for group in ("il", "dr", "other")
    }
    fitness = experiment.fitness
    if fitness.name in registry.names("fitness"):
        fitness = _filled(registry, "fitness", fitness)
    executor = _filled(registry, "executor", Named(name=experiment.executor.name, **experiment.executor.params))
    return experiment.model_copy(
        update={
            "title": experiment.heading,
            "data": experiment.data.model_copy(update={"protect": protect}),
            "genotype": _filled(registry, "genotype", experiment.genotype),
            "start": start,
            "measures": measures.model_copy(update=listed),
            "fitness": fitness,
            "algorithm": _filled(registry, "algorithm", experiment.algorithm),
            "executor": ExecutorChoice(
                name=executor.name,
                workers=experiment.executor.workers,
                grain=experiment.executor.grain,
                **executor.params,
            ),
        }
    )


def with_executor(
    experiment: Experiment, registry: Registry, name: str | None, workers: int | None, hosts: Path | None
) -> Experiment:
    """Return the experiment on another executor, or with other workers or hosts; None keeps its own."""
    # Of its parameters those are kept that the other executor has as well. No result depends on any of this.
    if not (name or workers or hosts):
        return experiment
    chosen = experiment.executor
    name = name or chosen.name
    fields = registry.implementation("executor", name).Params.model_fields
    known = {field.alias or key for key, field in fields.items()}
    params = {key: value for key, value in chosen.params.items() if name == chosen.name or key in known}
    params |= {} if hosts is None else {"hosts": str(hosts.absolute())}
    registry.parameters("executor", name, params)
    other = ExecutorChoice(name=name, workers=workers or chosen.workers, grain=chosen.grain, **params)
    return experiment.model_copy(update={"executor": other})


def named_in(experiment: Experiment, registry: Registry) -> Iterator[tuple[str, str]]:
    """Yield kind and name of everything registered that an experiment uses and a result depends on."""
    yield "genotype", experiment.genotype.name
    algorithm: Named | None = experiment.algorithm
    while algorithm is not None:
        yield "algorithm", algorithm.name
        inner = (_inner(value, registry) for value in algorithm.params.values())
        algorithm = next((found for found in inner if found is not None), None)
    for measure in experiment.measures.all if experiment.measures is not None else ():
        yield "measure", measure.name
    for text in without_publishable(experiment.constraints)[0]:
        name = Constraint.parse(text).name
        if name in registry.names("privacy-model"):
            yield "privacy-model", name
    start = experiment.start
    if start is not None:
        if start.portfolio is not None:
            yield "portfolio", start.portfolio
        tuned = () if start.tuned is None else start.tuned.methods or registry.names("masking-method")
        steps = [step for entry in start.methods for step in entry.masking.steps]
        listed = [name for step in steps for name, _ in nested(registry, step.method, step.params)]
        for method in dict.fromkeys([*listed, *tuned]):
            yield "masking-method", method
    if experiment.data.name is not None:
        yield "dataset", experiment.data.name


def experiment_text(experiment: Experiment) -> str:
    """Return an experiment as the text of an experiment file that repeats it from any folder."""
    document: dict[str, Any] = experiment.model_dump(mode="json", by_alias=True, exclude_none=True)
    for key in ("sweep", "tighter"):
        if not document[key]:
            del document[key]
    drawn = " --key FILE" if experiment.seed is None else ""
    return f"# As run by evosdc {__version__}; `evosdc run{drawn}` on this file repeats it.\n{tomli_w.dumps(document)}"


def _measure(registry: Registry, named: Named, seed: int | None) -> Named:
    """Return a measure with its parameters; its seed comes from the key of a run without a public seed."""
    full = _filled(registry, "measure", named)
    if seed is not None or "seed" in named.params:
        return full
    return Named(name=full.name, **{key: value for key, value in full.params.items() if key != "seed"})


def _filled(registry: Registry, kind: str, named: Named) -> Named:
    full = registry.parameters(kind, named.name, named.params).model_dump(mode="json", exclude_none=True)
    for key, value in full.items():
        if kind == "algorithm" and (inner := _inner(value, registry)) is not None:
            full[key] = {"name": inner.name, **_filled(registry, kind, inner).params}
    return Named(name=named.name, **full)


def _inner(value: Any, registry: Registry) -> Named | None:
    """Return the algorithm that a parameter of an algorithm names (`islands`, `memetic`); None where it names none."""
    if not isinstance(value, dict) or value.get("name") not in registry.names("algorithm"):
        return None
    return Named.model_validate(value)
