"""Tuning: what it promises."""

from __future__ import annotations

import json

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from evosdc.model import Masking
from evosdc.tuning.designs import Budget, Candidate, arms_of, portfolio_arms
from evosdc.tuning.judge import Judge
from evosdc.tuning.schedule import FEWEST, FINAL_DRAWS, Course, evidence_sentence
from evosdc.tuning.tuner import Tuning, tuning_of
from tests.tuning.problems import PROTECT, REGISTRY, SOME, problem_of, tuned

PROBLEM = problem_of()
SCALES = {"numeric": "numeric", "categorical": "nominal"}


@pytest.fixture(scope="module")
def tuning() -> Tuning:
    return tuned(PROBLEM)


def comparable(found) -> str:
    return json.dumps({key: value for key, value in found.to_json().items() if key != "seconds"})


@pytest.mark.endurance
def test_all_methods_are_in_the_table_at_their_best(tuning: Tuning) -> None:
    assert {row.masking.method for row in tuning.rows if row.kind == "method"} == set(SOME)
    assert {row.kind for row in tuning.rows} == {"method", "by attribute", "chain"}
    means = [row.order for row in tuning.rows]
    assert means == sorted(means)
    assert tuning.best is tuning.rows[0]
    assert len({row.name for row in tuning.rows}) == len(tuning.rows)
    assert tuning.evaluations <= 400
    assert sum(row.evaluations for row in tuning.rows) <= tuning.evaluations


def test_figures_of_a_row_are_those_of_its_files(tuning: Tuning) -> None:
    from evosdc.tuning.judge import Trial, attempt

    for row in tuning.rows[:3]:
        again, _ = attempt(PROBLEM, REGISTRY, row.masking, PROBLEM.streams.seed, row.masking.draw)
        assert isinstance(again, Trial)
        assert dict(again.scores) == dict(row.scores)
        assert again.objectives == row.fitness
        assert row.mean >= row.fitness
    assert tuning.best.draws >= FINAL_DRAWS or tuning.best.error == 0.0


def test_the_best_files_are_all_different_and_in_order(tuning: Tuning) -> None:
    assert len({file.masking.label for file in tuning.files}) == len(tuning.files) == 24
    fitness = [file.fitness for file in tuning.files]
    assert fitness == sorted(fitness)
    assert fitness[0] <= min(row.fitness for row in tuning.rows)
    labels = [masking.label for masking in tuning.maskings]
    # The best come first: time may end before all are masked and judged.
    assert labels[:24] == [file.masking.label for file in tuning.files]
    assert len(set(labels)) == len(labels)
    assert {row.label for row in tuning.rows} <= set(labels)
    assert all(masking.draw is not None for masking in tuning.maskings)


@pytest.mark.parametrize("kind", ["numeric", "categorical"])
def test_what_is_not_offered_for_a_kind_of_files_comes_last_within_a_time(tmp_path, kind: str) -> None:
    values = [f"{'x' if kind == 'categorical' else ''}{number % 7}" for number in range(60)]
    (tmp_path / "few.csv").write_text("\n".join(["a,b", *(f"{value},{value}" for value in values)]))
    (tmp_path / "s.toml").write_text(
        f'[attributes]\na = {{ scale = "{SCALES[kind]}" }}\nb = {{ scale = "{SCALES[kind]}" }}\n'
    )
    data = {"file": str(tmp_path / "few.csv"), "schema": str(tmp_path / "s.toml"), "protect": ["a", "b"]}
    measures = {"il": ["il1s" if kind == "numeric" else "dbil"], "dr": ["dbrl"]}
    problem = problem_of(data=data, measures=measures)
    judge = Judge(problem, REGISTRY, 1, Budget(None, 10.0))
    course = Course(judge, arms_of(problem.genotype.microdata.original, REGISTRY, ()))
    assert any(arm.steps[0].method == "table-swapping" for arm in course.lasting) == (kind == "numeric")


