"""The course of tuning: coarse grids, a race on ever finer steps, parameters of each attribute's own, chains of two."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, permutations, product, zip_longest

from evosdc.assess.defaults import COMPOSITIONS, composition
from evosdc.tuning.arm import Arm, Point, chained, split
from evosdc.tuning.candidate import Candidate
from evosdc.tuning.evidence import FEWEST
from evosdc.tuning.judge import Judge
from evosdc.tuning.leaders import leaders
from evosdc.tuning.local_search import LEVELS, leading, neighbours, refined
from evosdc.tuning.order import in_order_of_promise
from evosdc.tuning.side_by_side import Search, together
from evosdc.tuning.spread import spread

UNTIL_GRID, UNTIL_RACE, UNTIL_ATTRIBUTES, UNTIL_CHAINS, UNTIL_LASTING = 0.35, 0.55, 0.72, 0.88, 0.96
"""Shares of the budget at which the phases end, where they have not ended before; the rest is for further draws."""

UNTIL_TURNS = 0.5
"""The same for the first point of every design, within a time that is too short for all points of the grids."""

FOR_ALL = 2
"""Levels of the race that all arms take part in; then half of them go on each time."""

KEPT = 4
"""Arms that the race keeps to the end, at least; of as many, chains of two are made."""

BY_ATTRIBUTE = 3
"""Methods of which each attribute gets parameters of its own."""

CHAINS = 4
"""Chains that are refined."""

FINAL_DRAWS = 5
"""Draws on which the best of each row is judged in the end."""


class Course:
    """The phases of tuning, in their order.

    Attributes
    ----------
    arms : list of Arm
        What is tuned, but for what comes at the end.
    lasting : list of Arm
        Within a time, what takes long and promises little (`last`).
    first : sequence of str
        Methods whose grids are judged before those of others: where a privacy model constrains, the others seldom keep
        what it asks, and time may end before all have had their turn.
    best : dict of str to Candidate
        The best of each arm so far, by its name.
    """

    def __init__(self, judge: Judge, arms: Sequence[Arm], first: Sequence[str] = ()) -> None:
        self.judge = judge
        self.first = first
        promise = self._promise(arms)
        timed = judge.budget.seconds is not None
        self.lasting = [arm for arm in arms if timed and arm.dear and not promise[arm.steps[0].method]]
        self.arms = [arm for arm in arms if arm not in self.lasting]
        self.best: dict[str, Candidate] = {}

    def follow(self, portfolio: Sequence[Candidate]) -> None:
        """Go through all phases, with the entries of a portfolio as further candidates."""
        short = bool(self.first) and self.judge.budget.seconds is not None
        if short:
            self.ladder()
        self.turns(() if short else portfolio)
        self.grid(portfolio)
        self.race()
        if short and self.few:
            self.race(UNTIL_CHAINS)
        else:
            if self.judge.budget.seconds is not None and self.few:
                self._taken_in(_spread(portfolio), UNTIL_ATTRIBUTES)
            self.by_attribute()
            self.chains()
        self.last()
        self.settle()

    @property
    def few(self) -> bool:
        """Whether time was so short that the best arms are hardly tuned: parameters by attribute would be no better."""
        leader = self.ranked(self.best.values())[:1]
        return any(self.judge.used[one.arm.name] < FEWEST for one in leader)

    def ladder(self) -> None:
        """Judge each arm's first parameter from end to end: k of `mdav`, p of rank swapping, before all finer points.

        Within a time this goes first where a privacy model constrains, so that a short one at least tells which order
        of magnitude of k is right. Classes are those of all attributes only where `mdav` takes these together, at the
        end of the range of its group size.
        """
        ladders = [
            [Candidate.at(arm, point) for point in arm.ladder(1.0 if arm.steps[0].method in self.first else 0.5)]
            for arm in self.arms
        ]
        interleaved = [one for one in chain.from_iterable(zip_longest(*ladders)) if one is not None]
        interleaved.sort(key=lambda candidate: candidate.arm.steps[0].method not in self.first)
        with self.judge.until(UNTIL_GRID):
            self.judge.judge((candidate, 0) for candidate in interleaved)
        self.lead(interleaved)

    def turns(self, portfolio: Sequence[Candidate]) -> None:
        """Judge each arm's first point within a time, the most promising arms first: it may not be enough for grids.

        In turn with them comes what stands for a portfolio: where time ends soon, usual parameters are often better
        than the middle of a wide range. A budget of evaluations keeps the order of the grids, so that what it finds
        depends on no list of methods.
        """
        if self.judge.budget.seconds is None:
            return
        arms = sorted(self.promising(), key=lambda arm: arm.steps[0].method not in self.first)
        firsts = [one for arm in arms if (one := first_of(arm)) is not None]
        turns = [one for one in chain.from_iterable(zip_longest(firsts, _spread(portfolio))) if one is not None]
        self._taken_in(turns, UNTIL_TURNS)

    def _taken_in(self, candidates: Sequence[Candidate], until: float) -> None:
        """Judge candidates in this order until a share of the budget, and take in the best of each arm."""
        with self.judge.until(until):
            self.judge.judge(((one, 0) for one in candidates), as_given=True)
        self.lead([one for one in candidates if one.arm.steps])

    def promising(self) -> list[Arm]:
        """Return the arms, what promises most first."""
        return in_order_of_promise(self.arms, self._promise(self.arms))

    def _promise(self, arms: Sequence[Arm]) -> dict[str, int]:
        """Return what methods promise; nothing where files of this kind are not those that a method is offered for."""
        registry = self.judge.registry
        others = COMPOSITIONS - {composition(self.judge.problem.genotype.microdata.original.schema)}
        promised = {}
        for name in {arm.steps[0].method for arm in arms}:
            usual = COMPOSITIONS.intersection(registry.spec("masking-method", name).default_for)
            promise = registry.implementation("masking-method", name).promise
            promised[name] = 0 if usual and usual <= others else promise
        return promised

    def lead(self, candidates: Sequence[Candidate]) -> None:
        """Take the best of each arm from candidates, where an arm has none that is as good."""
        for candidate in leading(self.judge, candidates, len(candidates)):
            known = self.best.setdefault(candidate.arm.name, candidate)
            if self.judge.order(candidate.key) < self.judge.order(known.key):
                self.best[candidate.arm.name] = candidate

    def grid(self, portfolio: Sequence[Candidate]) -> None:
        """Judge coarse grids, all arms' middle points first, and the portfolio."""
        arms = self.arms if self.judge.budget.seconds is None else self.promising()
        grids = [[Candidate.at(arm, point) for point in arm.coarse()] for arm in arms]
        interleaved = [one for one in chain.from_iterable(zip_longest(*grids)) if one is not None]
        interleaved.sort(key=lambda candidate: candidate.arm.steps[0].method not in self.first)
        with self.judge.until(UNTIL_GRID):
            self.judge.judge((candidate, 0) for candidate in interleaved)
            self.judge.judge((one, 0) for one in portfolio)
        self.lead(interleaved)

    def race(self, until: float = UNTIL_RACE) -> None:
        """Refine the arms, fewer of them at each level."""
        racing = list(self.best.values()) if until == UNTIL_RACE else self.ranked(self.best.values())[:KEPT]
        with self.judge.until(until):
            for place, level in enumerate(LEVELS):
                racing = together(self.judge, [refined(self.judge, one, level) for one in racing])
                self.best |= {one.arm.name: one for one in racing}
                racing = self.ranked(racing)
                if place + 1 >= FOR_ALL:
                    racing = racing[: max(KEPT, len(racing) // 2)]
                racing = [one for one in racing if not one.arm.dear]

    def by_attribute(self) -> None:
        """Give each attribute parameters of its own, of the best methods, one design of each."""
        best = self.ranked(one for one in self.best.values() if not one.arm.dear)
        of_methods = list({one.arm.steps[0].method: one for one in reversed(best)}.values())
        starts = []
        for leader in self.ranked(of_methods)[:BY_ATTRIBUTE]:
            apart = split(leader.arm, leader.point)
            start = None if apart is None else Candidate.at(*apart)
            if start is not None:
                starts.append(start)
        others = best[:KEPT]
        with self.judge.until(UNTIL_ATTRIBUTES):
            self._refine(starts, others)

    def chains(self) -> None:
        """Chain the best designs two by two, at their best points and at points halfway to the ends of their ranges."""
        cheap = [one for one in self.best.values() if one.arm.kind == "method" and not one.arm.dear]
        best = self.ranked(cheap)[:KEPT]
        starts: dict[str, list[Candidate]] = {}
        for first, second in permutations(best, 2):
            arm = chained(first.arm, second.arm)
            points = product(_weaker(first.point), _weaker(second.point))
            made = (Candidate.at(arm, (*one, *other)) for one, other in points)
            starts[arm.name] = [candidate for candidate in made if candidate is not None]
        with self.judge.until(UNTIL_CHAINS):
            self.judge.judge((candidate, 0) for points in starts.values() for candidate in points)
            heads = [one for points in starts.values() for one in leading(self.judge, points, 1)]
            self._refine(leading(self.judge, heads, CHAINS), ())

    def last(self) -> None:
        """Judge within a time what takes long and promises little: a single file may take as long as all else.

        Nothing is chained with it, or refined, so that nothing is lost by its coming last.
        """
        grids = [[Candidate.at(arm, point) for point in arm.coarse()] for arm in self.lasting]
        interleaved = [one for one in chain.from_iterable(zip_longest(*grids)) if one is not None]
        with self.judge.until(UNTIL_LASTING):
            self.judge.judge(((candidate, 0) for candidate in interleaved), as_given=True)
        self.lead(interleaved)

    def _refine(self, starts: Sequence[Candidate], others: Sequence[Candidate]) -> None:
        found = list(starts)
        for place, level in enumerate(LEVELS):
            further = others if place < FOR_ALL else ()

            def moves(one: Candidate, step: float, further: Sequence[Candidate] = further) -> list[Candidate]:
                return [*neighbours(one, step), *exchanges(one, further)]

            found = together(self.judge, [refined(self.judge, one, level, moves) for one in found])
        self.best |= {one.arm.name: one for one in found if self.judge.known(one.key)}

    def settle(self) -> None:
        """Judge what leads each row on further draws, the best rows first, until what leads was judged on enough."""
        rows: dict[str, list[Candidate]] = {}
        for candidate in self.judge.candidates.values():
            rows.setdefault(candidate.arm.name, []).append(candidate)
        order = sorted(rows, key=lambda name: min(self.judge.order(one.key) for one in rows[name]))
        for begin in range(0, len(order), KEPT):
            together(self.judge, [self._settled(rows[name]) for name in order[begin : begin + KEPT]])

    def _settled(self, row: Sequence[Candidate]) -> Search[None]:
        judge = self.judge
        while not judge.over:
            leader = min(row, key=lambda one: judge.order(one.key))
            if not judge.known(leader.key) or judge.fixed(leader.key) or len(judge.known(leader.key)) >= FINAL_DRAWS:
                return
            yield [(leader, draw) for draw in range(FINAL_DRAWS)]

    def ranked(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return candidates from what is most to what is least worth refining."""
        return leaders(candidates, lambda one: self.judge.order(one.key))


def first_of(arm: Arm) -> Candidate | None:
    """Return what stands at the first point of an arm's grid at which anything is masked; None without any."""
    made = (Candidate.at(arm, point) for point in arm.coarse())
    return next((one for one in made if one is not None), None)


def _spread(portfolio: Sequence[Candidate]) -> list[Candidate]:
    """Return the entries of a portfolio so that the first ones stand for all."""
    of_masking = {id(one.masking): one for one in portfolio}
    return [of_masking[id(masking)] for masking in spread([one.masking for one in portfolio])]


def exchanges(candidate: Candidate, others: Sequence[Candidate]) -> list[Candidate]:
    """Return a candidate with one attribute masked by another method at its best, or not at all.

    Its steps mask one attribute each. Nothing is exchanged without others.
    """
    arm, parts = candidate.arm, candidate.arm.parts(candidate.point)
    made = []
    for place, step in enumerate(arm.steps if others else ()):
        for other in others:
            (theirs,) = other.arm.steps
            (name,) = step.attributes
            if theirs.design is not step.design and name in theirs.attributes:
                steps = (*arm.steps[:place], theirs.alone(name), *arm.steps[place + 1 :])
                points = [*parts[:place], other.point, *parts[place + 1 :]]
                made.append(Candidate.at(replace(arm, steps=steps), _joined(points)))
        if len(arm.steps) > 1:
            steps = (*arm.steps[:place], *arm.steps[place + 1 :])
            made.append(Candidate.at(replace(arm, steps=steps), _joined([*parts[:place], *parts[place + 1 :]])))
    return [one for one in made if one is not None]


def _joined(points: Sequence[Point]) -> Point:
    return tuple(share for point in points for share in point)


def _weaker(point: Point) -> list[Point]:
    """Return a point, and the points with its first parameter halfway to either end."""
    if not point:
        return [point]
    return [point, (point[0] / 2, *point[1:]), ((1 + point[0]) / 2, *point[1:])]
