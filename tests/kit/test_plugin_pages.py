"""The pages for plugin authors: their examples are those that are tested, and the tutorial works line by line."""

from __future__ import annotations

import csv
import re
import shlex

import pytest

from evosdc import model, testing
from evosdc.cli.plugins import MADE
from evosdc.plugins.discovery import IN_WORDS
from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture
from tests.docs.commands import check_form
from tests.kit.pages import EXAMPLES, FOLDER, page, with_example

DOCS = FOLDER.parent


@pytest.mark.parametrize("kind", MADE)
def test_every_kind_has_a_page_with_the_example_that_is_tested(kind):
    text = page(kind).read_text(encoding="utf-8")
    assert MADE[kind].hook in text
    assert EXAMPLES[kind] in text
    assert with_example(text, kind) == text, "python -m tests.kit.pages writes the examples anew"
    assert f"]({kind}.md)" in (FOLDER / "index.md").read_text(encoding="utf-8")


def test_names_that_pages_mention_exist():
    for path in FOLDER.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for room, module in (("model", model), ("testing", testing)):
            named = set(re.findall(rf"`evosdc\.{room}\.(\w+)", text))
            assert [name for name in named if not hasattr(module, name)] == [], path.name
        links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
        assert [link for link in links if not (FOLDER / link).exists()] == [], path.name


AUTHORS = [
    *sorted(FOLDER.glob("*.md")),
    *(DOCS / name for name in ("howto/measure.md", "notebooks/author.ipynb")),
    *sorted((DOCS.parent / "tests" / "stranger").rglob("*.py")),
]


def test_authors_import_nothing_but_the_contract():
    for path in AUTHORS:
        text = path.read_text(encoding="utf-8").replace("\\n", "\n")
        rooms = set(re.findall(r"^[ \"]*(?:from|import) evosdc\.(\w+)", text, flags=re.MULTILINE))
        assert rooms <= {"model", "testing"}, path


def test_commands_that_need_a_plugin_of_the_reader_s_are_commands_that_there_are():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md")))
    for line in re.findall(r"^ {4}(evosdc .+)$", text, flags=re.MULTILINE):
        # The command of a plugin is there once it is installed.
        if "count-records" not in line.split():
            check_form(line)


def test_the_policy_names_the_contract_of_this_version():
    text = (FOLDER / "compatibility.md").read_text(encoding="utf-8")
    assert f"contract **{IN_WORDS}**" in text
    assert f'evosdc_contract = "{IN_WORDS}"' in text


@pytest.mark.data("adult")
def test_the_tutorial_copied_line_by_line_ends_with_a_front(evosdc, tmp_path):  # noqa: F811
    text = (FOLDER / "tutorial.md").read_text(encoding="utf-8")
    files = re.findall(r"`(rounding\.\w+)`\n\n```\w+\n(.*?)```", text, flags=re.DOTALL)
    assert [name for name, _ in files] == ["rounding.py", "rounding.toml"]
    assert sum(len(content.splitlines()) for _, content in files) < 80
    for name, content in files:
        (tmp_path / name).write_text(content)
    commands = [line.strip().removeprefix("evosdc ") for line in text.splitlines() if line.startswith("    evosdc ")]
    assert [command.split()[0] for command in commands] == ["plugins", "run", "member", "export"]
    for command in commands:
        # As the page says it, but for a file and a search that take less time.
        shorter = ["--set", "data.first=300", "--set", "algorithm.generations=8"] if command.startswith("run") else []
        answer = evosdc(*shlex.split(command), *shorter)
        assert answer.status == 0, answer.err
    with (tmp_path / "rounded" / "front.csv").open() as file:
        front = list(csv.DictReader(file))
    assert len(front) > 5
    assert (tmp_path / "knee.csv").exists()
