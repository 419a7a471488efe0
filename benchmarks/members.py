"""What masked files of Adult disclose of their people beyond others, beside published anchors.

Run from the repository's root, with EVOSDC_DATA set: ``python -m benchmarks.members [--people 1000] [--near 10000]
[--only PART_OF_A_NAME]``.
Half of the people stand in a file, which is masked in all its columns, and half do not. The last file is what
`evosdc protect` finds in a minute by its defaults. `evosdc judge` attacks it with
``--others``. The demographic columns are known; the others are reconstructed, each right guess weighted by its rarity.
Members are distinguished from others by all columns. Beside stand NIST's k-marginal score (1000 where all tables are
kept), and the right answers about the income of others by a classifier that learned from the file, in per cent of those
of one that learned from the original. The anchors are from a study of reconstruction attacks of 2026:
differences on 1000 people, nearest neighbour distance ratios (NNDR) on 10 000.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import click
import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

import evosdc
from benchmarks.whole_command import whole
from evosdc.datasets.loading import load_dataset
from evosdc.plugins.registry import default_registry

KNOWN = ("age", "marital-status", "race", "sex", "native-country")
"""Demographic columns."""

METHODS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("rank swapping p = 1", "rank-swapping", {"p": 1}),
    ("rank swapping p = 2", "rank-swapping", {"p": 2}),
    ("rank swapping p = 5", "rank-swapping", {"p": 5}),
    ("rank swapping p = 20", "rank-swapping", {"p": 20}),
    ("table swapping", "table-swapping", {}),
    ("evosdc protect, 60 s", "", {}),
)

ANCHORS = (
    ("rank swapping (study)", 13.1, 87.0),
    ("cell suppression (study)", 20.0, 97.0),
    ("synthpop CART (study)", 1.6, 58.0),
    ("MST, epsilon 1 (study)", 0.2, 50.0),
)


def adult() -> pd.DataFrame:
    """Return the complete records of Adult by labels, without the sampling weight."""
    source = load_dataset(default_registry().spec("dataset", "adult")).restricted(True, None)  # type: ignore[arg-type]
    columns: dict[str, Any] = {}
    for attribute in source.table.schema.attributes:
        column = source.table.column(attribute.name)
        labels = np.array(attribute.categories, dtype=object)
        columns[attribute.name] = labels[column] if attribute.categorical else column
    return pd.DataFrame(columns).drop(columns="fnlwgt")


def schema_of(frame: pd.DataFrame, secret: Sequence[str]) -> str:
    """Return a schema file: numbers that are known as they are, other columns by the values of the whole file."""
    lines = ["[attributes]"]
    for name in frame.columns:
        role = "sensitive" if name in secret else "quasi-identifier"
        numeric = pd.api.types.is_numeric_dtype(frame[name]) and name not in secret
        values = pd.unique(frame[name])
        texts = sorted(f"{value:.0f}" if isinstance(value, float) else str(value) for value in values)
        listed = "" if numeric else f", categories = {json.dumps(texts)}"
        lines.append(f'"{name}" = {{ role = "{role}", scale = "{"numeric" if numeric else "nominal"}"{listed} }}')
    return "\n".join(lines) + "\n"


def judged(folder: Path, schema: str, names: Sequence[str], judge: str) -> dict[str, Any]:
    """Return the result of one judge for the files in a folder, from `evosdc judge`."""
    command = [
        "judge", "members.csv", "masked.csv", "--schema", schema, "--protect", ",".join(names), "--others",
        "others.csv", "--judges", judge, "--seed", "1", "--claimed", "0", "--json",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "evosdc", *command], cwd=folder, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)["judges"][judge]
    return found


def usefulness(folder: Path, schema: str, names: Sequence[str], others: pd.DataFrame) -> dict[str, float]:
    """Return the k-marginal score of the file in a folder, and what a classifier learns from it of the income."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    words = ["members.csv", "masked.csv", "--schema", schema, "--protect", ",".join(names), "--measures", "k-marginal"]
    done = subprocess.run(
        [sys.executable, "-m", "evosdc", "measure", *words, "--json"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    loss = json.loads(done.stdout)["k-marginal"]
    tables = [pd.read_csv(folder / name) for name in ("members.csv", "masked.csv")]
    known = [name for name in names if name != "class"]
    texts = [name for name in known if not pd.api.types.is_numeric_dtype(others[name])]
    values = pd.concat([*tables, others])
    kinds = {name: pd.CategoricalDtype(sorted(values[name].dropna().unique())) for name in texts}
    right = []
    for table in tables:
        learner = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=1)
        learner.fit(table[known].astype(kinds), table["class"].astype(str))
        right.append(float((learner.predict(others[known].astype(kinds)) == others["class"]).mean()))
    return {"k_marginal": 1000.0 - 10.0 * loss, "classifier": 100.0 * right[1] / right[0]}


def protected(folder: Path, schema: str, names: Sequence[str]) -> None:
    """Write what `evosdc protect` publishes of the members, in their order, whatever its verdict."""
    words = ["protect", "members.csv", "--schema", schema, "--protect", ",".join(names), "--time", "60s"]
    whole([*words, "--no-second-opinion", "--keep-order", "--quiet", "--no-report", "-o", "run"], folder=folder)
    result = json.loads((folder / "run" / "result.json").read_text())
    shutil.copy(folder / "run" / result["best"]["file"], folder / "masked.csv")


def attacked(frame: pd.DataFrame, people: int, method: str, params: dict[str, Any], judge: str) -> dict[str, Any]:
    """Return the result of a judge for `people` masked members beside as many others."""
    order = np.random.default_rng(1).permutation(len(frame))
    members, others = (frame.iloc[order[part]] for part in (slice(0, people), slice(people, 2 * people)))
    names = list(frame.columns)
    hidden = [name for name in names if name not in KNOWN]
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "hidden.toml").write_text(schema_of(frame, hidden), encoding="utf-8")
        (folder / "known.toml").write_text(schema_of(frame, ()), encoding="utf-8")
        members.to_csv(folder / "members.csv", index=False, float_format="%.0f")
        others.to_csv(folder / "others.csv", index=False, float_format="%.0f")
        schema = "hidden.toml" if "reconstruction" in judge else "known.toml"
        if method:
            typed = members.astype({n: "category" for n in names if not pd.api.types.is_numeric_dtype(frame[n])})
            masked = evosdc.mask(typed, method, protect=names, seed=1, **params)
            masked.to_csv(folder / "masked.csv", index=False, float_format="%.0f")
        else:
            protected(folder, schema, names)
        return judged(folder, schema, names, judge) | usefulness(folder, schema, names, others)


