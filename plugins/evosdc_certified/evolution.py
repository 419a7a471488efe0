"""A file evolved on noisy tables: an ordinary experiment of the engine, which `evosdc run` repeats.

It evolves the genotype `cells` from independent attributes, its loss is the measure `private-tables`, and its children
are made by the operator `private-tables-annealing`. Its data are the file that it starts from, never the original.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import tomli_w

from evosdc.api.search import Search
from evosdc.engine.checkpoint import checkpoints
from evosdc.errors import DataError, Fault, SchemaError
from evosdc.experiment.reader import parse_experiment, read_experiment
from evosdc.files.atomic import write_text
from evosdc.files.encoding import read_text
from evosdc.files.schema.schema_file import dump_schema
from evosdc.runs.journal import Journal
from evosdc.runs.layout import EXPERIMENT, JOURNAL, KEY, RunFolder
from evosdc.secret import Key, Purpose, Seed, public, stream
from evosdc.table.schema import Schema
from evosdc_certified.annealing import anneal, shares
from evosdc_certified.domain import Cells
from evosdc_certified.measurement import Answers
from evosdc_certified.tables import FILE, Counts, PrivateTables

START = "start.csv"  # the file of a run folder that the evolution starts from
SCHEMA_FILE = "schema.toml"  # of the certified file: what the original's schema says of its attributes

MOVES_PER_CELL = 100  # moves of a whole evolution for each cell of the file
# Moves of one generation for each cell, and at least: a generation costs some moves' time besides its moves.
SWEEPS, LEAST_MOVES = 2, 200_000
MOVES_OF_GUESSES = 10  # moves for each cell between two questions
CAUTION = 0.85  # share of the time that is planned
SAVED = 10.0  # seconds between two checkpoints
TRIES = 200  # draws for each record of the start until it breaks no rule


def independent(tables: PrivateTables, records: int, rng: np.random.Generator) -> Cells:
    """Return records with independent attributes that break no rule."""
    running = shares(tables)

    def drawn(count: int) -> Cells:
        draws = [np.searchsorted(row, rng.random(count), side="right") for row in running]
        return np.stack(draws, axis=1).astype(np.int32)

    cells = drawn(records)
    for _ in range(TRIES):
        broken = np.flatnonzero(tables.domain.broken(cells))
        if not len(broken):
            return cells
        cells[broken] = drawn(len(broken))
    found = tables.domain.broken(cells)
    if found.all():
        advice = "Correct the rules, or take a greater epsilon."
        raise DataError(Fault("edit_rules", "rules that no record drawn keeps", "rules that people keep", advice))
    cells[found] = cells[rng.choice(np.flatnonzero(~found), found.sum())]
    return cells


def lay_out(folder: RunFolder, tables: PrivateTables, public: Schema | Path, drawn: Seed) -> Seed:
    """Write the input of an evolution to a new folder; `public` is the schema of the file, or where it stands."""
    text = "" if isinstance(public, Schema) else read_text(public, SchemaError)
    folder.create()
    tables.write(folder.file(FILE))
    if isinstance(public, Schema):
        dump_schema(public, folder.file(SCHEMA_FILE), complete=True)
    else:
        write_text(folder.file(SCHEMA_FILE), text)
    if isinstance(drawn, Key):
        folder.keep_key(drawn)
    return drawn


def evolved(
    folder: RunFolder,
    tables: PrivateTables,
    records: int,
    moves: int | None,
    seconds: float | None,
    drawn: Seed,
    say: Callable[[str], None] = lambda text: None,
) -> tuple[Search, int]:
    """Return a search that has ended, in a folder of `lay_out`, and its moves; what was interrupted there goes on."""
    # moves: by default `MOVES_PER_CELL` for each cell of the file, or fewer where `seconds` do not suffice. As `moves`
    # those that were made lead to the same file again.
    key = folder.file(KEY) if isinstance(drawn, Key) else None
    if not folder.file(EXPERIMENT).exists():
        rng = stream(drawn, Purpose.MASK, 1)
        start = independent(tables, records, rng)
        write_text(folder.file(START), tables.domain.text(tables.domain.values(start, rng)))
        if moves is None:
            moves = MOVES_PER_CELL * start.size
            moves = moves if seconds is None else min(moves, _affordable(folder, tables, start, seconds, drawn, key))
        document = _document(folder, tables, start, moves, drawn)
        write_text(folder.file(EXPERIMENT), f"# `evosdc run --key FILE` repeats it.\n{tomli_w.dumps(document)}")
    experiment = read_experiment(folder.file(EXPERIMENT))
    search = Search(experiment, key=key, checkpoint=folder.path if checkpoints(folder.path) else None)
    generations, saved = experiment.stop.generations or 1, monotonic()
    with closing(Journal(folder.file(JOURNAL))) as journal:
        for record in search:
            journal.write(record)
            score = search.best.scores["private-tables"]
            say(f"Evolved {search.generation / generations:.0%}: {score:.1f}, where the original has 50.")
            if monotonic() > saved + SAVED:
                journal.flush()
                search.save(folder.path)
                saved = monotonic()
    mutate = experiment.operators.mutate
    return search, generations * (mutate.params["moves"] if mutate else 0)


def _document(
    folder: RunFolder, tables: PrivateTables, start: Cells, moves: int, drawn: Seed, generations: int | None = None
) -> dict[str, Any]:
    """Return the experiment; generations: by default as many as moves of a whole evolution need."""
    count = generations or -(-moves // _moves_of_generation(start))
    annealing = {"name": "private-tables-annealing", "moves": -(-moves // count), "generations": count}
    return {
        "title": "a certified file",
        **({} if public(drawn) is None else {"seed": public(drawn)}),
        "genotype": "cells",
        "fitness": "loss",
        "algorithm": {"name": "parent-child", "mutation": 1.0},
        "executor": "serial",
        "second_opinion": False,
        "data": {"file": START, "schema": SCHEMA_FILE, "protect": list(tables.domain.names)},
        "start": {"files": [START]},
        "measures": {"il": [{"name": "private-tables", "tables": str(folder.file(FILE).resolve())}]},
        "operators": {"mutate": annealing},
        "stop": {"generations": count},
    }


def _moves_of_generation(cells: Cells) -> int:
    return max(SWEEPS * cells.size, LEAST_MOVES)


def _affordable(
    folder: RunFolder, tables: PrivateTables, start: Cells, seconds: float, drawn: Seed, key: Path | None
) -> int:
    """Return how many moves fit into a time: all are planned at once, since the temperature falls by their share."""
    times = [monotonic()]
    trial = iter(Search(parse_experiment(_document(folder, tables, start, 2, drawn, 2), folder.path), key=key))
    for _ in range(3):  # the start, a generation that loads what is compiled, and another one
        next(trial)
        times.append(monotonic())
    anneal(tables, start, LEAST_MOVES, 0.0, 0.0, np.random.default_rng(0))
    move = (monotonic() - times[3]) / LEAST_MOVES + (times[3] - times[2]) / _moves_of_generation(start)
    left = seconds - (monotonic() - times[0]) - (times[1] - times[0])
    return max(LEAST_MOVES, int(CAUTION * left / move))


def guesses(rng: np.random.Generator, records: int = 10_000, deadline: float = np.inf) -> Answers:
    """Return what answers questions by a file that goes on evolving on the tables measured so far."""
    # records: of the file at most: for guesses a smaller one does; deadline: by `time.monotonic`; the file stays as it
    # is from then on.
    cells, seen = np.empty((0, 0), np.int32), 0

    def answers(tables: PrivateTables, queries: Sequence[tuple[int, ...]]) -> list[Counts]:
        nonlocal cells, seen
        if not seen:
            cells = independent(tables, min(records, tables.records), rng)
        if len(tables.tables) != seen and monotonic() < deadline:
            cells = anneal(tables, cells, MOVES_OF_GUESSES * cells.size, 0.0, 1.0, rng)
        seen = len(tables.tables)
        return [tables.count(cells, columns) * tables.records / len(cells) for columns in queries]

    return answers
