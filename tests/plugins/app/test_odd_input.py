"""What no page of the workbench sends, and names that files may have all the same."""

from __future__ import annotations

import stat
import threading
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from evosdc.files.schema.schema_edits import schema_steps
from evosdc_app.guard import Session
from evosdc_app.server import open_browser
from tests.plugins.app.test_screens import words

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "é" * 120 + ".csv", "a/" + "x" * 300 + ".csv"])
def test_names_that_no_system_takes_are_refused(server, name):
    for path in ("/file", "/fragment/preview", "/goal", "/risk", "/history", "/search", "/choose", "/fragment/command"):
        answer = server.get(path, data=name, run=name)
        assert answer.status in (400, 404), path
        assert "defect" not in answer.text
    for path, fields in (("/init", {"data": name}), ("/edit", {"data": name}), ("/begin", {"data": name})):
        assert server.post(path, **fields).status == 400, path
    assert server.ask("POST", f"/upload?name={'x' * 300}.csv", b"a\n", Origin=server.origin, x_form=server.form
                      ).status == 400  # fmt: skip


def test_bytes_that_are_no_text_are_refused(server):
    for body in (b"form=\xff\xfe", f"form={server.form}&data=%ff%fe".encode()):
        answer = server.ask("POST", "/init", body, Origin=server.origin, Content_Type=FORM)
        assert answer.status == 400
        assert "UTF-8" in answer.text
    assert server.ask("GET", "/file?data=%ff%fe").status == 400
    assert server.ask("GET", "/%ff").status == 404


def test_too_many_fields_are_refused(server):
    body = f"form={server.form}" + "&a=" * 50_001
    answer = server.ask("POST", "/edit", body, Origin=server.origin, Content_Type=FORM)
    assert answer.status == 413
    assert "too large" in answer.text


def test_lists_of_unequal_length_are_refused(server):
    server.post("/init", data="survey.csv")
    answer = server.post("/edit", data="survey.csv", name=["age", "sex"], before=["x y"], role=["other"], scale=[])
    assert answer.status == 400
    assert "not whole" in answer.text


def test_all_changes_are_made_or_none(server):
    server.post("/init", data="survey.csv")
    schema = server.folder / "survey.schema.toml"
    before = schema.read_text()
    given = {"data": "survey.csv", "name": ["age", "sex"], "before": ["quasi-identifier ordinal"] * 2}
    answer = server.post("/edit", **given, role=["sensitive", "nonsense"], scale=["ordinal", "nominal"])
    assert answer.status == 400
    assert schema.read_text() == before
    assert str(server.folder) not in answer.text, "paths are told as the command line takes them"


def test_columns_that_the_file_has_not_get_into_no_schema(server):
    """A page of before the file was written anew names some; a schema with one fits the file no more."""
    server.post("/init", data="survey.csv")
    schema = server.folder / "survey.schema.toml"
    before = schema.read_text()
    answer = server.post("/edit", data="survey.csv", name="gone", before="other nominal", role="drop", scale="nominal")
    assert answer.status == 400
    assert "gone" in answer.text
    assert schema.read_text() == before


@pytest.mark.parametrize("name", [".", "/", "./"])
def test_the_folder_of_searches_is_no_search(server, name):
    (server.folder / "runs").mkdir(exist_ok=True)
    for path in ("/search", "/events"):
        assert server.get(path, run=name, once="1").status in (400, 404), path


def test_undo_takes_back_the_step_that_its_button_names(server):
    """Another tab may have taken one since."""
    server.post("/init", data="survey.csv")
    schema = server.folder / "survey.schema.toml"
    given = {"data": "survey.csv", "role": "other", "scale": "nominal", "before": "quasi-identifier nominal"}
    server.post("/edit", name="sex", **given)
    page = server.get("/history", data="survey.csv").text
    step = page.split('name="step" value="')[1].split('"')[0]
    server.post("/edit", name="town", **given)
    taken = len(schema_steps(schema))
    answer = server.post("/undo", data="survey.csv", to="/history", step=step)
    assert answer.status == 409
    assert len(schema_steps(schema)) == taken
    assert server.post("/undo", data="survey.csv", to="/history", step=str(taken)).status == 303
    assert len(schema_steps(schema)) == taken - 1
    server.post("/undo", data="survey.csv")


