"""The screens, as forms and links work them."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
from datetime import date, timedelta
from http.client import HTTPConnection
from pathlib import Path

import pandas as pd
import pytest

import evosdc
from evosdc.cli import main
from evosdc.files.schema.schema_edits import schema_steps
from evosdc.files.schema.schema_file import load_schema
from evosdc.runs.layout import REFUSED
from evosdc.runs.lock import read_owner
from tests.plugins.app.conftest import fill, serving


def best_of(folder: Path) -> Path:
    """Return the protected file of a run, whatever the verdict calls it."""
    (file,) = folder.glob("best*.csv")
    return file


WISHES = {"no-tune": "1", "no-second-opinion": "1", "protect": ["sex", "age", "town"]}
SHORT = WISHES | {"unhurried": "1", "generations": "8"}
"""A search that takes no time."""


def shown(text):
    """Return the commands that a page shows."""
    return [html.unescape(found) for found in re.findall(r'<code class="copied"[^>]*>(.*?)</code>', text, re.S)]


def words(text):
    """Return what a person reads."""
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split()))


def another_than_the_best(page):
    """Return the number of a file on the front, of those that a page shows, which is not the best one."""
    best = re.search(r'<th scope="row">(\d+) <span class="best">', page)  # none where it is not on the front
    others = set(re.findall(r'name="member" value="(\d+)" aria', page)) - {best and best[1]}
    assert others, "the search found one file alone"
    return min(others)


class TestFile:
    def test_files_and_data_sets_can_be_chosen(self, server):
        page = server.get("/").text
        assert 'href="/file?data=survey.csv"' in page
        assert 'href="/file?data=housing"' in page

    def test_a_schema_is_proposed_edited_and_taken_back(self, server):
        assert "Propose roles" in server.get("/file", data="survey.csv").text
        assert server.post("/init", data="survey.csv").headers["location"].startswith("/file?data=survey.csv")
        schema = server.folder / "survey.schema.toml"
        proposed = schema.read_text()
        rows = server.get("/fragment/attributes", data="survey.csv").text
        assert "its name is demographic" in words(rows)
        given = {
            "data": "survey.csv",
            "name": ["age", "children"],
            "before": ["quasi-identifier ordinal", "other ordinal"],
        }
        server.post("/edit", **given, role=["quasi-identifier", "sensitive"], scale=["numeric", "ordinal"])
        assert [step.attribute for step in schema_steps(schema)] == ["age", "children"]
        assert schema_steps(schema)[0].changes["scale"] == "numeric"
        page = words(server.get("/history", data="survey.csv").text)
        assert "evosdc edit survey.schema.toml children role=sensitive" in page
        for _ in range(2):
            server.post("/undo", data="survey.csv")
        assert schema.read_text() == proposed
        refused = server.post("/undo", data="survey.csv")
        assert refused.status == 400
        assert "no step of evosdc edit" in words(refused.text)

    def test_a_sheet_and_an_encoding_are_chosen_and_count_from_then_on(self, server):
        openpyxl = pytest.importorskip("openpyxl", reason="needs the extra excel")
        book = openpyxl.Workbook()
        for sheet, name in ((book.active, "age"), (book.create_sheet("second"), "years")):
            for row in ((name, "sex"), *((20 + place % 9, "mf"[place % 2]) for place in range(30))):
                sheet.append(row)
        book.save(server.folder / "two.xlsx")
        (server.folder / "miasta.csv").write_bytes("town,sex\nŁódź,f\nGdańsk,m\nwieś,f\n".encode("cp1250"))
        assert "--sheet NAME reads another one" in words(server.get("/file", data="two.xlsx").text)
        assert "try --encoding cp1250" in words(server.get("/file", data="miasta.csv").text)
        server.post("/init", data="two.xlsx", sheet="second")
        server.post("/init", data="miasta.csv", encoding="cp1250")
        assert "years" in words(server.get("/fragment/preview", data="two.xlsx").text)
        assert "Gdańsk" in words(server.get("/fragment/preview", data="miasta.csv").text)
        assert "--sheet second" in words(server.get("/history", data="two.xlsx").text)
        for data in ("two.xlsx", "miasta.csv"):
            assert server.post("/unpropose", data=data).status == 303
        refused = server.post("/init", data="two.xlsx", sheet="third")
        assert "no sheet 'third'" in words(refused.text)

    def test_the_proposal_is_taken_back_last_and_proposed_again(self, server):
        folder = server.folder
        # A column that gets a hierarchy in a file of its own, and one of somebody else that stays.
        (folder / "flat.csv").write_text("rooms,sex\n" + "".join(f"{n % 7},{'mf'[n % 2]}\n" for n in range(60)))
        (folder / "flat.schema-note.csv").write_text("mine\n")
        before = {path.name for path in folder.iterdir()}
        server.post("/init", data="flat.csv")
        schema = folder / "flat.schema.toml"
        proposed = {path.name: path.read_bytes() for path in folder.glob("flat.schema*")}
        edit = {"name": "rooms", "before": "x y", "role": "quasi-identifier", "scale": "ordinal"}
        server.post("/edit", data="flat.csv", part="1", **edit)
        steps = len(schema_steps(schema))
        if not steps:
            server.post("/edit", data="flat.csv", part="1", **edit | {"role": "sensitive"})
            steps = len(schema_steps(schema))
        assert steps
        assert 'action="/unpropose"' not in server.get("/history", data="flat.csv").text
        refused = server.post("/unpropose", data="flat.csv")
        assert refused.status == 400
        assert "Take these steps back first" in words(refused.text)
        for _ in range(steps):
            server.post("/undo", data="flat.csv")
        assert 'action="/unpropose"' in server.get("/history", data="flat.csv").text
        answer = server.post("/unpropose", data="flat.csv")
        assert answer.headers["location"] == "/file?data=flat.csv"
        assert {path.name for path in folder.iterdir()} == before
        assert "Propose roles" in server.get("/file", data="flat.csv").text
        assert "Nothing was done yet" in words(server.get("/history", data="flat.csv").text)
        assert server.post("/unpropose", data="flat.csv").status == 400
        server.post("/init", data="flat.csv")
        assert {path.name: path.read_bytes() for path in folder.glob("flat.schema*")} == proposed
        schema.write_text(f"# a note\n{schema.read_text()}")
        refused = server.post("/unpropose", data="flat.csv")
        assert refused.status == 400
        assert "somebody wrote in it" in words(refused.text)
        assert schema.exists()
        for path in folder.glob("flat*"):
            path.unlink()

    def test_columns_show_what_is_in_them_and_take_codes_for_missing_values(self, server):
        folder = server.folder
        rows = "".join(f"{20 + n % 40},{'mf'[n % 2]},{1.5 + n % 4},{-9 if n % 5 == 0 else n % 3}\n" for n in range(60))
        (folder / "w.csv").write_text(f"age,sex,weight,visits\n{rows}")
        server.post("/init", data="w.csv")
        server.post("/edit", data="w.csv", name="weight", before="x numeric", role="weight", scale="numeric")
        page = server.get("/fragment/attributes", data="w.csv").text
        assert page.count('<svg class="histogram"') == 4
        assert "m 50 %, f 50 %" in words(page)
        assert "weight is taken for the sampling weight: 60 records stand for 180 people" in words(page)
        edit = {"name": "visits", "before": "other ordinal", "role": "other", "scale": "ordinal", "missing": "-9"}
        server.post("/edit", data="w.csv", part="1", **edit)
        assert schema_steps(folder / "w.schema.toml")[-1].changes == {"missing": ["-9"]}
        assert "12 missing" in words(server.get("/fragment/attributes", data="w.csv").text)
        for path in folder.glob("w.*"):
            path.unlink()

    def test_days_and_decimal_commas_are_drawn_in_order_and_remarks_of_the_proposal_stand_below(self, server):
        folder, first = server.folder, date(2022, 12, 31)
        days = [first + timedelta(n * 7 % 300) for n in range(300)]
        rows = "".join(
            f"{day:%d.%m.%Y};{'mf'[n % 2]};{n % 200},5;{-9 if n % 5 == 0 else n % 3}\n" for n, day in enumerate(days)
        )
        (folder / "w.csv").write_text(f"born;sex;amount;visits\n{rows}")
        server.post("/init", data="w.csv")
        page = words(server.get("/fragment/attributes", data="w.csv").text)
        assert "2022-12-31 to 2023-10-26" in page
        assert "0.5 to 199.5" in page
        assert "'-9' in 60 records of visits may stand for" in words(server.get("/fragment/remarks", data="w.csv").text)
        # What the form for recoding shows at first fits its column.
        form = server.get("/recoding", data="w.csv").text
        assert re.search(r'<option value="born" selected>', form)
        assert re.search(r'<option value="level" selected>', form)
        address = re.search(r'data-load="(/fragment/recoding[^"]*)"', form)[1]
        assert "Error" not in words(server.get(html.unescape(address)).text)
        for path in folder.glob("w.*"):
            path.unlink()

    def test_a_limit_that_takes_long_is_left_to_the_command(self, server):
        folder = server.folder
        (folder / "w.csv").write_text("a,b\n" + "".join(f"x{n},y{n * 7 % 400}\n" for n in range(400)))
        attributes = '[attributes]\na = { role = "quasi-identifier" }\nb = { role = "quasi-identifier" }\n'
        (folder / "w.schema.toml").write_text(attributes)
        page = words(server.get("/fragment/limit", data="w.csv").text)
        assert "a and b have 160,000 pairs of categories" in page
        assert "evosdc limit w.csv" in page
        for path in folder.glob("w.*"):
            path.unlink()

    def test_labels_of_an_spss_file_stand_beside_its_columns(self, server):
        pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
        frame = pd.DataFrame({"q1": [1.0, 2.0] * 20, "q2": list(range(40))})
        labels = {"q1": "Self-rated health", "q2": "Years at this address"}
        values = {"q1": {1.0: "good", 2.0: "bad"}}
        pyreadstat.write_sav(frame, server.folder / "s.sav", column_labels=labels, variable_value_labels=values)
        server.post("/init", data="s.sav")
        page = words(server.get("/fragment/attributes", data="s.sav").text)
        assert "Self-rated health" in page
        assert "good 50 %" in page
        for path in server.folder.glob("s.s*"):
            path.unlink()

    def test_typed_labels_go_when_their_step_is_taken_back(self, server):
        folder = server.folder
        (folder / "h.csv").write_text("town,age\n" + "".join(f"{'abc'[n % 3]},{n % 9}\n" for n in range(60)))
        server.post("/init", data="h.csv")
        before = {path.name for path in folder.iterdir()}
        cells = ["a", "A or B", "*", "b", "A or B", "*", "c", "C", "*"]
        server.post("/draw", data="h.csv", attribute="town", kind="labels", width="3", cell=cells)
        assert {path.name for path in folder.iterdir()} - before, "the labels have a file of their own"
        server.post("/undo", data="h.csv")
        assert {path.name for path in folder.iterdir()} == before
        for path in folder.glob("h.*"):
            path.unlink()

    def test_what_protect_refuses_is_refused_before_begin(self, server):
        folder = server.folder
        rows = "".join(f"{n // 3},{'ns'[n // 3 % 2]},{n % 50}\n" for n in range(60))
        (folder / "homes.csv").write_text(f"household_id,region,age\n{rows}")
        server.post("/init", data="homes.csv")
        assert "nothing" in words(server.get("/fragment/refused", data="homes.csv", protect="nothing").text)
        assert words(server.get("/fragment/refused", data="homes.csv").text) == ""
        for path in folder.glob("homes.*"):
            path.unlink()

    @pytest.mark.endurance
    def test_a_column_is_recoded_by_hand_with_counts_of_small_groups(self, server):
        folder = server.folder
        (folder / "r.csv").write_text("age,sex\n" + "".join(f"{20 + n % 40},{'mf'[n % 2]}\n" for n in range(60)))
        server.post("/init", data="r.csv")
        assert "Recode by hand" in words(server.get("/recoding", data="r.csv").text)
        step = {"data": "r.csv", "column": "age", "step": "width", "value": "20"}
        page = words(server.get("/fragment/recoding", **step).text)
        assert "one: alone 20 0" in page, "20 ages occur once, and none in two intervals"
        assert "evosdc mask global-recoding r.csv" in page
        assert "data=r-recoded.csv" in server.post("/recode", **step).headers["location"]
        assert set(pd.read_csv(folder / "r-recoded.csv")["age"]) == {"[20, 40)", "[40, 60)"}
        kept = {name: one.role for name, one in load_schema(folder / "r-recoded.schema.toml").attributes.items()}
        assert kept == {name: one.role for name, one in load_schema(folder / "r.schema.toml").attributes.items()}
        suppress = {"data": "r-recoded.csv", "column": "age", "step": "k", "value": "3"}
        assert "data=r-recoded-recoded.csv" in server.post("/recode", **suppress).headers["location"]
        assert (folder / "r-recoded-recoded.schema.toml").read_text() == (folder / "r-recoded.schema.toml").read_text()
        refused = words(server.get("/fragment/recoding", **step | {"column": "sex"}).text)
        assert "global-recoding" in refused
        assert "alone" not in refused
        for path in folder.glob("r[.-]*"):
            path.unlink()

    def test_the_command_line_shown_repeats_an_edit(self, server, monkeypatch):
        given = {"data": "survey.csv", "name": ["town"], "before": ["quasi-identifier nominal"]}
        server.post("/edit", **given, role=["other"], scale=["nominal"])
        schema = server.folder / "survey.schema.toml"
        lines = [line for line in schema.read_text().splitlines() if not line.startswith("#~")]
        command = shown(server.get("/history", data="survey.csv").text)[-1]
        server.post("/undo", data="survey.csv")
        monkeypatch.chdir(server.folder)
        with pytest.raises(SystemExit) as caught:
            main(shlex.split(command)[1:])
        assert not caught.value.code
        assert [line for line in schema.read_text().splitlines() if not line.startswith("#~")] == lines
        server.post("/undo", data="survey.csv")

    def test_hierarchies_are_drawn_by_rules_and_labels(self, server):
        given = {"data": "survey.csv", "attribute": "town"}
        cells = ["a", "A or B", "*", "b", "A or B", "*", "c", "C", "*", "d", "C", "*", "Zyx4711Q", "C", "*"]
        assert server.post("/draw", **given, kind="labels", width="3", cell=cells).status == 303
        page = server.get("/hierarchy", **given).text
        assert 'value="A or B"' in page
        assert 'hierarchy = "survey.schema-town.csv"' in (server.folder / "survey.schema.toml").read_text()
        twice = server.post("/draw", **given, kind="labels", width="3", cell=["a", "x", "*", "b", "y", "+"])
        assert twice.status == 400
        assert "wanted" in words(twice.text)
        before = (server.folder / "survey.schema.toml").read_text()
        refused = server.post("/draw", **given, kind="widths", parts="5")
        assert refused.status == 400, "towns are no numbers"
        assert (server.folder / "survey.schema.toml").read_text() == before
        server.post("/draw", **given, kind="prefix", parts="1")
        assert "hierarchy = { prefix = [1] }" in (server.folder / "survey.schema.toml").read_text()
        for _ in range(2):
            server.post("/undo", data="survey.csv")

    def test_groups_of_words_are_typed_into_a_table(self, server):
        given = {"data": "survey.csv", "attribute": "town"}
        for wrong in ({"parts": "0"}, {"parts": "x"}, {"parts": "99"}):
            assert server.post("/draw", **given, kind="own", **wrong).status == 400
        assert server.post("/draw", **given, kind="own", parts="2").status == 303
        page = server.get("/hierarchy", **given).text
        assert page.count('aria-label="Level 1 of value') == page.count('aria-label="Level 2 of value') == 5
        assert page.count('name="cell" value="a"') == 3, "each value is a group of its own at first"
        cells = re.findall(r'name="cell" value="([^"]*)"', page)
        renamed = [{"a": "A or B", "b": "A or B"}.get(cell, cell) if at % 4 else cell for at, cell in enumerate(cells)]
        assert server.post("/draw", **given, kind="labels", width="4", cell=renamed).status == 303
        assert server.get("/hierarchy", **given).text.count('value="A or B"') == 4
        for _ in range(2):
            server.post("/undo", data="survey.csv")

    @pytest.mark.parametrize(
        ("attribute", "kind", "parts", "said"),
        [
            ("age", "merge", "2, 4", "2 and 4 neighbours merged"),
            ("town", "prefix", "1", "1 sign masked from the right"),
            ("children", "merge", "2", "2 neighbours merged"),
        ],
    )
    def test_a_rule_is_told_in_words(self, server, attribute, kind, parts, said):
        given = {"data": "survey.csv", "attribute": attribute}
        assert server.post("/draw", **given, kind=kind, parts=parts).status == 303
        for page in (server.get("/hierarchy", **given), server.get("/fragment/attributes", data="survey.csv")):
            assert said in words(page.text)
            assert f"{kind} =" not in page.text
        server.post("/undo", data="survey.csv")

    def test_the_order_of_categories_is_edited(self, server):
        (server.folder / "school.csv").write_text("level,sex\n" + "low,m\nmid,f\nhigh,m\n" * 20)
        server.post("/init", data="school.csv")
        given, schema = {"data": "school.csv", "attribute": "level"}, server.folder / "school.schema.toml"
        server.post("/edit", data="school.csv", name="level", before="quasi-identifier nominal",
                    role="quasi-identifier", scale="ordinal")  # fmt: skip
        assert (
            "/hierarchy?data=school.csv&amp;attribute=level#order"
            in server.get("/fragment/attributes", data="school.csv").text
        )
        assert server.post("/order", **given, order="high\r\nmid\r\nlow\r\n").status == 303
        assert 'categories = ["high", "mid", "low"]' in schema.read_text()
        page = server.get("/hierarchy", **given).text
        assert re.search(r"<textarea[^>]*>high\nmid\nlow</textarea>", page)
        before = schema.read_text()
        refused = server.post("/order", **given, order="high\nlow\nlow")
        assert refused.status == 400
        assert "wanted" in words(refused.text)
        assert schema.read_text() == before
        assert (
            "order of the categories"
            not in words(server.get("/hierarchy", data="school.csv", attribute="sex").text).lower()
        )
        for path in server.folder.glob("school*"):
            path.unlink()

    def test_long_and_turning_texts_are_cut_and_made_visible(self, server):
        (server.folder / "odd.csv").write_text("\u202ename,b\n" + "x" * 100_000 + ",1\ny\u202ez,2\n")
        page = server.get("/fragment/preview", data="odd.csv").text
        assert len(page) < 5000
        assert "\u202e" not in page
        assert "\\u202ename" in page
        (server.folder / "odd.csv").unlink()

    def test_records_come_in_pages(self, server):
        first = server.get("/fragment/preview", data="survey.csv").text
        assert "121 records" in words(first)
        assert "Page of 3" in words(first)
        last = server.get("/fragment/preview", data="survey.csv", page="3").text
        assert last.count("<tr>") == 1 + 21
        assert server.get("/fragment/preview", data="survey.csv", page="99").text == last
        assert server.get("/fragment/preview", data="survey.csv", page="x").text == first

    def test_a_missing_value_is_no_value_of_a_column(self, server):
        # 9 stands for a missing rating by the schema, the empty text in every column.
        rows = "".join(f"{'mf'[n % 2] if n % 5 else ''},{n % 3 if n % 4 else 9}\n" for n in range(60))
        (server.folder / "gaps.csv").write_text("sex,rating\n" + rows)
        (server.folder / "gaps.schema.toml").write_text(
            'missing = [""]\n[attributes]\nsex = { role = "quasi-identifier", scale = "nominal" }\n'
            'rating = { role = "sensitive", scale = "ordinal", missing = ["9"] }\n'
        )
        rows = server.get("/fragment/attributes", data="gaps.csv").text
        assert re.findall(r'<td class="n">(\d+)</td>', rows) == ["2", "3"]
        for path in server.folder.glob("gaps*"):
            path.unlink()

    def test_what_does_not_fit_is_said_as_the_command_line_says_it(self, server, capsys, monkeypatch):
        (server.folder / "broken.csv").write_text("a,b\n1\n")
        monkeypatch.chdir(server.folder)
        with pytest.raises(SystemExit):
            main(["init", "broken.csv", "-o", "broken.schema.toml"])
        said = capsys.readouterr().err.strip().removeprefix("Error: ")
        assert said in words(server.post("/init", data="broken.csv").text)
        assert said in words(server.get("/fragment/preview", data="broken.csv").text)

    @pytest.mark.parametrize(("content", "shown"), [("", 400), ("a\n", 400), ("a,b\n,\n", 200), ("å,ß\nü,é\n", 200)])
    def test_odd_files_are_told_or_shown(self, server, content, shown):
        (server.folder / "odd.csv").write_text(content)
        answer = server.get("/fragment/preview", data="odd.csv")
        assert answer.status == shown
        assert "wanted" in answer.text or "1 record." in words(answer.text)
        assert server.get("/file", data="odd.csv").status == 200
        for path in server.folder.glob("odd*"):
            path.unlink()


@pytest.mark.endurance
def test_nothing_is_downloaded_by_a_click(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOSDC_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with serving(fill(tmp_path / "folder")) as server:
        server.enter()
        for path in ("/fragment/preview", "/risk", "/goal", "/fragment/remarks"):
            answer = server.get(path, data="adult")
            assert answer.status == 400, path
            assert "evosdc datasets fetch adult" in words(answer.text)
        assert server.post("/copy", data="adult").status == 400
        assert server.post("/copy", data="housing").headers["location"] == "/file?data=housing.csv"
        assert len((server.folder / "housing.csv").read_text().splitlines()) == 1001


class TestRiskAndGoal:
    def test_risk_says_which_records_and_why(self, server):
        text = words(server.get("/fragment/risk", data="survey.csv").text)
        assert re.search(r"Unique records \d+ of 121 records", text)
        assert re.search(r"121 (age or )?town", text), "the only one of its town"
        assert "people are expected to be re-identified by an intruder who knows" in text

    @pytest.mark.endurance
    def test_records_that_stand_out_come_in_pages(self, server):
        rows = "".join(f"{20 + n % 60},{'abcdefg'[n % 7]},{n % 11}\n" for n in range(90))
        (server.folder / "many.csv").write_text("age,town,children\n" + rows)
        server.post("/init", data="many.csv")
        first = server.get("/fragment/risk", data="many.csv").text
        whole = json.loads(
            subprocess.run(
                [sys.executable, "-m", "evosdc", *shlex.split(shown(server.get("/risk", data="many.csv").text)[0])[1:],
                 "--json"], cwd=server.folder, capture_output=True, text=True, check=True,
            ).stdout
        )["standing_out"]["listed"]  # fmt: skip
        assert len(whole) > 50, "three pages"

        def records(page):
            return [int(one) for one in re.findall(r'<th scope="row" class="n">(\d+)</th>', page)]

        wanted = [one["record"] for one in whole]
        assert records(first) == wanted[:25]
        assert 'data-from="/fragment/standing?data=many.csv&amp;page=2"' in first
        second = server.get("/fragment/standing", data="many.csv", page="2").text
        assert records(second) == wanted[25:50]
        last = server.get("/fragment/standing", data="many.csv", page="999").text
        assert records(last) == wanted[25 * ((len(wanted) - 1) // 25) :]
        assert server.get("/fragment/standing", data="many.csv", page="x").text == server.get(
            "/fragment/standing", data="many.csv"
        ).text  # fmt: skip
        for path in server.folder.glob("many*"):
            path.unlink()

    def test_bars_are_as_long_as_the_shares(self, server):
        page = server.get("/fragment/risk", data="survey.csv").text
        shares = [float(one) for one in re.findall(r'<rect class="fill" width="([\d.]+)"', page)]
        told = [int(one) for one in re.findall(r'<td class="n">(\d+) %</td>', page)]
        assert [round(share) for share in shares] == told
        assert any(share % 5 for share in shares), "no steps"

    @pytest.mark.parametrize(
        ("given", "command"),
        [
            ({}, "evosdc protect housing --time 60s -o runs/housing"),
            ({"k_on": "1", "k": "4"}, "evosdc protect housing --require 'k-anonymity >= 4' --time 60s -o runs/housing"),
            ({"linked_on": "1", "linked": "5", "seconds": "9"},
             "evosdc protect housing --require 'two-way-linkage <= 5' --time 9s -o runs/housing"),
            ({"more": "l-diversity >= 2\n\n dr <= 20 ", "unhurried": "1"},
             "evosdc protect housing --require 'l-diversity >= 2' --require 'dr <= 20' -o runs/housing"),
            ({"protect": ["built", "metro"], "keep-order": "1", "seed": "0", "executor": "serial", "workers": "1"},
             "evosdc protect housing --protect built,metro --time 60s --keep-order --seed 0 --executor serial "
             "--workers 1 -o runs/housing"),
            ({"seed": ""}, "evosdc protect housing --time 60s -o runs/housing"),
            ({"publishable": "1", "limited": "1", "explainable": "1", "no-second-opinion": "1",
              "neutralise-formulas": "1", "audience": "researchers"},
             "evosdc protect housing --require 'publishable on conditions' --il dbil,ctbil,ebil --dr "
             "best-guess,dbrl,prl,informed-linkage --time 60s --audience researchers --explainable --no-second-opinion "
             "--neutralise-formulas -o runs/housing"),
        ],
    )  # fmt: skip
    def test_wishes_become_a_command(self, server, given, command):
        from evosdc_app.goal_screen import settings

        page = server.get("/goal", data="housing").text
        assert all(f'name="{one.field}"' in page for one in settings())
        assert shown(server.get("/fragment/command", data="housing", **given).text) == [command]

    def test_the_limit_is_beside_what_is_asked(self, server):
        asked = {"data": "survey.csv", "protect": ["sex", "town"], "dr_on": "1", "dr": "30", "limited": "1"}
        page = server.get("/fragment/limit", **asked).text
        assert "<polyline" in page
        assert re.search(r"A risk of at most 30 (costs a loss of \d|cannot be had)", words(page))
        assert "s-original" not in page
        del asked["limited"]
        told = words(server.get("/fragment/limit", **asked).text)
        assert "the two are not compared" in told
        assert "A risk of at most" not in told


@pytest.fixture(scope="module")
def run(server):
    """A search that has ended, begun on the goal screen."""
    if not (server.folder / "survey.schema.toml").exists():
        server.post("/init", data="survey.csv")
    answer = server.post("/begin", data="survey.csv", **SHORT)
    assert answer.status == 303
    server.wait("survey", "finished")
    return "survey"


@pytest.fixture(scope="module")
def traded(server):
    """A search for a trade-off of loss and risk, which has several files on its front, begun on the command line."""
    if not (server.folder / "survey.schema.toml").exists():
        server.post("/init", data="survey.csv")
    data, schema, run = (server.folder / name for name in ("survey.csv", "survey.schema.toml", "runs/traded"))
    options = "--protect sex,age,town --fitness max --bound 99 --generations 8 --no-tune --no-second-opinion --quiet"
    with pytest.raises(SystemExit) as caught:
        main(["protect", str(data), "--schema", str(schema), *options.split(), "-o", str(run)])
    assert not caught.value.code
    return "traded"


class TestSearches:
    @pytest.mark.endurance
    def test_two_tabs_are_told_the_same(self, server, run):
        told = []

        def listen():
            connection = HTTPConnection("127.0.0.1", server.port, timeout=240)
            connection.request(
                "GET", f"/events?run={run}", headers={"Cookie": server.cookie, "Host": f"127.0.0.1:{server.port}"}
            )
            answer = connection.getresponse()
            assert answer.getheader("content-type").startswith("text/event-stream")
            assert answer.readline() == b"event: run\n"
            told.append(json.loads(answer.readline().removeprefix(b"data: ")))
            connection.close()

        tabs = [threading.Thread(target=listen) for _ in range(2)]
        for tab in tabs:
            tab.start()
        for tab in tabs:
            tab.join(40)
        assert told[0] == told[1]
        assert told[0]["phase"] == "finished"
        assert "<svg" in told[0]["html"]

    def test_the_run_is_what_the_shown_command_makes(self, server, run):
        typed = json.loads((server.folder / "runs" / run / "environment.json").read_text())["command"]
        asked = "--protect sex,age,town --generations 8 --no-tune --no-second-opinion"
        assert typed == f"evosdc protect survey.csv --schema survey.schema.toml {asked} -o runs/survey"
        assert typed in shown(server.get("/history", data="survey.csv").text)

    @pytest.mark.endurance
    @pytest.mark.parametrize("executor", ["scoop", "dask"])
    def test_the_executor_of_the_settings_computes_the_same(self, server, run, executor):
        pytest.importorskip({"dask": "distributed"}.get(executor, executor))
        named = set((server.folder / "runs").iterdir())
        folders = []
        for place in ({"executor": "serial"}, {"executor": executor, "workers": "2"}):
            assert server.post("/begin", data="survey.csv", **SHORT, seed="1", **place).status == 303
            folders += set((server.folder / "runs").iterdir()) - named - {*folders}
            server.wait(folders[-1].name, "finished")
        first, second = folders
        typed = json.loads((second / "environment.json").read_text())["command"]
        assert f"--seed 1 --executor {executor} --workers 2 " in typed
        for name in (best_of(first).name, "front.csv"):
            assert (first / name).read_bytes() == (second / name).read_bytes(), name
        assert best_of(first).read_bytes() != best_of(server.folder / "runs" / run).read_bytes()
        end = time.monotonic() + 240  # its process ends its workers yet
        for folder in folders:
            while server.post("/remove", run=folder.name, data="survey.csv").status != 303:
                assert time.monotonic() < end
                time.sleep(0.2)

    @pytest.mark.endurance
    def test_judges_are_asked_about_a_file(self, server, run):
        told = words(server.get("/fragment/member", run=run, member="0", judge="1").text)
        second = evosdc.member(server.folder / "runs" / run, 0, judge=True)["second_opinion"]
        assert second["verdict"] in told
        for name in second["judges"]:
            assert name in told

    def test_judges_complete_the_verdict_of_the_run_s_own_file(self, server, run):
        folder = server.folder / "runs" / run
        kept = {name: (folder / name).read_bytes() for name in ("result.json", "release.json")}
        before = json.loads(kept["result.json"])
        assert not before["second_opinion"]["answered"], "it was begun without judges"
        assert f"evosdc judge runs/{run}" in shown(server.get("/fragment/member", run=run, member="best").text)
        answer = server.post("/judge", run=run, data="survey.csv")
        assert answer.status == 303
        after = json.loads((folder / "result.json").read_text())
        assert after["second_opinion"]["answered"]
        assert after["best"]["file"] == best_of(folder).name
        colour = {False: "refused", True: "conditional"}[after["verdict"]["publishable"]]
        headline = after["verdict"]["headline"]
        for page in ("/history", "/", "/search"):
            text = server.get(page, data="survey.csv" if page != "/" else "").text
            assert f'class="phase finished {colour}"' in text, page
            assert headline in text
        page = words(server.get("/choose", run=run, data="survey.csv").text)
        assert f"Verdict: {after['verdict']['headline'].upper()}" in page
        told = words(server.get("/fragment/member", run=run, member="best").text)
        assert after["second_opinion"]["text"] in told
        assert "Ask" not in told, "all have answered"
        assert "judges" in (folder / "report.html").read_text()
        best_of(folder).rename(folder / before["best"]["file"])
        for name, text in kept.items():
            (folder / name).write_bytes(text)

    def test_the_run_s_own_best_file_comes_first_with_its_verdict(self, server, run):
        page = server.get("/choose", run=run, data="survey.csv").text
        folder = server.folder / "runs" / run
        told = json.loads((folder / "result.json").read_text())["verdict"]
        assert f"Verdict: {told['headline'].upper()}" in words(page)
        for text in told["reasons"] + told["conditions"]:
            assert " ".join(text.split()) in words(page)
        assert shown(page)[0] == f"evosdc export runs/{run} best -o survey-protected.csv"
        done = server.post("/export", run=run, member="best", output="own.csv", data="survey.csv")
        assert done.status == 200
        mark = REFUSED if REFUSED in best_of(folder).name else ""  # a forbidden file says so by its name
        assert (server.folder / f"own{mark}.csv").read_bytes() == best_of(folder).read_bytes()
        assert ("Not to be published: the verdict forbids it" in words(done.text)) == bool(mark)
        assert f"Verdict: {told['headline'].upper()}" in words(done.text)
        assert not list((server.folder / "runs").glob(f"{run}-file-*"))
        written = {path.name for path in server.folder.glob("own*")} | {
            path.name for path in server.folder.glob("cross*")
        }
        assert written == {f"own{mark}.csv", f"own{mark}.manifest.json"}
        kept = {"key", "crosswalk.csv", f"crosswalk-own{mark}.csv", "journal.jsonl"}
        assert kept <= {path.name for path in folder.iterdir()}
        for name in kept:
            assert server.get("/save", file=f"runs/{run}/{name}").status == 404
            assert f"runs%2F{run}%2F{name}" not in done.text
        again = server.get("/choose", run=run, data="survey.csv").text
        assert f"It was exported before, as own{mark}.csv" in words(again)
        assert ">Export again<" in again
        assert server.post("/withdraw", manifest=f"own{mark}.manifest.json").status == 303

    def test_a_best_file_that_is_no_member_is_not_taken_for_another(self, server, run):
        copy = server.folder / "runs" / "apart"
        shutil.copytree(server.folder / "runs" / run, copy)
        result = json.loads((copy / "result.json").read_text())
        result["best"]["scores"]["ctbil"] += 1.0  # of the same IL and DR as a member
        (copy / "result.json").write_text(json.dumps(result))
        page = server.get("/choose", run="apart").text
        assert not re.search(r'<th scope="row">\d+ <span class="best">', page)
        assert '<th scope="row"><span class="best">best</span>' in page
        shutil.rmtree(copy)

    def test_a_second_click_does_not_export_twice(self, server, run):
        answers = []

        def click():
            answers.append(server.post("/export", run=run, member="best", output="twice.csv", data="survey.csv"))

        clicks = [threading.Thread(target=click) for _ in range(2)]
        for one in clicks:
            one.start()
        for one in clicks:
            one.join(240)
        assert sorted(answer.status for answer in answers) == [200, 400]
        refused = next(answer for answer in answers if answer.status == 400)
        assert "Wait for the first export." in words(refused.text)
        (manifest,) = server.folder.glob("twice*.manifest.json")
        assert server.post("/withdraw", manifest=manifest.name).status == 303

    def test_the_command_follows_the_form(self, server, run):
        given = {"run": run, "member": "1", "output": "x y.csv", "keep-order": "1"}
        command = f"evosdc export runs/{run} 1 --keep-order -o 'x y.csv'"
        assert shown(server.get("/fragment/export", **given).text) == [command]

    def test_the_order_of_records_is_kept_where_it_is_asked_for(self, server, run):
        def ticked(page):
            return bool(re.search(r'name="keep-order" value="1" checked', page.text))

        assert not ticked(server.get("/goal", data="survey.csv"))
        assert not ticked(server.get("/choose", run=run))
        command = f"evosdc export runs/{run} 1 --keep-order -o x.csv"
        given = {"run": run, "member": "1", "output": "x.csv", "keep-order": "1"}
        assert shown(server.get("/fragment/export", **given).text) == [command]
        kept = server.folder / "runs" / "kept"
        shutil.copytree(server.folder / "runs" / run, kept)
        resolved = json.loads((kept / "resolved.json").read_text())
        (kept / "resolved.json").write_text(json.dumps(resolved | {"data": resolved["data"] | {"shuffle": False}}))
        assert ticked(server.get("/choose", run="kept")), "the verdict of a run is about its own order"
        shutil.rmtree(kept)

    @pytest.mark.endurance
    def test_searches_draw_from_keys_of_their_own(self, server, run):
        before = set((server.folder / "runs").iterdir())
        assert server.post("/begin", data="survey.csv", **SHORT).status == 303
        (second,) = set((server.folder / "runs").iterdir()) - before
        server.wait(second.name, "finished")
        first = server.folder / "runs" / run
        assert (first / "key").read_bytes() != (second / "key").read_bytes()
        assert best_of(first).read_bytes() != best_of(second).read_bytes()
        history = server.get("/history", data="survey.csv").text
        assert "--key runs/NAME/key" in words(history)
        for folder in (first, second):
            assert (folder / "key").read_text().strip() not in history
        until(lambda: server.post("/remove", run=second.name, data="survey.csv").status == 303)

    def test_the_dossier_is_answered_and_written(self, server, traded):
        assert 'href="/dossier' in server.get("/choose", run=traded).text
        assert "18 of 18 questions are open" in words(server.get("/dossier", run=traded).text)
        purpose = 'For teaching,\n"open" <b>data</b>'
        assert server.post("/dossier", run=traded, data="survey.csv", purpose=purpose).status == 303
        page = server.get("/dossier", run=traded).text
        assert "17 of 18 questions are open" in words(page)
        assert "&lt;b&gt;data&lt;/b&gt;</textarea>" in page
        form = tomllib.loads((server.folder / "runs" / traded / "release.toml").read_text())
        assert form["purpose"].splitlines() == purpose.splitlines()
        written = server.get("/report", run=traded, page="dossier.html")
        assert written.status == 200
        assert "&lt;b&gt;data" in written.text
        assert "sandbox" in written.headers["content-security-policy"]
        assert server.get("/dossier", run="no-such-run").status == 400

    def test_a_failed_export_keeps_what_was_typed(self, server, run):
        typed = {"output": "no/such/place.xyz", "neutralise-formulas": "1", "data": "survey.csv"}
        answer = server.post("/export", run=run, member="1", **typed)
        assert answer.status == 400
        assert 'role="alert"' in answer.text
        assert 'value="no/such/place.xyz"' in answer.text
        assert re.search(r'name="neutralise-formulas" value="1" checked', answer.text)
        assert str(server.folder) not in answer.text
        assert not (server.folder / "no").exists()

    @pytest.mark.endurance
    def test_another_file_than_the_best_has_a_report_of_its_own(self, server, traded):
        run, page = traded, server.get("/choose", run=traded).text
        other = another_than_the_best(page)
        done = server.post("/export", run=run, member=other, output="other.csv", data="survey.csv")
        assert done.status == 200
        typed = f"evosdc choose runs/{run} {other} -o runs/{run}-file-{other}"
        assert typed in shown(done.text)
        own = server.folder / "runs" / f"{run}-file-{other}"
        assert best_of(own).read_bytes() == (server.folder / "other.csv").read_bytes()
        assert f"{own.name}%2Freport.html" in done.text
        history = server.get("/history", data="survey.csv").text
        assert typed in shown(history)
        assert f"File {other} of {run} has a run folder of its own" in words(history)
        again = words(server.get("/choose", run=run, member=other, data="survey.csv").text)
        assert "It was judged before" in again
        assert "was not judged" not in again
        assert server.post("/remove", run=own.name, data="survey.csv").status == 303
        assert not own.exists()
        assert server.post("/withdraw", manifest="other.manifest.json").status == 303

    def test_the_verdict_of_a_stopped_search_is_not_that_of_another_file(self, server, traded):
        halted = server.folder / "runs" / "halted"
        shutil.copytree(server.folder / "runs" / traded, halted)
        result = json.loads((halted / "result.json").read_text())
        (halted / "result.json").write_text(json.dumps(result | {"so_far": True}))
        status = json.loads((halted / "status.json").read_text())
        (halted / "status.json").write_text(json.dumps(status | {"state": "interrupted"}))
        page = server.get("/choose", run="halted").text
        other = another_than_the_best(page)
        assert "since the search was stopped" in words(server.get("/choose", run="halted", member=other).text)
        told = words(server.post("/export", run="halted", member=other, output="o.csv", data="survey.csv").text)
        assert "There is no verdict on this file" in told
        assert "Verdict:" not in told
        assert "report.html" not in told
        told = words(server.post("/export", run="halted", member="best", output="b.csv", data="survey.csv").text)
        assert "There is no verdict" not in told
        assert "Verdict:" in told
        for name in ("o", "b"):
            assert server.post("/withdraw", manifest=f"{name}.manifest.json").status == 303
        shutil.rmtree(halted)

    @pytest.mark.endurance
    def test_a_file_is_looked_at_exported_and_taken_back(self, server, traded, monkeypatch):
        run = traded
        page = server.get("/choose", run=run).text
        members = [int(number) for number in re.findall(r'name="member" value="(\d+)" aria', page)]
        links = re.findall(r'<a href="(/choose[^"]+)" tabindex="-1"', page)
        assert len(links) == len(members) > 1
        text = words(server.get("/fragment/member", run=run, member="0").text)
        assert "What became of each column" in text
        assert "people that an informed intruder is expected to find" in text
        compared = server.get("/choose", run=run, member=members[0], other=members[-1]).text
        assert compared.count('data-load="/fragment/member') == 2
        command = next(line for line in shown(page) if " export " in line)
        done = server.post(
            "/export", run=run, member=re.search(r"export \S+ (\w+)", command)[1], output="given.csv", data="survey.csv"
        )
        assert done.status == 200
        command = shown(done.text)[0]
        again = command.replace("given.csv", "again.csv")
        monkeypatch.chdir(server.folder)
        with pytest.raises(SystemExit) as caught:
            main(shlex.split(again)[1:])
        assert not caught.value.code
        assert (server.folder / "given.csv").read_bytes() == (server.folder / "again.csv").read_bytes()
        saved = server.get("/save", file="given.csv")
        assert saved.text.encode() == (server.folder / "given.csv").read_bytes()
        assert saved.headers["content-disposition"].startswith("attachment")
        assert server.post("/export", run=run, member="999", output="none.csv").status == 400
        assert server.post("/export", run=run, member="x", output="none.csv").status == 400
        (server.folder / "again.csv").write_text("changed\n")
        assert server.post("/withdraw", manifest="again.manifest.json").status == 400
        assert (server.folder / "again.csv").exists()
        assert server.post("/withdraw", manifest="given.manifest.json").status == 303
        assert not (server.folder / "given.csv").exists()

    def test_what_a_search_refuses_is_said(self, server, run):
        before = set((server.folder / "runs").iterdir())
        for typed, told in (({"more": "k-anonimity >= 3"}, "k-anonimity"), ({"generations": "0"}, "greater than")):
            answer = server.post("/begin", data="survey.csv", **SHORT | typed)
            assert answer.status == 400
            assert told in words(answer.text.partition('role="alert"')[2].partition("</ul>")[0])
            assert re.search(r'name="no-tune" value="1" checked', answer.text), "what was typed stays"
            assert "Turn off: Start" in answer.text
        assert set((server.folder / "runs").iterdir()) == before

    def test_a_search_can_be_taken_back(self, server, run):
        copy = server.folder / "runs" / "copied"
        copy.mkdir()
        for path in (server.folder / "runs" / run).iterdir():
            (copy / path.name).write_bytes(path.read_bytes())
        assert server.post("/remove", run="copied", data="survey.csv").status == 303
        assert not copy.exists()


class TestDeaths:
    @pytest.mark.endurance
    def test_nothing_is_lost_by_kill_9(self, tmp_path):
        folder = fill(tmp_path / "folder")
        with serving(folder) as server:
            server.enter()
            server.post("/init", data="survey.csv")
            server.post("/begin", data="survey.csv", **WISHES, seconds="90")
            server.wait("survey", "running")
            server.end(signal.SIGKILL)
        with serving(folder) as server:
            server.enter()
            server.wait("survey", "running", "finished")
            until(lambda: list((folder / "runs" / "survey").glob("checkpoint-*")))
            refused = server.post("/export", run="survey", member="best", output="early.csv", data="survey.csv")
            assert refused.status == 400
            assert "The search goes on" in words(refused.text)
            assert not (folder / "early.csv").exists()
            assert 'action="/export"' not in server.get("/choose", run="survey").text
            assert server.post("/stop", run="survey").status == 303
            server.wait("survey", "stopped")
            assert server.post("/stop", run="survey").status == 400
            assert 'data-when="resumable" hidden' not in server.get("/search", run="survey").text
            assert server.get("/choose", run="survey").text.count('name="other"') > 1
            assert server.post("/resume", run="survey").status == 303
            server.wait("survey", "running")
            # A run that is killed before it has said that it goes on was stopped by the user, and stays so.
            until(lambda: json.loads((folder / "runs/survey/status.json").read_text())["state"] == "running")
            assert server.post("/remove", run="survey").status == 400
            os.kill(read_owner(folder / "runs/survey/.lock").pid, signal.SIGKILL)
            server.wait("survey", "killed", "stopped")
            assert server.post("/finish", run="survey").status == 303
            # The run is found killed until the other process has finished it.
            until(lambda: "by evosdc finish" in words(server.get("/search", run="survey").text))
            assert best_of(folder / "runs" / "survey").exists()

    @pytest.mark.endurance
    def test_it_is_ready_soon(self, tmp_path):
        with serving(fill(tmp_path / "folder")) as server:
            server.enter()
            assert server.get("/").status == 200


def until(condition, seconds=240.0):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_templates_and_scripts_hold_no_logic_of_their_own():
    static = Path(__file__).parents[3] / "plugins" / "evosdc_app" / "static"
    script = (static / "app.js").read_text()
    assert "eval" not in script
    assert "http" not in script.replace("XMLHttpRequest", "")
