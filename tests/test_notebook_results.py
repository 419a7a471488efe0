"""What notebooks show of results: text, pictures, frames, other members of a front; and protection as an estimator."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.api.html import MOST_LINES, in_python
from evosdc.api.outcome import Outcome
from evosdc.api.picture import bars, points
from evosdc.api.progress import Line, shown
from evosdc.errors import InputError
from evosdc.runs.result import Result

SHORT = {"generations": 3, "tune": False, "second_opinion": False, "seed": 4}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n = 90
    return pd.DataFrame(
        {
            "age": rng.integers(20, 26, n),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(["north", "south", "west"], n),
            "hours": rng.integers(10, 60, n).astype(float),
        }
    )


@pytest.fixture(scope="module")
def found(people):
    return evosdc.protect(people, protect=["age", "sex", "region"], **SHORT)


def drawn(picture) -> str:
    assert picture._repr_html_() == picture.svg
    assert picture.svg.startswith("<svg ")
    assert picture.svg.endswith("</svg>")
    return picture.svg


def test_results_print_in_few_lines_and_draw_themselves(people, found):
    masked = evosdc.mask(people, "rank-swapping", p=30, protect=["age", "sex"], seed=1)
    known = ["age", "sex", "region"]
    results = [
        found,
        evosdc.risk(people, quasi_identifiers=known),
        evosdc.judge(people, masked, protect=["age", "sex"], judges=["partial-linkage"], seed=1),
        evosdc.tune(people, protect=["age", "sex"], methods=["rank-swapping"], evaluations=20, seed=1),
        evosdc.cluster(people, 3, protect=known, seed=1),
        evosdc.limit(people[["sex", "region"]].astype("category"), protect=["sex", "region"]),
        evosdc.check_records(people, ["sex", "region"]),
    ]
    for result in results:
        lines = str(result).splitlines()
        assert 1 < len(lines) <= MOST_LINES, result
        assert all(lines)
        assert repr(result) == str(result)
        drawn(result.plot())
        assert result._repr_html_()
    assert "dbil" in drawn(evosdc.measure(people, masked, ["dbil", "dbrl"], protect=["age", "sex"]).plot())
    assert str(found).startswith(found.verdict.line)


def test_the_front_is_a_frame_by_number(found):
    front = found.front
    assert front.index.name == "number"
    assert list(front.columns[:4]) == ["made by", "score", "il", "dr"]
    assert len(front) == len(found.result.front)
    assert (front["il"].diff().dropna() >= 0).all(), "number 0 has the least loss"
    assert (front["dr"].diff().dropna() <= 0).all()


def test_another_member_of_the_front_is_chosen(people, found, tmp_path):
    front = found.front
    least = found.choose(0)
    assert least.il == pytest.approx(front["il"][0])
    assert len(least.frame) == len(people)
    assert least.folder is None
    again = least.choose("knee", tmp_path / "knee")
    assert again.folder == tmp_path / "knee"
    assert np.isclose(front[["il", "dr"]], (again.il, again.dr)).all(axis=1).any()
    assert found.choose("knee").il == again.il
    assert (tmp_path / "knee" / "report.html").exists()
    assert not (found._kept.home / "data").exists(), "no copy of the confidential data stays"
    with pytest.raises(InputError, match="member"):
        found.choose(len(front))


def test_runs_and_members_of_fronts_show_themselves(people, tmp_path):
    experiment = {
        "stop": {"generations": 2}, "seed": 3, "executor": "serial", "start": {"random": 5},
        "measures": {"il": ["ctbil"], "dr": ["dbrl"]},
    }  # fmt: skip
    run = evosdc.run(experiment, tmp_path / "run", data=people, protect=["sex", "region"])
    chosen, member = evosdc.choose(tmp_path / "run", 0, tmp_path / "least"), evosdc.member(tmp_path / "run", 0)
    assert chosen["best"]["scores"]["il"] == pytest.approx(run.front["il"][0])
    for result in (run, chosen, member):
        assert 1 < len(str(result).splitlines()) <= MOST_LINES
        assert drawn(result.plot())
        assert result._repr_html_()


def test_files_outside_the_bounds_are_crosses_and_the_bounds_are_lines():
    best = {"scores": {"il": 4.0, "dr": 8.0, "infeasibility": 0.0, "tighter": 0.1}, "fitness": [4.0]}
    broken = {"scores": {"il": 2.0, "dr": 20.0, "infeasibility": 1.2}, "fitness": [2.0]}
    result = Result.model_validate({"best": best, "portfolio": {"best": broken}, "bounds": {"dr": 9.0, "il": 30.0}})
    found = Outcome()
    found.result = result
    svg = drawn(found.plot())
    assert svg.count("<path") == svg.count("<circle") == 1
    assert "best without a search, outside the bounds: information loss 2" in svg
    assert "this file: information loss 4" in svg
    assert "bound 9" in svg
    assert "bound 30" in svg


def test_pictures_leave_out_what_is_no_number_and_escape_names(tmp_path):
    svg = drawn(points("a < b", "x", "y", {"<s>": [(1.0, 2.0), (float("nan"), 1.0)], "none": []}))
    assert svg.count("<circle") == 1
    assert "<s>" not in svg
    assert "&lt;s&gt;" in svg
    svg = drawn(bars("t", "x", {"row": {"a": 3.0, "b": 5.0}, "": {"a": float("inf")}}, {"row": (2.0, 4.0)}))
    assert svg.count("<rect") == 1
    picture = points("t", "x", "y", {})
    assert picture.save(tmp_path / "p.svg").read_text().startswith("<?xml")
    with pytest.raises(InputError):
        picture.save(tmp_path / "p.svg")


def test_advice_speaks_of_arguments(people):
    with pytest.raises(InputError) as caught:
        evosdc.protect(people[["hours"]].assign(hours=1.0), protect=[])
    assert 'protect=["A", "B"]' in str(caught.value)
    assert "--" not in str(caught.value)
    assert in_python("Run `evosdc judge RUN`.") == "Run `evosdc.judge(result)`."


def test_progress_is_shown_in_notebooks_and_where_it_is_asked_for(monkeypatch, capsys):
    assert shown() is None
    assert isinstance(shown(progress=True), Line)
    told = []
    display = SimpleNamespace(HTML=str, display=lambda text, display_id: told.append(text) or Handle(told))
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    assert shown(progress=False) is None
    line = shown()
    line.limited(60)
    line.starting(1, 3)
    line.starting(2, 3)  # too soon
    line.concluding("asking judges")
    assert len(told) == 2
    assert "starting files: 1 of 3" in told[0]
    assert "s left" in told[0]
    assert told[1] == "updated: <p><code>asking judges</code></p>"


class Handle:
    def __init__(self, told):
        self.told = told

    def update(self, text):
        self.told.append(f"updated: {text}")


class TestProtector:
    def test_it_is_fitted_and_transforms_frames_in_order(self, people) -> None:
        protector = evosdc.Protector(
            protect=["age", "sex", "region"], il=["il1s", "ctbil"], dr=["dbrl"], time="1s", seed=3
        )
        with pytest.raises(InputError, match="Call fit first"):
            protector.transform(people)
        masked = protector.fit(people).transform(people)
        assert list(masked.columns) == list(people.columns)
        assert masked.index.equals(people.index)
        assert masked["hours"].equals(people["hours"]), "what is not protected stays, record by record"
        assert not masked.equals(people)
        assert protector.explain()
        assert 1 <= len(str(protector).splitlines()) <= MOST_LINES
        assert protector.transform(people).equals(masked)

    def test_parameters_are_got_and_set_as_scikit_learn_wants_it(self) -> None:
        names = ["age"]
        protector = evosdc.Protector(protect=names, time="5s")
        assert protector.get_params()["protect"] is names
        assert protector.set_params(time=3).time == 3
        with pytest.raises(InputError, match="Did you mean 'protect'"):
            protector.set_params(protects=1)
        base = pytest.importorskip("sklearn.base")
        copy = base.clone(protector)
        assert copy.get_params() == protector.get_params()
        pipeline = pytest.importorskip("sklearn.pipeline").make_pipeline(protector)
        assert pipeline.set_params(protector__time=7).named_steps["protector"].time == 7


def test_a_result_knows_which_record_is_which(people, found):
    names = {"judges": ["repu", "partial-linkage"], "seed": 1}
    own = evosdc.judge(found, **names)
    assert evosdc.judge(people, found.frame, **names).scores == own.scores
    by_hand = people.iloc[found.rows].reset_index(drop=True)
    measured = evosdc.measure(found, measures=["dbrl"])
    assert measured == evosdc.measure(by_hand, found.frame.copy(), ["dbrl"], protect=["age", "sex", "region"])
    assert measured.attributes == ("age", "sex", "region")
    tagged = people.assign(tag=np.arange(len(people)) % 7 + 0.5, rest=np.arange(len(people)) % 5 + 0.5)
    shuffled = tagged.iloc[found.rows].reset_index(drop=True)
    with pytest.warns(UserWarning, match=r"another order.*evosdc\.judge\(result\)"):
        evosdc.judge(tagged, shuffled, protect=["age"], **names)
    with pytest.warns(UserWarning, match="another order"):
        evosdc.measure(tagged, shuffled, ["dbrl"], protect=["age"])
    with pytest.raises(InputError, match=r"evosdc\.measure\(result\)"):
        evosdc.measure(people)
    with pytest.raises(InputError, match="the result alone"):
        evosdc.judge(found, people)


def test_what_differs_is_measured(people):
    masked = people.assign(age=people["age"].iloc[::-1].to_numpy())
    found = evosdc.measure(people, masked, ["dbrl"])
    assert found.attributes == ("age",)
    assert found == evosdc.measure(people, masked, ["dbrl"], protect=["age"])
    assert "Measured: age." in found._repr_html_()
    assert evosdc.measure(people, people.copy(), ["dbrl"]).attributes == tuple(people)


@pytest.mark.parametrize("kept", [True, False])
def test_judges_complete_the_verdict_of_a_result_and_of_a_folder(people, tmp_path, kept):
    wishes = {"protect": ["age", "sex"], "time": 0.3, "second_opinion": False, "seed": 1}
    found = evosdc.protect(people, **wishes, output=tmp_path / "run" if kept else None)
    assert not found.second_opinion.answered
    judged = evosdc.judge(found)
    assert found.second_opinion.answered == len(judged.findings)
    assert judged.of_run.headline == found.verdict.headline
    assert str(judged).startswith(judged.of_run.line)
    if kept:
        assert (tmp_path / "run" / found.best.file).is_file()
        assert len(list((tmp_path / "run").glob("best*.csv"))) == 1
        assert evosdc.judge(str(tmp_path / "run")).of_run == judged.of_run
        assert evosdc.member(found, "best")["records"] is not None
        assert evosdc.dossier(found) == tmp_path / "run" / "dossier.html"
        with pytest.raises(InputError, match="runs of one search"):
            evosdc.study_report(found)
    else:
        with pytest.raises(InputError, match="a result that kept no folder"):
            evosdc.dossier(found)
    with pytest.raises(InputError, match="wanted a run folder"):
        evosdc.choose(people, 0, tmp_path / "x")
    with pytest.raises(InputError, match="The run knows what was masked"):
        evosdc.judge(found, protect=["age"])


def test_a_schema_file_says_what_the_columns_of_a_frame_are(people, tmp_path):
    tagged = people.assign(name=[f"p{place}" for place in range(len(people))])
    (tmp_path / "s.toml").write_text(
        '[attributes]\nname = { role = "drop" }\nage = { role = "quasi-identifier" }\nhours = { role = "sensitive" }\n'
    )
    known = {"schema": tmp_path / "s.toml"}
    found = evosdc.protect(tagged, **known, **SHORT)
    assert found.protected == ("age",)
    assert "name" not in found.frame
    assert found.frame["age"].dtype == people["age"].dtype
    masked = evosdc.mask(tagged, "rank-swapping", p=30, seed=1, **known)
    assert list(masked.columns) == list(people.columns)
    assert not masked["age"].equals(people["age"])
    assert masked["hours"].equals(people["hours"])
    assert evosdc.measure(tagged, masked, ["dbrl"], **known).attributes == ("age",)
    assert evosdc.risk(tagged, ["k-anonymity"], **known)["sensitive"] == ["hours"]
    assert (
        evosdc.tune(tagged, methods=["rank-swapping"], evaluations=10, seed=1, **known)
        .masked["hours"]
        .equals(people["hours"])
    )
    table = evosdc.Table(found.original.schema, found.original.codes, found.original.numbers)
    with pytest.raises(InputError, match="beside a Table"):
        evosdc.protect(table, **known)


def test_a_table_is_written_as_a_frame_is(people, tmp_path):
    people.assign(hours=people["hours"] + 0.5).to_csv(tmp_path / "people.csv", index=False)
    table = evosdc.read_table(tmp_path / "people.csv")
    table.to_csv(tmp_path / "again.csv", index=False)
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "people.csv").read_text()
    found = evosdc.protect(table, protect=["age", "sex"], **SHORT)
    found.frame.to_csv(tmp_path / "protected.csv")
    assert len(pd.read_csv(tmp_path / "protected.csv")) == len(people)
    assert list(found.frame.to_pandas()["sex"].cat.categories) == ["f", "m"]
