"""What pages say of files and runs as they lie in a folder."""

from __future__ import annotations

import asyncio
import html
import json
import re
import subprocess
import sys

import pytest

from evosdc_app import choice_screen
from evosdc_app.calls import Answer, RefusedError
from evosdc_app.guard import Session
from evosdc_app.plane import Point, drawing, points_of, window_of
from evosdc_app.workbench import Form, Workbench
from tests.plugins.app.test_screens import shown, words

ENDED = {"generation": 4, "evaluations": 40, "seconds": 3.0, "best": {"fitness": [9.0], "il": 9.0, "dr": 8.0}}


@pytest.fixture
def folder(server):
    return server.folder


def run_folder(folder, name, status, result=None, **resolved):
    run = folder / "runs" / name
    run.mkdir(parents=True, exist_ok=True)
    (run / "resolved.json").write_text(json.dumps({"title": name, "data": {"file": "survey.csv"}} | resolved))
    (run / "status.json").write_text(json.dumps(ENDED | status))
    if result is not None:
        (run / "result.json").write_text(json.dumps({"version": 2} | result))
    return run


@pytest.mark.parametrize("path", ["/risk", "/goal", "/hierarchy", "/search", "/choose"])
def test_a_screen_without_a_file_says_so(server, path):
    answer = server.get(path)
    assert answer.status == 200
    assert '<a class="button" href="/">Choose a file</a>' in answer.text


def test_an_unknown_search_is_told_of(server):
    answer = server.get("/search", run="nix")
    assert answer.status == 404
    assert "There is no search nix in this folder." in words(answer.text)


def test_files_that_differ_in_their_ending_have_schemas_of_their_own(server, folder):
    (folder / "one.csv").write_text((folder / "survey.csv").read_text())
    (folder / "one.tsv").write_text((folder / "survey.csv").read_text().replace(",", "\t"))
    for name in ("one.csv", "one.tsv"):
        assert server.post("/init", data=name).status == 303
    assert {path.name for path in folder.glob("one*.toml")} == {"one.schema.toml", "one.tsv.schema.toml"}
    assert "--schema one.tsv.schema.toml" in shown(server.get("/goal", data="one.tsv").text)[0]
    (folder / "one.csv").unlink()
    assert "one.tsv.schema.toml" in shown(server.get("/goal", data="one.tsv").text)[0]


def test_why_a_search_came_to_nothing_is_told(server, folder):
    result = {
        "requirements": [
            {"requirement": "k-anonymity >= 50", "value": 3.0, "met": False},
            {"requirement": "dr <= 20", "value": 8.0, "met": True},
        ],
        "warnings": ["No file of the search met k-anonymity >= 50."],
        "best": {"scores": {"il": 9.0, "dr": 8.0}, "fitness": [9.0]},
    }
    run_folder(folder, "missed", {"state": "done", "message": "12 seconds"}, result)
    page = words(server.get("/search", run="missed").text)
    assert "Not met: k-anonymity >= 50: it is 3" in page
    assert "dr <= 20" not in page
    assert "No file of the search met k-anonymity >= 50." in page
    run_folder(folder, "fell", {"state": "failed", "message": "no candidate met k-anonymity >= 99"})
    assert "failed (no candidate met k-anonymity >= 99)" in words(server.get("/search", run="fell").text)


def test_a_stopped_search_is_stopped_by_the_user_once(server, folder):
    run_folder(folder, "ended", {"state": "interrupted", "message": "stopped by the user"})
    page = words(server.get("/search", run="ended").text)
    assert "stopped by the user" in page
    assert "(stopped" not in page
    history = server.get("/history", data="survey.csv").text
    assert 'aria-label="Go on: ended"' in history


def test_a_search_that_was_finished_early_is_told_from_one_that_was_stopped(server, folder):
    for name, message in (("halted", "stopped by the user"), ("cut", "stopped by evosdc finish")):
        run_folder(folder, name, {"state": "interrupted", "message": message})
        assert message in words(server.get("/search", run=name).text)


