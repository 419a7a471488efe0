"""Searches for transition matrices: no winner is a relabelling, and what holds is said of fresh draws."""

import json
from html import escape
from itertools import product

import numpy as np
import pytest

from evosdc.cli import main
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.experiment.summaries import error_of, impossible_warning, pairs_on, requirements_on
from evosdc.model.constraint import Constraint, Constraints
from evosdc.plugins.registry import default_registry
from evosdc.report.wording import quoted
from evosdc.table.table import Table
from tests.engine.problems import evaluated

DOCUMENT = {
    "data": {"name": "housing", "first": 300, "protect": ["degree", "metro"]},
    "genotype": {"name": "pram", "draws": 3, "fresh_draws": 8},
    "start": {"initial": True},
    "measures": {"il": ["ebil"], "dr": ["dbrl"]},
    "fitness": "mean",
    "algorithm": {"name": "parent-child", "population": 10},
    "stop": {"generations": 15},
}


def problem_of(**changes):
    return assemble(Experiment(**(DOCUMENT | changes)), default_registry()).problem


def bounds(problem):
    return [str(constraint) for constraint in problem.constraints.listed]


@pytest.mark.parametrize(
    "genotype", [{"name": "pram"}, {"name": "equations"}, {"name": "pram", "judge": "expectation"}]
)
def test_matrices_are_guarded_unless_told_otherwise(genotype):
    measures = {"il": ["ebil"], "dr": ["best-guess"]}
    problem = problem_of(genotype=genotype, measures=measures, start={"random": 4, "initial": True})
    assert bounds(problem) == ["worst-relabelling <= 3"]
    assert "worst-relabelling" in problem.measures
    free = problem_of(genotype=genotype | {"relabelling": 100}, measures=measures, start={"random": 4, "initial": True})
    assert not free.constraints
    assert "worst-relabelling" not in free.measures


def test_a_bound_of_the_experiment_takes_the_guards_place():
    measures = DOCUMENT["measures"] | {"other": ["worst-relabelling"]}
    problem = problem_of(measures=measures, constraints=["worst-relabelling <= 8"])
    assert bounds(problem) == ["worst-relabelling <= 8"]
    stricter = problem_of(genotype=DOCUMENT["genotype"] | {"relabelling": 1.5})
    assert bounds(stricter) == ["worst-relabelling <= 1.5"]


def test_masked_files_are_not_guarded_unasked():
    assert not problem_of(genotype={"name": "cells"}, start=[{"method": "mdav", "k": 3}]).constraints


@pytest.mark.parametrize("judge", ["draws", "expectation"])
def test_a_relabelling_is_infeasible(judge):
    genotype = {"name": "pram", "draws": 3, "judge": judge}
    problem = problem_of(genotype=genotype, measures={"il": ["ebil"], "dr": ["best-guess"]})
    genotype = problem.genotype
    honest = tuple(coding.genes_of(np.identity(len(coding.sums))) for coding in genotype._codings)
    exchanged = tuple(
        coding.genes_of(np.identity(len(coding.sums))[_turned(coding.occurring, len(coding.sums))])
        for coding in genotype._codings
    )
    assert evaluated(problem, honest).scores["infeasibility"] == 0.0
    evaluation = evaluated(problem, exchanged)
    assert evaluation.scores["worst-relabelling"] > 50.0
    assert evaluation.scores["infeasibility"] > 10.0


def _turned(occurring, size):
    order = np.arange(size)
    order[occurring] = np.roll(occurring, 1)
    return order


def test_few_draws_have_to_keep_a_bound_by_two_standard_deviations():
    constraints = Constraints((Constraint.parse("il <= 10"),))
    draws = [{"il": 8.0}, {"il": 9.0}, {"il": 11.0}, {"il": 10.0}]
    margins = constraints.margins(draws)
    expected = 2.0 * np.std([8.0, 9.0, 11.0, 10.0], ddof=1)
    assert margins["il"] == pytest.approx(expected, rel=1e-12)
    assert constraints.judge({"il": 9.5})["infeasibility"] == 0.0
    assert constraints.judge({"il": 9.5}, margins)["infeasibility"] == pytest.approx((expected - 0.5) / 10.0)
    assert constraints.judge({"il": 7.0}, margins)["infeasibility"] == 0.0


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("guard") / "run"
    return run_once(Experiment(**DOCUMENT), path, default_registry(), 3)


