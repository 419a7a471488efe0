"""The small changes of a file that mutation makes and a local search tries, dozens at once.

A generation has hundreds of them, so they are compiled. The kernel makes all of them in one copy of the file, child by
child, and takes each back: a child costs what it changes. Its types are fixed, so that it is compiled once.
"""

from collections.abc import Sequence
from functools import cached_property
from math import cos, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import Microdata
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.record_check import ALL, breaks
from evosdc.table.record_rules import Classes, RuleArrays
from evosdc.table.schema import Role
from evosdc.table.table import MISSING, Rows
from evosdc_cells.domain import CellDomain
from evosdc_cells.edit_rules import GeneRules, Rules, no_rules
from evosdc_cells.files import File, FileBlocks, records_of, with_records

KINDS = ("value", "restoration", "adoption", "exchange")
VALUE, RESTORATION, ADOPTION, EXCHANGE = range(4)
ATTEMPTS = 20  # Tries of numbers, and of partners, before a change is skipped
Genes = NDArray[np.int64]
State = NDArray[np.uint64]
_ATTRIBUTE = np.dtype(
    [
        ("valid", np.int64),  # values, a missing one included where it is valid
        ("categories", np.int64),
        ("neighbours", np.int64),  # whether it moves to a neighbouring category only
        ("numeric", np.int64),
        ("reach", np.int64),  # from here on of numbers, as of `evosdc_cells.domain.NumberCoding`
        ("missing", np.float64),
        ("step", np.float64),  # standard deviation of a normal step in units; 0 for Gray codes
    ]
)


class Made(NamedTuple):
    """What children of one file of n records change."""

    keys: NDArray[np.int64]  # (m,): Of record r of child c, ``c * n + r``
    before: Genes  # (m, V): The records in the file and in the children; no two are equal
    after: Genes


