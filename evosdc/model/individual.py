"""Individuals and siblings: a genome with its scores and objectives, in classes that pickle, and their order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from hashlib import blake2b
from typing import Any, overload

import numpy as np
from deap import base
from numpy.typing import NDArray

from evosdc.model.changes import Changes

MAXIMUM_OBJECTIVES = 32
INFEASIBILITY = "infeasibility"  # the score that says how far a candidate is from the constraints; 0 where they hold
TIGHTER = "tighter"  # in results of a search that kept to tighter bounds: the same by these, and the other by its own
ERROR = "standard-error"  # the score that is the standard error of a plan's first objective, a mean over files
PROVISIONAL = 1e9  # infeasibility of what was judged on a part of its tables (`Stochastic.races`), besides its own
FAILURE = 1e15  # Infeasibility of a candidate that could not be evaluated: more than any constraints can come to


class Values(tuple[float, ...]):
    """The objectives of a candidate as DEAP's algorithms hand them on, with the scores that they were made of."""

    # By measure, with ``il`` and ``dr``, and ``infeasibility`` where the experiment has constraints.
    scores: Mapping[str, float]

    def __new__(cls, objectives: Iterable[float], scores: Mapping[str, float]) -> "Values":
        """Return the objectives, with the scores."""
        values = super().__new__(cls, objectives)
        values.scores = scores
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return Values, (tuple(self), self.scores)


class ConstrainedFitness(base.Fitness):  # type: ignore[misc]  # DEAP is not typed
    """A DEAP fitness that compares the infeasibility before the objectives (Deb 2000)."""

    # Less infeasibility is better, whatever the objectives. Where it is equal the objectives count. DEAP's own class of
    # that name takes any two candidates that break a constraint for equals.

    def __init__(self, values: Sequence[float] = ()) -> None:
        self.scores: Mapping[str, float] = {}
        self.infeasibility = 0.0
        self.objectives: tuple[float, ...] = ()
        super().__init__(values)

    def _assign(self, values: Sequence[float]) -> None:
        self.setValues(values)
        self.objectives = tuple(values)
        self.scores = getattr(values, "scores", {})
        self.infeasibility = self.scores.get(INFEASIBILITY, 0.0)

    def _forget(self) -> None:
        self.delValues()
        self.objectives, self.scores, self.infeasibility = (), {}, 0.0

    values = property(lambda self: self.objectives, _assign, _forget, "The objectives; empty before the evaluation.")

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
        copied = type(self).__new__(type(self))
        copied.wvalues, copied.objectives = self.wvalues, self.objectives
        copied.scores, copied.infeasibility = self.scores, self.infeasibility
        return copied


def _fitness_class(objectives: int) -> type[ConstrainedFitness]:
    name = f"Minimised{objectives}"
    made = type(name, (ConstrainedFitness,), {"weights": (-1.0,) * objectives, "__module__": __name__})
    globals()[name] = made  # where pickle looks for it
    return made


# Declared once, at import, and not by deap.creator: its classes lose their identity across processes.
MINIMISED: tuple[type[ConstrainedFitness], ...] = tuple(_fitness_class(n) for n in range(1, MAXIMUM_OBJECTIVES + 1))