@pytest.mark.endurance
def test_the_same_seed_finds_the_same(tuning: Tuning) -> None:
    assert comparable(tuned(PROBLEM)) == comparable(tuning)
    assert comparable(tuned(problem_of(seed=2))) != comparable(tuning)


def test_refinement_beats_the_grid_it_starts_from(tuning: Tuning) -> None:
    swap = next(row for row in tuning.rows if row.name == "rank-swapping")
    grid = tuned(PROBLEM, 5, methods=("rank-swapping",))
    assert swap.mean < grid.best.mean


ENTRIES = st.lists(
    st.one_of(
        st.builds(lambda p: Masking("rank-swapping", {"p": p}), st.integers(1, 60)),
        st.builds(lambda k, a: Masking("mdav", {"k": k}, a), st.integers(2, 20), st.sampled_from([(), PROTECT[:1]])),
        st.builds(lambda p: Masking("pram", {"design": "a", "p": p / 10}), st.integers(0, 9)),
        st.builds(lambda q: Masking("bottom-coding", {"q": q}), st.integers(2, 4)),
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.endurance
@settings(max_examples=4, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(ENTRIES, st.integers(1, 10**6))
def test_never_worse_than_the_entries_of_the_portfolio(entries: list[Masking], seed: int) -> None:
    from evosdc.tuning.judge import attempt

    problem = problem_of(seed=seed, records=60)
    found = tuned(problem, 150, tuple(entries), methods=("rank-swapping", "mdav"))
    for entry in entries:
        trial, _ = attempt(problem, REGISTRY, entry, seed, 0)
        assert found.files[0].fitness <= trial.objectives
        row = next(row for row in found.rows if row.masking.method == entry.method and row.kind == "method")
        if entry.method in ("mdav", "bottom-coding"):  # nothing is random: one file says it all
            assert row.mean[0] <= trial.objectives[0] + 1e-9


@pytest.mark.endurance
def test_constraints_come_before_the_fitness() -> None:
    problem = problem_of(constraints=["k-anonymity >= 3"])
    found = tuned(problem, 300)
    assert found.best.scores["infeasibility"] == 0.0
    assert found.best.masking.method == "mdav" or "mdav" in found.best.label
    free = next(row for row in found.rows if row.name == "rank-swapping")
    assert free.scores["infeasibility"] > 0
    assert found.rows.index(free) > 0


def test_several_objectives_are_tuned_for_the_balanced_file() -> None:
    problem = problem_of(fitness="pareto")
    found = tuned(problem, 200)
    assert len(found.best.mean) == 2
    assert max(found.best.scores["il"], found.best.scores["dr"]) < 50
    assert [row.order for row in found.rows] == sorted(row.order for row in found.rows)


def test_a_small_budget_gives_what_it_can() -> None:
    found = tuned(PROBLEM, 3)
    assert found.evaluations == 3
    assert 1 <= len(found.rows) <= 3


def test_nothing_that_fits_is_an_empty_table() -> None:
    found = tuned(PROBLEM, 20, methods=("noise",))
    assert (found.rows, found.files, found.maskings, found.evaluations) == ((), (), (), 0)
    assert found.to_json()["best"] is None


def test_methods_that_fail_are_told_with_the_reason(monkeypatch) -> None:
    from evosdc_masking.swapping.rank_swapping import RankSwapping

    def fail(self, table, rng):
        raise ZeroDivisionError("record 17 has value 3")

    monkeypatch.setattr(RankSwapping, "mask", fail)
    found = tuned(PROBLEM, 60, methods=("rank-swapping", "top-coding"))
    assert found.refused == {"rank-swapping": "ZeroDivisionError"}
    assert {row.masking.method for row in found.rows} == {"top-coding"}


def test_what_is_refused_on_a_later_draw_is_told_with_the_files_that_it_made() -> None:
    judge = Judge(PROBLEM, REGISTRY, 1, Budget(10))
    arms = arms_of(PROBLEM.genotype.microdata.original, REGISTRY, ("rank-swapping",))
    candidate = Candidate.at(arms[0], (0.5,))
    assert candidate is not None
    judge.judge([(candidate, 0)])
    judge.refusals[candidate.key] = "takes longer than its share of the time"
    found = tuning_of(judge, 24, arms)
    assert [row.masking.method for row in found.rows] == ["rank-swapping"]
    assert found.refused == {}
    assert found.files[0].fitness == found.rows[0].fitness


def test_dear_designs_are_tuned_by_themselves_alone(monkeypatch) -> None:
    from dataclasses import replace

    from evosdc_masking.swapping.rank_swapping import RankSwapping

    usual = RankSwapping.designs
    monkeypatch.setattr(RankSwapping, "designs", lambda table: [replace(d, dear=True) for d in usual(table)])
    found = tuned(PROBLEM, 200, methods=("rank-swapping", "top-coding", "mdav"))
    assert [row.kind for row in found.rows if "rank-swapping" in row.label] == ["method"]
    assert {row.kind for row in found.rows} == {"method", "by attribute", "chain"}


def test_within_a_time_the_ladders_come_first() -> None:
    judge = Judge(PROBLEM, REGISTRY, 1, Budget(seconds=3600.0), favoured=("mdav",))
    arms = arms_of(PROBLEM.genotype.microdata.original, REGISTRY, SOME)
    course = Course(judge, arms, ("mdav",))
    course.ladder()
    cheap = [arm.name for arm in arms if not arm.dear and arm.free]
    assert {judge.used[name] for name in cheap} <= {3, 4, 5}, "a range of few values has no five"
    assert set(cheap) <= course.best.keys()
    order = [judge.candidates[key].masking.method for key in judge.trials]
    assert order[:5] == ["mdav"] * 5
    sizes = {judge.candidates[key].masking.params["group_size"] for key in list(judge.trials)[:5]}
    assert sizes == {len(PROTECT)}
    assert course.few
    judge.used.update(dict.fromkeys(cheap, FEWEST))
    assert not course.few


def test_few_files_are_called_weak_evidence(tuning: Tuning) -> None:
    assert tuning.designs == len(arms_of(PROBLEM.genotype.microdata.original, REGISTRY, SOME))
    assert tuning.to_json()["evidence"] == tuning.evidence
    assert f"{tuning.evaluations} files" in tuning.evidence
    assert "weak" not in evidence_sentence(FEWEST * 20, 20)
    assert "weak evidence" in evidence_sentence(FEWEST * 20 - 1, 20)


def test_within_a_time_every_design_has_its_turn_before_the_second_point_of_any(monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr("evosdc.tuning.judge.monotonic", lambda: now[0])
    arms = arms_of(PROBLEM.genotype.microdata.original, REGISTRY, ("bottom-coding", "pram", "rank-swapping", "mdav"))
    judge = Judge(PROBLEM, REGISTRY, 1, Budget(seconds=3600.0))
    Course(judge, arms).turns(())
    tried = [judge.candidates[key].arm.name for key in judge.trials]
    assert len(tried) == len(set(tried)) == len(arms)
    methods = [judge.candidates[key].masking.method for key in judge.trials]
    assert methods[:4] == ["rank-swapping", "pram", "mdav", "bottom-coding"]


def test_groups_of_people_come_first_where_constraints_bound_the_file() -> None:
    problem = problem_of(constraints=["dbrl <= 9"])
    arms = arms_of(problem.genotype.microdata.original, REGISTRY, ("rank-swapping", "pram", "global-median"))
    judge = Judge(problem, REGISTRY, 1, Budget(seconds=3600.0))
    Course(judge, arms).turns(())
    assert next(iter(judge.candidates.values())).masking.method == "global-median"


@pytest.mark.parametrize("bounds", [["dbrl <= 9"], ["dbrl <= 0.001", "dbil <= 0.001"]])
def test_bisecting_goes_on_only_where_no_file_keeps_the_bounds(monkeypatch, bounds) -> None:
    now = [0.0]
    monkeypatch.setattr("evosdc.tuning.judge.monotonic", lambda: now[0])
    problem = problem_of(constraints=bounds)
    judge = Judge(problem, REGISTRY, 1, Budget(seconds=10.0))

    def carried_out(batch, sent) -> None:
        now[0] += 0.5
        kept(batch, sent)

    kept = judge._carry_out
    monkeypatch.setattr(judge, "_carry_out", carried_out)
    course = Course(judge, arms_of(problem.genotype.microdata.original, REGISTRY, ()))
    course.turns(())
    course.bound()
    within = any(judge.order(key)[0] == 0.0 for key in judge.trials)
    assert within == (len(bounds) == 1)
    assert (now[0] <= 6.5) == within


def test_within_a_time_a_spread_of_the_portfolio_has_every_second_turn() -> None:
    arms = arms_of(PROBLEM.genotype.microdata.original, REGISTRY, ("pram", "rank-swapping", "mdav"))
    entries = [Masking("rank-swapping", {"p": p}) for p in (3, 5, 7)] + [Masking("mdav", {"k": 4})]
    places = portfolio_arms(entries, arms, len(PROTECT))
    usual = [Candidate.of(*place, masking) for place, masking in zip(places, entries, strict=True)]
    judge = Judge(PROBLEM, REGISTRY, 1, Budget(seconds=3600.0))
    course = Course(judge, arms)
    course.turns(usual)
    tried = [judge.candidates[key].masking for key in judge.trials]
    labels = ["rank-swapping p=5", "mdav k=4", "rank-swapping p=3", "rank-swapping p=7"]
    assert [one.label for one in tried[1:8:2]] == labels
    assert [one.method for one in tried[:6:2]] == ["rank-swapping", "pram", "mdav"]
    leader = course.best["rank-swapping"]
    of_arm = [key for key, one in judge.candidates.items() if one.arm == leader.arm]
    assert len(of_arm) >= 3
    assert judge.order(leader.key) == min(map(judge.order, of_arm))


def test_a_short_time_goes_through_the_portfolio_before_single_attributes(monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr("evosdc.tuning.judge.monotonic", lambda: now[0])
    order, judge = list[str](), Judge(PROBLEM, REGISTRY, 1, Budget(seconds=10.0))

    def carried_out(batch, sent) -> None:
        order.extend(candidate.masking.label for _, candidate in batch)
        now[0] += 0.35
        kept(batch, sent)

    kept = judge._carry_out
    monkeypatch.setattr(judge, "_carry_out", carried_out)
    arms = arms_of(PROBLEM.genotype.microdata.original, REGISTRY, SOME)
    entries = [Masking("rank-swapping", {"p": p}) for p in range(2, 30)]
    places = portfolio_arms(entries, arms, len(PROTECT))
    usual = [Candidate.of(*place, masking) for place, masking in zip(places, entries, strict=True)]
    Course(judge, arms).follow(usual)
    tried = [label for label in order if label in {entry.label for entry in entries}]
    assert len(set(tried)) >= 10, "of the first half of the time, and of what single attributes would have had"
    assert now[0] < 11.0


def test_a_budget_of_files_keeps_its_order(tuning: Tuning) -> None:
    judge = Judge(PROBLEM, REGISTRY, 1, Budget(100))
    Course(judge, arms_of(PROBLEM.genotype.microdata.original, REGISTRY, SOME)).turns(())
    assert judge.evaluations == 0
    assert tuning.untried == ()


def test_what_was_not_tried_is_named() -> None:
    found = tuned(PROBLEM, 3)
    names = [arm.name for arm in arms_of(PROBLEM.genotype.microdata.original, REGISTRY, SOME)]
    assert set(found.untried) == set(names) - {row.name for row in found.rows}
    assert found.to_json()["untried"] == list(found.untried)
    assert found.untried[0] in found.evidence
    assert "a, b" in evidence_sentence(10, 20, untried=("a", "b"))
    assert "and 5 more" in evidence_sentence(10, 20, untried=[f"design {i}" for i in range(13)])
