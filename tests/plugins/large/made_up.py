"""Made-up people as Parquet files of several row groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

WORDS = {"sex": ("f", "m"), "region": tuple("abcdefg"), "illness": ("cold", "flu", "none", "other")}
KEYS = ["sex", "age", "region"]


def people(n: int = 500, seed: int = 1) -> pd.DataFrame:
    """Return people with texts, a whole number, and missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {name: np.array(words, dtype=object)[rng.integers(0, len(words), n)] for name, words in WORDS.items()}
    )
    frame["age"] = pd.array(np.minimum(rng.geometric(0.1, n), 40), dtype="Int64")
    frame.loc[rng.random(n) < 0.05, "age"] = pd.NA
    frame.loc[rng.random(n) < 0.05, "region"] = None
    return frame


def parquet(frame: pd.DataFrame, path: Path, rows: int = 90, categories: bool = False) -> Path:
    """Write people in row groups of so many; with `categories` texts as dictionaries in another order."""
    if categories:
        frame = frame.astype({name: pd.CategoricalDtype(words[::-1]) for name, words in WORDS.items()})
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=rows)
    return path
