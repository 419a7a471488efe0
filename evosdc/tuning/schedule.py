"""Which designs are tried next: successive halving between arms, local search within the best."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, permutations, product, zip_longest
from math import inf
from typing import TypeVar

from evosdc.assess.defaults import COMPOSITIONS, composition
from evosdc.model import Masking
from evosdc.tuning.designs import Arm, Candidate, Point, chained, in_order_of_promise, split
from evosdc.tuning.judge import MOST_DRAWS, UNKNOWN, Judge, Order, Search, together

FEWEST = 12  # files judged for each design of a method, from which on the tuned methods are more than weak evidence
NAMED = 8  # designs that were not tried which the sentence names, at most


def evidence_sentence(evaluations: int, designs: int, sample: int = 0, untried: Sequence[str] = ()) -> str:
    """Return on how many files the methods were tuned, with a warning where these are few for each design."""
    # `sample` is the number of records of the sample on which most files were made, or 0. Designs that were `untried`
    # are named: the best of those that were tried may be worse than one of them.
    of = f" (most of them of a sample of {sample} records)" if sample else ""
    files = "1 file" if evaluations == 1 else f"{evaluations} files"
    many = f"The tuned methods were found on {files}{of}, for {designs} designs of methods"
    words = f"{many}."
    if evaluations < FEWEST * designs:
        words = (
            f"{many}: fewer than {FEWEST} for each are weak evidence of how good they can be. More time may find "
            "better ones; so may evosdc tune with more evaluations."
        )
    if untried:
        more = len(untried) - NAMED
        named = ", ".join(untried[:NAMED]) + (f" and {more} more" if more > 0 else "")
        words += f" Not tried at all: {named}."
    return words


# Infeasibility that counts as none in every second choice: bounds are exceeded by as much again, all together.
TOLERATED = 1.0

Choice = TypeVar("Choice")


def leaders(choices: Iterable[Choice], order: Callable[[Choice], Order]) -> list[Choice]:
    """Return choices from best to worst, by two orders in turn, each choice once."""
    # The first, the third and so on are the best of those that are left by infeasibility, then objectives; the others
    # by objectives where the infeasibility is tolerated. Where nothing is infeasible these are one order.
    listed: Sequence[Choice] = list(choices)
    strict = sorted(range(len(listed)), key=lambda place: order(listed[place]))
    tolerant = sorted(strict, key=lambda place: tolerated(order(listed[place])))
    taken: dict[int, Choice] = {}
    waiting = [iter(strict), iter(tolerant)]
    while len(taken) < len(listed):
        place = next(place for place in waiting[0] if place not in taken)
        taken[place] = listed[place]
        waiting.reverse()
    return list(taken.values())


def tolerated(order: Order) -> Order:
    """Return an order in which infeasibility up to `TOLERATED` counts as none."""
    return (max(0.0, order[0] - TOLERATED), *order[1:])


def spread(portfolio: Sequence[Masking], tuned: Sequence[Masking] = ()) -> list[Masking]:
    """Return a portfolio's entries so that the first ones stand for all: methods in turn, the middle of each first."""
    # Entries of a method stand in the order of their parameters as a rule. They are taken by bisection, so that any
    # number of them is spread over the whole range. Where methods were tuned, the second of them has half as many turns
    # as the first one, the third a third, and so on.
    methods: dict[tuple[str, ...], list[Masking]] = {masking.methods: [] for masking in (*tuned, *portfolio)}
    for masking in portfolio:
        methods[masking.methods].append(masking)
    keyed = []
    for rank, entries in enumerate(filter(None, methods.values()), 1):
        weight = rank if tuned else 1
        keyed += [(turn * weight, rank, entries[place]) for turn, place in enumerate(bisected(len(entries)), 1)]
    return [masking for *_, masking in sorted(keyed, key=lambda one: one[:2])]


