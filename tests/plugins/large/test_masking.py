"""Masking of large files: what is promised holds, and nobody's share of the work changes a value."""

from __future__ import annotations

import json
import pickle
import stat

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from evosdc.errors import DataError, ParameterError
from evosdc.randomisation.transition import cumulative, design_b
from evosdc.secret import PUBLIC_SEED, Key
from evosdc_large import blocks, planning
from evosdc_large.masking import IN_ORDER, mask_parquet, masked_rows
from evosdc_large.plans import DRAWN_TOGETHER, uniforms_of
from evosdc_large.risk import risk_of_parquet
from evosdc_large.workers import Workers, workers
from tests.cli.conftest import evosdc as command  # noqa: F401 -- a fixture
from tests.optional import require_dask

from .made_up import KEYS, parquet, people

WORK = {
    "pram": (["sex", "region"], {"design": "b", "theta": 0.9}),
    "local-suppression": (KEYS, {"k": 3}),
    "rank-swapping": (["age"], {"p": 20}),
    "global-recoding": (["region"], {"partition": {"region": [["a", "b"], ["c", "d", "e"]]}, "output": "label"}),
}


@pytest.fixture
def file(tmp_path):
    return parquet(people(), tmp_path / "people.parquet")


def masked(file, tmp_path, method, by=None, key=None, **params):
    attributes, usual = WORK[method]
    drawn = {"seed": 1} if key is None else {"key": key}
    output = tmp_path / "masked.parquet"
    changed = mask_parquet(file, method, output, attributes, params=usual | params, by=by, force=True, **drawn)
    return pd.read_parquet(output), changed


@pytest.mark.parametrize("method", WORK)
def test_only_named_columns_change_and_changes_are_counted(file, tmp_path, method):
    before, (after, changed) = pd.read_parquet(file), masked(file, tmp_path, method)
    assert list(after) == list(before)
    for name in before:
        texts = [frame[name].astype(object).where(frame[name].notna(), None) for frame in (before, after)]
        count = sum(a != b for a, b in zip(*texts, strict=True))
        assert count == changed.get(name, 0), name
    assert sum(changed.values()) > 0
    assert stat.S_IMODE((tmp_path / "masked.parquet").stat().st_mode) == 0o600


@pytest.mark.parametrize("method", [m if m == "pram" else pytest.param(m, marks=pytest.mark.endurance) for m in WORK])
def test_row_groups_batches_and_two_dask_workers_change_nothing(file, tmp_path, method, monkeypatch):
    require_dask()
    wanted, _ = masked(file, tmp_path, method)
    with workers(number=2) as by:
        found, _ = masked(file, tmp_path, method, by)
    pd.testing.assert_frame_equal(found, wanted)
    other = parquet(people(), tmp_path / "other.parquet", rows=41, categories=True)
    monkeypatch.setattr(blocks, "BATCH", 29)
    found, _ = masked(other, tmp_path, method)
    for name in found:
        same = found[name].astype(object).where(found[name].notna(), None)
        assert same.tolist() == wanted[name].astype(object).where(wanted[name].notna(), None).tolist()


def test_pram_draws_from_the_matrices_of_the_design(file, tmp_path):
    before, (after, _) = pd.read_parquet(file), masked(file, tmp_path, "pram")
    for place, name in enumerate(WORK["pram"][0]):
        counts = before[name].value_counts().sort_index()
        sums = cumulative(design_b(counts.to_numpy(), 0.9))
        uniforms = uniforms_of(1, place, 0, len(before))
        labels = list(counts.index)
        for row, (old, new) in enumerate(zip(before[name], after[name], strict=True)):
            if pd.isna(old):
                assert pd.isna(new)
            else:
                assert new == labels[int(np.argmax(sums[labels.index(old)] > uniforms[row]))]


def test_swapping_stays_in_the_quantile_cell_and_keeps_the_marginal(file, tmp_path):
    before, (after, _) = pd.read_parquet(file)["age"], masked(file, tmp_path, "rank-swapping")
    assert (before.isna() == after["age"].isna()).all()
    counts = before.value_counts().sort_index()
    matrix = planning.within_cells(counts.to_numpy(), 20)
    assert np.allclose(matrix.sum(axis=1), 1)
    assert np.allclose(counts.to_numpy() @ matrix, counts.to_numpy())
    possible = {(old, new) for i, old in enumerate(counts.index) for j, new in enumerate(counts.index) if matrix[i, j]}
    pairs = {(a, b) for a, b in zip(before, after["age"], strict=True) if not pd.isna(a)}
    assert pairs <= possible
    assert len(possible) < len(counts) ** 2 / 2
    # By hand: the first cell has 30 records of the first value and 20 of the second, the other one 10 and 40.
    wanted = [[30, 20, 0], [20, (20 * 20 + 10 * 10) / 30, 40 / 3], [0, 10, 40]]
    assert planning.within_cells(np.array([30, 30, 40]), 50) == pytest.approx(np.array(wanted) / 50)
    assert np.array_equal(planning.within_cells(np.array([3, 4]), 0), np.identity(2))


def test_random_numbers_hang_on_the_position_alone():
    whole = uniforms_of(3, 1, 0, 2 * DRAWN_TOGETHER + 10)
    middle = uniforms_of(3, 1, DRAWN_TOGETHER - 5, DRAWN_TOGETHER + 10)
    assert np.array_equal(whole[DRAWN_TOGETHER - 5 : 2 * DRAWN_TOGETHER + 5], middle)
    assert not np.array_equal(whole, uniforms_of(4, 1, 0, len(whole)))


