from hypothesis import given
from hypothesis import strategies as st

from evosdc.engine.archive import Archive
from evosdc.model import Individual
from tests.engine.individuals import individual

POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40)


def dominated(point, points):
    return any(other != point and other[0] <= point[0] and other[1] <= point[1] for other in points)


@given(POINTS)
def test_front_is_that_of_a_plain_search(points):
    archive = Archive(individual(il=float(a), dr=float(b), key=f"{n}") for n, (a, b) in enumerate(points))
    found = [(i.scores["il"], i.scores["dr"]) for i in archive.individuals]
    assert found == sorted({(float(a), float(b)) for a, b in points if not dominated((a, b), points)})


@given(POINTS, st.randoms(use_true_random=False))
def test_front_does_not_depend_on_the_order(points, rnd):
    shuffled = points.copy()
    rnd.shuffle(shuffled)
    fronts = [
        [(i.scores["il"], i.scores["dr"]) for i in Archive(individual(il=a, dr=b) for a, b in order).individuals]
        for order in (points, shuffled)
    ]
    assert fronts[0] == fronts[1]


def test_update_says_whether_the_front_changed():
    archive = Archive([individual(il=1.0, dr=1.0)])
    assert not archive.update([individual(il=1.0, dr=1.0), individual(il=2.0, dr=1.0)])
    assert archive.update([individual(il=2.0, dr=0.5)])
    assert len(archive) == 2


def test_without_il_and_dr_the_objectives_make_the_front():
    archive = Archive([individual(3.0), individual(2.0), individual(4.0)])
    assert [i.objectives for i in archive.individuals] == [(2.0,)]


TRIPLES = st.lists(st.tuples(*[st.integers(0, 4)] * 3), max_size=30)


@given(TRIPLES)
def test_a_front_of_three_objectives_is_that_of_a_plain_search(points):
    archive = Archive(individual(*point, key=f"{n}") for n, point in enumerate(points))

    def beaten(point):
        return any(o != point and all(a <= b for a, b in zip(o, point, strict=True)) for o in points)

    assert [i.objectives for i in archive.individuals] == sorted({p for p in points if not beaten(p)})


def breaking(violation, il, dr):
    return Individual(None, f"{il} {dr}".encode(), {"il": il, "dr": dr, "infeasibility": violation}, (il,), "given")


def test_only_those_that_break_the_constraints_least_stay():
    archive = Archive([breaking(0.5, 1.0, 9.0), breaking(0.5, 9.0, 1.0), breaking(0.7, 0.0, 0.0)])
    assert len(archive) == 2
    assert archive.hypervolume == 0.0, "nothing that may be published"
    assert archive.update([breaking(0.2, 50.0, 50.0)])
    assert archive.update([breaking(0.0, 60.0, 60.0)])
    assert not archive.update([breaking(0.1, 1.0, 1.0)])
    assert [i.scores["il"] for i in archive.individuals] == [60.0]
    assert archive.hypervolume == 16.0


def test_the_hypervolume_is_that_of_the_present_front():
    archive = Archive([individual(il=50.0, dr=50.0)])
    assert archive.hypervolume == 25.0
    archive.update([individual(il=0.0, dr=90.0)])
    assert archive.hypervolume == 30.0
    assert Archive([individual(3.0)]).hypervolume is None
