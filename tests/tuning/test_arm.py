"""What is tuned, and the points of it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from evosdc.assess.defaults import default_portfolio
from evosdc.model import Design, Masking, Range
from evosdc.tuning.designs import Arm, TunedStep, arms_of, chained, portfolio_arms, split
from tests.tuning.problems import PROTECT, REGISTRY, problem_of

TABLE = problem_of().genotype.microdata.original
SWAP = Arm("s", "method", (TunedStep("rank-swapping", Design(free=(Range("p", 1, 50),)), PROTECT),), 3)
CODE = Arm(
    "c", "method",
    (TunedStep("top-coding", Design(free=(Range("q", 2, 20, whole=True),), most={"degree": 7}), PROTECT),), 3,
)  # fmt: skip


def test_every_design_of_every_method_that_fits_is_an_arm() -> None:
    arms = arms_of(TABLE, REGISTRY)
    assert len({arm.name for arm in arms}) == len(arms)
    methods = {arm.steps[0].method for arm in arms}
    assert {"rank-swapping", "pram", "mdav", "mondrian", "k-member", "local-suppression", "top-coding"} <= methods
    assert not {"noise", "jpeg"} & methods, "the table has no numbers"
    designs = {arm.steps[0].design.fixed.get("design") for arm in arms if arm.steps[0].method == "pram"}
    assert designs == {"a", "b", "two-stage", "preference"}


def test_methods_for_some_scales_are_tuned_on_attributes_of_these() -> None:
    problem = problem_of(data={"name": "housing", "protect": ["built", "metro"], "first": 100})
    (arm,) = arms_of(problem.genotype.microdata.original, REGISTRY, ["individual-ranking"])
    assert arm.masking((0.5,)).attributes == ("built",)


def test_all_attributes_are_named_by_none() -> None:
    assert SWAP.masking((1.0,)) == Masking("rank-swapping", {"p": 50})


def test_attributes_that_cannot_take_a_value_are_left_alone() -> None:
    assert CODE.masking((0.0,)).attributes == ()
    assert CODE.masking((1.0,)).attributes == ("built", "grade1")


@given(st.floats(0, 1), st.floats(0.001, 0.5))
def test_points_around_are_one_step_away_and_inside(share: float, step: float) -> None:
    for arm in (SWAP, CODE):
        for (other,) in arm.around((share,), step):
            assert 0 <= other <= 1
            assert other != share
            assert abs(other - share) <= max(step, 1 / 18) + 1e-12


def test_coarse_points_begin_in_the_middle() -> None:
    assert SWAP.coarse()[0] == (0.5,)
    assert {SWAP.masking(point).params["p"] for point in SWAP.coarse()} >= {1.0, 50.0}
    assert len(chained(SWAP, CODE).coarse()) == 9


def test_a_split_arm_masks_each_attribute_by_itself() -> None:
    arm, point = split(CODE, (1.0,))
    masking = arm.masking(point)
    assert [step.attributes for step in masking.steps] == [("built",), ("grade1",)]
    other = arm.masking((0.0, 1.0))
    assert [step.params["q"] for step in other.steps] == [2, 20]
    assert split(Arm("l", "method", (TunedStep("liew", Design(), PROTECT),), 3), ()) is None


def test_a_chain_has_the_steps_of_both() -> None:
    masking = chained(SWAP, CODE).masking((1.0, 0.0))
    assert masking == Masking("rank-swapping", {"p": 50}, then=(Masking("top-coding", {"q": 2}),))


def test_entries_of_a_portfolio_belong_to_the_arm_that_covers_them() -> None:
    entries = [
        Masking("rank-swapping", {"p": 3}, draw=7),
        Masking("rank-swapping", {"p": 90}),
        Masking("mdav", {"k": 3}),
        Masking("rank-swapping", {"p": 3, "x": 1}),
    ]
    found = portfolio_arms(entries, [SWAP, CODE], 3)
    assert [arm.name for arm, _ in found] == ["s", "s", "mdav k=3", "rank-swapping p=3 x=1"]
    assert [arm is SWAP for arm, _ in found] == [True, False, False, False], "90 is beyond the range of p"
    assert [arm.masking(point) for arm, point in found] == [replace(entry, draw=None) for entry in entries]


def test_entries_of_the_usual_portfolio_stand_at_points_of_arms() -> None:
    arms = arms_of(TABLE, REGISTRY)
    entries = REGISTRY.implementation("portfolio", default_portfolio(TABLE.schema, REGISTRY))(TABLE)
    found = portfolio_arms(entries, arms, len(TABLE.schema))
    assert [arm.masking(point) for arm, point in found] == [replace(entry, draw=None) for entry in entries]
    assert {"rank-swapping", "pram"} <= {arm.steps[0].method for arm, _ in found if arm.steps}


def test_a_ladder_goes_from_end_to_end_from_the_middle_on() -> None:
    (arm,) = arms_of(TABLE, REGISTRY, ["mdav"])
    for others, size in ((0.5, 2), (1.0, len(PROTECT))):
        made = [arm.masking(point).params for point in arm.ladder(others)]
        assert {params["group_size"] for params in made} == {size}
        sizes = [params["k"] for params in made]
        assert sorted(sizes)[2] == sizes[0]
        assert (min(sizes), max(sizes), len(set(sizes))) == (2, len(TABLE) // 4, 5)
    assert len(SWAP.ladder()) == 5
    assert Arm("f", "method", (TunedStep("liew", Design(), PROTECT),), 3).ladder() == [()]
