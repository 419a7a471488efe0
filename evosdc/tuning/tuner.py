"""Tuning of masking methods for a problem: on a sample first where the file is large, and what is found of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.problem import Problem
from evosdc.model import Masking
from evosdc.plugins.registry import Registry
from evosdc.secret import Seed
from evosdc.slow_work import Slow
from evosdc.tuning.designs import Budget, Candidate, arms_of, portfolio_arms
from evosdc.tuning.judge import MOST_OF_TIME, Judge
from evosdc.tuning.large_files import ROW_SHARE, SAMPLE_SHARE, confirm
from evosdc.tuning.result import Tuning, tuning_of
from evosdc.tuning.schedule import Course
from evosdc.tuning.trials import MaskingTimes


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
    tell: Callable[[int], None] = lambda done: None,
    stopped: Callable[[Tuning], None] = lambda found: None,
    sample: Problem | None = None,
    slow: Slow | None = None,  # told while a single file takes long (`evosdc.slow_work`)
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
