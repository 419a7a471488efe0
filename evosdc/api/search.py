"""``evosdc.Search``: a search that a program drives, by asking for candidates and telling their scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from deap import base

from evosdc.api.deap import deap_toolbox, with_operators
from evosdc.api.tables import as_given, as_table, listed
from evosdc.engine.ask_tell import AskTell
from evosdc.engine.checkpoint import newest_checkpoint, save_checkpoint
from evosdc.engine.choice import Choice, choice_of, chosen
from evosdc.engine.digest import digest_of
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import SearchState, first_state
from evosdc.engine.problem import Problem
from evosdc.errors import DataError, ExperimentError, Fault, FaultCollector, did_you_mean
from evosdc.experiment.assembly import Assembly, assemble
from evosdc.experiment.data import with_own_data
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import parse_experiment
from evosdc.experiment.start import starting_individual
from evosdc.files.atomic import make_folder
from evosdc.model import Guaranteed, Individual, racing
from evosdc.model.individual import Values
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import KEY
from evosdc.secret import Key, chosen_seed
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Candidate:
    """A candidate of a search.

    Parameters
    ----------
    genome : object
        Of the genotype; not to be changed.
    origin : str
        What made it.
    scores : mapping of str to float
        By measure, with ``il`` and ``dr``; empty before they are reported.
    objectives : tuple of float
        All minimised; empty before.
    """

    genome: Any
    origin: str
    scores: Mapping[str, float] = field(default_factory=dict)
    objectives: tuple[float, ...] = ()
    _problem: Problem | None = field(default=None, repr=False)
    _data: Any = field(default=None, repr=False)

    @property
    def table(self) -> Table:
        """The protected attributes as this candidate publishes them, records in the order of the original."""
        assert self._problem is not None, "made by a search"
        return self._problem.decode(self.genome, self._problem.genotype.key(self.genome))

    @property
    def frame(self) -> Any:
        """The file in the form of the data that the search was given; a `evosdc.Table` where it was given none."""
        return self.table if self._data is None else as_given(self._data, self.table)


class Search:
    """A search by ask and tell; it writes no run folder, and everything happens in this process.

    Parameters
    ----------
    experiment : Experiment or mapping
        A mapping says what an experiment file says; replicates, sweep and executor mean nothing here.
    data : DataFrame or Table, optional
        The confidential file, in place of a source in the experiment. Schema as in `evosdc.mask`.
    protect : sequence of str, optional
        What to protect, in place of ``data.protect``.
    toolbox : deap.base.Toolbox, optional
        With ``mate``, ``mutate`` or both as DEAP's users write them: they take the place of the genotype's own.
    checkpoint : str or Path, optional
        A folder that `save` wrote to: the search goes on from there.
    key : str or Path, optional
        A file with the secret key that an experiment without a seed draws from, made where it does not exist; by
        default the one in the folder of the checkpoint, or a fresh key.

    Raises
    ------
    InputError
        The experiment cannot be run, or its start has to be tuned or planned first.

    Examples
    --------
    >>> search = evosdc.Search({"data": {"name": "housing"}, "stop": {"generations": 20}})  # doctest: +SKIP
    >>> while candidates := search.ask():  # doctest: +SKIP
    ...     search.tell()  # by the experiment's measures; or search.tell([{"il": 12.0, "dr": 30.5}, ...])
    >>> search.best.scores, search.front, search.digest  # doctest: +SKIP
    """

    def __init__(
        self,
        experiment: "Experiment | Mapping[str, Any]",
        *,
        data: "pd.DataFrame | Table | None" = None,
        protect: Sequence[str] | str | None = None,
        toolbox: "base.Toolbox | None" = None,
        checkpoint: str | Path | None = None,
        key: str | Path | None = None,
    ) -> None:
        kept = None if checkpoint is None else Path(checkpoint) / KEY
        file = kept if key is None and kept is not None and kept.exists() else None if key is None else Path(key)
        self._data, self._assembly = data, _assembled(experiment, data, protect, file)
        if toolbox is not None:
            with_operators(self._assembly.algorithm.toolbox, self._problem.genotype, toolbox)
        self._evaluator = Evaluator(self._problem, None, None, self._assembly.experiment.on_error.rule)
        self._loop: AskTell | None = None
        self._start: list[Individual] | None = None
        self._folder: TemporaryDirectory[str] | None = None
        if checkpoint is not None:
            state, _ = newest_checkpoint(Path(checkpoint), self._problem.genotype)
            if state is None:
                raise DataError(Fault(str(checkpoint), "a folder without a checkpoint", "one that save wrote to"))
            self._evaluator.remember([*state.population, *state.front])
            self._loop = self._from(state)

    @property
    def _problem(self) -> Problem:
        return self._assembly.problem

    def ask(self) -> list[Candidate]:
        """Return the candidates of the next generation, those of the start first; none when the search is over."""
        if self._loop is None:
            return [self._candidate(one) for one in self._starting()]
        return [self._candidate(item) for item in self._loop.ask()]

    def tell(self, scores: Sequence[Mapping[str, float]] | None = None) -> dict[str, Any]:
        """Receive the scores of the candidates; return the line that a run's journal would get.

        Parameters
        ----------
        scores : sequence of mapping, optional
            For each requested candidate, in order, scores of your own: of measures, or ``il`` and ``dr`` themselves.
            The experiment's measures compute the others that the fitness needs; by default they compute all.

        Raises
        ------
        DataError
            There are no candidates, more or fewer scores, or scores that are not finite numbers of known names.
        """
        if self._loop is None:
            judged = starting = self._starting()
            if scores is not None:
                judged = [
                    Individual(one.genome, one.key, values.scores, values, one.origin)
                    for one, values in zip(starting, self._judged(starting, scores), strict=True)
                ]
            state = first_state(self._assembly.algorithm, judged)
            self._evaluator.remember([*judged])
            self._loop = self._from(state)
            return {"generation": 0, "evaluations": len(judged)}
        offspring = self._loop.ask()
        if not offspring:
            raise DataError(Fault("tell", "a search that is over", "candidates to tell of", str(self._loop.reason)))
        return self._loop.tell(None if scores is None else self._judged(offspring, scores))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Go on to the end by the experiment's own measures; yield the line of each generation."""
        while self.ask():
            yield self.tell()

    @property
    def generation(self) -> int:
        """Generations completed."""
        return 0 if self._loop is None else self._loop.state.progress.generation

    @property
    def evaluations(self) -> int:
        """The number of candidates evaluated so far."""
        return 0 if self._loop is None else self._loop.state.progress.evaluations

    @property
    def stopped(self) -> str | None:
        """Why the search has ended, in words; None while it runs."""
        return None if self._loop is None else self._loop.reason

    @property
    def population(self) -> list[Candidate]:
        """The members of the population."""
        return [self._known(one) for one in self._begun.state.population.members]

    @property
    def front(self) -> list[Candidate]:
        """The front of all candidates so far, by increasing IL."""
        return [self._known(one) for one in self._begun.state.front]

    @property
    def best(self) -> Candidate:
        """What a run would publish: the member that the experiment chooses, else the best by the fitness."""
        state, choice = self._begun.state, self._assembly.experiment.choose
        return (
            self._known(self._assembly.algorithm.solution(state.population, state.best))
            if choice is None
            else self.choose(choice)
        )

    def choose(self, choice: Choice | str | Mapping[str, float]) -> Candidate:
        """Return a member of the front: ``"knee"``, ``"balanced"``, ``"il=20,dr=15"``, ``{"il": 20, "dr": 15}``.

        Raises
        ------
        InputError
            The choice is not one of these.
        """
        return self.front[chosen([one.point for one in self._begun.state.front], choice_of(choice))]

    @property
    def digest(self) -> str:
        """By which two searches are compared: that of a run with the same experiment and seed is the same."""
        return digest_of(self._begun.state.population)

    def save(self, folder: str | Path) -> Path:
        """Write a checkpoint, from which ``Search(..., checkpoint=folder)`` goes on; as confidential as the file.

        The secret key that the search draws from stands beside it.

        The folder is readable by its owner alone. A resumed search requests open children again.
        """
        make_folder(Path(folder))
        seed = self._problem.streams.seed
        if isinstance(seed, Key) and not (Path(folder) / KEY).exists():
            seed.write(Path(folder) / KEY)
        return save_checkpoint(Path(folder), self._begun.state, self._problem.genotype)

    def toolbox(self) -> "base.Toolbox":
        """Return a DEAP toolbox of this search's problem, for DEAP's own algorithms (`evosdc.api.deap`)."""
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="evosdc-")
        return deap_toolbox(self._assembly, self._folder)

    @property
    def _begun(self) -> AskTell:
        if self._loop is None:
            raise DataError(Fault("search", "one that has not begun", "one whose start is evaluated", "Call tell()."))
        return self._loop

    def _starting(self) -> list[Individual]:
        if self._start is None:
            plan, rule = self._assembly.plan, self._assembly.experiment.on_error.rule
            made = [starting_individual(self._problem, plan, place, rule) for place in range(plan.candidates)]
            apart = plan.left_out(made)
            self._start = [one for place, one in enumerate(made) if place not in apart]
        return self._start

    def _from(self, state: SearchState) -> AskTell:
        assembly = self._assembly
        return AskTell(assembly.algorithm, self._evaluator, self._problem.streams, assembly.stop, state)

    def _candidate(self, item: Individual) -> Candidate:
        return Candidate(item.genome, item.origin, {}, (), self._problem, self._data)

    def _known(self, one: Individual) -> Candidate:
        return Candidate(one.genome, one.origin, dict(one.scores), one.objectives, self._problem, self._data)

    def _judged(self, offspring: Sequence[Individual], scores: Sequence[Mapping[str, float]]) -> list[Values]:
        if len(scores) != len(offspring):
            raise DataError(Fault("tell", f"scores of {len(scores)} candidates", f"of {len(offspring)}, as requested"))
        return [_values(self._problem, item.genome, given) for item, given in zip(offspring, scores, strict=True)]


