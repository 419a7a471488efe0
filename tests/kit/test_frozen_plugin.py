"""A plugin written for contract 2.0 works with every 2.x: the policy of docs/plugins/compatibility.md."""

from hashlib import sha256
from pathlib import Path

import evosdc_frozen
import pytest
from evosdc_frozen.algorithm import FrozenAlgorithm
from evosdc_frozen.fitness import FrozenFitness
from evosdc_frozen.genotype import FrozenGenotype
from evosdc_frozen.measure import FrozenMeasure
from evosdc_frozen.method import FrozenMethod
from evosdc_frozen.model import FrozenModel
from evosdc_frozen.operator import flipped

import evosdc
from evosdc.plugins.discovery import CONTRACT, objection
from evosdc.plugins.registry import Registry, default_registry
from evosdc.testing import (
    AlgorithmConformance,
    FitnessConformance,
    GenotypeConformance,
    MaskingMethodConformance,
    MeasureConformance,
    OperatorConformance,
    PrivacyModelConformance,
)
from evosdc.testing.tables import sample_microdata

FOLDER = Path(evosdc_frozen.__file__).parent
DIGEST = "16511b97eba23d5fab2cc3fdac3375fc6192ae8f807caede02fb3882eada7fb8"


def test_it_is_as_it_was():
    hashed = sha256()
    for path in sorted(FOLDER.glob("*.py")):
        hashed.update(path.read_bytes())
    assert hashed.hexdigest() == DIGEST, "mend the framework, not the plugin: authors have many such plugins"


def test_it_loads_without_a_problem():
    registry = Registry.load(extra_plugins={"frozen": evosdc_frozen}, entry_points=False)
    assert registry.problems == ()
    (info,) = registry.plugins
    assert sum(map(len, info.offers.values())) == 7
    for kind, names in info.offers.items():
        for name in names:
            assert registry.implementation(kind, name)


def test_a_run_with_all_of_it(tmp_path, monkeypatch):
    entry = tmp_path / "frozen_entry.py"
    hooks = [name for name in vars(evosdc_frozen) if name.startswith("evosdc_")]
    entry.write_text(f"from evosdc_frozen import {', '.join(hooks)}\n")
    monkeypatch.setenv("EVOSDC_PLUGINS", str(entry))
    default_registry.cache_clear()
    experiment = {
        "data": {"name": "housing", "first": 60, "protect": ["degree", "grade1"]},
        "genotype": "frozen-genotype",
        "start": {"random": 6},
        "measures": {"il": ["frozen-measure"], "dr": ["id"]},
        "fitness": "frozen-fitness",
        "constraints": ["frozen-model <= 90"],
        "algorithm": "frozen-algorithm",
        "operators": {"mutate": "frozen-operator"},
        "stop": {"generations": 3},
        "executor": "serial",
    }
    found = evosdc.run(experiment, tmp_path / "run")
    assert found["best"]["fitness"] == [pytest.approx(found["best"]["scores"]["il"] + found["best"]["scores"]["dr"])]
    assert evosdc_frozen.HEARD[-1] == found["digest"]
    evosdc.run(experiment | {"algorithm": "memetic"}, tmp_path / "local")
    assert '"cell' in (tmp_path / "local" / "journal.jsonl").read_text(), "its moves are tried"
    table = evosdc.read_table(tmp_path / "run" / "best.csv")
    assert len(evosdc.mask(table, "frozen-method", seed=2)) == 60


@pytest.mark.parametrize(
    ("said", "wrong", "fatal"),
    [
        (None, False, False),
        ("2.0", False, False),
        (f"2.{CONTRACT[1]}", False, False),
        (f"2.{CONTRACT[1] + 1}", True, False),
        ("1.1", True, True),
        ("3.0", True, True),
        (2.0, True, True),
        ("one", True, True),
    ],
)
def test_contracts_are_judged_by_their_numbers(said, wrong, fatal):
    words, unusable = objection(said)
    assert (bool(words), unusable) == (wrong, fatal)


class TestMeasure(MeasureConformance):
    def measure(self):
        return FrozenMeasure(FrozenMeasure.Params())


class TestMethod(MaskingMethodConformance):
    def method(self):
        return FrozenMethod(FrozenMethod.Params())


class TestGenotype(GenotypeConformance):
    def genotype(self, microdata):
        return FrozenGenotype(FrozenGenotype.Params(), microdata)


class TestAlgorithm(AlgorithmConformance):
    def algorithm(self, toolbox):
        return FrozenAlgorithm(FrozenAlgorithm.Params(), toolbox)


class TestOperator(OperatorConformance):
    def operator(self):
        return flipped

    def genome(self, rng):
        return FrozenGenotype(FrozenGenotype.Params(), sample_microdata("ordinary")).random(rng)


class TestModel(PrivacyModelConformance):
    def model(self):
        return FrozenModel(FrozenModel.Params())


class TestFitness(FitnessConformance):
    def fitness(self):
        return FrozenFitness(FrozenFitness.Params())
