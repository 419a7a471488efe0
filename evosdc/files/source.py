"""Microdata files: read into a table, and written back masked with all else as it stood.

A protected version of a file is read by the schema of its original.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.errors import DataError, Fault, SchemaError
from evosdc.files.atomic import atomic, check_writable, raise_unwritable
from evosdc.files.coding import Origin, encode, merged, merging_sentences, quoted
from evosdc.files.column import Column
from evosdc.files.delimited_file import DelimitedFile
from evosdc.files.encoding import read_bytes
from evosdc.files.formats import TEXT, Reading, content_for, ending_of, parse_file, require_writable_format, writes_text
from evosdc.files.inference.proposal import MISSING_TEXTS, Inference, explanations_of, infer
from evosdc.files.original import Original, Published
from evosdc.files.published import (
    changed_values,
    code_sentences,
    duplicate_sentences,
    formula_sentences,
    formulas_of,
    keeps_order,
    made_harmless,
    masked_columns,
    order_sentences,
    without_quotes,
)
from evosdc.files.schema.description import SchemaDescription, describe
from evosdc.files.schema.hierarchies import with_hierarchies
from evosdc.files.schema.schema_file import load_schema
from evosdc.printing import printable
from evosdc.table.dependence import computed
from evosdc.table.generalisation import LabelReader
from evosdc.table.numerals import NumberTexts, natural_order, number, numbers, same_number
from evosdc.table.schema import WITHHELD, Attribute, NewValues, Role, Scale, Schema
from evosdc.table.table import MISSING, Rows, Table


@dataclass(frozen=True)
class WriteReport:
    """The report of a written file."""

    path: Path
    dropped: tuple[str, ...]  # identifiers, and attributes of the role drop, left out
    changed: Mapping[str, int]  # how many values of each masked attribute differ from the original
    # how many cells of each column a spreadsheet would take for formulas (`evosdc.files.published`)
    formulas: Mapping[str, int]
    neutralised: bool  # whether those were published with a quote before them
    formula_sentences: Sequence[str]  # warnings on them
    order_sentences: Sequence[str]  # warnings on rows that keep the order of a column that was left out
    code_sentences: Sequence[str]  # notes on codes of missing values that are not published

    @property
    def warnings(self) -> list[str]:
        """Warnings before the file is given to others."""
        return [*self.formula_sentences, *self.order_sentences, *self.code_sentences]


_SHOWN = 6  # new values that a note shows
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

    def restricted(self, complete: Sequence[str] | bool = False, first: int | None = None) -> "Source":
        """Return only the records without missing values, or only the first ones, or the first of the former."""
        kept: Rows = np.arange(len(self.table), dtype=np.intp)
        if complete is not False:
            part = self.table if complete is True else self.table.select(complete)
            kept = np.flatnonzero((part.codes != MISSING).all(axis=1) & ~np.isnan(part.numbers).any(axis=1))
        if first is not None and first < 1:
            raise DataError(Fault("first", str(first), "a whole number from 1"))
        kept = kept[:first]
        if not len(kept):
            where = printable(self.origin)
            raise DataError(Fault(where, "no complete record", "at least one record without missing values"))
        return self.ordered_by(kept)

    def ordered_by(self, order: Rows) -> "Source":
        """Return some or all records in another order, given by their positions in this one."""
        return replace(self, table=self.table.take(order), rows=self.rows[order])

    def published(self, masked: Table) -> Table:
        """Return the content of the published file: all but withheld columns, and content outside columns."""
        withheld = set(self.table.schema.withheld) - {*self.original.carried, *masked.schema.names}
        whole = self.table.with_columns(masked)
        return whole.select([name for name in whole.schema.names if name not in withheld])

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes on how the file was read, without those on a schema that was proposed."""
        return self.notes[: len(self.notes) - (len(self.inference.notes) if self.inference is not None else 0)]

    def left_out_sentences(self, dropped: Sequence[str]) -> list[str]:
        """Return why columns are left out that were not declared identifiers; nothing where a schema was given."""
        reasons = self.inference.reasons if self.inference is not None else {}
        left_out = [a for a in self.table.schema.attributes if a.name in dropped and a.name in reasons]
        said = "Left out, where a schema might say otherwise (evosdc init)"
        return [f"{said}: {sentence}" for sentence in explanations_of(left_out, reasons)]

    def write(self, path: Path, masked: Table, drop_identifiers: bool = True, order: Rows | None = None) -> WriteReport:
        """Write the file with masked values in place, readable by its owner alone."""
        path = Path(path)
        require_writable_format(path, self)
        unknown = [name for name in masked.schema.names if name not in self.table.schema]
        faults = [Fault("masked table", f"the attribute {n!r}", f"an attribute of {self.origin}") for n in unknown]
        if len(masked) != len(self.table):
            faults.insert(0, Fault("masked table", f"{len(masked)} records", f"{len(self.table)} as in {self.origin}"))
        if faults:
            raise DataError(faults)
        # Columns that are computed from masked ones; not from columns in categories of their own.
        own, known = self.table.schema, {n: by for n, by in self.recomputed.items() if n not in masked.schema}
        known = {n: by for n, by in known.items() if by in masked.schema and masked.schema[by] == own[by]}
        beside = {n: computed(self.table, n, by, masked) for n, by in known.items()}
        beside |= {n: self.table.column(n) for n in self._emptied if n not in masked.schema}
        masked = masked.beside(beside, own)
        if order is not None:
            if not len(order):
                raise DataError(Fault(str(path), "no record that may be published", "at least one"))
            return self.ordered_by(order).write(path, masked.take(order), drop_identifiers)
        recomputed = [name for name in self.recomputed if name in masked.schema]
        dropped = tuple(n for n in own.withheld if n not in recomputed) if drop_identifiers else ()
        if len(dropped) == len(own):
            given, wanted = "identifiers and columns to drop only", "other attributes to write"
            raise DataError(Fault(printable(str(path)), given, wanted, "Check the roles."))
        kept = masked.select([name for name in masked.schema.names if name not in dropped])
        columns = {name: self._column(place) for place, name in enumerate(own.names)}
        made = masked_columns(columns, own, kept)
        published = [
            Published(
                place, made.get(name, columns[name]), (kept if name in made else self.table).schema[name],
                name in made, own.missing_of(name),
            )
            for place, name in enumerate(own.names) if name not in dropped
        ]  # fmt: skip
        # Other formats than text know texts from formulas.
        titled = not isinstance(self.original, DelimitedFile) or self.original.dialect.header is not None
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
        changed = {name: changed_values(columns[name], own.missing_of(name), self.table, kept) for name in made}
        dropped = tuple(name for name in dropped if name not in self.original.carried)
        return WriteReport(
            path, dropped, changed, formulas, self.neutralise_formulas,
            formula_sentences(formulas, self.neutralise_formulas), order_sentences(self.ordered(dropped)),
            [text for name in made for text in code_sentences(columns[name], made[name], own, kept.column(name))],
        )  # fmt: skip

    def try_writing(self, path: Path) -> None:
        """Raise `DataError` where the format of a file cannot hold the columns: before a search, not behind it."""
        if ending_of(path)[0] in ("", *TEXT):
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

    @property
    def _emptied(self) -> Iterator[str]:
        """The published columns with new values that count as missing."""
        for place, attribute in enumerate(self.table.schema.attributes):
            if attribute.new_values is NewValues.MISSING and attribute.role.published:
                texts = self._column(place).present(self.table.schema.missing_of(attribute.name))
                if any(text not in attribute.code for text in texts):
                    yield attribute.name

    def _column(self, place: int) -> Column:
        """Return a column of the file, its records those of the table and its name that of the attribute."""
        column = self.original.columns[place].called(self.table.schema.names[place])
        return column if self._whole else column.of_records(self.rows)

    @cached_property
    def _whole(self) -> bool:
        """Whether the records are those of the file in its order."""
        return np.array_equal(self.rows, np.arange(len(self.original.columns[0])))


