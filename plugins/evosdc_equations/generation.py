"""Random trees: grow, full and ramped half-and-half, on `deap.gp.generate`.

They draw from the global `random`, as all of DEAP does: call them inside `evosdc.secret.lent`.
"""

import random

from deap import gp

from evosdc_equations.primitives import NUMBER


def full(pset: gp.PrimitiveSetTyped, depth: int) -> gp.PrimitiveTree:
    """Return a tree all of whose branches have the given depth."""
    return gp.PrimitiveTree(gp.generate(pset, depth, depth, lambda height, at: at == height, NUMBER))


def grown(pset: gp.PrimitiveSetTyped, depth: int, least: int = 1) -> gp.PrimitiveTree:
    """Return a tree of irregular shape, its root a function, no deeper than `depth`.

    From level `least` on, nodes are drawn from functions and terminals together (thesis, 2.2.1: only the root is drawn
    from the functions alone).
    """
    ratio = pset.terminalRatio

    def ends(height: int, at: int) -> bool:
        return at == height or (at >= least and random.random() < ratio)

    return gp.PrimitiveTree(gp.generate(pset, depth, depth, ends, NUMBER))


def half_and_half(pset: gp.PrimitiveSetTyped, deepest: int) -> gp.PrimitiveTree:
    """Return a tree of ramped half-and-half (Koza 1992): depths 1 to `deepest` alike, half of each full, half grown."""
    depth = random.randint(1, deepest)
    return full(pset, depth) if random.random() < 0.5 else grown(pset, depth)


def ramped(pset: gp.PrimitiveSetTyped, deepest: int, whole: bool) -> gp.PrimitiveTree:
    """Return a full tree, or a grown one, of a depth drawn from 1 to `deepest`."""
    depth = random.randint(1, deepest)
    return full(pset, depth) if whole else grown(pset, depth)


def dealt(pset: gp.PrimitiveSetTyped, deepest: int, place: int) -> gp.PrimitiveTree:
    """Return the tree of a place in a start that is dealt out: depths 1 to `deepest` in turn, each full, then grown.

    Any ``2 * deepest`` places in a row have each depth once full and once grown (Koza 1992).
    """
    depth = 1 + (place // 2) % deepest
    return full(pset, depth) if place % 2 == 0 else grown(pset, depth)
