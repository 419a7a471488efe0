"""The post-randomisation method (PRAM)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Design, Range, Tunable
from evosdc.randomisation.certificate import certificate
from evosdc.randomisation.equations.equation_design import read_equation_design
from evosdc.randomisation.matrix_file import LabelledMatrix, read_matrices, stochastic
from evosdc.randomisation.transition import Matrix, cumulative, drawn, forbidding
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Numbers, Table
from evosdc_masking.post_randomisation import matrices
from evosdc_masking.post_randomisation.matrices import INVARIANT, Block, Combination
from evosdc_masking.post_randomisation.parameters import PramParameters


class Pram(Tunable):
    """Redraw every value, independently for each record, from its row of the attribute's transition matrix.

    A missing value is left as it is and is not counted among the frequencies, whatever the rule for missing values.
    Attributes that are crossed are redrawn as one: the combinations that occur are its categories, and records that
    lack values of the same attributes of a block are redrawn among themselves. Sampling weights, where the file has
    them, are counted in place of records; an equation and a matrix of one's own take no notice of them.
    """

    class Params(PramParameters):
        """A design with its numbers, or a file with an equation or with matrices."""

    promise = 11
    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    weighted: ClassVar[bool] = True
    companion: ClassVar[str] = "matrices"
    params: PramParameters

    def __init__(self, params: PramParameters) -> None:
        super().__init__(params)
        if params.equation is not None or params.design == "matrix":
            self.weighted = False  # type: ignore[misc]  # of this instance alone: its matrices know no weights
        collect = FaultCollector()
        self._given: tuple[LabelledMatrix, ...] = ()
        self._zeros: Sequence[Combination] = ()
        self._design = None
        if params.equation is not None:
            with collect.step():
                self._design = read_equation_design(params.equation)
        file = params.matrix if params.design == "matrix" else params.preferences
        if isinstance(file, Path):
            with collect.step():
                self._given = read_matrices(file)
        if isinstance(params.structural_zeros, Path):
            with collect.step():
                self._zeros = matrices.read_combinations(params.structural_zeros)
        elif isinstance(params.structural_zeros, list):
            self._zeros = params.structural_zeros
        collect.settle(ParameterError)

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return both ends of designs a, b and two-stage (either first stage), and the least diagonal of preference."""
        kept, share = Range("p", 0.0, 0.99), Range("alpha", 0.05, 1.0)
        return [
            Design({"design": "a"}, (kept,)),
            Design({"design": "b"}, (Range("theta", 0.02, 1.0),)),
            Design({"design": "two-stage"}, (kept, share)),
            Design({"design": "two-stage", "first": "a"}, (kept, share)),
            Design({"design": "preference"}, (Range("least", 0.0, 0.98),)),
        ]

    def require_fit(self, table: Table) -> None:
        """Refuse blocks, structural zeros, files of matrices and designs that do not fit the table."""
        super().require_fit(table)
        self.matrices(table)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the perturbed table; one uniform number is drawn per record and attribute."""
        return self._masked(table, None, rng)

    def mask_weighted(self, table: Table, weights: Numbers, rng: np.random.Generator) -> Table:
        """Return the perturbed table; frequencies are sums of weights."""
        return self._masked(table, weights, rng)

    def _masked(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        self.require_support(table)
        planned = self.matrices(table, weights)
        uniforms = rng.random(table.codes.shape)
        position = {attribute.name: j for j, attribute in enumerate(table.schema.categorical)}
        codes = table.codes.copy()
        for block, matrix in planned:
            columns = [position[name] for name in block.names]
            if matrix.size:
                published = drawn(block.record, cumulative(matrix), uniforms[:, columns[0]])
                codes[:, columns] = block.codes(published, table.codes[:, columns])
        return Table(table.schema, codes, table.numbers)

    def account(self, table: Table, weights: Numbers | None = None) -> Mapping[str, Any]:
        """Return the transition matrices that `mask` uses, which estimation needs; they hold no record."""
        return {
            ", ".join(block.names): LabelledMatrix(block.names, block.labels(), matrix).document()
            for block, matrix in self.matrices(table, weights)
        }

    def remarks(self, table: Table) -> tuple[str, ...]:
        """Return what the matrices prove of a file, or why they prove nothing."""
        params = self.params
        given = params.design == "matrix" and not params.crossed and params.structural_zeros is None
        missing = int((table.codes == MISSING).any(axis=0).sum())
        planned = [matrix for _, matrix in self.matrices(table)]
        return tuple(certificate(planned, len(table), given, missing)["sentences"])

    def matrices(self, table: Table, weights: Numbers | None = None) -> list[tuple[Block, Matrix]]:
        """Return the blocks of a table and their transition matrices."""
        names = [attribute.name for attribute in table.schema.categorical]
        strange = [
            Fault(f"method pram: kept ({name})", repr(label), "categories of masked attributes")
            for name, diagonal in (self.params.kept or {}).items()
            for label in (diagonal if name in names else [name])
            if name not in names or label not in table.schema[name].code
        ]
        if strange:
            raise ParameterError(strange)
        blocks = matrices.crossed_blocks(names, self.params.crossed)
        faults = self._faults(table, blocks)
        if faults:
            raise ParameterError(faults)
        collect = FaultCollector()
        stands = self.params.design == "matrix"
        given = list(self._given)
        for place, one in enumerate(given if stands else ()):
            with collect.step():
                given[place] = stochastic(one)  # its rows sum to 1
        with collect.step():
            own = matrices.assigned(given, table, blocks, every=stands)
        collect.settle(ParameterError)
        planned: list[tuple[Block, Matrix]] = []
        for members in blocks:
            with collect.step():
                named = own.get(members)
                block = matrices.block_of(table, members, () if named is None else named.states)
                theirs = None if named is None else named.on(block)
                if self._design is not None:
                    matrix = self._design.matrix(block.record, block.attributes[0])
                elif stands:
                    assert theirs is not None
                    matrix = theirs
                else:
                    matrix = matrices.designed(block, block.counts(weights), self.params, theirs)
                    if self.params.kept and members[0] in self.params.kept:
                        matrix = matrices.with_kept(block, matrix, self.params.kept[members[0]])
                planned.append((block, self._forbidding(block, matrix)))
        collect.settle(ParameterError)
        return planned

    def _forbidding(self, block: Block, matrix: Matrix) -> Matrix:
        """Return the matrix without structural zeros."""
        forbidden = matrices.forbidden_states(self._zeros, block)
        if self.params.structural_zeros != "observed" and not forbidden.any():
            return matrix
        occurs = block.counts() > 0
        if self.params.structural_zeros == "observed":
            forbidden |= ~occurs
        if not forbidden.any():
            return matrix
        where = f"structural_zeros ({', '.join(block.names)})"
        held = int(block.counts()[forbidden].sum())
        if held and self.params.design in INVARIANT:
            given = f"combinations that {held} records have, while design {self.params.design} keeps all frequencies"
            raise ParameterError(Fault(where, given, "combinations that no record has", "Edit the records first."))
        matrix = forbidding(matrix, forbidden)
        lost = int(np.count_nonzero(occurs & (matrix.sum(axis=1) == 0)))
        if lost:
            given = f"a matrix that leaves nothing else to {lost} of the combinations"
            raise ParameterError(Fault(where, given, "for each record some combination that may arise"))
        # states that no record has, and none may have, keep to themselves, so that the matrix has an inverse
        idle: NDArray[np.intp] = np.flatnonzero(~occurs & (forbidden | (matrix.sum(axis=1) == 0)))
        matrix[idle] = 0.0
        matrix[idle, idle] = 1.0
        return matrix

    def _faults(self, table: Table, blocks: Sequence[tuple[str, ...]]) -> list[Fault]:
        schema, faults = table.schema, []
        for name in (name for block in self.params.crossed for name in block):
            if name not in schema:
                wanted = f"attributes that are masked: {', '.join(schema.names)}"
                faults.append(Fault("crossed", repr(name), wanted))
        faults += matrices.faults_of(self._zeros, schema, blocks, "structural_zeros")
        free = self.params.design != "matrix" and self._design is None
        if self.params.structural_zeros == "observed" and free and not self.params.crossed:
            wanted = "crossed attributes beside it"
            advice = 'Say which attributes belong together: crossed = [["a", "b"]].'
            faults.append(Fault("structural_zeros", "observed", wanted, advice))
        return faults
