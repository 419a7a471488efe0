"""``evosdc measure``: parameters, baselines, generalised files, defaults by scale."""

import json

import pytest

from evosdc.plugins.registry import default_registry


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
    assert baselines["identity"]["two-way-linkage"] > baselines["permutation"]["two-way-linkage"]
    assert baselines["permutation"]["ctbil"] == 0.0
    assert baselines["permutation"]["il"] == pytest.approx(0.0, abs=1e-9), (
        "no loss of tables or estimates minds the order of records"
    )
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


def test_defaults_follow_roles_and_scales(evosdc, files):
    given = ("measure", "o.csv", "m.csv", "--schema", "s.toml", "--json")
    document = json.loads(evosdc(*given).out)
    assert {"ctbil", "dbrl", "two-way-linkage"} <= set(document)
    assert document["risks"] == "max"
    assert document["dr"] == max(document[name] for name in ("dbrl", "prl", "two-way-linkage") if name in document)
    assert "prl" in json.loads(evosdc(*given, "--protect", "sex").out)


def test_the_parameters_in_force_are_told(evosdc, files):
    given = ("measure", "o.csv", "m.csv", "--schema", "s.toml", "--measures", "ctbil,dbrl,prl")
    document = json.loads(evosdc(*given, "--set", "dbrl.direction=original-to-masked", "--json").out)
    parameters = document["parameters"]
    assert parameters["dbrl"]["direction"] == "original-to-masked"
    assert parameters["prl"]["direction"] == "masked-to-original"
    assert parameters["prl"]["scenarios"] == []
    assert parameters["ctbil"]["K"] == 2
    assert document["missing_rule"] == "category"
    shown = evosdc(*given, "--set", "dbrl.direction=original-to-masked").out
    assert 'dbrl: direction = "original-to-masked"' in shown.splitlines()
    assert "the rule 'category'" in shown


def test_linkages_are_combined_as_asked_for(evosdc, files):
    given = ("measure", "o.csv", "m.csv", "--schema", "s.toml", "--measures", "dbrl,rsrl", "--set", "rsrl.p=0")
    greatest, mean = (json.loads(evosdc(*given, "--linkage", how, "--json").out) for how in ("max", "mean"))
    assert greatest["dbrl"] > greatest["rsrl"]
    assert greatest["dr"] == greatest["dbrl"]
    assert mean["dr"] == pytest.approx((mean["dbrl"] + mean["rsrl"]) / 2)
    assert (greatest["linkage"], mean["linkage"]) == ("max", "mean")
    assert "DR takes the mean of dbrl, rsrl" in evosdc(*given, "--linkage", "mean").out
    assert evosdc(*given, "--linkage", "least").status == 2


@pytest.mark.parametrize("value", ["1e300", "-1e61", "1e-300"])
def test_numbers_whose_powers_no_float_holds_are_refused(evosdc, files, value):
    (files / "vast.csv").write_text((files / "m.csv").read_text().replace("25,", f"{value},", 1))
    answer = evosdc("measure", "o.csv", "vast.csv", "--schema", "s.toml")
    assert answer.status == 2
    assert "numbers of a size from 1e-60 to 1e+60" in answer.err


@pytest.mark.endurance
def test_odd_files_are_judged_or_refused_by_every_measure(evosdc, files):
    schema = (files / "s.toml").read_text().replace("age", "b").replace("sex", "a")
    (files / "odd.toml").write_text(schema)
    odd = {
        "one": "a,b\nx,1\n",
        "two": "a,b\nx,1\ny,2\n",
        "void": "a,b\n,\n,\n,\n",
        "still": "a,b\nx,1\nx,1\nx,1\n",
        "gaps": "\ufeffa,b\r\nx,\r\n,2.5\r\n,\r\n",
        "far": "a,b\nä,1e60\ny,-1e60\nä,1e-60\n",
    }
    for name, text in odd.items():
        (files / f"{name}.csv").write_text(text, encoding="utf-8", newline="")
        for measure in default_registry().names("measure"):
            spec = default_registry().spec("measure", measure)
            scales = {"a": "nominal", "b": "numeric"}
            judged = [attribute for attribute, scale in scales.items() if scale in spec.scales]
            given = ("measure", f"{name}.csv", f"{name}.csv", "--schema", "odd.toml", "--measures", measure, "--json")
            answer = evosdc(*given, "--protect", ",".join(judged))
            assert answer.status in (0, 2), (name, measure, answer.err)
            if answer.status == 0:
                least, greatest = spec.range
                assert least - 1e-9 <= json.loads(answer.out)[measure] <= greatest + 1e-9, (name, measure)


def test_columns_that_differ_and_are_not_measured_are_named(evosdc, tmp_path):
    rows = [(n % 7, "ab"[n % 2], n % 5, n) for n in range(60)]
    text = "age,sex,income,height\n{}\n"
    (tmp_path / "data.csv").write_text(text.format("\n".join(f"{a},{s},{i},{h}" for a, s, i, h in rows)))
    (tmp_path / "masked.csv").write_text(text.format("\n".join(f"{6 - a},{s},{4 - i},{h}" for a, s, i, h in rows)))
    words = ("measure", "data.csv", "masked.csv", "--measures", "ctbil")
    said = evosdc(*words, "--protect", "age,sex")
    assert said.status == 0
    assert "income: other than in the original, and not measured" in " ".join(said.err.split())
    assert "not measured" not in evosdc(*words, "--protect", "age,sex,income").err


def test_an_entry_names_a_measure_with_its_parameters(evosdc, files):
    import evosdc as evosdc_api

    words = ("measure", "o.csv", "m.csv", "--schema", "s.toml", "--json", "--measures")
    by_entry = json.loads(evosdc(*words, '[{"name": "dbrl", "degree": 1}, "id"]').out)
    assert by_entry["parameters"]["dbrl"]["degree"] == 1
    assert by_entry["dbrl"] == json.loads(evosdc(*words, "dbrl,id", "--set", "dbrl.degree=1").out)["dbrl"]
    o, m = (evosdc_api.read_table(files / name, schema=files / "s.toml") for name in ("o.csv", "m.csv"))
    for entries in ({"name": "dbrl", "degree": 1}, [{"name": "dbrl", "degree": 1}], {"dbrl": {"degree": 1}}):
        assert evosdc_api.measure(o, m, entries) == {"dbrl": by_entry["dbrl"]}
    refused = evosdc(*words, '{"nme": "dbrl"}')
    assert refused.status == 2
    assert 'wanted a name, or {"name": ..., ...}' in refused.err
