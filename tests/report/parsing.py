"""A page taken apart by the standard library's HTML parser."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "br", "link", "img", "hr", "input", "col"}


@dataclass
class Page:
    """What tests ask of a page; titles of sections stand apart by whether they are folded."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    headings: list[tuple[str, str]] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    folded: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    title: str = ""
    unclosed: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.open: list[str] = []
        self.figure: str | None = None
        self.section = ""
        self.folds = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.page.tags.append(tag)
        if values.get("id"):
            self.page.ids.append(str(values["id"]))
        self.page.links += [str(values[key]) for key in ("src", "href", "action", "data") if values.get(key)]
        self.figure = values.get("data-figure") if tag == "script" else None
        classes = str(values.get("class") or "").split()
        self.section = ""
        if "section-title" in classes:
            self.section = "open"
            self.page.sections.append("")
        elif tag == "summary" and self.folds:
            self.section = "folded"
            self.page.folded.append("")
        self.folds = tag == "details" and "folded" in classes
        if tag == "table":
            self.page.tables.append([])
        if tag == "tr":
            self.page.tables[-1].append([])
        if tag in ("td", "th"):
            self.page.tables[-1][-1].append("")
        if tag in ("h1", "h2", "h3", "h4"):
            self.page.headings.append((tag, ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.section = ""
        if not self.open or self.open.pop() != tag:
            self.page.unclosed.append(tag)

    def handle_data(self, data: str) -> None:
        if "script" in self.open:
            if self.figure:
                self.page.figures[self.figure] = json.loads(data)
            return
        if "style" in self.open:
            return
        if "title" in self.open:
            self.page.title += data
            return
        self.page.text += data
        if self.section:
            titles = self.page.sections if self.section == "open" else self.page.folded
            titles[-1] += data.strip()
        if self.open and any(tag in ("td", "th") for tag in self.open):
            self.page.tables[-1][-1][-1] += data
        if any(tag in ("h1", "h2", "h3", "h4") for tag in self.open):
            tag, text = self.page.headings[-1]
            self.page.headings[-1] = (tag, text + data)


def parsed(html: str) -> Page:
    """Return the parts of a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.page.unclosed += reader.open
    reader.page.text = " ".join(reader.page.text.split())
    return reader.page
