"""Tuning: each masking method at its best; a large file on a sample of its records, then on all of them.

A sample has other scores than the whole file: fewer records are more easily distinguished. So each file that was judged
as a whole corrects the predictions by the sample for the others, measure by measure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.problem import Problem
from evosdc.model import Masking
from evosdc.model.individual import precedence_of
from evosdc.plugins.registry import Registry
from evosdc.secret import Seed
from evosdc.table.table import Table
from evosdc.time_limit import Slow
from evosdc.tuning.designs import Arm, Budget, Candidate, Kind, arms_of, portfolio_arms
from evosdc.tuning.judge import MOST_OF_TIME, Judge, MaskingTimes, Order, Trial, mean_order
from evosdc.tuning.schedule import Course, evidence_sentence, leaders


@dataclass(frozen=True)
class TunedMethod:
    """A masking at its best parameters."""

    name: str  # the method and its design, without the parameters that were tuned
    kind: Kind
    masking: Masking  # with the draw of the best of its files, which ``evosdc mask --draw`` makes again
    scores: Mapping[str, float]  # of that file
    fitness: tuple[float, ...]  # objectives of that file
    mean: tuple[float, ...]  # mean objectives over all draws: what to expect of another draw
    error: float | None  # standard error of the first of them; 0 where nothing is random, None of a single draw
    draws: int  # how many files were judged
    evaluations: int  # how many files were judged for this row, with all parameters that were tried
    order: Order

    @property
    def label(self) -> str:
        """The method with its parameters."""
        return self.masking.label

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON-able data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "label": self.label,
            **self.masking.to_json(),
            "scores": dict(self.scores),
            "fitness": list(self.fitness),
            "mean": list(self.mean),
            "error": self.error,
            "draws": self.draws,
            "evaluations": self.evaluations,
        }


@dataclass(frozen=True)
class TunedFile:
    """One masked file: a masking with its draw, and the file's scores."""

    masking: Masking
    scores: Mapping[str, float]
    fitness: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the file as JSON-able data."""
        own = {"label": self.masking.label, **self.masking.to_json()}
        return own | {"scores": dict(self.scores), "fitness": list(self.fitness)}


@dataclass(frozen=True)
class Tuning:
    """The result of tuning."""

    rows: tuple[TunedMethod, ...]  # from best to worst by the mean
    # The best files of all that were judged, from best to worst, no two of the same method and parameters.
    files: tuple[TunedFile, ...]
    evaluations: int  # how many files were masked and judged, those of a sample among them
    seconds: float
    refused: Mapping[str, str]  # by name, why methods could not be tuned
    designs: int = 0  # how many designs of methods fit the attributes, whether or not time was enough for all of them
    # Some of the best files themselves, so that a search need not mask again.
    made: Sequence[tuple[Masking, Table]] = ()
    sample: int = 0  # how many records the sample had on which methods were tuned; 0 without one
    untried: tuple[str, ...] = ()  # names of designs that were not tried at all, since the budget was spent before
    # Seconds to mask and judge a file of all records; 0 where unknown, or without a time limit.
    file_seconds: float = 0.0
    # What promises most by a sample and was not judged as a whole, from best to worst.
    promising: tuple[Masking, ...] = ()

    @property
    def best(self) -> TunedMethod:
        """The first row."""
        return self.rows[0]

    @property
    def evidence(self) -> str:
        """A sentence on the number of files, with a warning where it is small, and on untried designs."""
        return evidence_sentence(self.evaluations, self.designs, self.sample, self.untried)

    @property
    def maskings(self) -> tuple[Masking, ...]:
        """The best files of all, then each method at its best, then what promises most, each once: a search's start."""
        # Methods that break a bound by little and score better come in turn with those that keep all.
        listed: dict[str, Masking] = {}
        rows = leaders(self.rows, lambda row: row.order)
        for masking in (*(file.masking for file in self.files), *(row.masking for row in rows), *self.promising):
            listed.setdefault(masking.label, masking)
        return tuple(listed.values())

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON-able data."""
        return {
            "best": self.best.to_json() if self.rows else None,
            "best_file": self.files[0].to_json() if self.files else None,
            "methods": [row.to_json() for row in self.rows],
            "files": [file.to_json() for file in self.files],
            "evaluations": self.evaluations,
            "seconds": round(self.seconds, 3),
            "refused": dict(self.refused),
            "designs": self.designs,
            "sample": self.sample,
            "untried": list(self.untried),
            "file_seconds": round(self.file_seconds, 4),
            "evidence": self.evidence,
        }


def tuning_of(judge: Judge, files: int, arms: Sequence[Arm], sampled: Judge | None = None) -> Tuning:
    """Return what a judge has seen: by name of the arms the candidate of the least mean, and the best files."""
    # `arms` are the designs that fit; `sampled` is the judge of a sample before.
    named: dict[str, Candidate] = {}
    for candidate in judge.candidates.values():
        name = candidate.arm.name
        if trials := judge.known(candidate.key):
            # One that was refused on a later draw, for its time perhaps, has made files all the same.
            leader = named.get(name)
            if leader is None or mean_order(trials) < mean_order(judge.known(leader.key)):
                named[name] = candidate
    rows = sorted((_row(judge, candidate) for candidate in named.values()), key=lambda row: row.order)
    best = sorted((judge.candidates[key] for key in judge.trials), key=lambda one: _file(judge, one).order)
    reasons = {
        judge.candidates[key].arm.name: reason
        for key, reason in judge.refusals.items()
        if judge.candidates[key].arm.name not in named
    }
    used = judge.used if sampled is None else judge.used + sampled.used
    untried = [arm.name for arm in arms if not used[arm.name] and any(map(arm.masking, arm.coarse()))]
    leading = [(one, _file(judge, one)) for one in best[:files]]
    return Tuning(
        tuple(rows),
        tuple(TunedFile(file.exactly(one.masking), file.scores, file.objectives) for one, file in leading),
        judge.evaluations + (sampled.evaluations if sampled is not None else 0),
        judge.seconds + (sampled.seconds if sampled is not None else 0.0),
        reasons,
        len(arms),
        judge.kept.files,
        len(sampled.problem.genotype.microdata.original) if sampled is not None else 0,
        tuple(untried),
        file_seconds(sampled, judge),
        tuple(promising(sampled, judge)) if sampled is not None else (),
    )


def _file(judge: Judge, candidate: Candidate) -> Trial:
    return min(judge.known(candidate.key), key=lambda trial: trial.order)


def _row(judge: Judge, candidate: Candidate) -> TunedMethod:
    trials, file = judge.known(candidate.key), _file(judge, candidate)
    means = tuple(sum(part) / len(trials) for part in zip(*(trial.objectives for trial in trials), strict=True))
    return TunedMethod(
        candidate.arm.name,
        candidate.arm.kind,
        file.exactly(candidate.masking),
        file.scores,
        file.objectives,
        means,
        judge.error(candidate.key),
        len(trials),
        judge.used[candidate.arm.name],
        mean_order(trials),
    )


LARGE = 100_000  # records from which on a file is tuned by a sample, within a limit of time
SAMPLE = 10_000  # records of a sample
SAMPLE_SHARE = 0.4  # share of the time that the sample has
ROW_SHARE = 0.4  # share of the rest that one method may take: a trial is given up after twice as much
MOST = 40  # files that are judged as a whole, at most

# Times the time that is left which a file may take to be masked where there would be none at all without it.
MOST_OVER = 3.0

NEXT = 12  # most candidates, promising by the sample and not yet judged as a whole, that follow the tuned files


def confirm(sampled: Judge, judge: Judge, times: MaskingTimes) -> None:
    """Judge the whole files that promise most by a sample, until none promises more than the best one keeps."""
    for candidate in _promising(sampled, judge, times):
        judge.judge([(candidate, 0)])
        if judge.over or len(judge.trials) + len(judge.refusals) >= MOST:
            return


def file_seconds(sampled: Judge | None, judge: Judge) -> float:
    """Return about how many seconds it takes to mask and judge a whole file; 0 where unknown."""
    if sampled is None:
        # Without a time limit no result may depend on the computer.
        return 0.0 if judge.budget.seconds is None else judge.file_seconds or 0.0
    if judge.file_seconds is not None or not judge.evaluations:
        return judge.file_seconds or 0.0
    # Where one alone was judged, which loads things too, it is no more than the same share of the records would take.
    first = judge.seconds / judge.evaluations
    if sampled.file_seconds is None:
        return first
    times = len(judge.problem.genotype.microdata.table) / len(sampled.problem.genotype.microdata.table)
    return min(first, times * sampled.file_seconds)


def promising(sampled: Judge, judge: Judge) -> list[Masking]:
    """Return each design at its best by the sample that was not judged as a whole, the best first."""
    # Where time ends tuning early the start of a search goes on with it.
    ratios: Mapping[str, float] = {}
    for key in judge.trials:
        if key in sampled.trials:
            ratios = ratios_of(sampled.known(key, 1)[0].scores, judge.known(key, 1)[0].scores)
    left = [key for key in sampled.trials if sampled.known(key, 1) and key not in {**judge.trials, **judge.refusals}]
    best: dict[str, Candidate] = {}
    for key in sorted(left, key=lambda key: promised(judge.problem, sampled, key, ratios)):
        best.setdefault(sampled.candidates[key].arm.name, sampled.candidates[key])
    return [candidate.masking for candidate in list(best.values())[:NEXT]]


def _promising(sampled: Judge, judge: Judge, times: MaskingTimes) -> Iterator[Candidate]:
    """Yield the most promising candidate that is not judged yet, each time a next one is requested."""
    # What takes longer to mask than the time that is left is passed over. Where that is all there is, the quickest is
    # judged, unless it takes many times as long: nothing interrupts compiled code.
    ratios: Mapping[str, float] = {}
    tried: set[str] = set()

    def seconds(key: str) -> float:
        return times.seconds(sampled.candidates[key].masking)

    while True:
        left = inf if judge.budget.seconds is None else judge.budget.seconds - judge.seconds
        reached = min((judge.order(key) for key in judge.trials), default=None)
        orders = {
            key: promised(judge.problem, sampled, key, ratios)
            for key in sampled.trials
            if key not in tried and key not in sampled.refusals and sampled.known(key, 1)
        }
        better = [key for key in sorted(orders, key=orders.__getitem__) if reached is None or orders[key] < reached]
        best = next((key for key in better if seconds(key) <= left), None)
        if best is None and not judge.trials:
            best = min((key for key in better if seconds(key) <= MOST_OVER * left), key=seconds, default=None)
        if best is None:
            return
        tried.add(best)
        yield sampled.candidates[best]
        if judge.known(best, 1):
            ratios = ratios_of(sampled.known(best, 1)[0].scores, judge.known(best, 1)[0].scores)


def promised(problem: Problem, sampled: Judge, key: str, ratios: Mapping[str, float]) -> Order:
    """Return the precedence of a whole file if its scores were those of its sample times `ratios`."""
    (trial,) = sampled.known(key, 1)
    scores = {name: trial.scores[name] * ratios.get(name, 1.0) for name in problem.measures}
    infeasibility, ranks = precedence_of(*problem.judge(scores))
    return (infeasibility, *ranks)


def ratios_of(sample: Mapping[str, float], whole: Mapping[str, float]) -> dict[str, float]:
    """Return by measure how many times the score of a sample the one of the whole file is."""
    return {name: whole[name] / value for name, value in sample.items() if name in whole and value != 0.0}


def tune(
    problem: Problem,  # whose measures, aggregation, constraints and fitness judge
    registry: Registry,
    seed: Seed,
    budget: Budget,
    methods: Sequence[str] = (),  # masking methods to tune; empty for all that fit
    portfolio: Sequence[Masking] = (),
    files: int = 24,  # how many of the best files are named in the result
    dispatch: Dispatch | None = None,  # workers, and where they find the problem
    function: str = "",  # name of the worker's function for a trial
    tell: Callable[[int], object] = lambda done: None,
    stopped: Callable[[Tuning], None] = lambda found: None,
    sample: Problem | None = None,
    slow: Slow | None = None,  # called while a single file takes long (`evosdc.time_limit`)
    times: MaskingTimes | None = None,  # of the whole file, where others want to know them, too
) -> Tuning:
    """Find each masking method's best parameters for a problem's fitness, and better combinations of methods."""
    # 1. Every design of every method is judged on a coarse grid, and so is every entry of the portfolio. Within a time
    # each design's first point comes before the second of any, what promises most before all others
    # (`evosdc.tuning.designs`), and in turn with them a spread of the portfolio (`evosdc.tuning.schedule`). 2. A race:
    # around each design's best point ever smaller steps are tried on ever more draws; after two levels only the better
    # half of the designs goes on each time. 3. The best designs are applied to each attribute with parameters of its
    # own, which are then tuned one by one; an attribute may also go over to another of the best methods, or stay as it
    # is. 4. The best designs are applied one after the other, two by two, and the best chains refined. 5. What leads a
    # row is judged on further draws, until the one that leads was judged on five.
    # With a budget of evaluations the result depends on nothing but the seed, whatever the executor.
    original = problem.genotype.microdata.original
    arms = arms_of(original, registry, methods)
    first = registry.defaults("masking-method", "anonymity") if problem.repair.keeps_classes else ()
    places = portfolio_arms(portfolio, arms, len(original.schema))
    named = zip(places, portfolio, strict=True)
    entries = [Candidate.of(arm, point, replace(masking, draw=None)) for (arm, point), masking in named]
    sampled, tried = None, 0
    if sample is not None and budget.seconds is not None:
        sampled = Judge(sample, registry, seed, budget.part(SAMPLE_SHARE), tell=tell, favoured=first, slow=slow)
        Course(sampled, arms, first).follow(entries)
        budget, tried = budget.without(sampled.evaluations, sampled.seconds), sampled.evaluations
    share = ROW_SHARE if sampled is not None else MOST_OF_TIME
    judge = Judge(problem, registry, seed, budget, dispatch, function, lambda n: tell(tried + n), first, share, slow)
    try:
        if sampled is not None:
            confirm(sampled, judge, times or MaskingTimes(problem.genotype.microdata, registry))
        else:
            Course(judge, arms, first).follow(entries)
    except KeyboardInterrupt:
        if judge.trials:
            stopped(tuning_of(judge, files, arms, sampled))
        raise
    return tuning_of(judge, files, arms, sampled)
