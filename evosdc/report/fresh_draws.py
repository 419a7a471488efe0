"""Results on draws unknown to the search: whether the gain holds, and every measure with its standard error."""

import math
from typing import Any

from evosdc.report.frames import figure_of, objectives
from evosdc.report.wording import number, quoted, with_error
from evosdc.runs.reader import RecordedRun

FILES = {
    "best": "the best file found",
    "founder": "the best of what the search began with",
    "portfolio": "the best of the methods that it is compared with",
}
_NAMES = {"best": "best found", "founder": "best initial matrix or genome", "portfolio": "best of the comparison"}
SHOWN = 10  # pairs of attributes that are named
TELLING = 2.0  # an advantage of fewer standard errors than this is not distinguished from chance


def fresh_score(run: RecordedRun) -> tuple[float, float]:
    """Return the one objective of the winner on fresh draws and its standard error; NaN where there is none."""
    best = _entry(run, "best")
    values, errors = objectives(best.get("fitness")), objectives(best.get("fitness_errors"))
    return (values[0], errors[0] if errors else math.nan) if len(values) == 1 else (math.nan, math.nan)


def fresh_verdicts(run: RecordedRun) -> list[str]:
    """Return in plain sentences how the winner does on fresh draws, and whether its gain is more than chance."""
    best = _entry(run, "best")
    fitness, errors = objectives(best.get("fitness")), objectives(best.get("fitness_errors"))
    if not fitness:
        return []
    what = "a score" if len(fitness) == 1 else "a first objective"
    texts = [f"There the best file found has {what} of {with_error(fitness[0], errors[0] if errors else None)}."]
    for key, name in FILES.items():
        entry = _entry(run, key)
        gained, error = figure_of(entry.get("advantage")), figure_of(entry.get("advantage_error"))
        if key == "best" or not math.isfinite(gained):
            continue
        label = f", {quoted(str(entry['label']))}," if entry.get("label") else ""
        if gained == 0:
            texts.append(f"Nothing was gained over {name}{label}: it has the same score.".replace(",:", ":"))
        elif math.isfinite(error) and abs(gained) <= TELLING * error:
            apart = f"The advantage over {name}{label} is {with_error(gained, error)}"
            texts.append(f"{apart}, which cannot be distinguished from chance.")
        elif gained > 0:
            texts.append(
                f"It is better than {name}{label} by {with_error(gained, error)}: the gain is more than chance."
            )
        else:
            texts.append(f"Nothing was gained over {name}{label} which is better by {with_error(-gained, error)}.")
    return [*texts, *_requirements(run), *_tables(run)]


def _requirements(run: RecordedRun) -> list[str]:
    """Return a sentence for each requirement: whether it holds on fresh draws, in the mean and in single ones."""
    texts = []
    for entry in (run.result.fresh or {}).get("requirements") or ():
        said = "holds" if entry["met"] else "does not hold"
        share = f"{number(100 * entry['share'], 0)} % of the single draws keep it"
        texts.append(
            f"The requirement {quoted(str(entry['requirement']))} {said} there: "
            f"{with_error(entry['value'], entry['error'])}; {share}."
        )
    return texts


def _tables(run: RecordedRun) -> list[str]:
    """Return the changes of two-way tables, the worst pair first, and the number of impossible records."""
    fresh, texts = run.result.fresh or {}, []
    pairs = sorted(fresh.get("pairs") or (), key=lambda entry: -entry["moved"])
    if pairs:
        listed = "; ".join(
            f"{quoted(' and '.join(entry['attributes']))}: {with_error(entry['moved'], entry['error'])}"
            for entry in pairs[:SHOWN]
        )
        texts.append(f"Records in another cell of a two-way table there, in per cent: {listed}.")
    impossible = fresh.get("impossible")
    if impossible:
        fate = "these were repaired" if impossible["repaired"] else "these are published"
        figure = with_error(impossible["records"], impossible["error"])
        texts.append(f"Records with a combination that the original never has, in a draw: {figure}; {fate}.")
    return texts


def fresh_rows(run: RecordedRun) -> dict[str, Any] | None:
    """Return draws and one row an entry judged on fresh draws; None where decoding was not random."""
    if not run.result.fresh:
        return None
    seen, rows = run.result.best.fitness, []
    for key, name in _NAMES.items():
        if entry := _entry(run, key):
            own = number(seen[0], 3) if key == "best" and seen else ""
            figures = {"fitness": number(entry["fitness"][0], 3), "error": number(entry["fitness_errors"][0], 3)}
            known = entry.get("advantage") is not None
            gained = {one: number(entry[one], 3) if known else "" for one in ("advantage", "advantage_error")}
            rows.append({"name": name, "label": entry.get("label", ""), "seen": own} | figures | gained)
    return {"draws": run.result.fresh.get("draws", 0), "rows": rows}


def fresh_measures(run: RecordedRun) -> dict[str, Any]:
    """Return headings and rows (``name values``) of all measures on fresh draws, each with its standard error."""
    scores = _entry(run, "best").get("scores") or {}
    names = [key for key in ("il", "dr") if key in scores] + [key for key in scores if key not in ("il", "dr")]
    entries = [(name, entry) for key, name in FILES.items() if (entry := _entry(run, key))]
    rows = []
    for name, entry in entries:
        own, errors = entry.get("scores") or {}, entry.get("errors") or {}
        rows.append({"name": name, "values": [with_error(own.get(key), errors.get(key)) for key in names]})
    return {"headings": [{"il": "IL", "dr": "DR"}.get(name, name) for name in names], "rows": rows}


def _entry(run: RecordedRun, key: str) -> dict[str, Any]:
    return (run.result.fresh or {}).get(key) or {}
