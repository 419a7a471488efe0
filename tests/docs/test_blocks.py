"""Every code block of every page runs, and what it prints is what the page shows; see CONTRIBUTING.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import NOT_RUN, PROSE, RUN, form, run_page
from tests.docs.commands import ROOT
from tests.docs.preparation import FURTHER, TABLES, prepare
from tests.kit.pages import BEGIN, END
from tests.published import SPECS

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts),
        *ROOT.glob("experiments/*/README.md"),
    ]
)
FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", flags=re.MULTILINE | re.DOTALL)
FETCHED = re.compile(rf"\b({'|'.join(name for name, spec in SPECS.items() if spec.files)})\b")
EXPERIMENT = re.compile(r"\bexperiments/[\w./-]+\.toml\b")
LONG = (
    "docs/howto/front.md",
    "docs/howto/next-wave.md",
    "docs/howto/reproduce.md",
    "docs/judges.md",
    "docs/plugins/crossover.md",
)
"""Pages that run studies or several searches."""
SLOW = (
    "docs/certified.md",
    "docs/clustering.md",
    "docs/howto/anonymous.md",
    "docs/howto/compare.md",
    "docs/howto/measure.md",
    "docs/howto/slurm.md",
    "docs/protect.md",
    "docs/python.md",
    "docs/report.md",
    "docs/social.md",
    "docs/tuning.md",
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


def asked_for(page: Path) -> set[str]:
    """Return the data sets that are not embedded of which a page tells, or makes what lies in its folder."""
    texts = [text for language, text in blocks(page) if language not in PROSE]
    texts += [*FURTHER.get(name(page), ()), TABLES.get(name(page), "")]
    named = [ROOT / path for text in texts for path in EXPERIMENT.findall(text)]
    texts += [path.read_text(encoding="utf-8") for path in named if path.exists()]
    return {found for text in texts for found in FETCHED.findall(text)}


def marks(page: Path) -> list[pytest.MarkDecorator]:
    """Return the marks of the test of a page."""
    needs = sorted(asked_for(page))
    groups = [getattr(pytest.mark, group) for group, pages in GROUPS if name(page) in pages]
    return [*groups, *([pytest.mark.data(*needs)] if needs else [])]


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=marks(page)) for page in PAGES if any(kind not in PROSE for kind, _ in blocks(page))],
    ids=name,
)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [text for language, text in blocks(page) if language not in PROSE]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "160")
    assert run_page(page, prepare(tmp_path, name(page))) == len(found)


def test_blocks_have_a_language_that_is_run_or_is_prose() -> None:
    known = {*RUN, *PROSE}
    assert [(name(page), language) for page in PAGES for language, _ in blocks(page) if language not in known] == []


@pytest.mark.parametrize("page", [page for page in PAGES if name(page) in (*LONG, *SLOW)], ids=name)
def test_blocks_that_are_run_before_a_release_alone_name_what_there_is(page: Path) -> None:
    found = [(language, text) for language, text in blocks(page) if language not in PROSE]
    assert found, "a page without blocks needs no place among those of a release"
    for language, text in found:
        form(language, text, {})  # raises where a command, an option or a key does not exist


def test_few_blocks_are_not_run() -> None:
    marked = [name(page) for page in PAGES for _, text in blocks(page) if NOT_RUN.match(text)]
    assert 0 < len(marked) <= MOST_NOT_RUN
