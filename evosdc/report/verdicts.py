"""What was gained and what was changed, in plain sentences that say so where it is nothing."""

import math

from evosdc.report.standings import Standings
from evosdc.report.wording import THIN_SPACE, count, listing, number, plural
from evosdc.runs.reader import RecordedRun

NOTHING_TO_SEE = 0.005
"""A gain of less would be printed as 0.00."""
RELATIVE_NOISE = 1e-9


def gain_text(stand: Standings) -> str:
    """Return how the best file compares with the best of the portfolio and with the original; empty where unknown."""
    return " ".join(text for text in (_over_portfolio(stand), _over_original(stand)) if text)


def _over_portfolio(stand: Standings) -> str:
    gain = stand.improvement
    if stand.portfolio is None or not math.isfinite(gain):
        return ""
    base = stand.portfolio.score
    if abs(gain) <= RELATIVE_NOISE * max(1.0, abs(base)):
        return f"Nothing was gained: no file better than {stand.rival} was found."
    if gain < 0:
        return f"Nothing was gained: the best file found is worse than {stand.rival}{_by(-gain)}."
    if gain < NOTHING_TO_SEE:
        return f"Next to nothing was gained: it is better than {stand.rival} by less than 0.01 points."
    percent = number(100 * gain / base, 1) if base > 0 else "0.0"
    share = f", or {percent} %," if percent != "0.0" else ""
    return f"That is {number(gain)} points{share} less than {stand.rival}; less is better."


def _over_original(stand: Standings) -> str:
    if stand.best is None or stand.identity is None:
        return ""
    lost = stand.best.score - stand.identity.score
    # Written so that an unknown score says nothing.
    if not lost >= -RELATIVE_NOISE * max(1.0, abs(stand.identity.score)):
        return ""
    worse = f"; it is worse{_by(lost)}" if lost >= NOTHING_TO_SEE else ""
    return f"The best file does not score better than the unprotected original{worse}."


def _by(points: float) -> str:
    return f" by {number(points)} points" if points >= NOTHING_TO_SEE else " by less than 0.01 points"


def changed_cells(run: RecordedRun) -> dict[str, int]:
    """Return how many cells of each protected attribute differ from the original; empty where the run does not tell."""
    return run.result.changed


def changed_total(run: RecordedRun) -> tuple[float, float]:
    """Return how many protected cells differ from the original, and the share of all in percent; NaN where unknown."""
    changed, records = changed_cells(run), run.result.records
    if not changed:
        return math.nan, math.nan
    cells = records * len(changed)
    total = sum(changed.values())
    return float(total), 100.0 * total / cells if cells else math.nan


def changed_text(run: RecordedRun) -> str:
    """Return in a sentence how many protected cells differ from the original; empty where the run does not tell."""
    changed, records = changed_cells(run), run.result.records
    if not changed:
        return ""
    total, share = changed_total(run)
    if not total:
        return "No protected cell of the published file differs from the original: the file is not protected."
    each = listing([f"{name} {count(cells)}{_share(cells, records)}" for name, cells in changed.items()])
    size = f" of {plural(records * len(changed), 'protected cell')}" if records else " protected cells"
    whole = f" ({percent(share)})" if math.isfinite(share) else ""
    by = f": {each}." if len(changed) > 1 else f", all of {next(iter(changed))}."
    return f"In the published file, {count(total)}{size}{whole} differ from the original{by}{_untouched_text(run)}"


def _untouched_text(run: RecordedRun) -> str:
    """Return how many records have no value changed at all; empty where none has, or one column alone was masked."""
    records, alone = (run.result.untouched.get(key) for key in ("records", "alone"))
    if not records or alone is None or len(changed_cells(run)) < 2:
        return ""
    be, their = ("is", "its") if records == 1 else ("are", "their")
    told = f" {plural(records, 'record')} {be} published with all {their} protected values as in the original"
    were = "was" if alone == 1 else "were"
    return f"{told}; {count(alone)} of them {were} like no other one there." if alone else f"{told}."


def percent(share: float) -> str:
    """Return a share in percent; one that is not nothing is never printed as 0.0 %."""
    figure = "less than 0.1" if 0 < share < 0.05 else number(share, 1)
    return f"{figure}{THIN_SPACE}%"


def _share(cells: int, records: int) -> str:
    return f" ({percent(100.0 * cells / records)})" if records else ""
