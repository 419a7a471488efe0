"""The genotype `pram`: one transition matrix for each attribute, as whole numbers."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from evosdc.errors import Fault, ParameterError, PluginError
from evosdc.model import Dump, Masking, Microdata, Parameters, Stochastic
from evosdc.randomisation.invariance import diluted, two_stage, with_retained
from evosdc.randomisation.transition import Matrix, cumulative, drawn, plain_rows, preference_matrix
from evosdc.table.table import Table
from evosdc_pram import variation
from evosdc_pram.coding import Coding, Genes, locked
from evosdc_pram.initial_matrices import FAMILIES, Family, designs


class PramParameters(Parameters):
    """What a user may set of the genotype `pram`."""

    attributes: tuple[str, ...] = Field((), description="protected attributes that are randomised; default: all")
    scale: int = Field(1000, ge=10, le=10**6, description="sum of a row: p = value / scale; not for flows")
    grain: int = Field(10, ge=1, le=10**4, description="flows: into how many parts a record may be divided")
    invariance: Literal["none", "two-stage", "flow"] = Field("none", description="how T P = T is ensured")
    least: float = Field(0.0, ge=0, le=1, description="lower bound of diagonal probabilities")
    most: float = Field(1.0, ge=0, le=1, description="upper bound of diagonal probabilities; least = most fixes them")
    retained: float | None = Field(
        None, ge=0, le=1, description="expected share of unchanged values that matrices are diluted to"
    )
    draws: int = Field(5, ge=1, le=1000, description="tables drawn and scored for one evaluation")
    fresh_draws: int = Field(30, ge=2, le=100_000, description="tables that the winner is scored on at the end")
    judge: Literal["draws", "expectation"] = Field("draws", description="whether measures see tables or matrices")
    relabelling: float = Field(
        3.0, ge=0, le=100, description="records, in per cent, that may read right under exchanged labels; 100: any"
    )
    mutations: float = Field(2.0, ge=0, le=1000, description="mean of the Poisson number of changes by a mutation")
    swaps: float = Field(0.2, ge=0, le=1, description="share of changes that swap two values of a row; not for flows")
    rows: Literal["one-point", "two-point", "uniform"] = Field("uniform", description="exchange of rows by crossover")
    crossovers: tuple[Literal["rows", "attributes", "blend"], ...] = Field(
        ("rows", "attributes", "blend"), min_length=1, description="crossovers, one of them drawn each time"
    )
    start: tuple[Family, ...] = Field(FAMILIES, description="families of initial matrices")

    @field_validator("attributes")
    @classmethod
    def _each_once(cls, attributes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(attributes)) < len(attributes):
            raise ValueError("each attribute once")
        return attributes

    @field_validator("most")
    @classmethod
    def _bounds(cls, most: float, info: ValidationInfo) -> float:
        least = info.data.get("least", 0.0)
        if most < least:
            raise ValueError("at least as much as the lower bound of the diagonal")
        if most < 1.0 and info.data.get("invariance") == "two-stage":
            raise ValueError("1 with two-stage matrices: dilution can raise their diagonal only; use retained")
        return most

    @field_validator("retained")
    @classmethod
    def _free_above(cls, retained: float | None, info: ValidationInfo) -> float | None:
        if retained is not None and info.data.get("most", 1.0) < 1.0:
            raise ValueError("nothing beside an upper bound of the diagonal, which dilution would leave")
        return retained


def coding_of(original: Table, position: int, params: PramParameters) -> Coding:
    """Return the coding of one attribute."""
    attribute = original.schema.attributes[position]
    column = original.codes[:, position]
    size = len(attribute.categories)
    frequencies = np.bincount(column[column >= 0], minlength=size).astype(np.int64)
    flows = params.invariance == "flow"
    occurs = frequencies > 0
    sums = np.where(occurs, frequencies * params.grain, 1) if flows else np.full(size, params.scale)
    # Two-stage matrices are bounded when they are decoded; their first stage is free.
    bounded = occurs if occurs.sum() > 1 and params.invariance != "two-stage" else np.zeros(size, dtype=np.bool_)
    low = np.where(occurs, 0, sums)
    low = np.where(bounded, np.ceil(params.least * sums - 1e-9), low).astype(np.int64)
    high = np.where(bounded, np.floor(params.most * sums + 1e-9), sums).astype(np.int64)
    if occurs.sum() < 2:
        low = sums.astype(np.int64)
    if (low > high).any():
        given = f"bounds {params.least} and {params.most}"
        wanted = "bounds with a whole number of parts between them"
        advice = "Move the bounds apart, or raise scale (grain for flows)."
        raise ParameterError(Fault(f"genotype pram: diagonal of {attribute.name}", given, wanted, advice))
    sums = sums.astype(np.int64)
    nearest = np.diag(sums)
    if flows and params.most < 1.0:
        away = 1.0 - np.identity(size)
        # bounds of whole flows, so that the flows nearest to the identity are whole
        matrix = preference_matrix(np.where(occurs, sums, 0), away, low / sums, high / sums, by_record=True)
        nearest = np.rint(matrix * sums[:, None]).astype(np.int64)
    return Coding(frequencies, np.flatnonzero(occurs), sums, flows, low, high, locked(nearest))


Matrices = tuple[Genes, ...]


class PramMatrices(Stochastic[Matrices]):
    """Transition matrices as genome: a tuple of int64 matrices of shape (c, c), one for each randomised attribute.

    Coding by whole numbers is that of Mares (2013), 4.1. The constant sum of rows, the operators, and the three ways to
    invariance are a reconstruction, since the chapter is not at hand:

    - ``invariance = "none"``: rows of sum `scale`, any matrix; with fitness ``penalised`` invariance becomes a price;
    - ``"two-stage"``: the same genomes, decoded to the two-stage invariant matrix;
    - ``"flow"``: rows and columns of sum T, invariant as they stand, the non-reversible matrices among them.

    The table of one draw uses one uniform number for each record and attribute, the same for all genomes (common
    random numbers), so that differences between genomes are not noise. Missing values stay.
    """

    class Params(PramParameters):
        """Parameters of the genotype."""

    by_matrices = True
    portfolio: ClassVar[str | None] = "standard-pram"
    params: Params

    def __init__(self, params: Params, microdata: Microdata) -> None:
        super().__init__(params, microdata)
        original = microdata.original
        faults = [
            Fault(f"genotype pram: {a.name}", "scale numeric", "scale nominal or ordinal", "Leave it out of protect.")
            for a in original.schema.numeric
        ]
        if faults:
            raise ParameterError(faults)
        original.schema.require(params.attributes, "genotype pram: attributes")
        chosen = params.attributes or original.schema.names
        self._positions = tuple(v for v, a in enumerate(original.schema.attributes) if a.name in chosen)
        self._codings: tuple[Coding, ...] = tuple(coding_of(original, v, params) for v in self._positions)
        self._free = tuple(v for v, coding in enumerate(self._codings) if coding.free)
        self._original = original
        self._identities = tuple(np.identity(len(a.categories)) for a in original.schema.attributes)
        self._decoded: tuple[Matrices, tuple[Matrix, ...], tuple[Matrix, ...] | None] = ((), (), None)

    @property
    def draws(self) -> int:
        """Tables judged for one evaluation."""
        return 1 if self.expected else self.params.draws

    @property
    def fresh_draws(self) -> int:
        """Tables that the winner is judged on."""
        return self.params.fresh_draws

    @property
    def expected(self) -> bool:
        """Whether matrices are judged without drawing."""
        return self.params.judge == "expectation"

    @property
    def most_relabelled(self) -> float:
        """Per cent of an attribute's records that may read right under exchanged labels."""
        return self.params.relabelling

    def initial_genomes(self) -> Sequence[tuple[Masking, Matrices]]:
        """Return the initial matrices, the same design for all attributes; equal genomes once, under the first name."""
        flow = self.params.invariance == "flow"
        made: dict[bytes, tuple[Masking, Matrices]] = {}
        if flow:
            nearest = tuple(coding.nearest for coding in self._codings)
            made[self.key(nearest)] = (Masking("nearest-identity"), nearest)
        for masking, design in designs(self.params.start, flow):
            wanted = [design(coding.frequencies) for coding in self._codings]
            pairs = zip(self._codings, map(self._raised, wanted) if flow else wanted, strict=True)
            genome = tuple(coding.genes_of(matrix) for coding, matrix in pairs)
            kept = [(coding, np.diagonal(genes)) for coding, genes in zip(self._codings, genome, strict=True)]
            if all(((c.low <= diagonal) & (diagonal <= c.high)).all() for c, diagonal in kept):
                made.setdefault(self.key(genome), (masking, genome))
        return tuple(made.values())

    def random(self, rng: np.random.Generator) -> Matrices:
        """Return random matrices: rows of a uniform diagonal and a uniform rest, or flows far from the identity."""
        return tuple(self._random(coding, rng) for coding in self._codings)

    def _random(self, coding: Coding, rng: np.random.Generator) -> Genes:
        if not coding.free:
            return locked(np.diag(coding.sums))
        size = coding.occurring.size
        if coding.flows:
            genes = coding.nearest
            for _ in range(2 * size * size):
                genes = variation.moved(genes, coding, rng)
            return genes
        matrix = np.identity(len(coding.sums))
        rest = rng.dirichlet(np.ones(size), size)
        kept = rng.uniform(self.params.least, self.params.most, size)
        rest[np.diag_indices(size)] = 0.0
        rest *= ((1.0 - kept) / rest.sum(axis=1))[:, None]
        rest[np.diag_indices(size)] = kept
        matrix[np.ix_(coding.occurring, coding.occurring)] = rest
        return coding.genes_of(matrix)

    def crossover(self, a: Matrices, b: Matrices, rng: np.random.Generator) -> tuple[Matrices, Matrices]:
        """Return two children: by exchange of whole matrices, of rows, or by weighted means of matrices."""
        # Rows of flows cannot be exchanged without breaking margins: flows take their midpoint then.
        kinds = self.params.crossovers
        kind = kinds[int(rng.integers(len(kinds)))]
        if kind == "attributes" and len(self._free) > 1:
            taken = rng.random(len(a)) < 0.5
            pairs = [(b[v], a[v]) if taken[v] else (a[v], b[v]) for v in range(len(a))]
        else:
            pairs = []
            for coding, x, y in zip(self._codings, a, b, strict=True):
                if coding.flows:
                    pairs.append(variation.midpoint(x, y))
                elif kind == "blend":
                    pairs.append(variation.blended(x, y, rng))
                else:
                    pairs.append(variation.exchanged_rows(x, y, self.params.rows, rng))
        return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)

    def mutate(self, g: Matrices, rng: np.random.Generator) -> Matrices:
        """Return a copy with ``max(1, Poisson(mutations))`` transfers, swaps or moves, each in a random attribute."""
        if not self._free:
            return g
        genes = list(g)
        for _ in range(max(1, int(rng.poisson(self.params.mutations)))):
            v = self._free[int(rng.integers(len(self._free)))]
            coding = self._codings[v]
            if coding.flows:
                genes[v] = variation.moved(genes[v], coding, rng)
            elif rng.random() < self.params.swaps:
                genes[v] = variation.swap(genes[v], coding, rng)
            else:
                genes[v] = variation.transfer(genes[v], coding, rng)
        return tuple(genes)

    def decode(self, g: Matrices, rng: np.random.Generator) -> Table:
        """Return the table that the matrices draw: one uniform number for each record and protected attribute."""
        uniforms = rng.random((len(self._original.schema), len(self._original)))
        codes = self._original.codes.copy()
        for v, sums in zip(self._positions, self._sums(g), strict=True):
            if len(sums):
                codes[:, v] = drawn(self._original.codes[:, v], sums, uniforms[v])
        codes.flags.writeable = False
        return Table(self._original.schema, codes, self._original.numbers)

    def transitions(self, g: Matrices) -> tuple[Matrix, ...]:
        """Return the transition matrix of each protected attribute; the identity for those not randomised."""
        matrices = list(self._identities)
        for v, matrix in zip(self._positions, self._matrices(g), strict=True):
            matrices[v] = matrix
        return tuple(matrices)

    def _matrices(self, g: Matrices) -> tuple[Matrix, ...]:
        """Return the transition matrices of the randomised attributes; those of the last genome are kept."""
        if self._decoded[0] is not g:
            matrices = tuple(self._matrix(c, genes) for c, genes in zip(self._codings, g, strict=True))
            self._decoded = (g, matrices, None)
        return self._decoded[1]

    def _matrix(self, coding: Coding, genes: Genes) -> Matrix:
        staged, retained = self.params.invariance == "two-stage", self.params.retained
        matrix = coding.probabilities(genes)
        if staged:
            matrix = two_stage(matrix, coding.frequencies)
        if retained is not None:
            matrix = with_retained(matrix, coding.frequencies, retained)
        # Bounded genes keep to the bound by themselves, unless a share to retain has taken from their diagonal.
        return self._raised(matrix) if staged or retained is not None else matrix

    def _raised(self, matrix: Matrix) -> Matrix:
        """Return the matrix diluted until no diagonal probability is below the lower bound."""
        least, lowest = self.params.least, float(np.diagonal(matrix).min(initial=1.0))
        return diluted(matrix, (1.0 - least) / (1.0 - lowest)) if lowest < least else matrix

    def _sums(self, g: Matrices) -> tuple[Matrix, ...]:
        """Return the cumulative sums of the transition matrices, made once for all draws of a genome."""
        matrices = self._matrices(g)
        sums = self._decoded[2]
        if sums is None:
            sums = tuple(map(cumulative, matrices))
            self._decoded = (g, matrices, sums)
        return sums

    def distance(self, a: Matrices, b: Matrices) -> float:
        """Return the sum of differences between probabilities of the genes."""
        parts = [np.abs(c.probabilities(x - y)).sum() for c, x, y in zip(self._codings, a, b, strict=True)]
        return float(sum(parts))

    def key(self, g: Matrices) -> bytes:
        """Return a BLAKE2b hash of the genes; their shapes are those of the attributes."""
        hashed = blake2b(digest_size=16)
        for genes in g:
            hashed.update(genes.tobytes())
        return hashed.digest()

    def check(self, g: Matrices) -> None:
        """Raise `PluginError` unless each matrix is read-only, non-negative, of the right sums and within bounds."""
        if not isinstance(g, tuple) or len(g) != len(self._codings):
            raise PluginError(f"a genome of pram is a tuple of {len(self._codings)} matrices")
        for coding, genes in zip(self._codings, g, strict=True):
            coding.check(genes)

    def dump(self, g: Matrices) -> Dump:
        """Return the genes by attribute."""
        return {f"matrix_{v}": genes for v, genes in enumerate(g)}

    def load(self, d: Dump) -> Matrices:
        """Return the genes that `dump` wrote."""
        return tuple(locked(np.array(d[f"matrix_{v}"], dtype=np.int64, order="C")) for v in range(len(self._codings)))

    def describe(self, g: Matrices) -> Any:
        """Return the transition matrices by attribute, rows of probabilities."""
        names = self._original.schema.names
        return {names[v]: plain_rows(matrix) for v, matrix in zip(self._positions, self._matrices(g), strict=True)}