def read_source(
    path: Path | str, schema: Path | str | Schema | SchemaDescription | None = None, **reading: Any
) -> Source:
    """Read a data file: delimited text, Parquet, Feather, Excel, SPSS, Stata or SAS, also packed by gzip or ZIP."""
    # reading: the fields of `Reading`
    if isinstance(schema, str | Path):
        schema = load_schema(Path(schema))
    description = describe(schema) if isinstance(schema, Schema) else schema
    return source_of(parsed(Path(path), Reading(**reading), described=description), str(path), description)


def read_published(path: Path, schema: Path | None = None, generalised: bool = False, **reading: Any) -> Source:
    """Read a file that was published, by the schema of its original, whose identifiers it may lack."""
    if schema is None:
        return read_source(path, **reading)
    description = load_schema(schema)
    original = parsed(path, Reading(**reading), described=description)
    return source_of(original, str(path), description.published(original.columns, generalised))


def parsed(
    path: Path,
    options: Reading | None = None,
    like: Original | None = None,
    described: SchemaDescription | Reading | None = None,
) -> Original:
    """Return a file that was read, before its schema is known; `like` is the file that it was made from."""
    # An encoding or a sheet that a schema says is of the original: a file of another format has none.
    given, otherwise = options or Reading(), described or Reading()
    whole = replace(given, encoding=given.encoding or otherwise.encoding, sheet=given.sheet or otherwise.sheet)
    found = parse_file(read_bytes(path), path, whole, like)
    faults = []
    if given.encoding is not None and not isinstance(found, DelimitedFile):
        wanted = "none: only delimited text is read in an encoding that is named"
        faults.append(Fault(printable(str(path)), f"the encoding {given.encoding!r}", wanted))
    if given.sheet is not None and found.format != ".xlsx":
        faults.append(Fault(printable(str(path)), f"the sheet {given.sheet!r}", "none: only workbooks have sheets"))
    if faults:
        raise DataError(faults)
    return found


