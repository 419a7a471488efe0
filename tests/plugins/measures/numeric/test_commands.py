"""What a user types, on published files: mask, then measure."""

import json

import pytest

from evosdc.cli import main
from tests.plugins.measures.numeric.cases import SPECS
from tests.published import asking

ALL = ("il1s", "apil", "mean-variation", "data-discrepancy", "id", "dbrl", "prl", "rsrl")


@pytest.fixture
def evosdc(capsys):
    def run(*arguments, status=0):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        assert (ended.value.code or 0) == status, told.err
        return told.out + told.err if status else told.out

    return run


@pytest.mark.parametrize("name", [asking("tarragona"), asking("census")])
def test_mask_and_measure(name, evosdc, tmp_path):
    masked = tmp_path / "masked.csv"
    evosdc("mask", "mdav", name, "--set", "k=5", "-o", masked)
    scores = json.loads(evosdc("measure", name, masked, "--measures", ",".join(ALL), "--json"))
    for measure in ALL:
        assert 0.0 < scores[measure] < 100.0
    assert scores["il"] == pytest.approx((scores["il1s"] + scores["apil"] + scores["mean-variation"]) / 3)
    assert scores["dr"] == pytest.approx((scores["id"] + max(scores[n] for n in ("dbrl", "prl", "rsrl"))) / 2)
    shown = evosdc("measure", name, masked, "--measures", "dbrl,rsrl")
    assert "masked to" in shown
    assert "rank swapping" in shown


@pytest.mark.data("census")
def test_rank_swapping_is_linked_best_by_its_own_linkage(evosdc, tmp_path):
    masked = tmp_path / "masked.csv"
    evosdc("mask", "rank-swapping", "census", "--set", "p=4", "-o", masked)
    options = ("--set", "rsrl.p=4", "--set", "prl.bins=20", "--json")
    scores = json.loads(evosdc("measure", "census", masked, "--measures", "dbrl,prl,rsrl", *options))
    assert scores["rsrl"] > scores["dbrl"] > 1.0
    assert scores["rsrl"] > scores["prl"]


@pytest.mark.data("tarragona")
def test_options_are_set_and_faults_are_told(evosdc, tmp_path):
    masked = tmp_path / "masked.csv"
    evosdc("mask", "noise", "tarragona", "-o", masked)
    scenarios = 'dbrl.scenarios=[["sales", "treasury"], ["net-profit"]]'
    scores = json.loads(evosdc("measure", "tarragona", masked, "--measures", "dbrl", "--set", scenarios, "--json"))
    alone = [
        json.loads(evosdc("measure", "tarragona", masked, "--measures", "dbrl", "--protect", names, "--json"))
        for names in ("sales,treasury", "net-profit")
    ]
    assert scores["dbrl"] == pytest.approx(sum(one["dbrl"] for one in alone) / 2)
    one_to_one = ("--measures", "dbrl", "--set", "dbrl.one_to_one=true", "--json")
    assert json.loads(evosdc("measure", "tarragona", masked, *one_to_one))["dbrl"] > 0.0
    told = evosdc("measure", "tarragona", masked, "--measures", "dbrl", "--set", "dbrl.distance=near", status=2)
    assert "standardised" in told


@pytest.mark.data("german-credit")
def test_the_wrong_scale_is_refused_with_advice(evosdc, tmp_path):
    masked = tmp_path / "masked.csv"
    evosdc("mask", "rank-swapping", "german-credit", "-o", masked, "--protect", "savings,presemploy")
    told = evosdc("measure", "german-credit", masked, "--measures", "il1s", "--protect", "savings,presemploy", status=2)
    assert "numeric" in told


@pytest.mark.parametrize("name", [n for n, s in SPECS.items() if s.family in ("numeric", "discrepancy", "linkage")])
def test_every_measure_tells_its_range_and_source(name, evosdc):
    told = evosdc("plugins", "show", name)
    assert "range" in told
    assert "source" in told
    assert "numeric" in told
