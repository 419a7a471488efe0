"""Large files are tuned by a sample; what leads there is judged on all records."""

from __future__ import annotations

import pytest

from evosdc.datasets.loading import load_dataset
from evosdc.experiment import tuned_start as runs_tuning
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.model import Masking
from evosdc.tuning import judge as masking_times
from evosdc.tuning.designs import Budget, Candidate, arms_of
from evosdc.tuning.judge import Judge, MaskingTimes, attempt
from evosdc.tuning.tuner import confirm, file_seconds, promised, promising, ratios_of, tune
from tests.tuning.problems import PROTECT, REGISTRY, SOME, problem_of

RECORDS = 200


@pytest.fixture(scope="module")
def whole():
    return problem_of(records=1000)


@pytest.fixture(scope="module")
def sample():
    return problem_of(records=RECORDS)


@pytest.fixture
def judges(whole, sample):
    return Judge(sample, REGISTRY, 1, Budget(None)), Judge(whole, REGISTRY, 1, Budget(None))


def candidates(problem, shares):
    (arm,) = arms_of(problem.genotype.microdata.original, REGISTRY, ["rank-swapping"])
    return [Candidate.at(arm, (share,)) for share in shares]


def test_what_is_found_is_judged_on_all_records(whole, sample) -> None:
    found = tune(whole, REGISTRY, 1, Budget(None, 4.0), SOME, sample=sample)
    assert found.sample == RECORDS
    assert f"of a sample of {RECORDS} records" in found.evidence
    assert found.to_json()["sample"] == RECORDS
    assert found.files
    assert found.evaluations > len(found.files)
    best = found.files[0]
    trial, _ = attempt(whole, REGISTRY, best.masking, whole.streams.seed, best.masking.draw)
    assert trial.scores == best.scores
    assert [masking for masking, _ in found.made]


def test_a_sample_is_taken_of_large_files_and_within_a_time_alone(monkeypatch) -> None:
    monkeypatch.setattr(runs_tuning, "LARGE", 900)
    monkeypatch.setattr(runs_tuning, "SAMPLE", 300)
    experiment = Experiment.model_validate(
        {
            "data": {"name": "housing", "protect": PROTECT},
            "measures": {"il": ["dbil"], "dr": ["id"]},
            "fitness": "max",
            "start": {"methods": [{"method": "rank-swapping", "p": 5}]},
        }
    )
    microdata = assemble(experiment, REGISTRY, 1).microdata

    def sampled(seed, budget):
        return runs_tuning.sample_of(experiment, microdata, REGISTRY, seed, budget)

    assert sampled(1, Budget(500)) is None
    problem = sampled(1, Budget(None, 10.0))
    records = problem.genotype.microdata.table
    assert len(records) == 300
    assert records.same_records(sampled(1, Budget(500, 10.0)).genotype.microdata.table)
    assert not records.same_records(sampled(2, Budget(500, 10.0)).genotype.microdata.table)
    original = load_dataset(REGISTRY.spec("dataset", "housing")).table.select(PROTECT)
    records = problem.genotype.microdata.original
    assert set(map(tuple, records.codes.tolist())) <= set(map(tuple, original.codes.tolist()))
    monkeypatch.setattr(runs_tuning, "LARGE", 1001)
    assert sampled(1, Budget(None, 10.0)) is None


def test_the_whole_file_corrects_what_the_sample_promises(judges) -> None:
    sampled, judge = judges
    shares = [step / 12 for step in range(1, 12)]
    sampled.judge((one, 0) for one in candidates(judge.problem, shares))
    confirm(sampled, judge, Taking())
    assert 1 <= len(judge.trials) <= len(shares)
    best = min(judge.trials, key=judge.order)
    last = list(judge.trials)[-1]
    ratios = ratios_of(sampled.known(last, 1)[0].scores, judge.known(last, 1)[0].scores)
    for key in sampled.trials:
        if key not in judge.trials:
            assert promised(judge.problem, sampled, key, ratios) >= judge.order(best)


def test_the_first_file_of_all_is_the_best_of_the_sample(judges) -> None:
    sampled, judge = judges
    sampled.judge((one, 0) for one in candidates(judge.problem, (0.2, 0.5, 0.8)))
    confirm(sampled, judge, Taking())
    (first, *_) = judge.trials
    assert first == min(sampled.trials, key=sampled.order)
    assert promised(sampled.problem, sampled, first, {}) == sampled.order(first)


