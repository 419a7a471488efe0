"""Equations as trees of `deap.gp`: the primitive set, random trees (Koza 1992), variation (thesis, 2.2.2).

`generate`, `cxOnePoint` and `staticLimit` of `deap.gp` draw from the global `random`, from which any thread may draw;
here the generator is given."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
from deap import gp

from evosdc.randomisation.equations.equation import CODE, CONSTANT, SYMBOLS, Equation, starts

# The one type of all values: every function takes and gives numbers, so that each is closed under all others.
NUMBER = float


def primitive_set(terminals: Sequence[str], functions: Sequence[str], constants: bool) -> gp.PrimitiveSetTyped:
    """Return the set that DEAP draws from."""
    pset = gp.PrimitiveSetTyped("equation", [NUMBER] * len(terminals), NUMBER)
    pset.renameArguments(**{f"ARG{i}": name for i, name in enumerate(terminals)})
    for name in functions:
        pset.addPrimitive(_unused, [NUMBER] * SYMBOLS[CODE[name]].arity, NUMBER, name)
    if constants:
        pset.addEphemeralConstant("constant", _unused, NUMBER)
    return pset


def drawn_constant(random: Random) -> float:
    """Return a number with three decimals in [0, 1], or a quarter of the time an integer 1..5."""
    return round(random.random(), 3) if random.random() < 0.75 else float(random.randint(1, 5))


def _unused(*values: float) -> float:
    """Stand for a function in DEAP's set; equations are evaluated on whole matrices, never by `deap.gp.compile`."""
    raise TypeError("deap.gp cannot compile these equations: evosdc.randomisation.equations.evaluation evaluates them")


_FUNCTION = {s.name: gp.Primitive(s.name, [NUMBER] * s.arity, NUMBER) for s in SYMBOLS if s.arity}
_TERMINAL = {s.name: gp.Terminal(s.name, True, NUMBER) for s in SYMBOLS[1:] if not s.arity}


def tree_of(equation: Equation) -> gp.PrimitiveTree:
    """Return the equation as DEAP's prefix tree."""
    begins = starts(equation.tokens).tolist()
    tokens, constants = equation.tokens.tolist(), equation.constants.tolist()
    nodes: list[object] = []
    pending = [len(tokens) - 1]
    while pending:
        position = pending.pop()
        symbol = SYMBOLS[tokens[position]]
        if tokens[position] == CONSTANT:
            nodes.append(gp.Terminal(constants[position], False, NUMBER))
        else:
            nodes.append(_FUNCTION[symbol.name] if symbol.arity else _TERMINAL[symbol.name])
        # Operands end one before the other, the last one just before its function: pushed last to first.
        end = position - 1
        for _ in range(symbol.arity):
            pending.append(end)
            end = begins[end] - 1
    return gp.PrimitiveTree(nodes)


def equation_of(tree: gp.PrimitiveTree) -> Equation:
    """Return DEAP's prefix tree as a postorder vector."""
    tokens: list[int] = []
    constants: list[float] = []
    waiting: list[tuple[int, int]] = []
    for node in tree:
        if node.arity:
            waiting.append((CODE[node.name], node.arity))
            continue
        symbolic = isinstance(node.value, str)
        tokens.append(CODE[node.value] if symbolic else CONSTANT)
        constants.append(0.0 if symbolic else float(node.value))
        while waiting:
            token, lacking = waiting.pop()
            if lacking > 1:
                waiting.append((token, lacking - 1))
                break
            tokens.append(token)
            constants.append(0.0)
    return Equation(np.array(tokens, dtype=np.int16), np.array(constants))


Condition = Callable[[int], bool]  # from a depth to whether a branch ends there


def generated(pset: gp.PrimitiveSetTyped, ends: Condition, random: Random) -> gp.PrimitiveTree:
    """Return a tree that grows from the root to the leaves until each branch ends."""
    nodes, pending = list[object](), [0]
    while pending:
        depth = pending.pop()
        if ends(depth):
            nodes.append(instance(random.choice(pset.terminals[NUMBER]), random))
        else:
            function = random.choice(pset.primitives[NUMBER])
            nodes.append(function)
            pending += [depth + 1] * function.arity
    return gp.PrimitiveTree(nodes)


def instance(terminal: object, random: Random) -> object:
    """Return a terminal as it stands in a tree: of the ephemeral constant a number."""
    return gp.Terminal(drawn_constant(random), False, NUMBER) if isinstance(terminal, gp.MetaEphemeral) else terminal


def full(pset: gp.PrimitiveSetTyped, depth: int, random: Random) -> gp.PrimitiveTree:
    """Return a tree all of whose branches have the given depth."""
    return generated(pset, depth.__eq__, random)


def grown(pset: gp.PrimitiveSetTyped, depth: int, random: Random, least: int = 1) -> gp.PrimitiveTree:
    """Return a tree of irregular shape, its root a function, no deeper than `depth`."""
    # From level `least` on, nodes are drawn from functions and terminals together (thesis, 2.2.1: only the root is
    # drawn from the functions alone).
    ratio = pset.terminalRatio
    return generated(pset, lambda at: at == depth or (at >= least and random.random() < ratio), random)


def ramped(pset: gp.PrimitiveSetTyped, deepest: int, random: Random, whole: bool | None = None) -> gp.PrimitiveTree:
    """Return a full tree, or a grown one, of a depth drawn from 1 to `deepest`; by default either half of the time."""
    depth = random.randint(1, deepest)
    if whole is None:
        whole = random.random() < 0.5
    return full(pset, depth, random) if whole else grown(pset, depth, random)


