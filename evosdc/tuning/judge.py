"""Judging trials on the tuning's scale, here or side by side on workers."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import inf, sqrt
from statistics import fmean, median, stdev
from time import monotonic
from typing import TypeVar

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.failures import ErrorRule
from evosdc.engine.problem import Problem
from evosdc.model import Masking
from evosdc.plugins.registry import Registry
from evosdc.secret import Seed
from evosdc.time_limit import DeadlineOver, Slow, time_limited, told_while_slow
from evosdc.tuning.designs import Budget, Candidate, Wanted
from evosdc.tuning.trials import Kept, Order, Refusal, Trial, attempt, mean_order

BATCH = 32  # trials between two looks at the clock, for each worker

# Share of a budget of seconds that a single row of the result may use: a slow method must not starve the others.
MOST_OF_TIME = 1 / 8

MOST_OF_FAVOURED = 1 / 2  # the same for methods that alone are likely to keep what is required
MOST_OF_TRIAL = 2.0  # times the share of its row after which a single trial is given up
PAYLOAD = 512  # bytes of a trial on the wire, about
MOST_DRAWS = 8  # files of a random method on which two close candidates are compared, at most
UNKNOWN: Order = (inf,)  # order of what was refused, or not judged before the budget was spent


class Judge:
    """Judges candidates on addressed draws: the same for all, so that their differences are paired."""

    def __init__(
        self,
        problem: Problem,
        registry: Registry,
        seed: Seed,
        budget: Budget,
        dispatch: Dispatch | None = None,  # workers to send trials to
        function: str = "",  # name of the worker's function, called with the masking as JSON and the draw
        tell: Callable[[int], object] = lambda done: None,
        favoured: Sequence[str] = (),  # methods that alone are likely to keep what is required
        share: float = MOST_OF_TIME,  # of a budget of seconds, what one row of the result may use
        slow: Slow | None = None,  # called while a file that is made here takes long, as `evosdc.time_limit.Slow`
    ) -> None:
        self.problem, self.registry, self.seed, self.budget = problem, registry, seed, budget
        self.dispatch, self.function, self.tell = dispatch, function, tell
        self.trials: dict[str, dict[int, Trial]] = {}
        self.candidates: dict[str, Candidate] = {}
        self.refusals: dict[str, str] = {}
        self.evaluations = 0
        self.used: Counter[str] = Counter()
        self.time_used: defaultdict[str, float] = defaultdict(float)
        self.favoured, self.share, self.slow = favoured, share, slow
        self._began = monotonic()
        self._share = 1.0
        self._loading = 0.0
        self._cost = 0.0
        self._costs: list[float] = []
        self.kept = Kept()

    @property
    def seconds(self) -> float:
        """Seconds of work since the beginning."""
        return monotonic() - self._began

    @property
    def file_seconds(self) -> float | None:
        """Seconds that most files take; None where nothing but the very first was judged, which loads things too."""
        # The median: what takes long comes last, and says nothing of the others.
        return median(self._costs) if self._costs else None

    @property
    def over(self) -> bool:
        """Whether nothing may be judged any more."""
        limit = self._loading + self._share * (1.0 - self._loading)
        return self.budget.spent(self.evaluations, self.seconds) >= limit

    @contextmanager
    def until(self, share: float) -> Iterator[None]:
        """Let the budget end at a share of it within the block."""
        before, self._share = self._share, share
        try:
            yield
        finally:
            self._share = before

    def judge(self, wanted: Iterable[Wanted], as_given: bool = False) -> None:
        """Carry out the trials that are not known yet, as far as the budget goes; one that succeeds in any case."""
        # Within a time what takes long comes last, unless all are to be judged in the order `as_given`.
        fresh: dict[tuple[str, int], Candidate] = {}
        for candidate, draw in wanted:
            self.candidates.setdefault(candidate.key, candidate)
            if self._open(candidate.key, draw) and not self._too_slow(candidate):
                fresh.setdefault((candidate.key, draw), candidate)
        # Stable: what takes long comes last, where the time may be over.
        left = sorted(fresh.items(), key=lambda item: not as_given and self._slow(item[1]))
        while left and not (self.over and self.trials):
            slow = self._slow(left[0][1])
            sent = self.dispatch is not None and self.dispatch.worthwhile(self._ahead(len(left)))
            size = BATCH * (self.dispatch.executor.workers if sent and self.dispatch is not None else 1)
            if self.budget.evaluations is not None:
                size = min(size, max(1, round(self._share * self.budget.evaluations) - self.evaluations))
            if self.budget.seconds is not None:
                # A method's first trial may take long, so that the clock is looked at after each trial here.
                workers = self.dispatch.executor.workers if sent and self.dispatch is not None else 0
                likely = int(0.02 * self.budget.seconds / self._cost) if self._cost and not slow else 1
                size = max(1, min(size, workers * max(1, likely)))
            batch, left = left[:size], left[size:]
            self._carry_out(batch, sent)
            self.tell(self.evaluations)

    def _ahead(self, trials: int) -> float:
        """Return the seconds that trials take here, as far as time allows: starting workers must not use it up."""
        work = self._cost * trials
        if self.budget.seconds is None:
            return work
        return min(work, max(0.0, self._share * self.budget.seconds - self.seconds))

    def _slow(self, candidate: Candidate) -> bool:
        """Whether a trial may take a good part of a time that limits the tuning."""
        return candidate.arm.dear and self.budget.seconds is not None

    def _open(self, key: str, draw: int) -> bool:
        known = self.trials.get(key, {})
        return key not in self.refusals and draw not in known and not (draw > 1 and self.fixed(key))

    def _too_slow(self, candidate: Candidate) -> bool:
        limit = self.budget.seconds
        return limit is not None and self.time_used[candidate.arm.name] > self._share_of(candidate) * limit

    def _share_of(self, candidate: Candidate) -> float:
        arm = candidate.arm
        favoured = arm.kind == "method" and arm.steps and arm.steps[0].method in self.favoured
        return max(MOST_OF_FAVOURED, self.share) if favoured else self.share

    def fixed(self, key: str) -> bool:
        """Whether two draws of a candidate were the same file: nothing of it is random."""
        known = self.trials.get(key, {})
        return 0 in known and 1 in known and known[0].digest == known[1].digest

    def _carry_out(self, batch: Sequence[tuple[tuple[str, int], Candidate]], sent: bool) -> None:
        wanted = [(candidate.masking, draw) for (_, draw), candidate in batch]
        if sent and self.dispatch is not None:
            try:
                with time_limited(self._left, DeadlineOver):
                    found = self._sent(wanted)
            except DeadlineOver:
                return
        else:
            found = [
                self._here(candidate, masking, draw)
                for (masking, draw), (_, candidate) in zip(wanted, batch, strict=True)
            ]
        if not sent or self.budget.seconds is not None:
            self._measured(sum(seconds for _, seconds in found) / len(batch), len(batch))
        loading = not self.evaluations
        if loading and self.budget.seconds is not None:
            # The first trial loads what all others need: neither its method nor the first phase pays for that.
            self._loading = min(self.seconds / self.budget.seconds, 0.5)
        for ((key, draw), candidate), (trial, seconds) in zip(batch, found, strict=True):
            self.evaluations += 1
            self.time_used[candidate.arm.name] += 0.0 if loading else seconds
            self.used[candidate.arm.name] += 1
            if isinstance(trial, Refusal):
                self.refusals[key] = trial.reason
            else:
                self.trials.setdefault(key, {})[draw] = trial

    def _measured(self, cost: float, trials: int) -> None:
        """Record the cost of a trial; not of the very first, which also loads code and data for all others."""
        if self.evaluations or trials > 1:
            self._cost = 0.5 * (self._cost + cost) if self._cost else cost
            self._costs += [cost] * trials

    @property
    def _left(self) -> float | None:
        """Seconds that are left of the budget; None without any, and until a first trial has succeeded."""
        return None if self.budget.seconds is None or not self.trials else self.budget.seconds - self.seconds

    def _here(self, candidate: Candidate, masking: Masking, draw: int) -> tuple[Trial | Refusal, float]:
        began, left = monotonic(), self._left
        if left is not None and self.budget.seconds is not None:
            left = min(left, MOST_OF_TRIAL * self._share_of(candidate) * self.budget.seconds)
        try:
            with told_while_slow(masking.label, self.slow), time_limited(left, DeadlineOver):
                trial, masked = attempt(self.problem, self.registry, masking, self.seed, draw)
        except DeadlineOver:
            return Refusal("takes longer than its share of the time"), monotonic() - began
        if masked is not None and isinstance(trial, Trial):
            self.kept.take(masking, trial, masked)
        return trial, monotonic() - began

    def _sent(self, wanted: Sequence[tuple[Masking, int]]) -> list[tuple[Trial | Refusal, float]]:
        assert self.dispatch is not None
        items = [(place, (json.dumps(masking.to_json()), draw)) for place, (masking, draw) in enumerate(wanted)]
        outcomes = self.dispatch.run(self.function, items, self._cost, PAYLOAD, ErrorRule("penalise"))
        found: list[tuple[Trial | Refusal, float]] = []
        for outcome in outcomes:
            value = outcome.value
            if not outcome.ok:
                found.append((Refusal(value.type), outcome.seconds))
            else:
                found.append((Refusal(*value) if len(value) == 1 else Trial(*value), outcome.seconds))
        return found

    def known(self, key: str, draws: int | None = None) -> list[Trial]:
        """Return the trials of a candidate, by draw; of the first `draws` draws if given."""
        found = self.trials.get(key, {})
        return [found[draw] for draw in sorted(found) if draws is None or draw < draws]

    def order(self, key: str, draws: int | None = None) -> Order:
        """Return the mean precedence of a candidate's trials; unknown ones come last."""
        trials = self.known(key, draws)
        return mean_order(trials) if trials and key not in self.refusals else UNKNOWN

    def error(self, key: str) -> float | None:
        """Return the standard error of a candidate's first objective; None of a single draw, 0 where none is random."""
        values = [trial.order[1] for trial in self.known(key)]
        if self.fixed(key):
            return 0.0
        return stdev(values) / sqrt(len(values)) if len(values) > 1 else None

    def close(self, one: str, other: str) -> bool:
        """Whether the difference between two candidates is less than its standard error, over their common draws."""
        if self.fixed(one) and self.fixed(other):
            return False
        draws = sorted(set(self.trials.get(one, {})) & set(self.trials.get(other, {})))
        pairs = [(self.trials[one][draw].order, self.trials[other][draw].order) for draw in draws]
        if len(pairs) < 2 or any(a[0] != b[0] for a, b in pairs):
            return False
        gaps = [a[1] - b[1] for a, b in pairs]
        return abs(fmean(gaps)) < stdev(gaps) / sqrt(len(gaps))


T = TypeVar("T")

# A search that yields the trials that it needs, and goes on when they have been carried out.
Search = Generator[list[Wanted], None, T]


def together(judge: Judge, searches: Sequence[Search[T]]) -> list[T]:
    """Run searches in parallel, so that all workers are busy; return the result of each."""
    found: dict[int, T] = {}
    waiting: dict[int, list[Wanted]] = {}

    def go_on(place: int) -> None:
        try:
            waiting[place] = next(searches[place])
        except StopIteration as ended:
            waiting.pop(place, None)
            found[place] = ended.value

    for place in range(len(searches)):
        go_on(place)
    while waiting:
        judge.judge(want for place in sorted(waiting) for want in waiting[place])
        for place in sorted(waiting):
            go_on(place)
    return [found[place] for place in range(len(searches))]
