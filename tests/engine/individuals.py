"""Individuals for tests: a key and scores, no genome to speak of."""

from evosdc.model import Individual
from evosdc.model.individual import INFEASIBILITY


def individual(*objectives, key=None, il=None, dr=None, origin="random", infeasibility=0.0):
    scores = {} if il is None else {"il": il, "dr": dr}
    if infeasibility:
        scores[INFEASIBILITY] = infeasibility
    objectives = objectives or ((il + dr) / 2,)
    name = repr((objectives, il, dr)) if key is None else key
    return Individual(None, name.encode().ljust(16), scores, tuple(map(float, objectives)), origin)


def all_evaluated(evaluator, individuals):
    """Return individuals with the values that an evaluator gives them."""
    for one, values in zip(individuals, evaluator.map(evaluator.evaluate, individuals), strict=True):
        one.fitness.values = values
    return individuals
