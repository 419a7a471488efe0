"""Tuning of large files: methods are tuned on a sample of the records, and what leads there is judged on all of them.

A sample has other scores than the whole file: fewer records are more easily told apart. So each file that was judged as
a whole corrects what the sample promises of the others, measure by measure.
"""

from collections.abc import Iterator, Mapping
from math import inf

from evosdc.engine.problem import Problem
from evosdc.model import Masking
from evosdc.model.individual import precedence_of
from evosdc.tuning.designs import Candidate
from evosdc.tuning.judge import Judge
from evosdc.tuning.trials import MaskingTimes, Order

LARGE = 100_000  # records from which on a file is tuned by a sample, within a limit of time
SAMPLE = 10_000  # records of a sample
SAMPLE_SHARE = 0.4  # share of the time that the sample has
ROW_SHARE = 0.4  # share of the rest that one method may take: a trial is given up after twice as much
MOST = 40  # files that are judged as a whole, at most

# Times the time that is left which a file may take to be masked where there would be none at all without it.
MOST_OVER = 3.0

NEXT = 12  # what promises most by the sample and was not judged as a whole: so many follow the tuned files


def confirm(sampled: Judge, judge: Judge, times: MaskingTimes) -> None:
    """Judge the whole files that promise most by a sample, until none promises more than the best one keeps."""
    for candidate in _promising(sampled, judge, times):
        judge.judge([(candidate, 0)])
        if judge.over or len(judge.trials) + len(judge.refusals) >= MOST:
            return


def file_seconds(sampled: Judge, judge: Judge) -> float:
    """Return about how many seconds it takes to mask and judge a whole file; 0 where nobody knows."""
    # Where one alone was judged, which loads things too, it is no more than the same share of the records would take.
    if judge.file_seconds is not None or not judge.evaluations:
        return judge.file_seconds or 0.0
    first = judge.seconds / judge.evaluations
    if sampled.file_seconds is None:
        return first
    return min(first, _times(sampled, judge) * sampled.file_seconds)


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
    """Yield what promises most and is not judged yet, as often as that is asked for."""
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


def _times(sampled: Judge, judge: Judge) -> float:
    """Return how many times as many records the whole file has."""
    return len(judge.problem.genotype.microdata.table) / len(sampled.problem.genotype.microdata.table)


def promised(problem: Problem, sampled: Judge, key: str, ratios: Mapping[str, float]) -> Order:
    """Return by what a whole file would be ordered if its scores were those of its sample times `ratios`."""
    (trial,) = sampled.known(key, 1)
    scores = {name: trial.scores[name] * ratios.get(name, 1.0) for name in problem.measures}
    infeasibility, ranks = precedence_of(*problem.judge(scores))
    return (infeasibility, *ranks)


def ratios_of(sample: Mapping[str, float], whole: Mapping[str, float]) -> dict[str, float]:
    """Return by measure how many times the score of a sample the one of the whole file is."""
    return {name: whole[name] / value for name, value in sample.items() if name in whole and value != 0.0}
