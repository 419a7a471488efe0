"""What a finished run leaves in its folder: result, tables of scores, frequencies, the protected file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.archive import Archive
from evosdc.engine.digest import digest_of
from evosdc.engine.fresh import advantage, fresh_scores
from evosdc.engine.hypervolume import REFERENCE
from evosdc.engine.loop import SearchState
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.build.constraints import judged_constraints
from evosdc.experiment.build.start import StartingFile, fresh_masking_scores
from evosdc.experiment.run.matrices import write_transitions
from evosdc.experiment.run.privacy import risk_document
from evosdc.files.atomic import write_text
from evosdc.files.delimited_file import DelimitedFile
from evosdc.model import Described, Generalising, Individual, PostRandomised
from evosdc.model.individual import INFEASIBILITY
from evosdc.runs.layout import BEST, FREQUENCIES, FRONT, PICTURE, RESULT, RISK, SCORES, RunFolder
from evosdc.table.table import Table


def write_outputs(
    folder: RunFolder, assembly: Assembly, starting: Sequence[StartingFile], state: SearchState, reason: str
) -> dict[str, Any]:
    """Write ``best.csv scores.csv front.csv frequencies.json risk.json result.json``; return the last one's content."""
    problem, algorithm = assembly.problem, assembly.algorithm
    best = algorithm.solution(state.population, state.best)
    masked = problem.decode(best.genome, best.key)
    file = BEST if isinstance(assembly.source.original, DelimitedFile) else "best.parquet"
    genotype = problem.genotype
    omitted = genotype.omitted(best.genome) if isinstance(genotype, Generalising) else None
    written = assembly.source.write(folder.file(file), masked, omitted=omitted)
    for number, (title, picture) in enumerate(algorithm.pictures(state.population, best).items(), 1):
        # Two hyphens would end the comment, and an attribute's name may hold them.
        shown = " ".join(title.replace("--", "\N{EN DASH}").split())
        write_text(folder.file(f"{PICTURE}-{number}.svg"), f"<!-- {shown} -->\n{picture}")
    _write_scores(folder, assembly, starting, state)
    folder.write_json(FREQUENCIES, frequencies(assembly.microdata.original, masked))
    folder.write_json(RISK, risk_document(assembly.microdata, masked, assembly.registry, omitted))
    described = genotype if isinstance(genotype, Described) else None
    for name, text in described.files(best.genome).items() if described else ():
        write_text(folder.file(name), text)
    if isinstance(genotype, PostRandomised):
        write_transitions(folder, assembly.microdata.original, masked, genotype.transitions(best.genome))
    judged = judged_constraints(problem.constraints, best.scores)
    broken = [str(entry["constraint"]) for entry in judged if not entry["holds"]]
    document = {
        "title": assembly.experiment.heading,
        "seed": problem.streams.seed,
        "fitness": assembly.experiment.fitness.name,
        "evaluations": state.progress.evaluations,
        "failed": state.progress.failed,
        "generations": state.progress.generation,
        "seconds": round(state.progress.seconds, 3),
        "digest": digest_of(state.population.individuals),
        "stopped": reason,
        "records": len(assembly.source.table),
        "protect": list(assembly.microdata.protect),
        "missing_rule": str(assembly.source.table.schema.na),
        "dropped_identifiers": list(written.dropped),
        "changed": dict(written.changed),
        "warnings": [
            *warnings_of(starting, best, written.changed, len(masked), broken),
            *failure_warning(state.progress.failed, state.progress.evaluations),
        ],
        "identity": scored(unprotected) if (unprotected := original_of(starting, best)) is not None else None,
        "portfolio": portfolio_summary(starting),
        "best": scored(best)
        | {"origin": best.origin, "genome": algorithm.describe(state.population, best), "file": file}
        | ({"rules": dict(described.rules(best.genome))} if described else {}),
        "constraints": judged,
        "hypervolume": hypervolumes(starting, state),
        "notes": [*(described.notes if described else ()), *left_out_note(starting, assembly.plan.without_best)],
        "fresh": fresh_summary(assembly, starting, best),
        "front": [scored(member) | {"origin": member.origin} for member in state.front],
    }
    folder.write_json(RESULT, document)
    return document


