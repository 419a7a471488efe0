"""``evosdc judge``: figures for people and programs, the verdict, bad input."""

import json

import numpy as np
import pytest


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(2)
    latent = rng.random(120)
    columns = [
        np.clip((latent + 0.3 * rng.standard_normal(120)) * size, 0, size - 1).astype(int) for size in (2, 7, 5, 2)
    ]
    rows = [("mf"[a], f"p{b}", f"q{c}", "ny"[d]) for a, b, c, d in zip(*columns, strict=True)]

    def write(name, records):
        (tmp_path / name).write_text("\n".join(["sex,place,job,ill", *map(",".join, records), ""]))

    write("o.csv", rows)
    write("swapped.csv", [("fm"["mf".index(a)], *rest) for a, *rest in rows])
    write("short.csv", rows[:-1])
    (tmp_path / "s.toml").write_text(
        "[attributes]\n"
        + "".join(f'{name} = {{ role = "quasi-identifier", scale = "nominal" }}\n' for name in ("sex", "place", "job"))
        + 'ill = { role = "sensitive", scale = "nominal" }\n'
    )
    return ("--schema", "s.toml")


QUICK = ("--judges", "partial-linkage,linkability,tables-3")


def test_exchanged_men_and_women_are_told(evosdc, files):
    answer = evosdc("judge", "o.csv", "swapped.csv", *files, *QUICK, "--claimed", "0.01")
    assert answer.status == 0
    assert "'m' is published as 'f' in 100 % of its records" in answer.err
    first, second = answer.out.splitlines()[:2]
    assert first.startswith("An informed intruder is expected to re-identify"), "the most telling comes first"
    assert second.startswith("Does not hold: an intruder who")
    assert "times as many as by chance, which is more than claimed" in answer.out
    assert any(line.startswith("partial-linkage: ") and len(line) > 60 for line in answer.out.splitlines())


def test_five_judges_are_printed_unless_all_are_wanted(evosdc, files):
    command = ("judge", "o.csv", "swapped.csv", *files)
    few, everything = (evosdc(*command, *more).out for more in ((), ("--all",)))
    assert len(few.splitlines()) <= 15
    judges = json.loads(evosdc(*command, "--json").out)["judges"]
    assert sum(f" {name} " in few for name in judges) == 5
    assert all(f"{name}: " in everything for name in judges)


def test_json_is_one_object(evosdc, files):
    answer = evosdc("judge", "o.csv", "swapped.csv", *files, *QUICK, "--claimed", "1", "--json", "--seed", "3")
    document = json.loads(answer.out)
    assert answer.err == ""
    assert document["holds"] is False
    assert document["seed"] == 3
    assert document["attributes"] == ["sex", "place", "job"]
    assert document["judges"]["tables-3"]["kind"] == "il"
    again = evosdc("judge", "o.csv", "swapped.csv", *files, *QUICK, "--claimed", "1", "--json", "--seed", "3")
    assert again.out == answer.out


def test_a_claim_that_holds(evosdc, files):
    answer = evosdc("judge", "o.csv", "o.csv", *files, "--judges", "partial-linkage", "--protect", "sex,job")
    assert answer.out.splitlines()[1].startswith("Holds: ")
    assert "known to an intruder: sex, job" in " ".join(answer.out.split())


def test_how_many_people_are_found_is_told_whatever_is_claimed(evosdc, files):
    asked = ("judge", "o.csv", "o.csv", *files, "--judges", "partial-linkage", "--protect")
    few, many = (" ".join(evosdc(*asked, names).out.split()) for names in ("sex", "sex,place,job"))
    assert "within the 9 % accepted for public files." in few
    assert "more than the 9 % accepted for public files." in many
    told = json.loads(evosdc(*asked, "sex,place,job", "--json").out)["identity"]
    assert told["percent"] > told["accepted"] == 9.0
    assert told["known"] == ["sex", "place", "job"]
    assert "at_risk" not in told


def test_a_table_that_is_out_already(evosdc, files, tmp_path):
    (tmp_path / "t.csv").write_text("sex,job,count\nm,q0,*\nf,q0,1000\n")
    asked = ("judge", "o.csv", "o.csv", *files, "--judges", "disco", "--protect", "sex,job", "--published", "t.csv")
    told = json.loads(evosdc(*asked, "--json").out)["published_table"]
    assert (told["cells"], told["suppressed"], told["differing"], told["completed"]) == (2, 1, 1, 1)
    assert "1 suppressed cells the file has the true number of 1" in " ".join(evosdc(*asked).out.split())


def test_bad_input(evosdc, files):
    assert evosdc("judge", "o.csv", "short.csv", *files).status == 2
    assert evosdc("judge", "o.csv", "o.csv", *files, "--claimed", "101").status == 2
    answer = evosdc("judge", "o.csv", "o.csv", *files, "--judges", "learned-link")
    assert answer.status == 2
    assert "Did you mean 'learned-linkage'?" in answer.err


@pytest.mark.parametrize("name", ["partial-linkage", "repu", "tables-3", "pmse"])
def test_a_judge_is_a_measure(evosdc, files, name):
    document = json.loads(evosdc("measure", "o.csv", "swapped.csv", *files, "--measures", name, "--json").out)
    judged = json.loads(evosdc("judge", "o.csv", "swapped.csv", *files, "--judges", name, "--json").out)
    assert judged["judges"][name]["value"] == pytest.approx(document[name])


@pytest.mark.endurance
def test_judges_are_objectives_of_a_search(evosdc, files, tmp_path):
    (tmp_path / "e.toml").write_text(
        'title = "judged"\ndata = { file = "o.csv", schema = "s.toml" }\nstart = { portfolio = "categorical" }\n'
        'measures = { il = ["tables-3"], dr = ["partial-linkage", "singling-out"] }\n'
        'algorithm = { name = "parent-child", generations = 2 }\nexecutor = { name = "serial" }\n'
    )
    result = json.loads(evosdc("run", "e.toml", "--json", "--quiet", "-o", "run").out)
    assert {"tables-3", "partial-linkage", "singling-out"} <= result["best"]["scores"].keys()
