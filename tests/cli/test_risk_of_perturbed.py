"""``evosdc risk`` on files whose values were changed: records that stand out are no re-identifications."""

import json

import pandas as pd
import pytest

import evosdc
from evosdc_privacy.anonymity import KAnonymity

SCHEMA = """
[attributes]
region = { role = "quasi-identifier" }
sex = { role = "quasi-identifier" }
age = { role = "quasi-identifier", scale = "ordinal" }
"""


def people():
    return pd.DataFrame(
        {
            "region": [("north", "south", "east")[n % 3] for n in range(60)],
            "sex": [("f", "m")[n // 3 % 2] for n in range(60)],
            "age": [20 + n * 7 % 25 for n in range(60)],
        }
    )


@pytest.fixture
def files(tmp_path):
    people().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def masked_by(evosdc, *words):
    answer = evosdc("mask", *words, "data.csv", "--schema", "schema.toml", "-o", "masked.csv", "--seed", "1")
    assert answer.status == 0, answer.err


def test_a_manifest_tells_that_the_file_was_perturbed(evosdc, files) -> None:
    masked_by(evosdc, "rank-swapping", "--set", "p=30")
    answer = evosdc("risk", "masked.csv", "--schema", "schema.toml")
    told = " ".join(answer.out.split())
    assert "are not re-identifications" in told
    assert "masked.manifest.json" in told
    assert "--original FILE" in told
    assert "Do not release" not in told
    assert "evosdc judge ORIGINAL FILE tells whether people can be found" in told
    found = json.loads(evosdc("risk", "masked.csv", "--schema", "schema.toml", "--json").out)
    assert found["perturbed"]["unique_records"] == found["k-anonymity"]["unique_records"]
    assert found["perturbed"]["right"] is None


def test_the_original_tells_which_records_are_right(evosdc, files) -> None:
    masked_by(evosdc, "rank-swapping", "--set", "p=30")
    (files / "masked.manifest.json").unlink()
    arguments = ("risk", "masked.csv", "--schema", "schema.toml", "--original", "data.csv")
    found = json.loads(evosdc(*arguments, "--json").out)["perturbed"]
    before, after = people().astype(str), pd.read_csv(files / "masked.csv", dtype=str)
    unique = ~after.duplicated(keep=False)
    assert found["unique_records"] == unique.sum()
    assert found["right"] == (unique & (before == after).all(axis=1)).sum()
    assert found["changed"] == {name: int((before[name] != after[name]).sum()) for name in before}
    assert 0 <= found["intruder"]["expected"] <= 60
    assert found["intruder"]["percent"] < found["intruder"]["original_percent"]
    told = " ".join(evosdc(*arguments).out.split())
    assert f"{found['right']} carry all the known values of their own person" in told
    assert "An informed intruder is expected to find" in told
    assert "re-identifications are to be expected" not in told


def test_a_run_folder_tells_its_own_verdict(evosdc, files) -> None:
    masked_by(evosdc, "rank-swapping", "--set", "p=30")
    (files / "run").mkdir()
    (files / "masked.csv").rename(files / "run" / "best.csv")
    told = {"headline": "publishable", "publishable": True, "intruder": {"percent": 3.04}}
    result = {"best": {"file": "best.csv"}, "changed": {"age": 50}, "publication": told}
    (files / "run" / "result.json").write_text(json.dumps(result))
    answer = evosdc("risk", "run/best.csv", "--schema", "schema.toml")
    assert "Verdict: publishable, says the run that made the file" in answer.out
    assert "expected to find 3.0 % of the people" in answer.out
    assert "Do not release" not in answer.out
    data = json.loads(evosdc("risk", "run/best.csv", "--schema", "schema.toml", "--json").out)
    assert data["perturbed"]["verdict"].startswith("publishable, says")


def test_thousands_are_written_out() -> None:
    figures = {"k-anonymity": {"records_below": {"2": 5, "3": 5}, "k": 1}, "global-risk": {}}
    for expected, words in ((1637.4, "About 1,640 re-id"), (12.34, "About 12.3 re-id"), (0.5, "About 0.5 re-id")):
        figures["global-risk"]["expected_reidentifications"] = expected
        assert words in KAnonymity(KAnonymity.Params()).verdict(figures)


def test_an_untouched_file_is_told_as_before(evosdc, files) -> None:
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", "--original", "data.csv", "--json")
    assert "perturbed" not in json.loads(answer.out)
    assert "perturbed" not in evosdc("risk", "data.csv", "--schema", "schema.toml").out


def test_a_generalised_file_was_not_perturbed(evosdc, files) -> None:
    frame = people().assign(age=lambda f: (f["age"] // 10 * 10).map("{}s".format))
    frame.to_csv(files / "coarse.csv", index=False)
    answer = evosdc("risk", "coarse.csv", "--schema", "schema.toml", "--original", "data.csv", "--json")
    assert answer.status == 0, answer.err
    assert "perturbed" not in json.loads(answer.out)


def test_an_original_of_other_people_is_refused(evosdc, files) -> None:
    people().head(10).to_csv(files / "few.csv", index=False)
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", "--original", "few.csv")
    assert answer.status == 2
    assert "records" in answer.err


def test_frames_have_it_as_well() -> None:
    frame = people().astype({"region": "category", "sex": "category"})
    masked = evosdc.mask(frame, "rank-swapping", p=40, seed=1, attributes=["age"])
    names = ["region", "sex", "age"]
    found = evosdc.risk(masked, "k-anonymity", quasi_identifiers=names, original=frame)
    assert found.verdict == (found["perturbed"]["verdict"],)
    assert found["perturbed"]["changed"]["age"] == int((frame["age"] != masked["age"]).sum())
    assert "perturbed" not in evosdc.risk(frame, "k-anonymity", quasi_identifiers=names, original=frame)
