"""An experiment: what is protected, how, by which search, until when; the model of experiment files."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from evosdc.engine.choice import WANTED, Choice, choice_of
from evosdc.engine.failures import ErrorRule
from evosdc.errors import ExperimentError, Fault, InputError, ParameterError, did_you_mean
from evosdc.files.schema.hierarchies import HierarchySource
from evosdc.model import Masking, Parameters
from evosdc.model.constraint import ACCEPTED, AUDIENCES, without_publishable
from evosdc.model.parameters import faults_of
from evosdc.options.written import listed, parameters
from evosdc.plugins.registry import default_registry
from evosdc.table.structural_zeros import THRESHOLD


def shorthand(key: str, *kinds: type) -> Any:
    """Return a validator that takes a bare value of some types for a table with this one key; true is no number."""

    def expand(value: Any) -> Any:
        return {key: value} if isinstance(value, kinds) and not isinstance(value, bool) else value

    return model_validator(mode="before")(expand)


def switched(value: Any) -> Any:
    """Return an empty table for ``true``, None for ``false``, and anything else as it is."""
    return ({} if value else None) if isinstance(value, bool) else value


class Settling(Parameters):
    """When a front counts as settled: ``0.01``, or ``{ tolerance = 0.01, generations = 100 }``."""

    tolerance: float = Field(ge=0, description="growth of the hypervolume, in per cent of the box, that is none")
    generations: int = Field(50, ge=1, description="generations with no more than that, altogether")

    _from_number = shorthand("tolerance", int, float)


class StopRule(Parameters):
    """Limits of the search; the first one reached ends it."""

    generations: int | None = Field(None, ge=0, description="of the algorithm; 500 where nothing else ends the search")
    evaluations: int | None = Field(None, ge=1, description="files that are evaluated, known ones included")
    seconds: float | None = Field(
        None, gt=0, description="of tuning, start and search; the result then depends on the machine's speed"
    )
    whole: float | None = Field(None, gt=0, description="seconds of the whole run, with judges, result and report")
    stalled: int | None = Field(None, ge=1, description="generations without improvement")
    target: float | None = Field(
        None, description="objective of the best file (with several: the greatest one) at which the search is content"
    )
    diversity: float | None = Field(
        None, ge=0, description="mean distance between members of the population, in the genotype's own units"
    )
    hypervolume: Settling | None = Field(
        None, description="the search ends when the front's hypervolume grows no more: a tolerance, or a table"
    )


class OnError(Parameters):
    """Handling of failed evaluations: ``"penalise"``, or ``{ action = "retry", times = 3 }``."""

    action: Literal["raise", "penalise", "retry"] = Field(
        "raise",
        description="end the run; go on, the candidate being the worst there can be; or try again, then end the run",
    )
    times: int = Field(2, ge=1, le=100, description="further tries of retry")

    _from_name = shorthand("action", str)

    @property
    def rule(self) -> ErrorRule:
        """The entry as the engine's own class."""
        return ErrorRule(self.action, self.times)


MOST_SETTINGS = 10_000

UNSWEPT = ("seed", "replicates", "sweep", "title", "executor")  # keys that make no difference to what a search can find


def flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the entries of nested tables by dotted key."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


NO_EARLIER = Path("none")  # in place of an earlier release


