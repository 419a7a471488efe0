"""Individuals: a genome with its scores and objectives, in a class slim enough for fast runs, and their order."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deap import base

MAXIMUM_OBJECTIVES = 32

INFEASIBILITY = "infeasibility"
"""Name of the score that says how far a candidate is from the constraints of its experiment; 0 where they hold."""

ERROR = "standard-error"
"""Name of the score that says by how much the first objective of a plan, a mean over files, errs; of several files."""

PROVISIONAL = 1e9
"""Infeasibility of a candidate that was judged on a part of its tables (`evosdc.model.Raced`), besides its own."""

FAILURE = 1e15
"""Infeasibility of a candidate that could not be evaluated: more than any constraints can come to."""


class ConstrainedFitness(base.Fitness):  # type: ignore[misc]  # DEAP is not typed
    """A DEAP fitness that compares the infeasibility before the objectives (Deb 2000).

    Less infeasibility is better, whatever the objectives. Where it is equal the objectives count.
    DEAP's own class of that name takes any two candidates that break a constraint for equals.
    """

    def __init__(self, values: Sequence[float] = (), infeasibility: float = 0.0) -> None:
        super().__init__(values)
        self.infeasibility = infeasibility

    def dominates(self, other: "ConstrainedFitness", obj: slice = slice(None)) -> bool:
        """Whether it breaks the constraints less, or as much and is nowhere worse and somewhere better."""
        if self.infeasibility != other.infeasibility:
            return self.infeasibility < other.infeasibility
        return bool(super().dominates(other, obj))

    @property
    def _order(self) -> tuple[float, tuple[float, ...]]:
        return -self.infeasibility, self.wvalues

    def __le__(self, other: "ConstrainedFitness") -> bool:
        return self._order <= other._order

    def __lt__(self, other: "ConstrainedFitness") -> bool:
        return self._order < other._order

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstrainedFitness) and self._order == other._order

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._order)

    def __deepcopy__(self, memo: dict[int, Any]) -> "ConstrainedFitness":
        return type(self)(self.values, self.infeasibility)


def _fitness_class(objectives: int) -> type[ConstrainedFitness]:
    content = {"weights": (-1.0,) * objectives, "__module__": __name__}
    return type(f"Minimised{objectives}", (ConstrainedFitness,), content)


# Declared once, at import, and not by deap.creator: its classes lose their identity across processes.
MINIMISED: tuple[type[ConstrainedFitness], ...] = tuple(_fitness_class(n) for n in range(1, MAXIMUM_OBJECTIVES + 1))


class LatentGenome:
    """A genome that is made when somebody asks for it: most of those on a front are never looked at.

    Parameters
    ----------
    make : callable
        Returns the genome; asked once.
    name : callable, optional
        Returns the key of the genome; asked once. Of those whose changes others take over nobody asks for it. Left out
        where the individual knows its key.
    """

    __slots__ = ("_genome", "_key", "_make", "_name")

    def __init__(self, make: Callable[[], Any], name: Callable[[Any], bytes] | None = None) -> None:
        self._make: Callable[[], Any] | None = make
        self._name = name
        self._genome: Any = None
        self._key = b""

    @property
    def genome(self) -> Any:
        """The genome."""
        if self._make is not None:
            self._genome, self._make = self._make(), None  # what it was to be made of is let go
        return self._genome

    @property
    def key(self) -> bytes:
        """The key of the genome."""
        if self._name is not None:
            self._key, self._name = self._name(self.genome), None
        return self._key


class Individual:
    """A candidate that has been evaluated.

    Attributes
    ----------
    genome : object
        Of the genotype in use; never changed. Given as a `LatentGenome`, it is made when it is asked for.
    key : bytes
        The genome's content hash; given as ``b""`` it is that of a latent genome when this is made.
    scores : mapping of str to float
        By measure, with ``il`` and ``dr``, and ``infeasibility`` where the experiment has constraints.
    objectives : tuple of float
        All minimised.
    infeasibility : float
        How far it is from the constraints, not negative and finite; it precedes the objectives in every comparison.
    origin : str
        Where it came from: a portfolio label, ``"mutation"``, ``"crossover"`` or ``"random"``.
    states : tuple
        States of the incremental measures, or empty; never stored or sent.
    basis : Individual or None
        A relative from whose states its own can be made, where they have not been asked for yet.
    """

    __slots__ = ("_fitness", "_genome", "_key", "basis", "infeasibility", "objectives", "origin", "scores", "states")

    def __init__(
        self,
        genome: Any,
        key: bytes,
        scores: Mapping[str, float],
        objectives: tuple[float, ...],
        origin: str,
        states: tuple[Any, ...] = (),
        basis: "Individual | None" = None,
    ) -> None:
        self._genome = genome
        self._key = key
        self.scores = scores
        self.objectives = objectives
        self.infeasibility = scores.get(INFEASIBILITY, 0.0)
        self.origin = origin
        self.states = states
        self.basis = basis
        self._fitness: ConstrainedFitness | None = None

    @property
    def genome(self) -> Any:
        """The genome."""
        genome = self._genome
        return genome.genome if type(genome) is LatentGenome else genome

    @property
    def key(self) -> bytes:
        """The genome's content hash."""
        return self._key or (self._genome.key if type(self._genome) is LatentGenome else b"")

    @property
    def alone(self) -> "Individual":
        """The individual without states and without a relative that has any; itself where there are none."""
        if not self.states and self.basis is None:
            return self
        return Individual(self._genome, self._key, self.scores, self.objectives, self.origin)

    @property
    def fitness(self) -> ConstrainedFitness:
        """The objectives as DEAP's operators read them; made when first asked for."""
        if self._fitness is None:
            self._fitness = MINIMISED[len(self.objectives) - 1](self.objectives, self.infeasibility)
        return self._fitness

    @property
    def feasible(self) -> bool:
        """Whether all constraints hold."""
        return self.infeasibility == 0.0

    @property
    def provisional(self) -> bool:
        """Whether it was judged on a part of its tables only, or could not be evaluated."""
        return self.infeasibility >= PROVISIONAL

    @property
    def failed(self) -> bool:
        """Whether it could not be evaluated: its scores are the worst there are, and mean nothing."""
        return self.infeasibility >= FAILURE

    @property
    def point(self) -> tuple[float, ...]:
        """IL and DR where there are both, the search's own objectives otherwise: where it stands on the front."""
        return point_of(self.scores, self.objectives)

    @property
    def precedence(self) -> tuple[float, tuple[float, ...]]:
        """What the best is the least of: see `precedence_of`."""
        if len(self.objectives) == 1:  # asked for several times for every candidate
            return self.infeasibility, self.objectives
        return precedence_of(self.scores, self.objectives)

    def dominates(self, other: "Individual") -> bool:
        """Whether it breaks the constraints less, or as much and is nowhere worse and somewhere better."""
        if self.infeasibility != other.infeasibility:
            return self.infeasibility < other.infeasibility
        a, b = self.objectives, other.objectives
        if len(a) == 1:
            return a < b
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Individual":
        """Return itself: an individual is a value, and DEAP's archives copy what they keep."""
        return self

    def __repr__(self) -> str:
        return f"Individual({self.key[:4].hex()}, {self.objectives}, {self.origin!r})"


def point_of(scores: Mapping[str, float], objectives: Sequence[float]) -> tuple[float, ...]:
    """Return IL and DR where there are both, the objectives otherwise."""
    return (scores["il"], scores["dr"]) if "il" in scores and "dr" in scores else tuple(objectives)


def precedence_of(scores: Mapping[str, float], objectives: Sequence[float]) -> tuple[float, tuple[float, ...]]:
    """Return what candidates are ordered by where one has to be the best; less is better.

    First the infeasibility. Then the objective, where there is one. With several, first the greatest coordinate of the
    point on the front, so that a balanced member is the best; then the sum of the coordinates.
    """
    infeasibility = scores.get(INFEASIBILITY, 0.0)
    if len(objectives) == 1:
        return infeasibility, tuple(objectives)
    point = point_of(scores, objectives)
    return infeasibility, (max(point), sum(point))
