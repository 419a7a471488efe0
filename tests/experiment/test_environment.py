"""What a run notes of its surroundings: what its fitness stands for, in words for reports."""

import pytest

from evosdc.experiment.config.experiment import Experiment
from evosdc.experiment.run.environment import environment_of
from evosdc.plugins.registry import default_registry
from evosdc.testing.tables import sample_table


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
    experiment = Experiment(data={"name": "housing"}, measures=["dm", "height"], fitness=fitness)
    found = environment_of(experiment, default_registry(), sample_table("ordinary"))
    assert found["meaning"] == meaning
