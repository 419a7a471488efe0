"""The evaluation of individuals: ``toolbox.evaluate`` and ``toolbox.map`` of a search.

A candidate is judged by what it changes in its parent's table wherever that is known, and from scratch otherwise. Many
candidates of one generation go to workers where these are faster.
"""

import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any

import numpy as np
from deap import base

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.failures import RAISE, ErrorRule, evaluate_or_penalise, worst_values
from evosdc.engine.problem import Problem
from evosdc.errors import EvaluationError
from evosdc.executors.tasks import worth_sending
from evosdc.model import Individual, Siblings
from evosdc.model.individual import Values
from evosdc.secret import kept
from evosdc.time_limit import OutOfTime, check_time, time_limited

_LOG = logging.getLogger("evosdc.evaluation")
CACHE_SIZE = 20_000  # How many evaluations are remembered; the oldest is forgotten first
AGAIN = 10.0  # A generation is evaluated locally again after sending took this many times its local time
RECENT = 256  # Over how many evaluations their cost is averaged, about


class Cost:
    """A running mean of measured seconds, None until something has been measured."""

    # Evaluations in a batch of dozens take less time than single ones: the mean is over about the last `RECENT` of
    # both kinds.

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
    """Evaluates individuals, with a cache. Its results depend only on the seed and the genomes."""

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
        self.evaluated: list[Sequence[Individual]] = []
        # A plain dictionary goes through all that it has forgotten to find what is the oldest now.
        self._cache: OrderedDict[bytes, Values] = OrderedDict()
        self._here_seconds = Cost()
        self._sent_seconds = Cost()
        self._warm = False
        self._spent_sending = 0.0
        self._said: set[str] = set()

    def attach(self, toolbox: base.Toolbox) -> None:
        """Register ``evaluate``, ``map``, ``tries`` and ``contributions`` in the toolbox of an algorithm."""
        toolbox.register("evaluate", self.evaluate)
        toolbox.register("map", self.map)
        toolbox.register("tries", self.tries)
        toolbox.register("contributions", self.problem.contributions)

    @property
    def seconds_here(self) -> float | None:
        """Mean seconds of an evaluation in this process; None until there was one."""
        return self._here_seconds.mean

    @property
    def seconds_sent(self) -> float | None:
        """Mean seconds of an evaluation among those sent to workers together; None until some were measured."""
        return self._sent_seconds.mean

    def evaluate(self, individual: Individual) -> Values:
        """Return the objectives of an individual, with its scores."""
        (values,) = self.values_of([individual])
        self.evaluated.append([individual])
        return values

    def map(self, function: Callable[..., Any], *iterables: Iterable[Any]) -> Iterable[Any]:
        """Map a function over individuals, as ``map``; evaluations go to workers where these are faster."""
        # Individuals that are evaluated get the keys of their genomes, and let go of their parents. A decorated
        # `evaluate` is another function: it is called for each individual here, and nothing goes to workers.
        if getattr(function, "func", function) != self.evaluate:
            return map(function, *iterables)
        (listed,) = iterables
        individuals = list(listed)
        values = self.values_of(individuals)
        self.evaluated.append(individuals)
        return values

    def tries(self, siblings: Siblings) -> Siblings:
        """Judge children of one parent, which need not be made; return them."""
        if not self.judged_together(siblings):
            origins, parent = siblings.origins, siblings.parent
            made = [parent.child(siblings.genome(place), origins[place]) for place in range(len(siblings))]
            rows = self.values_of(made)
            # Where there are no constraints, only failed children have the score `infeasibility`.
            names = dict.fromkeys(name for row in rows for name in row.scores)
            scores = {name: np.array([row.scores.get(name, 0.0) for row in rows]) for name in names}
            siblings.judged(scores, list(np.array(rows).T))
        self.evaluated.append(siblings)
        return siblings

    def judged_together(self, siblings: Siblings) -> bool:
        """Judge children by what they change, where that is possible; return whether it was."""
        # Where a measure fails and the rule does not end the run, each is to be evaluated by itself, by that rule.
        if siblings.changes is None or siblings.parent.failed:
            return False
        began = monotonic()
        try:
            judged = self.problem.tries(siblings)
        except Exception as error:
            if self.rule.action == "raise":
                raise
            # The plugin's own message may hold values of records; logs hold none.
            said = getattr(error, "public", None) or f"a plugin raised {type(error).__name__}"
            if said not in self._said:
                self._said.add(said)
                _LOG.warning("%s for several children at once; each of them is evaluated by itself", said)
            return False
        if judged is None:
            return False
        columns, estimated = judged
        siblings.judged(*columns, estimated)
        check_time()
        self._here_seconds.add((monotonic() - began) / len(siblings), len(siblings))
        return True

    def remember(self, individuals: Iterable[Individual]) -> None:
        """Put evaluated individuals in the cache: those of a checkpoint."""
        for individual in individuals:
            self._cache[individual.key] = Values(individual.objectives, dict(individual.scores))

    def values_of(self, individuals: Sequence[Individual]) -> list[Values]:
        """Return the values of individuals, in order; each genome is evaluated once."""
        key_of = self.problem.genotype.key
        fresh: dict[bytes, Individual] = {}
        for individual in individuals:
            individual.key = key_of(individual.genome)
            if individual.key not in self._cache:
                fresh.setdefault(individual.key, individual)
        self._cache.update(self._sent(fresh) if self.better_sent(len(fresh)) else self._here(fresh))
        values = [self._cache[individual.key] for individual in individuals]
        for individual in individuals:
            individual.parent = None
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return values

    def better_sent(self, count: int) -> bool:
        """Whether workers are expected to be faster than this process; what was measured decides, not a guess."""
        # Here children are judged by what they change, on workers mostly not: only the clock can tell. The choice
        # changes no result.
        if self.dispatch is None or not self.dispatch.executor.remote or count == 0:
            return False
        here, sent = self._here_seconds.mean, self._sent_seconds.mean
        if here is None or not worth_sending(here * count):
            return False
        if sent is not None and self._spent_sending > AGAIN * here * count:
            self._here_seconds, self._spent_sending = Cost(), 0.0
            return False
        return sent is None or sent < here

    def _here(self, fresh: dict[bytes, Individual]) -> dict[bytes, Values]:
        began = monotonic()
        found = self._of_children([one for one in fresh.values() if one.parent is not None and not one.parent.failed])
        if found:
            self._here_seconds.add((monotonic() - began) / len(found), len(found))
        for key, individual in fresh.items():
            if key not in found:
                check_time()
                began = monotonic()
                found[key] = evaluate_or_penalise(self.rule, self.problem, individual, self._in_time)
                self._here_seconds.add(monotonic() - began)
        return found

    def _of_children(self, children: Sequence[Individual]) -> dict[bytes, Values]:
        """Return the values of those children that can be judged together, by what they change."""
        # A time limit is for one evaluation: then each child is evaluated alone.
        if not (children and self.problem.tracks) or self.time_limit is not None:
            return {}
        try:
            known = self.problem.evaluate_children(children)
        except Exception:
            if self.rule.action == "raise":
                raise
            return {}
        return {child.key: values for child, values in zip(children, known, strict=True)}

    def _in_time(self, individual: Individual, from_scratch: bool) -> Values:
        """Evaluate within the limit of time; raises `EvaluationError` when it is over."""
        if self.time_limit is None:
            return self.problem.evaluate(individual, from_scratch)
        try:
            with time_limited(self.time_limit):
                values = self.problem.evaluate(individual, from_scratch)
                check_time()
                return values
        except OutOfTime:
            raise EvaluationError(f"an evaluation took longer than {self.time_limit:g} s") from None

    def _sent(self, fresh: dict[bytes, Individual]) -> dict[bytes, Values]:
        assert self.dispatch is not None
        dispatch, dump, listed = self.dispatch, self.problem.genotype.dump, list(fresh.values())
        payloads = []
        for place, individual in enumerate(listed):
            parent = None if individual.parent is None else individual.parent.key
            payloads.append((place, (dict(dump(individual.genome)), parent)))
        began = monotonic()
        size = sum(array.nbytes for array in payloads[0][1][0].values())
        with kept():  # threads of an executor draw from `random` meanwhile
            outcomes = dispatch.run(dispatch.function, payloads, self.seconds_here or 0.0, size, self.rule)
        spent = monotonic() - began
        if self._warm:
            self._sent_seconds.add(spent / len(listed), len(listed))
            self._spent_sending += spent
        self._warm = True  # the first time workers start and build their problem: that says nothing of the next
        return {
            individual.key: Values(outcome.value[1], outcome.value[0])
            if outcome.ok
            else worst_values(self.problem, individual.genome)
            for outcome, individual in zip(outcomes, listed, strict=True)
        }


def made_by(batches: Iterable[Sequence[Individual]]) -> dict[str, int]:
    """Return how many individuals each operator made."""
    counted: Counter[str] = Counter()
    for batch in batches:
        counted.update(batch.origins if isinstance(batch, Siblings) else [one.origin for one in batch])
    return dict(counted)


def each_of(batches: Iterable[Sequence[Individual]]) -> Iterator[Individual]:
    """Return the individuals that exist; of siblings, only those that were requested."""
    for batch in batches:
        yield from (one for _, one in batch.known) if isinstance(batch, Siblings) else batch
