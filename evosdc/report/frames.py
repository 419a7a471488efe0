"""Tidy frames of run folders: one row a generation, a file, a category, an operator, a run."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from evosdc.runs.reader import RecordedRun

FIXED_COLUMNS = ("set", "slot", "origin", "label", "fitness", "infeasibility", "tighter")
DERIVED = ("method", "score", "outside")  # columns of `files` besides
_SERIES = ("generation", "evaluations", "seconds", "front", "stalled", "hypervolume", "diversity")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?inf|nan", re.IGNORECASE)


def objectives(value: Any) -> tuple[float, ...]:
    """Return objectives from a value in a file: a number, a list of numbers, or their text in any notation."""
    if isinstance(value, str):
        return tuple(float(number) for number in _NUMBER.findall(value))
    if isinstance(value, Sequence):
        return tuple(float(number) for number in value if isinstance(number, int | float))
    return (float(value),) if isinstance(value, int | float) else ()


def ranking_score(fitness: Sequence[float], scores: Mapping[str, float]) -> float:
    """Return the one number that files are ranked by; less is better, NaN where nothing is known."""
    # It is the fitness itself where there is one objective. Where there are several it is the greater of IL and DR, by
    # which the search picks the balanced member of its front. Without IL or DR it is the first objective.
    pair = scores.get("il", math.nan), scores.get("dr", math.nan)
    if len(fitness) > 1 and all(map(math.isfinite, pair)):
        return max(pair)
    return fitness[0] if fitness else math.nan


def history(run: RecordedRun) -> pd.DataFrame:
    """Return one row a generation."""
    rows = []
    champion: Mapping[str, float] = {}
    for record in run.journal:
        row = {key: figure_of(record.get(key)) for key in _SERIES}
        best = mapping(record.get("best"))
        fitness = objectives(best.get("fitness"))
        leader = {"fitness": fitness[0] if len(fitness) == 1 else math.nan}
        leader |= {key: figure_of(best.get(key)) for key in ("il", "dr")}
        if not champion or leader["fitness"] < champion["fitness"]:
            champion = leader
        row |= {f"best_{key}": value for key, value in leader.items()}
        row |= {f"champion_{key}": value for key, value in champion.items()}
        for series in ("fitness", "il", "dr"):
            spread = mapping(record.get(series))
            row |= {f"{series}_{key}": figure_of(spread.get(key)) for key in ("min", "mean", "max")}
        rows.append(row)
    return pd.DataFrame(rows)


def thinned(frame: pd.DataFrame, most: int = 400) -> pd.DataFrame:
    """Return at most `most` rows, evenly spread, always with the first and the last."""
    if len(frame) <= most:
        return frame
    positions = np.unique(np.linspace(0, len(frame) - 1, most).round().astype(int))
    return frame.iloc[positions]


def objective_count(run: RecordedRun) -> int:
    """Return how many objectives the search had: by its result, or its journal, or one."""
    begun = (objectives(mapping(entry.get("best")).get("fitness")) for entry in run.journal[:1])
    return max(len(run.result.best.fitness), *map(len, begun), 1)


def measure_names(run: RecordedRun) -> list[str]:
    """Return the scored measures in the order of ``scores.csv``, ``il`` and ``dr`` among them."""
    return [str(column) for column in run.scores.columns if column not in FIXED_COLUMNS]


def files(run: RecordedRun) -> pd.DataFrame:
    """Return one row a file of ``scores.csv``."""
    # The file holds the first objective alone; with several it must not be taken for the whole fitness.
    single = objective_count(run) == 1
    names = measure_names(run)
    text = run.scores.reindex(columns=[*FIXED_COLUMNS, *names], fill_value="")
    frame: pd.DataFrame = text[["set", "slot", "origin", "label"]].copy()
    first_words = frame["label"].str.split(n=1).str[0].fillna("")
    first_words = first_words.mask(frame["label"].str.contains(", then ", regex=False, na=False), "several steps")
    frame["method"] = first_words.where(frame["set"] == "portfolio", "")
    for column in ("infeasibility", "tighter"):
        frame[column] = text[column].map(_parsed).fillna(0.0).astype(float)
    # Bounds that a search tightened decide which file it takes. Whether a file breaks the bounds is another question.
    frame["outside"] = frame[["infeasibility", "tighter"]].max(axis=1)
    measures = text[names].map(_parsed).astype(float)
    frame["fitness"] = [objectives(value) for value in text["fitness"]]
    records: list[dict[str, float]] = [
        {name: float(value) for name, value in zip(names, row, strict=True)} for row in measures.to_numpy(dtype=float)
    ]
    frame["score"] = [
        ranking_score(f if single else (*f, math.nan), s) for f, s in zip(frame["fitness"], records, strict=True)
    ]
    joined: pd.DataFrame = pd.concat([frame, measures], axis=1)
    return joined


def ranking(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the distinct files from best to worst."""
    # Files outside the bounds come after all others. Files with the same scores throughout are one row (the
    # first of them) with their number in ``alike``; ``rank`` is 1 plus how many distinct files are strictly better. The
    # identity is not ranked.
    known = frame[(frame["set"] != "identity") & frame["score"].notna()]
    names = [column for column in frame.columns if column not in (*FIXED_COLUMNS, *DERIVED)]
    # A survivor of the portfolio stands in the population, too, and a member of the front perhaps in both.
    order = known["set"].map({"portfolio": 0, "population": 1, "front": 2}).fillna(3)
    known = known.assign(order=order).sort_values(["outside", "score", "order"], kind="stable")
    keys = ["score", *names]
    in_a_set = known.groupby([*keys, "set"], dropna=False)["order"].transform("size")
    known["alike"] = in_a_set.groupby([known[key] for key in keys], dropna=False).transform("max")
    known = known.drop_duplicates(keys).drop(columns="order").reset_index(drop=True)
    known["rank"] = known.groupby(["outside", "score"], sort=True).ngroup()
    firsts = known["rank"].ne(known["rank"].shift())
    known["rank"] = (known.index.to_series() + 1).where(firsts).ffill().astype(int)
    return known


