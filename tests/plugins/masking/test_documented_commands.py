"""Every masking method has a page that says what it has to; its commands run in tests/docs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evosdc.plugins.registry import default_registry

PAGES = Path(__file__).parents[3] / "docs" / "masking"
METHODS = sorted(page.stem for page in PAGES.glob("[a-z]*.md"))


def commands(page: str) -> list[str]:
    return re.findall(r"^evosdc (?:mask|estimate|measure) .*$", (PAGES / f"{page}.md").read_text(), re.MULTILINE)


def test_every_method_has_a_page_and_the_list_names_it() -> None:
    assert set(METHODS) == set(default_registry().names("masking-method"))
    listed = (PAGES / "README.md").read_text()
    assert [name for name in METHODS if f"[{name}]({name}.md)" not in listed] == []


@pytest.mark.parametrize("page", METHODS)
def test_every_page_says_when_with_which_parameters_what_is_promised_and_whence(page: str) -> None:
    text = (PAGES / f"{page}.md").read_text()
    assert any(command.startswith(f"evosdc mask {page} ") for command in commands(page))
    headings = [re.search(rf"\*\*{word}|^## {word}", text, re.MULTILINE) for word in ("When", "Promise", "Source")]
    assert None not in headings
    known = default_registry().implementation("masking-method", page).Params.model_fields
    assert [name for name in known if f"`{name}" not in text] == []
