"""Tables, means and correlations before and after, against slow and obvious ways to get them."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from evosdc.api.tables import as_table
from evosdc.assess.utility import (
    AT_MOST,
    FEWEST,
    Ranking,
    analyses,
    corrections,
    destroyed,
    rank_correlation,
    sampling_distance,
    trust,
)


def people(size=400, seed=1):
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 4, size)
    return pd.DataFrame(
        {
            "level": pd.Categorical.from_codes(level, list("abcd"), ordered=True),
            "town": pd.Categorical.from_codes(rng.integers(0, 3, size), ["n", "s", "w"]),
            "income": 1000.0 * level + rng.normal(0, 500, size),
            "debt": rng.normal(50, 5, size),
        }
    )


def shuffled(frame, names, seed=2):
    rng = np.random.default_rng(seed)
    other = frame.copy()
    for name in names:
        other[name] = (
            frame[name].to_numpy()[rng.permutation(len(frame))]
            if frame[name].dtype.kind == "f"
            else (
                pd.Categorical.from_codes(
                    frame[name].cat.codes.to_numpy()[rng.permutation(len(frame))],
                    frame[name].cat.categories,
                    ordered=frame[name].cat.ordered,
                )
            )
        )
    return other


def found(before, after, protect):
    return analyses(as_table(before), as_table(after), protect)


def test_a_file_that_is_published_as_it_is_holds_throughout():
    frame = people()
    result = found(frame, frame, ["level"])
    assert all(entry["holds"] for kind in result.values() for entry in kind)
    assert all(entry["moved"] == 0.0 for entry in result["tables"])
    assert [entry["attributes"] for entry in result["tables"]] == [
        ["level"], ["level", "town"], ["level", "income"], ["level", "debt"],
    ]  # fmt: skip


def test_a_shuffled_column_keeps_its_counts_and_loses_what_ties_it_to_others():
    frame = people()
    after = shuffled(frame, ["level"])
    result = found(frame, after, ["level"])
    single, *pairs = result["tables"]
    assert single["moved"] == 0.0
    income = next(entry for entry in pairs if entry["attributes"] == ["level", "income"])
    assert not income["holds"]
    tie = next(entry for entry in result["correlations"] if entry["attributes"] == ["level", "income"])
    assert tie["before"] == pytest.approx(spearmanr(frame["level"].cat.codes, frame["income"])[0])
    assert tie["after"] == pytest.approx(spearmanr(after["level"].cat.codes, after["income"])[0])
    assert not tie["holds"]
    mean = next(entry for entry in result["means"] if (entry["of"], entry["by"]) == ("income", "level"))
    assert not mean["holds"]
    group = frame["income"][frame["level"] == mean["group"]].mean()
    assert mean["before"] == pytest.approx(group)
    assert mean["after"] == pytest.approx(after["income"][after["level"] == mean["group"]].mean())


def test_tables_are_counted_as_pandas_counts_them():
    frame = people()
    after = shuffled(frame, ["level", "town"])
    table = found(frame, after, ["level", "town"])["tables"][2]
    counts = [pd.crosstab(side["level"], side["town"]).to_numpy() for side in (frame, after)]
    assert table["attributes"] == ["level", "town"]
    assert table["moved"] == pytest.approx(50.0 * np.abs(counts[0] - counts[1]).sum() / len(frame))
    assert table["sampling"] == pytest.approx(sampling_distance((counts[0] / len(frame)).ravel(), len(frame)))


def test_means_of_masked_numbers_are_told_with_the_error_of_two_samples():
    frame = people()
    after = frame.assign(income=frame["income"] + 500.0)
    entry = next(e for e in found(frame, after, ["income"])["means"] if e["of"] == "income" and e["by"] is None)
    assert entry["after"] - entry["before"] == pytest.approx(500.0)
    assert entry["error"] == pytest.approx(sqrt(2.0) * frame["income"].std() / sqrt(len(frame)))
    assert not entry["holds"]


def test_small_groups_tell_no_mean():
    frame = people(FEWEST * 4 - 2)
    assert all(entry["by"] != "town" or entry["group"] for entry in found(frame, frame, ["town"])["means"])
    tiny = people(FEWEST)
    assert [entry for entry in found(tiny, tiny, ["level"])["means"] if entry["by"] == "level"] == []


def test_the_yardstick_is_what_two_samples_differ_by():
    rng, shares = np.random.default_rng(3), np.array([0.5, 0.3, 0.2])
    samples = rng.multinomial(1000, shares, (4000, 2)) / 1000
    mean = 50.0 * np.abs(samples[:, 0] - samples[:, 1]).sum(axis=1).mean()
    assert sampling_distance(shares, 1000) == pytest.approx(mean, rel=0.03)


def test_a_sparse_table_does_not_hold_because_its_yardstick_is_long():
    size = 60
    labels = [str(n) for n in range(11)]
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({n: pd.Categorical.from_codes(rng.integers(0, 11, size), labels) for n in "ab"})
    pair = found(frame, shuffled(frame, ["a"]), ["a"])["tables"][1]
    assert pair["sampling"] > AT_MOST
    assert pair["moved"] > AT_MOST
    assert not pair["holds"]


def test_identifiers_weights_and_constants_are_no_analyses():
    frame = people(40).assign(same=1.0)
    assert rank_correlation(Ranking(frame["same"].to_numpy()), Ranking(frame["debt"].to_numpy()), FEWEST) is None
    assert not any("same" in entry["attributes"] for entry in found(frame, frame, ["same"])["correlations"])


def coarser(frame, out=()):
    """Return people whose level is published in two groups, and as ``*`` where it is left out."""
    groups = np.where(frame["level"].isin(["a", "b"]), "a..b", "c..d").astype(object)
    groups[list(out)] = "*"
    return frame.assign(level=pd.Categorical(groups, ["a..b", "c..d", "*"], ordered=True))


def test_coarser_columns_are_compared_in_their_published_groups():
    frame = people()
    result = found(frame, coarser(frame), ["level"])
    assert [entry["attributes"] for entry in result["tables"]] == [
        ["level"], ["level", "town"], ["level", "income"], ["level", "debt"],
    ]  # fmt: skip
    assert all(entry["holds"] and entry["moved"] == 0.0 for entry in result["tables"])
    assert all(entry["coarser"] == ["level"] for entries in result.values() for entry in entries)
    assert {(entry["of"], entry["by"]) for entry in result["means"]} == {("income", "level"), ("debt", "level")}
    assert any(line.startswith("All 3 tables of two columns") for line in trust(result)["yes"])


def test_values_that_are_left_out_are_not_counted():
    frame = people()
    out = np.flatnonzero(frame["level"] == "d")
    result = found(frame, coarser(frame, out), ["level"])
    assert result["tables"][0]["moved"] == pytest.approx(50.0 * len(out) / len(frame))
    few = found(frame, coarser(frame, range(20)), ["level"])
    assert all(entry["holds"] for entry in few["tables"])
    assert not result["tables"][0]["holds"]
    assert destroyed(result) == []
    assert corrections(as_table(frame), as_table(coarser(frame, out)), result["tables"]) == []
    assert trust(result)["no"][0].startswith("Column counts: level")


def test_a_column_that_is_withheld_has_no_analyses():
    frame = people()
    result = found(frame, coarser(frame, range(len(frame))), ["level"])
    assert not any(result.values())


def test_numbers_in_intervals_are_compared_as_intervals():
    frame = people()
    bands = pd.Categorical(np.where(frame["income"] < 1500, "[0, 1500)", "[1500, 5000)"), ordered=True)
    result = found(frame, frame.assign(income=bands), ["income"])
    assert result["tables"][0]["attributes"] == ["income"]
    assert all(entry["holds"] for entry in result["tables"])
    assert not any(entry["of"] == "income" for entry in result["means"])
