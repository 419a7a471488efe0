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


def of_copies():
    """Return a genotype of whole files, its trackers, and a problem to evaluate from scratch."""
    genotype = levels(Copies, microdata())
    problem = problem_of(genotype, {"a": Counts(genotype.microdata.original), "b": Counts(genotype.microdata.original)})
    return genotype, Trackers(genotype, problem.measures, problem.decode), problem


def child_of(followed, problem, parent, genome):
    """Return a child that was judged by what it changes, which gives the scores that it has from scratch."""
    child, scratch = parent.child(genome, "mutation"), evaluated(problem, genome)
    child.key = scratch.key
    scores = followed.scores_of_children([child])
    assert scores == {name: scratch.scores[name] for name in scores}
    return scratch


@pytest.mark.parametrize("most", [2, 40])
def test_every_individual_has_the_scores_of_its_own_table(monkeypatch, most):
    monkeypatch.setattr(trackers, "MOST_TABLES", most)
    genotype, followed, problem = of_copies()
    rng = generator(1)
    family = [evaluated(problem, genotype.random(rng))]
    for _ in range(60):
        parent = family[int(rng.integers(len(family)))]
        child = child_of(followed, problem, parent, genotype.mutate(parent.genome, rng))
        family.append(child)
    for _ in range(200):
        individual = family[int(rng.integers(len(family)))]
        scores = {
            name: tracker.score for name, tracker in followed.at(individual.key, individual.genome).trackers.items()
        }
        assert scores == {name: individual.scores[name] for name in scores}


def test_a_table_goes_to_a_child_and_back(monkeypatch):
    genotype, followed, problem = of_copies()
    parent = evaluated(problem, genotype.random(generator(2)))
    first = followed.at(parent.key, parent.genome)
    child = child_of(followed, problem, parent, genotype.mutate(parent.genome, generator(3)))
    monkeypatch.setattr(followed, "_decode", None)  # nothing is begun anew
    assert followed.at(child.key, child.genome) is first
    assert followed.at(parent.key, parent.genome) is first
    assert first.trackers["a"].score == parent.scores["a"]


def test_descendants_that_differ_in_few_records_are_judged_in_one_table(monkeypatch):
    genotype, followed, problem = of_copies()
    followed.near = 3
    rng, parent = generator(5), evaluated(problem, genotype.random(generator(2)))
    first, genome = followed.at(parent.key, parent.genome), parent.genome
    monkeypatch.setattr(followed, "_decode", None)  # nothing is begun anew
    moved = []
    for _ in range(12):
        parent = child_of(followed, problem, parent, genotype.mutate(parent.genome, rng))
        moved.append(len(genotype.changed_rows(genome, parent.genome)))
        assert (first.genome is genome) == (max(moved[:-1], default=0) <= 3)
    assert moved[-1] > 3


def test_a_relative_that_was_asked_for_last_is_near_enough(monkeypatch):
    genotype, followed, problem = of_copies()
    parent = evaluated(problem, genotype.random(generator(2)))
    child = evaluated(problem, genotype.mutate(parent.genome, generator(3)))
    followed.at(parent.key, parent.genome)
    monkeypatch.setattr(followed, "_decode", None)  # nothing is begun anew
    assert followed.at(child.key, child.genome).trackers["a"].score == child.scores["a"]


@pytest.mark.parametrize("batch", [2, 500, 200_000])
def test_children_of_several_parents_change_together_what_each_changes_alone(monkeypatch, batch):
    monkeypatch.setattr(trackers, "BATCH", batch)
    genotype, followed, problem = of_copies()
    rng = generator(4)
    parents = [evaluated(problem, genotype.random(rng)) for _ in range(3)]
    made = [parent.child(parent.genome, "copy") for parent in parents]
    for _ in range(12):  # each differs in more records than the one of the same parent before
        made.append(made[-3].parent.child(genotype.mutate(made[-3].genome, rng), "mutation"))
    changes = followed.changes([child.parent.genome for child in made], [child.genome for child in made])
    for number, child in enumerate(made):
        child.key = genotype.key(child.genome)
        before, after = (problem.decode(one.genome, one.key) for one in (child.parent, child))
        assert changes.part(number, number + 1).applied_to(before).same_records(after)
    scores = followed.scores_of_children(made)
    for number, child in enumerate(made):
        scratch, _ = problem.score(problem.decode(child.genome, child.key))
        assert {name: column[number] for name, column in scores.items()} == {name: scratch[name] for name in scores}


def test_a_tracker_that_raised_is_not_asked_again(monkeypatch):
    genotype, followed, problem = of_copies()
    parent = evaluated(problem, genotype.random(generator(2)))
    table = followed.at(parent.key, parent.genome)
    change = followed.changes([parent.genome], [genotype.mutate(parent.genome, generator(3))])
    monkeypatch.setattr(table.trackers["a"], "take", None)
    with pytest.raises(Exception, match="measure a: tries raised TypeError"):
        followed.scores_of_changes(parent, change)
    assert followed.at(parent.key, parent.genome) is not table
    assert np.isfinite(followed.scores_of_changes(parent, change)[0]["a"]).all()


def test_what_a_plugin_raises_within_a_batch_is_named_in_the_log_without_its_message(monkeypatch, caplog):
    genotype, followed, problem = of_copies()
    parent = evaluated(problem, genotype.random(generator(2)))
    changes = followed.changes([parent.genome], [genotype.mutate(parent.genome, generator(3))])
    siblings = Siblings(parent, ["move"], lambda place: parent.genome, genotype.key, changes)

    def tries(self, changes):
        raise RuntimeError("a value of a record")

    monkeypatch.setattr(type(followed.at(parent.key, parent.genome).trackers["a"]), "tries", tries)
    evaluator = Evaluator(problem, rule=ErrorRule("penalise"))
    assert not evaluator.judged_together(siblings)
    assert not evaluator.judged_together(siblings)
    (said,) = [record.message for record in caplog.records]
    assert said.startswith("measure a: tries raised RuntimeError")
    assert "record" not in said
