"""The evaluations of children of one parent that are judged together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.families import Families
from evosdc.engine.objectives import Columns, Judged
from evosdc.model import Individual, Siblings

G = TypeVar("G", bound=Sequence[Any])
T = TypeVar("T")

States = tuple[tuple[Any, ...], ...]
"""By draw, then by incremental measure; empty where there is none."""


class Evaluation(NamedTuple):
    """Scores, objectives and the states from which children can be evaluated incrementally."""

    scores: dict[str, float]
    objectives: tuple[float, ...]
    states: States


def family_evaluations(
    families: Families,
    parent: Individual,
    genomes: Sequence[Any],
    make_states: Callable[[Individual, Sequence[Any]], None] | None,
    judge: Callable[[Any, Any], Judged],
) -> list[Evaluation | None]:
    """Return the evaluations of several children; see `evosdc.engine.problem.Problem.evaluate_children`.

    Parameters
    ----------
    families : Families
    parent : Individual
    genomes : sequence
        Of the children.
    make_states : callable, optional
        Makes the states of a parent that has none; None where they travel.
    judge : callable
        Returns scores and objectives by the scores of a genome.

    Raises
    ------
    Exception
        What a measure raised about any of them.
    """
    found: list[Evaluation | None] = [None] * len(genomes)
    for place, scores in _asked(families.scores, parent, genomes, make_states) or ():
        try:  # by hand: a context takes as long as what is in it
            judged, objectives = judge(scores, genomes[place])
        except Exception:
            continue
        found[place] = Evaluation(judged, objectives, ())
    return found


def litter_columns(
    families: Families,
    parent: Individual,
    genomes: Siblings[Any],
    make_states: Callable[[Individual, Sequence[Any]], None] | None,
    judge: Callable[[Mapping[str, NDArray[np.float64]]], Columns | None],
) -> Columns | None:
    """Return scores and objectives of children that need not be made; see `evosdc.engine.problem.Problem.judge_litter`.

    Parameters
    ----------
    families, parent, make_states
        As of `family_evaluations`.
    genomes : Siblings
        Of the children.
    judge : callable
        Returns scores and objectives by the scores of all of them.

    Raises
    ------
    Exception
        What a measure raised about any of them.
    """
    scores = _asked(families.columns, parent, genomes, make_states)
    return None if scores is None else judge(scores)


def _asked(
    ask: Callable[[Individual, G], T | None],
    parent: Individual,
    genomes: G,
    make_states: Callable[[Individual, Sequence[Any]], None] | None,
) -> T | None:
    """Ask about children when their parent has states, which may have to be made; None where it can have none."""
    if make_states is not None and not parent.states:
        make_states(parent, genomes)
        if not parent.states:
            return None
    try:
        return ask(parent, genomes)
    except BaseException:
        parent.states = ()  # whoever is interrupted may have altered them
        raise
