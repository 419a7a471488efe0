import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc.engine.archive import Archive
from evosdc.model import Individual, Siblings
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


def siblings_of(members):
    """Return siblings of some IL, DR and infeasibility."""
    columns = dict(zip(("il", "dr", "infeasibility"), np.array(members, dtype=float).T, strict=True))
    made = Siblings(
        individual(0.0), ["random"] * len(members), members.__getitem__, lambda genome: repr(genome).encode()
    )
    made.judged(columns, [columns["il"] + columns["dr"]])
    return made


@given(st.lists(st.lists(st.tuples(*[st.integers(0, 9)] * 2, st.integers(0, 2)), min_size=1, max_size=30), max_size=5))
def test_siblings_make_the_front_that_their_members_make(families):
    whole, apart = Archive(most=5), Archive(most=5)
    for members in families:
        assert whole.update(siblings_of(members)) == apart.update(list(siblings_of(members)))
        assert [i.key for i in whole.individuals] == [i.key for i in apart.individuals]
        assert (whole.passed, whole.hypervolume) == (apart.passed, apart.hypervolume)


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


def breaking(infeasibility, il, dr):
    return Individual(None, f"{il} {dr}".encode(), {"il": il, "dr": dr, "infeasibility": infeasibility}, (il,), "given")


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


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=120), st.integers(4, 12))
def test_a_front_of_few_individuals_knows_what_all_of_them_dominate(points, most):
    given = [individual(il=float(a), dr=float(b), key=f"{n}") for n, (a, b) in enumerate(points)]
    whole, thinned = Archive(), Archive(most=most)
    assert [whole.update([i]) for i in given] == [thinned.update([i]) for i in given]
    assert len(thinned) == len(thinned.individuals) <= most
    assert len(thinned) + len(thinned.passed) == len(whole)
    assert thinned.hypervolume == whole.hypervolume
    everything, kept = set(whole.individuals), set(thinned.individuals)
    assert kept <= everything
    if points:
        assert {whole.individuals[0], whole.individuals[-1]} <= kept
    again = Archive(thinned.individuals, thinned.passed, most)
    assert (again.individuals, again.passed) == (thinned.individuals, thinned.passed)
    assert [again.update([i]) for i in given] == [[]] * len(given)


def test_a_front_lets_go_of_those_nearest_to_others():
    staircase = [(float(a), 100.0 - a) for a in (0, 10, 11, 12, 30, 31, 50, 90, 100)]
    archive = Archive((individual(il=a, dr=b, key=f"{a}") for a, b in staircase), most=8)
    # The one in the middle is the balanced one, and stays like both ends.
    assert [i.scores["il"] for i in archive.individuals] == [0.0, 12.0, 31.0, 50.0, 90.0, 100.0]


def test_the_balanced_member_of_a_front_stays_however_near_others_are():
    staircase = [(49.0 + a / 10, 51.0 - a / 10) for a in range(21)]
    archive = Archive(
        (individual(1.0, 1.0, il=a, dr=b, key=f"{a}") for a, b in [(0.0, 100.0), *staircase, (100.0, 0.0)]), most=12
    )
    assert min(max(i.point) for i in archive.individuals) == 50.0
