"""Every code block of every page runs, and what it prints is what the page shows; see docs/checked.md."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.docs.blocks import NOT_RUN, PROSE, RUN, run_page
from tests.docs.commands import ROOT
from tests.docs.preparation import prepare
from tests.kit.pages import BEGIN, END

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts),
        *ROOT.glob("experiments/*/README.md"),
    ]
)
FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", flags=re.MULTILINE | re.DOTALL)
FETCHED = re.compile(r"\b(adult|census|eia|tarragona|german-credit|solar-flare|pima|poker-hand)\b")
EXPERIMENT = re.compile(r"\bexperiments/[\w./-]+\.toml\b")
LONG = ("docs/howto/front.md", "docs/howto/next-wave.md", "docs/howto/reproduce.md", "docs/judges.md")
"""Pages that run studies or several searches."""
SLOW = (
    "docs/howto/anonymous.md",
    "docs/howto/compare.md",
    "docs/howto/measure.md",
    "docs/masking/clustered.md",
    "docs/masking/optimal-channel.md",
    "docs/measures/generalisation-loss.md",
    "docs/measures/linkage.md",
    "docs/protect.md",
    "docs/python.md",
    "docs/report.md",
)
"""Pages that run a search, or many commands."""
GROUPS = (("studies", LONG), ("endurance", SLOW))
MOST_NOT_RUN = 30
"""How many blocks may say that they are not run."""


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str]]:
    # What `evosdc new-plugin` writes is tested where it is written, and the pages have it word by word (tests/kit).
    text = re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [(language, block) for _, language, block in FENCE.findall(text)]


def fetches(block: str) -> bool:
    """Whether a block, or an experiment that it names, is about a data set that is not embedded."""
    named = [ROOT / path for path in EXPERIMENT.findall(block)]
    return any(FETCHED.search(text) for text in (block, *(path.read_text() for path in named if path.exists())))


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[getattr(pytest.mark, group) for group, pages in GROUPS if name(page) in pages])
        for page in PAGES
        if any(kind not in PROSE for kind, _ in blocks(page))
    ],
    ids=name,
)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [text for language, text in blocks(page) if language not in PROSE]
    if not os.environ.get("EVOSDC_DATA") and any(map(fetches, found)):
        pytest.skip("EVOSDC_DATA names no folder with the published data sets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "160")
    assert run_page(page, prepare(tmp_path, name(page))) == len(found)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_blocks_have_a_language_that_is_run_or_is_prose(page: Path) -> None:
    assert [language for language, _ in blocks(page) if language not in {*RUN, *PROSE}] == []


def test_few_blocks_are_not_run() -> None:
    marked = [name(page) for page in PAGES for _, text in blocks(page) if NOT_RUN.match(text)]
    assert 0 < len(marked) <= MOST_NOT_RUN
