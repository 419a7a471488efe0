"""What the masking study computes is what the handbook says of the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

STUDY = Path(__file__).parents[2] / "experiments" / "masking" / "study.py"


def test_information_loss_on_census_is_that_of_the_handbook(data_sets, monkeypatch):
    monkeypatch.syspath_prepend(str(STUDY.parent))
    from handbook import MICMUL, RANK

    import evosdc

    census = data_sets.table("census")

    def loss(method, **params):
        return evosdc.measure(census, evosdc.mask(census, method, **params), ["apil"])["apil"]

    for k, (published, _) in MICMUL.items():
        assert loss("mdav", k=k, destandardise=False) == pytest.approx(published, abs=2.5), f"mdav k={k}"
    # swaps are drawn anew: single figures differ by a few points
    differences = [loss("rank-swapping", p=p) - published for p, (published, _) in RANK.items()]
    assert max(map(abs, differences)) < 6
    assert abs(sum(differences) / len(differences)) < 1.5
