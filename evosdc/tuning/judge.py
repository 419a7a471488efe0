"""Trials: masking by a design and judging the file, here or side by side on workers, with the time that it takes."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import inf, log, sqrt
from statistics import fmean, median, stdev
from time import monotonic, perf_counter
from typing import TypeVar

import numpy as np

from evosdc.assess.mask import apply_masking, build_steps, last_step_of, mask_file, require_fit
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.failures import ErrorRule
from evosdc.engine.mending import mended
from evosdc.engine.problem import Problem
from evosdc.errors import InputError
from evosdc.model import Individual, Masking, Microdata, Seedable
from evosdc.model.individual import precedence_of
from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, Seed, draw_seed, stream
from evosdc.table.table import Table
from evosdc.time_limit import DeadlineOver, Slow, check_time, time_limited, told_while_slow
from evosdc.tuning.designs import Budget, Candidate, Wanted

# What trials are ordered by, less being better: infeasibility, then the objective (with several: as fronts are).
Order = tuple[float, ...]


@dataclass(frozen=True)
class Trial:
    """A masked file's scores."""

    draw: int  # that makes this very file by ``evosdc mask --draw``
    scores: Mapping[str, float]
    objectives: tuple[float, ...]
    digest: str  # of the masked values; equal for two draws where nothing is random
    right_labels: tuple[str, ...] = ()  # attributes whose labels had been exchanged, and were put right
    move_values: tuple[str, ...] = ()  # attributes whose rare values, where they were kept, changed places

    def exactly(self, masking: Masking) -> Masking:
        """Return the masking that makes this very file."""
        return replace(masking, draw=self.draw, right_labels=self.right_labels, move_values=self.move_values)

    @property
    def order(self) -> Order:
        """Its key in comparisons."""
        infeasibility, ranks = precedence_of(self.scores, self.objectives)
        return (infeasibility, *ranks)


@dataclass(frozen=True)
class Refusal:
    """A trial that the method or a measure refused, with its message."""

    reason: str


def attempt(
    problem: Problem, registry: Registry, masking: Masking, seed: Seed, draw: int
) -> tuple[Trial, Table] | tuple[Refusal, None]:
    """Mask the protected attributes and judge the file as the search would judge it; return the file too."""
    # Labels are put right, kept values moved, and records that rules forbid repaired first. The file returned is the
    # one before that repair, which its masking makes again where a search is repeated. A method that does not fit, or
    # fails, costs nothing but this trial.
    try:
        microdata, methods = problem.genotype.microdata, build_steps(masking, registry)
        require_fit(masking, methods[:1], microdata.original)
        rng = stream(draw_seed(seed, draw), Purpose.MASK)
        masked = apply_masking(masking, methods, microdata, rng)
        check_time()
        if masked.schema != microdata.original.schema:
            return Refusal("publishes labels that the attributes do not have"), None
        order = mended(problem, masked, last_step_of(masking, methods, microdata), rng)
        scores, objectives = judged(problem, order.table)
    except InputError as error:
        return Refusal(str(error.faults[0])), None
    except Exception as error:
        # Any method may be tuned, a stranger's too; a text of an unknown error might hold values of records.
        return Refusal(type(error).__name__), None
    trial = Trial(draw, scores, objectives, digest_of(order.table), order.right_labels, order.move_values)
    return trial, order.unrepaired


def judged(problem: Problem, masked: Table) -> tuple[Mapping[str, float], tuple[float, ...]]:
    """Return scores and objectives of a masked file, as the genome that it starts where it starts one."""
    genotype = problem.genotype
    if not isinstance(genotype, Seedable):
        return problem.score(masked)
    individual = Individual.unevaluated(genotype.seeded(masked), "", problem.fitness.objectives)
    individual.key = genotype.key(individual.genome)
    values = problem.evaluate(individual)
    return values.scores, tuple(values)


def digest_of(masked: Table) -> str:
    """Return a short digest of a table's values."""
    digest = blake2b(masked.codes.tobytes(), digest_size=8)
    digest.update(masked.numbers.tobytes())
    return digest.hexdigest()


def mean_order(trials: list[Trial]) -> Order:
    """Return the mean precedence of trials."""
    return tuple(fmean(part) for part in zip(*(trial.order for trial in trials), strict=True))


SMALL, MIDDLING = 2_500, 10_000  # records of the samples
LEAST = 0.004  # seconds below which a clock tells no growth: such a method is taken to grow with the records
STEEPEST = 3.0  # the exponent of growth at most: by chance one of two short calls takes long


class MaskingTimes:
    """Seconds that methods take to mask a file, measured at first use."""

    def __init__(self, microdata: Microdata, registry: Registry) -> None:
        self._microdata, self._registry = microdata, registry
        self._found: dict[tuple[str, ...], float] = {}

    def seconds(self, masking: Masking) -> float:
        """Return about how long the methods of an entry take; 0 where they refuse a sample, so that it is unknown."""
        methods = masking.methods
        if len(self._microdata.table) <= MIDDLING:
            return 0.0  # soon over, whatever it is
        if methods not in self._found:
            self._found[methods] = self._asked(masking)
        return self._found[methods]

    def _asked(self, masking: Masking) -> float:
        size = len(self._microdata.table)
        try:
            self._timed(masking, SMALL)  # loads what it needs
            small, middling = self._timed(masking, SMALL), self._timed(masking, MIDDLING)
        except InputError:
            return 0.0
        steep = log(middling / small) / log(MIDDLING / SMALL) if middling > LEAST and small > 0.0 else 1.0
        # Of what takes long in any case the growth is hardly seen, but each further record takes something.
        further = max(middling - small, 0.0) / (MIDDLING - SMALL) * (size - MIDDLING)
        return float(max(middling * (size / MIDDLING) ** min(steep, STEEPEST), middling + further))

    def _timed(self, masking: Masking, records: int) -> float:
        table = self._microdata.table
        rows = np.linspace(0, len(table) - 1, min(records, len(table))).astype(np.intp)
        part = Microdata(table.take(rows), self._microdata.protect)
        methods = build_steps(masking, self._registry)
        began = perf_counter()
        mask_file(masking, methods, part, 0)
        return perf_counter() - began


MOST = 8  # files that are kept; more would hold much of a large file's memory


class Kept:
    """The best file of each masking method, of the best methods only."""

    # Methods are distinguished by their names, step by step: files of one method at several parameters are much alike.

    def __init__(self) -> None:
        self._files: dict[tuple[str, ...], tuple[Masking, Trial, Table]] = {}

    def take(self, masking: Masking, trial: Trial, masked: Table) -> None:
        """Keep a file that is the best of its methods so far, and among the best of all."""
        methods = masking.methods
        known = self._files.get(methods)
        if known is not None and known[1].order <= trial.order:
            return
        self._files[methods] = masking, trial, masked
        if len(self._files) > MOST:
            del self._files[max(self._files, key=lambda one: self._files[one][1].order)]

    @property
    def files(self) -> Sequence[tuple[Masking, Table]]:
        """The files, each with the masking and the draw that make it."""
        return tuple((trial.exactly(masking), masked) for masking, trial, masked in self._files.values())


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
