"""The Python side: tables and frames, aligned by label and position."""

import warnings

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.errors import InputError


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "education": pd.Categorical(
                ["low", "high", "mid", "low", "mid"] * 8, categories=["low", "mid", "high"], ordered=True
            ),
            "region": pd.Categorical(["north", "south", "south", "east"] * 10),
            "count": pd.array([2 * k for k in range(40)], dtype="Int64"),
        },
        index=[7] * 40,
    )


def test_masking_keeps_index_columns_and_dtypes(frame):
    masked = evosdc.mask(frame, "mdav", k=4, protect=["education", "region"])
    assert masked.index.equals(frame.index)
    assert (masked.dtypes == frame.dtypes).all()
    assert masked["count"].equals(frame["count"])
    assert (masked.groupby(["education", "region"], observed=True).size() >= 4).all()


def test_frames_in_another_order_are_told_of(frame):
    frame = frame[["education", "region"]].reset_index(drop=True)
    with pytest.warns(UserWarning, match="matched by position"):
        evosdc.measure(frame, frame[::-1], "dbil")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evosdc.measure(frame, frame[::-1].reset_index(drop=True), "dbil")["dbil"] > 0.0
        assert evosdc.measure(frame, frame.copy(), "dbil")["dbil"] == 0.0


def test_integer_columns_stay_integers(frame):
    masked = evosdc.mask(frame, "mdav", k=4, protect=["count"])
    assert masked["count"].dtype == "Int64"
    assert masked["count"].nunique() <= 10


def test_seed_decides(frame):
    names = ["education", "region"]
    first = evosdc.mask(frame, "pram", p=0.5, seed=3, protect=names)
    assert first.equals(evosdc.mask(frame, "pram", p=0.5, seed=3, protect=names))
    assert not first.equals(evosdc.mask(frame, "pram", p=0.5, seed=4, protect=names))


def test_tables_read_on_their_own_are_compared_by_label(tmp_path):
    (tmp_path / "o.csv").write_text("v\n" + "a\n" * 2 + "b\n" * 4 + "c\n" * 4)
    (tmp_path / "m.csv").write_text("v\n" + "b\n" * 6 + "c\n" * 4)
    original, masked = (evosdc.read_table(tmp_path / name) for name in ("o.csv", "m.csv"))
    scores = evosdc.measure(original, masked, ["dbil", "id"], protect=["v"])
    assert scores == {"dbil": pytest.approx(20.0), "id": pytest.approx(80.0)}


def test_columns_in_another_order_and_further_ones_do_not_matter(frame):
    names = ["education", "region"]
    masked = evosdc.mask(frame, "rank-swapping", p=20, protect=names)
    shuffled = masked[["region", "count", "education"]].assign(more=1)
    assert evosdc.measure(frame, shuffled[["region", "education", "count"]], protect=names) == evosdc.measure(
        frame, masked, protect=names
    )


def test_a_single_name_is_a_name(frame):
    assert set(evosdc.measure(frame, frame, "dbil", protect="region")) == {"dbil"}


def test_a_category_that_the_original_lacks_is_refused(tmp_path):
    for name, text in (("o.csv", "v\na\nb\na\nb\n"), ("m.csv", "v\na\nz\na\nb\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="'z'"):
        evosdc.measure(*(evosdc.read_table(tmp_path / n) for n in ("o.csv", "m.csv")), protect=["v"])


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda f: evosdc.mask(f, "pram", seed=-1), "greater than or equal to 0"),
        (lambda f: evosdc.mask(f, "pram", seed="x"), "'x'"),
        (lambda f: evosdc.mask([1, 2], "pram"), "DataFrame"),
        (lambda f: evosdc.mask(f, "pramm"), "Did you mean 'pram'?"),
        (lambda f: evosdc.mask(f, "mdav", k=41), "1..40"),
        (lambda f: evosdc.mask(f, "pram", protect=["count"]), "count"),
        (lambda f: evosdc.measure(f, f.iloc[:10]), "10 records"),
        (lambda f: evosdc.measure(f, f, ["dbil", "prll"], protect=["region"]), "Did you mean 'prl'?"),
        (lambda f: evosdc.Experiment(data={"nam": "housing"}), "nam"),
        (lambda f: evosdc.Experiment(data=f), "a table such as"),
    ],
)
def test_bad_input_is_one_kind_of_error(frame, call, word):
    with pytest.raises(InputError) as caught:
        call(frame)
    assert word in str(caught.value)
    assert "north" not in str(caught.value)


def test_generations_may_stand_in_the_algorithm():
    experiment = evosdc.Experiment(data={"name": "housing"}, algorithm={"name": "generational", "generations": 7})
    assert experiment.stop.generations == 7


def test_missing_values_and_unused_categories_by_position():
    frame = pd.DataFrame(
        {"a": pd.Categorical(["x", None, "y", "x"], categories=["x", "y", "never"])}, index=[3, 1, 3, 0]
    )
    same = evosdc.measure(frame, frame.copy(), ["dbil", "ctbil", "ebil", "id"])
    assert same == {"dbil": 0.0, "ctbil": 0.0, "ebil": 0.0, "id": 100.0}
    other = frame.assign(a=pd.Categorical(["x", "x", "y", "x"], categories=["x", "y", "never"]))
    assert evosdc.measure(frame, other, ["dbil"])["dbil"] == pytest.approx(25.0)
    assert np.isfinite(list(evosdc.measure(frame, other).values())).all()


def test_records_are_clustered(frame, tmp_path):
    names = ["education", "region"]
    found = evosdc.cluster(frame, 3, protect=names, fuzzy=1.5)
    assert len(found.labels) == len(frame)
    assert np.bincount(found.labels).tolist() == found.sizes.tolist() == sorted(found.sizes.tolist(), reverse=True)
    assert list(found.representatives.columns) == names
    assert found.representatives["education"].dtype == frame["education"].dtype
    assert found.memberships.sum(axis=1) == pytest.approx(np.ones(len(frame)))
    assert found.elbow["distance"].is_monotonic_decreasing
    assert found.elbow["clusters"].tolist() == list(range(1, len(found.elbow) + 1))
    assert found.suggested == evosdc.cluster(frame, 5, protect=names).suggested
    assert found.stability.keys() >= {"rand", "adjusted-rand", "nmi"}
    assert list(found.frame.columns) == ["records", "share", "distance", "medoid", *names]
    assert "3 clusters" in found._repr_html_()
    page = found.report(tmp_path / "clusters.html")
    assert "How many clusters" in page.read_text(encoding="utf-8")
    with pytest.raises(InputError):
        found.report(tmp_path / "nowhere" / "clusters.html")
    with pytest.raises(AttributeError):
        found.labels = None


def test_numbers_are_clustered_too_and_bad_ones_refused(frame):
    found = evosdc.cluster(frame, 2, protect=["count"])
    assert found.representatives["count"].tolist() == [
        float(np.sort(v)[(len(v) - 1) // 2])
        for v in (frame["count"].to_numpy(dtype=float)[found.labels == c] for c in (0, 1))
    ]
    with pytest.raises(InputError, match="nope"):
        evosdc.cluster(frame, 2, protect=["nope"])
    with pytest.raises(InputError, match="c: given 0"):
        evosdc.cluster(frame, 0, protect=["count"])
