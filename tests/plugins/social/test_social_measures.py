"""Measures of graphs against slow, obviously right ones, and by hand."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.errors import HierarchyError, ParameterError
from evosdc.plugins.registry import default_registry
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_social.graph import NEIGHBOURS, Neighbours, adjacency_texts, neighbours_in, neighbours_of, with_ties
from evosdc_social.level_vectors import LevelVectors, nearest_credit
from evosdc_social.losses import FittedNodeLoss, LevelLoss, PairLoss, ShareLoss, levels_between
from evosdc_social.risks import FittedNeighbourhoodRisk, FittedSemanticRisk, informed_credit, neighbourhoods
from evosdc_social.space import SemanticSpace, Tree, lists_in, space_of, tree_of
from tests.plugins.social.graphs import PLACES, place_attribute, places


def adjacency(original: Table, edges: Neighbours) -> FittedNodeLoss:
    return FittedNodeLoss(original, partial(PairLoss, neighbours=edges))


def published(space: SemanticSpace, *labels: str) -> Table:
    tree = space.trees[0]
    return space.table(np.array([[tree.labels.index(label)] for label in labels], dtype=np.int32))


def ancestors(tree: Tree, node: int) -> set[int]:
    """Return a node and all above it, by the hierarchy itself."""
    hierarchy = tree.attribute.hierarchy
    assert hierarchy is not None
    if node == len(tree.labels):
        return {node, tree.root}
    label = tree.labels[node]
    for leaf, levels in zip(hierarchy.leaves, hierarchy.levels, strict=True):
        row = (leaf, *levels)
        if label in row:
            last = len(row) - 1 - row[::-1].index(label)
            return {tree.labels.index(one) for one in (label, *row[last:])}
    raise AssertionError(label)


def below(tree: Tree, node: int) -> list[int]:
    """Return the categories below a node; for a missing value itself."""
    if node == len(tree.labels):
        return [tree.leaves]
    return [leaf for leaf in range(tree.leaves) if node in ancestors(tree, leaf)]


def distance(tree: Tree, leaf: int, node: int) -> float:
    """Return the level of the lowest common ancestor over the height."""
    if leaf == node:
        return 0.0
    common = ancestors(tree, leaf) & ancestors(tree, node)
    return min(float(tree.level[one]) for one in common) / tree.height


class TestByHand:
    """Four users in two places, one edge inside each and one between them."""

    original = places("Leeds", "York", "Rome", "Pisa")
    edges = neighbours_of(4, np.array([0, 2, 1]), np.array([1, 3, 2]))
    space = space_of(original)

    def test_distances(self) -> None:
        tree = self.space.trees[0]
        assert tree.height == 3
        found = [distance(tree, 0, tree.labels.index(label)) for label in ("Leeds", "York", "Yorkshire", "Bath", "*")]
        assert found == [0.0, 1 / 3, 1 / 3, 2 / 3, 1.0]

    def test_semantic_dbil(self) -> None:
        fitted = FittedNodeLoss(self.original, LevelLoss)
        assert fitted.score(published(self.space, "Yorkshire", "Yorkshire", "Italy", "Pisa")) == pytest.approx(
            100 * (1 + 1 + 2 + 0) / 3 / 4
        )

    def test_cdil(self) -> None:
        fitted = FittedNodeLoss(self.original, ShareLoss)
        # Leeds and York are one half each of Yorkshire; of England Bath and Wells have a quarter each.
        assert fitted.score(published(self.space, "Yorkshire", "Yorkshire", "Rome", "Pisa")) == 0.0
        assert fitted.score(published(self.space, "England", "England", "Rome", "Pisa")) == pytest.approx(25.0)

    def test_aamil(self) -> None:
        fitted = adjacency(self.original, self.edges)
        # Leeds-York becomes Yorkshire-Yorkshire: Leeds-Leeds and York-York have a quarter each, Leeds-York a half;
        # York-Rome becomes a half each of York-Rome and Leeds-Rome. A half of two of three edges is lost.
        assert fitted.score(published(self.space, "Yorkshire", "Yorkshire", "Rome", "Pisa")) == pytest.approx(100 / 3)

    def test_semantic_risk(self) -> None:
        fitted = FittedSemanticRisk(self.original, {})
        # Two are nearest for each of the first, one for each of the others.
        assert fitted.score(published(self.space, "Yorkshire", "Yorkshire", "Rome", "Pisa")) == pytest.approx(75.0)
        # Rome and Pisa have exchanged their places: each finds the other.
        assert fitted.score(published(self.space, "Leeds", "York", "Pisa", "Rome")) == pytest.approx(50.0)

    def test_the_informed_intruder_sees_through_an_exchange(self) -> None:
        leaves = self.space.nodes(self.original)
        swapped = leaves[[0, 1, 3, 2]]
        assert informed_credit(leaves, swapped).tolist() == [1.0, 1.0, 1.0, 1.0]

    def test_neighbours_tell_apart_who_publishes_the_same(self) -> None:
        fitted = FittedNeighbourhoodRisk(self.original, self.edges, {})
        everything_alike = published(self.space, "*", "*", "*", "*")
        # A path: both ends have one neighbour, both others two.
        assert fitted.score(everything_alike) == pytest.approx(50.0)


def test_labels_are_shared_by_all_leaves_of_the_tree() -> None:
    """Nobody is in York, Bath or Wells, and yet each is a quarter of England, whether a category or not."""
    present = ("Leeds", "Rome")
    attribute = Attribute("place", Role.QUASI_IDENTIFIER, Scale.NOMINAL, present, PLACES)
    original = Table(Schema((attribute,)), np.array([[0], [0], [1], [1]], dtype=np.int32), np.empty((4, 0)))
    edges = neighbours_of(4, np.array([0, 2]), np.array([1, 3]))
    space = space_of(original)
    masked = published(space, "England", "England", "Rome", "Rome")
    # Leeds keeps half a user of two; of its edge a sixteenth.
    assert FittedNodeLoss(original, ShareLoss).score(masked) == pytest.approx(100 * 1.5 / 4)
    assert adjacency(original, edges).score(masked) == pytest.approx(100 * (15 / 16) / 2)
    whole = places("Leeds", "Leeds", "Rome", "Rome")
    same = published(space_of(whole), "England", "England", "Rome", "Rome")
    assert FittedNodeLoss(whole, ShareLoss).score(same) == FittedNodeLoss(original, ShareLoss).score(masked)
    assert adjacency(whole, edges).score(same) == FittedNodeLoss(original, partial(PairLoss, neighbours=edges)).score(
        masked
    )


def test_lists_are_known_by_their_names() -> None:
    assert lists_in(["topics_1", "place", "topics_2", "x_2", "y_1"]) == {"topics": ("topics_1", "topics_2")}


def test_members_of_a_list_share_a_weight() -> None:
    columns = tuple(Attribute(n, Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("a", "b")) for n in ("t_1", "t_2"))
    table = Table(Schema((place_attribute(), *columns)), np.zeros((1, 3), dtype=np.int32), np.empty((1, 0)))
    plain, weighted = space_of(table), space_of(table, {"place": 2})
    assert (plain.costs * plain.heights).tolist() == [2 * plain.unit // 2, plain.unit // 2, plain.unit // 2]
    assert weighted.costs[0] / weighted.unit == 2 * plain.costs[0] / plain.unit
    with pytest.raises(ParameterError, match="town = 1"):
        space_of(table, {"town": 1})


def test_a_label_at_several_levels_is_one_node_and_a_category_above_others_is_passed_over() -> None:
    rows = {
        "a": ("north", "north", "*"),
        "b": ("north", "north", "*"),
        "c": ("a", "south", "*"),
        "d": ("a", "south", "*"),
    }
    hierarchy = Hierarchy(tuple(rows), tuple(rows.values()))
    tree = tree_of(Attribute("x", scale=Scale.NOMINAL, categories=("a", "b", "c", "d"), hierarchy=hierarchy))
    assert tree.labels == ("a", "b", "c", "d", "north", "south", "*")
    assert tree.level[4:7].tolist() == [2, 2, 3]
    assert tree.up[2].tolist() == [2, 5, 5, 6], "the county called like a town stands for the towns below it no longer"


def test_a_label_at_several_levels_counts_at_the_highest_once_published() -> None:
    rows = {"a": ("city", "city", "*"), "b": ("city", "city", "*"), "c": ("shire", "county", "*")}
    hierarchy = Hierarchy(tuple(rows), tuple(rows.values()))
    tree = tree_of(Attribute("x", scale=Scale.NOMINAL, categories=("a", "b", "c"), hierarchy=hierarchy))
    city = tree.labels.index("city")
    assert levels_between(tree, np.array([0], np.int32), np.array([1], np.int32)).tolist() == [1], "users meet at once"
    assert levels_between(tree, np.array([0], np.int32), np.array([city], np.int32)).tolist() == [2]


def test_a_leaf_that_nobody_has_is_no_label_of_others() -> None:
    rows = {"York": ("Leeds", "Yorkshire", "*"), "Hull": ("Leeds", "Yorkshire", "*"), "Leeds": ("x", "Yorkshire", "*")}
    hierarchy = Hierarchy(tuple(rows), tuple(rows.values()))
    tree = tree_of(Attribute("x", scale=Scale.NOMINAL, categories=("York", "Hull"), hierarchy=hierarchy))
    assert tree.labels == ("York", "Hull", "Yorkshire", "*")
    assert tree.sizes.tolist() == [1, 1, 3, 3, 0]


def test_a_category_that_the_tree_lacks() -> None:
    with pytest.raises(HierarchyError, match="no line for 'Paris'"):
        tree_of(Attribute("place", scale=Scale.NOMINAL, categories=("Leeds", "Paris"), hierarchy=PLACES))


def test_neighbours_survive_other_orders_and_lacking_records() -> None:
    edges = neighbours_of(4, np.array([0, 0, 2]), np.array([1, 3, 3]))
    column = Attribute(NEIGHBOURS, Role.DROP, Scale.NOMINAL, adjacency_texts(edges))
    whole = Table(Schema((column,)), np.arange(4, dtype=np.int32)[:, None], np.empty((4, 0)))
    part = neighbours_in(whole.take(np.array([3, 0, 1])))
    assert [part.ends[part.starts[i] : part.starts[i + 1]].tolist() for i in range(3)] == [[1], [0, 2], [1]]
    with pytest.raises(ParameterError, match="a file without neighbours"):
        neighbours_in(places("Leeds"))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, Table, Neighbours, SemanticSpace]:
    """Draw an original, anything published of it, and edges."""
    n = draw(st.integers(1, 9))
    attributes = (
        place_attribute(),
        Attribute("topic", Role.QUASI_IDENTIFIER, Scale.ORDINAL, ("a", "b", "c", "d", "e")),
    )
    codes = draw(st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 4)), min_size=n, max_size=n))
    original = Table(Schema(attributes), np.array(codes, dtype=np.int32), np.empty((n, 0)))
    space = space_of(original, {"topic": draw(st.integers(1, 3))})
    sizes = [len(tree.labels) for tree in space.trees]
    nodes = draw(st.lists(st.tuples(*(st.integers(0, size) for size in sizes)), min_size=n, max_size=n))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=12))
    ends = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return original, space.table(np.array(nodes, dtype=np.int32)), neighbours_of(n, ends[:, 0], ends[:, 1]), space


@settings(max_examples=25, deadline=None)
@given(tables())
def test_measures_equal_slow_ones(drawn: tuple[Table, Table, Neighbours, SemanticSpace]) -> None:
    original, masked, edges, space = drawn
    n = len(original)
    leaves, nodes = space.nodes(original), space.nodes(masked)
    distances, distributions, adjacencies = [], [], []
    for v, tree in enumerate(space.trees):
        distances.append(np.mean([distance(tree, leaves[r, v], nodes[r, v]) for r in range(n)]))
        before, after = np.zeros(tree.leaves + 1), np.zeros(tree.leaves + 1)
        for r in range(n):
            before[below(tree, leaves[r, v])[0]] += 1
            spread = below(tree, nodes[r, v])
            after[spread] += 1 / len(spread)
        distributions.append(np.abs(before - after).sum() / 2 / n)
        one, other = np.zeros((tree.leaves + 1,) * 2), np.zeros((tree.leaves + 1,) * 2)
        for u, w in zip(edges.users, edges.ends, strict=True):
            one[below(tree, leaves[u, v])[0], below(tree, leaves[w, v])[0]] += 1
            left, right = below(tree, nodes[u, v]), below(tree, nodes[w, v])
            other[np.ix_(left, right)] += 1 / len(left) / len(right)
        adjacencies.append(np.abs(one - other).sum() / 2 / max(one.sum(), 1))
    assert FittedNodeLoss(original, LevelLoss).score(masked) == pytest.approx(100 * np.mean(distances))
    assert FittedNodeLoss(original, ShareLoss).score(masked) == pytest.approx(100 * np.mean(distributions))
    assert adjacency(original, edges).score(masked) == pytest.approx(100 * np.mean(adjacencies))


@settings(max_examples=25, deadline=None)
@given(tables())
def test_risks_equal_slow_ones(drawn: tuple[Table, Table, Neighbours, SemanticSpace]) -> None:
    original, masked, edges, space = drawn
    n = len(original)
    leaves, nodes = space.nodes(original), space.nodes(masked)
    trees = list(enumerate(space.trees))
    apart = np.array(
        [
            [
                sum(space.costs[v] * round(t.height * distance(t, leaves[i, v], nodes[j, v])) for v, t in trees)
                for j in range(n)
            ]
            for i in range(n)
        ]
    )
    around = [
        sorted(tuple(nodes[w].tolist()) for w in edges.ends[edges.starts[u] : edges.starts[u + 1]]) for u in range(n)
    ]
    seen = neighbourhoods(edges, nodes)
    assert all((seen[i] == seen[j]) == (around[i] == around[j]) for i, j in product(range(n), repeat=2))
    nearest, near_alike = [], []
    for i in range(n):
        ties = np.flatnonzero(apart[i] == apart[i].min())
        nearest.append(1 / len(ties) if i in ties else 0.0)
        alike = [j for j in range(n) if around[i] == around[j]]
        ties = [j for j in alike if apart[i, j] == apart[i, alike].min()]
        near_alike.append(1 / len(ties) if i in ties else 0.0)
    assert nearest_credit(LevelVectors(space, "test"), leaves, nodes) == pytest.approx(nearest)
    fitted = FittedSemanticRisk(original, {"topic": int(space.costs[1] * space.heights[1] // space.unit)})
    assert fitted.track(masked).score == pytest.approx(100 * np.mean(nearest))
    joint = [np.zeros((len(t.labels) + 1,) * 2) for _, t in trees]
    for v, _ in trees:
        np.add.at(joint[v], (leaves[:, v], nodes[:, v]), 1)
    informed, informed_alike = [], []
    for j in range(n):
        with np.errstate(divide="ignore"):
            likely = [
                sum(np.log(joint[v][leaves[i, v], nodes[j, v]] / joint[v][leaves[i, v]].sum()) for v, _ in trees)
                for i in range(n)
            ]
        best = [i for i in range(n) if likely[i] >= max(likely) - 1e-9]
        informed.append(1 / len(best) if j in best else 0.0)
        alike = [i for i in range(n) if around[i] == around[j]]
        best = [i for i in alike if likely[i] >= max(likely[i] for i in alike) - 1e-9]
        informed_alike.append(1 / len(best) if j in best else 0.0)
    assert informed_credit(leaves, nodes) == pytest.approx(informed)
    guess = [1 / sum(around[i] == around[j] for i in range(n)) for j in range(n)]
    weights = {"topic": int(space.costs[1] * space.heights[1] // space.unit)}
    ways = [np.mean(way) for way in (informed_alike, near_alike, guess, informed)]
    found = FittedNeighbourhoodRisk(original, edges, weights).score(masked)
    assert found == pytest.approx(100 * max(ways))


def ring(n: int) -> tuple[Table, Neighbours]:
    """Return users in a circle, who live anywhere."""
    rng, users = np.random.default_rng(1), np.arange(n)
    return places(*rng.choice(PLACES.leaves, n).tolist()), neighbours_of(n, users, (users + 1) % n)


@pytest.mark.parametrize("shift", range(1, 6))
def test_exchanged_labels_hide_nobody_from_one_who_knows_neighbours(shift: int) -> None:
    original, edges = ring(400)
    fitted = FittedNeighbourhoodRisk(original, edges, {})
    exchanged = Table(original.schema, (original.codes + shift) % len(PLACES.leaves), np.empty((400, 0)))
    assert fitted.score(exchanged) == fitted.score(original) > 20.0
    informed = 100 * informed_credit(fitted.leaves, fitted.space.nodes(exchanged)).mean()
    assert fitted.score(exchanged) >= informed


def test_a_ring_of_one_label_hides_everybody() -> None:
    original, edges = ring(400)
    hidden = published(space_of(original), *["*"] * 400)
    assert FittedNeighbourhoodRisk(original, edges, {}).score(hidden) == pytest.approx(100 / 400)


class TestTies:
    """What published edges tell besides who is connected: directions, repetitions, self-loops."""

    @pytest.mark.parametrize("directed", [True, False])
    @pytest.mark.parametrize(
        ("sources", "targets"), [([0, 1, 2], [1, 2, 0]), ([0, 0, 1, 2], [1, 1, 2, 0]), ([0, 1, 2, 2], [1, 2, 0, 2])]
    )
    def test_they_stand_in_the_texts(self, directed: bool, sources: list[int], targets: list[int]) -> None:
        edges = with_ties(3, np.array(sources), np.array(targets), directed)
        column = Attribute(NEIGHBOURS, Role.DROP, Scale.NOMINAL, adjacency_texts(edges))
        whole = Table(Schema((column,)), np.arange(3, dtype=np.int32)[:, None], np.empty((3, 0)))
        again = neighbours_in(whole)
        assert again.ends.tolist() == edges.ends.tolist()
        assert (again.ties is None) == (edges.ties is None)
        if edges.ties is not None and again.ties is not None:
            assert again.ties.tolist() == edges.ties.tolist()
            assert again.loops is not None
            assert again.loops.tolist() == edges.loops.tolist()
        assert adjacency_texts(neighbours_in(whole.take(np.array([2, 0, 1]))))[1].count(".") in (0, 4)

    def test_each_of_them_tells_users_apart(self) -> None:
        circle = np.array([0, 1, 2]), np.array([1, 2, 0])
        nodes = np.zeros((3, 1), dtype=np.int32)
        assert len({*neighbourhoods(with_ties(3, *circle, False), nodes).tolist()}) == 1
        one_way = np.array([0, 0, 1]), np.array([1, 2, 2])
        twice = np.array([0, 0, 1, 2]), np.array([1, 1, 2, 0])
        loop = np.array([0, 1, 2, 2]), np.array([1, 2, 0, 2])
        assert len({*neighbourhoods(with_ties(3, *circle, True), nodes).tolist()}) == 1
        assert len({*neighbourhoods(with_ties(3, *one_way, True), nodes).tolist()}) == 3
        assert len({*neighbourhoods(with_ties(3, *twice, False), nodes).tolist()}) == 2
        assert len({*neighbourhoods(with_ties(3, *loop, False), nodes).tolist()}) == 2


def test_measures_without_edges_say_what_they_want() -> None:
    measure = default_registry().build("measure", "aamil", {})
    with pytest.raises(ParameterError, match="Give the graph itself"):
        measure.fit(places("Leeds", "York"))


def test_large_trees_list_pairs_and_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    original = places(*rng.choice(PLACES.leaves, 40).tolist())
    space = space_of(original)
    edges = neighbours_of(40, rng.integers(0, 40, 90), rng.integers(0, 40, 90))
    masked = space.table(rng.integers(0, len(space.trees[0].labels) + 1, (40, 1)).astype(np.int32))
    dense = adjacency(original, edges).score(masked)
    monkeypatch.setattr("evosdc_social.losses.DENSE", 0)
    assert adjacency(original, edges).score(masked) == pytest.approx(dense, abs=1e-12)


def test_labels_of_no_tree_are_told_by_attribute_and_record() -> None:
    original = places("Leeds", "York", "Rome")
    foreign = Attribute("place", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("Leeds", "Atlantis"))
    masked = Table(Schema((foreign,)), np.array([[0], [0], [1]], dtype=np.int32), np.empty((3, 0)))
    with pytest.raises(ParameterError, match=r"place: given 1 labels .* record 3") as caught:
        space_of(original).nodes(masked)
    assert "Atlantis" not in str(caught.value)
