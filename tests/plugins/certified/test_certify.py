"""``evosdc certify`` and ``evosdc.certify`` as users meet them."""

from __future__ import annotations

import dataclasses
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evosdc as package
from evosdc.errors import InputError, SchemaError
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Table
from evosdc_certified import certify as module
from evosdc_certified import judging
from evosdc_certified.certificate import surest_guess
from evosdc_certified.tables import FILE, Budget
from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture
from tests.plugins.certified.conftest import BOUNDS, SCHEMA, survey

JUDGED = ("--schema", "schema.toml", "--epsilon", 2, "--bounds", "income=0:5000")
WORDS = (*JUDGED, "--no-second-opinion")


def test_a_run_folder_holds_the_file_the_proof_and_the_tables(files, evosdc) -> None:  # noqa: F811
    answer = evosdc("certify", "survey.csv", *WORDS, "-o", "run")
    assert answer.status == 0, answer.err
    assert "Verdict: PUBLISHABLE" in answer.out
    made = pd.read_csv("run/best.csv")
    assert list(made.columns) == ["age", "sex", "marital", "income"], "identifiers are left out"
    assert abs(len(made) - 3000) < 300
    assert not ((made.age < 15) & (made.marital != "none")).any()
    assert made.income.between(0, 5000).all()
    result = json.loads((files / "run" / "result.json").read_text())
    assert result["verdict"]["publishable"] is True
    assert result["privacy"]["epsilon"] == 2
    assert result["privacy"]["rho_spent"] <= result["privacy"]["rho"]
    page = (files / "run" / "report.html").read_text()
    assert "epsilon 2" in page
    assert "The bounds of income: 0 to 5000" in page
    assert result["second_opinion"]["holds"] is None
    assert "Not checked by independent attacks" in answer.out
    for name in ("best.csv", "result.json", "report.html", "for-users.html", FILE, "key"):
        assert (files / "run" / name).stat().st_mode & 0o077 == 0, name
    everything = b"".join(p.read_bytes() for p in (files / "run").iterdir() if p.name != "key")
    assert b"person-" not in everything


def test_all_that_follows_the_measurement_needs_its_tables_alone(files, evosdc) -> None:  # noqa: F811
    first = evosdc("certify", "survey.csv", *WORDS, "-o", "run", "--json")
    found = json.loads(first.out)
    (files / "survey.csv").unlink()
    again = evosdc("certify", "run", "--key", "run/key", "--moves", found["moves"], "-o", "again", "--json")
    assert again.status == 0, again.err
    assert json.loads(again.out)["digest"] == found["digest"]
    assert json.loads(again.out)["privacy"] == found["privacy"]
    more = evosdc("certify", "run", "--records", 500, "-o", "more", "--json")
    assert json.loads(more.out)["records"] == 500


def test_judges_attack_a_half_and_leave_the_file_as_it_is(files, evosdc) -> None:  # noqa: F811
    answer = evosdc("certify", "survey.csv", *JUDGED, "--moves", 100_000, "-o", "run")
    assert answer.status == 0, answer.err
    result = json.loads((files / "run" / "result.json").read_text())
    opinion = result["second_opinion"]
    assert opinion["holds"] is True, opinion["text"]
    assert opinion["text"] in answer.out
    assert len(answer.out.splitlines()) <= 15
    guess = result["verdict"]["surest_guess"]
    assert opinion["allowed"] == pytest.approx(200 * guess - 100)
    found = opinion["members"]
    assert found["members"] + found["others"] == 3000
    assert found["judges"]["membership-nndr"]["original"] > 70, "the attack finds the people of an unmasked file"
    report, public = ((files / "run" / name).read_text() for name in ("report.html", "for-users.html"))
    assert opinion["text"] in report.replace("&#39;", "'")
    for text in (
        "epsilon 2",
        "for each person added or removed",
        f"{100 * guess:.1f} % of the cases",
        "The bounds of income: 0 to 5000",
    ):
        assert text in report
        assert text in public
    assert "membership-nndr" in report
    assert "membership-nndr" not in public, "what judges find is outside the proof"
    # The file is what its tables and key give without the original, whether judges ran or not.
    (files / "survey.csv").unlink()
    again = evosdc("certify", "run", "--key", "run/key", "--moves", 100_000, "-o", "again", "--json")
    assert json.loads(again.out)["digest"] == result["digest"]
    assert json.loads(again.out)["second_opinion"] == opinion


