"""Part two: invariant matrices of degree, at a fixed share of unchanged values, and what pairs with it keep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from informed import INFORMED, judging_problem
from tables import publish

from evosdc.engine.fresh import FIRST_FRESH, FreshScores, advantage, fresh_scores
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry
from evosdc.randomisation.invariance import marginal_shift
from evosdc_pram.bivariate import attribute_pairs, chi_square, cramer_v, hellinger
from evosdc_pram.matches import CorrectMatches

PARTNERS = ("metro", "sch")
INITIAL = "pram design=a p=0.5"
UTILITY = ("bivariate-difference", "chi-square-difference", "hellinger-difference", "cramer-difference")
RISK = ("correct-matches", "unchanged", "ldp-epsilon", *INFORMED)


def run(here: Path, output: Path, smoke: bool, generations: int | None) -> tuple[list[Path], bool]:
    """Run part two and write its tables; return the run folders, and whether all that was gained holds.

    That is, on fresh draws the final matrix is better than the initial one by more than two standard errors, and its
    requirements hold.
    """
    folders, holds = [], True
    summary, tables, risks, evolution = [], [], [], []
    for partner in PARTNERS[: 1 if smoke else None]:
        for mode in ("two-stage", "flow"):
            changes = [f"data.protect=['degree', '{partner}']", f"genotype.invariance={mode}"]
            changes += [f"title='Invariant PRAM of degree ({mode}), pair with {partner}'"]
            if mode == "flow":
                changes.append("genotype.mutations=6")
            if generations is not None:
                changes.append(f"algorithm.generations={generations}")
            if smoke:
                changes += ["genotype.draws=2", "genotype.fresh_draws=10"]
            if smoke and generations is None:
                changes.append("algorithm.generations=15")
            folder = output / f"housing-degree-{partner}-{mode}"
            folders.append(folder)
            stages = one_pair(here / "housing-pairs.toml", changes, folder)
            lead = [f"degree-{partner}", mode]
            gained, error = advantage(stages["final"][0], stages["initial"][0])
            result = json.loads((folder / "result.json").read_text())
            met = all(entry["met"] for entry in result["fresh"]["requirements"])
            holds = holds and met and gained > 2.0 * error
            for stage, (fresh, figures) in stages.items():
                summary += [
                    [*lead, stage, kind, name, fresh.scores[name], fresh.errors[name]]
                    for kind, names in (("utility", UTILITY), ("risk", RISK))
                    for name in names
                ]
                summary.append(
                    [*lead, stage, "fitness", "mean of il and dr", fresh.objectives[0], fresh.objective_errors[0]]
                )
                tables.append([*lead, stage, *figures["table"]])
                risks.append([*lead, stage, *figures["risk"]])
            for line in (folder / "journal.jsonl").read_text().splitlines():
                record = json.loads(line)
                fitness = record["fitness"]
                evolution.append([*lead, record["generation"], fitness["min"], fitness["mean"], fitness["max"]])
    head = ["pair", "invariance", "stage"]
    publish(
        output / "pairs-summary.csv",
        "Risk and utility, initial and final",
        [*head, "kind", "figure", "mean", "se"],
        summary,
    )
    header = ["difference per cell", "relative difference", "RAAD", "chi2 original", "chi2 published", "RAD chi2"]
    header += ["V original", "V published", "RCV %", "Hellinger", "shift of marginals"]
    publish(output / "pairs-tables.csv", "Two-way tables before and after", [*head, *header], tables)
    header = ["uniques", "correct matches by matrix", "mean over uniques", "correct matches seen", "expected"]
    publish(output / "pairs-risk.csv", "Disclosure risk of released uniques", [*head, *header], risks)
    target = output / "pairs-evolution.csv"
    publish(
        target, "Fitness evolution", ["pair", "invariance", "generation", "min", "mean", "max"], _thinned(evolution)
    )
    return folders, holds


def _thinned(rows: list[list[Any]], most: int = 10) -> list[list[Any]]:
    """Return about `most` generations of each run: the whole course is in its journal and its report."""
    last = max(row[2] for row in rows)
    step = max(last // most, 1)
    return [row for row in rows if row[2] % step == 0 or row[2] == last]


def one_pair(path: Path, changes: list[str], folder: Path) -> dict[str, tuple[FreshScores, dict[str, list[Any]]]]:
    """Run one search; return, for the initial and the final matrix, the fresh scores and the rows of the tables."""
    registry = default_registry()
    experiment = read_experiment(path, changes)
    finished = run_once(experiment, folder, registry, experiment.seed)
    problem = judging_problem(experiment)
    initial = next(genome for masking, genome in problem.initial_genomes if masking.label.startswith(INITIAL))
    stages = {"initial": initial, "final": finished.state.best.genome}
    draws = problem.genotype.fresh_draws
    return {
        stage: (
            fresh_scores(problem, genome, problem.genotype.key(genome), draws),
            {"table": table_figures(problem, genome, draws), "risk": risk_figures(problem, genome, draws)},
        )
        for stage, genome in stages.items()
    }


def table_figures(problem: Any, genome: Any, draws: int) -> list[Any]:
    """Return the means over fresh draws of what becomes of the two-way table."""
    original = problem.genotype.microdata.original
    (pair,) = attribute_pairs(original, (), "pairs")
    before = pair.original
    inhabited = before > 0
    rows = []
    for draw in range(draws):
        after = pair.counted(problem.decode(genome, b"", FIRST_FRESH + draw))
        moved = np.abs(after - before)
        chi, v = (chi_square(before), chi_square(after)), (cramer_v(before), cramer_v(after))
        cells = (pair.shape[0] - 1) * (pair.shape[1] - 1)
        differences = [moved.sum() / cells, moved.sum() / (2 * before.sum())]
        differences.append((moved[inhabited] / before[inhabited]).mean())
        statistics = [*chi, abs(chi[1] - chi[0]) / chi[0], *v, 100 * (v[1] - v[0]) / v[0]]
        rows.append([*differences, *statistics, hellinger(before, after)])
    matrix = problem.genotype.transitions(genome)[0]
    column = original.codes[:, 0]
    counts = np.bincount(column[column >= 0], minlength=len(matrix))
    return [*(float(mean) for mean in np.mean(rows, axis=0)), f"{marginal_shift(matrix, counts):.1e}"]


def risk_figures(problem: Any, genome: Any, draws: int) -> list[Any]:
    """Return the means over fresh draws: released uniques, and their correct matches by the matrix and as they are."""
    original = problem.genotype.microdata.original
    fitted = CorrectMatches(CorrectMatches.Params()).fit(original)
    transitions = problem.genotype.transitions(genome)
    keys, chances = fitted.probabilities(transitions)
    chance_of = {tuple(key): chance for key, chance in zip(keys.tolist(), chances.tolist(), strict=True)}
    rows = []
    for draw in range(draws):
        masked = problem.decode(genome, b"", FIRST_FRESH + draw)
        found, counts = np.unique(masked.codes, axis=0, return_counts=True)
        # A released key that no original has cannot be matched correctly.
        uniques = [chance_of.get(tuple(key), 0.0) for key in found[counts == 1].tolist()]
        seen = fitted.score(masked) * len(original) / 100
        rows.append([len(uniques), sum(uniques), sum(uniques) / max(len(uniques), 1), seen])
    return [*(float(mean) for mean in np.mean(rows, axis=0)), fitted.expected(transitions) * len(original) / 100]
