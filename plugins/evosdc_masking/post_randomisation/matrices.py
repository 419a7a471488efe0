"""Transition matrices of attributes, alone or crossed: by design or from a user's file; structural zeros.

A block is one attribute or several that are treated as one. The states of a single attribute are its categories; a
missing value is none of them. Those of crossed attributes are the combinations that occur, in order, where a missing
value is written as such: then each set of attributes without a value is a domain of its own, see `Block.domains`.
"""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.files.encoding import read_text
from evosdc.randomisation.invariance import diluted, retained, two_stage, with_retained
from evosdc.randomisation.matrix_file import LabelledMatrix
from evosdc.randomisation.transition import (
    Frequencies,
    Matrix,
    design_a,
    design_b,
    even,
    exchanged_weights,
    preference_matrix,
)
from evosdc.table.distance import category_distance
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import MISSING, Codes, Numbers, Table
from evosdc_masking.post_randomisation.parameters import PramParameters

Combinations = NDArray[np.int32]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Block:
    """One attribute, or several crossed into one, of a table."""

    attributes: tuple[Attribute, ...]
    states: Combinations  # shape (m, w); codes of each state, one for each attribute
    record: Codes  # shape (n,); state of each record; ``MISSING`` where it has none

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    def counts(self, weights: Numbers | None = None) -> NDArray[np.int64] | Numbers:
        """Return how many records each state has, or the sum of their weights, shape (m,)."""
        present = self.record >= 0
        kept = None if weights is None else weights[present]
        counts = np.bincount(self.record[present], weights=kept, minlength=len(self.states))
        return counts if weights is not None else counts.astype(np.int64)

    def domains(self) -> list[Positions]:
        """Return the positions of the states that lack values of the same attributes, domain by domain."""
        if len(self.attributes) == 1 or len(self.states) == 0:
            return [np.arange(len(self.states))]
        pattern = (self.states == MISSING) @ (1 << np.arange(len(self.attributes), dtype=np.int64))
        return [np.flatnonzero(pattern == value) for value in np.unique(pattern)]

    def labels(self) -> tuple[tuple[str | None, ...], ...]:
        """Return each state's categories, None for a missing value."""
        return tuple(
            tuple(None if code < 0 else a.categories[code] for a, code in zip(self.attributes, state, strict=True))
            for state in self.states.tolist()
        )

    def codes(self, record: Codes, unchanged: Codes) -> Codes:
        """Return the attributes' codes for states by record, shape (n, w); `unchanged` where a record has none."""
        result: Codes = unchanged.copy()
        known = record >= 0
        result[known] = self.states[record[known]]
        return result


def block_of(table: Table, names: Sequence[str], further: Iterable[Sequence[int]] = ()) -> Block:
    """Return the block of some categorical attributes."""
    # further: combinations that belong to it besides those that occur, as codes; for crossed attributes only.
    attributes = tuple(table.schema[name] for name in names)
    columns: Codes = np.stack([np.asarray(table.column(name), dtype=np.int32) for name in names], axis=1)
    if len(attributes) == 1:
        states = np.arange(len(attributes[0].categories), dtype=np.int32)[:, None]
        return Block(attributes, states, np.ascontiguousarray(columns[:, 0]))
    extra = np.array(list(further), dtype=np.int32).reshape(-1, len(attributes))
    together = np.concatenate((columns, extra))
    group = np.zeros(len(together), dtype=np.int64)
    for j, attribute in enumerate(attributes):
        keys = group * (len(attribute.categories) + 1) + together[:, j] + 1
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    if not len(together):
        return Block(attributes, together, np.empty(0, dtype=np.int32))
    return Block(attributes, together[first], group[: len(table)].astype(np.int32))