def source_of(
    original: Original,
    origin: str,
    description: SchemaDescription | None = None,
    codes: Mapping[str, Sequence[str]] | None = None,
) -> Source:
    """Return the source of a file that was parsed; raises as `read_source`."""
    # Without a description a schema is proposed; `codes` are texts that were confirmed to represent missing values.
    listed = {name: said.categories or () for name, said in description.attributes.items()} if description else {}
    found = [merged(column, listed.get(column.name, ())) for column in original.columns]
    columns = [column for column, _ in found]
    variants = {column.name: own for column, own in found}
    inference = None
    if description is None:
        inference = infer(columns, original.declared, codes, original.variable_labels, original.code_labels)
        schema = inference.schema
        notes = [*original.remarks(schema), *merging_sentences(variants, schema), *inference.notes]
    else:
        schema, usual = _with_usual_words(description.resolve(columns, original.declared), columns)
        absent = description.absent([column.name for column in columns])
        gone = [f"Not in this file, whose schema leaves it out: {printable(', '.join(absent))}."] if absent else []
        new = _new_values(description, columns)
        notes = [*gone, *usual, *new, *_unused_codes(description, columns), *merging_sentences(variants, schema)]
    if isinstance(original, DelimitedFile):  # better now than after the search
        faults, encoding = [], original.encoding.name
        for attribute, label in ((a, label) for a in schema.attributes for label in a.categories):
            try:
                label.encode(encoding)
            except UnicodeEncodeError:
                given = f"the category {quoted(label, attribute)}, which the file's encoding {encoding} cannot write"
                where = printable(f"{origin}, {attribute.name}")
                faults.append(Fault(where, given, "categories in that encoding", "Save the file as UTF-8."))
        if faults:
            raise SchemaError(faults)
    rules = inference.rules if inference is not None else description.rules if description is not None else {}
    table = with_hierarchies(encode(columns, schema, Origin(origin, original.place)), rules)
    neutral = description is not None and description.neutralise_formulas
    rows = np.arange(len(table), dtype=np.intp)
    return Source(table, origin, original, rows, (*original.notes, *notes), inference, neutral)