def warnings_of(
    starting: Sequence[StartingFile],
    best: Individual,
    changed: Mapping[str, int],
    records: int,
    broken: Sequence[str] = (),
) -> list[str]:
    """Return what must be known before the protected file is released, in sentences; usually nothing."""
    warnings = []
    if broken:
        which = ", ".join(broken)
        warnings.append(
            f"No file that fulfils all constraints was found: the protected file breaks {which}. Do not release it "
            "as it is; search longer, start from stronger methods, or loosen the constraints."
        )
    identity = original_of(starting, best)
    if identity is not None and best.precedence >= identity.precedence:
        warnings.append(
            "The protected file does not score better than the unprotected original: by this fitness, publishing the "
            "original would be as good. The fitness max balances loss and risk; so may more protected attributes."
        )
    cells, total = sum(changed.values()), records * len(changed)
    if 100 * cells < total:
        warnings.append(
            f"Only {cells} of {total} protected values differ from the original: the file is hardly protected."
        )
    return warnings


def failure_warning(failed: int, evaluations: int) -> list[str]:
    """Return a sentence on evaluations that failed and were penalised; none where there were none."""
    if not failed:
        return []
    return [
        f"{failed} of {evaluations} evaluations failed; those candidates counted as the worst there can be. With "
        'on_error = "raise" the run ends at the first of them and tells what is wrong.'
    ]


def original_of(starting: Sequence[StartingFile], best: Individual) -> Individual | None:
    """Return the unprotected original; None where it may not be published, so that no search could end with it."""
    constrained = "violation" in best.scores
    return None if constrained else next((file.individual for file in starting if file.masking is None), None)


def scored(individual: Individual) -> dict[str, Any]:
    """Return scores and fitness as JSON-able data."""
    return {"scores": dict(individual.scores), "fitness": list(individual.objectives)}


def portfolio_summary(starting: Sequence[StartingFile]) -> dict[str, Any]:
    """Return size and best entry of the portfolio; ``best`` is None where the search began without one.

    Files that were left out, being the best, are counted apart: ``left_out`` has their number and the best of them.
    """
    apart = [file for file in starting if file.left_out]
    document = {"size": len(entries_of(starting)), "best": _best_entry(entries_of(starting))}
    return document | ({"left_out": {"size": len(apart), "best": _best_entry(apart)}} if apart else {})


def entries_of(starting: Sequence[StartingFile]) -> list[StartingFile]:
    """Return the files that the search starts from or is compared with: neither the original nor those left out."""
    return [file for file in starting if file.masking is not None and not file.left_out]


def _best_entry(files: Sequence[StartingFile]) -> dict[str, Any] | None:
    if not files:
        return None
    file = min(files, key=lambda file: file.individual.precedence)
    assert file.masking is not None, "the original is no entry of a portfolio"
    masking = file.masking
    best = {"method": masking.method, "params": dict(masking.params), "attributes": list(masking.attributes)}
    return best | {"label": file.label} | scored(file.individual)


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
    """Return what the front of the search and that of the portfolio dominate, in percent of the box up to `reference`.

    The portfolio's front is made of its files and nothing else. None where there is one objective only, or no
    portfolio.
    """
    files = [file.individual for file in entries_of(starting)]
    found = Archive(state.front, state.passed).hypervolume
    if found is None or not files:
        return None
    return {"reference": REFERENCE, "front": found, "portfolio": Archive(files).hypervolume}


def fresh_summary(assembly: Assembly, starting: Sequence[StartingFile], best: Individual) -> dict[str, Any] | None:
    """Return the winner on fresh draws with standard errors, beside the best of what it started from and is compared
    to.

    None without random decoding. ``founder`` is the best of the genotype's own initial genomes and ``portfolio`` that
    of the methods that were scored for comparison, each chosen by the draws of the search and judged on fresh ones.
    ``advantage`` is by how much the winner's first objective is less; a founder sees the winner's own random numbers,
    which makes the standard error of that smaller.
    """
    problem, plan = assembly.problem, assembly.plan
    draws = problem.fresh_draws
    if draws < 2:
        return None
    winner = fresh_scores(problem, best.genome, best.key, draws)
    document: dict[str, Any] = {"draws": draws, "best": winner.document(), "founder": None, "portfolio": None}
    by_label = {file.label: file for file in starting if not file.left_out}
    listed = {position: by_label[masking.label] for masking, position in plan.listed if masking.label in by_label}
    first = len(plan.maskings)
    founders = {place: file for place, file in listed.items() if first <= place < first + len(plan.founders)}
    if founders:
        place = min(founders, key=lambda position: founders[position].individual.precedence)
        genome = problem.initial_genomes[place - first][1]
        judged = fresh_scores(problem, genome, problem.genotype.key(genome), draws)
        gained, error = advantage(winner, judged)
        compared = {"label": founders[place].label, "advantage": gained, "advantage_error": error}
        document["founder"] = compared | judged.document()
    others = {place: file for place, file in listed.items() if place >= plan.candidates}
    if others:
        place = min(others, key=lambda position: others[position].individual.precedence)
        judged = fresh_masking_scores(problem, plan, assembly.registry, place, draws)
        gained, error = advantage(winner, judged, paired=False)
        compared = {"label": others[place].label, "advantage": gained, "advantage_error": error}
        document["portfolio"] = compared | judged.document()
    return document


