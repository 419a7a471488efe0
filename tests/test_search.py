"""`evosdc.Search`: ask and tell, scores of one's own, and DEAP's operators and algorithms."""

import random

import pandas as pd
import pytest
from deap import algorithms, base, tools

import evosdc
from evosdc.errors import InputError, PluginError

EXPERIMENT = {
    "seed": 5,
    "data": {"name": "housing", "first": 80, "protect": ["degree", "grade1"]},
    "start": {"random": 2, "methods": [{"method": "mdav"}, {"method": "rank-swapping"}, {"method": "pram"}]},
    "measures": {"il": ["ctbil"], "dr": ["dbrl"]},
    "fitness": "mean",
    "stop": {"generations": 6},
    "executor": "serial",
}


def finished(search):
    for _ in search:
        pass
    return search


def test_it_ends_where_a_run_of_the_same_seed_ends(tmp_path):
    run = evosdc.run(EXPERIMENT, tmp_path / "run")
    search = evosdc.Search(EXPERIMENT)
    assert search.generation == 0
    generations = [record["generation"] for record in search]
    assert generations == list(range(7))
    assert (search.digest, search.stopped) == (run["digest"], run["stopped"])
    assert search.best.scores == run["best"]["scores"]
    assert [member.scores for member in search.front] == [member["scores"] for member in run["front"]]
    assert search.evaluations == run["evaluations"]
    assert search.ask() == []


def test_a_saved_search_goes_on_as_if_it_had_never_stopped(tmp_path):
    whole, first = finished(evosdc.Search(EXPERIMENT)), evosdc.Search(EXPERIMENT)
    for _ in range(4):
        first.ask()
        first.tell()
    first.save(tmp_path / "kept")
    resumed = finished(evosdc.Search(EXPERIMENT, checkpoint=tmp_path / "kept"))
    assert (resumed.digest, resumed.generation) == (whole.digest, whole.generation)


def test_scores_of_ones_own_decide():
    def missed(candidate):
        return float((candidate.table.codes != 0).sum())

    search = evosdc.Search(EXPERIMENT | {"stop": {"generations": 40}})
    asked = 0
    while candidates := search.ask():
        search.tell([{"il": missed(one), "dr": 0.0} for one in candidates])
        asked += len(candidates)
    assert asked == search.evaluations
    start = evosdc.Search(EXPERIMENT).ask()
    assert missed(search.best) < min(map(missed, start))
    assert search.best.objectives == (missed(search.best) / 2,)
    other = evosdc.Search(EXPERIMENT)
    other.tell([{"dr": 7.0}] * len(other.ask()))
    assert {member.scores["dr"] for member in other.population} == {7.0}
    assert all(member.scores["il"] >= 0.0 for member in other.population), "what is not told is measured"


def test_every_child_of_a_local_search_is_returned_to_be_scored():
    search, scored = evosdc.Search(EXPERIMENT | {"algorithm": "memetic", "stop": {"generations": 3}}), 0
    while candidates := search.ask():
        search.tell([{"il": float((one.table.codes != 0).sum()), "dr": 0.0} for one in candidates])
        scored += len(candidates)
    assert scored == search.evaluations > 100


def test_frames_come_back_as_frames():
    frame = pd.DataFrame({"a": pd.Categorical(list("xyzxyzxyzx")), "b": pd.Categorical(list("pqpqpqpqpq"))})
    experiment = EXPERIMENT | {"data": {}, "measures": {"il": ["dbil"], "dr": ["dbrl"]}, "stop": {"generations": 2}}
    search = finished(evosdc.Search(experiment, data=frame, protect=["a", "b"]))
    made = search.best.frame
    assert made.dtypes.equals(frame.dtypes)
    assert len(made) == 10
    assert search.choose("knee").scores in [member.scores for member in search.front]
    assert search.choose({"il": 20}).scores == search.choose("il=20").scores
    with pytest.raises(InputError, match="il, dr, or both"):
        search.choose({})


def test_faults_are_told():
    with pytest.raises(InputError, match="tuned or planned"):
        evosdc.Search(EXPERIMENT | {"start": {"tuned": True}})
    search = evosdc.Search(EXPERIMENT)
    with pytest.raises(InputError, match="has not begun"):
        _ = search.front
    with pytest.raises(InputError, match="scores of 1"):
        search.tell([{"il": 1.0}])
    finished(search)
    with pytest.raises(InputError, match="over"):
        search.tell()


def toolbox_of(sizes):
    toolbox = base.Toolbox()
    toolbox.register("mate", tools.cxUniform, indpb=0.3)
    toolbox.register("mutate", tools.mutUniformInt, low=0, up=sizes, indpb=0.01)
    return toolbox


def sizes_of(candidate):
    return [len(attribute.categories) - 1 for attribute in candidate.table.schema.categorical] * len(candidate.table)


def test_operators_of_deap_vary_genomes_as_they_are():
    sizes = sizes_of(evosdc.Search(EXPERIMENT).ask()[0])
    experiment = EXPERIMENT | {"algorithm": {"name": "generational"}}
    searches = []
    for state in (1, 2):
        random.seed(state)
        searches.append(finished(evosdc.Search(experiment, toolbox=toolbox_of(sizes))))
    assert searches[0].digest == searches[1].digest, "draws come from the search's own streams"
    assert searches[0].digest != finished(evosdc.Search(experiment)).digest
    with pytest.raises(PluginError, match="the operator mutUniformInt"):
        finished(evosdc.Search(experiment, toolbox=toolbox_of([90] * len(sizes))))


@pytest.mark.parametrize("fitness", ["mean", "pareto"])
def test_algorithms_of_deap_search_as_they_are(fitness):
    toolbox = evosdc.Search(EXPERIMENT | {"fitness": fitness}).toolbox()
    random.seed(3)
    population = toolbox.population()
    population, log = algorithms.eaMuPlusLambda(population, toolbox, 5, 5, 0.5, 0.4, 4, verbose=False)
    assert len(log) == 5
    best = tools.selBest(population, 1)[0]
    assert toolbox.evaluate(best) == best.fitness.values
    assert len(toolbox.table(best)) == 80
    toolbox.register("mate", tools.cxTwoPoint)
    algorithms.eaSimple(population, toolbox, 0.6, 0.3, 2, verbose=False)
    assert toolbox.table(toolbox.individual()).schema == toolbox.table(best).schema


def test_genomes_that_are_no_single_array_keep_their_own_operators():
    equations = EXPERIMENT | {"genotype": {"name": "equations"}, "start": {"random": 4}, "fitness": "max"}
    toolbox = evosdc.Search(equations).toolbox()
    random.seed(3)
    population, _ = algorithms.eaSimple(toolbox.population(), toolbox, 0.6, 0.6, 2, verbose=False)
    assert all(one.fitness.valid for one in population)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dbrll": 3.0}, "given 'dbrll'; wanted one of il, dr, "),
        ({"dbrll": 3.0}, "Did you mean 'dbrl'"),
        ({"dr": "x"}, "tell: dr: given 'x'; wanted a finite number"),
        ({"il": float("nan"), "dr": None}, "(?s)given nan.*given None"),
    ],
)
def test_scores_of_one_s_own_that_nothing_can_be_made_of_are_refused(given, message):
    search = evosdc.Search(EXPERIMENT)
    asked = search.ask()
    with pytest.raises(InputError, match=message):
        search.tell([given] * len(asked))
    assert search.generation == 0
