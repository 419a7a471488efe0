"""Microdata files: read into a table, and written back masked with all else as it stood."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.files.atomic import atomic, check_writable, raise_unwritable
from evosdc.files.column import Column
from evosdc.files.formats import TEXT, content_for, ending_of, require_writable_format, writes_text
from evosdc.files.formulas import formula_sentences, formulas_of, made_harmless
from evosdc.files.inference.proposal import Inference, explanations_of
from evosdc.files.original import Original, Published
from evosdc.files.packed import text_file
from evosdc.files.published import changed_values, kept_codes, masked_columns
from evosdc.files.row_order import duplicate_sentences, keeps_order, order_sentences
from evosdc.printing import printable
from evosdc.table.dependence import computed
from evosdc.table.schema import Role
from evosdc.table.table import MISSING, Rows, Table


@dataclass(frozen=True)
class WriteReport:
    """The report of a written file."""

    path: Path
    dropped: tuple[str, ...]  # identifiers, and attributes of the role drop, left out
    changed: Mapping[str, int]  # how many values of each masked attribute differ from the original
    # how many cells of each column a spreadsheet would take for formulas (`evosdc.files.formulas`)
    formulas: Mapping[str, int] = field(default_factory=dict)
    neutralised: bool = False  # whether those were published with a quote before them
    ordered: tuple[str, ...] = ()  # columns left out whose order the rows keep (`evosdc.files.row_order`)
    # by column with codes of missing values: how many values that are missing still had one, how many keep it, and how
    # many masking took away
    codes: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """Warnings before the file is given to others."""
        return [*self.formula_sentences, *self.order_sentences, *self.code_sentences]

    @property
    def code_sentences(self) -> list[str]:
        """Notes on codes of missing values: those that are not published, and what the others tell."""
        said = []
        for name, (had, kept, taken) in self.codes.items():
            if kept < had:
                said.append(
                    f"{printable(name)}: {kept} of {had} values that are still missing keep the code that says why; "
                    "the others would tell which values masking took away, or fewer records would be alike."
                )
            if kept and taken:
                said.append(
                    f"{printable(name)}: codes of missing values stand only where a value was missing before. A "
                    f"missing value without one may be one that masking took away ({taken} values). Users can see it."
                )
        return said

    @property
    def formula_sentences(self) -> list[str]:
        """Warnings on cells that a spreadsheet would take for formulas."""
        return formula_sentences(self.formulas, self.neutralised)

    @property
    def order_sentences(self) -> list[str]:
        """Warnings on rows that keep the order of a column that was left out."""
        return order_sentences(self.ordered)


_TRIED = 50  # number of records, and of unusual texts in a column, written to test whether a format can hold them


@dataclass(frozen=True, eq=False)
class Source:
    """A file's records as a table, and the data for writing them back."""

    table: Table  # all attributes in the file's order; verified
    origin: str  # the path, or the name of a data set
    original: Original  # the file as it stands
    rows: Rows  # shape (n,); positions of the table's records in the file
    notes: tuple[str, ...] = ()  # what was guessed in reading, in plain words
    inference: Inference | None = None  # where no schema was given, the one proposed and why
    # whether cells that a spreadsheet would take for formulas are published with a quote before them
    neutralise_formulas: bool = False
    # columns to drop that are published all the same, computed from the masked values of the column named
    recomputed: Mapping[str, str] = field(default_factory=dict)

    def recomputing(self, recomputed: Mapping[str, str]) -> "Source":
        """Return this source with columns that are computed from masked ones, neither masked nor judged."""
        self.table.schema.require([*recomputed, *recomputed.values()], "data.recompute")
        attributes = [replace(a, role=Role.DROP) if a.name in recomputed else a for a in self.table.schema.attributes]
        table = self.table
        dropped = Table(replace(table.schema, attributes=tuple(attributes)), table.codes, table.numbers)
        return replace(self, table=dropped, recomputed=dict(recomputed))

    def with_recomputed(self, masked: Table) -> Table:
        """Return masked columns and those computed from them; not from columns in categories of their own."""
        known = {n: by for n, by in self.recomputed.items() if by in masked.schema and n not in masked.schema}
        known = {n: by for n, by in known.items() if masked.schema[by] == self.table.schema[by]}
        return masked.beside({n: computed(self.table, n, by, masked) for n, by in known.items()}, self.table.schema)

    def restricted(self, complete: Sequence[str] | bool = False, first: int | None = None) -> "Source":
        """Return only the records without missing values, or only the first ones, or the first of the former."""
        kept: Rows = np.arange(len(self.table), dtype=np.intp)
        if complete is not False:
            part = self.table if complete is True else self.table.select(complete)
            kept = np.flatnonzero((part.codes != MISSING).all(axis=1) & ~np.isnan(part.numbers).any(axis=1))
        if first is not None:
            if first < 1:
                raise DataError(Fault("first", str(first), "a whole number from 1"))
            kept = kept[:first]
        if not len(kept):
            where = printable(self.origin)
            raise DataError(Fault(where, "no complete record", "at least one record without missing values"))
        return replace(self, table=self.table.take(kept), rows=self.rows[kept])

    def ordered_by(self, order: Rows) -> "Source":
        """Return some or all records in another order, given by their positions in this one."""
        return replace(self, table=self.table.take(order), rows=self.rows[order])

    def published(self, masked: Table) -> Table:
        """Return the content of the published file: all but withheld columns, and content outside columns."""
        withheld = set(self.table.schema.withheld) - {*self.carried, *masked.schema.names}
        whole = self.table.with_columns(masked)
        return whole.select([name for name in whole.schema.names if name not in withheld])

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes on how the file was read, without those on a schema that was proposed."""
        return self.notes[: len(self.notes) - (len(self.inference.notes) if self.inference is not None else 0)]

    @property
    def carried(self) -> Mapping[str, str]:
        """Columns that are in a file of this format otherwise than as columns, and how: the edges of a graph."""
        return dict(getattr(self.original, "carried", {}))

    def left_out_sentences(self, dropped: Sequence[str]) -> list[str]:
        """Return why columns are left out that were not declared identifiers; nothing where a schema was given."""
        reasons = self.inference.reasons if self.inference is not None else {}
        left_out = [a for a in self.table.schema.attributes if a.name in dropped and a.name in reasons]
        explanations = explanations_of(left_out, [reasons[attribute.name] for attribute in left_out])
        return [f"Left out, where a schema might say otherwise (evosdc init): {sentence}" for sentence in explanations]

    def write(self, path: Path, masked: Table, drop_identifiers: bool = True, order: Rows | None = None) -> WriteReport:
        """Write the file with masked values in place, readable by its owner alone."""
        path = Path(path)
        require_writable_format(path, self)
        faults = []
        if len(masked) != len(self.table):
            faults.append(Fault("masked table", f"{len(masked)} records", f"{len(self.table)} as in {self.origin}"))
        for name in masked.schema.names:
            if name not in self.table.schema:
                faults.append(Fault("masked table", f"the attribute {name!r}", f"an attribute of {self.origin}"))
        if faults:
            raise DataError(faults)
        masked = self.with_recomputed(masked)
        if order is not None:
            if not len(order):
                raise DataError(Fault(str(path), "no record that may be published", "at least one"))
            return self.ordered_by(order).write(path, masked.take(order), drop_identifiers)
        schema = self.table.schema
        recomputed = [name for name in self.recomputed if name in masked.schema]
        dropped = tuple(n for n in schema.withheld if n not in recomputed) if drop_identifiers else ()
        if len(dropped) == len(schema):
            where = printable(str(path))
            raise DataError(
                Fault(where, "identifiers and columns to drop only", "other attributes to write", "Check the roles.")
            )
        kept = masked.select([name for name in masked.schema.names if name not in dropped])
        columns = {name: self._column(place) for place, name in enumerate(schema.names)}
        made = masked_columns(columns, schema, kept)
        published = [
            Published(
                place, made.get(name, columns[name]), (kept if name in made else self.table).schema[name],
                name in made, schema.missing_of(name),
            )
            for place, name in enumerate(schema.names) if name not in dropped
        ]  # fmt: skip
        text = text_file(self.original)
        titled = text is None or text.dialect.header is not None
        # Other formats than text know texts from formulas.
        formulas = formulas_of(published, titled) if writes_text(path, self.original) else {}
        if self.neutralise_formulas and formulas:
            published = made_harmless(published, titled)
        content = content_for(path, self.original, published, self.rows)
        check_writable(path)
        try:
            with atomic(path) as temporary, temporary.open("wb") as file:
                file.writelines(content)
        except OSError as error:
            raise_unwritable(path, error)
        changed = {name: changed_values(columns[name], schema.missing_of(name), self.table, kept) for name in made}
        dropped = tuple(name for name in dropped if name not in self.carried)
        codes = {name: kept_codes(columns[name], made[name], schema, kept.column(name)) for name in made}
        codes = {name: counts for name, counts in codes.items() if counts[0]}
        return WriteReport(path, dropped, changed, formulas, self.neutralise_formulas, self.ordered(dropped), codes)

    def try_writing(self, path: Path) -> None:
        """Raise `DataError` where the format of a file cannot hold the columns: before a search, not behind it."""
        if ending_of(path).format in ("", *TEXT):
            return
        schema = self.table.schema
        chosen = set(range(min(_TRIED, len(self.rows))))
        for place, name in enumerate(schema.names):
            column = self._column(place)
            if name not in schema.withheld and column.held is None and column.texts:
                odd = [text for text in column.texts if not (text.isascii() and text.isprintable())]
                odd = [max(column.texts, key=len), *odd[:_TRIED]]
                index, first = np.unique(column.index, return_index=True)
                chosen.update(first[np.isin(index, column.places_of(odd))].tolist())
        some = self.rows[sorted(chosen)]
        columns = [
            Published(place, self.original.columns[place].called(name).of_records(some), schema[name], False)
            for place, name in enumerate(schema.names)
            if name not in schema.withheld
        ]
        for masked in (False, True) if columns else ():
            content_for(path, self.original, [replace(one, masked=masked) for one in columns], some)

    def ordered(self, names: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the columns in whose order the rows stand, of those named; by default of those that are left out."""
        schema = self.table.schema
        left_out = [a.name for a in schema.attributes if not a.role.published] if names is None else names
        return tuple(name for name in left_out if keeps_order(self._column(schema.names.index(name))))

    @property
    def duplicates(self) -> list[str]:
        """Warnings on rows that are equal in every column, identifiers included; usually none."""
        columns = [self._column(place) for place in range(len(self.table.schema))]
        return duplicate_sentences(columns, self.table.schema.with_role(Role.IDENTIFIER))

    def _column(self, place: int) -> Column:
        """Return a column of the file, its records those of the table and its name that of the attribute."""
        column = self.original.columns[place].called(self.table.schema.names[place])
        return column if self._whole else column.of_records(self.rows)

    @cached_property
    def _whole(self) -> bool:
        """Whether the records are those of the file in its order."""
        whole = len(self.rows) == len(self.original.columns[0])
        return whole and bool((self.rows == np.arange(len(self.rows), dtype=np.intp)).all())