def test_the_winner_keeps_its_labels_on_fresh_draws(finished):
    (entry,) = finished.result.fresh["requirements"]
    assert entry["requirement"] == "worst-relabelling <= 3"
    assert entry["met"]
    assert entry["value"] == pytest.approx(finished.result.fresh["best"]["scores"]["worst-relabelling"])
    assert entry["error"] == pytest.approx(finished.result.fresh["best"]["errors"]["worst-relabelling"])
    assert 0.0 < entry["share"] <= 1.0
    assert "worst-relabelling" in (finished.folder / "scores.csv").read_text(encoding="utf-8")


def test_two_way_tables_of_fresh_draws_are_compared_by_hand():
    problem = problem_of()
    original, rng = problem.genotype.microdata.original, np.random.default_rng(1)
    shuffled = [original.codes[:, [0]], rng.permutation(original.codes[:, [1]], axis=0)]
    tables = [original, Table(original.schema, np.ascontiguousarray(np.hstack(shuffled)), original.numbers)]
    moved = []
    for table in tables:
        before, after = ([tuple(row) for row in t.codes.tolist()] for t in (original, table))
        cells = product(set(original.codes[:, 0].tolist()), set(original.codes[:, 1].tolist()))
        moved.append(sum(max(before.count(cell) - after.count(cell), 0) for cell in cells) * 100 / len(original))
    (pair,) = pairs_on(original, tables)
    assert pair["attributes"] == ["degree", "metro"]
    assert moved[0] == 0.0
    assert pair["moved"] == pytest.approx(np.mean(moved))
    assert pair["error"] == pytest.approx(error_of(np.array(moved)))


def test_a_broken_requirement_is_told_with_the_share_of_draws():
    problem = problem_of(constraints=["il <= 0.001"], genotype=DOCUMENT["genotype"] | {"relabelling": 100})
    masking, genome = problem.initial_genomes[0]
    key = problem.genotype.key(genome)
    (entry,) = requirements_on(problem, genome, [problem.decode(genome, key, draw) for draw in range(4)])
    assert masking.method
    assert not entry["met"]
    assert entry["share"] == 0.0


def test_impossible_records_are_counted_told_and_repaired_where_asked(tmp_path):
    found = {}
    for zeros in (False, True):
        document = DOCUMENT | {
            "data": {"name": "housing", "protect": ["degree", "built", "metro"]},
            "structural_zeros": zeros,
            "stop": {"generations": 1},
        }
        done = run_once(Experiment(**document), tmp_path / str(zeros), default_registry(), 3)
        found[zeros] = done.result.fresh["impossible"]
        warned = [text for text in done.result.warnings if "original never has" in text]
        assert warned == impossible_warning(done.result.fresh)
        assert bool(warned) == (not zeros and found[zeros]["records"] > 0.0)
    assert found[True]["repaired"]
    assert not found[False]["repaired"]


@pytest.mark.parametrize(("constraint", "status"), [("dr <= 100", 0), ("il <= 0.0001", 1)])
def test_the_exit_status_tells_of_fresh_draws(constraint, status, tmp_path, capsys):
    path = tmp_path / "experiment.toml"
    path.write_text(
        f"""
data = {{ name = "housing", first = 200, protect = ["degree", "metro"] }}
genotype = {{ name = "pram", least = 0.2, most = 0.6, draws = 2, fresh_draws = 4 }}
start = {{ random = 6 }}
measures = {{ il = ["ebil"], dr = ["dbrl"] }}
fitness = "mean"
constraints = ["{constraint}"]
executor = {{ name = "serial" }}
stop = {{ generations = 2 }}
""",
        encoding="utf-8",
    )
    with pytest.raises(SystemExit) as ended:
        main(["run", str(path), "-o", str(tmp_path / "run"), "--quiet"])
    printed = capsys.readouterr().out
    result = json.loads((tmp_path / "run" / "result.json").read_text(encoding="utf-8"))
    entry = next(e for e in result["fresh"]["requirements"] if e["requirement"] == constraint)
    assert entry["met"] == (status == 0)
    assert (f"Not met: {constraint} " in printed) == (not entry["met"])
    met = all(e["met"] for e in result["fresh"]["requirements"])
    assert ended.value.code == (0 if met else 1)
    report = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    said = "holds" if entry["met"] else "does not hold"
    assert f"The requirement {quoted(escape(constraint))} {said} there" in report
    assert "of the single draws keep it" in report
    assert "Records in another cell of a two-way table" in report
