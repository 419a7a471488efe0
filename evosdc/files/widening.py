"""The schema of a generalised version of a file: the original's, with the labels that the version adds."""

from collections.abc import Sequence
from dataclasses import replace

from evosdc.files.column import Column
from evosdc.table.generalisation import LabelReader
from evosdc.table.number_texts import NumberTexts
from evosdc.table.numerals import natural_order, number, numbers
from evosdc.table.schema import Attribute, Scale, Schema


def widened(schema: Schema, columns: Sequence[Column]) -> Schema:
    """Return the schema of a version of a file whose labels may leave the original's categories."""
    # Hierarchies and edit rules stay with the original, of whose values they are.
    named = {column.name: column for column in columns}
    attributes = tuple(
        _widened(a, named[a.name], schema.missing_of(a.name)) for a in schema.attributes if a.name in named
    )
    return replace(schema, attributes=attributes, edit_rules=())


def is_generalised(schema: Schema, columns: Sequence[Column]) -> bool:
    """Whether a version of a file has labels that the original has not, and all of them stand for several values."""
    added = [
        (attribute, text)
        for column in columns
        if column.name in schema and column.name not in schema.withheld
        for attribute in (schema[column.name],)
        for text in _wide(column.present(schema.missing_of(column.name)), attribute)
        if (text not in attribute.code if attribute.categorical else number(text, column.mark) is None)
    ]
    readers = {attribute.name: LabelReader(attribute) for attribute, _ in added}
    return bool(added) and all(readers[attribute.name].read(text) is not None for attribute, text in added)


def _wide(texts: Sequence[str], attribute: Attribute) -> Sequence[str]:
    """Return those texts that may be labels which an attribute has not."""
    return texts.words if isinstance(texts, NumberTexts) and not attribute.categorical else texts


def _widened(attribute: Attribute, column: Column, missing: Sequence[str]) -> Attribute:
    attribute = replace(attribute, hierarchy=None)
    texts = column.present(missing)
    if attribute.categorical:
        added = tuple(text for text in texts if text not in attribute.code)
        # Months and years are no days.
        return replace(attribute, categories=(*attribute.categories, *added), date_format="") if added else attribute
    if numbers(texts, column.mark) is not None:
        return attribute
    return replace(attribute, scale=Scale.NOMINAL, categories=natural_order(texts, column.mark), decimals=0)