class DataSource(Parameters):
    """The confidential file, and its attributes to protect."""

    name: str | None = Field(None, description="a built-in data set")
    file: Path | None = Field(None, description="a data file; relative to the experiment file")
    schema_file: Path | None = Field(None, alias="schema", description="schema.toml; inferred when not given")
    encoding: str | None = Field(None, description="of a text file whose letters look wrong: cp1250, cp1251, ...")
    sheet: str | None = Field(None, description="of a workbook; default: the first with records")
    protect: tuple[str, ...] | None = Field(None, description="attributes to protect; default: the quasi-identifiers")
    complete: bool | tuple[str, ...] = Field(
        False, description="keep only records without missing values: in all attributes, or in those named"
    )
    first: int | None = Field(None, ge=1, description="number of records to keep, from the top; default: all")
    hierarchies: dict[str, HierarchySource] = Field(
        default_factory=dict,
        description="by attribute: a CSV file relative to the experiment file, or a rule such as { widths = [5, 10] }, "
        "{ prefix = [1, 2] } or { merge = [2, 4] }; in place of what the schema has",
    )
    neutralise_formulas: bool = Field(
        False, description="publish cells that a spreadsheet would take for formulas with a quote before them"
    )
    population: Path | None = Field(
        None,
        description="a file of the population, for privacy models that compare with it; relative to the experiment",
    )
    earlier: tuple[Path, ...] = Field(
        (),
        description="earlier releases of the same people, judged together with this one: run folders or files, "
        "relative to the experiment; none: there is none. Default: other publishable runs of these data in the same "
        "folder",
    )
    recompute: dict[str, str] = Field(
        default_factory=dict,
        description="columns that follow from a masked one, each with that one: published as computed from its masked "
        "values",
    )
    shuffle: bool = Field(False, description="publish the records in random order, not in that of the original")

    @field_validator("protect")
    @classmethod
    def _once(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        twice = dict.fromkeys(name for name in value or () if (value or ()).count(name) > 1)
        if twice:
            raise ValueError(f"each attribute once, and not {', '.join(twice)} twice")
        return value

    @model_validator(mode="after")
    def _one_source(self) -> "DataSource":
        if (self.name is None) == (self.file is None):
            raise ValueError("either name = <data set> or file = <path>, and not both")
        if self.name is not None and self.schema_file is not None:
            raise ValueError("schema goes with file only: a built-in data set brings its own")
        if self.name is not None and (self.encoding or self.sheet):
            raise ValueError("encoding and sheet go with file only: a built-in data set is read as it says")
        return self


DECILES = 9  # from 10 % to 90 %


class AttributeProfile(Parameters):
    """How an attribute was distributed in the file that a recipe was made for, rounded so that it discloses nobody."""

    scale: Literal["nominal", "ordinal", "numeric"] = Field(description="as the schema has it")
    percent: dict[str, float] = Field(default_factory=dict, description="per cent of the records by category, rounded")
    deciles: tuple[float, ...] = Field((), description="of numbers, rounded")

    @field_validator("percent")
    @classmethod
    def _shares(cls, percent: dict[str, float]) -> dict[str, float]:
        if not all(0.0 <= share <= 100.0 for share in percent.values()):
            raise ValueError("per cents in 0..100")
        return percent

    @field_validator("deciles")
    @classmethod
    def _ascending(cls, deciles: tuple[float, ...]) -> tuple[float, ...]:
        if len(deciles) not in (0, DECILES) or list(deciles) != sorted(deciles):
            raise ValueError(f"{DECILES} deciles in ascending order, or none")
        return deciles


class MadeFor(Parameters):
    """The file that a recipe was made for."""

    records: int = Field(ge=1, description="how many it had")
    protect: tuple[str, ...] = Field(min_length=1, description="attributes that the recipe masks")
    attributes: dict[str, AttributeProfile] = Field(description="how each of them was distributed")


class Named(Parameters):
    """Something registered, by name, with its parameters beside the name: ``{ name = "cells", steps = true }``."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = Field(min_length=1, description="of what is registered: `evosdc plugins list`")

    _from_name = shorthand("name", str)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that were given."""
        return dict(self.model_extra or {})


def _default(kind: str) -> Named:
    """Return the default of a kind in an experiment."""
    return Named(name=default_registry().default(kind, "experiment"))


class Operators(Parameters):
    """Operators in place of those of the genotype and the algorithm: ``{ mutate = "my_module:function" }``."""

    mutate: Named | None = Field(None, description='"module:function", or a registered one; default: the genotype\'s')
    mate: Named | None = Field(None, description='"module:function", or a registered one; default: the genotype\'s')
    select: Named | None = Field(
        None, description='"module:function", or a registered one, that selects parents; default: the algorithm\'s'
    )


class MaskingEntry(Parameters):
    """One masking method of a start: ``{ method = "mdav", k = 3, attributes = ["age"], by = ["region"] }``."""

    # Further steps are applied to what it makes: ``then = [{ method = "pram", design = "a" }]``.

    model_config = ConfigDict(extra="allow", frozen=True)

    method: str = Field(description="a registered masking method")
    attributes: tuple[str, ...] = Field((), description="attributes that it masks; default: all protected ones")
    by: tuple[str, ...] = Field((), description="attributes of the file that form strata, each masked on its own")
    then: "tuple[MaskingEntry, ...]" = Field((), description="further steps, each applied to what the one before made")
    draw: int | None = Field(
        None, ge=0, description="take the file that `evosdc mask --draw` makes of the run's key or seed; default: any"
    )

    right_labels: tuple[str, ...] = Field(
        (), description="attributes to publish, after the last step, under the labels that most of their records have"
    )
    move_values: tuple[str, ...] = Field(
        (), description="attributes whose rare values, where they were kept, change places after all else"
    )

    @property
    def masking(self) -> Masking:
        """The entry as the portfolio's own class."""
        then = tuple(step.masking for step in self.then)
        return Masking(
            self.method, dict(self.model_extra or {}), self.attributes, self.by, then, self.draw,
            self.right_labels, self.move_values,
        )  # fmt: skip

    @classmethod
    def of(cls, masking: Masking) -> "MaskingEntry":
        """Return the entry of a masking."""
        then = tuple(cls.of(step) for step in masking.then)
        own = {"attributes": masking.attributes, "by": masking.by, "then": then, "draw": masking.draw}
        own |= {"right_labels": masking.right_labels, "move_values": masking.move_values}
        return cls(method=masking.method, **own, **masking.params)


def step_of(text: str) -> dict[str, Any]:
    """Return a further step, given as a method and its parameters, as an experiment file would say it."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ParameterError(Fault("--then", repr(text), "METHOD KEY=VALUE ...", f"{error}.")) from None
    if not words:
        raise ParameterError(Fault("--then", "nothing", "METHOD KEY=VALUE ..."))
    method, *settings = words
    own = {key: listed(value) for key, _, value in (s.partition("=") for s in settings) if key in ("attributes", "by")}
    params = parameters(s for s in settings if s.partition("=")[0] not in own)
    return {**params, "method": method, **own}


class PlannedStart(Parameters):
    """How much of a search goes to evolving a protection plan, whose file then starts it."""

    share: float = Field(0.1, gt=0, le=1, description="of the seconds and evaluations at which the search stops")
    evaluations: int | None = Field(None, ge=1, description="plans to evaluate at most, in place of the share")
    seconds: float | None = Field(
        None, gt=0, description="likewise; the result then depends on the machine's speed, as with stop.seconds"
    )
    files: int = Field(4, ge=1, description="how many files of the plan start the search, where it is random")


class TunedStart(Parameters):
    """How much of a search goes to tuning masking methods, whose best files then start it."""

    share: float = Field(0.2, gt=0, le=1, description="of the seconds and evaluations at which the search stops")
    evaluations: int | None = Field(None, ge=1, description="files to mask and judge at most, in place of the share")
    seconds: float | None = Field(
        None, gt=0, description="likewise; the result then depends on the machine's speed, as with stop.seconds"
    )
    methods: tuple[str, ...] = Field((), description="masking methods to tune; default: all that fit the file")
    files: int = Field(24, ge=1, description="how many of the best files start the search, besides each method's best")


class Start(Parameters):
    """The members of the first generation."""

    portfolio: str | None = Field(None, description="a registered portfolio")
    methods: tuple[MaskingEntry, ...] = Field((), description="further masking methods with parameters")
    tuned: TunedStart | None = Field(
        None,
        description="true, or a table: masking methods at the parameters that are best for the fitness, found first",
    )
    planned: PlannedStart | None = Field(
        None, description="true, or a table: a protection plan is evolved first, from the methods that are tuned"
    )
    initial: bool | Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="the genotype's own initial genomes, or a number of them; default: those of a genotype that no "
        "file can start, where no random genomes are requested",
    )
    files: tuple[Path, ...] = Field(
        (), description="masked files of your own, row by row the original's records; relative to the experiment file"
    )
    recipes: tuple[Path, ...] = Field(
        (), description="recipe files, whose plans are further masking methods; relative to the experiment file"
    )
    random: int = Field(0, ge=0, description="random genomes in addition")
    without_best: float = Field(
        0.0, ge=0, lt=100, description="per cent of the masked files to leave out, the best by the fitness"
    )

    _from_list = shorthand("methods", list, tuple)
    _from_truth = field_validator("tuned", "planned", mode="before")(switched)

    @model_validator(mode="after")
    def _something(self) -> "Start":
        named = self.methods or self.files or self.recipes
        masked = self.portfolio is not None or named or self.tuned is not None or self.planned is not None
        if not (masked or self.random or self.initial):
            raise ValueError(
                "a portfolio, a list of methods, tuned = true, planned = true, files, recipes, initial = true, "
                "or random = N with N at least 1"
            )
        if self.without_best and not masked:
            raise ValueError("without_best together with a portfolio, methods, tuned methods or files")
        if len(set(self.files)) < len(self.files):
            raise ValueError("each of the files once")
        return self


class MeasureEntry(Named):
    """A measure with its parameters, and the attributes that it takes if not all."""

    of: tuple[str, ...] | None = Field(None, min_length=1, description="attributes that it takes; default: all")


class Measures(Parameters):
    """Which measures are taken and how they become one IL and one DR."""

    il: tuple[MeasureEntry, ...] = Field((), description="measures whose mean is the information loss")
    dr: tuple[MeasureEntry, ...] = Field((), description="measures that make the disclosure risk")
    other: tuple[MeasureEntry, ...] = Field((), description="measures that are not combined with either")
    linkage: Literal["max", "mean"] = Field("max", description="how several record linkages are combined")
    risks: Literal["mean", "max"] = Field("mean", description="how linkage and the other risks are combined")

    _from_list = shorthand("other", list, tuple)

    @model_validator(mode="after")
    def _distinct(self) -> "Measures":
        names = [measure.name for measure in self.all]
        if not names:
            raise ValueError("at least one measure")
        if len(set(names)) < len(names):
            raise ValueError("each measure once")
        return self

    @property
    def all(self) -> tuple[MeasureEntry, ...]:
        """All measures, in the order of reports."""
        return self.il + self.dr + self.other


class ZerosRule(Parameters):
    """What counts as a structural zero: ``true``, or ``{ threshold = 5 }``."""

    threshold: float = Field(
        THRESHOLD, gt=0, description="records that the margins lead to expect of a combination that never occurs"
    )


Grain = Literal["auto", "evaluations", "islands"]


class ExecutorChoice(Named):
    """The executor, the number of its workers, and their tasks."""

    name: str = Field("processes", description="serial, processes, scoop, dask, or a plugin's")
    workers: int | None = Field(None, ge=1, description="default: one for each core, or for each slot of an allocation")
    grain: Grain = Field(
        "auto",
        description="what workers get: single evaluations, or islands to evolve for some generations (algorithm "
        "islands); by default whichever is faster. The result is the same",
    )


class TighterBounds(Parameters):
    """Bounds that a search keeps with a margin from a generation on: its verdict was no before."""

    after: int = Field(ge=0, description="generation from which on")
    margins: dict[str, float] = Field(
        description="by the figure of a constraint, how far from its bound it has to stay"
    )


DEFAULT_GENERATIONS = 500


class InvalidExperimentError(ExperimentError):
    """The faults of an experiment, each with its key."""

    def __init__(self, faults: Iterable[Fault], keys: frozenset[str]) -> None:
        super().__init__(faults)
        self.keys = keys


class Experiment(Parameters):
    """A whole experiment; every field but `data` has a default.

    Examples
    --------
    >>> Experiment(data={"name": "housing"}, seed=7, stop={"generations": 50})
    """

    title: str = Field("", description="for reports; default: made of the data and the genotype")
    seed: int | None = Field(
        None,
        ge=0,
        lt=2**63,
        description="for studies: the same seed gives the same result, which is not for release, as anybody can repeat "
        "its draws; default: a fresh secret key, which the run folder keeps",
    )
    replicates: int = Field(1, ge=1, le=100_000, description="runs with seeds of their own, whose results are compared")
    data: DataSource = Field(description="the confidential file, and what of it is protected")
    genotype: Named = Field(default_factory=lambda: _default("genotype"), description="what is evolved")
    start: Start | None = Field(
        None, description="default: the genotype's usual portfolio, or its own initial genomes where it has none"
    )
    measures: Measures | None = Field(
        None, description="default: of a built-in data set those of the literature; of a file by role, as protect"
    )
    fitness: Named = Field(default_factory=lambda: _default("fitness"), description="how scores become objectives")
    constraints: tuple[str, ...] = Field(
        (),
        description='what the file must fulfil: "k-anonymity >= 3", "dr <= 20", "il of education <= 5"; '
        'also "publishable", what the verdict must be',
    )
    limits: tuple[str, ...] = Field(
        (), description="constraints that evosdc sets itself, as `protect` writes them: reports tell them apart"
    )
    audience: Literal["public", "researchers", "safe-room"] | None = Field(
        None,
        description="who gets the file: the search keeps the expected share of re-identified people below 9, 20 or 33 "
        "per cent; default: the search keeps no such bound, and the verdict takes the file for public",
    )
    bound: float | None = Field(
        None,
        gt=0,
        le=100,
        description="per cent of the people who may be re-identified, in place of the audience's bound",
    )
    release: bool = Field(
        False,
        description="whether the file is for release, as with an audience or bound: if the verdict forbids it, it is "
        "called best.NOT-PUBLISHABLE.csv, and the exit status is 1",
    )
    tighter: tuple[TighterBounds, ...] = Field(
        (), description="bounds kept with a margin; written by a run whose verdict was no before its time was over"
    )
    structural_zeros: ZerosRule | None = Field(
        None, description="keep combinations that never occur in the original from occurring: true, { threshold = 5 }"
    )
    second_opinion: bool | None = Field(
        None,
        description="ask judges that the search does not use about the best file found; default: of a single run whose "
        "search took 20 seconds or more",
    )
    choose: Choice | None = Field(
        None,
        description="which member of the front is published: knee, balanced, { il = 20 }, { il = 20, dr = 15 }; "
        "default: the best by the fitness, of several objectives the balanced one",
    )
    algorithm: Named = Field(default_factory=lambda: _default("algorithm"), description="how the search goes")
    operators: Operators = Field(
        default_factory=Operators,
        description='how genomes vary and parents are selected: { mutate = "my_module:function", mate = ..., '
        "select = ... }; default: as the genotype and the algorithm do it",
    )
    stop: StopRule = Field(default_factory=StopRule, description="when it ends: the first limit that is reached")
    executor: ExecutorChoice = Field(default_factory=ExecutorChoice, description="where evaluations are done")
    on_error: OnError = Field(
        default_factory=OnError, description='evaluations that fail: "raise", "penalise" or "retry"'
    )
    made_for: MadeFor | None = Field(
        None, description="the file that the recipe of the start was made for; the result warns where this one differs"
    )
    sweep: dict[str, tuple[Any, ...]] = Field(
        default_factory=dict,
        description='values to try by dotted key, all combinations: { "genotype.mutations" = [1, 2, 5] }',
    )

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            keys = frozenset(str(item["loc"][0]) for item in error.errors(include_input=False) if item["loc"])
            raise InvalidExperimentError(faults_of(error, Experiment, ""), keys) from None

    @model_validator(mode="before")
    @classmethod
    def _generations_of_the_algorithm(cls, value: Any) -> Any:
        """Let ``algorithm = { name = ..., generations = N }`` say how long to run, as ``stop.generations`` does."""
        if not isinstance(value, dict):
            return value
        value = dict(value)
        algorithm, stop = value.get("algorithm"), value.get("stop", {})
        if isinstance(algorithm, dict) and "generations" in algorithm and isinstance(stop, dict):
            algorithm = dict(algorithm)
            generations = algorithm.pop("generations")
            if stop.get("generations", generations) != generations:
                raise ValueError("the same generations in algorithm and in stop, or in one of them only")
            value["algorithm"], value["stop"] = algorithm, {**stop, "generations": generations}
        return value

    _from_truth = field_validator("structural_zeros", mode="before")(switched)

    @field_validator("choose", mode="before")
    @classmethod
    def _named_choice(cls, value: Any) -> Any:
        """Let texts say it as the command line does."""
        try:
            return choice_of(value) if isinstance(value, str) else value
        except InputError:
            raise ValueError(WANTED) from None

    @field_validator("sweep", mode="before")
    @classmethod
    def _dotted(cls, value: Any) -> Any:
        """Let ``[sweep]`` be written with nested tables, as TOML reads dotted keys without quotes."""
        return dict(flat(value)) if isinstance(value, dict) else value

    @field_validator("sweep")
    @classmethod
    def _something_to_try(cls, value: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
        for key, values in value.items():
            root = key.partition(".")[0]
            if root in UNSWEPT:
                raise ValueError(f"a key whose value changes results, not {key}; for more seeds, use replicates")
            if root not in cls.model_fields:
                meant = did_you_mean(root, cls.model_fields)
                raise ValueError(f"keys of an experiment, not {key}; {meant}".rstrip("; "))
            if not values or any(values[i] in values[:i] for i in range(len(values))):
                raise ValueError(f"a list of one or more different values for {key}")
        if (count := prod(map(len, value.values()))) > MOST_SETTINGS:
            raise ValueError(f"at most {MOST_SETTINGS} combinations, not {count}")
        return value

    @model_validator(mode="after")
    def _ends(self) -> "Experiment":
        stop = self.stop
        if stop.generations is stop.evaluations is stop.seconds is stop.whole is None:
            # A stall or a target may never come: some limit is always set.
            object.__setattr__(self, "stop", stop.model_copy(update={"generations": DEFAULT_GENERATIONS}))
        return self

    @property
    def goal(self) -> float | None:
        """Per cent of the people to which the search is kept; None where it has no such goal."""
        return self.bound if self.bound is not None else AUDIENCES[self.audience] if self.audience else None

    @property
    def released(self) -> bool:
        """Whether the file is for release, so that its name says what the verdict says; else the run is a study."""
        return self.release or self.goal is not None or bool(without_publishable(self.constraints)[1])

    @property
    def accepted(self) -> float:
        """Per cent of the people up to which a verdict lets the file be published."""
        return ACCEPTED if self.goal is None else self.goal

    @property
    def heading(self) -> str:
        """The title, or one made of the data and the genotype."""
        data = self.data.name or (self.data.file.name if self.data.file else "data")
        return self.title or f"{self.genotype.name} of {data}"

    @property
    def single(self) -> bool:
        """Whether it is one run: no replicates and no sweep."""
        return self.replicates == 1 and not self.sweep

    def to_json(self) -> dict[str, Any]:
        """Return the experiment as JSON-able data with every default filled in."""
        return self.model_dump(mode="json", by_alias=True)
