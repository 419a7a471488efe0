"""Checkpoints: the whole state of a search in one npz file; arrays and JSON, never pickle."""

import json
import zipfile
import zlib
from collections.abc import Sequence
from math import isnan, nan
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from evosdc.engine.genome_deltas import packed, unpacked
from evosdc.engine.loop import SearchState, attained
from evosdc.engine.stop import Progress
from evosdc.errors import CheckpointError, Fault, PluginError
from evosdc.files.atomic import atomic
from evosdc.model import Genotype, Individual, Population

FORMAT = 4  # The one format that is read
SO_FAR = "so-far.npz"  # the best file of a run that ended before its search began was chosen from it; never resumed
KEPT = 2  # How many checkpoints stay: the newest and one to fall back to
_UNREADABLE = (
    TokenError,
    OSError,
    ValueError,
    LookupError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    PluginError,
)


def save_checkpoint(folder: Path, state: SearchState, genotype: Genotype[Any]) -> Path:
    """Write ``checkpoint-<generation>.npz`` atomically and remove all but the last two."""
    target = folder / f"checkpoint-{state.population.generation:08d}.npz"
    _write(target, state, genotype)
    for old in checkpoints(folder)[:-KEPT]:
        old.unlink(missing_ok=True)
    return target


def save_so_far(folder: Path, state: SearchState, genotype: Genotype[Any]) -> None:
    """Write `SO_FAR` atomically, for a run that ends before its search begins; raises as `save_checkpoint`."""
    _write(folder / SO_FAR, state, genotype)


def found_so_far(folder: Path, genotype: Genotype[Any]) -> SearchState | None:
    """Return the state of the newest readable checkpoint; without any that of `SO_FAR`, or None."""
    state, _ = newest_checkpoint(folder, genotype)
    if state is None and (folder / SO_FAR).exists():
        state = load_checkpoint(folder / SO_FAR, genotype)
    return state


def _write(target: Path, state: SearchState, genotype: Genotype[Any]) -> None:
    distinct: dict[bytes, Individual] = {}
    for individual in (*state.population, *state.front, state.best):
        distinct.setdefault(individual.key, individual)
    position = {key: index for index, key in enumerate(distinct)}
    individuals = list(distinct.values())
    # Not all may have the same: what could not be evaluated is marked by a score of its own.
    names = list(dict.fromkeys(name for individual in individuals for name in individual.scores))
    document = {
        "format": FORMAT,
        "generation": state.population.generation,
        "evaluations": state.progress.evaluations,
        "seconds": state.progress.seconds,
        "stalled": state.progress.stalled,
        "diversity": state.progress.diversity,
        "failed": state.progress.failed,
        "volume": state.progress.volume,
        "settled": state.progress.settled,
        "scores": names,
        "genomes": len(individuals),
    }
    arrays = {
        "document": np.frombuffer(json.dumps(document).encode(), dtype=np.uint8),
        "scores": np.array([[i.scores.get(name, nan) for name in names] for i in individuals]),
        "objectives": np.array([i.objectives for i in individuals]),
        "population": np.array([position[i.key] for i in state.population], dtype=np.int64),
        "population_origins": _texts([i.origin for i in state.population]),
        "front": np.array([position[i.key] for i in state.front], dtype=np.int64),
        "front_origins": _texts([i.origin for i in state.front]),
        "passed": np.array(state.passed, dtype=np.float64),
        "best": np.array([position[state.best.key]], dtype=np.int64),
        "best_origins": _texts([state.best.origin]),
    }
    arrays |= {f"memory/{name}": array for name, array in state.population.memory.items()}
    arrays |= packed(genotype.dump(individual.genome) for individual in individuals)
    with atomic(target) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoint files of a run folder, oldest first."""
    return sorted(folder.glob("checkpoint-*.npz"))


def load_checkpoint(path: Path, genotype: Genotype[Any]) -> SearchState:
    """Return the state that a checkpoint holds."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        document = json.loads(arrays["document"].tobytes())
        if document["format"] != FORMAT:
            given = f"a checkpoint of format {document['format']}"
            advice = "Resume with the evosdc that wrote it, or begin a new run."
            raise CheckpointError(Fault(path.name, given, f"format {FORMAT}, which this evosdc reads", advice))
        return _state(arrays, document, genotype)
    except _UNREADABLE as error:
        # numpy's own words would advise to load the file unsafely.
        given = "a file that is cut off, damaged, or not of this run"
        raise CheckpointError(Fault(path.name, given, "a checkpoint of the run")) from error


