"""The schema of a generalised version of a file: the original's, with the labels that the version adds."""

from collections.abc import Sequence
from dataclasses import replace

from evosdc.files.column import Column
from evosdc.table.numerals import natural_order, numbers
from evosdc.table.schema import Attribute, Scale, Schema


def widened(schema: Schema, columns: Sequence[Column]) -> Schema:
    """Return the schema of a version of a file whose labels may leave the original's categories.

    Labels that a categorical attribute does not have follow its own; a numeric attribute with values that are no
    numbers becomes nominal. Hierarchies stay with the original, whose leaves they are of, and so do edit rules.

    Parameters
    ----------
    schema : Schema
        Of the original.
    columns : sequence of Column
        Of the version; those that the original lacks are passed over.
    """
    named = {column.name: column for column in columns}
    attributes = tuple(
        _widened(a, named[a.name], schema.missing_of(a.name)) for a in schema.attributes if a.name in named
    )
    return replace(schema, attributes=attributes, edit_rules=())


def _widened(attribute: Attribute, column: Column, missing: Sequence[str]) -> Attribute:
    attribute = replace(attribute, hierarchy=None)
    texts = column.present(missing)
    if attribute.categorical:
        added = tuple(text for text in texts if text not in attribute.code)
        return replace(attribute, categories=(*attribute.categories, *added)) if added else attribute
    if numbers(texts, column.mark) is not None:
        return attribute
    return replace(attribute, scale=Scale.NOMINAL, categories=natural_order(texts, column.mark), decimals=0)
