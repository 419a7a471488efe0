"""Parameter designs of masking methods: the choices of an arm, and the order in which they are tried."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Literal

from evosdc.model import Design, Free, Masking, MaskingMethod, Range, fitting_designs
from evosdc.plugins.registry import Registry
from evosdc.table.table import Table

Kind = Literal["method", "by attribute", "chain"]

Point = tuple[float, ...]  # shares of the free parameters' ranges, step by step
MOST_POINTS = 5  # points of a single free parameter that are tried first; of two parameters three each


@dataclass(frozen=True)
class TunedStep:
    """One tuned step: a design of a method, applied to attributes."""

    method: str
    design: Design
    attributes: tuple[str, ...]

    def masking(self, shares: Sequence[float], whole: int) -> Masking | None:
        """Return the step at a point; None where no attribute can take the parameters."""
        params = self.design.params(shares)
        chosen = tuple(name for name in self.attributes if self.design.takes(name, params))
        if not chosen:
            return None
        return Masking(self.method, params, () if len(chosen) == whole else chosen)

    def alone(self, attribute: str) -> "TunedStep":
        """Return the step for one of its attributes."""
        return replace(self, attributes=(attribute,))


@dataclass(frozen=True)
class Arm:
    """Something with free parameters that takes part in the tuning."""

    name: str  # what its row in the result is known by
    kind: Kind
    steps: tuple[TunedStep, ...]
    whole: int  # how many attributes are protected
    fixed: Masking | None = None  # an entry of a portfolio that no design covers; then there are no steps

    @property
    def free(self) -> tuple[Free, ...]:
        """The free parameters of all steps."""
        return tuple(one for step in self.steps for one in step.design.free)

    @property
    def dear(self) -> bool:
        """Whether a trial takes so long that there should be few of them."""
        return any(step.design.dear for step in self.steps)

    def parts(self, point: Point) -> list[Point]:
        """Return a point step by step."""
        ends = [0]
        for step in self.steps:
            ends.append(ends[-1] + len(step.design.free))
        return [point[begin:end] for begin, end in pairwise(ends)]

    def masking(self, point: Point) -> Masking | None:
        """Return the candidate at a point; None where nothing would be masked."""
        if self.fixed is not None:
            return self.fixed
        made = [step.masking(part, self.whole) for step, part in zip(self.steps, self.parts(point), strict=True)]
        steps = [step for step in made if step is not None]
        return replace(steps[0], then=tuple(steps[1:])) if steps else None

    def coarse(self) -> list[Point]:
        """Return the points that are tried first, from the middle of the ranges outwards."""
        each = MOST_POINTS if len(self.free) == 1 and not self.dear else 3
        points: list[Point] = [()]
        for one in self.free:
            points = [(*point, share) for point in points for share in one.spread(each)]
        return sorted(points, key=lambda point: sum(abs(share - 0.5) for share in point))

    def ladder(self, others: float = 0.5) -> list[Point]:
        """Return points of the first free parameter from end to end, the middle first; `others` at one share."""
        if not self.free or self.dear:
            return self.coarse()[:1]
        first, *further = self.free
        there = tuple(min(one.spread(3), key=lambda share: abs(share - others)) for one in further)
        return sorted(((share, *there) for share in first.spread(MOST_POINTS)), key=lambda point: abs(point[0] - 0.5))

    def around(self, point: Point, step: float) -> Iterator[Point]:
        """Yield the points next to one: each free parameter in turn a step down and up, one value at least."""
        for place, one in enumerate(self.free):
            size = one.size
            least = 0.0 if size is None else 1.0 / max(size - 1 if isinstance(one, Range) else size, 1)
            for direction in (-1.0, 1.0):
                share = min(max(point[place] + direction * max(step, least), 0.0), 1.0)
                if share != point[place]:
                    yield (*point[:place], share, *point[place + 1 :])


def arms_of(table: Table, registry: Registry, methods: Sequence[str] = ()) -> list[Arm]:
    """Return an arm for each design of each masking method that fits the protected attributes."""
    # A method that masks some scales only is tuned on the attributes of these scales.
    names = methods or registry.names("masking-method")
    classes: dict[str, type[MaskingMethod]] = {name: registry.implementation("masking-method", name) for name in names}
    arms = []
    for name, design, own in fitting_designs(classes, table):
        words = [Masking(name, design.fixed).label]
        words += [one.name for one in design.free if design.attributes and not design.fixed]
        supported = sum(attribute.scale in classes[name].supports for attribute in table.schema.attributes)
        where = f" ({', '.join(own)})" if len(own) < supported else ""
        arms.append(Arm(" ".join(words) + where, "method", (TunedStep(name, design, own),), len(table.schema)))
    return arms


def split(arm: Arm, point: Point) -> tuple[Arm, Point] | None:
    """Return an arm that masks each attribute by a step of its own, at the same parameters; None for one attribute."""
    (step,), (shares,) = arm.steps, arm.parts(point)
    params = step.design.params(shares)
    names = [name for name in step.attributes if step.design.takes(name, params)]
    if len(names) < 2 or not shares:
        return None
    steps = tuple(step.alone(name) for name in names)
    return Arm(f"{arm.name}, by attribute", "by attribute", steps, arm.whole), shares * len(names)


def chained(first: Arm, second: Arm) -> Arm:
    """Return the chain of two arms."""
    return Arm(f"{first.name}, then {second.name}", "chain", (*first.steps, *second.steps), first.whole)


def portfolio_arms(entries: Sequence[Masking], arms: Sequence[Arm], whole: int) -> list[tuple[Arm, Point]]:
    """Return the entries of a portfolio as arms, each at a point."""
    # That is the first arm of the same method that has the entry at one of its points; else an arm without free
    # parameters, under the name of the first one whose fixed parameters the entry has. Without such an arm the entry
    # stands for itself.
    listed = []
    for entry in entries:
        alike = [arm for arm in arms if not entry.then and _covers(arm.steps[0], entry)]
        there = [(arm, point) for arm in alike if (point := _point_of(arm, entry)) is not None]
        kind: Kind = "chain" if entry.then else "method"
        name = alike[0].name if alike else entry.label
        listed.append(there[0] if there else (Arm(name, kind, (), whole, replace(entry, draw=None)), ()))
    return listed


def _point_of(arm: Arm, entry: Masking) -> Point | None:
    """Return the point at which an arm masks as an entry says; None where there is none."""
    if any(one.value_in(entry.params) is None for one in arm.free):
        return None
    try:
        point = tuple(one.share(one.value_in(entry.params)) for one in arm.free)
    except (TypeError, ValueError):  # no number, or none of the choices
        return None
    return point if arm.masking(point) == replace(entry, draw=None) else None


def _covers(step: TunedStep, entry: Masking) -> bool:
    fixed = step.design.fixed
    free = {one.name for one in step.design.free}
    return (
        step.method == entry.method
        and all(entry.params.get(key) == value for key, value in fixed.items())
        and set(entry.params) <= free | set(fixed)
    )


@dataclass(frozen=True)
class Candidate:
    """An arm at a point."""

    arm: Arm
    point: Point
    masking: Masking
    key: str

    @classmethod
    def at(cls, arm: Arm, point: Point) -> "Candidate | None":
        """Return the candidate at a point of an arm; None where nothing would be masked."""
        masking = arm.masking(point)
        return None if masking is None else cls.of(arm, point, masking)

    @classmethod
    def of(cls, arm: Arm, point: Point, masking: Masking) -> "Candidate":
        """Return a masking that stands at a point of an arm, as it is written: 5 rather than 5.0."""
        return cls(arm, point, masking, json.dumps(masking.to_json(), sort_keys=True))


Wanted = tuple[Candidate, int]  # a candidate and the number of one of its draws


@dataclass(frozen=True)
class Budget:
    """How much tuning may cost; the first limit reached ends it."""

    evaluations: int | None = None
    seconds: float | None = None  # with it, the result depends on the speed of the machine

    def part(self, share: float) -> "Budget":
        """Return a share of the budget."""
        evaluations = None if self.evaluations is None else max(1, round(share * self.evaluations))
        return Budget(evaluations, None if self.seconds is None else share * self.seconds)

    def without(self, evaluations: int, seconds: float) -> "Budget":
        """Return the remaining budget after this was spent; one evaluation at least."""
        left = None if self.evaluations is None else max(1, self.evaluations - evaluations)
        return Budget(left, None if self.seconds is None else max(0.0, self.seconds - seconds))

    def spent(self, evaluations: int, seconds: float) -> float:
        """Return the share that is spent, 1 or more where nothing is left."""
        shares = [0.0]
        if self.evaluations is not None:
            shares.append(evaluations / self.evaluations)
        if self.seconds is not None:
            shares.append(seconds / self.seconds if self.seconds > 0.0 else inf)
        return max(shares)


def in_order_of_promise(arms: Sequence[Arm], promise: Mapping[str, int]) -> list[Arm]:
    """Return arms in an order in which every method has an early turn, the most promising first."""
    # First one design of each method that does not take long, then those that take long and are worth it, then further
    # designs, and at last what else takes long. Within these, promise decides, then the order of the arms.
    seen: dict[str, int] = {}
    keyed = []
    for place, arm in enumerate(arms):
        method = arm.steps[0].method
        number = seen[method] = seen.get(method, -1) + 1
        own = promise.get(method, 0)
        turn = (1 if own else 3) if arm.dear else (0 if number == 0 else 2)
        keyed.append((turn, number, -own, place))
    return [arms[place] for *_, place in sorted(keyed)]