@pytest.mark.parametrize(("state", "said"), [("done", "no room"), ("interrupted", "The search goes on")])
def test_a_finished_run_is_exported_though_its_report_is_still_written(tmp_path, monkeypatch, state, said):
    bench = Workbench(tmp_path, Session(1))
    run = run_folder(tmp_path, "ended", {"state": state}, {"best": {"scores": {}, "fitness": [9.0]}})

    async def refused(words):
        return Answer(tuple(words), 2, "", "Error: no room")

    monkeypatch.setattr(choice_screen, "_CLOSING", 0.0)
    monkeypatch.setattr(bench.jobs, "active", lambda run: True)  # the process of the run has not ended
    monkeypatch.setattr(bench.calls, "carry_out", refused)
    with pytest.raises(RefusedError, match=said):
        asyncio.run(choice_screen._exported(bench, Form({"member": ["best"], "output": ["own.csv"]}), run))


def test_before_the_search_its_preparation_is_told_and_no_zeros(server, folder):
    begun = {"state": "running", "message": "tuning masking methods: 31 files masked and judged"}
    run = run_folder(folder, "tuned", {})
    (run / "status.json").write_text(json.dumps(begun | {"generation": 0, "evaluations": 0, "seconds": 0.0}))
    page = words(server.get("/search", run="tuned").text)
    assert "31 files masked and judged" in page
    assert "evaluations 0" not in page


def test_the_words_of_a_search_are_explained(server, folder):
    run_folder(folder, "ended", {"state": "interrupted", "message": "stopped by the user"})
    text = server.get("/search", run="ended").text
    assert re.search(r'class="term" tabindex="0">best<span class="tip" role="tooltip">[^<]+information loss', text)


@pytest.mark.endurance
def test_the_limit_comes_at_once_and_then_a_better_one(server):
    server.post("/init", data="survey.csv")
    query = {"data": "survey.csv", "dr_on": "1", "dr": "30"}
    first = server.get("/fragment/limit", **query).text
    assert "<polyline" in first
    assert "--time 2s" in shown(first)[0]
    (address,) = re.findall(r'data-load="([^"]+)"', first)
    whole = server.get(address.replace("&amp;", "&")).text
    assert "--time 20s" in shown(whole)[0]
    assert "data-load" not in whole


@pytest.mark.endurance
def test_the_limit_is_on_the_map_while_a_search_with_one_goes_on(folder):
    import asyncio

    from evosdc_app.goal_screen import QUICK, RunLimits
    from evosdc_app.search_screen import view

    limited = [{"name": name} for name in ("dbil", "ctbil", "ebil")], [{"name": "best-guess"}, {"name": "prl"}]
    others = [{"name": "ctbil"}], [{"name": "best-guess"}]
    source = {"name": "housing", "file": None, "protect": ["built", "degree"]}

    async def asked(name, measures):
        run = run_folder(
            folder, name, {"best": None}, data=source, measures=dict(zip(("il", "dr"), measures, strict=True))
        )
        limits = RunLimits(Workbench(folder, Session(1)))
        limits.ask(run)
        await limits._tasks[name]
        assert QUICK == "2s"
        limits.bench.limits = limits
        assert bool(view(limits.bench, run)["drawing"]) == bool(limits.known(run)), "a map before there is any file"
        return limits.known(run)

    curve = asyncio.run(asked("with", limited))
    assert len(curve) > 2
    assert curve[0][0] == 0.0
    assert asyncio.run(asked("without", others)) == []


@pytest.mark.parametrize("zoom", ["front", "10"])
def test_maps_are_zoomed(zoom):
    points = [Point(0.0, 60.0, "original", "o")]
    points += [Point(10 + at / 10, 12 - at / 10, "chosen" if at == 7 else "front", f"file {at}") for at in range(20)]
    window = window_of(points, zoom)
    whole, near = drawing(points), drawing(points, window=window)

    def apart(drawing):
        places = sorted(mark["x"] for mark in drawing["marks"] if mark["kind"] == "front")
        return places[-1] - places[0]

    assert apart(near) > 4 * apart(whole)
    assert not any(mark["kind"] == "original" for mark in near["marks"])
    assert len(near["rows"]) == len(points), "the table has all"
    left, top, right, bottom = near["frame"]
    assert all(left <= x <= right for x, _ in near["across"])
    assert all(top <= y <= bottom for y, _ in near["up"])
    assert len(near["across"]) > 1
    assert window_of(points, "nonsense") is None