class RecordMoves:
    """Changes of files like an original, each of one record, or of two; rules are kept."""

    # Shapes: original (n, V): its genes.

    def __init__(
        self, original: Genes, domain: CellDomain, steps: bool, spread: float, rules: GeneRules | None
    ) -> None:
        self._original, self._free = original, domain.free
        rules_in_force = rules.compiled if rules is not None else no_rules()
        self._others, self._rules = rules_in_force.others, (*rules_in_force[1:-1], *rules_in_force.arrays)
        attributes = np.zeros(len(domain.sizes), _ATTRIBUTE)
        attributes["valid"], attributes["categories"] = domain.sizes, domain.categories
        attributes["neighbours"] = steps & domain.ordinal & (domain.categories > 1)
        numbers = attributes[len(attributes) - len(domain.coding.reach) :]
        numbers["numeric"], numbers["reach"], numbers["missing"] = 1, domain.coding.reach, domain.coding.missing
        numbers["step"] = spread * domain.coding.deviation
        self._attributes = attributes

    def made(
        self,
        file: Genes,
        kinds: NDArray[np.int64],
        ends: NDArray[np.int64],
        loci: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> Made:
        """Return what children change."""
        # Shapes: file (n, V), kinds, ends (k,), loci (s,).
        return self._made(file, self._others, kinds, ends, loci, self._original, self._alike, rng)

    def mutated(self, g: File, loci: NDArray[np.int64], rng: np.random.Generator) -> File:
        """Return a file with other values at some cells, given as to `made`."""
        loci.sort()
        rows, places = np.divmod(loci, len(self._free))
        # A record with several cells stands there as often, and its first one is changed.
        within = rows.searchsorted(rows) * len(self._free) + places
        made = self._varied(records_of(g, rows).astype(np.int64), self._others_at(rows), within, rng)
        return with_records(g, rows[made.keys], made.after)

    def another(self, record: Genes, row: int, place: int, rng: np.random.Generator) -> Genes:
        """Return the record at some position, shape (V,), with another value of the attribute at a place among F."""
        others = self._others_at(np.array([row]))
        made = self._varied(record[None].copy(), others, np.array([place]), rng)
        return made.after[0] if len(made.after) else record

    def _others_at(self, rows: NDArray[np.int64]) -> Classes:
        return self._others[rows] if len(self._others) else self._others

    def _varied(self, records: Genes, others: Classes, loci: NDArray[np.int64], rng: np.random.Generator) -> Made:
        """Return what changes of values make of some records, as of one child."""
        ends = np.array([len(loci)])
        return self._made(records, others, _VALUE, ends, loci, records, _NO_PARTNERS, rng)

    def _made(
        self,
        file: Genes,
        others: Classes,
        kinds: NDArray[np.int64],
        ends: NDArray[np.int64],
        loci: NDArray[np.int64],
        original: Genes,
        alike: NDArray[np.int32],
        rng: np.random.Generator,
    ) -> Made:
        # Passing numpy's generator itself to a kernel takes longer than a change, and makes it slower to compile.
        state = rng.bit_generator.random_raw(4)
        mark, domain = np.zeros(len(file), dtype=np.int64), (self._free, self._attributes)
        return Made(*_moved(file, mark, state, kinds, ends, loci, original, alike, *domain, others, *self._rules))

    @cached_property
    def _alike(self) -> NDArray[np.int32]:
        """Records in the order of original values; begin and number of each one's value; shape (3, V, n)."""
        n, width = self._original.shape
        alike = np.empty((3, width, n), dtype=np.int32)
        for v, column in enumerate(self._original.T):
            alike[0, v] = column.argsort(kind="stable")
            _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
            alike[1, v], alike[2, v] = (counts.cumsum() - counts)[place], counts[place]
        return alike


_VALUE, _NO_PARTNERS = np.array([VALUE]), np.empty((3, 0, 0), dtype=np.int32)


@njit(cache=True)
def _uniform(state: State) -> float:
    """Return a number in [0, 1) by xoshiro256++ (Blackman & Vigna 2021), whose state is four words."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    total = a + d
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + a
    c ^= a
    d ^= b
    state[0], state[1], state[2] = a ^ d, b ^ c, c ^ (b << np.uint64(17))
    state[3] = (d << np.uint64(45)) | (d >> np.uint64(19))
    return float(word >> np.uint64(11)) / 9007199254740992.0


@njit(cache=True)
def _moved(
    file: Genes,
    mark: NDArray[np.int64],
    state: State,
    kinds: NDArray[np.int64],
    ends: NDArray[np.int64],
    loci: NDArray[np.int64],
    original: Genes,
    alike: NDArray[np.int32],
    free: NDArray[np.int64],
    attributes: NDArray[np.void],
    others: Classes,
    *given: Any,
) -> tuple[NDArray[np.int64], Genes, Genes]:
    """Return what `RecordMoves.made` does; `mark` is zeros, shape (n,), and given are the other arrays of rules."""
    rules = Rules(others, given[0], given[1], given[2], given[3], RuleArrays(*given[4:]))
    ruled = len(rules.first) > 1
    records, width = file.shape
    most, found, begin, child = 2 * len(loci), 0, 0, 0
    keys, before, after = np.empty(most, np.int64), np.empty((most, width), np.int64), np.empty((most, width), np.int64)
    saved, own = np.empty(width, np.int64), np.empty(width, np.int32)
    for step in range(len(loci)):
        while ends[child] <= step:
            child += 1
        kind, row, place = kinds[child], loci[step] // len(free), loci[step] % len(free)
        attribute, other = free[place], row
        if kind == EXCHANGE:
            # The partner has the same original value, and publishes another one.
            first, count = alike[1, attribute, row], alike[2, attribute, row]
            for _ in range(ATTEMPTS):
                drawn = alike[0, attribute, first + int(_uniform(state) * count)]
                if file[drawn, attribute] != file[row, attribute]:
                    other = drawn
                    break
        for touched in (row, other):
            if mark[touched] != child + 1:
                mark[touched] = child + 1
                keys[found] = child * records + touched
                for v in range(width):
                    before[found, v] = file[touched, v]
                found += 1
        for v in range(width):
            saved[v] = file[row, v]
        changed = False
        if kind == EXCHANGE and other != row:
            file[row, attribute], file[other, attribute] = file[other, attribute], file[row, attribute]
            changed = True
        elif kind == RESTORATION:
            differing = 0
            for v in range(width):
                differing += file[row, v] != original[row, v]
            left = int(_uniform(state) * differing)
            for v in range(width):
                if file[row, v] != original[row, v]:
                    if left == 0:
                        file[row, v] = original[row, v]
                        changed = True
                    left -= 1
        elif kind == ADOPTION:
            adopted = int(_uniform(state) * records)
            for v in range(width):
                changed |= file[row, v] != file[adopted, v]
                file[row, v] = file[adopted, v]
        if ruled and changed and (_breaks(file, row, ALL, own, rules) or _breaks(file, other, ALL, own, rules)):
            file[other, attribute] = file[row, attribute]
            for v in range(width):
                file[row, v] = saved[v]
            changed = False
        if not changed:
            _vary(file, row, place, free, attributes, own, rules, state)
        if step + 1 == ends[child]:
            # The child is complete: note what differs, and take it back.
            kept = begin
            for entry in range(begin, found):
                touched, differs = keys[entry] - child * records, False
                for v in range(width):
                    now, then = file[touched, v], before[entry, v]
                    differs |= now != then
                    file[touched, v], before[kept, v], after[kept, v] = then, then, now
                keys[kept] = keys[entry]
                kept += differs
            begin = found = kept
    return keys[:found], before[:found], after[:found]


@njit(cache=True)
def _vary(
    file: Genes,
    row: int,
    place: int,
    free: NDArray[np.int64],
    attributes: NDArray[np.void],
    own: Classes,
    rules: Rules,
    state: State,
) -> None:
    """Give a cell another value, of the attribute at a place among those free; where rules leave none, the next one."""
    ruled = len(rules.first) > 1
    for step in range(len(free)):
        v = free[(place + step) % len(free)]
        attribute, code = attributes[v], file[row, v]
        if attribute["numeric"]:
            reach, missing = attribute["reach"], attribute["missing"]
            # Only values of the original's range are reached, also from a value outside it.
            inside = min(max(code - reach, 0), reach)
            for _ in range(ATTEMPTS):
                if code == MISSING:
                    drawn = int(_uniform(state) * (reach + 1))
                elif reach == 0 or _uniform(state) < missing:
                    drawn = MISSING - reach
                elif attribute["step"] > 0.0:
                    normal = sqrt(-2.0 * log(1.0 - _uniform(state))) * cos(2.0 * pi * _uniform(state))
                    size = max(1, int(abs(attribute["step"] * normal) + 0.5))
                    size = size if _uniform(state) < 0.5 else -size
                    drawn = min(max(inside + size, 0), reach)
                    if drawn == inside:
                        drawn = min(max(inside - size, 0), reach)
                else:
                    # To flip a bit of the Gray code is to flip it and all below it in the number.
                    drawn, flipped, count = inside, 1, 0
                    while flipped // 2 < reach:
                        if inside ^ flipped <= reach:
                            count += 1
                            drawn = inside ^ flipped if _uniform(state) * count < 1.0 else drawn
                        flipped = 2 * flipped + 1
                file[row, v] = reach + drawn
                if not (ruled and _breaks(file, row, v, own, rules)):
                    return
        else:
            categories = attribute["categories"]
            before, chosen, count = categories if code == MISSING else code, code, 0
            near = attribute["neighbours"] and code != MISSING
            for value in range(attribute["valid"]):
                if value == before or (near and (abs(value - before) > 1 or value == categories)):
                    continue
                file[row, v] = value if value < categories else MISSING
                if not (ruled and _breaks(file, row, v, own, rules)):
                    count += 1
                    chosen = file[row, v] if _uniform(state) * count < 1.0 else chosen
            if count:
                file[row, v] = chosen
                return
        file[row, v] = code


@njit(cache=True)
def _breaks(file: Genes, row: int, column: int, own: Classes, rules: Rules) -> bool:
    """Whether a record breaks a rule; with a column, one that was in order before that cell changed."""
    categorical = len(own) - (len(rules.first_start) - 1)
    for v in range(len(own)):
        gene = file[row, v]
        place = rules.first[v]
        if gene < 0:
            place = rules.first[v + 1] - 1
        elif v < categorical:
            place += gene
        else:
            for start in range(rules.first_start[v - categorical], rules.first_start[v - categorical + 1]):
                place += gene >= rules.starts[start]
        own[v] = rules.classes[place]
    return bool(breaks(own, rules.others[row], column, rules.arrays))


CLASS_ATTEMPTS = 10  # Tries of values, or of partners, before a move is skipped
LOOKED_AT = 16  # Records of which the nearest is a partner
CLASS_MOVES = ("class-value", "class-restoration", "class-adoption", "class-exchange")
Change = tuple[Rows, Genes]  # Positions of the records that change, and these records; they may equal what they were


class ClassMoves:
    """Changes of whole records and of classes, the records with the same genes."""

    # ``class-value``: all records of a class get another value of one attribute. ``class-restoration``: those of them
    # with the same original value get that. ``class-adoption``: a record becomes as one of another class.
    # Shapes: original (n, V): the genes of the original.

    def __init__(
        self,
        microdata: Microdata,
        original: Genes,
        domain: CellDomain,
        record_moves: RecordMoves,
        rules: GeneRules | None,
    ) -> None:
        schema = microdata.table.schema
        fixed = [name for name in schema.with_role(Role.QUASI_IDENTIFIER) if name not in microdata.protect]
        self._peers = equivalence_classes(key_codes(microdata.table, fixed))
        self._original, self._free, self._record_moves, self._rules = original, domain.free, record_moves, rules
        numeric = domain.coding.reach.astype(np.float64)
        # By these a difference is taken to be a share of the attribute; categories without order differ or not.
        self._ordered = np.concatenate([domain.ordinal[: len(domain.ordinal) - len(numeric)], numeric > 0])
        self._widths = np.maximum(
            np.concatenate([domain.categories[: len(domain.categories) - len(numeric)], numeric]), 1
        )

    def change(self, genes: Genes, row: int, kind: str, rng: np.random.Generator) -> Change | None:
        """Return what a move of one kind changes in a file; None where it was not possible."""
        if kind == "class-value":
            return self._value(genes, row, rng)
        if kind == "class-restoration":
            return self._restoration(genes, row, rng)
        for _ in range(CLASS_ATTEMPTS):
            other = self._partner(genes, row, rng)
            if other is None:
                return None
            rows, partners = ([row], [other]) if kind == "class-adoption" else ([row, other], [other, row])
            change = self._in_order(np.array(rows, dtype=np.intp), genes[partners])
            if change is not None:
                return change
        return None

    def _value(self, genes: Genes, row: int, rng: np.random.Generator) -> Change | None:
        members, record = _members(genes, row), genes[row]
        for _ in range(CLASS_ATTEMPTS):
            place = int(rng.random() * len(self._free))
            attribute = int(self._free[place])
            # A value that one of them had is mostly near; any other keeps all files within reach.
            value = int(self._original[members[int(rng.random() * len(members))], attribute])
            if value == record[attribute] or rng.random() < 0.5:
                value = self._record_moves.another(record, row, place, rng)[attribute]
            if value != record[attribute]:
                change = self._with(genes, members, attribute, value)
                if change is not None:
                    return change
        return None

    def _restoration(self, genes: Genes, row: int, rng: np.random.Generator) -> Change | None:
        members = _members(genes, row)
        original = self._original[members]
        places, columns = (original != genes[row]).nonzero()
        for _ in range(CLASS_ATTEMPTS if len(places) else 0):
            chosen = int(rng.random() * len(places))
            attribute = int(columns[chosen])
            value = int(original[places[chosen], attribute])
            change = self._with(genes, members[original[:, attribute] == value], attribute, value)
            if change is not None:
                return change
        return None

    def _with(self, genes: Genes, rows: Rows, attribute: int, value: int) -> Change | None:
        """Return records with another value, unless a rule is broken by it."""
        records = genes[rows]
        records[:, attribute] = value
        return self._in_order(rows, records)

    def _in_order(self, rows: Rows, records: Genes) -> Change | None:
        """Return a change, or None where it breaks a rule."""
        if self._rules is not None and self._rules.broken(records, rows).any():
            return None
        return rows, records

    def _partner(self, genes: Genes, row: int, rng: np.random.Generator) -> int | None:
        """Return the nearest of some records of other classes that agree in unmasked attributes."""
        group = self._peers.of[row]
        first, last = self._peers.starts[group : group + 2].tolist()
        drawn = self._peers.members[first + (rng.random(LOOKED_AT) * (last - first)).astype(np.int64)]
        own, theirs = genes[row], genes[drawn]
        apart = own != theirs
        both = (own != MISSING) & (theirs != MISSING)
        shares = np.where(self._ordered & both, np.abs(own - theirs) / self._widths, apart)
        distances = np.where(apart.any(axis=1), shares.sum(axis=1), np.inf)
        nearest = int(distances.argmin())
        return int(drawn[nearest]) if np.isfinite(distances[nearest]) else None


def _members(genes: Genes, row: int) -> NDArray[np.intp]:
    """Return the records with the same genes as one of them."""
    members: NDArray[np.intp] = np.flatnonzero((genes == genes[row]).all(axis=1))
    return members


BLOCK = 1000  # A move of several records changes one in this many
DONE = -1  # Marks the place of a class move that has been made


class Moves:
    """Draws the records that moves are made at, and makes them."""

    # Shapes: original (n, V): the genes of the original.

    def __init__(
        self, microdata: Microdata, original: Genes, domain: CellDomain, records: RecordMoves, rules: GeneRules | None
    ) -> None:
        self._microdata, self._original, self._domain = microdata, original, domain
        self._records, self._rules = records, rules
        # A class that cannot be moved has a value changed instead.
        self._codes = dict.fromkeys(CLASS_MOVES, VALUE)
        for code, kind in enumerate(KINDS):
            self._codes |= {kind: code, f"{kind}s": code + len(KINDS)}
        self._drafted: tuple[FileBlocks, Genes] | None = None

    def made(
        self,
        g: File,
        kinds: Sequence[str],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> Made:
        """Return what children change, ascending by their keys; the parameters are those of `Cells.moved`."""
        genes, n, free = self._draft(g), len(self._original), len(self._domain.free)
        codes = np.array([self._codes[kind] for kind in kinds], dtype=np.int64)
        repeats = np.where(codes < len(KINDS), 1, n // BLOCK)
        drawn = rng.random((2, int(repeats.sum())))
        rows = (drawn[0] * n).astype(np.int64)
        if through is not None:
            weighed = np.array(costly, dtype=np.bool_).repeat(repeats)
            places = through.searchsorted(through[-1] * drawn[0, weighed], "right")
            rows[weighed] = np.minimum(places, n - 1)
        loci, ends = rows * free + (drawn[1] * free).astype(np.int64), repeats.cumsum()
        parts = []
        if not set(CLASS_MOVES).isdisjoint(kinds):
            for child in [place for place, kind in enumerate(kinds) if kind in CLASS_MOVES]:
                change = self._class_moves.change(genes, int(rows[ends[child] - 1]), kinds[child], rng)
                if change is not None:
                    at, records = change
                    parts.append(Made(child * n + at, genes[at], records))
                    loci[ends[child] - 1] = DONE
            ends, loci = (loci != DONE).cumsum()[ends - 1], loci[loci != DONE]
        parts.append(self._records.made(genes, codes % len(KINDS), ends, loci, rng))
        made = parts[0] if len(parts) == 1 else Made(*map(np.concatenate, zip(*parts, strict=True)))
        order = made.keys.argsort()
        return Made(*(array.take(order, axis=0) for array in made))

    @cached_property
    def _class_moves(self) -> ClassMoves:
        return ClassMoves(self._microdata, self._original, self._domain, self._records, self._rules)

    def _draft(self, g: File) -> Genes:
        """Return a copy of a file that kernels change and set back; that of a large file is kept for the next call."""
        if not isinstance(g, FileBlocks):
            return g.astype(np.int64)
        # An interrupted update leaves no draft, since it would be inconsistent.
        drafted, self._drafted = self._drafted, None
        if drafted is None:
            draft = np.asarray(g, dtype=np.int64)
        else:
            known, draft = drafted
            size = len(g.blocks[0])
            for place in g.differing(known).tolist():
                draft[place * size : (place + 1) * size] = g.blocks[place]
        self._drafted = g, draft
        return draft