def front_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the files that no other one beats in IL and DR, by increasing IL; none outside the bounds."""
    known = frame[frame["outside"] == 0.0].dropna(subset=["il", "dr"]).sort_values(["il", "dr"], kind="stable")
    least_before = known["dr"].cummin().shift(fill_value=math.inf)
    return known[known["dr"] < least_before]


def operators(run: RecordedRun) -> pd.DataFrame:
    """Return one row an operator and generation: ``generation operator made kept``."""
    rows = [
        {
            "generation": int(record["generation"]),
            "operator": str(operator),
            "made": int(figure_of(counts.get("made"), 0.0)),
            "kept": int(figure_of(counts.get("kept"), 0.0)),
        }
        for record in run.journal
        for operator, counts in mapping(record.get("operators")).items()
        if isinstance(counts, Mapping)
    ]
    return pd.DataFrame(rows, columns=["generation", "operator", "made", "kept"])


def operator_totals(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row an operator: ``operator made kept rate``, the rate in percent of those made."""
    totals = frame.groupby("operator", as_index=False, sort=True)[["made", "kept"]].sum()
    return totals.assign(rate=100.0 * totals["kept"] / totals["made"].where(totals["made"] > 0))


def operator_rates(frame: pd.DataFrame, spans: int = 40) -> pd.DataFrame:
    """Return the rate by operator and span of generations: ``operator generation made kept rate``."""
    if frame.empty:
        return frame.assign(rate=[])
    first, last = int(frame["generation"].min()), int(frame["generation"].max())
    width = max(1, math.ceil((last - first + 1) / spans))
    ends = ((frame["generation"] - first) // width + 1) * width + first - 1
    spanned = frame.assign(generation=ends.clip(upper=last))
    rates = spanned.groupby(["operator", "generation"], as_index=False)[["made", "kept"]].sum()
    return rates.assign(rate=100.0 * rates["kept"] / rates["made"].where(rates["made"] > 0))


def frequencies(run: RecordedRun) -> list[dict[str, Any]]:
    """Return one entry an attribute: ``attribute scale categories before after missing_before missing_after``."""
    return [
        {
            "attribute": str(attribute),
            "scale": str(entry.get("scale", "")),
            "categories": list(map(str, entry["categories"])),
            **{key: list(map(int, entry[key])) for key in ("before", "after")},
            **{key: int(entry.get(key) or 0) for key in ("missing_before", "missing_after")},
        }
        for attribute, entry in run.frequencies.items()
    ]


def spent(run: RecordedRun, key: str) -> float:
    """Return the cost of a run (``evaluations``, ``generations``, ``seconds``), from the latest file that has it."""
    journal_key = {"generations": "generation"}.get(key, key)
    last = run.journal[-1] if run.journal else {}
    for value in (getattr(run.result, key) if run.ended else None, run.status.get(journal_key), last.get(journal_key)):
        if isinstance(value, int | float):
            return float(value)
    return math.nan


def protected_attributes(run: RecordedRun) -> list[str]:
    """Return the protected attributes by name: as the result has them, or the experiment, or the frequencies."""
    data = run.resolved.get("data")
    listed = data.get("protect") if isinstance(data, dict) else None
    for names in (run.result.protect, listed, list(run.frequencies)):
        if isinstance(names, list | tuple) and names:
            return [str(name) for name in names]
    return []


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a JSON object as it is, and an empty mapping for anything else."""
    return value if isinstance(value, Mapping) else {}


def _parsed(text: str) -> float:
    """Return the number that a text stands for, to the last bit (pandas' own parser is not that exact), or NaN."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def figure_of(value: Any, default: float = math.nan) -> float:
    """Return a number as it is, and NaN or another default for anything else."""
    return float(value) if isinstance(value, int | float) else default