def test_a_file_outside_the_bounds_is_crossed_out_below_the_bound():
    front = [
        {"scores": {"il": 5.0, "dr": dr, "infeasibility": over}, "label": "f"} for dr, over in ((8, 0.0), (7, 0.5))
    ]
    drawn = drawing(points_of(front, "front"), (), 9.0)
    assert [mark["outside"] for mark in drawn["marks"]] == [False, True]
    assert drawn["outside"]
    assert [kind for kind, *_ in drawn["rows"]] == ["front of the search, outside the bounds", "front of the search"]
    assert drawn["accepted"] < min(mark["y"] for mark in drawn["marks"]), "upwards is less in SVG"
    assert not drawing(points_of(front[:1], "front"))["outside"]


def test_a_limit_that_is_flat_is_drawn_as_a_line():
    drawn = drawing((), [(0.0, 26.0), (100.0, 26.0)])
    places = [tuple(map(float, place.split(","))) for place in drawn["limit"].split()]
    assert places[-1][0] - places[0][0] > 300
    assert places[0][1] == places[-1][1]
    assert len(drawn["below"].split()) == 4


def test_the_original_stands_beside_the_ticks_and_not_on_them():
    left, _, _, _ = drawing([Point(0.0, 100.0, "original", "o")])["frame"]
    assert left >= 50, "room for 100 and a mark that reaches five to the left of the axis"


@pytest.mark.endurance
def test_what_is_asked_of_the_informed_intruder_is_what_is_shown(server):
    server.post("/init", data="survey.csv")
    goal = words(server.get("/goal", data="survey.csv").text)
    (measure,) = re.findall(r"informed intruder\s*Linkage [^.]+\. Measure: ([\w-]+)\.", goal)
    assert "for the person of each published record or for the record of each person" in goal
    (command,) = shown(server.get("/fragment/command", data="housing", linked_on="1", linked="5").text)
    assert f"'{measure} <= 5'" in command
    figure = server.get("/fragment/risk", data="survey.csv").text
    percent = json.loads(
        subprocess.run(
            [sys.executable, "-m", "evosdc", "measure", "survey.csv", "survey.csv", "--schema", "survey.schema.toml",
             "--measures", measure, "--json"], cwd=server.folder, capture_output=True, text=True, check=True,
        ).stdout
    )[measure]  # fmt: skip
    assert f"({percent:.1f} %, by " in words(figure)


def test_both_directions_of_an_intruder_are_shown(folder):
    bench = Workbench(folder, Session(1))
    reach = {"expected": 9.0, "records": 100, "percent": 9.0, "original_percent": 50.0, "measure": "ranked-linkage",
             "looks_for": "masked record", "other_percent": 4.0}  # fmt: skip
    given = {"faults": [], "found": {}, "at": "best", "run": "r", "command": "c", "tables": [], "analyses": [],
             "risky": None, "scores": {}, "meanings": {}, "own": False}  # fmt: skip
    told = words(bench.text("member.html", reach=reach, **given))
    assert (
        "9.0 %, by ranked-linkage, looking for the record of each person; for the person of each record it is 4.0"
        in told
    )
    told = words(bench.text("member.html", reach=reach | {"looks_for": "person"}, **given))
    assert "looking for the person of each published record; for the record of each person it is 4.0 %" in told


def test_history_is_in_the_order_of_time(server, folder):
    (folder / "times.csv").write_text((folder / "survey.csv").read_text())
    server.post("/init", data="times.csv")
    run = run_folder(folder, "early", {"state": "done"}, data={"file": "times.csv"})
    (run / "environment.json").write_text(json.dumps({"date": "2001-01-01T00:00:00+00:00", "command": "evosdc run e"}))
    server.post(
        "/edit", data="times.csv", part="1", name="town", before="other nominal", role="sensitive", scale="nominal"
    )
    told = words(server.get("/history", data="times.csv").text)
    assert told.index("were proposed") < told.index("Search early") < told.index("town: role is now sensitive")


