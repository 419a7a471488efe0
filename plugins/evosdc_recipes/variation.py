"""Variation of plans: steps come, go and change places; parameters move on their own scales; plans exchange parts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from evosdc_recipes.plans import NOWHERE, Plan, PlanSpace, Step

FINEST = 7  # parameters are perturbed by a share of their range of a half down to a half to the power of this
FURTHER = 0.25  # probability that one change more is made, after each
STRATIFIED = 0.15  # probability that a new step has strata, where attributes can form any
LASTING = 0.1  # probability that a step may change that takes long: its table is known, and what follows costs little
LITTLE = 0.05  # share of its range by which a parameter is moved where a plan is refined, at least

# Shares of its range at which the parameter of a step that takes long is tried: it moves seldom, and what is good may
# be narrow, with worse values around it.
PLACES_OF_LASTING = tuple(place / 20 for place in range(1, 20))

TRIES = 8  # redraws, at most, of a change that would leave no step

Change = Callable[[PlanSpace, list[Step], np.random.Generator], list[Step]]


def random_plan(space: PlanSpace, rng: np.random.Generator) -> Plan:
    """Return a plan of a few random steps, seldom many: each further one is half as likely."""
    for _ in range(TRIES):
        count = min(int(rng.geometric(0.5)), space.most)
        plan = space.normal([random_step(space, rng) for _ in range(count)])
        if plan:
            return plan
    return space.normal([whole_step(space, rng)])


def random_step(space: PlanSpace, rng: np.random.Generator) -> Step:
    """Return a random treatment of some attributes: all that it can mask, or as likely a random part of them."""
    step = whole_step(space, rng)
    attributes = step.attributes
    if len(attributes) > 1 and rng.random() < 0.5:
        attributes = _part(attributes, rng)
    stratum = NOWHERE
    if space.strata and rng.random() < STRATIFIED:
        stratum = int(rng.integers(len(space.strata)))
    return replace(step, attributes=attributes, stratum=stratum)


def whole_step(space: PlanSpace, rng: np.random.Generator) -> Step:
    """Return a random treatment of all attributes that it can mask."""
    treatment = int(rng.choice(len(space.treatments), p=space.weights))
    shares = tuple(rng.random(space.treatments[treatment].free).tolist())
    return Step(treatment, shares, space.positions[treatment])


def mutated(space: PlanSpace, plan: Plan, rng: np.random.Generator) -> Plan:
    """Return a plan with one change, seldom with more; half of the changes are of parameters."""
    for _ in range(TRIES):
        steps = list(plan)
        while True:
            change = CHANGES[int(rng.choice(len(CHANGES), p=_WEIGHTS))]
            steps = change(space, steps, rng)
            if not steps or rng.random() >= FURTHER:
                break
        found = space.normal(steps)
        if found and found != plan:
            return found
    return plan


def crossed(space: PlanSpace, a: Plan, b: Plan, rng: np.random.Generator) -> tuple[Plan, Plan]:
    """Return two children: both plans cut and put together crosswise, or a part of each grafted onto the other."""
    if rng.random() < 0.5:
        i, j = int(rng.integers(len(a) + 1)), int(rng.integers(len(b) + 1))
        made = [(*a[:i], *b[j:]), (*b[:j], *a[i:])]
    else:
        made = [_grafted(a, b, rng), _grafted(b, a, rng)]
    first, second = (
        space.normal(eased(space, steps, rng) if len(steps) > max(len(a), len(b)) else steps) for steps in made
    )
    return first or a, second or b


def eased(space: PlanSpace, steps: Sequence[Step], rng: np.random.Generator) -> list[Step]:
    """Return steps with the first parameter of each where it was, or halfway to either end of its range, as likely."""
    # Steps that each are right alone protect too much together. Which end is the weaker one differs by method.
    found = []
    for step in steps:
        way = int(rng.integers(3))
        if way and step.shares and not space.lasts(step):
            step = replace(step, shares=((step.shares[0] + (way - 1.0)) / 2.0, *step.shares[1:]))
        found.append(step)
    return found


def _grafted(plan: Plan, donor: Plan, rng: np.random.Generator) -> Plan:
    """Return a plan with a part of another one inserted somewhere."""
    begin = int(rng.integers(len(donor)))
    end = int(rng.integers(begin + 1, len(donor) + 1))
    place = int(rng.integers(len(plan) + 1))
    return (*plan[:place], *donor[begin:end], *plan[place:])


def _tune(space: PlanSpace, steps: list[Step], rng: np.random.Generator) -> list[Step]:
    """Move the parameters of a step, on their own scales, by much or by little."""
    tunable = [place for place in _changing(space, steps, rng) if steps[place].shares]
    tunable = [place for place in tunable if space.lasting or not space.lasts(steps[place])]
    if not tunable:
        return _insert(space, steps, rng)
    place = _one_of(tunable, rng)
    step = steps[place]
    free = space.treatments[step.treatment].design.free
    chosen = rng.random(len(free)) < 0.5
    chosen[int(rng.integers(len(free)))] = True
    shares = list(step.shares)
    for position in np.flatnonzero(chosen).tolist():
        size = free[position].size
        # One value at least, where these are few.
        width = max(2.0 ** -rng.uniform(1.0, FINEST), 0.0 if size is None else 1.0 / max(size, 2))
        shares[position] = min(max(shares[position] + width * rng.standard_normal(), 0.0), 1.0)
    return [*steps[:place], replace(step, shares=tuple(shares)), *steps[place + 1 :]]


def moved(space: PlanSpace, plan: Plan) -> Iterator[list[Step]]:
    """Yield the steps of a plan with a parameter of a step moved up or down, by a value or two where these are few."""
    # Where the plan is one step that takes long, its parameter is moved to places all over its range besides.
    for place, step in enumerate(plan):
        for position, one in enumerate(space.treatments[step.treatment].design.free):
            width = max(LITTLE, 0.0 if one.size is None else 1.0 / max(one.size, 2))
            near = [step.shares[position] + way for way in (-width, width, -2.0 * width, 2.0 * width)]
            far = PLACES_OF_LASTING if one.size is None and len(plan) == 1 and space.lasts(step) else ()
            for share in (*near, *far):
                shares = list(step.shares)
                shares[position] = min(max(share, 0.0), 1.0)
                yield [*plan[:place], replace(step, shares=tuple(shares)), *plan[place + 1 :]]


def _insert(space: PlanSpace, steps: list[Step], rng: np.random.Generator) -> list[Step]:
    if len(steps) >= space.most:
        return _delete(space, steps, rng)
    place = int(rng.integers(len(steps) + 1))
    others = eased(space, steps, rng) if rng.random() < 0.5 else steps
    return [*others[:place], random_step(space, rng), *others[place:]]


def _delete(space: PlanSpace, steps: list[Step], rng: np.random.Generator) -> list[Step]:
    if len(steps) < 2:
        return _exchange(space, steps, rng)
    place = int(rng.integers(len(steps)))
    return [*steps[:place], *steps[place + 1 :]]


def _swap(space: PlanSpace, steps: list[Step], rng: np.random.Generator) -> list[Step]:
    """Let two steps change places."""
    if len(steps) < 2:
        return _insert(space, steps, rng)
    first, second = rng.choice(len(steps), size=2, replace=False).tolist()
    changed = list(steps)
    changed[first], changed[second] = steps[second], steps[first]
    return changed


def _split(space: PlanSpace, steps: list[Step], rng: np.random.Generator) -> list[Step]:
    """Give a part of a step's attributes a step of their own, whose parameters are a little different."""
    joint = [place for place in _changing(space, steps, rng) if len(steps[place].attributes) > 1]
    if not joint or len(steps) >= space.most:
        return _tune(space, steps, rng)
    place = _one_of(joint, rng)
    step = steps[place]
    part = _part(step.attributes, rng)
    rest = tuple(position for position in step.attributes if position not in part)
    own = _tune(space, [replace(step, attributes=part)], rng) if step.shares else [replace(step, attributes=part)]
    return [*steps[:place], *own, replace(step, attributes=rest), *steps[place + 1 :]]