def bisected(size: int) -> list[int]:
    """Return all positions of a sequence, its middle first, then those of both halves, and so on."""

    def halves() -> Iterator[int]:
        waiting = [(0, size)]
        for first, end in waiting:
            if first < end:
                middle = (first + end) // 2
                yield middle
                waiting.extend([(first, middle), (middle + 1, end)])

    return list(halves())


Moves = Callable[[Candidate, float], list[Candidate]]  # gives what lies a step around a candidate

# Steps, as shares of a range, each with the draws on which candidates are compared.
LEVELS = ((1 / 8, 1), (1 / 16, 2), (1 / 32, 3), (1 / 64, 4))

REPEATS = 4  # how often a search moves on at the same step, at most
LEADERS = 3  # how many of the candidates around go on from one draw to all draws of a level


def neighbours(candidate: Candidate, step: float) -> list[Candidate]:
    """Return the candidates a step of one parameter away."""
    arm = candidate.arm
    found = (Candidate.at(arm, point) for point in arm.around(candidate.point, step))
    return list({one.key: one for one in found if one is not None and one.key != candidate.key}.values())


def refined(judge: Judge, start: Candidate, level: tuple[float, int], moves: Moves = neighbours) -> Search[Candidate]:
    """Move to better neighbours until none is better."""
    # All moves are compared on one draw; the steps of several parameters that were better are also tried together. The
    # leaders are then compared with the present candidate on all draws of the level, and on more of them where the
    # difference is less than its standard error.
    step, draws = level
    best = start
    for _ in range(REPEATS):
        around = moves(best, step)
        yield [(candidate, 0) for candidate in (best, *around)]
        both = combination(judge, best, around)
        if both is not None:
            yield [(both, 0)]
            around.append(both)
        leaders = leading(judge, around, LEADERS)
        if not leaders:
            return best
        yield [(candidate, draw) for candidate in (best, *leaders) for draw in range(draws)]
        challenger = min(leaders, key=lambda candidate: judge.order(candidate.key, draws))
        if not (yield from better(judge, challenger, best, draws)):
            return best
        best = challenger
    return best


def bisected_to_bound(judge: Judge, arm: Arm) -> bool:
    """Judge an arm from end to end of its first parameter, then bisect to the bounds; return whether it keeps them."""
    # Most methods lose more where they protect more, so that the least loss within the bounds stands where these are
    # reached.
    middle = tuple(min(one.spread(3), key=lambda share: abs(share - 0.5)) for one in arm.free[1:])

    def judged(share: float) -> Order:
        found = Candidate.at(arm, (share, *middle))
        if found is None:
            return UNKNOWN
        judge.judge([(found, 0)], as_given=True)
        return judge.order(found.key, 1)

    points = {share: judged(share) for share in (0.5, 0.0, 1.0)}
    inside = min((share for share, order in points.items() if order[0] == 0.0), key=points.__getitem__, default=None)
    beyond = [share for share, order in points.items() if 0.0 < order[0] < inf]
    if inside is None or not beyond:
        return inside is not None
    known = inside
    outside = min(beyond, key=lambda share: abs(share - known))
    for _ in range(HALVINGS):
        between = 0.5 * (inside + outside)
        if judged(between)[0] == 0.0:
            inside = between
        else:
            outside = between
    return True


def better(judge: Judge, challenger: Candidate, best: Candidate, draws: int) -> Search[bool]:
    """Return whether one candidate is better than another one, on further draws where they are close."""
    while judge.close(challenger.key, best.key) and draws < MOST_DRAWS and not judge.over:
        draws += 2
        yield [(candidate, draw) for candidate in (challenger, best) for draw in range(draws)]
    return judge.order(challenger.key, draws) < judge.order(best.key, draws)


