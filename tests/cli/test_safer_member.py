"""Where an informed intruder finds too many, a member of the front in which he does not is told of, or published."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from evosdc.experiment.run import intruders
from evosdc.model import Individual
from evosdc.secret import Key


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(1)
    people = {"age": rng.integers(18, 90, 400), "sex": rng.choice(["f", "m"], 400)}
    path = tmp_path_factory.mktemp("safer") / "people.csv"
    Key(bytes([2] * 32)).write(path.with_name("key"))  # by which the best file is not publishable, and members are
    pd.DataFrame(people | {"region": rng.choice(list("abcdefgh"), 400)}).to_csv(path, index=False)
    return path


def protected(evosdc, data, folder, *words):
    short = ("--fitness", "max", "--generations", "2", "--no-second-opinion", "--key", data.with_name("key"))
    done = evosdc("protect", data, *short, "-o", folder, *words)
    return done, json.loads((folder / "result.json").read_text())["verdict"]


def test_a_safer_member_is_told_of_and_holds_what_is_said(evosdc, data, tmp_path) -> None:
    done, told = protected(evosdc, data, tmp_path / "run")
    assert told["headline"] == "not publishable"
    assert told["intruder"]["percent"] > 9.0
    (number,) = re.findall(r"Member ([0-9]+) of the front keeps it", " ".join(told["reasons"]))
    assert f"evosdc choose {tmp_path / 'run'} {number} -o NEW" in done.out
    evosdc("choose", tmp_path / "run", number, "-o", tmp_path / "chosen")
    chosen = json.loads((tmp_path / "chosen" / "result.json").read_text())["verdict"]
    assert chosen["intruder"]["percent"] <= 9.0
    assert chosen["headline"] != "not publishable"


class Percentage:
    """What an intruder finds in a file."""

    def __init__(self, percent: float) -> None:
        self.percent = percent


def member(percent: float, scores: dict[str, float] | None = None) -> Individual:
    return Individual(percent, b"", scores or {}, (0.0,), "mutation")


def test_the_member_that_loses_least_within_the_bound_is_found_in_few_tries(monkeypatch) -> None:
    asked = []

    def found(_, individual):
        asked.append(individual)
        return Percentage(individual.genome)

    monkeypatch.setattr(intruders, "_found_of", found)
    front = [member(percent) for percent in np.linspace(40, 0, 81)]  # from 9 per cent on: the 63rd
    assert intruders.safer_member(None, front, 9.0) == 62
    assert len(asked) <= 7
    assert intruders.safer_member(None, front[:50], 9.0) is None
    assert intruders.safer_member(None, [], 9.0) is None
    assert intruders.safer_member(None, front, 9.0, 0.0) is None
    infeasible = [member(1.0, {"infeasibility": 0.5}), member(2.0)]
    assert intruders.safer_member(None, infeasible, 9.0) == 1
