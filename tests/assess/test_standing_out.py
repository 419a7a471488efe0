"""Which records stand out, beside a slow and obvious way of finding out."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.assess.risk import intruder_view_of, standing_out
from evosdc.plugins.registry import default_registry


def slowly(frame: pd.DataFrame) -> dict[int, set[tuple[str, ...]]]:
    """Return by position, from 1, the smallest sets of columns on which a record is alone, by trying all."""
    found: dict[int, set[tuple[str, ...]]] = {}
    for size in range(1, frame.shape[1] + 1):
        level: dict[int, set[tuple[str, ...]]] = {}
        for names in combinations(frame.columns, size):
            alone = ~frame.duplicated(list(names), keep=False)
            for row in np.flatnonzero(alone):
                level.setdefault(int(row) + 1, set()).add(names)
        found = level | found
    return found


@pytest.mark.parametrize("seed", range(4))
def test_smallest_sets(seed) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {name: rng.integers(0, size, 60).astype(str) for name, size in zip("abcd", (3, 4, 8, 12), strict=True)}
    )
    told = evosdc.risk(frame, quasi_identifiers=list("abcd"), standing_out=100)["standing_out"]
    wanted = slowly(frame)
    assert {one["record"]: set(map(tuple, one["sets"])) for one in told["listed"]} == wanted
    assert told["records"] == len(wanted)
    sizes = [len(one["sets"][0]) for one in told["listed"]]
    assert sizes == sorted(sizes)
    assert sum(told["by_size"].values()) == len(wanted)


def test_the_intruder_is_that_of_the_original() -> None:
    frame = pd.DataFrame({"a": list("xxyz"), "b": list("1123")})
    told = evosdc.risk(frame, quasi_identifiers=["a", "b"], standing_out=1)["standing_out"]
    assert told["intruder"]["expected"] == pytest.approx(3.0)  # two alone, and one of the two alike
    assert [one["record"] for one in told["listed"]] == [3]
    assert "listed" not in told["intruder"]


def test_nobody_stands_out() -> None:
    frame = pd.DataFrame({"a": ["x"] * 4, "b": ["y"] * 4})
    table = evosdc.risk(frame, quasi_identifiers=["a", "b"], standing_out=5)["standing_out"]
    assert (table["records"], table["listed"], table["by_size"]) == (0, [], {})


def test_missing_values_that_equal_anything_are_in_no_set() -> None:
    frame = pd.DataFrame({"a": [None, "x", "y", "y"], "b": ["1", "1", "2", "2"]})
    told = evosdc.risk(frame, quasi_identifiers=["a", "b"], missing_rule="wildcard", standing_out=9)["standing_out"]
    assert all(one["record"] != 1 for one in told["listed"])


def test_models_that_tell_nothing_are_passed_over() -> None:
    from evosdc.files.frame import table_from_frame

    frame = pd.DataFrame({"a": pd.Categorical(list("xyz"))})
    view = intruder_view_of(table_from_frame(frame), ["a"])
    registry = default_registry()
    models = [registry.build("privacy-model", name, {}) for name in ("k-anonymity", "l-diversity")]
    assert standing_out(view, models, registry).records == ()


def test_the_command_line_tells_positions_and_no_values(tmp_path, capsys, monkeypatch) -> None:
    from evosdc.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("a,b\n" + "x,1\n" * 3 + "Secret,2\n")
    with pytest.raises(SystemExit):
        main(["risk", "d.csv", "--quasi-identifiers", "a,b", "--standing-out", "5"])
    said = capsys.readouterr().out
    assert "record 4: unique by a or by b" in said
    assert "Secret" not in said
    with pytest.raises(SystemExit):
        main(["risk", "d.csv", "--quasi-identifiers", "a,b", "--standing-out", "5", "--json"])
    assert json.loads(capsys.readouterr().out)["standing_out"]["listed"] == [{"record": 4, "sets": [["a"], ["b"]]}]
