"""Made-up run folders in the shape that runs leave behind."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

MEASURES = ("dbil", "ctbil", "ebil", "id", "dbrl", "prl")
METHODS = ("mdav", "pram", "rank-swapping", "global-recoding", "top-coding", "bottom-coding")
ATTRIBUTES = {
    "savings": ("ordinal", ["< 100 DM", "100 to 500 DM", "500 to 1000 DM", "1000 DM and more", "none or unknown"]),
    "presemploy": ("ordinal", ["A71", "A72", "A73", "A74", "A75"]),
    "district": ("nominal", [f"district <{number}> & more, far away" for number in range(50)]),
}


def scores_of(il: float, dr: float, rng: np.random.Generator) -> dict[str, float]:
    """Return scores of all measures whose means are about `il` and `dr`, and exactly so in ``il`` and ``dr``."""
    parts = rng.dirichlet(np.ones(3), 2) * 3
    values = [*(il * parts[0]), *(dr * parts[1])]
    return dict(zip(MEASURES, (float(v) for v in values), strict=True)) | {"il": il, "dr": dr}


def write_run(
    folder: Path,
    *,
    title: str = "Cells of German Credit",
    seed: int = 7,
    fitness: str = "mean",
    generations: int = 60,
    portfolio: int = 40,
    population: int = 40,
    front: int = 9,
    state: str = "done",
    frequencies: bool = True,
    attributes: dict[str, tuple[str, list[str]]] | None = None,
    il_dr: bool = True,
    finished: bool = True,
    message: str = "",
) -> Path:
    """Write a run folder of plausible numbers and return it.

    `finished` tells whether result, scores and frequencies exist, which an engine writes at the end; without `il_dr`
    the one measure is ``dm``.
    """
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    attributes = ATTRIBUTES if attributes is None else attributes
    _json(folder / "resolved.json", _resolved(title, seed, fitness, generations, list(attributes), il_dr))
    _json(folder / "environment.json", _environment(fitness))
    lines = _journal(rng, fitness, generations, portfolio, il_dr)
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    last = lines[-1] if lines else {"generation": 0, "evaluations": 0, "seconds": 0.0}
    status = {key: last[key] for key in ("generation", "evaluations", "seconds")}
    _json(folder / "status.json", {"state": state, **status, "message": message})
    if not finished:
        return folder
    sets = _files(rng, fitness, portfolio, population, front, il_dr)
    best = min((row for row in sets if row["set"] in ("population", "front")), key=lambda row: row["fitness"])
    _write_scores(folder / "scores.csv", sets)
    (folder / "best.csv").write_text("savings,presemploy\nnone,A71\n", encoding="utf-8")
    if frequencies:
        _json(folder / "frequencies.json", _frequencies(rng, attributes))
    portfolio_rows = [row for row in sets if row["set"] == "portfolio"]
    first = min(portfolio_rows, key=lambda row: row["fitness"], default=None)
    result = {
        "version": 2,
        "title": title,
        "seed": seed,
        "fitness": fitness,
        "evaluations": last["evaluations"],
        "generations": last["generation"],
        "seconds": last["seconds"],
        "digest": "d1" * 32,
        "stopped": "60 generations are done",
        "records": 1000,
        "protect": list(attributes),
        "missing_rule": "category",
        "dropped_identifiers": ["name"],
        "identity": {key: sets[0][key] for key in ("scores", "fitness")},
        "portfolio": {
            "size": len(portfolio_rows),
            "best": first and {"method": first["origin"], "params": {"k": 3}, "label": first["label"]}
            | {"scores": first["scores"], "fitness": first["fitness"]},
        },
        "best": {
            "scores": best["scores"], "fitness": best["fitness"], "origin": "mutation", "file": "best.csv",
            "genome": {"changed": 17},
        },
        "front": [{k: row[k] for k in ("scores", "fitness", "origin")} for row in sets if row["set"] == "front"],
    }  # fmt: skip
    _json(folder / "result.json", result)
    return folder


def amend(folder: Path, **entries: Any) -> Path:
    """Set entries of the result of a run folder and return the folder."""
    document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    _json(folder / "result.json", document | entries)
    return folder


def resolve(folder: Path, **sections: dict[str, Any]) -> Path:
    """Change sections of the resolved experiment of a run folder and return the folder."""
    document = json.loads((folder / "resolved.json").read_text(encoding="utf-8"))
    _json(folder / "resolved.json", {k: v | sections[k] if k in sections else v for k, v in document.items()})
    return folder


def objectives_of(fitness: str, scores: dict[str, float]) -> list[float]:
    """Return the objectives of a fitness."""
    if "il" not in scores:
        return [scores["dm"]]
    il, dr = scores["il"], scores["dr"]
    return {"mean": [(il + dr) / 2], "max": [max(il, dr)], "pareto": [il, dr]}[fitness]


def _json(path: Path, document: Any) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def _resolved(
    title: str, seed: int, fitness: str, generations: int, protect: Sequence[str], il_dr: bool
) -> dict[str, Any]:
    measures = {"il": [{"name": n} for n in MEASURES[:3]], "dr": [{"name": n} for n in MEASURES[3:]], "other": []}
    return {
        "title": title, "seed": seed, "replicates": 1,
        "data": {"name": "german-credit", "file": None, "schema": None, "protect": list(protect)},
        "genotype": {"name": "cells" if il_dr else "lattice", "lambda": 1.0},
        "start": {"portfolio": "categorical", "methods": [{"method": "mdav", "attributes": [], "k": 3}], "random": 0},
        "measures": measures if il_dr else {"il": [], "dr": [], "other": [{"name": "dm"}]},
        "fitness": {"name": fitness}, "algorithm": {"name": "parent-child", "mutation": 0.5},
        "stop": {"generations": generations, "stalled": None}, "executor": {"name": "serial", "workers": None},
    }  # fmt: skip


def _environment(fitness: str) -> dict[str, Any]:
    return {
        "evosdc": "0.1.0", "python": "3.11.7", "platform": "Linux x86_64",
        "packages": {"numpy": "2.4.6", "deap": "1.4.4"},
        "plugins": [{"name": "cells", "distribution": "evosdc", "version": "0.1.0"}], "data": "ab" * 32,
        "meaning": {"mean": "the mean of IL and DR", "max": "the greater of IL and DR", "dm": "discernibility"}.get(
            fitness, ""
        ),
    }  # fmt: skip


def _journal(
    rng: np.random.Generator, fitness: str, generations: int, portfolio: int, il_dr: bool
) -> list[dict[str, Any]]:
    lines = []
    best, mean = 36.0, 55.0
    for generation in range(generations + 1):
        evaluations = portfolio + 1 + generation * 2
        best -= float(rng.exponential(4.0 / (generations + 1)))
        mean += (best + 1.5 - mean) * float(rng.uniform(0, 12.0 / (generations + 10)))
        il = best - 9 + float(rng.normal(0, 0.4))
        scores = {"il": il, "dr": 2 * best - il} if il_dr else {"dm": best * 100}
        line: dict[str, Any] = {
            "generation": generation, "evaluations": evaluations, "seconds": round(0.02 * evaluations, 3),
            "best": {"fitness": objectives_of(fitness, scores)} | {k: v for k, v in scores.items() if k != "dm"},
            "fitness": _spread(best, mean, 1 if il_dr else 100),
        }  # fmt: skip
        if il_dr:
            line |= {"il": _spread(scores["il"] - 4, mean - 8, 1), "dr": _spread(scores["dr"] - 9, mean + 8, 1)}
        made = int(rng.binomial(2, 0.5))
        operators = {"mutation": (made, int(rng.binomial(made, 0.3))), "crossover": (2 - made, 0)}
        line["operators"] = {k: {"made": m, "kept": n} for k, (m, n) in operators.items()} if generation else {}
        lines.append(line | {"front": 9, "stalled": 0})
    return lines


def _spread(least: float, mean: float, unit: float) -> dict[str, float]:
    return {"min": least * unit, "mean": mean * unit, "max": (mean + (mean - least) * 1.4 + 2) * unit}


def _files(
    rng: np.random.Generator, fitness: str, portfolio: int, population: int, front: int, il_dr: bool
) -> list[dict[str, Any]]:
    def row(kind: str, slot: int, origin: str, label: str, il: float, dr: float) -> dict[str, Any]:
        scores = scores_of(il, dr, rng) if il_dr else {"dm": 100 * (il + dr)}
        return {
            "set": kind, "slot": slot, "origin": origin, "label": label, "scores": scores,
            "fitness": objectives_of(fitness, scores),
        }  # fmt: skip

    rows = [row("identity", 0, "original", "original", 0.0, 91.5)]
    for slot in range(portfolio):
        method = METHODS[slot % len(METHODS)]
        share = (slot % 7 + 1 + rng.uniform(-0.5, 0.5)) / 8
        il, dr = 62 * share + rng.normal(0, 2), 84 * (1 - share) ** 1.15 + 8 + rng.normal(0, 3)
        label = f"{method} k={slot // len(METHODS) + 2} (savings)"
        rows.append(row("portfolio", slot + 1, method, label, max(1.0, float(il)), float(dr)))
    for kind, size, width in (("population", population, 6.0), ("front", front, 14.0)):
        for slot in range(size):
            il = 24 + width * (slot / max(1, size - 1) - 0.5) * 2
            dr = 420 / (il - 2) + 16 + (abs(rng.normal(0, 2)) if kind == "population" else 0)
            origin = ("mutation", "crossover")[slot % 2]
            rows.append(row(kind, slot, origin, f"{kind} {slot} ({origin})", float(il), float(dr)))
    return rows


def _write_scores(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    names = list(rows[0]["scores"])
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["set", "slot", "origin", "label", "fitness", *names])
        for row in rows:
            fixed = [row[key] for key in ("set", "slot", "origin", "label")]
            writer.writerow([*fixed, row["fitness"][0], *(row["scores"][name] for name in names)])


def _frequencies(rng: np.random.Generator, attributes: dict[str, tuple[str, list[str]]]) -> dict[str, Any]:
    document = {}
    for position, (name, (scale, categories)) in enumerate(attributes.items()):
        before = rng.multinomial(1000 - 3 * position, rng.dirichlet(np.ones(len(categories)) * 2))
        after = rng.multinomial(1000, (before + 4) / (before + 4).sum())
        document[name] = {
            "scale": scale, "categories": categories, "before": before.tolist(), "after": after.tolist(),
            "missing_before": 3 * position, "missing_after": 0,
        }  # fmt: skip
    return document
