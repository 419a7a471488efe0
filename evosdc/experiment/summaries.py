"""The summary of a finished search: warnings, the portfolio in figures, the front, and the winner on fresh draws."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.archive import REFERENCE, Archive
from evosdc.engine.fresh import FIRST_FRESH, advantage, fresh_scores
from evosdc.engine.loop import SearchState
from evosdc.engine.problem import Problem
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.reader import Recipe
from evosdc.experiment.recipe import chain_of
from evosdc.experiment.start import StartingFile, fresh_masking_scores, scored
from evosdc.model import Individual, Masking, Microdata
from evosdc.model.individual import INFEASIBILITY
from evosdc.runs.layout import PLANNING, RECIPE, TUNING, RunFolder
from evosdc.runs.result import Entry, Portfolio
from evosdc.table.structural_zeros import THRESHOLD
from evosdc.table.table import Codes, Table


def warnings_of(
    assembly: Assembly,
    starting: Sequence[StartingFile],
    best: Individual,
    changed: Mapping[str, int],  # how many values of each protected attribute differ from the original
    judged: Sequence[Mapping[str, Any]],  # the constraints, and whether the protected file meets them
) -> list[str]:
    """Return warnings before publication of the protected file, in sentences; usually none."""
    warnings, alike = [], alike_in_words(assembly.microdata.original)
    if broken := [str(entry["requirement"]) for entry in judged if not entry["met"]]:
        which = ", ".join(broken)
        helps = "; search longer, start from stronger methods, or loosen the constraints."
        warnings.append(
            f"No file that fulfils all constraints was found: the protected file breaks {which}. Do not release it "
            f"as it is{f'. {alike}: no longer search and no other method helps.' if alike else helps}"
        )
    identity = original_of(starting, best)
    # Of several objectives the original is best in one: neither file is better than the other.
    single = len(best.objectives) == 1
    worse = identity is not None and best.objectives >= identity.objectives
    if identity is not None and single and worse and _excess(best) >= _excess(identity):
        balancing = assembly.registry.defaults("fitness", "protect")
        other = f"The fitness {balancing[0]} balances loss and risk; so may more" if balancing else "Try more"
        warnings.append(
            "The protected file does not score better than the unprotected original: by this fitness, publishing the "
            f"original would be as good. {alike or f'{other} protected attributes'}."
        )
    cells, total = sum(changed.values()), len(assembly.source.table) * len(changed)
    if 100 * cells < total:
        warnings.append(
            f"Only {cells} of {total} protected values differ from the original: the file is hardly protected."
        )
    return warnings


def alike_in_words(original: Table) -> str:
    """Return a warning that a file has one record, or that all have equal masked values; else the empty text."""
    if len(original) == 1:
        return "The file has one record, and whatever it is masked to is that person's"
    unknown, numbers = np.isnan(original.numbers), original.numbers
    same = (numbers == numbers[:1]) | (unknown & unknown[:1])
    alike = same.all() and (original.codes == original.codes[:1]).all()
    return "All records are alike in what is masked, which tells nobody apart as it is" if alike else ""


def failure_warning(failed: int, evaluations: int) -> list[str]:
    """Return a sentence on evaluations that failed and were penalised; none where there were none."""
    if not failed:
        return []
    return [
        f"{failed} of {evaluations} evaluations failed; those candidates counted as the worst there can be. With "
        'on_error = "raise" the run ends at the first of them and tells what is wrong.'
    ]


def time_warning(reason: str, records: int, evaluations: int, files: int, planned: int) -> list[str]:
    """Return that the time, if it ended the search, was too short for the file; nothing where it was not."""
    if not reason.endswith(" seconds") or evaluations >= records:
        return []
    were = "was" if files == 1 else "were"
    made = f"{files:,} of {planned:,} starting files {were} made, and " if files < planned else ""
    return [
        f"The time was too short for {records:,} records: {made}{evaluations:,} candidates were judged, fewer than "
        "there are records. Which file is found is then largely luck; ten times the time may find a better one."
    ]


def original_of(starting: Sequence[StartingFile], best: Individual) -> Individual | None:
    """Return the unprotected original; None where it may not be published, so that no search could end with it."""
    constrained = "violation" in best.scores
    return None if constrained else next((file.individual for file in starting if file.masking is None), None)


def portfolio_summary(starting: Sequence[StartingFile], folder: RunFolder) -> Portfolio:
    """Return size and best of the files without a search, and of tuning where methods were tuned."""
    entries, apart = entries_of(starting), [file for file in starting if file.left_out]
    document: dict[str, Any] = {"size": len(entries), "best": _best_entry(entries)}
    if apart:
        document["left_out"] = {"size": len(apart), "best": _best_entry(apart)}
    if folder.file(TUNING).exists():
        tuning = folder.read_json(TUNING)
        # The last three of these are lacking in files of older versions.
        keys = ("best", "best_file", "evaluations", "seconds", "designs", "untried", "evidence")
        kept = {key: tuning[key] for key in keys if key in tuning}
        document["tuned"] = kept | {"methods": len(tuning["methods"]), "file": TUNING}
        # Where time ended before any file was made again, the best is the one that tuning found.
        document["best"] = document["best"] or tuning["best_file"]
    return Portfolio.model_validate(document)


def entries_of(starting: Sequence[StartingFile]) -> list[StartingFile]:
    """Return the files without a search that one starts from or is compared with; the original is none of them."""
    # Neither are those left out, nor files of an evolved plan.
    return [file for file in starting if file.masking is not None and not file.left_out and not file.planned]


def recipe_summary(
    folder: RunFolder, best: Individual, recipe: Recipe | None = None, classical: Entry | None = None
) -> dict[str, Any] | None:
    """Return the evolved plan that a search began with, its mean scores, and by how much the file found is better."""
    # ``words`` says so in a sentence. ``better_percent`` is what it costs to publish a file that can be explained; None
    # for several objectives. Of a search of plans it is the plan that makes the file, and there is no such price. None
    # at all where no plan was evolved. The tuned method that is best in the mean need not be the one whose file is
    # `classical`, the best without a search: where it is not, ``words`` says what each of them is.
    if recipe is not None and not folder.file(PLANNING).exists():
        label = chain_of([step.masking for step in recipe.steps]).label
        words = f"A recipe made the file; it can be explained and repeated on another one ({RECIPE}): {label}."
        summary = {"label": label, "steps": len(recipe.steps), "draws": recipe.draws, "scores": recipe.scores}
        return summary | {"file": RECIPE, "words": words}
    if not folder.file(PLANNING).exists():
        return None
    document = folder.read_object(PLANNING, "scores")
    score = document["scores"].get("score")
    single = len(best.objectives) == 1 and score
    better = 100.0 * (score - best.objectives[0]) / abs(score) if single else None
    beside = recipe.beside if recipe is not None else ""
    words = f"Recipe ({RECIPE}): {document['label']}. Unlike the file found, it can be explained and repeated."
    if better is not None:
        words += f" A new file of it scores {score:.3f} in the mean; the file found is "
        # Its price is overstated where plans had a small share of the time.
        nearer = "; plans that are evolved to the end (--explainable) may come nearer."
        words += f"{better:.1f} % better{nearer}" if better > 0.0 else "no better."
    row = folder.read_json(TUNING)["best"] if folder.file(TUNING).exists() else None
    if row is not None and single:
        mean, name = row["mean"][0], row["name"]
        words += (
            f" Of tuned methods, new files of {name} score best in the mean: {mean:.3f}, by the draws that chose it."
            if row["draws"] > 1
            else f" Of tuned methods, a file of {name} scores best: {mean:.3f}. New files were not scored."
        )
        if (
            classical is not None
            and Masking.from_json(classical.model_dump()).methods != Masking.from_json(row).methods
        ):
            words += (
                f" The best single file made without a search, which the file found is compared with, is another one: "
                f"{classical.label} with {classical.fitness[0]:.3f}. New files of it were not scored."
            )
    kept = {key: document.get(key) for key in ("label", "steps", "draws", "scores", "evaluations", "seconds")}
    return kept | {"better_percent": better, "file": RECIPE, "words": words, "beside": beside}


def _excess(individual: Individual) -> tuple[float, tuple[float, ...]]:
    """Return by how much constraints are broken, and the objectives; having been judged on few tables is no fault."""
    return scored(individual).scores.get(INFEASIBILITY, 0.0), individual.objectives


def _best_entry(files: Sequence[StartingFile]) -> dict[str, Any] | None:
    if not files:
        return None
    file = min(files, key=lambda file: file.individual.precedence)
    assert file.masking is not None, "the original is no entry of a portfolio"
    masking = file.masking
    written = {key: value for key, value in masking.to_json().items() if key != "by" or value}
    return written | {"label": file.label} | scored(file.individual).model_dump()


def left_out_note(starting: Sequence[StartingFile], percent: float) -> list[str]:
    """Return a sentence that says which of the best starting files the experiment left out; none where it did not."""
    apart = [file for file in starting if file.left_out]
    if not apart:
        return []
    best = min(apart, key=lambda file: file.individual.precedence)
    score = " and ".join(f"{value:.3f}" for value in best.individual.objectives)
    return [
        f"The best {percent:g} % of the masked files by the fitness, {len(apart)} of "
        f"{len(apart) + len(entries_of(starting))}, were left out of the start, as the experiment says; the best of "
        f"them is {best.label} with {score}."
    ]


def hypervolumes(starting: Sequence[StartingFile], state: SearchState) -> dict[str, Any] | None:
    """Return the hypervolumes of the search's and the portfolio's front, in per cent of the box to `reference`."""
    # The portfolio's front is made of its files and nothing else. None where there is one objective only, or no
    # portfolio.
    files = [file.individual for file in entries_of(starting)]
    found = Archive(state.front, state.passed).hypervolume
    if found is None or not files:
        return None
    return {"reference": REFERENCE, "front": found, "portfolio": Archive(files).hypervolume}


def fresh_summary(assembly: Assembly, starting: Sequence[StartingFile], best: Individual) -> dict[str, Any] | None:
    """Return the winner on fresh draws with standard errors, beside the best that it is compared with."""
    # None without random decoding. ``founder`` is the best of the genotype's own initial genomes. ``portfolio`` is the
    # best of the methods that were scored for comparison. Each is chosen by the draws of the search and judged on fresh
    # ones. ``requirements``, ``pairs`` and ``impossible`` say what holds of the winner: see `fresh_findings`.
    # ``advantage`` is by how much the winner's first objective is less. Initial genomes see the winner's own random
    # numbers, which makes the standard error of that smaller.
    problem, plan = assembly.problem, assembly.plan
    draws = problem.fresh_draws
    if draws < 2:
        return None
    winner = fresh_scores(problem, best.genome, best.key, draws)
    document: dict[str, Any] = {"draws": draws, "best": winner.to_json(), "founder": None, "portfolio": None}
    tables = [problem.decode(best.genome, best.key, FIRST_FRESH + draw) for draw in range(draws)]
    document["requirements"] = requirements_on(problem, best.genome, tables)
    if tables[0].schema == assembly.microdata.original.schema:
        document["pairs"] = pairs_on(assembly.microdata.original, tables)
        document["impossible"] = impossible_on(problem, assembly.source.table, best.genome, draws)
    by_label = {file.masking.label: file for file in starting if file.masking is not None and not file.left_out}
    listed = {position: by_label[masking.label] for masking, position in plan.listed if masking.label in by_label}
    first = len(plan.maskings)
    initial = {place: file for place, file in listed.items() if first <= place < first + len(plan.initial)}
    if initial:
        place = min(initial, key=lambda position: initial[position].individual.precedence)
        genome = problem.initial_genomes[place - first][1]
        judged = fresh_scores(problem, genome, problem.genotype.key(genome), draws)
        gained, error = advantage(winner, judged)
        compared = {"label": initial[place].label, "advantage": gained, "advantage_error": error}
        document["founder"] = compared | judged.to_json()
    others = {place: file for place, file in listed.items() if place >= plan.candidates}
    if others:
        place = min(others, key=lambda position: others[position].individual.precedence)
        judged = fresh_masking_scores(problem, plan, place, draws)
        gained, error = advantage(winner, judged, paired=False)
        compared = {"label": others[place].label, "advantage": gained, "advantage_error": error}
        document["portfolio"] = compared | judged.to_json()
    return document


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
    key = problem.genotype.key(genome)
    drawn = (problem.decode(genome, key, FIRST_FRESH + draw, repaired=False) for draw in range(draws))
    counts = np.array([float(rules.broken(table).sum()) for table in drawn])
    return {"records": float(counts.mean()), "error": error_of(counts), "repaired": repaired}


def impossible_warning(fresh: dict[str, Any] | None) -> list[str]:
    """Return a sentence on impossible records, where they are published; none otherwise."""
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


def _moved(before: Codes, after: Codes, first: int, second: int) -> float:
    """Return the records in excess in some cell of a two-way table, in per cent; a missing value is a category."""
    size = 1 + int(max(before[:, second].max(initial=0), after[:, second].max(initial=0))) + 1
    cells = [(codes[:, first].astype(np.int64) + 1) * size + codes[:, second] + 1 for codes in (before, after)]
    length = 1 + int(max(cell.max(initial=0) for cell in cells))
    counts = [np.bincount(cell, minlength=length) for cell in cells]
    return float(50.0 * np.abs(counts[0] - counts[1]).sum() / max(len(before), 1))
