"""The memetic search of whole files: exact, resumable, the same on workers, with fronts and constraints."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.algorithms.costs import Costs
from evosdc.engine.checkpoint import load_checkpoint, save_checkpoint
from evosdc.engine.digest import digest_of
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.fresh import rescored
from evosdc.engine.loop import first_state, search
from evosdc.engine.stop import Stop
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.experiment.start import starting_individuals
from evosdc.model import Population, Siblings
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal

METHODS = ({"method": "mdav", "k": 3}, {"method": "pram", "p": 0.7}, {"method": "rank-swapping", "p": 8})
MEMETIC = {"name": "memetic", "rounds": 3, "probes": 20}
FRONT = MEMETIC | {"inner": {"name": "nsga2"}}


def experiment(**changes):
    given = {
        "seed": 7,
        "data": {"name": "housing", "first": 200, "protect": ("built", "degree", "grade1")},
        "start": {"methods": METHODS, "random": 3},
        "fitness": "max",
        "algorithm": MEMETIC,
        "stop": {"generations": 30},
    }
    return Experiment.model_validate(given | changes)


def searched(assembly, generations, state=None):
    """Return the state after so many generations, from the start or from a state."""
    if state is None:
        individuals = list(starting_individuals(assembly, None, lambda done, total: None))
        state = first_state(assembly.algorithm, individuals)
    evaluator, stop = Evaluator(assembly.problem), Stop(generations=generations)
    return search(assembly.algorithm, evaluator, assembly.problem.streams, stop, state, lambda state, record: None)[0]


@pytest.mark.parametrize("changes", [{}, {"fitness": "pareto", "algorithm": FRONT, "constraints": ("dr <= 40",)}])
@pytest.mark.parametrize("stopped", [2, 3, 4, 9])
def test_a_search_goes_on_from_any_generation_as_if_never_stopped(changes, stopped, tmp_path):
    assembly = assemble(experiment(**changes), default_registry())
    whole, half = searched(assembly, 16), searched(assembly, stopped)
    genotype = assembly.problem.genotype
    stored = load_checkpoint(save_checkpoint(tmp_path, half, genotype), genotype)
    again = searched(assemble(experiment(**changes), default_registry()), 16, stored)
    assert digest_of(again.population) == digest_of(whole.population)
    assert digest_of(again.front) == digest_of(whole.front)
    for individual in (*whole.population, *whole.front, whole.best):
        assert rescored(assembly.problem, individual) == []


def test_workers_make_no_difference(tmp_path):
    digests = {
        run_once(experiment(executor=executor), tmp_path / executor["name"], default_registry(), 7).result.digest
        for executor in ({"name": "serial"}, {"name": "processes", "workers": 2})
    }
    assert len(digests) == 1


@pytest.fixture(scope="module")
def front(tmp_path_factory):
    chosen = experiment(fitness="pareto", algorithm=FRONT, constraints=("dr <= 40", "k-anonymity >= 1"))
    return run_once(chosen, tmp_path_factory.mktemp("front") / "run", default_registry(), 7)


def test_a_front_under_constraints_grows(front):
    volumes = front.result.hypervolume
    assert volumes["front"] > volumes["portfolio"]
    assert all(entry.met for entry in front.result.requirements)
    assert all(member.scores["dr"] <= 40 for member in front.result.front)


def test_rounds_of_moves_and_combinations_stand_in_the_journal(front):
    made = [set(record["operators"]) for record in read_journal(front.folder / "journal.jsonl")[1:]]
    kinds = {"value", "restoration", "adoption", "exchange"}
    # The constraint on k-anonymity brings moves of classes.
    kinds |= {"class-value", "class-restoration", "class-adoption", "class-exchange"}
    moves = kinds | {f"{kind} where it costs" for kind in kinds}
    assert made[0] <= moves | {"combination"}
    assert any(name.startswith("class-") for names in made for name in names)
    assert any("combination" in names for names in made)
    assert [bool(names & moves) for names in made] == [True, True, True, False] * 7 + [True, True]
    assert all(names <= {"mutation", "crossover", "crossover and mutation", "reproduction"} for names in made[3::4])


def test_records_are_drawn_by_their_share_in_the_scores():
    assembly = assemble(experiment(), default_registry())
    climber = searched(assembly, 0).best
    evaluator, toolbox = Evaluator(assembly.problem), assembly.algorithm.toolbox
    evaluator.attach(toolbox)
    running = Costs(toolbox, 0).running(Population([climber]), 0)
    masked = assembly.problem.decode(climber.genome, climber.key)
    shares = []
    for fitted in assembly.problem.measures.values():
        contributions = fitted.track(masked).contributions()
        if contributions is not None and contributions.sum() > 0:
            shares.append(contributions / contributions.sum())
    assert len(shares) >= 3
    assert np.diff(running, prepend=0.0) / running[-1] == pytest.approx(np.mean(shares, axis=0))


def test_without_weight_on_burdens_records_are_drawn_uniformly():
    assembly = assemble(experiment(algorithm=MEMETIC | {"burdened": 0.0}), default_registry())
    assert not any(move.costly for move in assembly.algorithm.moves)


def test_of_changes_that_are_tried_only_those_become_files_that_somebody_needs(monkeypatch):
    batches, tried = [], Evaluator.judged_together

    def watched(self, siblings):
        batches.append(siblings)
        return tried(self, siblings)

    monkeypatch.setattr(Evaluator, "judged_together", watched)
    assembly = assemble(experiment(), default_registry())
    state = searched(assembly, 24)
    assert len(state.population) == len(METHODS) + 3
    assert all(isinstance(batch, Siblings) for batch in batches)
    assert sum(map(len, batches)) >= 18 * 20
    assert sum(len(batch.known) for batch in batches) < 0.5 * sum(map(len, batches))