def newest_checkpoint(folder: Path, genotype: Genotype[Any]) -> tuple[SearchState | None, list[str]]:
    """Return the newest readable state, and a note on unreadable ones; None when there is no checkpoint."""
    complaints: list[str] = []
    for path in reversed(checkpoints(folder)):
        try:
            return load_checkpoint(path, genotype), complaints
        except CheckpointError as error:
            complaints.append(str(error))
    if complaints:
        given = f"no checkpoint that can be read ({' '.join(complaints)})"
        raise CheckpointError(Fault(str(folder), given, "a run folder that is whole", "Begin a new run."))
    return None, complaints


def front_scores(folder: Path) -> list[dict[str, Any]]:
    """Return ``scores`` and ``origin`` of each member of the front in the newest readable checkpoint."""
    # Without any checkpoint those of what a run had that ended before its search began. Nothing where there is none
    # yet: a run in progress may just be replacing it.
    for path in [*reversed(checkpoints(folder)), folder / SO_FAR]:
        try:
            with np.load(path, allow_pickle=False) as file:
                names = json.loads(file["document"].tobytes())["scores"]
                scores, members = file["scores"], file["front"]
                origins = file["front_origins"].tolist()
            return [
                {"scores": dict(zip(names, scores[place].tolist(), strict=True)), "origin": origin}
                for place, origin in zip(members.tolist(), origins, strict=True)
            ]
        except _UNREADABLE:
            continue
    return []


def checkpoints_after(folder: Path, generation: int) -> list[Path]:
    """Return the checkpoints after a generation."""
    return [path for path in checkpoints(folder) if int(path.stem.partition("-")[2]) > generation]


def set_aside_newer(folder: Path, generation: int) -> None:
    """Rename checkpoints after a generation to ``*.damaged``, so that none replaces a sound one."""
    for path in checkpoints_after(folder, generation):
        path.replace(path.with_name(f"{path.name}.damaged"))


def _state(arrays: dict[str, Any], document: dict[str, Any], genotype: Genotype[Any]) -> SearchState:
    names = document["scores"]
    genomes = [genotype.load(dump) for dump in unpacked(arrays, document["genomes"])]
    for genome in genomes:
        genotype.check(genome)
    keys = [genotype.key(genome) for genome in genomes]

    def individuals(group: str) -> tuple[Individual, ...]:
        return tuple(
            Individual(
                genomes[i],
                keys[i],
                {n: v for n, v in zip(names, arrays["scores"][i].tolist(), strict=True) if not isnan(v)},
                tuple(arrays["objectives"][i].tolist()),
                origin,
            )
            for i, origin in zip(arrays[group].tolist(), arrays[f"{group}_origins"].tolist(), strict=True)
        )

    (best,) = individuals("best")
    memory = {name.removeprefix("memory/"): array for name, array in arrays.items() if name.startswith("memory/")}
    population = Population(individuals("population"), document["generation"], memory)
    progress = Progress(
        document["generation"],
        document["evaluations"],
        document["seconds"],
        document["stalled"],
        attained(best),
        document.get("diversity"),
        document.get("failed", 0),
        document.get("volume"),
        document.get("settled", 0),
    )
    passed = tuple(map(tuple, arrays["passed"].tolist())) if "passed" in arrays else ()
    return SearchState(population, best, individuals("front"), progress, passed)


def _texts(values: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.array(values, dtype=np.str_)
