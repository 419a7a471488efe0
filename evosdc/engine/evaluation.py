"""Evaluating whole generations: duplicates and cache first, then here or on workers, whichever is faster."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.failures import RAISE, ErrorRule, evaluate_or_penalise, worst_evaluation
from evosdc.engine.family_evaluations import Evaluation
from evosdc.engine.problem import Problem
from evosdc.errors import EvaluationError
from evosdc.executors.chunking import worth_sending
from evosdc.model import Individual, Litter, Offspring
from evosdc.model.brood import Brood
from evosdc.model.individual import LatentGenome
from evosdc.time_limit import OutOfTime, check_time, time_limited

CACHE_SIZE = 20_000
"""How many evaluations are remembered; the oldest is forgotten first."""

AGAIN = 10.0
"""So many times what a generation would take here may pass in sending before one is evaluated here again."""

RECENT = 256
"""Over how many evaluations their cost is averaged, about."""

T = TypeVar("T")


class Cost:
    """A running mean of measured seconds, None until something has been measured.

    What is measured of dozens of evaluations together is followed by single ones that take longer: the mean is over
    about `RECENT` of them, whichever they are.
    """

    def __init__(self) -> None:
        self.mean: float | None = None
        self._weight = 0.0

    def add(self, seconds: float, count: int = 1) -> None:
        """Take in a measurement that stands for `count` evaluations."""
        left = (1.0 - 1.0 / RECENT) ** count
        before, new = left * self._weight, RECENT * (1.0 - left)
        self._weight = before + new
        self.mean = ((self.mean or 0.0) * before + seconds * new) / self._weight


class Evaluator:
    """Evaluates offspring; remembers what it has seen. Its results depend on nothing but the seed and the genomes.

    Parameters
    ----------
    problem : Problem
    dispatch : Dispatch, optional
        None to evaluate in this process only.
    time_limit : float, optional
        Seconds that an evaluation in this process may take (`evosdc.time_limit.check_time`).
    rule : ErrorRule
        What becomes of an evaluation that fails.
    """

    def __init__(
        self,
        problem: Problem,
        dispatch: Dispatch | None = None,
        time_limit: float | None = None,
        rule: ErrorRule = RAISE,
    ) -> None:
        self.problem = problem
        self.dispatch = dispatch
        self.time_limit = time_limit
        self.rule = rule
        # A plain dictionary goes through all that it has forgotten to find what is the oldest now.
        self._cache: OrderedDict[bytes, tuple[dict[str, float], tuple[float, ...]]] = OrderedDict()
        self._here_seconds = Cost()
        self._sent_seconds = Cost()
        self._warm = False
        self._spent_sending = 0.0
        self._together: Collection[bytes] = ()

    @property
    def seconds_here(self) -> float | None:
        """Mean seconds of an evaluation in this process; None until there was one."""
        return self._here_seconds.mean

    @property
    def seconds_sent(self) -> float | None:
        """Mean seconds of an evaluation among those sent to workers together; None until some were measured."""
        return self._sent_seconds.mean

    def evaluate(self, offspring: Sequence[Offspring]) -> Sequence[Individual]:
        """Return the offspring as individuals, in order; of a litter each is made when somebody asks for it."""
        if isinstance(offspring, Litter):  # on workers each child would be made, and judged from scratch
            brood = self._brood_of(offspring)
            if brood is not None:
                return brood
        key_of = self.problem.genotype.key
        keys = [key_of(item.genome) for item in offspring]
        fresh: dict[bytes, Offspring] = {}
        for key, item in zip(keys, offspring, strict=True):
            if key not in self._cache:
                fresh.setdefault(key, item)
        evaluations = self._evaluate_sent(fresh) if self.better_sent(len(fresh)) else self._evaluate_here(fresh)
        made = {}
        for (key, item), (scores, objectives, states) in zip(fresh.items(), evaluations, strict=True):
            self._cache[key] = (scores, objectives)
            # Where tables travel nobody has states, and ancestors are not kept for nothing.
            basis = item.nearest if key in self._together and item.nearest and item.nearest.states else None
            made[key] = Individual(item.genome, key, scores, objectives, item.origin, states, basis)
        individuals = []
        for key, item in zip(keys, offspring, strict=True):
            individual = made.pop(key, None)
            if individual is None:  # known before, or a twin of one of these
                individual = Individual(item.genome, key, *self._cache[key], item.origin)
            individuals.append(individual)
        self._forget()
        return individuals

    def remember(self, individuals: Sequence[Individual]) -> None:
        """Put evaluated individuals in the cache: those of a checkpoint."""
        for individual in individuals:
            self._cache[individual.key] = (dict(individual.scores), individual.objectives)

    def _forget(self) -> None:
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)

    def _brood_of(self, litter: Litter[Any]) -> Brood | None:
        """Return the individuals of a litter, judged by what they change; None where each has to be made."""
        parent, genomes = litter.parent, litter.genomes
        if parent.failed or not self.problem.worth_joining(len(litter)):
            return None
        began = monotonic()
        try:
            judged = self._in_time(partial(self.problem.judge_litter, parent, genomes), len(litter))
        except Exception:
            return None
        if judged is None:
            return None
        self._here_seconds.add((monotonic() - began) / len(litter), len(litter))
        basis = parent if parent.states else None

        def individual(place: int, scores: dict[str, float], objectives: tuple[float, ...]) -> Individual:
            genome = LatentGenome(genomes.later(place), partial(self._named, scores, objectives))
            return Individual(genome, b"", scores, objectives, litter.origins[place], (), basis)

        return Brood(*judged, individual, litter.origins, genomes)

    def _named(self, scores: dict[str, float], objectives: tuple[float, ...], genome: Any) -> bytes:
        """Return the key of a genome of a litter, and remember its evaluation as that of any other."""
        key = self.problem.genotype.key(genome)
        self._cache[key] = (scores, objectives)
        self._forget()
        return key

    def better_sent(self, count: int) -> bool:
        """Whether workers are expected to be faster than this process; what was measured decides, not a guess.

        Here children are followed from their parents' states, on workers mostly not: only the clock can tell. The
        choice changes no result. What is measured here at first is what loading takes as well, and nothing more is
        measured while all is sent: so this process is tried again when sending has taken `AGAIN` times as long.
        """
        if self.dispatch is None or not self.dispatch.executor.remote or count == 0:
            return False
        here, sent = self._here_seconds.mean, self._sent_seconds.mean
        if here is None or not worth_sending(here * count):
            return False
        if sent is not None and self._spent_sending > AGAIN * here * count:
            self._here_seconds, self._spent_sending = Cost(), 0.0
            return False
        return sent is None or sent < here

    def _evaluate_here(self, fresh: Mapping[bytes, Offspring]) -> list[Evaluation]:
        found = self._evaluate_families(fresh) if self.problem.together else {}
        self._together = found.keys()
        evaluations = []
        for key, item in fresh.items():
            if key in found:
                evaluations.append(found[key])
                continue
            check_time()
            began = monotonic()
            nearest = None if item.nearest is None or item.nearest.failed else item.nearest
            evaluations.append(
                evaluate_or_penalise(self.rule, self.problem, item.genome, key, nearest, self._follow_in_time)
            )
            self._here_seconds.add(monotonic() - began)
        return evaluations

    def _evaluate_families(self, fresh: Mapping[bytes, Offspring]) -> dict[bytes, Evaluation]:
        """Return the evaluations of those that could be evaluated together with others of the same parent.

        Whatever goes wrong with one of them, all are left out: each is then evaluated by itself, by the rule.
        """
        families: dict[int, list[tuple[bytes, Offspring]]] = {}
        for key, item in fresh.items():
            if item.nearest is not None and not item.nearest.failed:
                families.setdefault(id(item.nearest), []).append((key, item))
        found = dict[bytes, Evaluation]()
        for family in families.values():
            if not self.problem.worth_joining(len(family)):
                continue
            check_time()
            began, parent = monotonic(), family[0][1].nearest
            assert parent is not None
            genomes = [item.genome for _, item in family]
            try:
                evaluations = self._in_time(partial(self.problem.evaluate_children, parent, genomes), len(genomes))
            except Exception:
                continue
            judged = zip(family, evaluations, strict=True) if evaluations is not None else ()
            found |= {key: evaluation for (key, _), evaluation in judged if evaluation is not None}
            self._here_seconds.add((monotonic() - began) / len(family), len(family))
        return found

    def _in_time(self, judge: Callable[[], T | None], count: int) -> T | None:
        """Judge so many children together; None where the limit of time of one may be over before all are."""
        if self.time_limit is None:
            return judge()
        here = self._here_seconds.mean
        if here is None or here * count > self.time_limit / 2:
            return None
        try:
            with time_limited(self.time_limit):
                judged = judge()
                check_time()
                return judged
        except OutOfTime:
            return None

    def _follow_in_time(self, genome: Any, key: bytes, nearest: Individual | None) -> Evaluation:
        """Evaluate from a relative's states, within the limit of time; raises `EvaluationError` when it is over."""
        try:
            with time_limited(self.time_limit):
                if nearest is not None and not nearest.states:
                    self.problem.make_states(nearest, (genome,))
                evaluation = self.problem.evaluate(genome, key, nearest)
                check_time()
                return evaluation
        except OutOfTime:
            raise EvaluationError(f"an evaluation took longer than {self.time_limit:g} s") from None

    def _evaluate_sent(self, fresh: Mapping[bytes, Offspring]) -> list[Evaluation]:
        assert self.dispatch is not None
        self._together = ()
        dispatch, dump, items = self.dispatch, self.problem.genotype.dump, list(fresh.values())
        payloads = [
            (position, (dict(dump(item.genome)), item.nearest.key if item.nearest is not None else None))
            for position, item in enumerate(items)
        ]
        began = monotonic()
        size = sum(array.nbytes for array in payloads[0][1][0].values())
        outcomes = dispatch.run(dispatch.function, payloads, self.seconds_here or 0.0, size, self.rule)
        spent = monotonic() - began
        if self._warm:
            self._sent_seconds.add(spent / len(items), len(items))
            self._spent_sending += spent
        self._warm = True  # the first time workers start and build their problem: that says nothing of the next
        return [
            Evaluation._make((*outcome.value, ())) if outcome.ok else worst_evaluation(self.problem, item.genome)
            for outcome, item in zip(outcomes, items, strict=True)
        ]