def test_a_file_that_was_not_judged_can_be_judged_later(files, evosdc) -> None:  # noqa: F811
    first = evosdc("certify", "survey.csv", *WORDS, "--moves", 1000, "-o", "run")
    assert "evosdc certify RUN --original FILE" in first.out
    words = ("--schema", "schema.toml", "--key", "run/key", "--moves", 1000, "--json")
    later = json.loads(evosdc("certify", "run", "--original", "survey.csv", *words, "-o", "later").out)
    assert later["second_opinion"]["holds"] is True
    before = json.loads((files / "run" / "result.json").read_text())
    assert later["digest"] == before["digest"], "judges leave the file as it was"
    assert later["privacy"] == before["privacy"], "nothing published was measured again"
    (files / "other.toml").write_text((files / "schema.toml").read_text().replace('["m", "f"]', '["f", "m"]'))
    other = evosdc("certify", "run", "--original", "survey.csv", "--schema", "other.toml", "-o", "other")
    assert other.status == 2
    assert "other categories of sex" in other.err


def test_attacks_contradict_a_program_that_copies_records(tmp_path, monkeypatch) -> None:
    honest = judging.measurement.measure
    seen = []

    def watched(table, domain, *given, **further):
        seen.append(domain.cells(table))
        return honest(table, domain, *given, **further)

    def copying(*given):
        copied = Table(schema, seen[-1], np.zeros((len(seen[-1]), 0)))
        return SimpleNamespace(best=SimpleNamespace(table=copied)), 0

    monkeypatch.setattr(judging.measurement, "measure", watched)
    monkeypatch.setattr(judging, "evolved", copying)
    schema = Schema(tuple(Attribute(name, categories=tuple("pqrst")) for name in "abcdefghij"))
    codes = np.random.default_rng(0).integers(0, 5, (1000, 10)).astype(np.int32)
    table = Table(schema, codes, np.zeros((1000, 0)))
    made = package.certify(table, 3.0, schema=schema, moves=1000, output=tmp_path / "run")
    assert made.second_opinion["holds"] is False
    assert made.verdict["publishable"] is False
    assert "do not agree with the proof" in made.verdict["reasons"][0]
    assert (tmp_path / "run" / "best.NOT-PUBLISHABLE.csv").exists()
    assert not (tmp_path / "run" / "for-users.html").exists()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_halves_are_all_the_people_and_part_no_household(homes, seed) -> None:
    schema = Schema((Attribute("home", categories=tuple(map(str, range(10)))),))
    table = Table(schema, np.array(homes, dtype=np.int32)[:, None], np.zeros((len(homes), 0)))
    first, second = judging.halves(table, "home", np.random.default_rng(seed))
    assert sorted([*first, *second]) == list(range(len(homes)))
    assert not {homes[row] for row in first} & {homes[row] for row in second}


def test_an_interrupted_run_goes_on_with_its_tables(files, evosdc, monkeypatch) -> None:  # noqa: F811
    def interrupted(*given) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "evolved", interrupted)
        evosdc("certify", "survey.csv", *WORDS, "--moves", 1000, "-o", "run")
    assert not (files / "run" / "result.json").exists()
    tables = (files / "run" / FILE).read_text()
    (files / "survey.csv").unlink()
    going_on = evosdc("certify", "run", "--moves", 1000, "--json")
    assert going_on.status == 0, going_on.err
    assert (files / "run" / FILE).read_text() == tables, "nothing is measured again"
    again = evosdc("certify", "run", "--key", "run/key", "--moves", 1000, "-o", "again", "--json")
    assert json.loads(going_on.out)["digest"] == json.loads(again.out)["digest"]
    (files / "run" / "result.json").unlink()
    refused = evosdc("certify", "run", "--records", 100, "--key", "run/key")
    assert refused.status == 2
    assert "records: given a value, with a run that goes on" in refused.err
    assert "key: given a value" in refused.err
    assert json.loads(evosdc("certify", "run", "--json").out)["digest"] == json.loads(again.out)["digest"]


