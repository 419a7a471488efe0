"""What a run notes of its surroundings: what its fitness stands for, in words for reports."""

import pytest

from evosdc.experiment.environment import fitness_meaning
from evosdc.plugins.registry import default_registry


@pytest.mark.parametrize(
    ("fitness", "meaning"),
    [
        ("mean", "the mean of IL and DR"),
        ("max", "the greater of IL and DR"),
        ("dm", "the discernibility of the published records (DM: each record costs the size of its group)"),
        ("height", ""),
        ("parsimony", ""),
    ],
)
def test_the_meaning_of_a_fitness_or_of_a_measure_in_its_place_comes_from_its_spec(fitness, meaning):
    assert fitness_meaning(fitness, default_registry()) == meaning
