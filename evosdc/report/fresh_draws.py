"""What the draws that the search never saw say: whether the gain holds, and every measure with its standard error."""

from __future__ import annotations

import math
from typing import Any

from evosdc.report.frames import mapping, objectives
from evosdc.report.wording import PLUS_MINUS, number, quoted
from evosdc.runs.reader import RunFolder

FILES = {
    "best": "the best file found",
    "founder": "the best of what the search began with",
    "portfolio": "the best of the methods that it is compared with",
}
TELLING = 2.0
"""An advantage of fewer standard errors than this is not told apart from chance."""


def fresh_score(run: RunFolder) -> tuple[float, float]:
    """Return the one objective of the winner on fresh draws and its standard error; NaN where there is none."""
    best = _entry(run, "best")
    values, errors = objectives(best.get("fitness")), objectives(best.get("fitness_errors"))
    return (values[0], errors[0] if errors else math.nan) if len(values) == 1 else (math.nan, math.nan)


def fresh_verdicts(run: RunFolder) -> list[str]:
    """Return in plain sentences how the winner does on fresh draws, and whether its gain is more than chance."""
    best = _entry(run, "best")
    fitness, errors = objectives(best.get("fitness")), objectives(best.get("fitness_errors"))
    if not fitness:
        return []
    what = "a score" if len(fitness) == 1 else "a first objective"
    texts = [f"There the best file found has {what} of {_pair(fitness[0], errors[0] if errors else None)}."]
    for key, name in FILES.items():
        entry = _entry(run, key)
        gained, error = _number(entry.get("advantage")), _number(entry.get("advantage_error"))
        if key == "best" or not math.isfinite(gained):
            continue
        label = f", {quoted(str(entry['label']))}," if entry.get("label") else ""
        if gained == 0:
            texts.append(f"Nothing was gained over {name}{label}: it has the same score.".replace(",:", ":"))
        elif math.isfinite(error) and abs(gained) <= TELLING * error:
            apart = f"The advantage over {name}{label} is {_pair(gained, error)}"
            texts.append(f"{apart}, which cannot be told from chance.")
        elif gained > 0:
            texts.append(f"It is better than {name}{label} by {_pair(gained, error)}: the gain is more than chance.")
        else:
            texts.append(f"Nothing was gained over {name}{label} which is better by {_pair(-gained, error)}.")
    return texts


def fresh_measures(run: RunFolder) -> dict[str, Any]:
    """Return headings and rows (``name values``) of all measures on fresh draws, each with its standard error."""
    scores = mapping(_entry(run, "best").get("scores"))
    names = [key for key in ("il", "dr") if key in scores] + [key for key in scores if key not in ("il", "dr")]
    return {
        "headings": [{"il": "IL", "dr": "DR"}.get(name, name) for name in names],
        "rows": [
            {
                "name": name,
                "values": [
                    _pair(mapping(entry.get("scores")).get(key), mapping(entry.get("errors")).get(key)) for key in names
                ],
            }
            for name, entry in ((name, _entry(run, key)) for key, name in FILES.items())
            if entry
        ],
    }


def _entry(run: RunFolder, key: str) -> dict[str, Any]:
    return dict(mapping(mapping(run.result.get("fresh")).get(key)))


def _pair(value: Any, error: Any) -> str:
    text, spread = number(_number(value)), _number(error)
    return f"{text} {PLUS_MINUS} {number(spread)}" if math.isfinite(spread) else text


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan
