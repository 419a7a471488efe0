"""People in a file against people who are not: the plan of a run protects four fifths, and all people are attacked.

A published file discloses general facts about people like its own, and facts about its own people alone. Only people
who are not in it show the difference. What a learner guesses of a few hundred people is uncertain, so further parts are
protected until the interval is narrow.

The fewer people a file has, the more it discloses of each: of a file of 500 made-up patients the excess was 4.7 points
for halves, and 2.5 for four fifths, which are nearer to the file that is published. It depends on the plan more than on
the length of the search: 4.6, 3.6 and 4.7 points after 0, 20 and 100 generations (halves of the patients), 4.9, 4.6 and
4.5 (`carData`'s Chile).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

import numpy as np

from evosdc.assess.judge import mean_of_trials, members_judges, of_members
from evosdc.assess.three_risks import EXCESS, inferred, is_clear
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import SearchState, first_state, search
from evosdc.engine.stop import Stop
from evosdc.errors import EvosdcError, Fault, InputError, ParameterError
from evosdc.experiment.assembly import Assembly, assembled_like, known_to_attackers
from evosdc.experiment.experiment import MaskingEntry, Start
from evosdc.experiment.start import starting_individual
from evosdc.printing import NO_TIME
from evosdc.secret import Key, Purpose, Seed, judging_seed, stream
from evosdc.table.schema import Role
from evosdc.table.table import Rows, Table, assign_known
from evosdc.time_limit import DeadlineOver, time_limited

# Generations of the search on a part, more only until it keeps the bounds of the run, and seconds at most: a quick
# form, which is stated beside the figures.
GENERATIONS, MOST_SECONDS = 20, 20.0

FEWEST = 100  # records from which parts say something
FOLDS = 5  # of the people: in each trial one of them is not in the file
TRIALS = 2 * FOLDS  # at most: by two partitions
_FOLDS, _KEYS = 21, 22  # addresses of the partitions, and of what the plan draws from in each trial


@dataclass(frozen=True, eq=False)
class PartRelease:
    """A part of the people as the plan protects it, and the others."""

    members: Table
    others: Table
    published: Table  # the masked attributes of the members, record by record
    generations: int
    evaluations: int
    seconds: float


def parts_of(records: int, seed: Seed, trial: int = 0) -> tuple[Rows, Rows]:
    """Return the positions of the members of a trial, and of the others, each ascending."""
    partition, fold = divmod(trial, FOLDS)
    order = stream(judging_seed(seed), Purpose.JUDGE, _FOLDS, partition).permutation(records).astype(np.intp)
    among = np.arange(records) % FOLDS == fold
    return np.sort(order[~among]), np.sort(order[among])


def part_release(
    assembly: Assembly, plan: tuple[MaskingEntry, ...], generations: int, seconds: float = inf, trial: int = 0
) -> PartRelease:
    """Return a part of the people as the plan of a run protects it: the start at its parameters, then the search."""
    began = monotonic()
    records = len(assembly.source.table)
    if records < FEWEST:
        raise ParameterError(Fault("people", f"{records} records", f"at least {FEWEST}"))
    if assembly.problem.genotype.generalises:
        given = f"genotype {assembly.experiment.genotype.name}"
        raise ParameterError(Fault("people", given, "one that publishes the original's own categories"))
    first, second = parts_of(records, assembly.seed, trial)
    start, seed = assembly.experiment.start, assembly.seed
    if plan:
        start = Start(methods=plan)
    elif start is not None:
        start = start.model_copy(update={"tuned": None, "planned": None, "files": ()})
    experiment = assembly.experiment.model_copy(update={"start": start})
    seed = seed.derived(Purpose.JUDGE, _KEYS, trial) if isinstance(seed, Key) else seed
    own = assembled_like(assembly, experiment, first, seed)
    problem, rule = own.problem, own.experiment.on_error.rule
    started = [starting_individual(problem, own.plan, place, rule) for place in range(own.plan.candidates)]
    state = first_state(own.algorithm, started)
    evaluator = Evaluator(problem, None, None, rule)
    evaluator.remember(started)
    most, stop = min(generations, GENERATIONS), Stop(seconds=min(MOST_SECONDS, seconds))

    def enough(state: SearchState, record: object) -> str | None:
        # The file of a run keeps its bounds, if any file does. A part that does not is another plan.
        return "enough" if state.progress.generation >= most and state.best.feasible else None

    if most:
        state, _ = search(own.algorithm, evaluator, problem.streams, stop, state, enough)
    best = own.algorithm.solution(state.population, state.best)
    masked = problem.decode(best.genome, best.key)
    whole = assembly.source.table
    progress = state.progress
    return PartRelease(
        whole.take(first), whole.take(second), masked, progress.generation, progress.evaluations, monotonic() - began
    )


@dataclass
class Trials:
    """Attacks on parts of the people as the plan of a run protects them: what a file discloses of its people.

    Parameters
    ----------
    assembly : Assembly
        Of the run.
    plan : tuple of MaskingEntry
        Of `plan_of`.
    generations : int
        Of the run; the search on a part has `GENERATIONS` at most.
    """

    assembly: Assembly
    plan: tuple[MaskingEntry, ...]
    generations: int = GENERATIONS
    first: PartRelease | None = None
    found: list[dict[str, Any]] = field(default_factory=list)
    why_not: str = NO_TIME  # why there is no trial

    def opinion(self) -> dict[str, Any] | None:
        """Return findings of judges by members and others, JSON-able; None where nothing is sensitive."""
        # ``judges`` as in a second opinion, ``not_applicable``, ``members`` and ``others`` (how many people),
        # ``trials`` (how many parts were protected), and the ``generations``, ``evaluations`` and ``seconds`` of the
        # search on the first one; or ``not_checked``: why no judge ran.
        if not self.assembly.source.table.schema.with_role(Role.SENSITIVE):
            return None
        return mean_of_trials(self.found, self.assembly.registry) if self.found else {"not_checked": self.why_not}

    @property
    def clear(self) -> bool:
        """Whether further trials would change nothing of what is said of inference."""
        opinion = self.opinion()
        return opinion is None or (inferred(opinion) is not None and is_clear(opinion))

    def make(self, until: Callable[[], float] = lambda: inf) -> None:
        """Protect parts and attack all people until it is clear what to say of inference, or the time is over."""
        registry = self.assembly.registry
        bounding = [name for name in members_judges(registry) if registry.measure(name).family == EXCESS]
        while not self.clear and len(self.found) < TRIALS:
            left = until()
            if left < 1.0 or (release := self._protected(len(self.found), left)) is None:
                return
            found = self._attacked(release, bounding, until, unmasked=not self.found)
            if inferred(found) is None:
                self.why_not = next(iter(found["not_applicable"].values()), self.why_not)
                return
            self.first = self.first or release
            sizes = {"generations": release.generations, "evaluations": release.evaluations}
            self.found.append(found | sizes | {"seconds": round(release.seconds, 1)})

    def ask_others(self, until: Callable[[], float] = lambda: inf) -> None:
        """Have the other judges by members and others attack the first part."""
        if self.first is None:
            return
        one = self.found[0]
        others = [name for name in members_judges(self.assembly.registry) if name not in one["judges"]]
        found = self._attacked(self.first, others, until)
        self.found[0] = one | {key: one[key] | found[key] for key in ("judges", "not_applicable")}

    def _protected(self, trial: int, left: float) -> PartRelease | None:
        """Protect a part of the people by the plan, in a part of the seconds that are left."""
        try:
            with time_limited(0.7 * left, DeadlineOver):
                return part_release(self.assembly, self.plan, self.generations, 0.3 * left, trial)
        except DeadlineOver:
            self.why_not = "the time given was too short to protect a part of the people by the same plan"
        except InputError as error:
            fault = error.faults[0]
            self.why_not = f"given {fault.given}; wanted {fault.wanted}"
        except EvosdcError as error:
            self.why_not = f"a part of the people cannot be protected by the same plan ({type(error).__name__})"
        return None

    def _attacked(
        self, release: PartRelease, judges: Sequence[str], until: Callable[[], float], unmasked: bool = True
    ) -> dict[str, Any]:
        """Attack all people by the file of a part."""
        assembly, protect = self.assembly, self.assembly.microdata.protect
        both = (known_to_attackers(assembly, table) for table in (release.members, release.others))
        members, others = (assign_known(table, protect) for table in both)
        published = members.with_columns(release.published)
        seed = judging_seed(assembly.seed)
        return of_members(members, others, published, protect, assembly.registry, seed, until, judges, unmasked)


def is_complete(members: Mapping[str, Any] | None) -> bool:
    """Return whether an opinion of `Trials` needs no more time."""
    if members is None or "judges" not in members or NO_TIME in members["not_applicable"].values():
        return False
    return members.get("trials", 1) >= TRIALS or is_clear(members)
