"""The genotype `equations`: trees that fill transition matrices."""

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from deap import gp
from numpy.typing import NDArray
from pydantic import Field, field_validator

from evosdc.errors import Fault, ParameterError, PluginError
from evosdc.model import Described, Dump, Masking, Microdata, Parameters, Stochastic
from evosdc.randomisation.equations.equation import FUNCTIONS, TERMINALS, Equation, depth_of, frozen, malformed, split
from evosdc.randomisation.equations.equation_design import EquationDesign, frequencies_of, staged
from evosdc.randomisation.equations.evaluation import Decoding, matrix_of, quantities_of
from evosdc.randomisation.equations.infix import infix, numeral, parse_infix
from evosdc.randomisation.transition import Matrix, cumulative, drawn
from evosdc.secret import random_from
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_equations.simplification import simplify
from evosdc_equations.typesetting import MOST_NODES, tree_picture, typeset
from evosdc_equations.variation import MUTATIONS, dealt, equation_of, exchanged, limited, primitive_set, ramped, tree_of

_TENTHS = tuple(tenth / 10 for tenth in range(1, 10))

# The quotient is taken alone: with two categories it is 0 / 0, which is 1, and the rule for two categories comes out.
DESIGN_A = "{change} * ((N - ta - tb) / ((c - 2) * (N - ta)))"
DESIGN_B = "{theta} * tmin / (ta * (c - 1))"


def design_a(p: float) -> Equation:
    """Return the equation of De Wolf and Van Gelder's off-diagonal probabilities, which keep a value with p."""
    return parse_infix(DESIGN_A.format(change=numeral(round(1.0 - p, 12))))


def design_b(theta: float) -> Equation:
    """Return the equation of the invariant design's off-diagonal probabilities, with perturbation theta."""
    return parse_infix(DESIGN_B.format(theta=numeral(theta)))


@cache
def standard_designs() -> tuple[tuple[Masking, Equation], ...]:
    """Return both designs for p and theta in 0.1..0.9, with the masking that each is equal to."""
    of_a = [(Masking("pram", {"design": "a", "p": p}), design_a(p)) for p in _TENTHS]
    return (*of_a, *((Masking("pram", {"design": "b", "theta": theta}), design_b(theta)) for theta in _TENTHS))


MutationName = Literal["point", "hoist", "subtree", "collapse", "expansion", "constant"]

InitialTrees = Literal["half-and-half", "dealt", "grow", "full"]


