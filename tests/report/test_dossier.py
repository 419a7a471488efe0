"""The dossier of a release: all its sections, what nobody answered, and no risk figure for users of the file."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

import evosdc as library
from evosdc.errors import DataError
from evosdc.report.dossier import SECTIONS, STANDARDS, UNANSWERED, Answers
from evosdc.report.for_users import render_for_users
from evosdc.runs.reader import read_run_folders
from tests.cli.conftest import evosdc, finished, home

__all__ = ["evosdc", "finished", "home"]


def test_a_form_is_written_and_open_questions_stay_visible(evosdc, home):
    answer = evosdc("dossier", home / "r")
    assert answer.status == 0, answer.err
    assert f"{len(Answers.model_fields)} questions are not answered" in answer.out
    page = (home / "r" / "dossier.html").read_text()
    assert page.count(UNANSWERED) == len(Answers.model_fields)
    assert all(f'id="{anchor}"' in page and title in page for anchor, title, _ in SECTIONS)
    assert all(name in page for name in STANDARDS)
    assert all(len(serves) == len(STANDARDS) for _, _, serves in SECTIONS)
    assert "Linkability" in page
    assert "best" in page
    assert (home / "r" / "dossier.html").stat().st_mode & 0o077 == 0
    assert set(tomllib.loads((home / "r" / "release.toml").read_text())) == set(Answers.model_fields)


def test_answers_take_the_place_of_open_questions(evosdc, home):
    evosdc("dossier", home / "r")
    form = home / "r" / "release.toml"
    form.write_text(form.read_text().replace('purpose = ""', 'purpose = "Teaching <b>statistics</b>"'))
    told = json.loads(evosdc("dossier", home / "r", "--json").out)
    assert told["open_questions"] == len(Answers.model_fields) - 1
    page = (home / "r" / "dossier.html").read_text()
    assert "Teaching &lt;b&gt;statistics&lt;/b&gt;" in page
    (home / "mine.toml").write_text("approved_on = 2026-11-30\n")
    written = library.dossier(home / "r", release=home / "mine.toml", output=home / "d.html")
    assert "2026-11-30" in written.read_text()


@pytest.mark.parametrize(
    ("text", "said"), [("purpose = 3", "purpose"), ("purpse = ''", "purpse"), ("purpose", "no TOML")]
)
def test_a_form_that_cannot_be_read_is_refused(evosdc, home, text, said):
    (home / "bad.toml").write_text(text)
    answer = evosdc("dossier", home / "r", "--release", home / "bad.toml")
    assert (answer.status, "Traceback" in answer.err) == (2, False)
    assert said in answer.err
    assert evosdc("dossier", home, "--release", home / "bad.toml").status == 2
    with pytest.raises(DataError, match="absent"):
        Answers.read(home / "absent.toml")


def test_the_page_for_users_has_no_figure_of_risk(home):
    run = read_run_folders([home / "r"])[0]
    page = render_for_users(run)
    words = re.sub(r"<style>.*?</style>", "", page, flags=re.S).lower()
    assert "disclosure risk" not in words
    assert not any(f"<dt>{name}" in words for name in run.result.best.scores if name in ("id", "dr"))
    assert "re-identified" not in words


def test_files_of_the_dossier_are_confidential(evosdc, home):
    evosdc("dossier", home / "r")
    listed = {one["name"]: one["publish"] for one in json.loads(evosdc("doctor", home / "r", "--json").out)["files"]}
    assert listed["dossier.html"] is False
    assert listed["release.toml"] is False
