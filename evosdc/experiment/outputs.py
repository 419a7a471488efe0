"""What a finished run leaves in its folder: result, tables of scores, frequencies, the protected file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.data.files import write_text
from evosdc.data.table import Table
from evosdc.engine.digest import digest_of
from evosdc.engine.loop import SearchState
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.folder import BEST, FREQUENCIES, FRONT, RESULT, SCORES, RunFolder
from evosdc.experiment.start import StartingFile
from evosdc.model import Individual


def write_outputs(
    folder: RunFolder, assembly: Assembly, starting: Sequence[StartingFile], state: SearchState, reason: str
) -> dict[str, Any]:
    """Write ``best.csv front.csv scores.csv frequencies.json result.json`` and return the last one's content."""
    problem, best = assembly.problem, state.best
    masked = problem.decode(best.genome, best.key)
    file = "best.parquet" if Path(assembly.source.origin).suffix == ".parquet" else BEST
    dropped = assembly.source.write(folder.file(file), masked).dropped
    _write_scores(folder, assembly, starting, state)
    folder.write_json(FREQUENCIES, frequencies(assembly.microdata.original, masked))
    document = {
        "title": assembly.experiment.heading,
        "seed": problem.streams.seed,
        "fitness": assembly.experiment.fitness.name,
        "evaluations": state.progress.evaluations,
        "generations": state.progress.generation,
        "seconds": round(state.progress.seconds, 3),
        "digest": digest_of(state.population.individuals),
        "stopped": reason,
        "records": len(assembly.source.table),
        "protect": list(assembly.microdata.protect),
        "missing_rule": str(assembly.source.table.schema.na),
        "dropped_identifiers": list(dropped),
        "identity": scored(starting[0].individual) if starting and starting[0].masking is None else None,
        "portfolio": portfolio_summary(starting),
        "best": scored(best) | {"origin": best.origin, "genome": problem.genotype.describe(best.genome), "file": file},
        "front": [scored(member) | {"origin": member.origin} for member in state.front],
    }
    folder.write_json(RESULT, document)
    return document


def scored(individual: Individual) -> dict[str, Any]:
    """Return scores and fitness as JSON-able data."""
    return {"scores": dict(individual.scores), "fitness": list(individual.objectives)}


def portfolio_summary(starting: Sequence[StartingFile]) -> dict[str, Any]:
    """Return size and best entry of the portfolio; ``best`` is None where the search began without one."""
    entries = [(file.masking, file) for file in starting if file.masking is not None]
    if not entries:
        return {"size": 0, "best": None}
    masking, file = min(entries, key=lambda entry: entry[1].individual.objectives)
    best = {"method": masking.method, "params": dict(masking.params), "attributes": list(masking.attributes)}
    return {"size": len(entries), "best": best | {"label": file.label} | scored(file.individual)}


def frequencies(original: Table, masked: Table) -> dict[str, Any]:
    """Return, by categorical attribute, how often each category occurs before and after: counts, no records."""
    document = {}
    for position, attribute in enumerate(original.schema.categorical):
        size = len(attribute.categories)
        counts = [np.bincount(table.codes[:, position] + 1, minlength=size + 1) for table in (original, masked)]
        document[attribute.name] = {
            "scale": str(attribute.scale),
            "categories": list(attribute.categories),
            "before": counts[0][1:].tolist(),
            "after": counts[1][1:].tolist(),
            "missing_before": int(counts[0][0]),
            "missing_after": int(counts[1][0]),
        }
    return document


def _write_scores(folder: RunFolder, assembly: Assembly, starting: Sequence[StartingFile], state: SearchState) -> None:
    names = [*assembly.problem.measures]
    names += [name for name in ("il", "dr") if name in state.best.scores]
    rows: list[tuple[str, int, str, str, Individual]] = []
    for slot, file in enumerate(starting):
        kind, origin = ("portfolio", file.masking.method) if file.masking else ("identity", "original")
        rows.append((kind, slot, origin, file.label, file.individual))
    for kind, members in (("population", state.population.individuals), ("front", state.front)):
        for slot, individual in enumerate(members):
            rows.append((kind, slot, individual.origin, f"{kind} {slot} ({individual.origin})", individual))
    lines = [
        [kind, slot, origin, label, individual.objectives[0], *(individual.scores[n] for n in names)]
        for kind, slot, origin, label, individual in rows
    ]
    header = ["set", "slot", "origin", "label", "fitness", *names]
    write_text(folder.file(SCORES), _csv([header, *lines]))
    front = [[line[1], line[2], *line[4:]] for line in lines if line[0] == "front"]
    write_text(folder.file(FRONT), _csv([["member", "origin", "fitness", *names], *front]))


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
