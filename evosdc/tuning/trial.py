"""One trial: a file masked and judged. A pure function of the masking, the seed and the draw, wherever it is done."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from statistics import fmean

from evosdc.assess.mask import apply_masking, build_steps, last_step_of, require_fit
from evosdc.engine.mending import mended
from evosdc.engine.problem import Problem
from evosdc.errors import InputError
from evosdc.model import Individual, Masking, Seedable
from evosdc.model.individual import precedence_of
from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, Seed, draw_seed, stream
from evosdc.table.table import Table
from evosdc.time_limit import check_time

Order = tuple[float, ...]
"""What trials are ordered by, less being better: infeasibility, then the objective (with several: as fronts are)."""


@dataclass(frozen=True)
class Trial:
    """A masked file's scores.

    Parameters
    ----------
    draw : int
        That makes this very file by ``evosdc mask --draw``.
    scores : mapping of str to float
    objectives : tuple of float
    digest : str
        Of the masked values; equal for two draws where nothing is random.
    right_labels : tuple of str
        Attributes whose labels had been exchanged, and were put right.
    move_values : tuple of str
        Attributes whose rare values, where they were kept, changed places.
    """

    draw: int
    scores: Mapping[str, float]
    objectives: tuple[float, ...]
    digest: str
    right_labels: tuple[str, ...] = ()
    move_values: tuple[str, ...] = ()

    def exactly(self, masking: Masking) -> Masking:
        """Return the masking that makes this very file."""
        return replace(masking, draw=self.draw, right_labels=self.right_labels, move_values=self.move_values)

    @property
    def order(self) -> Order:
        """What it is compared by."""
        infeasibility, ranks = precedence_of(self.scores, self.objectives)
        return (infeasibility, *ranks)


@dataclass(frozen=True)
class Refusal:
    """What a trial is when the method or a measure refuses, with its words."""

    reason: str


def attempt(
    problem: Problem, registry: Registry, masking: Masking, seed: Seed, draw: int
) -> tuple[Trial, Table] | tuple[Refusal, None]:
    """Mask the protected attributes and judge the file as the search would judge it; return the file too.

    Labels are put right, kept values moved, and records that rules forbid repaired first. The file returned is the one
    before that repair, which its masking makes anew wherever a search is repeated. A method that does not fit,
    or fails, costs nothing but this trial.
    """
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
    """Return the mean of what trials are ordered by."""
    return tuple(fmean(part) for part in zip(*(trial.order for trial in trials), strict=True))
