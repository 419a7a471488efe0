"""Trials: masking by a design and judging the file, with the time that it takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import log
from statistics import fmean
from time import perf_counter

import numpy as np

from evosdc.assess.mask import apply_masking, build_steps, last_step_of, mask_file, require_fit
from evosdc.engine.mending import mended
from evosdc.engine.problem import Problem
from evosdc.errors import InputError
from evosdc.model import Individual, Masking, Microdata, Seedable
from evosdc.model.individual import precedence_of
from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, Seed, draw_seed, stream
from evosdc.table.table import Table
from evosdc.time_limit import check_time

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
