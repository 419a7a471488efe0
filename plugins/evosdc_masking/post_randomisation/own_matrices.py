"""Matrices from a user's file, matched with the blocks of attributes of a table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.randomisation.matrix_file import LabelledMatrix
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Attribute
from evosdc.table.table import Table
from evosdc_masking.post_randomisation.crossing import Block, block_of

Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Assigned:
    """A user's matrix with its states as codes of the block's attributes.

    Parameters
    ----------
    states : list of tuple of int
    matrix : ndarray of float64, shape (m, m)
    """

    states: list[tuple[int, ...]]
    matrix: Matrix

    def on(self, block: Block) -> Matrix:
        """Return the matrix between all states of a block; those that the user's lacks stay what they are."""
        position = {tuple(state): at for at, state in enumerate(block.states.tolist())}
        at: NDArray[np.intp] = np.array([position[state] for state in self.states], dtype=np.intp)
        matrix = np.identity(len(block.states))
        matrix[np.ix_(at, at)] = self.matrix
        return matrix


def assigned(
    given: Sequence[LabelledMatrix], table: Table, blocks: Sequence[Names], every: bool
) -> dict[Names, Assigned]:
    """Return the matrix of each block that the file has one for.

    Parameters
    ----------
    every : bool
        Whether every block needs one.

    Raises
    ------
    ParameterError
        Unknown or missing attributes and categories; all faults at once.
    """
    found: dict[Names, Assigned] = {}
    faults: list[Fault] = []
    for one in given:
        names = one.attributes or (blocks[0] if len(blocks) == 1 else ())
        if not names:
            advice = "Write the attribute's name before the categories in the first line."
            faults.append(Fault(one.where, "a matrix of no attribute in particular", "the attribute's name", advice))
        elif (block := next((b for b in blocks if sorted(b) == sorted(names)), None)) is None:
            faults.append(_unmatched(one.where, names, table, blocks))
        else:
            states = _states(one, names, [table.schema[name] for name in block], faults)
            found[block] = Assigned(states, one.matrix)
    for block in blocks:
        if block in found:
            faults += _missing(block, found[block], table, given[0].where)
        elif every and not any(not one.attributes for one in given):
            where = given[0].where.split(": ")[0] if given else "matrix"
            faults.append(Fault(where, f"no matrix for {', '.join(block)}", "one for each masked attribute or block"))
    if faults:
        raise ParameterError(faults)
    return found


def _unmatched(where: str, names: Names, table: Table, blocks: Sequence[Names]) -> Fault:
    known = table.schema.names
    unknown = [name for name in names if name not in known]
    if unknown:
        wanted = f"attributes that are masked: {', '.join(known)}"
        return Fault(where, f"a matrix for {', '.join(names)}", wanted, did_you_mean(unknown[0], known))
    wanted = f"matrices for {'; '.join(', '.join(block) for block in blocks)}"
    return Fault(where, f"a matrix for {', '.join(names)} together", wanted, "Name such blocks in crossed.")


def _states(
    one: LabelledMatrix, names: Names, attributes: Sequence[Attribute], faults: list[Fault]
) -> list[tuple[int, ...]]:
    """Return the states as codes in the block's order of attributes; adds a fault for each unknown category."""
    states = []
    told = set()
    for state in one.states:
        labels = dict(zip(names, state, strict=True))
        codes = []
        for attribute in attributes:
            label = labels[attribute.name]
            if label is not None and label not in attribute.code and (attribute.name, label) not in told:
                told.add((attribute.name, label))
                given = f"{label!r}, which is no category of {attribute.name}"
                faults.append(Fault(one.where, given, "one of its own", did_you_mean(label, attribute.categories)))
            codes.append(-1 if label is None else attribute.code.get(label, -1))
        states.append(tuple(codes))
    return states


def _missing(names: Names, own: Assigned, table: Table, where: str) -> list[Fault]:
    """Return a fault for states that records have and the matrix lacks; states without some value may be lacking."""
    block = block_of(table, names)
    occurring = np.flatnonzero(block.counts())
    listed = set(own.states)
    lacking = [
        at for at in occurring if (block.states[at] >= 0).all() and tuple(block.states[at].tolist()) not in listed
    ]
    if not lacking:
        return []
    labels = block.labels()
    shown = "; ".join(", ".join(map(str, labels[at])) for at in lacking[:3])
    given = f"no row for {len(lacking)} that occur, {shown} for one" if len(lacking) > 1 else f"no row for {shown}"
    return [Fault(f"{where.split(': ')[0]}: {', '.join(names)}", given, "a row for every category that occurs")]
