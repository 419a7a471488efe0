"""Settings of sweeps: what a user may write, what it becomes, and what is refused."""

import pytest
from pydantic import ValidationError

from evosdc.errors import ExperimentError, InputError
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.study_status import check_settings, planned_runs, settings_of
from evosdc.plugins.registry import default_registry
from evosdc.secret import Key, replicate_seed

BASE = {"seed": 5, "data": {"name": "housing", "first": 60}, "start": {"random": 3, "methods": [{"method": "mdav"}]}}


def experiment(**changes):
    return Experiment.model_validate(BASE | {"measures": {"il": ["ctbil"], "dr": ["id"]}} | changes)


def test_settings_are_all_combinations_the_last_key_fastest():
    settings = settings_of(experiment(sweep={"genotype.mutations": [1, 2], "fitness": ["mean", "max"]}))
    assert [(s.experiment.genotype.params["mutations"], s.experiment.fitness.name) for s in settings] == [
        (1, "mean"), (1, "max"), (2, "mean"), (2, "max"),
    ]  # fmt: skip
    assert [setting.position for setting in settings] == [0, 1, 2, 3]
    assert settings[3].label == "genotype.mutations = 2, fitness = max"
    assert all(setting.experiment.single for setting in settings)


def test_without_a_sweep_there_is_one_setting_without_values():
    (setting,) = settings_of(experiment())
    assert (setting.values, setting.label) == ({}, "")
    assert setting.experiment.to_json() == experiment().to_json()


def test_generations_of_the_algorithm_are_the_limit():
    settings = settings_of(experiment(sweep={"algorithm.generations": [3, 9]}))
    assert [setting.experiment.stop.generations for setting in settings] == [3, 9]


def test_whole_tables_can_be_tried():
    tables = [{"name": "parent-child"}, {"name": "islands", "islands": 2}]
    settings = settings_of(experiment(sweep={"algorithm": tables}))
    assert [s.experiment.algorithm.name for s in settings] == ["parent-child", "islands"]
    assert settings[1].experiment.algorithm.params == {"islands": 2}


@pytest.mark.parametrize(
    "text", ['[sweep]\n"fitness.name" = ["mean", "max"]', '[sweep]\nfitness.name = ["mean", "max"]']
)
def test_keys_may_be_written_with_and_without_quotes(tmp_path, text):
    path = tmp_path / "x.toml"
    path.write_text(f'data = {{ name = "housing" }}\n{text}\n')
    assert read_experiment(path).sweep == {"fitness.name": ("mean", "max")}
    assert read_experiment(path, ["sweep.fitness.name=['max']"]).sweep == {"fitness.name": ("max",)}


def test_swept_files_are_found_from_the_experiment_file(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('data = { file = "a.csv" }\nsweep = { "data.file" = ["a.csv", "b.csv"] }\n')
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,4\n")
    assert read_experiment(path).sweep["data.file"] == (str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))


@pytest.mark.parametrize(
    ("sweep", "told"),
    [
        ({"seed": [1, 2]}, "for more seeds, use replicates"),
        ({"executor.workers": [1, 2]}, "a key whose value changes results"),
        ({"genotyp.mutations": [1]}, "Did you mean 'genotype'"),
        ({"fitness": []}, "one or more different values for fitness"),
        ({"fitness": ["mean", "mean"]}, "one or more different values for fitness"),
        ({"stop.generations": list(range(200)), "stop.stalled": list(range(1, 200))}, "at most 10000 combinations"),
        ({"fitness": "mean"}, "sweep"),
    ],
)
def test_what_cannot_be_swept_is_refused(sweep, told):
    with pytest.raises((ExperimentError, ValidationError), match=told):
        experiment(sweep=sweep)


def test_all_settings_that_cannot_be_run_are_told_at_once_before_anything_is_written(tmp_path):
    chosen = experiment(sweep={"genotype.mutations": [1, "many"], "fitness.name": ["mean", "meen"]})
    with pytest.raises(InputError) as caught:
        check_settings(chosen, default_registry())
    told = "\n".join(map(str, caught.value.faults))
    assert "sweep (genotype.mutations = 1, fitness.name = meen)" in told
    assert "sweep (genotype.mutations = many, fitness.name = mean)" in told
    assert "Did you mean 'mean'" in told
    assert len(caught.value.faults) == 2


def test_a_value_where_no_table_is_names_its_setting():
    with pytest.raises(ExperimentError, match=r"sweep \(title.x = 1\)|title"):
        settings_of(experiment(sweep={"title.x": [1]}))
    with pytest.raises(InputError, match=r"a key below a table; first is not one"):
        settings_of(experiment(sweep={"data.first.x": [1]}))


def test_each_run_has_a_seed_and_a_folder_of_its_own_the_first_the_experiments():
    plan = planned_runs(experiment(replicates=3, sweep={"genotype.mutations": [1, 2]}))
    assert [run.folder for run in plan[2:4]] == ["setting-01/replicate-003", "setting-02/replicate-001"]
    for seed in (5, Key.fresh()):
        drawn = [run.drawn_from(seed) for run in plan]
        assert len(set(drawn)) == 6
        assert drawn[0] == seed
        assert drawn[:3] == [replicate_seed(seed, replicate) for replicate in range(3)]
    assert [run.folder for run in planned_runs(experiment(replicates=2))] == ["replicate-001", "replicate-002"]
    assert planned_runs(experiment(replicates=3, sweep={"genotype.mutations": [1, 2]})) == plan
