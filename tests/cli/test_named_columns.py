"""Columns whose names hold blanks at their ends, dots, commas or brackets, in all options that name columns."""

import numpy as np
import pandas as pd
import pytest

from evosdc.options.written import names_text

NAMES = ["age ", " sex", "inc.ome", "town, old", "job [code]"]


@pytest.fixture
def awkward(tmp_path):
    rng = np.random.default_rng(4)
    columns = {name: rng.integers(0, 4 + place, 60) for place, name in enumerate(NAMES)}
    pd.DataFrame(columns).to_csv(tmp_path / "f.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("plain", [False, True])
def test_columns_with_blanks_dots_commas_and_brackets_can_be_named(evosdc, awkward, plain):
    """Names may be given without the blanks at their ends, where that is not ambiguous."""
    named = "age,sex" if plain else names_text(NAMES)
    first = "age" if plain else '"age "'
    known = len(named.split(",")) if plain else len(NAMES)
    answer = evosdc("mask", "mdav", "f.csv", "--protect", named, "--by", first, "--set", "k=3", "-o", "m.csv")
    assert answer.status == 0, answer.err
    assert known == (2 if plain else 5)
    answer = evosdc("risk", "f.csv", "--quasi-identifiers", first, "--models", "k-anonymity")
    assert answer.status == 0, answer.err
    answer = evosdc("measure", "f.csv", "m.csv", "--protect", named, "--measures", "dbrl")
    assert answer.status == 0, answer.err
    answer = evosdc("judge", "f.csv", "m.csv", "--protect", named, "--judges", "displacement-linkage", "--json")
    assert answer.status in (0, 2), answer.err
    short = ("--generations", "1", "--no-tune", "--no-second-opinion", "--no-report", "--executor", "serial", "--quiet")
    answer = evosdc("protect", "f.csv", "--protect", named, *short, "--seed", "1", "-o", "run")
    assert answer.status in (0, 1), answer.err
    assert (awkward / "run" / "result.json").exists()
