"""The genotype `equations`: trees that fill transition matrices."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from deap import gp
from numpy.typing import NDArray

from evosdc.errors import PluginError
from evosdc.model import Described, Dump, Masking, Microdata, PostRandomised, SelfStarting
from evosdc.randomisation.equations.equation import Equation, depth_of, frozen, malformed, split
from evosdc.randomisation.equations.equation_design import EquationDesign, frequencies_of, staged
from evosdc.randomisation.equations.evaluation import matrix_of
from evosdc.randomisation.equations.infix import infix
from evosdc.randomisation.equations.quantities import quantities_of
from evosdc.randomisation.equations.symbols import TERMINALS
from evosdc.randomisation.post_randomisation import drawn
from evosdc.randomisation.transition import Matrix, cumulative
from evosdc.secret import lent
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_equations.designs import standard_designs
from evosdc_equations.generation import dealt, half_and_half, ramped
from evosdc_equations.parameters import EquationParameters, InitialTrees, require_fit
from evosdc_equations.primitives import equation_of, primitive_set, tree_of
from evosdc_equations.simplification import simplify
from evosdc_equations.tree_picture import tree_picture
from evosdc_equations.typesetting import MOST_NODES, typeset
from evosdc_equations.variation import MUTATIONS, depth_limited

Genes = tuple[NDArray[np.int16], NDArray[np.float64]]
_POSITIONS = ("a", "b")
EQUATION_FILE = "equation.toml"
"""What a run leaves for `evosdc mask pram --equation`."""


class Equations(PostRandomised[Genes], SelfStarting[Genes], Described[Genes]):
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
        self._mate = depth_limited(gp.cxOnePoint, params.max_depth, params.max_nodes)
        self._mutations = [depth_limited(MUTATIONS[n], params.max_depth, params.max_nodes) for n in params.mutations]
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
        """Return the equations of the standard designs a and b, p and theta in 0.1..0.9.

        None in decodings that would make other matrices of them, and none that the depth limit forbids.
        """
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
        return self._random_genome(rng, self.params.initial_trees)

    def random_of_start(self, place: int, rng: np.random.Generator) -> Genes:
        """Return random trees; those that are dealt take depths in turn, each first full and then grown (Koza 1992)."""
        kind = self.params.initial_trees
        return self._random_genome(rng, kind, place * self._trees if kind == "dealt" else None)

    def _random_genome(self, rng: np.random.Generator, kind: InitialTrees, first: int | None = None) -> Genes:
        with lent(rng):
            trees = [self._random_tree(kind, None if first is None else first + own) for own in range(self._trees)]
        return _joined([equation_of(tree) for tree in trees])

    def _random_tree(self, kind: InitialTrees, place: int | None) -> gp.PrimitiveTree:
        for deepest in range(self._initial_depth, 0, -1):
            if place is not None:
                tree = dealt(self._pset, deepest, place)
            elif kind in ("grow", "full"):
                tree = ramped(self._pset, deepest, kind == "full")
            else:
                tree = half_and_half(self._pset, deepest)
            if len(tree) <= self.params.max_nodes:
                return tree
        return gp.PrimitiveTree(tree[-1:])

    def crossover(self, a: Genes, b: Genes, rng: np.random.Generator) -> tuple[Genes, Genes]:
        """Return two children that have exchanged subtrees; with one equation each, those of one attribute.

        With one equation each, half of the crossovers exchange the whole equation of an attribute.
        """
        first, second = self.equations(a), self.equations(b)
        which = int(rng.integers(self._trees))
        if self._trees > 1 and rng.random() < 0.5:
            c, d = second[which], first[which]
        else:
            with lent(rng):
                children = self._mate(tree_of(first[which]), tree_of(second[which]))
            c, d = map(equation_of, children)
        return (
            _joined([*first[:which], c, *first[which + 1 :]]),
            _joined([*second[:which], d, *second[which + 1 :]]),
        )

    def mutate(self, g: Genes, rng: np.random.Generator) -> Genes:
        """Return a copy in which one tree has been changed by one of the operators."""
        equations = list(self.equations(g))
        which = int(rng.integers(self._trees))
        operator = self._mutations[int(rng.integers(len(self._mutations)))]
        tree = tree_of(equations[which])
        with lent(rng):
            # DEAP's limit copies what it is given: only the tree is positional.
            (changed,) = operator(tree, pset=self._pset, limit=self.params.max_depth)
        equations[which] = equation_of(changed)
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
