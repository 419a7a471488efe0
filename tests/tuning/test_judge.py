"""Who judges: what is remembered, what the budget allows, and when two candidates are close."""

from __future__ import annotations

import pytest

from evosdc.tuning.designs import Budget, Candidate, arms_of
from evosdc.tuning.judge import UNKNOWN, Judge, Refusal, together
from evosdc.tuning.schedule import HALVINGS, bisected_to_bound
from tests.tuning.problems import REGISTRY, problem_of

PROBLEM = problem_of()
SWAP, TOP, *_ = arms_of(PROBLEM.genotype.microdata.original, REGISTRY, ["rank-swapping", "top-coding"])


def judge_of(evaluations: int | None = None, seconds: float | None = None) -> Judge:
    return Judge(PROBLEM, REGISTRY, 1, Budget(evaluations, seconds))


def candidate(share: float, arm=SWAP) -> Candidate:
    return Candidate.at(arm, (share,))


def test_designs_are_bisected_to_the_bound_of_a_constraint() -> None:
    problem = problem_of(constraints=["dbrl <= 9"])
    judge = Judge(problem, REGISTRY, 1, Budget(None, 1000.0))
    bisected_to_bound(judge, SWAP)
    orders = {one.masking.params["p"]: judge.order(one.key)[0] for one in judge.candidates.values()}
    kept, beyond = ([p for p, missed in orders.items() if (missed == 0.0) == inside] for inside in (True, False))
    assert len(orders) <= 3 + HALVINGS
    assert min(kept) - max(beyond) <= 0.1 * (max(orders) - min(orders))


def test_nothing_is_judged_twice() -> None:
    judge, one = judge_of(), candidate(0.5)
    judge.judge([(one, 0), (one, 0), (one, 1)])
    judge.judge([(one, 0), (candidate(0.5), 1)])
    assert judge.evaluations == 2
    assert judge.used == {SWAP.name: 2}


def test_a_method_without_chance_is_judged_on_two_draws_at_most() -> None:
    judge, one = judge_of(), candidate(0.5, TOP)
    judge.judge([(one, 0), (one, 1)])
    judge.judge([(one, draw) for draw in range(8)])
    assert judge.evaluations == 2
    assert judge.fixed(one.key)
    assert judge.error(one.key) == 0.0


def test_the_budget_is_kept_to_the_last_file() -> None:
    judge = judge_of(7)
    judge.judge((candidate(step / 20), 0) for step in range(20))
    assert judge.evaluations == 7
    assert judge.over
    judge.judge([(candidate(0.99), 0)])
    assert judge.evaluations == 7
    assert judge.order(candidate(0.99).key) == UNKNOWN


def test_a_share_of_the_budget_ends_within_its_block() -> None:
    judge = judge_of(20)
    with judge.until(0.25):
        judge.judge((candidate(step / 20), 0) for step in range(10))
        assert judge.over
    assert not judge.over
    assert judge.evaluations == 5


def test_time_is_a_budget_too() -> None:
    judge = judge_of(seconds=1e-9)
    judge.judge([(candidate(0.5), 0), (candidate(0.2), 0)])
    assert judge.over
    assert judge.evaluations == 1, "one file is judged in any case, so that there is something to start from"


def test_a_draw_is_the_file_that_the_mask_function_makes() -> None:
    import evosdc

    judge, one = judge_of(), candidate(0.4)
    judge.judge([(one, draw) for draw in range(3)])
    original = PROBLEM.genotype.microdata.original
    for trial in judge.known(one.key):
        own = one.masking.params | {"protect": original.schema.names, "seed": 1, "draw": trial.draw}
        made = evosdc.mask(original, "rank-swapping", **own)
        assert PROBLEM.score(made)[0] == dict(trial.scores)
    assert judge.known(one.key)[0].draw == 0
    assert len({trial.draw for trial in judge.known(one.key)}) == 3


