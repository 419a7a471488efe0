"""Ages in bands without a schema, and names of columns that hold dots, blanks, brackets and commas."""

from __future__ import annotations

import csv
import itertools

import pytest

import evosdc as evosdc_library

AGES = [18 + k * 7 % 75 for k in range(300)]


@pytest.fixture
def ages(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("age,edu\n" + "".join(f"{age},{'abc'[k % 3]}\n" for k, age in enumerate(AGES)))
    return path


def published(path):
    with path.open() as file:
        return [row[0] for row in csv.reader(file)][1:]


@pytest.mark.parametrize(
    "setting", ["cuts.age=[20,30,40,50,60,70,80]", "width.age=10", "width=10", "intervals.age=4", "cuts=[40,60]"]
)
def test_ages_are_put_into_bands(evosdc, ages, tmp_path, setting):
    more = ["--set", "output=label", "-o", "out.csv"]
    said = evosdc("mask", "global-recoding", ages, "--protect", "age", "--set", setting, *more)
    assert said.status == 0, said.err
    bands = published(tmp_path / "out.csv")
    held = {}
    for age, band in zip(AGES, bands, strict=True):
        held.setdefault(band, []).append(age)
    spans = sorted((min(own), max(own)) for own in held.values())
    assert 2 < len(spans) < 12
    assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))
    # They are read again, as what is judged and as what is not.
    assert evosdc("measure", ages, "out.csv", "--protect", "age", "--measures", "lm").status == 0
    assert evosdc("measure", ages, "out.csv", "--protect", "edu", "--measures", "dbil").status == 0


def test_a_recoded_file_has_a_schema_of_its_own_beside_it(evosdc, tmp_path):
    rows = [f"p{n},{1950 + n % 50}-{1 + n % 12:02d}-{1 + n % 28:02d},{20 + n % 60},{'abc'[n % 3]}" for n in range(120)]
    (tmp_path / "o.csv").write_text("\n".join(["name,visit,age,ill", *rows, ""]))
    assert evosdc("init", "o.csv", "-o", "s.toml").status == 0
    assert evosdc("edit", "s.toml", "visit", "role=sensitive").status == 0
    assert evosdc("edit", "s.toml", "ill", "role=quasi-identifier").status == 0
    first = ("mask", "global-recoding", "o.csv", "--schema", "s.toml", "--protect", "visit", "--set", "level=3")
    said = evosdc(*first, "--set", "output=label", "-o", "years.csv")
    assert "add --schema years.schema.toml" in said.out
    second = ("mask", "top-coding", "years.csv", "--schema", "years.schema.toml", "--protect", "age")
    assert evosdc(*second, "--set", "value=50", "--set", "output=label", "-o", "top.csv").status == 0
    table = evosdc_library.read_table(tmp_path / "top.csv", tmp_path / "top.schema.toml")
    found = {one.name: (str(one.role), one.scale_word) for one in table.schema.attributes}
    assert found == {
        "visit": ("sensitive", "ordinal"),
        "age": ("quasi-identifier", "ordinal"),
        "ill": ("quasi-identifier", "nominal"),
    }
    assert table.schema["visit"].categories == tuple(str(year) for year in range(1950, 2000))
    assert table.schema["age"].categories[-1].startswith(">")
    assert evosdc("risk", "top.csv", "--schema", "top.schema.toml", "--models", "k-anonymity").status == 0
    assert evosdc("mask", "pram", "o.csv", "--schema", "s.toml", "-o", "same.csv").status == 0
    assert not (tmp_path / "same.schema.toml").exists(), "that of the original fits"
    assert evosdc(*first, "--set", "output=label", "-o", "top.csv", "--force").status == 0
    assert "1950" in (tmp_path / "top.schema.toml").read_text()


def test_bands_of_words_are_refused_with_what_to_do(evosdc, ages):
    said = evosdc("mask", "global-recoding", ages, "--protect", "edu", "--set", "width.edu=10", "-o", "out.csv")
    assert said.status == 2
    assert "scale=numeric" in said.err


@pytest.mark.parametrize("name", ["age.in.years", "age (years)", "age, years", "age [y]", "a=b", "age in years"])
def test_any_name_can_be_used_in_every_option(evosdc, ages, tmp_path, name):
    text = ages.read_text().replace("age,", f'"{name}",', 1)
    ages.write_text(text)
    chosen = f'"{name}"'
    more = ["--protect", chosen, "-o", "out.csv", "--force"]
    assert evosdc("init", ages, "-o", "s.toml").status == 0
    assert evosdc("edit", tmp_path / "s.toml", name, "role=quasi-identifier", "missing=99").status == 0
    said = evosdc("mask", "global-recoding", ages, "--set", f'width."{name}"=10', "--set", "output=label", *more)
    assert said.status == 0, said.err
    assert len(set(published(tmp_path / "out.csv"))) < 12
    said = evosdc("mask", "rank-swapping", ages, "--schema", tmp_path / "s.toml", *more)
    assert said.status == 0, said.err
    said = evosdc("risk", ages, "--quasi-identifiers", chosen, "--models", "k-anonymity")
    assert said.status == 0, said.err
    said = evosdc("measure", ages, tmp_path / "out.csv", "--protect", chosen, "--measures", "dbrl")
    assert said.status == 0, said.err