MANY_CATEGORIES, RARE = 60, 3


def frequencies(original: Table, masked: Table) -> dict[str, Any]:
    """Return, by categorical attribute, how often each category occurs before and after: counts, no records.

    A rare category of an attribute with many is nearly a record: with more than 60 categories all that occur fewer than
    3 times both before and after are counted together, as the last entry.
    """
    document = {}
    for attribute in original.schema.categorical:
        after = masked.schema[attribute.name]  # by name: numbers that were generalised have become categories, too
        labels = after.categories if len(after.categories) > len(attribute.categories) else attribute.categories
        columns = [np.asarray(table.column(attribute.name), dtype=np.int64) for table in (original, masked)]
        counts = [np.bincount(column + 1, minlength=len(labels) + 1) for column in columns]
        present = np.stack([count[1:] for count in counts])
        names = list(labels)
        rare: NDArray[np.bool_] = np.all(present < RARE, axis=0)
        if len(labels) > MANY_CATEGORIES and rare.sum() > 1:
            names = [name for name, few in zip(labels, rare, strict=True) if not few]
            names.append(f"{int(rare.sum())} rare categories")
            present = np.column_stack([present[:, ~rare], present[:, rare].sum(axis=1)])
        document[attribute.name] = {
            "scale": str(attribute.scale),
            "categories": names,
            "before": present[0].tolist(),
            "after": present[1].tolist(),
            "missing_before": int(counts[0][0]),
            "missing_after": int(counts[1][0]),
        }
    return document


def _write_scores(folder: RunFolder, assembly: Assembly, starting: Sequence[StartingFile], state: SearchState) -> None:
    names = [*assembly.problem.measures]
    names += [name for name in ("il", "dr") if name in state.best.scores]
    rows: list[tuple[str, int, str, str, Individual]] = []
    for slot, file in enumerate(starting):
        if file.left_out:
            continue
        kind, origin = ("portfolio", file.masking.method) if file.masking else ("identity", "original")
        rows.append((kind, slot, origin, file.label, file.individual))
    for kind, members in (("population", state.population.members), ("front", state.front)):
        for slot, individual in enumerate(members):
            rows.append((kind, slot, individual.origin, f"{kind} {slot} ({individual.origin})", individual))
    names += [figure for figure in assembly.problem.constraints.derived if figure in state.best.scores]
    judged = [individual for *_, individual in rows]
    names += [INFEASIBILITY] * any(INFEASIBILITY in individual.scores for individual in judged)
    lines = [[*row[:-1], *_figures(individual, names)] for row, individual in zip(rows, judged, strict=True)]
    header = ["set", "slot", "origin", "label", "fitness", *names]
    write_text(folder.file(SCORES), csv_text([header, *lines]))
    front = [[line[1], line[2], *line[4:]] for line in lines if line[0] == "front"]
    write_text(folder.file(FRONT), csv_text([["member", "origin", "fitness", *names], *front]))


def _figures(individual: Individual, names: Sequence[str]) -> list[float | None]:
    """Return the first objective and the named scores; of what could not be evaluated the infeasibility alone."""
    if individual.failed:
        return [None, *(individual.infeasibility if name == INFEASIBILITY else None for name in names)]
    scores = {INFEASIBILITY: 0.0, **individual.scores}
    return [individual.objectives[0], *(scores[name] for name in names)]


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as the text of a CSV file; None becomes an empty field."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