@click.command()
@click.option("--people", default=1000, show_default=True, help="Members, and others, for the reconstruction.")
@click.option("--near", default=10_000, show_default=True, help="Members, and others, for the NNDR.")
@click.option("--only", default="", help="Part of the name of the files to make.")
def main(people: int, near: int, only: str) -> None:
    """Print the table."""
    frame = adult()
    table = Table(title=f"Adult: {people} members and {people} others reconstructed, {near} and {near} distinguished")
    for heading in (
        "file",
        "members",
        "others",
        "difference",
        "95 % interval",
        "NNDR, AUC %",
        "k-marginal",
        "classifier %",
        "seconds",
    ):
        table.add_column(heading, justify="left" if heading == "file" else "right")
    for label, method, params in METHODS:
        if only not in label:
            continue
        began = perf_counter()
        first = attacked(frame, people, method, params, "rarity-reconstruction")
        second = attacked(frame, near, method, params, "membership-nndr")
        beside = first["details"]
        table.add_row(
            label, f"{beside['members']:.1f}", f"{beside['others']:.1f}", f"{first['value']:+.1f}",
            f"{first['low']:.1f} to {first['high']:.1f}", f"{second['value']:.1f}",
            f"{second['k_marginal']:.0f}", f"{second['classifier']:.1f}", f"{perf_counter() - began:.0f}",
        )  # fmt: skip
    for label, difference, ratio in ANCHORS:
        table.add_row(label, "", "", f"{difference:+.1f}", "", f"{ratio:.0f}", "", "", "")
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