def dealt(pset: gp.PrimitiveSetTyped, deepest: int, place: int, random: Random) -> gp.PrimitiveTree:
    """Return the tree of a place in a start that is dealt out: depths 1 to `deepest` in turn, each full, then grown."""
    # Any ``2 * deepest`` places in a row have each depth once full and once grown (Koza 1992).
    depth = 1 + (place // 2) % deepest
    return full(pset, depth, random) if place % 2 == 0 else grown(pset, depth, random)


# Given a tree, the set, the depth limit and a generator; returns a tree that is never deeper than the limit.
Mutation = Callable[[gp.PrimitiveTree, gp.PrimitiveSetTyped, int, Random], gp.PrimitiveTree]


def point(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int, random: Random) -> gp.PrimitiveTree:
    """Change one node to another of the same class: a function of the same arity, or a terminal."""
    position = random.randrange(len(tree))
    node = tree[position]
    if node.arity:
        others = [p for p in pset.primitives[NUMBER] if p.arity == node.arity and p.name != node.name]
        if others:
            tree[position] = random.choice(others)
    else:
        tree[position] = _terminal(pset, node, random)
    return tree


def hoist(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int, random: Random) -> gp.PrimitiveTree:
    """Return a copy of a random subtree, smaller than the tree, as a new tree."""
    if len(tree) == 1:
        return tree
    return gp.PrimitiveTree(tree[tree.searchSubtree(random.randrange(1, len(tree)))])


def subtree(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int, random: Random) -> gp.PrimitiveTree:
    """Replace a random subtree by a new one that fits the depth limit."""
    return _replaced(tree, pset, limit, random.randrange(len(tree)), 0, random)


def collapse(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int, random: Random) -> gp.PrimitiveTree:
    """Replace a random subtree that is not a terminal by a terminal."""
    functions = [i for i, node in enumerate(tree) if node.arity]
    if functions:
        place = tree.searchSubtree(random.choice(functions))
        tree[place] = [_terminal(pset, None, random)]
    return tree


def expansion(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int, random: Random) -> gp.PrimitiveTree:
    """Replace a random terminal above the depth limit by a new subtree."""
    depths = node_depths(tree)
    terminals = [i for i, node in enumerate(tree) if not node.arity and depths[i] < limit]
    return _replaced(tree, pset, limit, random.choice(terminals), 1, random) if terminals else tree


def constant(tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int, random: Random) -> gp.PrimitiveTree:
    """Move one constant by a tenth of its size, or redraw it; an addition to the thesis's five operators."""
    numbers = [i for i, node in enumerate(tree) if not node.arity and not isinstance(node.value, str)]
    if numbers:
        position = random.choice(numbers)
        old = tree[position].value
        near = random.random() < 0.8
        moved = old + random.gauss(0.0, 0.1 * max(abs(old), 0.1)) if near else drawn_constant(random)
        tree[position] = gp.Terminal(round(min(max(moved, -1e6), 1e6), 4) + 0.0, False, NUMBER)
    return tree


MUTATIONS: dict[str, Mutation] = {
    "point": point,
    "hoist": hoist,
    "subtree": subtree,
    "collapse": collapse,
    "expansion": expansion,
    "constant": constant,
}


def exchanged(
    first: gp.PrimitiveTree, second: gp.PrimitiveTree, random: Random
) -> tuple[gp.PrimitiveTree, gp.PrimitiveTree]:
    """Exchange a random subtree of each of two trees, below the root: one-point crossover (Koza 1992)."""
    if len(first) > 1 and len(second) > 1:
        here = first.searchSubtree(random.randrange(1, len(first)))
        there = second.searchSubtree(random.randrange(1, len(second)))
        first[here], second[there] = second[there], first[here]
    return first, second


def limited(
    child: gp.PrimitiveTree, parents: Sequence[gp.PrimitiveTree], depth: int, nodes: int, random: Random
) -> gp.PrimitiveTree:
    """Return a child, or one of its parents where it is too deep or too large: Koza's static limits."""
    return random.choice(parents) if child.height > depth or len(child) > nodes else child


def node_depths(tree: gp.PrimitiveTree) -> list[int]:
    """Return the depth of every node, 0 for the root."""
    pending, depths = [0], []
    for node in tree:
        depth = pending.pop()
        depths.append(depth)
        pending.extend([depth + 1] * node.arity)
    return depths


def _replaced(
    tree: gp.PrimitiveTree, pset: gp.PrimitiveSetTyped, limit: int, position: int, least: int, random: Random
) -> gp.PrimitiveTree:
    room = min(limit - node_depths(tree)[position], NEW_DEPTH)
    tree[tree.searchSubtree(position)] = list(grown(pset, random.randint(min(least, room), room), random, least))
    return tree


NEW_DEPTH = 4  # greatest depth of a new subtree


def _terminal(pset: gp.PrimitiveSetTyped, other_than: gp.Terminal | None, random: Random) -> object:
    """Return a random terminal with another value than a given one, where there is another."""
    choices = list(pset.terminals[NUMBER])
    if other_than is not None and isinstance(other_than.value, str):
        choices = [t for t in choices if isinstance(t, gp.MetaEphemeral) or t.value != other_than.value] or choices
    return instance(random.choice(choices), random)
