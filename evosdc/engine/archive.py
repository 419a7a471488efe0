"""The Pareto front of all candidates ever evaluated, and its hypervolume."""

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Individual, Siblings

REFERENCE = 100.0  # coordinates of the reference point: the worst value of IL, DR and measures of 0..100


def hypervolume(points: Iterable[tuple[float, ...]], reference: float = REFERENCE) -> float:
    """Return the share of the box between 0 and the reference point that a front dominates, in percent."""
    # Exact, by moocore. Points at or beyond the reference in any coordinate count nothing; negative coordinates add to
    # what lies in the box.
    import moocore  # late: it takes a while, and a search by one number has no front

    front = np.array(list(points), dtype=np.float64)
    return 100.0 * float(moocore.hypervolume(front, ref=reference)) / reference ** front.shape[1] if front.size else 0.0


Point = tuple[float, ...]
MOST_MEMBERS = 1000  # How many individuals a front keeps; beyond, it keeps points alone


class Archive:
    """Non-dominated individuals under `Individual.point`; of equals the first stays."""

    # Where constraints are broken, only those stay that break them least: the first feasible candidate drives all
    # others out. Fronts of two objectives are kept as a staircase, which is searched by bisection:

    def __init__(
        self, individuals: Iterable[Individual] = (), passed: Iterable[Point] = (), most: int = MOST_MEMBERS
    ) -> None:
        # All points in order, of a staircase its coordinates, and what each step adds to the hypervolume; then those
        # that have an individual, and those that have none any more.
        self._points: list[Point] = []
        self._staircase = _staircase(())
        self._areas: list[float] = []
        self._kept: list[Point] = []
        self._members: list[Individual] = []
        self._passed: list[Point] = []
        self._most = most
        self._infeasibility = float("inf")
        self._hypervolume: float | None = None
        self.update(list(individuals))
        self._passed = sorted(passed)
        self._points = sorted([*self._points, *self._passed])
        self._areas = [self._area(place) for place in range(len(self._points))]
        self._staircase = _staircase(self._points)

    def update(self, individuals: Sequence[Individual]) -> list[int]:
        """Take in evaluated individuals; return the places of those that entered the front, some for a moment only."""
        entered = []
        for place, infeasibility, point in self._standing_out(individuals):
            if infeasibility > self._infeasibility:
                continue
            if infeasibility < self._infeasibility:
                self._points, self._areas, self._kept, self._members, self._passed = [], [], [], [], []
                self._staircase = _staircase(())
                self._infeasibility = infeasibility
            if self._reached(point):
                continue
            self._enter(point, individuals[place])
            entered.append(place)
            if len(self._members) > self._most:
                self._thin()
        if entered:
            self._hypervolume = None
        return entered

    def _standing_out(self, individuals: Sequence[Individual]) -> Iterable[tuple[int, float, Point]]:
        """Return places, infeasibility and points of individuals, without siblings that the front dominates."""
        # Most children of a good file are dominated: many at once take a tenth of the time.
        if not isinstance(individuals, Siblings):
            return [(place, one.infeasibility, one.point) for place, one in enumerate(individuals)]
        broken, points = individuals.infeasibility, individuals.points
        standing = np.ones(len(individuals), dtype=np.bool_)
        # The first that breaks constraints less begins a new front, for all that come after it.
        if self._points and len(self._points[0]) == 2 and broken.min() >= self._infeasibility:
            # Views, which are gone when this ends: while there are any, no step can be put in.
            firsts, seconds = (np.frombuffer(along) for along in self._staircase)
            ahead = np.searchsorted(firsts, points[:, 0], side="right") - 1
            standing = ~((ahead >= 0) & (seconds[ahead] <= points[:, 1])) & (broken == self._infeasibility)
        places = np.flatnonzero(standing)
        listed = zip(places.tolist(), broken[places].tolist(), points[places].tolist(), strict=True)
        return [(place, infeasibility, tuple(point)) for place, infeasibility, point in listed]

    def _reached(self, point: Point) -> bool:
        """Whether a point is on the front already, or dominated by one there."""
        points = self._points
        position = bisect_right(points, point)
        if len(point) == 2:
            # Along a staircase of two objectives the second falls while the first rises.
            return position > 0 and points[position - 1][1] <= point[1]
        # A point that dominates another one comes before it in the order of tuples.
        return any(all(a <= b for a, b in zip(other, point, strict=True)) for other in points[:position])

    def _enter(self, point: Point, individual: Individual) -> None:
        points = self._points
        if len(point) == 2:
            begin = end = bisect_left(points, point)
            while end < len(points) and points[end][1] >= point[1]:
                end += 1
            beaten = range(begin, end)
        else:
            beaten = [  # type: ignore[assignment]
                place
                for place in range(bisect_right(points, point), len(points))
                if all(a <= b for a, b in zip(point, points[place], strict=True))
            ]
        for place in reversed(beaten):
            self._remove(place)
        place = bisect_left(points, point)
        points.insert(place, point)
        if len(point) == 2:
            for along, coordinate in zip(self._staircase, point, strict=True):
                along.insert(place, coordinate)
        among = bisect_left(self._kept, point)
        self._kept.insert(among, point)
        self._members.insert(among, individual)
        self._areas.insert(place, self._area(place))
        if place + 1 < len(points):
            self._areas[place + 1] = self._area(place + 1)

    def _remove(self, place: int) -> None:
        point = self._points[place]
        among = bisect_left(self._kept, point)
        if self._kept[among : among + 1] == [point]:
            del self._kept[among], self._members[among]
        else:
            del self._passed[bisect_left(self._passed, point)]
        if len(point) == 2:
            for along in self._staircase:
                del along[place]
        del self._points[place], self._areas[place]

    def _area(self, place: int) -> float:
        """Return the volume that a step of a staircase adds to the steps before it, within the box."""
        if len(self._points[place]) != 2:
            return 0.0
        first, second = self._points[place]
        above = min(REFERENCE, self._points[place - 1][1]) if place else REFERENCE
        return max(0.0, REFERENCE - first) * max(0.0, above - second)

    def _thin(self) -> None:
        points = np.array(self._kept)
        best = min(range(len(points)), key=lambda place: self._members[place].precedence)
        fixed = {best, *points.argmin(axis=0).tolist()}
        for place in sorted(crowded(points, self._most - self._most // 4, fixed), reverse=True):
            insort(self._passed, self._kept[place])
            del self._kept[place], self._members[place]

    @property
    def individuals(self) -> tuple[Individual, ...]:
        """The front, by increasing first coordinate, without those let go."""
        return tuple(self._members)

    @property
    def passed(self) -> tuple[Point, ...]:
        """Points of the front whose individuals were dropped."""
        return tuple(self._passed)

    @property
    def hypervolume(self) -> float | None:
        """What the front dominates, in percent (`evosdc.engine.archive`)."""
        # None with one objective alone, or more than three; 0 while no candidate fulfils the constraints.
        if not self._points or not 2 <= len(self._points[0]) <= MOST_DIMENSIONS:
            return None
        if self._hypervolume is None:
            # It is read in nearly every generation: few steps change, and the sum runs over all in one order.
            plane = len(self._points[0]) == 2
            volume = 100.0 * sum(self._areas) / REFERENCE**2 if plane else hypervolume(self._points)
            self._hypervolume = volume if self._infeasibility == 0.0 else 0.0
        return self._hypervolume

    def __len__(self) -> int:
        return len(self._members)


def _staircase(points: Sequence[Point]) -> "tuple[array[float], array[float]]":
    """Return both coordinates of the steps of a staircase; nothing of points that have not two."""
    steps = [point for point in points if len(point) == 2]
    return array("d", [first for first, _ in steps]), array("d", [second for _, second in steps])


MOST_DIMENSIONS = 3  # The exact hypervolume of a large front of more objectives takes longer than the search itself


def crowded(points: NDArray[np.float64], keep: int, fixed: Collection[int]) -> list[int]:
    """Return the points to drop so that `keep` remain: repeatedly the one nearest to another one."""
    extent = np.ptp(points, axis=0)
    apart = np.zeros((len(points), len(points)))
    for own in (points / np.where(extent > 0.0, extent, 1.0)).T:
        gap = np.subtract.outer(own, own)
        apart += np.multiply(gap, gap, out=gap)
    np.fill_diagonal(np.sqrt(apart, out=apart), np.inf)
    nearest = apart.min(axis=1)
    going: list[int] = []
    stays = np.zeros(len(points), dtype=np.bool_)
    stays[list(fixed)] = True
    while len(points) - len(going) > max(keep, len(fixed)):
        i = int(np.where(stays, np.inf, nearest).argmin())
        going.append(i)
        stays[i] = True  # it is gone already
        affected = apart[i] == nearest
        apart[i] = apart[:, i] = np.inf
        nearest[affected] = apart[affected].min(axis=1)
    return going