class Individual:
    """A candidate: a genome with a DEAP fitness, which is valid once it has been evaluated.

    Attributes
    ----------
    genome : object
        Of the genotype in use. The genome itself is never changed; operators give the individual another one, and so
        another key.
    key : bytes
        The genome's content hash: the genotype's, where the engine has evaluated it.
    fitness : ConstrainedFitness
        With the scores.
    origin : str
        Where it came from: a portfolio label, ``"mutation"``, ``"crossover"`` or ``"random"``.
    parent : Individual or None
        The relative that it differs from in least, while it has not been evaluated: from there it is judged by what it
        changes.
    """

    __slots__ = ("_genome", "_key", "fitness", "origin", "parent")
    _genome: Any
    _key: bytes | None

    def __init__(
        self,
        genome: Any,
        key: bytes,
        scores: Mapping[str, float],
        objectives: Sequence[float],
        origin: str,
    ) -> None:
        self.genome = genome
        self.key = key
        self.fitness = MINIMISED[len(objectives) - 1](Values(objectives, scores))
        self.origin = origin
        self.parent: Individual | None = None

    @classmethod
    def unevaluated(
        cls, genome: Any, origin: str, objectives: int = 1, parent: "Individual | None" = None
    ) -> "Individual":
        """Return a candidate that has still to be evaluated, with this number of objectives."""
        made = cls.__new__(cls)
        made.genome, made.origin, made.parent = genome, origin, parent
        made.fitness = MINIMISED[objectives - 1]()
        return made

    def child(self, genome: Any, origin: str) -> "Individual":
        """Return a candidate with another genome that has still to be evaluated."""
        return Individual.unevaluated(genome, origin, len(self.fitness.weights), self)

    @property
    def genome(self) -> Any:
        """The evolved genome."""
        return self._genome

    @genome.setter
    def genome(self, genome: Any) -> None:
        self._genome, self._key = genome, None

    @property
    def key(self) -> bytes:
        """The genome's content hash."""
        if self._key is None:
            self._key = content_hash(self.genome)
        return self._key

    @key.setter
    def key(self, key: bytes) -> None:
        self._key = key

    @property
    def scores(self) -> Mapping[str, float]:
        """Scores by measure, with ``il`` and ``dr``, and ``infeasibility`` where the experiment has constraints."""
        return self.fitness.scores

    @property
    def objectives(self) -> tuple[float, ...]:
        """The objectives, all minimised."""
        return self.fitness.objectives

    @property
    def infeasibility(self) -> float:
        """How far it is from the constraints, not negative and finite; it precedes the objectives in comparisons."""
        return self.fitness.infeasibility

    @property
    def feasible(self) -> bool:
        """Whether all constraints hold."""
        return self.fitness.infeasibility == 0.0

    @property
    def provisional(self) -> bool:
        """Whether it was judged on a part of its tables only, or could not be evaluated."""
        return self.fitness.infeasibility >= PROVISIONAL

    @property
    def failed(self) -> bool:
        """Whether it could not be evaluated: its scores are the worst there are, and mean nothing."""
        return self.fitness.infeasibility >= FAILURE

    @property
    def point(self) -> tuple[float, ...]:
        """IL and DR where there are both, the search's own objectives otherwise: where it stands on the front."""
        return point_of(self.scores, self.objectives)

    @property
    def precedence(self) -> tuple[float, tuple[float, ...]]:
        """The key that is least for the best individual: see `precedence_of`."""
        fitness = self.fitness
        if len(fitness.objectives) == 1:  # called several times for every candidate
            return fitness.infeasibility, fitness.objectives
        return precedence_of(fitness.scores, fitness.objectives)

    def dominates(self, other: "Individual") -> bool:
        """Whether it breaks the constraints less, or as much and is nowhere worse and somewhere better."""
        mine, theirs = self.fitness, other.fitness
        if mine.infeasibility != theirs.infeasibility:
            return mine.infeasibility < theirs.infeasibility
        a, b = mine.objectives, theirs.objectives
        if len(a) == 1:
            return a < b
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Individual":
        """Return a copy with the same immutable genome, and this one as its parent, if it was evaluated."""
        copied = Individual.__new__(Individual)
        copied._genome, copied._key, copied.origin, copied.parent = self._genome, self._key, self.origin, self.parent
        if self.fitness.valid:
            copied.parent, self.parent = self, None  # a line of copies would keep all its ancestors
        copied.fitness = deepcopy(self.fitness)
        return copied

    def __getstate__(self) -> tuple[Any, ...]:
        """Return the state sent to another process; of the ancestors only the parent is included."""
        parent = self.parent
        if parent is not None and parent.parent is not None:
            alone = Individual.unevaluated(parent.genome, parent.origin, len(parent.fitness.weights))
            alone._key, alone.fitness = parent._key, parent.fitness
            parent = alone
        return self.genome, self._key, self.origin, parent, len(self.fitness.weights), self.objectives, self.scores

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._genome, self._key, self.origin, self.parent, count, objectives, scores = state
        self.fitness = MINIMISED[count - 1](Values(objectives, scores) if objectives else ())

    def __repr__(self) -> str:
        return f"Individual({self.key[:4].hex()}, {self.objectives}, {self.origin!r})"


def content_hash(genome: Any) -> bytes:
    """Return a hash of an array, or of tuples and lists of arrays, numbers and texts, as a genome is made of them."""
    hashed = blake2b(digest_size=16)

    def add(part: Any) -> None:
        if isinstance(part, np.ndarray):
            hashed.update(f"{part.dtype.str}{part.shape}".encode())
            hashed.update(np.ascontiguousarray(part).tobytes())
        elif isinstance(part, (tuple, list)):
            hashed.update(f"{len(part)}(".encode())
            for one in part:
                add(one)
        else:
            hashed.update(repr(part).encode())

    add(genome)
    return hashed.digest()


def point_of(scores: Mapping[str, float], objectives: Sequence[float]) -> tuple[float, ...]:
    """Return IL and DR where there are both, the objectives otherwise."""
    return (scores["il"], scores["dr"]) if "il" in scores and "dr" in scores else tuple(objectives)


def precedence_of(scores: Mapping[str, float], objectives: Sequence[float]) -> tuple[float, tuple[float, ...]]:
    """Return the key by which the best candidate is chosen; less is better."""
    # First the infeasibility. Then the objective, where there is one. With several, first the greatest coordinate of
    # the point on the front, so that a balanced member is the best; then the sum of the coordinates.
    infeasibility = scores.get(INFEASIBILITY, 0.0)
    if len(objectives) == 1:
        return infeasibility, tuple(objectives)
    point = point_of(scores, objectives)
    return infeasibility, (max(point), sum(point))


