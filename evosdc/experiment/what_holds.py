"""Which columns would make a refused file publishable if they were coarser, or dropped."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import EvosdcError
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.early_verdict import margins_wanted
from evosdc.experiment.start import StartingFile
from evosdc.experiment.summaries import entries_of
from evosdc.model import Individual
from evosdc.model.individual import INFEASIBILITY
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Table

CLASSES = 5  # classes, of about equal frequency, in which a column is tried
COLUMNS_TRIED = 8  # columns that are tried: those of the most values, which single people out
SHOWN = 3  # findings that are said, those of least loss first
MOST_TRYING = 15.0  # seconds that all of this takes at most
FILES_TRIED = 3  # best tuned files that are tried, beside the file found


def tried(
    assembly: Assembly,
    best: Individual,
    starting: Sequence[StartingFile],
    left: Callable[[], float],  # returns the seconds that are left for this
) -> list[str]:
    """Return sentences on columns that would make a file publishable if dropped, or published in classes."""
    # A column that is dropped is measured as one with a single value: it discloses nothing, and its tables are lost.
    problem, original = assembly.problem, assembly.microdata.original
    tuned = [one.individual for one in sorted(entries_of(starting), key=lambda one: one.individual.precedence)]
    files = [one for one in (best, *tuned[:FILES_TRIED]) if one.genome is not None]
    tables = [problem.decode(one.genome, one.key) for one in files]
    values = {name: len(np.unique(original.column(name))) for name in original.schema.names}
    names = sorted(values, key=lambda name: -values[name])[:COLUMNS_TRIED]
    within = list[tuple[float, str, Table, Mapping[str, float]]]()
    seen = list[str]()
    for name in names:
        if left() > 0.0:
            seen.append(name)
        for words, table in _versions(original, tables, name, values[name]):
            if left() <= 0.0:
                break
            with suppress(EvosdcError):
                scores, _ = problem.score(table)
                if not scores.get(INFEASIBILITY, 0.0):
                    within.append((float(scores["il"]), words, table, scores))
    said = dict[str, float]()
    for loss, words, table, known_scores in sorted(within, key=lambda one: one[0]):
        if len(said) == SHOWN or left() <= 0.0:
            break
        if words not in said and not margins_wanted(assembly, table, known_scores, None)[0]:
            said[words] = loss
    listed = [f"{words} (loss {loss:.1f})" for words, loss in said.items()]
    if listed:
        return [f"Tried: a file keeps the bounds {', or '.join(listed)}."]
    if not seen or left() <= 0.0:
        return ["The time was over before it was tried which columns to coarsen or to drop."]
    return [f"Tried: to coarsen or to drop one of {', '.join(seen)}. No such file keeps the bounds."]


def _versions(original: Table, tables: Sequence[Table], name: str, values: int) -> Iterator[tuple[str, Table]]:
    """Yield masked files with a column in classes, then with a single value of it."""
    column = original.column(name)
    categorical = original.schema[name].categorical
    present = np.sort(column[column != MISSING] if categorical else column[~np.isnan(column)])
    if not len(present):
        return
    ordered = original.schema[name].scale is not Scale.NOMINAL
    for classes in (CLASSES, 1) if ordered and values > CLASSES else (1,):
        places = ((np.arange(classes) + 0.5) * len(present) / classes).astype(np.intp)
        middles = np.unique(present[places])
        words = f"with {name} in {len(middles)} classes" if classes > 1 else f"without {name}"
        for table in tables:
            own = table.column(name)
            nearest = middles[np.abs(own[:, None] - middles).argmin(axis=1)]
            yield words, _with_column(table, name, np.where(table.absent(name) & (classes > 1), own, nearest))


def _with_column(table: Table, name: str, column: NDArray[Any]) -> Table:
    codes, numbers = table.codes.copy(), table.numbers.copy()
    names = [a.name for a in (*table.schema.categorical, *table.schema.numeric)]
    place = names.index(name)
    whole = codes if place < codes.shape[1] else numbers
    whole[:, place if place < codes.shape[1] else place - codes.shape[1]] = column
    return Table(table.schema, codes, numbers)