def crossed_blocks(names: Sequence[str], crossed: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the names block by block, in the order of `names`; those that nothing crosses are blocks by themselves."""
    home = {name: tuple(block) for block in crossed for name in block}
    return list(dict.fromkeys(home.get(name, (name,)) for name in names))


MOST_STATES = 2000
MOST_PREFERENCES = 300  # states that a block may have; a linear program has their square as variables

INVARIANT = ("b", "two-stage", "preference")


def designed(block: Block, counts: Frequencies, params: PramParameters, preferences: Matrix | None = None) -> Matrix:
    """Return the matrix of a block with these frequencies of states, shape (m, m)."""
    # Combinations that lack values of different attributes never lead to each other.
    limit = MOST_PREFERENCES if params.design == "preference" else MOST_STATES
    occurring = int(np.count_nonzero(counts))
    where = ", ".join(block.names)
    if occurring > limit:
        given = f"{occurring} {'combinations' if len(block.names) > 1 else 'categories'} that occur"
        raise ParameterError(Fault(where, given, f"at most {limit}", "Cross fewer attributes, or recode first."))
    matrix = np.identity(len(block.states))
    for domain in block.domains():
        own = None if preferences is None else preferences[np.ix_(domain, domain)]
        inner = _inner(block, domain, counts[domain], params, own, where)
        matrix[np.ix_(domain, domain)] = inner
    return matrix


def with_kept(block: Block, matrix: Matrix, kept: Mapping[str, float]) -> Matrix:
    """Return a matrix of one attribute whose diagonal is as given for some categories, their rows scaled to it."""
    result = matrix.copy()
    attribute = block.attributes[0]
    labels = ["" if state[0] < 0 else attribute.categories[int(state[0])] for state in block.states]
    for i, label in enumerate(labels):
        if label in kept:
            rest = 1.0 - result[i, i]
            others = np.delete(np.arange(len(labels)), i)
            if rest > 0.0:
                result[i, others] *= (1.0 - kept[label]) / rest
                result[i, i] = kept[label]
            elif kept[label] < 1.0 and (reachable := others[matrix[:, i][others] > 0.0]).size:
                result[i, reachable] = (1.0 - kept[label]) / reachable.size
                result[i, i] = kept[label]
    return result


def _inner(
    block: Block, domain: NDArray[np.intp], T: Frequencies, params: PramParameters, own: Matrix | None, where: str
) -> Matrix:
    if params.design == "b":
        assert params.theta is not None
        return design_b(T, params.theta)
    if params.design == "preference":
        return _preferred(block, domain, T, params, own, where)
    assert params.p is not None
    if params.design == "a":
        return design_a(T, params.p)
    first = design_a(T, params.p) if params.first == "a" else even(T, params.p)
    invariant = two_stage(first, T)
    if params.unchanged is None:
        assert params.alpha is not None
        return diluted(invariant, params.alpha)
    result = with_retained(invariant, T, params.unchanged)
    reached = retained(result, T)
    if reached > params.unchanged + 1e-9 and np.count_nonzero(T) > 1 and len(block.attributes) == 1:
        advice = "Choose a smaller p, or a larger share."
        wanted = f"at least {np.ceil(reached * 1000) / 1000:.3f}, the least that the matrix allows"
        raise ParameterError(Fault(f"unchanged ({where})", str(params.unchanged), wanted, advice))
    return result


def _preferred(
    block: Block, domain: NDArray[np.intp], T: Frequencies, params: PramParameters, own: Matrix | None, where: str
) -> Matrix:
    assert params.least is not None
    assert params.most is not None
    assert params.by_record is not None
    occurring = np.flatnonzero(T)
    weights = np.zeros((len(T), len(T)))
    if own is not None:
        weights[:] = own
    elif occurring.size:
        ordered = len(block.attributes) == 1 and block.attributes[0].scale is Scale.ORDINAL
        distances = _distances(block, domain[occurring])
        weights[np.ix_(occurring, occurring)] = exchanged_weights(distances, ordered)
    try:
        matrix = preference_matrix(T, weights, params.least, params.most, params.by_record)
    except ParameterError as error:
        found = error.faults[0]
        raise ParameterError(Fault(f"{found.where} ({where})", found.given, found.wanted, found.advice)) from None
    if (
        own is not None
        and params.least < 1.0
        and occurring.size > 1
        and np.array_equal(matrix, np.identity(len(matrix)))
    ):
        given = "weights under which keeping every value is best"
        advice = "Give the diagonal larger weights than the changes that you prefer, or set most below 1."
        raise ParameterError(Fault(f"preferences ({where})", given, "weights that prefer some changes", advice))
    return matrix


def _distances(block: Block, states: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return sums over attributes: steps between ordinal categories, levels of a hierarchy, or 1 where they differ."""
    total = np.zeros((states.size, states.size))
    for column, attribute in enumerate(block.attributes):
        codes = block.states[states, column]
        steps = category_distance(attribute, by_hierarchy=attribute.scale is Scale.NOMINAL).numerators
        total += steps[np.ix_(codes, codes)]
    return total


Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Assigned:
    """A user's matrix with its states as codes of the block's attributes."""

    states: list[tuple[int, ...]]
    matrix: Matrix  # shape (m, m)

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
    """Return the matrix of each block that the file has one for."""
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
    reported = set()
    for state in one.states:
        labels = dict(zip(names, state, strict=True))
        codes = []
        for attribute in attributes:
            label = labels[attribute.name]
            if label is not None and label not in attribute.code and (attribute.name, label) not in reported:
                reported.add((attribute.name, label))
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


Combination = Mapping[str, str]

_WANTED = 'combinations such as {"sex": "m", "pregnant": "yes"}'


def read_combinations(path: Path) -> list[Combination]:
    """Return the combinations of a file: JSON, a list of tables, or CSV, a header of attributes and one a line."""
    # An empty field of a CSV file says nothing of its attribute.
    text, where = read_text(path, ParameterError), str(path)
    if text.lstrip().startswith("["):
        try:
            found = _tables(json.loads(text), where)
        except json.JSONDecodeError as error:
            given = f"text that is not JSON: {error.msg}"
            raise ParameterError(Fault(f"{where}: line {error.lineno}", given, f"a list of {_WANTED}")) from None
        if not found:
            raise ParameterError(Fault(where, "an empty list", f"a list of {_WANTED}"))
        return found
    reader = csv.reader(text.splitlines())
    lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    lines = [(number, row) for number, row in lines if any(row)]
    if len(lines) < 2:
        given = "one line" if lines else "an empty file"
        raise ParameterError(Fault(where, given, "a header of attributes and a combination on each line"))
    header = lines[0][1]
    faults = [
        Fault(f"{where}: line {number}", f"{len(row)} fields", f"{len(header)}, as in the header")
        for number, row in lines[1:]
        if len(row) != len(header)
    ]
    if faults:
        raise ParameterError(faults)
    return [{name: cell for name, cell in zip(header, row, strict=True) if cell} for _, row in lines[1:]]


def _tables(document: Any, where: str) -> list[Combination]:
    faults = [
        Fault(f"{where}: entry {place}", "no table of texts", _WANTED)
        for place, entry in enumerate(document, start=1)
        if not (isinstance(entry, dict) and all(isinstance(value, str) for value in entry.values()))
    ]
    if faults:
        raise ParameterError(faults)
    return list(document)


def faults_of(zeros: Sequence[Combination], schema: Schema, blocks: Sequence[Sequence[str]], where: str) -> list[Fault]:
    """Return what is wrong with combinations: unknown names, and attributes that are not crossed with each other."""
    faults = []
    for place, zero in enumerate(zeros, start=1):
        here = f"{where}: combination {place}"
        if not zero:
            faults.append(Fault(here, "nothing", _WANTED))
        for name, label in zero.items():
            if name not in schema:
                wanted = f"one of {', '.join(schema.names)}"
                faults.append(Fault(here, f"the attribute {name!r}", wanted, did_you_mean(name, schema.names)))
            elif schema[name].categorical and label not in schema[name].code:
                advice = did_you_mean(label, schema[name].categories)
                faults.append(Fault(here, f"{label!r}, which is no category of {name}", "one of its own", advice))
        known = [name for name in zero if name in schema]
        if known and not any(set(known) <= set(block) for block in blocks):
            advice = f"Add crossed = [{json.dumps(known)}]; attributes drawn apart from each other combine freely."
            faults.append(Fault(here, ", ".join(known), "attributes that are crossed", advice))
    return faults


def forbidden_states(zeros: Sequence[Combination], block: Block) -> NDArray[np.bool_]:
    """Return which states of a block hold one of the combinations, shape (m,)."""
    found = np.zeros(len(block.states), dtype=np.bool_)
    names = block.names
    for zero in zeros:
        if zero and set(zero) <= set(names):
            holds = np.ones(len(block.states), dtype=np.bool_)
            for name, label in zero.items():
                at = names.index(name)
                holds &= block.states[:, at] == block.attributes[at].code[label]
            found |= holds
    return found
