"""Tables that are followed: each individual's own, whatever way the trackers took."""

import numpy as np
import pytest

from evosdc.engine import trackers
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.failures import ErrorRule
from evosdc.engine.trackers import Trackers
from evosdc.model import Siblings
from evosdc.testing.purity import generator
from tests.engine.problems import evaluated, levels, microdata, problem_of
from tests.testing.genotypes import Copies
from tests.testing.measures import Counts


def of_copies(monkeypatch, copied):
    """Return a genotype of whole files, its trackers, and a problem to evaluate from scratch."""
    genotype = levels(Copies, microdata())
    monkeypatch.setattr(trackers, "COPIED", 10**9 if copied else 0)
    problem = problem_of(genotype, {"a": Counts(genotype.microdata.original), "b": Counts(genotype.microdata.original)})
    return genotype, Trackers(genotype, problem.measures, problem.decode), problem


@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize("most", [2, 40])
def test_every_individual_has_the_scores_of_its_own_table(monkeypatch, copied, most):
    monkeypatch.setattr(trackers, "MOST_TABLES", most)
    genotype, followed, problem = of_copies(monkeypatch, copied)
    rng = generator(1)
    family = [evaluated(problem, genotype.random(rng))]
    for _ in range(60):
        parent = family[int(rng.integers(len(family)))]
        child = evaluated(problem, genotype.mutate(parent.genome, rng))
        followed.born(child.key, parent.key)
        family.append(child)
    for _ in range(200):
        individual = family[int(rng.integers(len(family)))]
        scores = {name: tracker.score for name, tracker in followed.at(individual).trackers.items()}
        assert scores == {name: individual.scores[name] for name in scores}


def test_a_table_goes_to_a_child_and_is_copied_where_its_parent_has_more_of_a_small_file(monkeypatch):
    for copied in (True, False):
        genotype, followed, problem = of_copies(monkeypatch, copied)
        parent = evaluated(problem, genotype.random(generator(2)))
        child = evaluated(problem, genotype.mutate(parent.genome, generator(3)))
        first = followed.at(parent)
        followed.born(child.key, parent.key)
        monkeypatch.setattr(followed, "_decode", None)  # nothing is begun anew
        assert followed.at(child) is first
        again = followed.at(parent)
        assert (again is first) is not copied
        assert again.trackers["a"].score == parent.scores["a"]


def test_a_relative_that_was_asked_for_last_is_near_enough(monkeypatch):
    genotype, followed, problem = of_copies(monkeypatch, True)
    parent = evaluated(problem, genotype.random(generator(2)))
    child = evaluated(problem, genotype.mutate(parent.genome, generator(3)))
    followed.at(parent)
    monkeypatch.setattr(followed, "_decode", None)  # nothing is begun anew
    assert followed.at(child).trackers["a"].score == child.scores["a"]


def test_a_tracker_that_raised_is_not_asked_again(monkeypatch):
    genotype, followed, problem = of_copies(monkeypatch, True)
    parent = evaluated(problem, genotype.random(generator(2)))
    table = followed.at(parent)
    change = genotype.change(parent.genome, genotype.mutate(parent.genome, generator(3)), 100)
    monkeypatch.setattr(table.trackers["a"], "take", None)
    with pytest.raises(Exception, match="measure a: tries raised TypeError"):
        followed.tries(parent, change)
    assert followed.at(parent) is not table
    assert np.isfinite(followed.tries(parent, change)["a"]).all()


def test_what_a_plugin_raises_within_a_batch_is_named_in_the_log_without_its_message(monkeypatch, caplog):
    genotype, followed, problem = of_copies(monkeypatch, True)
    parent = evaluated(problem, genotype.random(generator(2)))
    changes = genotype.change(parent.genome, genotype.mutate(parent.genome, generator(3)), 100)
    siblings = Siblings(parent, ["move"], lambda place: parent.genome, genotype.key, changes)

    def tries(self, changes):
        raise RuntimeError("a value of a record")

    monkeypatch.setattr(type(followed.at(parent).trackers["a"]), "tries", tries)
    evaluator = Evaluator(problem, rule=ErrorRule("penalise"))
    assert not evaluator.tried(siblings)
    assert not evaluator.tried(siblings)
    (said,) = [record.message for record in caplog.records]
    assert said.startswith("measure a: tries raised RuntimeError")
    assert "record" not in said