def test_close_candidates_are_those_whose_difference_drowns_in_noise() -> None:
    judge = judge_of()
    near, also_near, far = candidate(0.5), candidate(0.502), candidate(0.02)
    judge.judge((one, draw) for one in (near, also_near, far) for draw in range(6))
    assert not judge.close(near.key, far.key)
    gaps = [a.order[1] - b.order[1] for a, b in zip(judge.known(near.key), judge.known(also_near.key), strict=True)]
    mean = sum(gaps) / 6
    error = (sum((gap - mean) ** 2 for gap in gaps) / 5 / 6) ** 0.5
    assert judge.close(near.key, also_near.key) == (abs(mean) < error)


def test_what_refuses_is_remembered_with_its_reason() -> None:
    from dataclasses import replace

    judge = judge_of()
    broken = Candidate.at(replace(TOP, fixed=candidate(0.5, TOP).masking.__class__("mdav", {"k": 10_000})), ())
    judge.judge([(broken, 0), (candidate(0.5), 0)])
    assert "10000" in judge.refusals[broken.key]
    assert judge.order(broken.key) == UNKNOWN


def test_searches_side_by_side_are_judged_together_and_answered_in_order() -> None:
    judge = judge_of()
    batches: list[int] = []
    judge.judge = lambda wanted: batches.append(len(list(wanted)))  # type: ignore[method-assign,assignment]

    def search(rounds: int, answer: str):
        for _ in range(rounds):
            yield [(candidate(0.5), 0)]
        return answer

    assert together(judge, [search(1, "a"), search(3, "b"), search(0, "c")]) == ["a", "b", "c"]
    assert batches == [2, 1, 1]


@pytest.mark.parametrize(("budget", "share"), [(Budget(10), 0.5), (Budget(None, 4.0), 0.25), (Budget(10, 1.0), 1.0)])
def test_the_first_limit_counts(budget: Budget, share: float) -> None:
    assert budget.spent(5, 1.0) == share


def test_no_time_at_all_is_spent() -> None:
    assert Budget(None, 1.0).without(0, 2.0).spent(0, 0.0) >= 1.0


def test_loading_is_paid_for_by_no_method_and_no_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = judge_of(seconds=1000.0)
    judge.judge([(candidate(0.5), 0)])
    assert judge.used == {SWAP.name: 1}
    assert judge.time_used[SWAP.name] == 0.0
    judge.judge([(candidate(0.25), 0)])
    assert judge.time_used[SWAP.name] > 0.0
    monkeypatch.setattr("evosdc.tuning.judge.monotonic", lambda: judge._began + 6.0)
    judge._loading, judge.budget = 0.5, Budget(seconds=10.0)
    with judge.until(0.15):
        assert judge.over, "0.6 of all is more than 0.5 and 0.15 of the rest"
    with judge.until(0.35):
        assert not judge.over


def test_compilation_is_no_part_of_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("evosdc.tuning.judge.monotonic", lambda: now[0])
    judge = Judge(PROBLEM, REGISTRY, 1, Budget(seconds=10.0))
    now[0] = 2.0
    assert judge.seconds == 2.0

    def slow(*given: object) -> tuple[Refusal, None]:
        now[0] += 1.0
        return Refusal("none"), None

    monkeypatch.setattr("evosdc.tuning.judge.attempt", slow)
    judge = Judge(PROBLEM, REGISTRY, 1, Budget(seconds=100.0))
    judge.evaluations = 1
    judge._carry_out([(("key", 0), candidate(0.5))], sent=False)
    assert judge.time_used[SWAP.name] == 1.0


def test_methods_that_keep_what_is_required_get_more_of_a_time() -> None:
    for favoured, slow in (((), True), (("rank-swapping",), False)):
        judge = Judge(PROBLEM, REGISTRY, 1, Budget(seconds=10.0), favoured=favoured)
        judge.time_used[SWAP.name] = 3.0
        assert judge._too_slow(candidate(0.5)) is slow
        judge.time_used[SWAP.name] = 6.0
        assert judge._too_slow(candidate(0.5))
