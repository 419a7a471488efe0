"""Plans: their normal form, their variation, and tables that steps share."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.assess.mask import RegisteredMethods, apply_masking, build_steps
from evosdc.errors import PluginError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.start import individual_of
from evosdc.model import Masking
from evosdc.model.individual import PROVISIONAL
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams
from evosdc.testing.tables import sample_microdata
from evosdc_recipes.plans import NOWHERE, PlanSpace, Step
from evosdc_recipes.recipes import Recipes
from evosdc_recipes.step_cache import StepCache
from evosdc_recipes.variation import CHANGES, PLACES_OF_LASTING, crossed, eased, moved, mutated, random_plan

REGISTRY = default_registry()
METHODS = RegisteredMethods(REGISTRY)
MICRODATA = sample_microdata("many-records")
SPACE = PlanSpace(METHODS, MICRODATA, 6)
SEEDS = st.integers(0, 2**32 - 1)
NAMES = MICRODATA.protect


def numbered(method: str) -> int:
    return next(place for place, one in enumerate(SPACE.treatments) if one.method == method)


def recipes(**params: object) -> Recipes:
    return Recipes(Recipes.Params(**params), MICRODATA, METHODS)


def test_every_method_of_the_registry_that_fits_takes_part() -> None:
    methods = {one.method for one in SPACE.treatments}
    assert {"rank-swapping", "pram", "mdav", "local-suppression", "noise"} <= methods
    assert {attribute for one in SPACE.treatments for attribute in one.attributes} == set(NAMES)


@given(SEEDS)
def test_normal_forms_are_what_they_are_the_normal_form_of(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plan = random_plan(SPACE, rng)
    assert plan
    assert SPACE.normal(plan) == plan
    assert SPACE.plan(SPACE.genes(plan)) == plan


@given(SEEDS)
def test_neighbours_that_have_nothing_in_common_have_one_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    swap = numbered("rank-swapping")
    able = SPACE.positions[swap]
    first = Step(swap, (float(rng.random()),), able[:1])
    second = Step(swap, (float(rng.random()),), able[1:2])
    assert SPACE.normal([first, second]) == SPACE.normal([second, first])
    both = replace(second, attributes=able[:2])
    assert SPACE.normal([first, both]) != SPACE.normal([both, first])


def test_steps_that_come_together_are_eased_to_either_end_or_not_at_all() -> None:
    step = Step(numbered("rank-swapping"), (0.4,), SPACE.positions[numbered("rank-swapping")])
    made = {eased(SPACE, [step], np.random.default_rng(seed))[0].shares for seed in range(40)}
    assert {round(share, 9) for (share,) in made} == {0.2, 0.4, 0.7}


def test_a_step_that_masks_nothing_is_gone() -> None:
    swap = numbered("rank-swapping")
    assert SPACE.normal([Step(swap, (0.5,), ())]) == ()


@given(SEEDS)
def test_variation_makes_plans_in_their_normal_form_and_no_longer_than_they_may_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_plan(SPACE, rng), random_plan(SPACE, rng)
    for child in (mutated(SPACE, a, rng), *crossed(SPACE, a, b, rng)):
        assert 1 <= len(child) <= SPACE.most
        assert SPACE.normal(child) == child


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_each_change_changes_something_and_not_the_plan_itself(change) -> None:
    rng = np.random.default_rng(4)
    changed = 0
    for _ in range(20):
        plan = random_plan(SPACE, rng)
        steps = list(plan)
        made = SPACE.normal(change(SPACE, steps, rng))
        assert tuple(steps) == plan
        changed += made != plan
    assert changed >= 8


@pytest.mark.parametrize("draw", [0, 1])
def test_a_plan_makes_the_file_that_masking_step_by_step_makes(draw: int) -> None:
    genotype, rng = recipes(), np.random.default_rng(6)
    for _ in range(12):
        recipe = genotype.random(rng)
        made = genotype.decode(recipe, Streams(3).evaluate(draw))
        masking = genotype.masking(recipe)
        if len(masking.steps) == len(recipe[0]):  # none was refused
            methods = build_steps(masking, REGISTRY)
            assert made.same_records(apply_masking(masking, methods, MICRODATA, Streams(3).evaluate(draw)))


def test_what_the_cache_remembers_changes_nothing() -> None:
    genotype, rng = recipes(), np.random.default_rng(8)
    plans = [genotype.random(rng) for _ in range(8)]
    plans += [genotype.mutate(plan, rng) for plan in plans]
    first = [genotype.decode(plan, Streams(3).evaluate(1)) for plan in plans]
    again = [genotype.decode(plan, Streams(3).evaluate(1)) for plan in reversed(plans)][::-1]
    fresh = [recipes().decode(plan, Streams(3).evaluate(1)) for plan in plans]
    assert all(a.same_records(b) and a.same_records(c) for a, b, c in zip(first, again, fresh, strict=True))


def test_plans_that_begin_alike_share_what_they_have_in_common() -> None:
    applied: list[str] = []

    class Counting(RegisteredMethods):
        def apply(self, step, microdata, rng):
            applied.append(step.label)
            return super().apply(step, microdata, rng)

    cache = StepCache(Counting(REGISTRY), MICRODATA)
    swap, mdav = Masking("rank-swapping", {"p": 10}), Masking("mdav", {"k": 3})
    steps = [mdav, swap, replace(swap, params={"p": 20})]
    cache.carried_out(steps, Streams(1).evaluate(0))
    assert len(applied) == 3
    reached = cache.carried_out([*steps[:2], mdav], Streams(1).evaluate(0))
    assert len(applied) == 4
    assert reached.random
    cache.carried_out([mdav], Streams(1).evaluate(5))
    assert len(applied) == 4, "nothing of it is random"
    cache.carried_out([mdav, swap], Streams(1).evaluate(5))
    assert len(applied) == 5


def test_the_cache_stays_small() -> None:
    cache = StepCache(METHODS, MICRODATA, most_bytes=3 * MICRODATA.original.codes.nbytes)
    for p in range(2, 12):
        cache.carried_out([Masking("rank-swapping", {"p": p})], Streams(1).evaluate(0))
    assert len(cache._tables) <= 3


def test_a_step_that_does_not_fit_does_nothing_and_is_no_step_of_the_recipe() -> None:
    cache = StepCache(METHODS, MICRODATA)
    swap, refused = Masking("rank-swapping", {"p": 10}), Masking("mdav", {"k": 10_000})
    with_it = cache.carried_out([swap, refused], Streams(1).evaluate(0))
    assert with_it.refused == {1}
    assert with_it.table.same_records(cache.carried_out([swap], Streams(1).evaluate(0)).table)


def test_entries_of_a_portfolio_become_plans_and_are_told_as_they_were() -> None:
    genotype = recipes()
    ordinal = tuple(NAMES[p] for p in SPACE.positions[numbered("rank-swapping")])
    entry = Masking(
        "rank-swapping", {"p": 12.0}, ordinal, then=(Masking("mdav", {"k": 5, "group_size": 2}, NAMES[:2]),)
    )
    recipe = genotype.composed(entry)
    assert recipe is not None
    assert [(step.method, dict(step.params)) for step in genotype.masking(recipe).steps] == [
        (step.method, dict(step.params)) for step in entry.steps
    ]
    assert genotype.composed(Masking("mdav", {"k": 5, "average": "median"}, NAMES[:2])) is None
    assert genotype.composed(replace(entry, then=entry.steps * 4)) is None
    assert genotype.composed(Masking("rank-swapping", {"p": 12.0}, ordinal, by=("unknown",))) is None


def test_the_last_step_ends_every_plan() -> None:
    genotype = recipes(last={"method": "local-suppression", "k": 3})
    for number in range(5):
        recipe = genotype.random(np.random.default_rng(number))
        assert genotype.masking(recipe).steps[-1] == Masking("local-suppression", {"k": 3})
        assert genotype.traits(recipe) == {"length": float(len(recipe[0]))}
        masked = genotype.decode(recipe, Streams(2).evaluate(0))
        values = np.column_stack([masked.codes, np.nan_to_num(masked.numbers, nan=-1.0)])
        _, counts = np.unique(values, axis=0, return_counts=True)
        assert counts.min() >= 3


def test_simpler_plans_lack_a_step_each_and_there_is_none_without_steps() -> None:
    genotype = recipes()
    for number in range(12):
        recipe = genotype.random(np.random.default_rng(number))
        steps = genotype._plan(recipe)
        simpler = [genotype._plan(one) for one in genotype.simpler(recipe)]
        assert (len(simpler) > 0) == (len(steps) > 1)
        assert all(len(one) < len(steps) and set(one) <= set(steps) for one in simpler)
        for one in genotype.simpler(recipe):
            genotype.check(one)


@given(SEEDS)
def test_joined_plans_have_the_steps_of_one_and_then_of_the_other(seed: int) -> None:
    genotype, rng = recipes(), np.random.default_rng(seed)
    first, second = (genotype._recipe(random_plan(SPACE, rng)) for _ in range(2))
    joined = genotype.joined(first, second)
    steps = [*genotype._plan(first), *genotype._plan(second)]
    if joined is None:
        assert len(steps) > SPACE.most or SPACE.normal(steps) in (genotype._plan(first), genotype._plan(second))
        return
    genotype.check(joined)
    assert genotype._plan(joined) == SPACE.normal(steps)
    assert set(genotype._plan(joined)) <= set(steps)


@given(SEEDS)
def test_refined_plans_differ_in_one_parameter_by_a_little(seed: int) -> None:
    genotype = recipes()
    recipe = genotype.random(np.random.default_rng(seed))
    plan = genotype._plan(recipe)
    for one in genotype.refined(recipe):
        genotype.check(one)
        other = genotype._plan(one)
        assert other != plan
        changed = set(other) - set(plan)
        assert len(changed) <= 1
        for step in changed:
            before = [one for one in plan if one.treatment == step.treatment and one.attributes == step.attributes]
            gaps = [[x != y for x, y in zip(one.shares, step.shares, strict=True)] for one in before]
            assert not gaps or 1 in map(sum, gaps)


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        ({"k": 3}, "method"),
        ({"method": "local-suppression", "k": 10_000}, "at most"),
        ({"method": "local-supression"}, "local-suppression"),
        ({"method": "local-suppression", "attributes": ["nobody"]}, "nobody"),
    ],
)
def test_a_last_step_that_does_not_fit_is_refused(last: dict[str, object], wanted: str) -> None:
    with pytest.raises(Exception, match=wanted):
        recipes(last=last)


def test_genes_of_another_file_are_refused() -> None:
    genes = SPACE.genes(random_plan(SPACE, np.random.default_rng(1)))
    for wrong in (genes[:, :-1], np.where(genes == genes, np.nan, genes), genes + 0.5, genes - 9):
        with pytest.raises(PluginError, match="no plan of this file"):
            SPACE.plan(wrong)


def test_no_stratum_of_a_few_records_is_formed() -> None:
    for name in SPACE.strata:
        _, counts = np.unique(MICRODATA.table.column(name), return_counts=True)
        assert counts.min() >= 20
    assert NOWHERE not in range(len(SPACE.strata))


def test_a_plan_judged_on_few_tables_stays_provisional_under_constraints() -> None:
    document = {
        "data": {"name": "housing", "first": 60},
        "genotype": {"name": "recipes", "draws": 6},
        "measures": {"il": ["ctbil"], "dr": ["id"]},
        "constraints": ["il <= 99"],
    }
    problem = assemble(parse_parameters(Experiment, document, "experiment"), REGISTRY).problem
    genotype = problem.genotype
    assert isinstance(genotype, Recipes)
    genome = genotype.composed(Masking("rank-swapping", {"p": 10}))
    assert genome is not None
    found = {}
    for draws in (1, 3, 6):
        one = genotype.judged_on(genome, draws)
        found[draws] = individual_of(problem, one, "given").infeasibility
    assert found == {1: PROVISIONAL, 3: PROVISIONAL, 6: 0.0}


def test_plans_that_begin_with_the_same_step_that_takes_long_are_of_one_kind() -> None:
    genotype = recipes()
    space = genotype.space
    lasting = [place for place, one in enumerate(space.treatments) if one.design.dear]

    def plan(*treatments: int) -> object:
        steps = [Step(t, (0.5,) * space.treatments[t].free, space.positions[t]) for t in treatments]
        return genotype._recipe(space.normal(steps))

    swapping, suppression = numbered("rank-swapping"), numbered("mdav")
    assert genotype.distance(plan(lasting[0], swapping), plan(lasting[0], suppression)) < 0.5
    assert genotype.distance(plan(swapping, suppression), plan(swapping, numbered("k-member"))) >= 0.5
    assert genotype.distance(plan(lasting[0], swapping), plan(lasting[1], suppression)) >= 0.5


def test_a_step_that_takes_long_may_take_more_effort_than_usual() -> None:
    def there_and_back(**params: object) -> Masking | None:
        step = SPACE.step_of(Masking("table-swapping", params))
        return None if step is None else SPACE.masking(step)

    plain = Masking("table-swapping", {"share": 0.55})
    assert there_and_back(share=0.55) == plain
    assert there_and_back(share=0.55, effort=1.0) == plain, "entries leave the usual effort out"
    more = there_and_back(share=0.55, effort=4.0)
    assert more is not None
    assert more.params["effort"] == 4.0
    assert there_and_back(share=0.55, effort=0.1) is None, "a time limit asked for less"
    assert all(not one.usual for one in SPACE.treatments if one.method != "table-swapping")


def test_a_plan_of_one_step_that_takes_long_is_refined_all_over_its_range() -> None:
    step = SPACE.step_of(Masking("table-swapping", {"share": 0.55}))
    assert step is not None
    swap = Step(numbered("rank-swapping"), (0.4,), SPACE.positions[numbered("rank-swapping")])
    alone = [steps[0].shares for steps in moved(SPACE, (step,))]
    assert {share for share, _ in alone} >= set(PLACES_OF_LASTING)
    efforts = [SPACE.masking(replace(step, shares=shares)).params.get("effort") for shares in alone]  # type: ignore[union-attr]
    assert {*efforts} == {None, 2.0, 4.0}
    in_two = [steps[0].shares for steps in moved(SPACE, (step, swap))]
    assert len(in_two) == len(alone) - len(PLACES_OF_LASTING) + 4