def _own_scores(problem: Problem, given: Mapping[str, float]) -> dict[str, float]:
    """Return scores of the user's own; a misspelt name would otherwise be left out without a word."""
    known = dict.fromkeys(("il", "dr", *problem.measures, *problem.fitness.needs))
    collect, own = FaultCollector(), dict[str, float]()
    for name, value in given.items():
        with collect.step():
            if name not in known:
                raise DataError(Fault("tell", repr(name), f"one of {', '.join(known)}", did_you_mean(str(name), known)))
            if not isinstance(value, Real) or not isfinite(value):
                raise DataError(Fault(f"tell: {name}", repr(value), "a finite number"))
            own[name] = float(value)
    if collect.faults:
        raise DataError(collect.faults)
    return own


def _values(problem: Problem, genome: Any, given: Mapping[str, float]) -> Values:
    """Return the values of a candidate with scores of the user's own, beside those of measures that are needed too."""
    held = isinstance(problem.genotype, Guaranteed) and problem.genotype.reference is not None
    if held or racing(problem.genotype) is not None:
        wanted = "scores of the experiment's measures"
        raise DataError(Fault("tell", "scores for a genotype that is judged in its own way", wanted, "Call tell()."))
    own = _own_scores(problem, given)
    combined = own
    if problem.constraints or not set(problem.fitness.needs) <= own.keys():
        # Another decoding than for publication would be another file; of several draws the first is scored.
        measured = problem.scores_of_draw(genome, problem.decode(genome, problem.genotype.key(genome)))
        combined = problem.aggregation.combine(measured | {n: v for n, v in own.items() if n in measured}) | own
    if problem.constraints:
        combined = problem.constraints.judge(combined)
    combined = {**problem.traits(genome), **combined}
    return Values(problem.fitness.combine(combined), combined)


def _assembled(experiment: Any, data: Any, protect: Sequence[str] | str | None, key: Path | None) -> Assembly:

    given = dict(experiment) if isinstance(experiment, Mapping) else experiment.to_json()
    if protect is not None:
        given = given | {"data": dict(given.get("data", {})) | {"protect": list(listed(protect) or ())}}
    with TemporaryDirectory(prefix="evosdc-") as folder:
        if data is not None:
            given = with_own_data(given, as_table(data), Path(folder) / "run")
        resolved = parse_experiment(given, Path.cwd())
        start = resolved.start
        if start is not None and (start.tuned is not None or start.planned is not None):
            advice = "evosdc.run does that; begin here from methods at parameters of your own."
            raise ExperimentError(Fault("start", "one that is tuned or planned first", "methods or files", advice))
        return assemble(resolved, default_registry(), chosen_seed(resolved.seed, key))