def leading(judge: Judge, candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return the best of some candidates by their first draw; those that were refused or not judged are left out."""
    known = [(judge.order(candidate.key, 1), candidate) for candidate in candidates if judge.known(candidate.key, 1)]
    return [candidate for _, candidate in sorted(known, key=lambda pair: pair[0])[:count]]


def combination(judge: Judge, best: Candidate, around: Sequence[Candidate]) -> Candidate | None:
    """Return the candidate with all steps of single parameters that were better; None where fewer than two were."""
    reached: dict[int, tuple[Order, float]] = {}
    for candidate in around:
        if candidate.arm != best.arm:
            continue
        order = judge.order(candidate.key, 1)
        (place,) = (i for i, share in enumerate(candidate.point) if share != best.point[i])
        if order < min(judge.order(best.key, 1), reached.get(place, (judge.order(best.key, 1), 0.0))[0]):
            reached[place] = order, candidate.point[place]
    if len(reached) < 2:
        return None
    point = tuple(reached[i][1] if i in reached else share for i, share in enumerate(best.point))
    return Candidate.at(best.arm, point)


# Shares of the budget at which the phases end, where they have not ended before; the rest is for further draws.
UNTIL_GRID, UNTIL_RACE, UNTIL_ATTRIBUTES, UNTIL_CHAINS, UNTIL_LASTING = 0.35, 0.55, 0.72, 0.88, 0.96

# The same for the first point of every design, within a time that is too short for all points of the grids.
UNTIL_TURNS = 0.5

# The same for first points where constraints bound the file, and for bisecting designs to these bounds. Without a file
# within them the search would have to go there first, which takes it longer: bisecting may exceed the budget then.
UNTIL_FIRST, UNTIL_BOUND, UNTIL_WITHIN = 0.3, 0.6, 2.0

BISECTED, HALVINGS = 12, 4  # designs that are bisected at most, and how often
FOR_ALL = 2  # levels of the race that all arms take part in; then half of them go on each time
KEPT = 4  # arms that the race keeps to the end, at least; of as many, chains of two are made
BY_ATTRIBUTE = 3  # methods of which each attribute gets parameters of its own
CHAINS = 4  # chains that are refined
FINAL_DRAWS = 5  # draws on which the best of each row is judged in the end


def _methods(arms: Sequence[Arm]) -> set[str]:
    return {arm.steps[0].method for arm in arms}


class Course:
    """The phases of tuning, in their order."""

    def __init__(self, judge: Judge, arms: Sequence[Arm], first: Sequence[str] = ()) -> None:
        self.judge = judge
        self.first = first
        self.unusual = self._unusual(arms)
        self.promise = self._promise(arms)
        timed = judge.budget.seconds is not None
        self.lasting = [arm for arm in arms if timed and arm.dear and not self.promise[arm.steps[0].method]]
        self.arms = [arm for arm in arms if arm not in self.lasting]
        self.best: dict[str, Candidate] = {}

    def follow(self, portfolio: Sequence[Candidate]) -> None:
        """Go through all phases, with the entries of a portfolio as further candidates."""
        if self.judge.budget.seconds is not None:
            # Methods for files of another kind may take long here, and nothing interrupts compiled code.
            portfolio = [one for one in portfolio if not any(step.method in self.unusual for step in one.arm.steps)]
        short = bool(self.first) and self.judge.budget.seconds is not None
        if short:
            self.ladder()
        self.turns(() if short else portfolio)
        self.bound()
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
        """Judge each arm's first parameter (k of `mdav`, p of rank swapping) from end to end, before finer points."""
        # Within a time this goes first where a privacy model constrains, so that a short one at least tells which order
        # of magnitude of k is right. Classes are those of all attributes only where `mdav` takes these together, at the
        # end of the range of its group size.
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
        """Judge each arm's first point within a time, the most promising arms first: it may not be enough for grids."""
        # In turn with them comes what stands for a portfolio: where time ends soon, usual parameters are often better
        # than the middle of a wide range. A budget of evaluations keeps the order of the grids, so that what it finds
        # depends on no list of methods.
        if self.judge.budget.seconds is None:
            return
        arms = sorted(self.promising(), key=lambda arm: arm.steps[0].method not in self.first)
        if self.judge.problem.constraints:
            # Groups of people who look alike keep most bounds: one such file is there even where time is over soon.
            registry = self.judge.registry
            alike = {one.name for one in registry.specs("masking-method") if getattr(one, "guarantees", ())}
            alike |= {*registry.defaults("masking-method", "anonymity")}
            arms = [arm for arm in arms if arm.steps[0].method not in self.unusual]
            robust = [arm for arm in arms if arm.steps[0].method in alike and not arm.dear][:1]
            arms = [*robust, *(arm for arm in arms if arm not in robust)]
        firsts = [one for arm in arms if (one := first_of(arm)) is not None]
        turns = [one for one in chain.from_iterable(zip_longest(firsts, _spread(portfolio))) if one is not None]
        self._taken_in(turns, UNTIL_FIRST if self.judge.problem.constraints else UNTIL_TURNS)

    def bound(self) -> None:
        """Bisect the designs that promise most to the bounds, within a time."""
        ranked = self.ranked(self.best.values())
        within = any(self.judge.order(one.key)[0] == 0.0 for one in ranked)
        if self.judge.budget.seconds is None or not self.judge.problem.constraints:
            return
        leading = [one.arm for one in ranked if one.arm.free and not one.arm.dear]
        for arm in leading[:BISECTED]:
            with self.judge.until(UNTIL_BOUND if within else UNTIL_WITHIN):
                if self.judge.over:
                    break
                within = bisected_to_bound(self.judge, arm) or within
        self.lead([one for one in self.judge.candidates.values() if one.arm in leading])

    def _taken_in(self, candidates: Sequence[Candidate], until: float) -> None:
        """Judge candidates in this order until a share of the budget is spent, and record the best of each arm."""
        with self.judge.until(until):
            self.judge.judge(((one, 0) for one in candidates), as_given=True)
        self.lead([one for one in candidates if one.arm.steps])

    def promising(self) -> list[Arm]:
        """Return the arms, the most promising first."""
        return in_order_of_promise(self.arms, self.promise)

    def _unusual(self, arms: Sequence[Arm]) -> set[str]:
        """Return the methods that are for files of another kind."""
        others = COMPOSITIONS - {composition(self.judge.problem.genotype.microdata.original.schema)}
        usual = {
            name: COMPOSITIONS.intersection(self.judge.registry.spec("masking-method", name).default_for)
            for name in _methods(arms)
        }
        return {name for name, kinds in usual.items() if kinds and kinds <= others}

    def _promise(self, arms: Sequence[Arm]) -> dict[str, int]:
        """Return the promise of each method; 0 where it is for files of another kind."""
        implementation = self.judge.registry.implementation
        return {
            name: 0 if name in self.unusual else implementation("masking-method", name).promise
            for name in _methods(arms)
        }

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
        """Judge slow and unpromising candidates within a time limit: a single file may take as long as all others."""
        # Nothing is chained with it, or refined, so that nothing is lost by its coming last.
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
        """Judge the leader of each row on further draws, the best rows first, until each leader has enough draws."""
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
        """Return candidates in the order in which they are worth refining, the best first."""
        return leaders(candidates, lambda one: self.judge.order(one.key))


def first_of(arm: Arm) -> Candidate | None:
    """Return the candidate at the first point of an arm's grid at which anything is masked; None without any."""
    made = (Candidate.at(arm, point) for point in arm.coarse())
    return next((one for one in made if one is not None), None)


def _spread(portfolio: Sequence[Candidate]) -> list[Candidate]:
    """Return the entries of a portfolio so that the first ones stand for all."""
    of_masking = {id(one.masking): one for one in portfolio}
    return [of_masking[id(masking)] for masking in spread([one.masking for one in portfolio])]


def exchanges(candidate: Candidate, others: Sequence[Candidate]) -> list[Candidate]:
    """Return a candidate with one attribute masked by another method at its best, or not at all."""
    # Its steps mask one attribute each. Nothing is exchanged without others.
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
