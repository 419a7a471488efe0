"""Tables with cell keys, and files of households."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evosdc.cli import main
from evosdc.errors import InputError, ParameterError
from evosdc_masking.swapping.record_swapping import households_of
from evosdc_masking.tables import cell_key_table, noise_of, perturbation_table
from tests.plugins.masking.tables import NOMINAL, categorical, numeric


@pytest.mark.parametrize(("noise", "variance", "smallest"), [(2, 1.0, 0), (3, 1.5, 0), (5, 3.0, 2), (8, 4.0, 1)])
def test_noise_has_mean_0_and_its_variance_and_publishes_no_small_count(noise, variance, smallest) -> None:
    found = perturbation_table(noise, variance, smallest)
    for count, row in enumerate(found.probabilities):
        assert row.sum() == pytest.approx(1.0)
        published = count + found.changes
        assert (row[(published < 0) | ((published > 0) & (published <= smallest))] == 0.0).all()
        if count:
            assert row @ found.changes == pytest.approx(0.0, abs=1e-6)
            assert row @ found.changes**2 == pytest.approx(variance, abs=1e-5)
    assert found.probabilities[0, noise] == 1.0


def test_noise_of_greatest_entropy_is_symmetric_for_great_counts() -> None:
    row = perturbation_table(3, 1.0).probabilities[-1]
    np.testing.assert_allclose(row, row[::-1], atol=1e-6)
    # exp(b v^2): ratios of neighbours fall as exp(b), exp(3 b), exp(5 b)
    assert np.log(row[1] / row[2]) == pytest.approx(3 * np.log(row[2] / row[3]), rel=1e-3)


def test_a_variance_that_cannot_be_is_refused() -> None:
    with pytest.raises(ParameterError, match="variance"):
        perturbation_table(1, 5.0)


def test_keys_say_which_noise() -> None:
    drawn = perturbation_table(2, 1.0)
    keys = np.random.default_rng(0).random(200_000)
    noise = noise_of(np.full(200_000, 9), keys, drawn)
    shares = np.bincount(noise + 2, minlength=5) / len(noise)
    np.testing.assert_allclose(shares, drawn.probabilities[-1], atol=0.005)
    assert noise_of(np.array([0]), np.array([0.999]), drawn).tolist() == [0]


def test_the_same_people_have_the_same_count_in_every_table() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (300, 3))
    codes[:, 2] = codes[:, 1]  # an attribute that is another one's double: the same cells under two names
    table = categorical(codes, (3, 3, 3), (NOMINAL,) * 3)
    one = cell_key_table(table, ["c0", "c1"], seed=5)
    other = cell_key_table(table, ["c0", "c2"], seed=5)
    assert one["count"].tolist() == other["count"].tolist()
    alone = cell_key_table(table, ["c0"], seed=5, margins=False)
    assert alone["count"].tolist() == one[(one["c1"] == "*") & (one["c0"] != "*")]["count"].tolist()
    true = pd.Series(codes[:, 0]).value_counts().sort_index().tolist()
    assert max(abs(a - b) for a, b in zip(true, alone["count"], strict=True)) <= 3
    with pytest.raises(InputError, match="intervals"):
        cell_key_table(numeric([1.0]), ["x0"], seed=5)


def files(tmp_path):
    rows = ["1,north,f,3", "1,north,m,4", "2,south,f,5", "3,south,m,6", "3,south,f,7"]
    (tmp_path / "p.csv").write_text("home,region,sex,age\n" + "\n".join(rows) + "\n")
    (tmp_path / "s.toml").write_text(
        '[attributes]\nhome = { role = "household" }\nregion = { role = "quasi-identifier" }\n'
        'sex = { role = "quasi-identifier" }\nage = { scale = "numeric" }\n'
    )


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(words))
    return int(caught.value.code or 0)


def test_households_are_selected_masked_and_merged(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    files(tmp_path)
    assert run("households", "p.csv", "--schema", "s.toml", "-o", "homes.csv") == 0
    homes = (tmp_path / "homes.csv").read_text()
    assert homes == "home,region\n1,north\n2,south\n3,south\n"
    (tmp_path / "masked.csv").write_text(homes.replace("2,south", "2,north"))
    assert run("households", "p.csv", "--schema", "s.toml", "--merge", "masked.csv", "-o", "q.csv") == 0
    before = pd.read_csv("p.csv")
    after = pd.read_csv("q.csv")
    before.loc[before["home"] == 2, "region"] = "north"
    pd.testing.assert_frame_equal(after.drop(columns="home"), before.drop(columns="home"))
    assert sorted(after["home"].unique()) == [1, 2, 3]
    assert after.groupby(before["home"])["home"].nunique().tolist() == [1, 1, 1]
    assert run("measure", "p.csv", "q.csv", "--schema", "s.toml", "--measures", "dbil", "--protect", "region") == 0
    again = ("--merge", "masked.csv", "--keep-numbers", "--force", "-o", "q.csv")
    assert run("households", "p.csv", "--schema", "s.toml", *again) == 0
    assert pd.read_csv("q.csv")["home"].tolist() == [1, 1, 2, 3, 3]
    (tmp_path / "wrong.csv").write_text("home,region\n2,north\n1,south\n3,south\n")
    assert run("households", "p.csv", "--schema", "s.toml", "--merge", "wrong.csv", "-o", "r.csv") == 2
    with pytest.raises(InputError, match="household"):
        households_of(categorical([[0]], (1,), (NOMINAL,)))


def test_a_table_is_written(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    files(tmp_path)
    words = ("table", "p.csv", "--schema", "s.toml", "--by", "region,sex", "--seed", "3", "--noise", "2", "-o", "t.csv")
    assert run(*words) == 0
    found = pd.read_csv(tmp_path / "t.csv")
    assert found.columns.tolist() == ["region", "sex", "count"]
    assert (found["count"] > 0).all()
    assert run(*words) == 2


def test_an_attribute_that_differs_in_one_household_is_named_with_its_line(tmp_path, capsys):
    from evosdc.cli import main

    rows = [f"{home},{'ns'[home % 2]},{'or'[home % 3 > 0]},{age}" for home in range(30) for age in (20, 50)]
    rows[16] = rows[16].replace(",r,", ",o,")
    (tmp_path / "h.csv").write_text("\n".join(["home,region,tenure,age", *rows, ""]))
    words = ["households", str(tmp_path / "h.csv"), "--household", "home", "-o", str(tmp_path / "homes.csv")]
    with pytest.raises(SystemExit):
        main(words)
    said = capsys.readouterr()
    assert "30 households with region" in said.out
    assert "tenure is not among them: it differs in 1 household, first in line 1" in " ".join(said.err.split())
    (tmp_path / "h.csv").write_text("home,tenure,age\n1,o,20\n1,r,30\n2,r,40\n2,r,50\n3,o,60\n")
    with pytest.raises(SystemExit):
        main([*words, "--force"])
    assert "tenure differs in 1 household, first in line 3. Correct it" in " ".join(capsys.readouterr().err.split())
