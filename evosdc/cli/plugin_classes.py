"""The classes that ``evosdc new-plugin`` begins with: each small, and each passes its conformance suite as it is."""

MEASURE = '''"""The measure `$name`."""

import numpy as np

from evosdc.model import Changes, Fitted, Measure, Rows, Scale, Table, Tracker


class Differing(Fitted):
    """What is known of the original."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def cells(self, masked: Table, rows: Rows) -> np.ndarray:
        """Return how many cells differ of each of some records, which stand at these positions in the file."""
        a, b = self._original.numbers[rows], masked.numbers
        numbers = (a != b) & ~(np.isnan(a) & np.isnan(b))
        return (self._original.codes[rows] != masked.codes).sum(axis=1) + numbers.sum(axis=1)

    def score(self, masked: Table) -> float:
        """Return the percentage of cells that differ."""
        return self.track(masked).score

    def track(self, masked: Table) -> "DifferingTracker":
        """Return a tracker; without one of its own each file is scored from scratch, which is right, and slower."""
        return DifferingTracker(self, masked)


class DifferingTracker(Tracker):
    """What is known of a masked file, which a search changes by a few records at a time."""

    def __init__(self, fitted: Differing, masked: Table) -> None:
        self._fitted = fitted
        self._weight = 100.0 / (len(masked) * len(masked.schema))
        self._cells = fitted.cells(masked, np.arange(len(masked)))

    @property
    def score(self) -> float:
        """The percentage of cells that differ."""
        return int(self._cells.sum()) * self._weight

    def take(self, change: Changes) -> None:
        """Go on to a child: only its changed records are looked at."""
        self._cells[change.rows] = self._fitted.cells(change.after, change.rows)

    def contributions(self) -> np.ndarray:
        """Return what each record adds to the score, so that a search knows where to look first."""
        return self._cells * self._weight


class $class_name(Measure):
    """Percentage of cells that differ from the original; say here what yours measures, and from which paper."""

    supports = frozenset(Scale)

    def fit(self, original: Table) -> Differing:
        """Do once what depends on the original alone."""
        return Differing(original)
'''

MASKING_METHOD = '''"""The masking method `$name`."""

import numpy as np
from pydantic import Field

from evosdc.model import MaskingMethod, Parameters, Table


class $class_name(MaskingMethod):
    """Permute the values of each attribute among some records; say here what yours does, and from which paper."""

    class Params(Parameters):
        """Parameters of the method."""

        share: float = Field(0.3, ge=0, le=1, description="share of records that take part, for each attribute anew")

    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the masked table; all randomness comes from `rng`."""
        codes, numbers = table.codes.copy(), table.numbers.copy()
        for matrix in (codes, numbers):
            for column in matrix.T:
                chosen = np.flatnonzero(rng.random(len(table)) < self.params.share)
                column[chosen] = column[rng.permutation(chosen)]
        return Table(table.schema, codes, numbers)
'''

GENOTYPE = '''"""The genotype `$name`."""

from hashlib import blake2b
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.model import MISSING, Local, Microdata, Parameters, PluginError, Rows, Table


class $class_name(Local[np.ndarray]):
    """Which cells are suppressed, a boolean array of shape (n, V); say here what yours evolves."""

    class Params(Parameters):
        """Parameters of the genotype."""

        share: float = Field(0.1, ge=0, le=1, description="share of suppressed cells in random genomes")

    def __init__(self, params: Params, microdata: Microdata) -> None:
        super().__init__(params, microdata)
        original = microdata.original
        self._shape = (len(original), len(original.schema))

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Return a random genome."""
        return locked(rng.random(self._shape) < self.params.share)

    def crossover(self, a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Exchange whole records."""
        swap = rng.random((self._shape[0], 1)) < 0.5
        return locked(np.where(swap, b, a)), locked(np.where(swap, a, b))

    def mutate(self, g: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return a copy with one cell flipped."""
        changed = g.copy()
        cell = rng.integers(self._shape[0]), rng.integers(self._shape[1])
        changed[cell] = ~changed[cell]
        return locked(changed)

    def decode(self, g: np.ndarray, rng: np.random.Generator) -> Table:
        """Return the table that a genome stands for; categorical attributes come first."""
        original = self.microdata.original
        categorical = original.codes.shape[1]
        codes = np.where(g[:, :categorical], MISSING, original.codes).astype(np.int32)
        return Table(original.schema, codes, np.where(g[:, categorical:], np.nan, original.numbers))

    def changed_rows(self, parent: np.ndarray, child: np.ndarray) -> Rows:
        """Return the records in which two genomes differ: a child is judged by these."""
        return np.flatnonzero((parent != child).any(axis=1))

    def key(self, g: np.ndarray) -> bytes:
        """Return a hash of the content."""
        return blake2b(g.tobytes(), digest_size=16).digest()

    def check(self, g: np.ndarray) -> None:
        """Raise `PluginError` for what is no genome."""
        if g.shape != self._shape or g.dtype != bool:
            raise PluginError(f"wanted a boolean array {self._shape}; got {g.dtype} {g.shape}")

    def dump(self, g: np.ndarray) -> dict[str, np.ndarray]:
        """Return the genome as named arrays."""
        return {"suppressed": g}

    def load(self, d: Any) -> np.ndarray:
        """Return the genome that `dump` wrote."""
        return locked(np.array(d["suppressed"]))

    def describe(self, g: np.ndarray) -> dict[str, int]:
        """Return what results show of a genome."""
        return {"suppressed": int(g.sum())}


def locked(cells: np.ndarray) -> np.ndarray:
    """Return the array read-only: genomes are values."""
    cells.flags.writeable = False
    return cells
'''

ALGORITHM = '''"""The algorithm `$name`."""

from pydantic import Field

from evosdc.model import Algorithm, Parameters, Population, evaluate


class $class_name(Algorithm):
    """Each individual competes with a mutant of its own; say here what yours does, and from which paper."""

    class Params(Parameters):
        """Parameters of the algorithm."""

        mutations: int = Field(1, ge=1, description="mutations of a mutant, one after the other")

    params: Params

    def step(self, population: Population) -> Population:
        """Return the next population; what has to be remembered goes into its memory, never into this object."""
        toolbox, children = self.toolbox, []
        for parent in population:
            child = toolbox.clone(parent)
            for _ in range(self.params.mutations):
                (child,) = toolbox.mutate(child)
            del child.fitness.values
            children.append(child)
        evaluate(children, toolbox)
        pairs = zip(population, children, strict=True)
        return population.following(child if child.dominates(parent) else parent for parent, child in pairs)
'''

PRIVACY_MODEL = '''"""The privacy model `$name`."""

from collections.abc import Mapping
from typing import Any

from evosdc.model import IntruderView, PrivacyModel


class $class_name(PrivacyModel):
    """Percentage of records that match no other one; say here what yours judges, and from which paper."""

    headline = "alone"
    larger_is_safer = False

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the figures by name, free of records."""
        matching, _ = view.frequencies
        alone = int(view.classes.counts[matching == 1].sum())
        return {"alone": 100.0 * alone / len(view.table)}

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return what the figures mean."""
        return f"{figures['alone']:.1f} % of the records match no other one."
'''
