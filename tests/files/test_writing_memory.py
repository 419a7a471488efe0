"""What writing a file takes besides the file: little of columns that stay, and of new numbers one cell each."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from evosdc.files.reading import read_source

RECORDS = 200_000
BYTES = 52
"""For each record, with the pieces that are written at a time; three columns that stay took 20 more."""


@pytest.fixture
def source(tmp_path):
    rng = np.random.default_rng(1)
    words = [["yes", "no", "perhaps"][place] for place in rng.integers(0, 3, RECORDS)]
    lines = [f"{word},{word},{word},{number}" for word, number in zip(words, rng.permutation(RECORDS) / 8, strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,x", *lines, ""]), encoding="utf-8")
    return read_source(tmp_path / "data.csv")


def peak_of(work):
    work()  # what is cached with the file is made, and kernels are loaded
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_writing_takes_little_of_columns_that_stay(source, tmp_path):
    order = np.random.default_rng(2).permutation(RECORDS)
    masked = replace(source.table, numbers=source.table.numbers[order])
    assert peak_of(lambda: source.write(tmp_path / "masked.csv", masked)) < BYTES * RECORDS
    numbers = [line.rpartition(",")[2] for line in (tmp_path / "data.csv").read_text().split()[1:]]
    written = [line.rpartition(",")[2] for line in (tmp_path / "masked.csv").read_text().split()[1:]]
    assert written == [numbers[place] for place in order]