Column = NDArray[np.float64]
Precedence = tuple[float, tuple[float, ...]]


class Siblings(Sequence[Individual]):
    """Children of one parent, with their scores by the column once they have been judged.

    Parameters
    ----------
    parent : Individual
    origins : sequence of str
        The operator that made each, k in all.
    genome : callable
        Returns the genome of the child at a place.
    key : callable
        Returns the key of a genome.
    changes : Changes, optional
        What they change in the parent's records, where that is known.
    """

    def __init__(
        self,
        parent: Individual,
        origins: Sequence[str],
        genome: Callable[[int], Any],
        key: Callable[[Any], bytes],
        changes: Changes | None = None,
    ) -> None:
        self.parent, self.origins, self.genome, self.changes = parent, origins, genome, changes
        self._key = key
        self._made: dict[int, Individual] = {}
        self.scores: Mapping[str, Column] = {}
        self.objectives: Column = np.empty((0, 0))
        self.estimated = False

    def judged(self, scores: Mapping[str, Column], objectives: Sequence[Column], estimated: bool = False) -> None:
        """Take in scores by measure, shape (k,), and objectives, all minimised, shape (k,) each.

        Where these are estimates the children are for comparison only; evaluate a child before you keep it.
        """
        self.scores, self.objectives, self.estimated = scores, np.stack(objectives, axis=1), estimated

    def __len__(self) -> int:
        return len(self.origins)

    @overload
    def __getitem__(self, place: int) -> Individual: ...

    @overload
    def __getitem__(self, place: slice) -> list[Individual]: ...

    def __getitem__(self, place: int | slice) -> Individual | list[Individual]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        if place not in self._made:
            genome = self.genome(place)
            scores = {name: float(column[place]) for name, column in self.scores.items()}
            objectives = tuple(self.objectives[place].tolist())
            self._made[place] = Individual(genome, self._key(genome), scores, objectives, self.origins[place])
        return self._made[place]

    @property
    def known(self) -> list[tuple[int, Individual]]:
        """The individuals that have been made, with their places."""
        return sorted(self._made.items())

    @property
    def infeasibility(self) -> Column:
        """How far each is from the constraints, shape (k,)."""
        return self.scores[INFEASIBILITY] if INFEASIBILITY in self.scores else np.zeros(len(self))

    @property
    def points(self) -> Column:
        """Where each is on the front, shape (k, d): see `Individual.point`."""
        if "il" in self.scores and "dr" in self.scores:
            return np.stack((self.scores["il"], self.scores["dr"]), axis=1)
        return self.objectives

    def dominating(self, other: Individual) -> NDArray[np.bool_]:
        """Return which are better than another individual, as `Individual.dominates`; shape (k,)."""
        objectives = np.array(other.objectives)
        nowhere_worse = (self.objectives <= objectives).all(axis=1)
        somewhere_better = (self.objectives < objectives).any(axis=1)
        equal = self.infeasibility == other.infeasibility
        better: NDArray[np.bool_] = (self.infeasibility < other.infeasibility) | (
            equal & nowhere_worse & somewhere_better
        )
        return better

    def improvements(self, other: Individual) -> Column:
        """Return by how much each is better than another individual; 0 for those that are not, shape (k,).

        In infeasibility where that differs, else in the sum of objectives.
        """
        less = other.infeasibility - self.infeasibility
        gained = np.where(less != 0.0, less, sum(other.objectives) - self.objectives.sum(axis=1))
        return np.where(self.dominating(other), gained, 0.0)

    def precedences(self) -> list[Precedence]:
        """Return the precedence of each, least for the best: see `Individual.precedence`."""
        broken, objectives = self.infeasibility.tolist(), list(map(tuple, self.objectives.tolist()))
        if self.objectives.shape[1] == 1:
            return list(zip(broken, objectives, strict=True))
        names = [name for name in ("il", "dr", INFEASIBILITY) if name in self.scores]
        rows = zip(*(self.scores[name].tolist() for name in names), strict=True) if names else ((),) * len(self)
        return [
            precedence_of(dict(zip(names, row, strict=True)), own) for row, own in zip(rows, objectives, strict=True)
        ]


def precedences(batch: Sequence[Individual]) -> list[Precedence]:
    """Return the precedence of each of some individuals, least for the best."""
    return batch.precedences() if isinstance(batch, Siblings) else [individual.precedence for individual in batch]


def known_places(batch: Sequence[Individual]) -> list[tuple[int, Individual]]:
    """Return those of some individuals that exist, with their places."""
    return batch.known if isinstance(batch, Siblings) else list(enumerate(batch))
