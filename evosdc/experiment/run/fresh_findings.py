"""What of a random winner holds on draws that its search never saw: requirements, two-way tables, possible records."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.fresh import FIRST_FRESH
from evosdc.engine.problem import Problem
from evosdc.model import Microdata
from evosdc.table.record_rules import RecordRules
from evosdc.table.structural_zeros import THRESHOLD
from evosdc.table.table import Codes, Table

MOST_PAIRS = 45  # pairs of protected attributes whose tables are compared: all those of ten attributes


def requirements_on(problem: Problem, genome: Any, tables: Sequence[Table]) -> list[dict[str, Any]]:
    """Return each constraint with its mean on fresh draws, and whether that mean keeps the bound."""
    # ``error`` is the standard error of the mean, ``share`` the share of single draws that keep the bound: one draw is
    # what is published.
    if not problem.constraints:
        return []
    draws = [problem.judge(problem.scores_of_draw(genome, table), genome)[0] for table in tables]
    means = {name: sum(scores[name] for scores in draws) / len(draws) for name in problem.measures}
    judged = problem.judge(means, genome)[0]
    findings = []
    for constraint in problem.constraints.listed:
        figures = np.array([scores[constraint.figure_name] for scores in draws])
        findings.append(
            {
                "requirement": str(constraint),
                "value": judged[constraint.figure_name],
                "error": error_of(figures),
                "met": constraint.excess(judged[constraint.figure_name]) == 0.0,
                "share": sum(constraint.excess(figure) == 0.0 for figure in figures.tolist()) / len(figures),
            }
        )
    return findings


def pairs_on(original: Table, tables: Sequence[Table]) -> list[dict[str, Any]]:
    """Return, by pair of categorical attributes, the records in another cell of the two-way table, in per cent."""
    # This is half the sum of differences between the cells of the published and the original table, by the number of
    # records: the mean over fresh draws and its standard error. Pairs beyond the first 45 are left out.
    found = []
    for first, second in list(combinations(range(original.codes.shape[1]), 2))[:MOST_PAIRS]:
        moved = np.array([_moved(original.codes, table.codes, first, second) for table in tables])
        names = [original.schema.categorical[place].name for place in (first, second)]
        found.append({"attributes": names, "moved": float(moved.mean()), "error": error_of(moved)})
    return found


def impossible_on(problem: Problem, table: Table, genome: Any, draws: int) -> dict[str, Any] | None:
    """Return how many records of a draw break an edit rule or a structural zero; None without rules."""
    # ``records`` is the mean over fresh draws before any repair, ``repaired`` whether the search repaired them. Where
    # structural zeros are not in force they are looked for with the usual threshold, in the whole file.
    microdata = problem.genotype.microdata
    rules, repaired = microdata.rules, microdata.zeros_threshold is not None
    if not repaired:
        rules = Microdata(table, microdata.protect, THRESHOLD).rules
    if rules is None:
        return None
    counts = np.array([float(count) for count in _broken(problem, rules, genome, draws)])
    return {"records": float(counts.mean()), "error": error_of(counts), "repaired": repaired}


def impossible_warning(fresh: dict[str, Any] | None) -> list[str]:
    """Return a sentence on records that nobody can be, where they are published; none otherwise."""
    found = (fresh or {}).get("impossible")
    if not found or found["repaired"] or found["records"] == 0.0:
        return []
    return [
        f"About {found['records']:.0f} records of a file drawn like this one hold a combination that the original "
        "never has, although several records were to be expected with it. What draws each attribute by itself "
        "cannot avoid them; structural_zeros = true repairs such records before the file is judged and published."
    ]


def error_of(figures: NDArray[np.float64]) -> float:
    """Return the standard error of the mean of at least two figures."""
    return float(figures.std(ddof=1) / np.sqrt(len(figures)))


def _broken(problem: Problem, rules: RecordRules, genome: Any, draws: int) -> Iterator[int]:
    key = problem.genotype.key(genome)
    for draw in range(draws):
        drawn = problem.decode(genome, key, FIRST_FRESH + draw, repaired=False)
        yield int(rules.broken(drawn).sum())


def _moved(before: Codes, after: Codes, first: int, second: int) -> float:
    """Return the records in excess in some cell of a two-way table, in per cent; a missing value is a category."""
    size = 1 + int(max(before[:, second].max(initial=0), after[:, second].max(initial=0))) + 1
    cells = [(codes[:, first].astype(np.int64) + 1) * size + codes[:, second] + 1 for codes in (before, after)]
    length = 1 + int(max(cell.max(initial=0) for cell in cells))
    counts = [np.bincount(cell, minlength=length) for cell in cells]
    return float(50.0 * np.abs(counts[0] - counts[1]).sum() / max(len(before), 1))
