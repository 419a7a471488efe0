"""``evosdc protect --generations``: a search that ends alike on any computer."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import evosdc as evosdc_api
from evosdc.errors import ParameterError

ROWS = [("mf"[i % 2], 20 + i * i % 7, "abc"[i * i % 3]) for i in range(40)]
WORDS = ("protect", "survey.csv", "--protect", "sex,age", "--no-tune", "--no-second-opinion", "--executor", "serial")


def test_the_search_ends_by_them_and_the_file_is_the_same(evosdc, tmp_path) -> None:
    pd.DataFrame(ROWS, columns=["sex", "age", "town"]).to_csv(tmp_path / "survey.csv", index=False)
    found = []
    for folder in ("one", "two"):
        answer = evosdc(*WORDS, "--generations", "3", "--key", "key", "-o", folder, "--json")
        assert answer.status in (0, 1), answer.err
        found.append(json.loads(answer.out))
    assert [result["generations"] for result in found] == [3, 3]
    assert found[0]["digest"] == found[1]["digest"]
    one, two = (
        tmp_path / folder / result["best"]["file"] for folder, result in zip(("one", "two"), found, strict=True)
    )
    assert one.read_bytes() == two.read_bytes()
    stop = json.loads((tmp_path / "one/resolved.json").read_text())["stop"]
    assert (stop["generations"], stop["seconds"]) == (3, None)


def test_none_is_no_number_of_generations(evosdc) -> None:
    frame = pd.DataFrame(ROWS, columns=["sex", "age", "town"])
    with pytest.raises(ParameterError, match="or equal to 1"):
        evosdc_api.protect(frame, generations=0)
    assert evosdc(*WORDS, "--generations", "0").status == 2