def test_ratios_leave_out_what_is_nothing_in_the_sample() -> None:
    found = ratios_of({"il": 4.0, "dr": 0.0, "other": 1.0}, {"il": 6.0, "dr": 3.0})
    assert found == {"il": 1.5}


def test_what_a_whole_file_takes_is_told_without_what_the_first_one_loads(judges) -> None:
    sampled, judge = judges
    assert file_seconds(sampled, judge) == 0.0
    sampled.judge((one, 0) for one in candidates(judge.problem, (0.1, 0.3, 0.5)))
    listed = candidates(judge.problem, (0.2, 0.4))
    judge.judge([(listed[0], 0)])
    times = len(judge.problem.genotype.microdata.table) / len(sampled.problem.genotype.microdata.table)
    assert 0.0 < file_seconds(sampled, judge) <= times * sampled.file_seconds
    judge.judge([(listed[1], 0)])
    assert file_seconds(sampled, judge) == judge.file_seconds > 0.0


class Taking(MaskingTimes):
    """Seconds by method."""

    def __init__(self, **seconds: float) -> None:
        self.by_method = seconds

    def seconds(self, masking) -> float:
        return self.by_method.get(masking.method.replace("-", "_"), 0.0)


def test_what_would_not_end_in_time_is_passed_over(whole, sample) -> None:
    sampled = Judge(sample, REGISTRY, 1, Budget(None))
    fast = [Candidate.at(*one) for one in _microaggregations(whole)]
    sampled.judge((one, 0) for one in (*candidates(whole, (0.3,)), *fast))

    def judged(**seconds: float) -> set[str]:
        judge = Judge(whole, REGISTRY, 1, Budget(None, 60.0))
        confirm(sampled, judge, Taking(**seconds))
        return {judge.candidates[key].arm.steps[0].method for key in judge.trials}

    assert judged(rank_swapping=61.0) == {"mdav"}
    assert judged(rank_swapping=100.0, mdav=90.0) == {"mdav"}, "one in any case"
    assert judged(rank_swapping=1e5, mdav=1e4) == set(), "but for what takes hours, and is not interrupted"


def test_the_time_of_a_large_file_is_told_by_how_it_grows(whole, monkeypatch) -> None:
    monkeypatch.setattr(masking_times, "SMALL", 100)
    monkeypatch.setattr(masking_times, "MIDDLING", 400)
    growth = {"square": 2, "line": 1, "nothing": 0}

    def took(name: str) -> float:
        times = MaskingTimes(whole.genotype.microdata, REGISTRY)
        monkeypatch.setattr(times, "_timed", lambda _, records: 0.1 * (records / 400) ** growth[name])
        return times.seconds(Masking("rank-swapping", {}))

    assert took("square") == pytest.approx(0.1 * 2.5**2)
    assert took("line") == pytest.approx(0.1 * 2.5)
    assert took("nothing") == pytest.approx(0.1)
    times = MaskingTimes(whole.genotype.microdata, REGISTRY)
    assert 0.0 < times.seconds(Masking("rank-swapping", {"p": 5.0})) < 5.0
    assert MaskingTimes(whole.genotype.microdata, REGISTRY).seconds(Masking("mdav", {"k": 900})) == 0.0, "it is refused"
    assert MaskingTimes(problem_of(records=400).genotype.microdata, REGISTRY).seconds(Masking("mdav", {"k": 3})) == 0.0


def test_what_the_sample_promises_follows_the_tuned_files(whole, sample) -> None:
    sampled, judge = Judge(sample, REGISTRY, 1, Budget(None)), Judge(whole, REGISTRY, 1, Budget(None))
    fast = [Candidate.at(*one) for one in _microaggregations(whole)]
    shares = candidates(whole, (0.2, 0.5, 0.8))
    sampled.judge((one, 0) for one in (*shares, *fast))
    judge.judge([(fast[0], 0)])
    found = promising(sampled, judge)
    assert len({masking.label for masking in found}) == len(found)
    assert fast[0].masking.label not in {masking.label for masking in found}
    assert [one for one in found if one.method == "rank-swapping"], "each design at its best"
    assert len([one for one in found if one.method == "rank-swapping"]) == 1


def _microaggregations(problem):
    for arm in arms_of(problem.genotype.microdata.original, REGISTRY, ["mdav"]):
        yield arm, next(iter(arm.coarse()))