def _new_values(description: SchemaDescription, columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each column with values that its schema lacks, on what became of them."""
    for column in (column for column in columns if column.name in description.attributes):
        said = description.attributes[column.name]
        new = said.new(column.present((*description.missing, *said.missing)))
        if new and said.new_values is not NewValues.REFUSE:
            became = "count as missing" if said.new_values is NewValues.MISSING else "joined the groups of similar ones"
            texts = [quoted(text, Attribute(column.name, said.role or Role.OTHER)) for text in new[:_SHOWN]]
            shown = printable(", ".join([*dict.fromkeys(texts), *(["..."] if len(new) > _SHOWN else [])]))
            records = int(column.standing(new).sum())
            yield f"{printable(column.name)}: values that the schema lacks {became}: {shown} ({records} records)."


def _unused_codes(description: SchemaDescription, columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each column on codes of missing values that no record has."""
    for column in (column for column in columns if column.name in description.attributes):
        own = description.attributes[column.name].missing
        unused = [c for c in own if not column.occurring([c]) and not same_number(column.texts, [c], column.mark)]
        if unused:
            codes = " and ".join(map(repr, unused))
            yield f"{printable(column.name)}: no record has {codes}, which the schema lists for a missing value."


def _with_usual_words(schema: Schema, columns: Sequence[Column]) -> tuple[Schema, tuple[str, ...]]:
    """Return a schema for which usual words for missing values, such as NA, are missing where they are nothing else."""
    taken: dict[str, list[str]] = {}
    for column, attribute in zip(columns, schema.attributes, strict=True):
        missing = schema.missing_of(attribute.name)
        for text in column.occurring([word for word in MISSING_TEXTS if word not in missing]):
            if not attribute.categorical or text not in attribute.code:
                taken.setdefault(text, []).append(attribute.name)
    listed = {label for attribute in schema.attributes for label in attribute.categories}
    words = [text for text in taken if text not in listed]
    if not words:
        return schema, ()
    shown = [f"{text!r} in {printable(', '.join(taken[text]))}" if text else "empty values" for text in words]
    note = f"Taken for missing, though the schema does not say so: {', '.join(shown)}."
    return replace(schema, missing=(*schema.missing, *words)), (note,)


def widened(schema: Schema, columns: Sequence[Column]) -> Schema:
    """Return the schema of a version of a file whose labels may leave the original's categories."""
    # Hierarchies and edit rules stay with the original, of whose values they are.
    named, attributes = {column.name: column for column in columns}, []
    for attribute in (replace(a, hierarchy=None) for a in schema.attributes if a.name in named):
        column = named[attribute.name]
        texts = column.present(schema.missing_of(attribute.name))
        if attribute.categorical:
            if added := tuple(text for text in texts if text not in attribute.code):
                # Months and years are no days.
                attribute = replace(attribute, categories=(*attribute.categories, *added), date_format="")
        elif numbers(texts, column.mark) is None:
            labels = natural_order(texts, column.mark)
            attribute = replace(attribute, scale=Scale.NOMINAL, categories=labels, decimals=0)
        attributes.append(attribute)
    return replace(schema, attributes=tuple(attributes), edit_rules=())


def is_generalised(schema: Schema, columns: Sequence[Column]) -> bool:
    """Whether a version of a file has labels that the original has not, and all of them represent several values."""
    found = False
    for column in (c for c in columns if c.name in schema and c.name not in schema.withheld):
        attribute, texts = schema[column.name], column.present(schema.missing_of(column.name))
        if attribute.categorical:
            added = [text for text in texts if text not in attribute.code]
        else:
            words = texts.words if isinstance(texts, NumberTexts) else texts
            added = [text for text in words if number(text, column.mark) is None]
        if added:
            reader, found = LabelReader(attribute), True
            if any(reader.read(text) is None for text in added):
                return False
    return found


def read_masked(
    path: Path | str, original: Source, require: Sequence[str] = (), generalised: bool | None = False
) -> Source:
    """Read a protected version of a file by the original's schema; it may leave attributes out."""
    # `generalised`: whether labels may be wider than values; None: where all that are no values are such labels.
    schema = original.table.schema
    held = _parsed_as(Path(path), original)
    if isinstance(held, DelimitedFile):
        # Without the quotes that kept names and texts from being formulas.
        held = replace(held, columns=tuple(without_quotes(column, schema) for column in held.columns))
    names = [column.name for column in held.columns]
    unknown = [name for name in names if name not in schema]
    where, whole = printable(str(path)), printable(original.origin)
    faults = []
    if unknown:
        given = f"the column {printable(', '.join(unknown))}"
        advice = (
            "Give the file it was made from; to judge the other way round, leave what that one lacks out of this one."
        )
        faults.append(Fault(where, given, f"attributes of {whole}", advice))
    lacking = [name for name in require if name in schema and name not in names]
    if lacking:
        given = f"no column {printable(', '.join(lacking))}"
        advice = "Give a file that holds it, or leave it out of the attributes that are judged."
        faults.append(Fault(where, given, f"the protected attributes of {whole}", advice))
    if faults:
        raise SchemaError(faults)
    size = len(held.columns[0])
    if size != len(original.table):
        wanted = f"{len(original.table)} as in {whole}"
        raise DataError(Fault(where, f"{size} records", wanted, "Masked files keep all records in their order."))
    if is_generalised(schema, held.columns) if generalised is None else generalised:
        return source_of(held, str(path), describe(widened(schema, held.columns)))
    # Withheld columns that a file has all the same may hold anything, such as the edges of a graph; households may have
    # other numbers, and masked numbers need not be leaves of their hierarchy.
    kept = schema.select(names)
    free = {a.name: a for a in widened(kept, held.columns).attributes}
    free = {name: free[name] for name in kept.with_role(*WITHHELD, Role.HOUSEHOLD)}
    found = (free.get(a.name, a) for a in kept.attributes)
    lenient = replace(kept, attributes=tuple(a if a.categorical else replace(a, hierarchy=None) for a in found))
    return source_of(held, str(path), describe(lenient))


def _parsed_as(path: Path, original: Source) -> Original:
    """Return a version of a file, a text in the original's encoding unless it is UTF-8."""
    text, encoding = original.original, None
    if isinstance(text, DelimitedFile) and not text.encoding.name.startswith("utf"):
        try:
            read_bytes(path).decode("utf-8")
        except UnicodeDecodeError:
            encoding = text.encoding.name
    return parsed(path, None, original.original, Reading(encoding=encoding))


def holds_generalised(path: Path, original: Source) -> bool:
    """Whether a version of a file has labels wider than the original's values; raises as `read_masked`."""
    return is_generalised(original.table.schema, _parsed_as(path, original).columns)
