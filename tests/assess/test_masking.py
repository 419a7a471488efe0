"""Masking stratum by stratum and with sampling weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.assess.mask import sampling_weights, strata_of
from evosdc.cli import main
from evosdc.errors import DataError, InputError, ParameterError
from evosdc.table.alignment import join_parts
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

REGIONS = ("north", "south", "west")


def survey(n: int = 60, weights: tuple[float, ...] = ()) -> Table:
    rng = np.random.default_rng(5)
    attributes = (
        Attribute("grade", Role.QUASI_IDENTIFIER, Scale.ORDINAL, tuple("abcdef")),
        Attribute("region", Role.STRATUM, Scale.NOMINAL, REGIONS),
        Attribute("income", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
        Attribute("weight", Role.WEIGHT, Scale.NUMERIC),
    )
    codes = np.column_stack([rng.integers(0, 6, n), np.arange(n) % 3]).astype(np.int32)
    numbers = np.column_stack([rng.normal(size=n), np.resize(weights or (1.0,), n)])
    return Table(Schema(attributes), codes, numbers)


def test_each_stratum_is_masked_as_if_it_were_a_file_of_its_own() -> None:
    table = survey()
    whole = evosdc.mask(table, "mdav", k=4, by=["region"])
    for rows in strata_of(table, ["region"]):
        alone = evosdc.mask(table.take(rows), "mdav", k=4)
        assert whole.take(rows).same_records(alone)


def test_values_are_swapped_within_strata_only() -> None:
    table = survey()
    swapped = evosdc.mask(table, "rank-swapping", p=50, by="region", seed=3)
    assert not swapped.same_records(table)
    for rows in strata_of(table, ["region"]):
        for name in ("grade", "income"):
            assert sorted(swapped.column(name)[rows]) == sorted(table.column(name)[rows])


def test_strata_of_several_attributes_are_their_combinations_and_cover_all_records() -> None:
    table = survey()
    strata = strata_of(table, ["region", "grade"])
    assert sorted(np.concatenate(strata).tolist()) == list(range(len(table)))
    assert len(strata) == len({tuple(record) for record in table.codes[:, [1, 0]].tolist()})
    assert all(len(np.unique(table.codes[rows], axis=0)) == 1 for rows in strata)


def test_strata_too_small_for_the_method_are_counted() -> None:
    with pytest.raises(ParameterError, match="3 of 3 strata refuse it, the least has 20 records"):
        evosdc.mask(survey(), "mdav", k=21, by=["region"])


def test_unknown_strata_are_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match="Did you mean 'region'"):
        evosdc.mask(survey(), "mdav", k=2, by=["regoin"])


def test_joined_strata_unite_the_labels_of_generalised_attributes() -> None:
    parts = [
        Table(Schema((Attribute("age", scale=Scale.NOMINAL, categories=labels),)), np.array(codes), np.empty((2, 0)))
        for labels, codes in ((("[1, 2]", "[3, 4]"), [[0], [1]]), (("[1, 4]",), [[0], [-1]]))
    ]
    whole = join_parts(parts, [np.array([3, 0]), np.array([1, 2])])
    assert whole.schema["age"].categories == ("[1, 2]", "[3, 4]", "[1, 4]")
    assert whole.column("age").tolist() == [1, 2, -1, 0]


@pytest.mark.parametrize("weights", [(1.0, 0.0), (1.0, np.nan), (-1.0, 2.0)])
def test_weights_must_be_positive(weights: tuple[float, ...]) -> None:
    with pytest.raises(DataError, match="weights missing or not positive"):
        sampling_weights(survey(weights=weights))


def test_a_file_without_weights_has_none() -> None:
    assert sampling_weights(survey().select(["grade", "income"])) is None
    assert sampling_weights(survey(weights=(1.0, 2.5))).tolist()[:2] == [1.0, 2.5]


def test_the_command_masks_by_strata_and_says_so(tmp_path: Path) -> None:
    table = survey()
    frame = pd.DataFrame(
        {
            "grade": [table.schema["grade"].categories[c] for c in table.column("grade")],
            "region": [REGIONS[c] for c in table.column("region")],
        }
    )
    frame.to_csv(tmp_path / "survey.csv", index=False)
    command = ["mask", "rank-swapping", str(tmp_path / "survey.csv"), "--protect", "grade", "--by", "region"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--set", "p=40", "-o", str(tmp_path / "masked.csv")])
    assert not ended.value.code
    masked = pd.read_csv(tmp_path / "masked.csv")
    assert masked.region.tolist() == frame.region.tolist()
    for _, rows in frame.groupby("region").groups.items():
        assert sorted(masked.grade[rows]) == sorted(frame.grade[rows])
    assert json.loads((tmp_path / "masked.manifest.json").read_text())["by"] == ["region"]


def test_an_entry_of_a_start_can_name_strata() -> None:
    from evosdc.experiment.experiment import Experiment

    experiment = Experiment(data={"name": "housing"}, start=[{"method": "mdav", "k": 3, "by": ["metro"]}])
    (entry,) = experiment.start.methods
    assert entry.masking.by == ("metro",)
    assert entry.masking.label == "mdav k=3 (by metro)"
