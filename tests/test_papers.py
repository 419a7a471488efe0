"""The papers of the house agree with each other and with the package."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import evosdc
from tests.kit.pages import BEGIN, END

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts),
        *ROOT.glob("experiments/*/README.md"),
    ]
)


def test_the_licences_of_the_metadata_are_those_that_are_given() -> None:
    metadata = configparser.ConfigParser()
    metadata.read(ROOT / "setup.cfg", encoding="utf-8")
    assert metadata["metadata"]["license"] == "BSD-3-Clause"
    files = metadata["metadata"]["license_files"].split()
    assert files[0] == "LICENSE"
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in files]
    assert texts[0].startswith("BSD 3-Clause")
    assert all("Copyright" in text for text in texts)


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {evosdc.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_recipe_and_the_workflows_agree_with_the_metadata() -> None:
    metadata = configparser.ConfigParser()
    metadata.read(ROOT / "setup.cfg", encoding="utf-8")
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{evosdc.__version__}"' in recipe
    run = re.findall(r"^    - (\S+) (>=\S+)$", recipe.partition("  run:\n")[2], flags=re.MULTILINE)
    wanted = metadata["options"]["install_requires"].split()
    assert {f"{name}{bound}" for name, bound in run} == {*wanted, "python>=3.11"}
    (command,) = metadata["options.entry_points"]["console_scripts"].strip().splitlines()
    assert f"- {command}\n" in recipe
    tested = re.search(r"python: (\[.+\])", (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    assert tested is not None
    assert re.findall(r"Python :: (3\.\d+)", metadata["metadata"]["classifiers"]) == re.findall(r"[\d.]+", tested[1])


def test_every_hook_before_a_commit_is_a_check_of_the_whole_check() -> None:
    hooks = re.findall(r"entry: (.+)", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    whole = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    checks = [check.strip() for check in re.findall(r"\.venv/bin/((?:ruff|mypy)[^;&}]*)", whole)]
    assert hooks == checks


def headings(page: Path) -> set[str]:
    """Return the anchors of a page as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_files_of_the_source_that_pages_name_exist() -> None:
    lacking = []
    for page in PAGES:
        text = re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        named = set(re.findall(r"`((?:evosdc|plugins|tests)/[\w./-]+)`", text))
        lacking += [f"{page.name}: {name}" for name in sorted(named) if not (ROOT / name).exists()]
    assert lacking == []


def test_every_relative_link_leads_somewhere() -> None:
    broken = []
    for page in PAGES:
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", prose):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            known = target.exists() and (not anchor or target.suffix != ".md" or anchor in headings(target))
            if not known and not re.match(r"[a-z]+:", link):
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []
