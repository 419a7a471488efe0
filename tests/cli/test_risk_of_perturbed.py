"""``evosdc risk`` on files whose values were changed: unique records are no re-identifications."""

import json

import pandas as pd
import pytest

import evosdc
from evosdc_privacy.frequencies import THE_FILE, KAnonymity

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
    assert "evosdc judge ORIGINAL FILE says whether people can be re-identified" in told
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
    assert f"{found['right']} have no value that is not their own person's" in told
    assert "An informed intruder is expected to re-identify" in told
    assert "re-identifications are to be expected" not in told
    assert f"an informed intruder is expected to re-identify {found['intruder']['percent']:.1f} % of the people" in told


def test_a_run_folder_tells_its_own_verdict(evosdc, files) -> None:
    masked_by(evosdc, "rank-swapping", "--set", "p=30")
    (files / "run").mkdir()
    (files / "masked.csv").rename(files / "run" / "best.csv")
    told = {"headline": "publishable", "publishable": True, "people_found": 3.04}
    result = {"version": 2, "best": {"file": "best.csv"}, "changed": {"age": 50}, "verdict": told}
    (files / "run" / "result.json").write_text(json.dumps(result))
    answer = evosdc("risk", "run/best.csv", "--schema", "schema.toml")
    assert "Verdict: publishable, says the run that made the file" in answer.out
    assert "expected to re-identify 3.0 % of the people" in answer.out
    assert "Do not release" not in answer.out
    data = json.loads(evosdc("risk", "run/best.csv", "--schema", "schema.toml", "--json").out)
    assert data["perturbed"]["verdict"].startswith("publishable, says")


def test_thousands_are_written_out() -> None:
    figures = {"k-anonymity": {"records_below": {"2": 5, "3": 5}, "k": 1}, "global-risk": {"population": THE_FILE}}
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


def test_what_is_left_out_perturbs_nothing(evosdc, files) -> None:
    masked_by(evosdc, "local-suppression", "--set", "k=2")
    manifest = json.loads((files / "masked.manifest.json").read_text())
    assert sum(manifest["changed"].values()) > 0
    assert not any(manifest["perturbed"].values())
    for more in ((), ("--original", "data.csv")):
        arguments = ("risk", "masked.csv", "--schema", "schema.toml", *more)
        assert "perturbed" not in json.loads(evosdc(*arguments, "--json").out)
        assert "perturbed" not in evosdc(*arguments).out


def test_unique_records_are_counted_by_the_rule_for_missing_values(evosdc, files) -> None:
    masked_by(evosdc, "rank-swapping", "--set", "p=30")
    masked = pd.read_csv(files / "masked.csv", dtype=str)
    masked.loc[:9, "age"] = None
    masked.to_csv(files / "masked.csv", index=False)
    counts = set()
    for rule in ("wildcard", "category"):
        for more in ((), ("--original", "data.csv")):
            arguments = ("risk", "masked.csv", "--schema", "schema.toml", "--missing-rule", rule, "--json", *more)
            found = json.loads(evosdc(*arguments).out)
            assert found["perturbed"]["unique_records"] == found["k-anonymity"]["unique_records"]
            counts.add(found["perturbed"]["unique_records"])
    assert len(counts) == 2


def test_a_file_of_unique_people_is_not_to_be_released_though_values_are_left_out(evosdc, files) -> None:
    frame = people().assign(age=[f"{n}" for n in range(60)])
    frame.to_csv(files / "data.csv", index=False)
    frame.loc[0, "sex"] = None
    frame.to_csv(files / "masked.csv", index=False)
    (files / "masked.manifest.json").write_text(json.dumps({"changed": {"sex": 1}, "perturbed": {"sex": 0}}))
    answer = evosdc("risk", "masked.csv", "--schema", "schema.toml")
    assert "Do not release" in answer.out


@pytest.mark.parametrize(
    "words",
    [
        ("global-recoding", "--protect", "age", "--set", "level=1", "--set", "output=label"),
        ("top-coding", "--protect", "age", "--set", "value=40", "--set", "output=label"),
        ("mondrian", "--set", "k=3", "--set", "output=interval"),
    ],
)
def test_true_labels_perturb_nothing(evosdc, files, words) -> None:
    rule = 'scale = "ordinal", hierarchy = { widths = [5, 10] }'
    (files / "schema.toml").write_text(SCHEMA.replace('scale = "ordinal"', rule))
    masked_by(evosdc, *words)
    manifest = json.loads((files / "masked.manifest.json").read_text())
    assert sum(manifest["changed"].values()) > 0
    assert not any(manifest["perturbed"].values())
    found = evosdc("risk", "masked.csv", "--schema", "schema.toml", "--json")
    assert "perturbed" not in json.loads(found.out)


def test_what_was_not_perturbed_may_be_enough(evosdc, files) -> None:
    frame = people().assign(region=[f"r{n}" for n in range(60)])
    frame.to_csv(files / "data.csv", index=False)
    masked_by(evosdc, "rank-swapping", "--protect", "age", "--set", "p=30")
    for more in ((), ("--original", "data.csv")):
        arguments = ("risk", "masked.csv", "--schema", "schema.toml", *more)
        told = " ".join(evosdc(*arguments).out.split())
        assert "60 respondents are unique by the attributes region and sex alone, not perturbed in this file" in told
        assert "Do not release" in told
        assert json.loads(evosdc(*arguments, "--json").out)["perturbed"]["unique_by_unchanged"] == 60


def test_few_perturbed_values_leave_most_records_as_they_were(evosdc, files) -> None:
    (files / "schema.toml").write_text(SCHEMA.replace('sex = { role = "quasi-identifier" }', ""))
    frame = people().assign(age=[20 + n for n in range(60)])
    frame.to_csv(files / "data.csv", index=False)
    perturbed = {"region": 3, "age": 7}
    (files / "data.manifest.json").write_text(json.dumps({"changed": perturbed, "perturbed": perturbed}))
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml")
    told = " ".join(answer.out.split())
    assert "at least 50 of the 60 unique records have no perturbed value. Do not release" in told


def test_a_file_that_was_recoded_and_swapped_is_perturbed_where_it_was_swapped(evosdc, files) -> None:
    frame = people()
    frame["age"] = (frame["age"] // 10 * 10).map("{}s".format)
    frame["sex"] = frame["sex"].sample(frac=1.0, random_state=1).to_numpy()
    frame.to_csv(files / "masked.csv", index=False)
    answer = evosdc("risk", "masked.csv", "--schema", "schema.toml", "--original", "data.csv", "--json")
    found = json.loads(answer.out)["perturbed"]
    assert found["changed"] == {"region": 0, "sex": int((frame["sex"] != people()["sex"]).sum()), "age": 0}
    assert found["intruder"] is None


def test_an_original_of_other_people_is_refused(evosdc, files) -> None:
    people().head(10).to_csv(files / "few.csv", index=False)
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", "--original", "few.csv")
    assert answer.status == 2
    assert "records" in answer.err


def test_frames_have_it_as_well() -> None:
    frame = people().astype({"region": "category", "sex": "category"})
    masked = evosdc.mask(frame, "rank-swapping", p=40, seed=1, protect=["age"])
    names = ["region", "sex", "age"]
    found = evosdc.risk(masked, "k-anonymity", quasi_identifiers=names, original=frame)
    assert found.verdict == (found["perturbed"]["verdict"],)
    assert found["perturbed"]["changed"]["age"] == int((frame["age"] != masked["age"]).sum())
    assert "perturbed" not in evosdc.risk(frame, "k-anonymity", quasi_identifiers=names, original=frame)
