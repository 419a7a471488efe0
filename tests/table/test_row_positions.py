"""Masked attributes that the order of the rows tells."""

import numpy as np
import pandas as pd
import pytest

from evosdc.api.tables import as_table
from evosdc.files.frame import reordered
from evosdc.files.source import read_source
from evosdc.secret import Key
from evosdc.table.row_positions import disclosed_by_order, position_sentences, random_order
from evosdc.table.schema import Role
from evosdc.table.table import assign_role

MASKED = ["state", "sex", "age"]


def people(size=400):
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "state": rng.choice(["NSW", "Other", "QLD", "VIC"], size, p=[0.6, 0.1, 0.1, 0.2]),
            "sex": rng.choice(["F", "M"], size),
            "age": rng.integers(18, 80, size),
            "wage": rng.lognormal(8.0, 0.5, size),
        }
    )


def told(frame, names=MASKED):
    return disclosed_by_order(as_table(frame), names)


def test_random_order_tells_nothing():
    assert told(people(), [*MASKED, "wage"]) == ()
    # A column whose values are all different changes at every row, in whatever order.
    assert told(people(12), [*MASKED, "wage"]) == ()


@pytest.mark.parametrize("up", [True, False])
def test_all_keys_of_a_sort_are_told(up):
    assert told(people().sort_values(MASKED, ascending=up)) == tuple(MASKED)
    assert told(people().sort_values("wage", ascending=up), [*MASKED, "wage"]) == ("wage",)


def test_a_column_sorted_alone_is_told_whatever_the_order_of_its_categories():
    frame = people()
    blocks = frame.sort_values("state", key=lambda column: column.map({"QLD": 0, "NSW": 1, "VIC": 2, "Other": 3}))
    assert told(blocks) == ("state",)


def test_nearly_sorted_rows_are_told_and_a_weak_trend_is_not():
    frame, rng = people(), np.random.default_rng(1)
    near = frame.iloc[np.argsort(frame["age"].to_numpy() + rng.normal(0.0, 15.0, len(frame)))]
    weak = frame.iloc[np.argsort(frame["age"].to_numpy() + rng.normal(0.0, 60.0, len(frame)))]
    assert told(near) == ("age",)
    assert told(weak) == ()


def test_members_of_a_household_stand_together_without_being_sorted():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"house": np.repeat(np.arange(150), 3), "town": np.repeat(rng.choice(list("abc"), 150), 3)})
    table = as_table(frame)
    assert disclosed_by_order(table, ["town"]) == ("town",)
    assert disclosed_by_order(assign_role(table, Role.HOUSEHOLD, "house"), ["town"]) == ()


def test_the_moments_of_runs_are_those_of_all_permutations():
    rng = np.random.default_rng(2)
    values = np.repeat([0, 1, 2], [5, 9, 16])
    counted = np.array([np.count_nonzero(np.diff(rng.permutation(values))) for _ in range(4000)])
    n, sizes = 30.0, np.array([5.0, 9.0, 16.0])
    squares, cubes = (sizes**2).sum(), (sizes**3).sum()
    assert counted.mean() == pytest.approx(n - squares / n, abs=0.15)
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))
    assert counted.var() == pytest.approx(variance, rel=0.1)


def test_the_sentence_names_the_columns_and_what_to_do():
    assert position_sentences([]) == []
    (sentence,) = position_sentences(["state", "sex", "age"])
    assert sentence.startswith("The order of the rows tells state, sex and age, which are masked")
    assert "--shuffle" in sentence


def test_a_random_order_follows_from_the_key_and_tells_nothing():
    table, key = as_table(people().sort_values(MASKED)), Key.fresh()
    order = random_order(len(table), key, 0)
    assert sorted(order) == list(range(len(table)))
    assert list(order) == list(random_order(len(table), key, 0))
    assert disclosed_by_order(table.take(order), MASKED) == ()
    assert list(order) != list(random_order(len(table), key, 1)), "each file has an order of its own"
    assert list(order) != list(random_order(len(table), Key.fresh(), 0))


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_source_writes_records_in_the_order_that_is_wanted(tmp_path, end):
    rows = [f"{n},{'fm'[n % 2]},{n // 4}" for n in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["id,sex,age", *rows]) + end)
    source, order = read_source(tmp_path / "a.csv"), random_order(40, 1, 0)
    source.write(tmp_path / "b.csv", source.table, drop_identifiers=False, order=order)
    written = (tmp_path / "b.csv").read_text()
    assert written.endswith("\n")  # all lines end alike, whatever the last one of the original does
    assert written.split() == ["id,sex,age", *(rows[row] for row in order)]
    source.write(tmp_path / "c.csv", source.table, drop_identifiers=False, order=order[:3])
    assert (tmp_path / "c.csv").read_text().split() == written.split()[:4]


@pytest.mark.parametrize(("package", "kind"), [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")])
def test_frames_are_put_in_another_order(package, kind):
    given = getattr(pytest.importorskip(package), kind)({"a": [3, 1, 2], "b": ["x", "y", "z"]})
    found = reordered(given, [2, 0, 1])
    assert type(found) is type(given)
    held = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    assert held.to_dict("list") == {"a": [2, 3, 1], "b": ["z", "x", "y"]}
    assert list(held.index) == [0, 1, 2]
