"""Pattern search on the parameters' own scales, which judges random methods on more draws the closer it looks."""

from collections.abc import Callable, Sequence

from evosdc.tuning.candidate import Candidate
from evosdc.tuning.judge import MOST_DRAWS, Judge
from evosdc.tuning.side_by_side import Search
from evosdc.tuning.trial import Order

Moves = Callable[[Candidate, float], list[Candidate]]
"""Gives what lies a step around a candidate."""

LEVELS = ((1 / 8, 1), (1 / 16, 2), (1 / 32, 3), (1 / 64, 4))
"""Steps, as shares of a range, each with the draws on which candidates are compared."""

REPEATS = 4
"""How often a search moves on at the same step, at most."""

LEADERS = 3
"""How many of the candidates around go on from one draw to all draws of a level."""


def neighbours(candidate: Candidate, step: float) -> list[Candidate]:
    """Return what lies a step of one parameter away."""
    arm = candidate.arm
    found = (Candidate.at(arm, point) for point in arm.around(candidate.point, step))
    return list({one.key: one for one in found if one is not None and one.key != candidate.key}.values())


def refined(judge: Judge, start: Candidate, level: tuple[float, int], moves: Moves = neighbours) -> Search[Candidate]:
    """Move to what is better a step away, until nothing is.

    All moves are compared on one draw; the steps of several parameters that were better are also tried together. The
    leaders are then compared with the present candidate on all draws of the level, and on more of them where the
    difference is less than its standard error.
    """
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
