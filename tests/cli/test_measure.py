"""``evosdc measure``: parameters, baselines, generalised files, defaults by scale."""

import json

import pytest


@pytest.fixture
def files(tmp_path):
    ages = [20, 25, 30, 40, 20, 25, 30, 40]
    sexes = "fmfmmfmf"
    rows = [f"{age},{sex}" for age, sex in zip(ages, sexes, strict=True)]
    (tmp_path / "o.csv").write_text("\n".join(["age,sex", *rows, ""]))
    (tmp_path / "s.toml").write_text(
        '[attributes]\nage = { role = "quasi-identifier", scale = "numeric" }\n'
        'sex = { role = "quasi-identifier", scale = "nominal" }\n'
    )
    wide = ['"[20, 30]"' if age < 40 else "40" for age in ages]
    (tmp_path / "g.csv").write_text("\n".join(["age,sex", *(f"{a},*" for a in wide), ""]))
    (tmp_path / "m.csv").write_text(
        "\n".join(["age,sex", *(f"{a + 5},{s}" for a, s in zip(ages, sexes, strict=True)), ""])
    )
    return tmp_path


def test_a_generalised_file_is_judged_by_its_losses(evosdc, files):
    given = ("measure", "o.csv", "g.csv", "--schema", "s.toml", "--json")
    document = json.loads(evosdc(*given, "--measures", "lm,dm", "--set", "lm.aggregate=sum").out)
    assert document["lm"] == pytest.approx(0.75 * 0.5 + 1.0)
    assert document["dm"] == 6**2 + 2**2
    mean = json.loads(evosdc(*given, "--measures", "lm").out)
    assert mean["lm"] == pytest.approx(document["lm"] / 2)
    refused = evosdc(*given, "--measures", "lm,dbil")
    assert refused.status == 2
    assert "losses of generalisation only" in refused.err
    assert evosdc(*given, "--measures", "dbil").status == 2


def test_baselines_are_the_original_and_a_permutation(evosdc, files):
    document = json.loads(evosdc("measure", "o.csv", "m.csv", "--schema", "s.toml", "--baselines", "--json").out)
    baselines = document["baselines"]
    assert set(baselines) == {"identity", "permutation"}
    assert baselines["identity"]["il"] == 0.0
    assert baselines["identity"]["id"] == 100.0
    assert baselines["permutation"]["ctbil"] == 0.0
    assert baselines["permutation"]["il1s"] > 0.0
    again = json.loads(evosdc("measure", "o.csv", "m.csv", "--schema", "s.toml", "--baselines", "--json").out)
    assert again == document
    shown = evosdc("measure", "o.csv", "m.csv", "--schema", "s.toml", "--baselines").out
    assert "identity" in shown
    assert "permutation" in shown
    plain = json.loads(evosdc("measure", "o.csv", "m.csv", "--schema", "s.toml", "--json").out)
    assert "baselines" not in plain


def test_parameters_of_measures_that_are_not_taken_are_refused(evosdc, files):
    given = ("measure", "o.csv", "m.csv", "--schema", "s.toml", "--measures", "ctbil")
    assert evosdc(*given, "--set", "ctbil.K=1").status == 0
    for setting in ("ctbill.K=1", "K=1"):
        answer = evosdc(*given, "--set", setting)
        assert answer.status == 2
        assert "NAME.KEY=VALUE for one of ctbil" in answer.err
    answer = evosdc(*given, "--set", "ctbil.k=1")
    assert answer.status == 2
    assert "ctbil" in answer.err


def test_defaults_follow_the_scales(evosdc, files):
    given = ("measure", "o.csv", "m.csv", "--schema", "s.toml", "--json")
    assert {"il1s", "dbil", "id", "dbrl"} <= set(json.loads(evosdc(*given).out))
    numbers = json.loads(evosdc(*given, "--attributes", "age").out)
    assert {"il1s", "apil", "id", "dbrl"} <= set(numbers)
    assert "dbil" not in numbers
    assert "prl" in json.loads(evosdc(*given, "--attributes", "sex").out)