def _join(space: PlanSpace, steps: list[Step], rng: np.random.Generator) -> list[Step]:
    """Give a step an attribute more, or take one from it."""
    changing = _changing(space, steps, rng)
    if not changing:
        return _insert(space, steps, rng)
    place = _one_of(changing, rng)
    step = steps[place]
    able = space.positions[step.treatment]
    position = able[int(rng.integers(len(able)))]
    changed = set(step.attributes) ^ {position}
    if not changed:
        return _exchange(space, steps, rng)
    return [*steps[:place], replace(step, attributes=tuple(sorted(changed))), *steps[place + 1 :]]


def _stratify(space: PlanSpace, steps: list[Step], rng: np.random.Generator) -> list[Step]:
    """Let a step have strata, or other ones, or none any more."""
    changing = _changing(space, steps, rng)
    if not space.strata or not changing:
        return _tune(space, steps, rng)
    place = _one_of(changing, rng)
    stratum = int(rng.integers(NOWHERE, len(space.strata)))
    return [*steps[:place], replace(steps[place], stratum=stratum), *steps[place + 1 :]]


def _exchange(space: PlanSpace, steps: list[Step], rng: np.random.Generator) -> list[Step]:
    """Mask a step's attributes by another treatment."""
    place = int(rng.integers(len(steps)))
    made = whole_step(space, rng)
    attributes = tuple(position for position in steps[place].attributes if position in made.attributes)
    return [*steps[:place], replace(made, attributes=attributes or made.attributes), *steps[place + 1 :]]


CHANGES: tuple[Change, ...] = (_tune, _insert, _delete, _swap, _split, _join, _stratify, _exchange)
_WEIGHTS = np.array([8.0, 1.5, 1.5, 0.5, 1.5, 1.5, 0.5, 1.0])
_WEIGHTS /= _WEIGHTS.sum()


def _part(attributes: tuple[int, ...], rng: np.random.Generator) -> tuple[int, ...]:
    """Return some of several attributes, not all."""
    count = int(rng.integers(1, len(attributes)))
    return tuple(sorted(rng.choice(attributes, size=count, replace=False).tolist()))


def _changing(space: PlanSpace, steps: Sequence[Step], rng: np.random.Generator) -> list[int]:
    """Return the places of steps that may change: those that take long seldom."""
    every = rng.random() < LASTING
    return [place for place, step in enumerate(steps) if every or not space.lasts(step)]


def _one_of(places: Sequence[int], rng: np.random.Generator) -> int:
    return places[int(rng.integers(len(places)))]