class EquationParameters(Parameters):
    """What a user may set of the genotype `equations`."""

    decoding: Decoding = Field("raw", description="how values become a matrix: raw, offdiag or full")
    p: float = Field(0.5, ge=0, le=1, description="the terminal p, and the diagonal of the decoding offdiag")
    two_stage: float | None = Field(
        None, ge=0, le=1, description="make matrices invariant by a second stage, diluted to this alpha"
    )
    one_each: bool = Field(False, description="an equation for each attribute instead of one for all")
    terminals: tuple[str, ...] | None = Field(
        None, description="quantities of a cell; default: all, a and b where an attribute is ordinal"
    )
    functions: tuple[str, ...] = Field(
        tuple(name for name in FUNCTIONS if name != "if_less"), min_length=1, description="functions"
    )
    constants: bool = Field(True, description="whether there are constants")
    initial_depth: int = Field(4, ge=1, le=10, description="greatest depth of random trees")
    initial_trees: InitialTrees = Field(
        "half-and-half",
        description="random trees: half-and-half by draws, dealt (each depth as often full as grown), grow or full",
    )
    max_depth: int = Field(5, ge=1, le=10_000, description="depth limit; a lone terminal has depth 0")
    max_nodes: int = Field(500, ge=3, le=100_000, description="limit of the nodes of a tree")
    mutations: tuple[MutationName, ...] = Field(
        ("point", "hoist", "subtree", "collapse", "expansion", "constant"),
        min_length=1,
        description="operators, one of which is drawn for each mutation",
    )
    relabelling: float = Field(
        3.0, ge=0, le=100, description="records, in per cent, that may read right under exchanged labels; 100: any"
    )
    draws: int = Field(5, ge=1, le=1000, description="files drawn for one evaluation")
    expected: bool = Field(False, description="judge by the measures' expectations instead of draws")

    @field_validator("terminals", "functions", "mutations")
    @classmethod
    def _each_once(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value is not None and len(set(value)) < len(value):
            raise ValueError("each name once")
        return value


def require_fit(params: EquationParameters, microdata: Microdata) -> None:
    """Raise `ParameterError` with everything in parameters and file that does not fit."""
    faults = []
    numeric = [a.name for a in microdata.original.schema.numeric]
    if numeric:
        advice = "Declare it ordinal in the schema, or do not protect it."
        faults.append(
            Fault(f"genotype equations: {', '.join(numeric)}", "scale numeric", "scale nominal or ordinal", advice)
        )
    for key, given, known in (
        ("terminals", params.terminals or (), TERMINALS),
        ("functions", params.functions, FUNCTIONS),
    ):
        unknown = [name for name in given if name not in known]
        if unknown:
            wanted = f"some of {', '.join(known)}"
            faults.append(Fault(f"genotype equations: {key}", ", ".join(unknown), wanted))
    if params.terminals == () and not params.constants:
        faults.append(Fault("genotype equations: terminals", "none, and no constants", "at least one of them"))
    if faults:
        raise ParameterError(faults)


Genes = tuple[NDArray[np.int16], NDArray[np.float64]]
_POSITIONS = ("a", "b")
EQUATION_FILE = "equation.toml"  # what a run leaves for `evosdc mask pram --equation`


class Equations(Stochastic[Genes], Described[Genes]):
    """One equation for all attributes, or one each, as postorder vectors one after the other.

    A genome is a pair of arrays of shape (m,): int16 tokens and float64 constants. It is decoded to a transition
    matrix for each attribute, and those to a file by post-randomisation with common random numbers. The outline is
    Mares (2013), 4.2; terminals, functions, decoding and rates are a reconstruction, since the text of that chapter is
    not at hand.
    """

    class Params(EquationParameters):
        """Parameters of the genotype."""

    params: Params
    portfolio = None
    trait_names = ("nodes", "depth")
    by_matrices = True

    def __init__(self, params: Params, microdata: Microdata) -> None:
        super().__init__(params, microdata)
        original = microdata.original
        require_fit(params, microdata)
        self._schema, self._codes, self._numbers = original.schema, original.codes, original.numbers
        self._names = original.schema.names
        self._trees = len(self._names) if params.one_each else 1
        columns = list(zip(original.codes.T, original.schema.attributes, strict=True))
        self._cells = [quantities_of(column, attribute, params.p) for column, attribute in columns]
        self._frequencies = [frequencies_of(column, attribute) for column, attribute in columns]
        ordinal = any(a.scale is Scale.ORDINAL for a in original.schema.attributes)
        usual = tuple(name for name in TERMINALS if ordinal or name not in _POSITIONS)
        terminals = usual if params.terminals is None else params.terminals
        self._pset = primitive_set(terminals, params.functions, params.constants)
        self._initial_depth = min(params.initial_depth, params.max_depth)
        self._limits = params.max_depth, params.max_nodes
        self._sums: tuple[Genes, list[Matrix]] | None = None

    @property
    def draws(self) -> int:
        """How many files are drawn for one evaluation."""
        return self.params.draws

    @property
    def expected(self) -> bool:
        """Whether genomes are judged by expectations."""
        return self.params.expected

    @property
    def most_relabelled(self) -> float:
        """Per cent of an attribute's records that may read right under exchanged labels."""
        return self.params.relabelling

    def initial_genomes(self) -> Sequence[tuple[Masking, Genes]]:
        """Return the equations of the standard designs a and b, p and theta in 0.1..0.9."""
        # None in decodings that would make other matrices of them, and none that the depth limit forbids.
        if self.params.decoding != "raw" or self.params.two_stage is not None:
            return ()
        fitting = [
            (masking, equation)
            for masking, equation in standard_designs()
            if equation.depth <= self.params.max_depth and len(equation) <= self.params.max_nodes
        ]
        return [(masking, _joined([equation] * self._trees)) for masking, equation in fitting]

    def random(self, rng: np.random.Generator) -> Genes:
        """Return random trees, as `initial_trees` says; those that are dealt are drawn by half-and-half here."""
        return self._random(rng, [None] * self._trees)

    def random_of_start(self, place: int, rng: np.random.Generator) -> Genes:
        """Return random trees; those that are dealt take depths in turn, each first full and then grown (Koza 1992)."""
        first = place * self._trees
        dealt_out = self.params.initial_trees == "dealt"
        return self._random(rng, [first + tree if dealt_out else None for tree in range(self._trees)])

    def _random(self, rng: np.random.Generator, places: Sequence[int | None]) -> Genes:
        random, trees = random_from(rng), []
        whole = {"grow": False, "full": True}.get(self.params.initial_trees)
        for place in places:
            for deepest in range(self._initial_depth, 0, -1):
                if place is not None:
                    tree = dealt(self._pset, deepest, place, random)
                else:
                    tree = ramped(self._pset, deepest, random, whole)
                if len(tree) <= self.params.max_nodes:
                    break
            else:
                tree = gp.PrimitiveTree(tree[-1:])
            trees.append(equation_of(tree))
        return _joined(trees)

    def crossover(self, a: Genes, b: Genes, rng: np.random.Generator) -> tuple[Genes, Genes]:
        """Return two children that have exchanged subtrees; with one equation each, those of one attribute."""
        # With one equation each, half of the crossovers exchange the whole equation of an attribute.
        first, second = self.equations(a), self.equations(b)
        which = int(rng.integers(self._trees))
        if self._trees > 1 and rng.random() < 0.5:
            c, d = second[which], first[which]
        else:
            random, parents = random_from(rng), (tree_of(first[which]), tree_of(second[which]))
            children = exchanged(tree_of(first[which]), tree_of(second[which]), random)
            c, d = (equation_of(limited(child, parents, *self._limits, random)) for child in children)
        return (_joined([*first[:which], c, *first[which + 1 :]]), _joined([*second[:which], d, *second[which + 1 :]]))

    def mutate(self, g: Genes, rng: np.random.Generator) -> Genes:
        """Return a copy in which one tree has been changed by one of the operators."""
        equations = list(self.equations(g))
        which = int(rng.integers(self._trees))
        mutation = MUTATIONS[self.params.mutations[int(rng.integers(len(self.params.mutations)))]]
        random, tree = random_from(rng), tree_of(equations[which])
        changed = mutation(tree_of(equations[which]), self._pset, self.params.max_depth, random)
        equations[which] = equation_of(limited(changed, [tree], *self._limits, random))
        return _joined(equations)

    def decode(self, g: Genes, rng: np.random.Generator) -> Table:
        """Return the file that post-randomisation draws with the genome's matrices."""
        uniforms = rng.random(self._codes.shape)
        codes = np.empty_like(self._codes)
        for j, sums in enumerate(self._cumulative(g)):
            column = self._codes[:, j]
            codes[:, j] = drawn(column, sums, uniforms[:, j]) if sums.size else column
        return Table(self._schema, codes, self._numbers)

    def _cumulative(self, g: Genes) -> list[Matrix]:
        if self._sums is None or self._sums[0] is not g:
            # One genome is decoded for several draws, one after the other.
            self._sums = (g, [cumulative(matrix) if matrix.size else matrix for matrix in self.transitions(g)])
        return self._sums[1]

    def transitions(self, g: Genes) -> tuple[Matrix, ...]:
        """Return the transition matrix of each attribute."""
        equations = self.equations(g) if self.params.one_each else self.equations(g) * len(self._cells)
        return tuple(
            staged(matrix_of(equation, cells, self.params.decoding), frequencies, self.params.two_stage)
            for equation, cells, frequencies in zip(equations, self._cells, self._frequencies, strict=True)
        )

    def equations(self, g: Genes) -> tuple[Equation, ...]:
        """Return the genome's equations: a single one for all attributes, or one for each in their order."""
        return split(*g)

    def design(self, g: Genes) -> EquationDesign:
        """Return what makes the same matrices of any file."""
        equations = self.equations(g)
        each = dict(zip(self._names, equations, strict=True)) if self.params.one_each else {}
        single = None if each else equations[0]
        return EquationDesign(single, each, self.params.decoding, self.params.p, self.params.two_stage)

    def traits(self, g: Genes) -> Mapping[str, float]:
        """Return the number of nodes and the depth of the deepest tree."""
        return {"nodes": float(g[0].size), "depth": float(depth_of(g[0]))}

    def pictures(self, g: Genes) -> Mapping[str, str]:
        """Return each equation typeset, cleaned up for reading, and as the tree that was evolved; not of huge ones."""
        pictures = {}
        for equation, of in zip(self.equations(g), self._names if self.params.one_each else ("",), strict=True):
            shorter = simplify(equation, self.params.decoding)
            whose = f" of {of}" if of else ""
            if len(shorter) <= MOST_NODES:
                pictures[f"The equation{whose}, cleaned up"] = typeset(
                    shorter, "p" if self.params.decoding == "raw" else "w"
                )
            if len(equation) <= MOST_NODES:
                pictures[f"The tree{whose} that was evolved"] = tree_picture(equation)
        return pictures

    def files(self, g: Genes) -> Mapping[str, str]:
        """Return the design, for use on any other file."""
        return {EQUATION_FILE: self.design(g).text()}

    def key(self, g: Genes) -> bytes:
        """Return a BLAKE2b hash of tokens and constants."""
        return blake2b(g[0].tobytes() + g[1].tobytes(), digest_size=16).digest()

    def check(self, g: Genes) -> None:
        """Raise `PluginError` for anything but well-formed trees within the limits."""
        tokens, constants = g
        if tokens.dtype != np.int16 or constants.dtype != np.float64 or tokens.flags.writeable:
            raise PluginError("a genome of equations is a read-only int16 and a float64 array")
        complaint = malformed(tokens, constants, self._trees)
        if complaint:
            raise PluginError(f"a genome of equations holds {complaint}")
        depth, most = depth_of(tokens), max(map(len, self.equations(g)))
        if depth > self.params.max_depth or most > self.params.max_nodes:
            raise PluginError(f"an equation of depth {depth} and {most} nodes is over the limits")

    def dump(self, g: Genes) -> Dump:
        """Return tokens and constants."""
        return {"tokens": g[0], "constants": g[1]}

    def load(self, d: Dump) -> Genes:
        """Return the genome that `dump` wrote."""
        return frozen(d["tokens"], np.int16), frozen(d["constants"], np.float64)

    def describe(self, g: Genes) -> Any:
        """Return the infix text of the equation, or of each attribute's."""
        texts = [infix(equation) for equation in self.equations(g)]
        document: dict[str, Any] = {"decoding": self.params.decoding, "p": self.params.p}
        if self.params.two_stage is not None:
            document["two_stage"] = self.params.two_stage
        if self.params.one_each:
            return {"equations": dict(zip(self._names, texts, strict=True))} | document
        return {"equation": texts[0]} | document


def _joined(equations: Sequence[Equation]) -> Genes:
    if len(equations) == 1:
        return equations[0].tokens, equations[0].constants
    tokens = np.concatenate([e.tokens for e in equations])
    constants = np.concatenate([e.constants for e in equations])
    tokens.flags.writeable = constants.flags.writeable = False
    return tokens, constants
