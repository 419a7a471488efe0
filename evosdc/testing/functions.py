"""Conformance of functions that plugins offer: data sets, portfolios, formats and pictures."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from xml.etree import ElementTree

import numpy as np

from evosdc.errors import InputError
from evosdc.model import Attribute, Masking, Original, Published, Rows
from evosdc.table.table import Table
from evosdc.testing.purity import assert_repeatable, generator, unchanged
from evosdc.testing.tables import SHAPES, edited, sample_table


class DatasetConformance:
    """Tests that every data set must pass whose files are at hand; subclass it and say which function loads it.

    Examples
    --------
    >>> class TestWard(DatasetConformance):
    ...     records, attributes = 200, 9
    ...
    ...     def dataset(self):
    ...         return load
    """

    records: ClassVar[int] = 0  #: How many records the spec says; 0 where it does not matter.
    attributes: ClassVar[int] = 0  #: Likewise, of the attributes.
    paths: ClassVar[Mapping[str, Any]] = {}  #: The published files by name, as the function is given them.

    def dataset(self) -> Callable[[Mapping[str, Any]], Any]:
        """Return the function to test."""
        raise NotImplementedError("define dataset(self) and return the function that loads the data set")

    def loaded(self) -> Table:
        """Return the data set's table."""
        table: Table = self.dataset()(self.paths).table
        return table

    def test_it_is_as_large_as_the_spec_says(self) -> None:
        table = self.loaded()
        assert len(table) > 0, "a data set without records"
        assert self.records in (0, len(table)), f"{len(table)} records, declared {self.records}"
        assert self.attributes in (0, len(table.schema)), f"{len(table.schema)} attributes, declared {self.attributes}"

    def test_it_is_always_the_same(self) -> None:
        assert_repeatable(lambda _: self.loaded(), 0, "the data set")

    def test_something_can_be_protected(self) -> None:
        roles = [attribute.role for attribute in self.loaded().schema.attributes]
        assert any(role == "quasi-identifier" for role in roles), "no attribute has the role quasi-identifier"


class PortfolioConformance:
    """Tests that every portfolio must pass; subclass it and say which function it is.

    Examples
    --------
    >>> class TestGentle(PortfolioConformance):
    ...     def portfolio(self):
    ...         return gentle
    """

    def portfolio(self) -> Callable[[Table], list[Masking]]:
        """Return the function to test."""
        raise NotImplementedError("define portfolio(self) and return the function that makes the portfolio")

    def entries(self, table: Table) -> list[Masking] | None:
        """Return the entries for a table; None where the function refuses it by an `InputError`."""
        try:
            return list(self.portfolio()(table))
        except InputError:
            return None

    def test_an_ordinary_table_has_entries(self) -> None:
        assert self.entries(sample_table("ordinary")), "no entry for an ordinary table"

    def test_entries_are_maskings_with_labels_of_their_own(self) -> None:
        for name in SHAPES:
            entries = self.entries(sample_table(name)) or []
            assert all(isinstance(entry, Masking) for entry in entries), f"not all are maskings on {name}"
            labels = [entry.label for entry in entries]
            assert len(set(labels)) == len(labels), f"two entries have one label on {name}"

    def test_it_is_repeatable_and_changes_nothing(self) -> None:
        table = sample_table("ordinary")
        with unchanged("the portfolio", table):
            assert_repeatable(lambda _: [e.label for e in self.entries(table) or ()], 0, "the portfolio")


def unchanged_columns(original: Original) -> tuple[list[Published], Rows]:
    """Return all columns of a file as they stand, and the positions of all its records."""
    columns = [Published(place, column, Attribute(column.name), False) for place, column in enumerate(original.columns)]
    return columns, np.arange(len(original.columns[0]), dtype=np.intp)


class FormatConformance:
    """Tests that every format must pass; subclass it, and give its reading function and a small file.

    Examples
    --------
    >>> class TestCharts(FormatConformance):
    ...     content = b"..."
    ...
    ...     def format(self):
    ...         return parse
    """

    content: ClassVar[bytes] = b""  #: A file of the format with two records or more.

    def format(self) -> Callable[[bytes, str], Any]:
        """Return the function to test."""
        raise NotImplementedError("define format(self) and return the function that reads the format")

    def test_a_file_comes_back_as_it_was(self) -> None:
        original = self.format()(self.content, "file")
        assert original is not None, "the file is said to be of another format"
        written = b"".join(original.write(*unchanged_columns(original)))
        again = self.format()(written, "again")
        before, after = ([(c.name, [c.texts[i] for i in c.index]) for c in one.columns] for one in (original, again))
        assert before == after, "a file that was written unchanged reads otherwise"

    def test_records_have_a_place(self) -> None:
        original = self.format()(self.content, "file")
        assert original.place(0), "place(0) says nothing"
        assert original.place(0) != original.place(1), "two records have one place"

    def test_names_of_its_files_end_with_a_suffix(self) -> None:
        assert self.format()(self.content, "file").suffix.startswith("."), "a suffix begins with a full stop"


class PictureConformance:
    """Tests that every picture must pass; subclass it and say which function draws it.

    Examples
    --------
    >>> class TestPlan(PictureConformance):
    ...     def picture(self):
    ...         return pictures
    """

    def picture(self) -> Callable[[Table, Table], Mapping[str, str]]:
        """Return the function to test."""
        raise NotImplementedError("define picture(self) and return the function that draws")

    def test_pictures_are_svg_documents_that_load_nothing(self) -> None:
        for name in SHAPES:
            original = sample_table(name)
            for title, text in self.picture()(original, edited(original, generator(1), 0.3)[0]).items():
                root = ElementTree.fromstring(text)
                assert root.tag.endswith("svg"), f"{title!r} is no SVG document"
                assert "script" not in text and "href" not in text, f"{title!r} loads something"  # noqa: PT018

    def test_it_is_repeatable_and_changes_nothing(self) -> None:
        original = sample_table("ordinary")
        masked = edited(original, generator(2), 0.3)[0]
        with unchanged("the picture", original), unchanged("the picture", masked):
            assert_repeatable(lambda _: dict(self.picture()(original, masked)), 0, "the picture")