def test_two_measurements_have_other_noise_even_with_the_same_key(files, evosdc) -> None:  # noqa: F811
    tables = []
    for name in ("one", "two"):
        evosdc("certify", "survey.csv", *WORDS, "--key", "mine", "--moves", 1000, "-o", name)
        tables.append(json.loads((files / name / FILE).read_text())["tables"])
    assert tables[0] != tables[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--epsilon", 1), "categories that are known from the records alone"),
        (("--epsilon", 1, "--schema", "schema.toml"), "--bounds income=LEAST:GREATEST"),
        (("--schema", "schema.toml"), "epsilon: given nothing"),
        ((*WORDS[:2], "--epsilon", 0, *WORDS[4:]), "epsilon: given 0"),
        ((*WORDS, "--delta", 0.5), "delta: given 0.5"),
        ((*WORDS, "--bounds", "income=9:1"), "the least first"),
        ((*WORDS, "--bounds", "income"), "wanted NAME=LEAST:GREATEST"),
        ((*WORDS, "--bounds", "sex=0:1"), "--bounds sex"),
        ((*WORDS, "--workload", "pears"), "Did you mean 'pairs'?"),
        ((*WORDS, "--unit", "household"), "--largest N"),
        ((*WORDS, "--unit", "household", "--largest", 3), 'role = "household"'),
        ((*WORDS, "--protect", "age,sx"), "Did you mean 'sex'?"),
        ((*WORDS, "--records", 10**9), "--records: given '1000000000'"),
        ((*WORDS, "--original", "survey.csv"), "original: given one beside data that are no run"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_error(files, evosdc, words, said) -> None:  # noqa: F811
    answer = evosdc("certify", "survey.csv", *words, "-o", "run")
    assert answer.status == 2
    assert said in answer.err
    assert "Traceback" not in answer.err
    assert not (files / "run").exists()


def test_an_earlier_run_has_its_epsilon(files, evosdc) -> None:  # noqa: F811
    evosdc("certify", "survey.csv", *WORDS, "--moves", 1000, "-o", "run")
    assert "epsilon: given 1 with an earlier run" in evosdc("certify", "run", "--epsilon", 1, "-o", "more").err
    assert "a folder that is not empty" in evosdc("certify", "survey.csv", *WORDS, "-o", "run").err


def test_a_workload_is_read_from_a_file(files, evosdc) -> None:  # noqa: F811
    (files / "tables.txt").write_text("age,sex\n\nage, sex, marital\n")
    answer = evosdc("certify", "survey.csv", *WORDS, "--workload", "tables.txt", "--moves", 1000, "-o", "run", "--json")
    measured = {entry["what"] for entry in json.loads(answer.out)["privacy"]["account"]}
    assert measured >= {"age", "sex", "marital", "income"}
    assert measured - {"age", "sex", "marital", "income", "choice of a table"} <= {"age x sex", "age x sex x marital"}


def test_a_weak_proof_is_said_to_be_weak(files, evosdc) -> None:  # noqa: F811
    words = ("--schema", "schema.toml", "--bounds", "income=0:5000", "--moves", 1000, "--no-second-opinion")
    conditional = evosdc("certify", "survey.csv", "--epsilon", 9, *words, "-o", "a")
    assert conditional.status == 0
    assert "PUBLISHABLE ON CONDITIONS" in conditional.out
    refused = evosdc("certify", "survey.csv", "--epsilon", 50, *words, "-o", "b")
    assert refused.status == 1
    assert "NOT PUBLISHABLE" in refused.out


def test_from_python_a_frame_becomes_a_frame(original) -> None:
    frame = pd.DataFrame(
        {
            "age": np.array(SCHEMA["age"].categories)[original.codes[:, 0]],
            "sex": np.array(SCHEMA["sex"].categories)[original.codes[:, 1]],
            "marital": np.array(SCHEMA["marital"].categories)[original.codes[:, 2]],
            "income": original.numbers[:, 0],
        }
    )
    made = package.certify(frame, 2.0, schema=SCHEMA, bounds=BOUNDS, moves=200_000, second_opinion=False)
    assert list(made.frame.columns) == list(frame.columns)
    assert made.frame["income"].dtype == np.int64
    assert tuple(made.frame["age"].cat.categories) == SCHEMA["age"].categories
    assert made.verdict["publishable"] is True
    assert "certified file" in made._repr_html_()
    with pytest.raises(SchemaError, match="known from the records alone"):
        package.certify(frame, 2.0, bounds=BOUNDS)


def test_what_numbers_and_labels_of_records_tell_is_not_public(original) -> None:
    plain = {"age": ["20", "21"] * 300, "income": [1.0, 2.0] * 300}
    schema = SchemaDescription({"age": AttributeDescription(categories=("20", "21")), "income": AttributeDescription()})
    for income in (plain["income"], [1.25, *plain["income"][1:]]):
        frame = pd.DataFrame({"age": plain["age"], "income": income})
        words = {"bounds": {"income": (0.0, 10.0)}, "moves": 1000, "second_opinion": False}
        made = package.certify(frame, 2.0, schema=schema, **words)
        assert made.tables.domain.columns[1].decimals == 0
        assert made.tables.domain.columns[1].size == 12
    wider = dataclasses.replace(SCHEMA["sex"], categories=("m", "f", "x"))
    table = Table(Schema((wider,)), original.codes[:, 1:2], original.numbers[:, :0])
    with pytest.raises(SchemaError, match="known from the records alone"):
        package.certify(table, 1.0, schema=SCHEMA)


def test_one_category_is_nothing_to_learn() -> None:
    table = survey(100).select(["sex"])
    one = {"sex": {"categories": ["m"]}}
    frame = pd.DataFrame({"sex": ["m"] * len(table)})
    schema = SchemaDescription({"sex": AttributeDescription(categories=tuple(one["sex"]["categories"]))})
    with pytest.raises(InputError, match="at least one with two categories"):
        package.certify(frame, 1.0, schema=schema)


def test_the_surest_guess_is_the_lesser_of_two_bounds() -> None:
    assert surest_guess(Budget(1.0, 1e-6, 0.0243)) == pytest.approx(0.5551, abs=1e-4)
    assert surest_guess(Budget(0.01, 0.0, 1.0)) == pytest.approx(0.5 + 0.5 * (np.e**0.01 - 1) / (np.e**0.01 + 1))
    assert surest_guess(Budget(100.0, 1e-6, 50.0)) <= 1.0


def test_the_python_function_is_found_by_its_entry_point() -> None:
    assert package.certify is module.certify
    with pytest.raises(AttributeError):
        package.certifi  # noqa: B018


def test_further_values_of_epsilon_stand_beside_each_other_and_add_up(files, evosdc) -> None:  # noqa: F811
    answer = evosdc("certify", "survey.csv", *WORDS, "--also", "0.5,8", "--moves", 30_000, "-o", "run")
    assert answer.status == 0, answer.err
    result = json.loads((files / "run" / "result.json").read_text())
    front = pd.DataFrame(result["front"])
    assert list(front.epsilon) == [0.5, 2, 8]
    assert front.surest_guess.is_monotonic_increasing
    assert front["private-tables"].iloc[0] > front["private-tables"].iloc[-1], "a stronger proof costs"
    assert any("3 files were made of these people" in condition for condition in result["verdict"]["conditions"])
    for name in ("epsilon-0.5", "epsilon-8"):
        assert json.loads((files / "run" / name / "result.json").read_text())["front"] == result["front"]
    # one of them is a run of its own
    again = evosdc("certify", "run/epsilon-8", "--records", 100, "-o", "again")
    assert again.status == 0, again.err
    assert "also: given" in evosdc("certify", "run/epsilon-8", "--also", "1", "-o", "more").err
    refused = evosdc("certify", "survey.csv", *WORDS, "--also", "1,0", "-o", "refused")
    assert refused.status == 2
    assert "also" in refused.err
