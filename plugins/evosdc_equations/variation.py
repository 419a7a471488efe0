"""Variation of trees (thesis, 2.2.2), in DEAP's conventions: a tree is changed in place and returned in a tuple.

Draws come from the global `random`: call the operators inside `evosdc.secret.lent`, on trees of one's own.
"""

import random
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from deap import gp

from evosdc_equations.generation import grown
from evosdc_equations.primitives import NUMBER, drawn_constant

Mutation = Callable[[gp.PrimitiveTree, gp.PrimitiveSetTyped, int], tuple[gp.PrimitiveTree]]
"""Given a tree, the set and the depth limit; returns the tree, which is never deeper than the limit."""


def point(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int) -> tuple[gp.PrimitiveTree]:
    """Change one node to another of the same class: a function of the same arity, or a terminal."""
    position = random.randrange(len(tree))
    node = tree[position]
    if node.arity:
        others = [p for p in pset.primitives[NUMBER] if p.arity == node.arity and p.name != node.name]
        if others:
            tree[position] = random.choice(others)
    else:
        tree[position] = _terminal(pset, node)
    return (tree,)


def hoist(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int) -> tuple[gp.PrimitiveTree]:
    """Return a copy of a random subtree, smaller than the tree, as a new tree."""
    if len(tree) == 1:
        return (tree,)
    return (gp.PrimitiveTree(tree[tree.searchSubtree(random.randrange(1, len(tree)))]),)


def subtree(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int) -> tuple[gp.PrimitiveTree]:
    """Replace a random subtree by a new one that fits the depth limit."""
    return _replaced(tree, pset, limit, random.randrange(len(tree)), least=0)


def collapse(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int) -> tuple[gp.PrimitiveTree]:
    """Replace a random subtree that is not a terminal by a terminal."""
    functions = [i for i, node in enumerate(tree) if node.arity]
    if functions:
        place = tree.searchSubtree(random.choice(functions))
        tree[place] = [_terminal(pset, None)]
    return (tree,)


def expansion(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int) -> tuple[gp.PrimitiveTree]:
    """Replace a random terminal above the depth limit by a new subtree."""
    depths = node_depths(tree)
    terminals = [i for i, node in enumerate(tree) if not node.arity and depths[i] < limit]
    return _replaced(tree, pset, limit, random.choice(terminals), least=1) if terminals else (tree,)


def constant(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int) -> tuple[gp.PrimitiveTree]:
    """Move one constant by a tenth of its size, or draw it anew; an addition to the thesis's five operators."""
    numbers = [i for i, node in enumerate(tree) if not node.arity and not isinstance(node.value, str)]
    if numbers:
        position = random.choice(numbers)
        old = tree[position].value
        moved = old + random.gauss(0.0, 0.1 * max(abs(old), 0.1)) if random.random() < 0.8 else drawn_constant()
        tree[position] = gp.Terminal(round(min(max(moved, -1e6), 1e6), 4) + 0.0, False, NUMBER)
    return (tree,)


MUTATIONS: dict[str, Mutation] = {
    "point": point,
    "hoist": hoist,
    "subtree": subtree,
    "collapse": collapse,
    "expansion": expansion,
    "constant": constant,
}


def depth_limited(operator: Callable[..., Any], depth: int, nodes: int) -> Callable[..., Any]:
    """Return an operator under DEAP's static limits: a child too deep or too large becomes one of its parents."""
    shallow = gp.staticLimit(attrgetter("height"), depth)(operator)
    return gp.staticLimit(len, nodes)(shallow)  # type: ignore[no-any-return]


def node_depths(tree: gp.PrimitiveTree) -> list[int]:
    """Return the depth of every node, 0 for the root."""
    pending, depths = [0], []
    for node in tree:
        depth = pending.pop()
        depths.append(depth)
        pending.extend([depth + 1] * node.arity)
    return depths


def _replaced(
    tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int, position: int, least: int
) -> tuple[gp.PrimitiveTree]:
    room = min(limit - node_depths(tree)[position], NEW_DEPTH)
    tree[tree.searchSubtree(position)] = list(grown(pset, random.randint(min(least, room), room), least))
    return (tree,)


NEW_DEPTH = 4
"""Greatest depth of a new subtree."""


def _terminal(pset: gp.PrimitiveSetTyped, other_than: gp.Terminal | None) -> gp.Terminal:
    """Return a random terminal with another value than a given one, where there is another."""
    choices = list(pset.terminals[NUMBER])
    if other_than is not None and isinstance(other_than.value, str):
        choices = [t for t in choices if isinstance(t, gp.MetaEphemeral) or t.value != other_than.value] or choices
    chosen = random.choice(choices)
    return chosen() if isinstance(chosen, gp.MetaEphemeral) else chosen
