"""From a data set's published files to a `Source`: an ordinary table with a header and a documented schema."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from evosdc.datasets.storage import available
from evosdc.errors import DatasetError, Fault
from evosdc.files.delimited_file import parse_delimited, plain_text
from evosdc.files.schema.description import describe
from evosdc.files.source import Source, source_of
from evosdc.specs import DatasetSpec
from evosdc.table.schema import Attribute, Role, Scale, Schema


def load_dataset(spec: DatasetSpec, offline: bool = False) -> Source:
    """Return a registered data set."""
    # It is written as CSV with a header line, whatever the published file looks like.
    paths = available(spec, offline) if spec.files else {}
    module, _, name = spec.implementation.partition(":")
    source = getattr(import_module(module), name)(paths)
    if not isinstance(source, Source):
        raise DatasetError(Fault(f"data set {spec.name}", f"a {type(source).__name__}", "a Source from its loader"))
    return source


def lines_of(path: Path, separator: str | None, skip: int = 0) -> list[list[str]]:
    """Return the values of a published file without a header, line by line; `separator` None: runs of blanks."""
    lines = path.read_text(encoding="utf-8").splitlines()[skip:]
    return [[value.strip() for value in line.split(separator)] for line in lines if line.strip()]


def source_from_lines(
    name: str, attributes: Sequence[Attribute], lines: Iterable[Sequence[str]], missing: tuple[str, ...] = ("",)
) -> Source:
    """Return the source of a data set from the values of its records."""
    # An attribute without categories, such as an identifier, gets those found.
    content = plain_text([attribute.name for attribute in attributes], list(lines))
    description = describe(Schema(tuple(attributes), missing))
    found = {
        attribute.name: replace(description.attributes[attribute.name], categories=None)
        for attribute in attributes
        if not attribute.categories
    }
    description = replace(description, attributes={**description.attributes, **found})
    return source_of(parse_delimited(content, name, ","), name, description)


def nominal(name: str, categories: str | Sequence[str], role: Role = Role.OTHER) -> Attribute:
    """Return a nominal attribute; categories as a list, or separated by blanks."""
    return Attribute(name, role, Scale.NOMINAL, _labels(categories))


def ordinal(name: str, categories: str | Sequence[str], role: Role = Role.OTHER) -> Attribute:
    """Return an ordinal attribute; categories in order, as a list or separated by blanks."""
    return Attribute(name, role, Scale.ORDINAL, _labels(categories))


def numeric(name: str, role: Role = Role.OTHER, decimals: int = 0) -> Attribute:
    """Return a numeric attribute."""
    return Attribute(name, role, Scale.NUMERIC, (), None, decimals)


def _labels(categories: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(categories.split()) if isinstance(categories, str) else tuple(categories)