def test_two_tabs_that_save_at_once_lose_nothing(server):
    server.post("/init", data="survey.csv")
    schema = server.folder / "survey.schema.toml"
    done = len(schema_steps(schema))

    def save(name, role):
        fields = {"data": "survey.csv", "name": name, "before": "drop nominal", "role": role, "scale": "nominal"}
        assert server.post("/edit", part="1", **fields).status == 204

    tabs = [threading.Thread(target=save, args=pair) for pair in (("sex", "sensitive"), ("town", "sensitive")) * 3]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join(60)
    assert {step.attribute for step in schema_steps(schema)[done:]} == {"sex", "town"}
    for _ in range(2):
        assert server.post("/undo", data="survey.csv").status == 303


def test_labels_that_are_refused_stay_in_the_form_and_leave_no_file(server):
    server.post("/init", data="survey.csv")
    given = {"data": "survey.csv", "attribute": "sex"}
    assert server.post("/draw", **given, kind="labels", width="3", cell=["f", "F", "*", "m", "M", "*"]).status == 303
    files = sorted(path.name for path in server.folder.iterdir())
    answer = server.post("/draw", **given, kind="labels", width="3", cell=["f", "Typed", "*", "m", "M", "+"])
    assert answer.status == 400
    assert 'value="Typed"' in answer.text
    assert sorted(path.name for path in server.folder.iterdir()) == files
    refused = server.post("/draw", **given, kind="widths", parts="5, 7")
    assert refused.status == 400
    assert 'value="5, 7"' in refused.text
    assert '<option value="widths" selected' in refused.text
    assert 'value="F"' in refused.text
    server.post("/undo", data="survey.csv")


def test_a_search_that_cannot_begin_leaves_no_folder(server):
    runs = server.folder / "runs"
    before = sorted(runs.iterdir()) if runs.exists() else []
    assert server.post("/begin", data="none.csv").status == 400
    assert (sorted(runs.iterdir()) if runs.exists() else []) == before


def test_files_whose_names_cannot_be_shown_are_told_of(server):
    odd = server.folder / "two\nlines.csv"
    odd.write_text("a,b\n1,2\n")
    page = server.get("/").text
    assert "two%0Alines" not in page
    assert "1 more file has a name" in words(page)
    answer = server.get("/file", data="two\nlines.csv")
    assert answer.status == 400
    assert "Rename it" in answer.text
    odd.unlink()


def test_a_file_named_like_a_hierarchy_is_a_file(server):
    sent = server.ask("POST", "/upload?name=survey.schema-foo.csv", b"a\n1\n", Origin=server.origin, x_form=server.form)
    assert sent.text == '{"data":"survey-schema-foo.csv"}'
    (server.folder / "b.schema-foo.csv").write_text("a\n1\n")
    page = server.get("/").text
    for name in ("survey-schema-foo.csv", "b.schema-foo.csv"):
        assert f"data={name}" in page
        (server.folder / name).unlink()


def test_the_token_stands_in_no_command_line(monkeypatch):
    session, seen = Session(1), []

    def opened(address):
        path = Path(url2pathname(urlsplit(address).path))
        seen.append((address, path, path.read_text(), stat.S_IMODE(path.stat().st_mode)))
        session.enter(session.token)
        return True

    monkeypatch.setattr(webbrowser, "open", opened)
    open_browser(f"http://127.0.0.1:1/enter?token={session.token}", session)
    ((address, path, text, mode),) = seen
    assert session.token not in address
    assert session.token in text
    assert mode == 0o600
    assert not path.exists()
