"""The study of chapter 5: its tests of ranks against scipy's, and what is stored."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import PermutationMethod, wilcoxon

import evosdc
from evosdc.plugins.registry import default_registry

STUDY = Path(__file__).parents[2] / "experiments" / "thesis-ch5"


@pytest.fixture
def own_modules(monkeypatch):
    """Import from the study's folder, and forget it afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(STUDY))
    yield
    for name in set(sys.modules) - before:
        if str(STUDY) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("own_modules")
class TestRanks:
    def test_without_ties_p_is_that_of_scipy(self):
        from ranks import signed_rank_p

        for seed in range(20):
            rng = np.random.default_rng(seed)
            differences = rng.normal(0.5, 1.0, rng.integers(3, 13))
            assert signed_rank_p(differences) == pytest.approx(wilcoxon(differences, method="exact").pvalue)

    def test_with_ties_and_zeros_p_is_that_of_all_permutations(self):
        from ranks import signed_rank_p

        for seed in range(5):
            differences = np.random.default_rng(seed).integers(-2, 5, 9).astype(float)
            # scipy is asked without zeros: it would permute their signs as well, to the same p.
            known = differences[differences != 0.0]
            exact = wilcoxon(known, method=PermutationMethod(n_resamples=np.inf))
            assert signed_rank_p(differences) == pytest.approx(exact.pvalue)

    def test_the_least_p_of_sixteen_seeds_and_none_of_equal_files(self):
        from ranks import rank_biserial, signed_rank_p

        assert signed_rank_p([0.25] * 16) == 2 / 2**16
        assert signed_rank_p([0.0] * 16) == 1.0
        assert rank_biserial([0.0] * 3) == 0.0
        assert rank_biserial([-0.1, -2.0]) == -1.0
        assert rank_biserial([1.0, -2.0, 3.0]) == pytest.approx((1 + 3 - 2) / 6)

    def test_holm_steps_down(self):
        from ranks import holm

        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
        assert holm([0.6, 0.7]) == [1.0, 1.0]


@pytest.mark.usefixtures("own_modules")
def test_figures_are_those_of_evosdc():
    from clusterings import Analysis
    from protections import LOST, METHODS, Judge, original_of, protections

    original = original_of("housing", default_registry())
    files = list(protections(original, Judge(original, default_registry()), METHODS[0], [4], [3], [1, 2]))
    assert [(one.c, one.k, one.seed) for one in files] == [(1, 4, 1), (3, 4, 1), (3, 4, 2)]
    names = ["dbil", "ctbil", "ebil", "id", "dbrl", "prl"]
    for one in files:
        found = evosdc.measure(original, one.masked, names, protect=original.schema.names)
        il, dr = sum(found[name] for name in names[:3]) / 3, (found["id"] + max(found["dbrl"], found["prl"])) / 2
        assert one.point == pytest.approx((il, dr))
        assert one.figures["mean"] == pytest.approx((il + dr) / 2)
        assert one.figures["max"] == max(one.point)
        counts = np.unique(one.masked.codes, axis=0, return_counts=True)[1]
        assert counts.min() >= 4
    masked = files[1].masked
    for index, begin in (("adjusted-rand", "seeds"), ("nmi", "seeds"), ("adjusted-rand", "original")):
        params = {"index": index, "begin": begin}
        measured = evosdc.measure(original, masked, {"cluster-agreement": params}, protect=original.schema.names)
        own = files[1].figures[LOST] if begin == "original" else Analysis(original, [1]).losses(masked)[index]
        assert own == pytest.approx(measured["cluster-agreement"])


@pytest.mark.data("census")
@pytest.mark.usefixtures("own_modules")
def test_microaggregation_of_census_keeps_means_and_variances():
    import slides

    rows = list(slides.census(default_registry(), ks=[3]))
    assert [(length, k) for length, k, _ in rows] == [(6, 3), (13, 3)]
    for _, _, losses in rows:
        assert losses["IL2 means"] == pytest.approx(0.0, abs=1e-6)
        assert losses["IL3 variances"] == pytest.approx(0.0, abs=1e-6)
        assert losses["IL6"] == pytest.approx(sum(losses[name] for name in slides.LOSSES) / 5)
        assert min(losses["IL1 values"], losses["IL4 covariances"], losses["IL5 correlations"]) > 1.0


def test_every_comparison_of_the_page_is_stored():
    rows = rows_of(STUDY / "comparisons.csv")
    assert len(rows) == 2 * 2 * 9 * 9
    for row in rows:
        found = row["clustering is"]
        if found != "-":
            assert float(row["p corrected"]) < 0.05
    counts = {(row["file"], row["method"], row["quantity"]): row for row in rows_of(STUDY / "summary.csv")}
    for key, row in counts.items():
        said = [one["clustering is"] for one in rows if (one["file"], one["method"], one["quantity"]) == key]
        assert [said.count(name) for name in ("better", "worse", "-")] == [
            int(row[name]) for name in ("better", "worse", "no evidence")
        ]