def test_a_rule_that_is_none_is_refused_in_one_sentence(server, folder):
    server.post("/init", data="survey.csv")
    before = (folder / "survey.schema.toml").read_text()
    for kind, parts, told in (
        ("prefix", "abc", "whole numbers"),
        ("prefix", " , ", "one or more"),
        ("dates", "", "one"),
    ):
        answer = server.post("/draw", data="survey.csv", attribute="town", kind=kind, parts=parts)
        assert answer.status == 400
        faults = re.search(r'role="alert">.*?</ul>', answer.text, re.S)[0]
        assert faults.count("<li") == 1
        assert told in words(faults)
    assert (folder / "survey.schema.toml").read_text() == before


def test_roles_are_proposed_of_files_alone_that_can_be_read(server, folder):
    (folder / "broken.csv").write_text('a,b\n"1,2\n3')
    page = server.get("/file", data="broken.csv").text
    assert "Propose roles" not in page
    assert 'role="alert"' in page
    (folder / "broken.csv").unlink()
    (folder / "lone.csv").write_text("a,b\n1,2\n")
    assert "1 record. " in words(server.get("/fragment/preview", data="lone.csv").text)


def numeric_file(folder, name, *roles):
    rows = "".join(f"{number * 1.37:.2f},{'ab'[number % 2]},{number * 7 % 3}\n" for number in range(60))
    (folder / f"{name}.csv").write_text("pay,town,flats\n" + rows)
    scales = {"pay": "numeric", "town": "nominal", "flats": "ordinal"}
    lines = "".join(
        f'{one} = {{ role = "{"quasi-identifier" if one in roles else "other"}", scale = "{scale}" }}\n'
        for one, scale in scales.items()
    )
    (folder / f"{name}.schema.toml").write_text(f"[attributes]\n{lines}")
    return {"data": f"{name}.csv", "dr_on": "1", "dr": "30"}


def test_a_file_with_numbers_has_the_limit_of_the_other_columns_and_it_is_called_that(server, folder):
    given = numeric_file(folder, "mixed", "pay", "town", "flats")
    first = server.get("/fragment/limit", **given).text
    told = words(first)
    assert "<polyline" in first
    assert "The limit of town, flats alone" in told
    assert "For numbers ( pay ) no limit is known" in told or "For numbers (pay) no limit is known" in told
    assert "limit of these columns alone" in told
    assert "limit: no file lies below" not in told, "it is no limit of the file"
    assert "A risk of at most" not in told, "a wish for the file is not compared with it"
    (command,) = shown(first)
    assert command == "evosdc limit mixed.csv --schema mixed.schema.toml --protect town,flats --time 2s"
    alone = server.get("/fragment/limit", data="mixed.csv", protect=["town", "flats"]).text
    assert re.search(r'class="limit" points="[^"]+"', alone)[0] == re.search(r'class="limit" points="[^"]+"', first)[0]
    assert "For numbers" not in alone
    ticked = words(server.get("/fragment/limit", **given, limited="1").text)
    assert "A risk of at most" not in ticked


@pytest.mark.endurance
def test_what_classical_methods_reach_is_beside_a_wish_where_there_is_no_limit(server, folder):
    given = numeric_file(folder, "wages", "pay")
    first = server.get("/fragment/limit", **given).text
    assert "No limit is known for these columns." in words(first)
    assert 'role="alert"' not in first
    (address,) = re.findall(r'data-load="(/fragment/reached[^"]+)"', first)
    page = server.get(html.unescape(address)).text
    told = words(page)
    assert page.count('class="s-classical"') > 3
    assert 'class="asked"' in page
    assert re.search(r"A risk of at most 30 is met by \S|None of them has a risk of at most 30", told)
    assert "This is no limit" in told
    assert 'class="limit"' not in page
    assert shown(page) == ["evosdc tune wages.csv --schema wages.schema.toml --time 5s"]
    assert "/fragment/reached" not in server.get("/fragment/limit", **given, limited="1").text, "other measures"
    assert "/fragment/reached" not in server.get("/fragment/limit", data="housing").text


@pytest.mark.parametrize("wish", ["nan", "inf", "x", ""])
def test_a_wish_that_is_no_number_is_none(server, wish):
    answer = server.get("/fragment/limit", data="housing", protect="built", dr_on="1", dr=wish, limited="1")
    assert answer.status == 200
    assert 'class="asked"' not in answer.text
