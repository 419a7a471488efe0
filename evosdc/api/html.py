"""Views of results in a notebook, and as a page of their own."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from evosdc.files.atomic import check_writable, require_unused, write_text

_COLOURS = {True: "#1a7f37", False: "#b42318", None: "#946200"}

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="generator" content="evosdc">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ padding: .25rem .75rem; text-align: left; border-bottom: 1px solid #8884; }}
</style></head><body><h1>{title}</h1>{body}</body></html>
"""


MOST_LINES, MOST_WIDE = 15, 160  # lines of a result that is printed, and letters of a line


class Framed(ABC):
    """A result whose figures are a table."""

    columns: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _rows(self) -> Iterable[Sequence[object]]:
        """Return the rows of the frame."""

    @property
    def frame(self) -> Any:
        """The figures as a DataFrame, a row each; its columns are in `columns`."""
        import pandas as pd

        return pd.DataFrame(list(self._rows()), columns=list(self.columns))


class Page(ABC):
    """A result that a notebook shows, and that can be written as a page."""

    title: ClassVar[str]
    page: ClassVar[str]  # the name of its file

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return the HTML for a notebook."""

    def report(self, path: str | Path | None = None, overwrite: bool = False) -> Path:
        """Write a page with the result and return where it is; raises `DataError` where a file exists."""
        target = Path(self.page if path is None else path)
        require_free(target, overwrite)
        write_text(target, self._page_text())
        return target

    def _page_text(self) -> str:
        return _PAGE.format(title=escape(self.title), body=self._repr_html_())


class Shown(Page):
    """A result that prints itself in a few lines; a notebook shows more of it."""

    @abstractmethod
    def _lines(self) -> Iterator[str]:
        """Yield the printed lines, the most important first."""

    def lines(self) -> list[str]:
        """Return all lines that say what was found, the most important first."""
        return list(self._lines())

    def _repr_html_(self) -> str:
        first, *others = self._lines()
        return heading(first) + paragraphs(others)

    def __repr__(self) -> str:
        lines = (line if len(line) <= MOST_WIDE else f"{line[: MOST_WIDE - 3]}..." for line in self._lines())
        return "\n".join(islice(lines, MOST_LINES))


def in_python(text: str) -> str:
    """Return a sentence for the command line in Python's words."""
    from evosdc.options.inspection import JudgeOptions, MeasureOptions, RiskOptions
    from evosdc.options.masking import MaskOptions
    from evosdc.options.model import in_python as said_in_python
    from evosdc.options.search import ProtectOptions

    return said_in_python(text, [ProtectOptions, MeasureOptions, RiskOptions, JudgeOptions, MaskOptions])


def heading(text: str, good: bool | None = None) -> str:
    """Return a sentence that stands out: green where all is well, red where it is not, else amber."""
    return f'<p style="border-left: .3rem solid {_COLOURS[good]}; padding-left: .6rem"><b>{escape(text)}</b></p>'


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; numbers are shown with four significant digits."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    lines = ("".join(f"<td>{escape(shown(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def paragraphs(texts: Iterable[str]) -> str:
    """Return a paragraph for each text."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def shown(value: object) -> str:
    """Return a figure or a text as it is shown; nothing where unknown."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def require_free(path: str | Path, overwrite: bool) -> None:
    """Raise `DataError` where a page cannot be written, or where a file exists that is not to be written over."""
    check_writable(path)
    require_unused(path, replace=overwrite, advice="Choose another one, or say overwrite=True.")