@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_suppression_makes_k_anonymous_and_changes_nothing_else(file, tmp_path, missing):
    before, (after, _) = pd.read_parquet(file), masked(file, tmp_path, "local-suppression", k=4, missing=missing)
    found = risk_of_parquet(tmp_path / "masked.parquet", KEYS, missing=missing)
    assert risk_of_parquet(file, KEYS, missing=missing)["k-anonymity"]["k"] < 4 <= found["k-anonymity"]["k"]
    for name in KEYS:
        kept = after[name].notna()
        assert (after.loc[kept, name] == before.loc[kept, name]).all()


def test_recoding_publishes_the_groups(file, tmp_path):
    before, (after, _) = pd.read_parquet(file), masked(file, tmp_path, "global-recoding")
    pairs = set(zip(before["region"].fillna("-"), after["region"].fillna("-"), strict=True))
    assert len(pairs) == 8
    merged = dict(pairs)
    assert merged["a"] == merged["b"] != merged["c"] == merged["d"] == merged["e"]
    assert merged["f"] == "f"
    assert merged["-"] == "-"


def test_what_does_not_fit_is_refused(file, tmp_path, monkeypatch):
    output = tmp_path / "out.parquet"
    with pytest.raises(ParameterError, match="one of pram"):
        mask_parquet(file, "mdav", output, ["age"])
    with pytest.raises(ParameterError, match="output=label"):
        mask_parquet(file, "global-recoding", output, ["region"])
    with pytest.raises(ParameterError, match="another file than the data"):
        mask_parquet(file, "pram", file, ["region"], force=True)
    with pytest.raises(ParameterError, match="crossed"):
        mask_parquet(file, "pram", output, ["sex", "region"], params={"crossed": [["sex", "region"]]})
    monkeypatch.setattr(planning, "MOST_COPIES", 10)
    with pytest.raises(DataError, match="distinct combinations"):
        mask_parquet(file, "local-suppression", output, KEYS)
    assert not output.exists()
    assert pq.ParquetFile(file).metadata.num_rows == 500


def test_command(command, file, tmp_path):  # noqa: F811
    output = tmp_path / "out.parquet"
    words = ("large", "mask", "pram", str(file), "--protect", "sex,region", "--seed", "5", "-o", str(output))
    answer = command(*words, "--json")
    assert answer.status == 0, answer.err
    assert json.loads(answer.out)["changed"].keys() == {"sex", "region"}
    assert json.loads(answer.out)["seed"] == 5
    assert json.loads(answer.out)["not_for_release"] == [IN_ORDER, PUBLIC_SEED]
    other = tmp_path / "other.parquet"
    mask_parquet(file, "pram", other, ["sex", "region"], seed=5)
    assert other.read_bytes() == output.read_bytes()
    output.write_bytes(b"mine")
    answer = command(*words)
    assert answer.status == 2
    assert "--force" in answer.err
    answer = command(*words, "--force")
    assert "Values changed: sex" in answer.out
    assert PUBLIC_SEED in answer.out


def test_a_key_is_drawn_anew_or_kept_in_its_file_alone(command, file, tmp_path):  # noqa: F811
    words = ("large", "mask", "pram", str(file), "--protect", "sex,region", "--force", "--json")

    def written(output, *more):
        answer = command(*words, "-o", output, *more)
        assert answer.status == 0, answer.err
        assert json.loads(answer.out)["seed"] is None
        assert json.loads(answer.out)["not_for_release"] == [IN_ORDER]
        told.extend([answer.out.encode(), answer.err.encode()])
        return (tmp_path / output).read_bytes()

    told = []
    assert len({written("a.parquet"), written("a.parquet"), written("b.parquet", "--key", "k")}) == 3
    assert written("a.parquet", "--key", "k") == written("b.parquet", "--key", "k")
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600
    secret = (tmp_path / "k").read_bytes().strip()
    others = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "k"]
    for text in (*told, *others):
        assert secret not in text
        assert bytes.fromhex(secret.decode()) not in text
    for more in (["--key", "k", "--seed", "1"], ["--key", "new.parquet"]):
        assert command(*words, "-o", "new.parquet", *more).status == 2
    assert not (tmp_path / "new.parquet").exists()


@pytest.mark.parametrize("method", ["pram", "rank-swapping", "local-suppression"])
def test_what_workers_may_write_to_disk_does_not_hold_the_key(file, tmp_path, method):
    class Watched(Workers):
        def each(self, work, tasks, shared):
            assert work is masked_rows
            held.append(pickle.dumps(shared))
            assert all(pickle.loads(pickle.dumps(task)) == task for task in tasks)
            return super().each(work, tasks, shared)

    held = []
    masked(file, tmp_path, method, Watched(), key=tmp_path / "k")
    assert held
    bits = bytes.fromhex((tmp_path / "k").read_text())
    assert bits in pickle.dumps(Key(bits))
    assert all(bits not in shared for shared in held)


@pytest.mark.endurance
def test_two_dask_workers_draw_from_the_key(file, tmp_path):
    require_dask()
    wanted, _ = masked(file, tmp_path, "pram", key=tmp_path / "k")
    with workers(number=2) as by:
        found, _ = masked(file, tmp_path, "pram", by, key=tmp_path / "k")
    pd.testing.assert_frame_equal(found, wanted)
