"""In which order a run's published file has its records: a random one from the key, whose crosswalk its owner keeps."""

from pathlib import Path
from zlib import crc32

import numpy as np

from evosdc.experiment.assembly import Assembly
from evosdc.files.source import Source, WriteReport
from evosdc.model import Individual
from evosdc.runs.published import write_crosswalk
from evosdc.table.row_positions import position_sentences, random_order, told_by_position
from evosdc.table.table import Rows, Table


def write_published(
    assembly: Assembly,
    individual: Individual,
    masked: Table,  # its file, in the order of the original
    path: Path,
    crosswalk: Path,
    omitted: Rows | None,  # positions of records that are not published
    shuffle: bool,
    source: Source | None = None,  # in place of the assembly's, where it is to be written otherwise
) -> WriteReport:
    """Write the file of an individual, and where its records are in random order the crosswalk."""
    # Files of one run that are not the same have orders of their own, so that their records cannot be joined by number.
    whole = assembly.source if source is None else source
    order = None
    if shuffle:
        order = random_order(len(masked), assembly.seed, crc32(individual.key))
        order = order if omitted is None else order[~np.isin(order, omitted)]
    elif omitted is not None and len(omitted):
        order = np.setdiff1d(np.arange(len(masked), dtype=np.intp), omitted)
    written = whole.write(path, masked, order=order)
    if shuffle and order is not None:
        write_crosswalk(crosswalk, whole.rows[order])
    return written


def order_sentences(assembly: Assembly) -> list[str]:
    """Return what the order of the published records tells of what is masked; nothing where it is random."""
    if assembly.experiment.data.shuffle:
        return []
    return position_sentences(told_by_position(assembly.source.table, assembly.microdata.protect))
