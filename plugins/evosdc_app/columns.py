"""What stands in the columns of a file, drawn: how often each value occurs, the label, what weights come to."""

from typing import Any

import numpy as np

from evosdc.files.column import Column
from evosdc.table.numerals import numbers
from evosdc_app.sources import Contents, cut

BARS = 12
"""Bars of a histogram, of numbers as of categories."""

SHOWN = 3
"""Categories that are named beside it."""


def label_of(contents: Contents, name: str) -> str:
    """Return the label that the file has for a column, as SPSS and Stata do; empty where it has none."""
    labels = getattr(contents.original, "variable_labels", None) or {}
    return cut(str(labels.get(name) or ""))


def histogram_of(column: Column, missing: tuple[str, ...], ordered: bool) -> dict[str, Any]:
    """Return a histogram: heights in per cent of the highest bar, what it shows in words, and the missing records.

    Parameters
    ----------
    column : Column
    missing : tuple of str
        Texts that stand for a missing value.
    ordered : bool
        Whether values have an order: numbers get intervals of equal width then, else the most frequent stand first.
    """
    counts = column.counts()
    kept = [place for place, text in enumerate(column.texts) if counts[place] and text not in missing]
    texts, times = [column.texts[place] for place in kept], counts[kept]
    lacking = len(column) - int(times.sum())
    values = numbers(texts) if ordered and texts else None
    if values is not None and len(texts) > BARS:
        bars, edges = np.histogram(values, BARS, weights=times)
        words = f"{edges[0]:g} to {edges[-1]:g}"
    else:
        order = np.argsort(values, kind="stable") if values is not None else np.argsort(-times, kind="stable")
        bars = times[order][:BARS]
        most = np.argsort(-times, kind="stable")[:SHOWN]
        if len(texts) > BARS and times.max() == 1:
            return {"bars": [], "of": 1, "words": "all differ", "missing": lacking}
        shares = [f"{cut(texts[place])[:24]} {100.0 * times[place] / len(column):.0f} %" for place in most]
        words = ", ".join(shares) + (", ..." if len(texts) > SHOWN else "")
    highest = float(max(bars.max(initial=0), 1))
    heights = [(place, round(100.0 * float(bar) / highest, 1)) for place, bar in enumerate(bars)]
    return {"bars": heights, "of": max(len(heights), 1), "words": words, "missing": lacking}


def weight_sentence(column: Column, missing: tuple[str, ...]) -> str:
    """Return what the records stand for by the weights of a column; empty where they are no numbers."""
    values = column.record_numbers(missing, None)
    known = values[~np.isnan(values)]
    if not len(known):
        return ""
    return f"{len(column):,} records stand for {known.sum():,.0f} people, each for {known.min():g} to {known.max():g}"
