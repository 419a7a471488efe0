"""The same file three ways: masked, truthful and certified, at the same time.

``python -m benchmarks.three_ways adult`` (or ma2019) makes a file by ``evosdc protect``, by ``protect --truthful`` and
by ``certify --epsilon 1`` (five of them), each in a minute, and stores in ``benchmarks/results/three-ways.csv`` what
analysts get of it and what attackers. Half of the people stand in the file, half do not. ``--page`` prints what is
stored. The data lie below ``EVOSDC_DATA``.

A truthful value that covers several categories counts as one of them, drawn evenly: so a quick analyst reads it. Tables
are compared over categories, of ages and hours over twenty bands.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.certified import banded, classified, frame_of
from benchmarks.certified import opened as excerpt
from benchmarks.members import adult
from benchmarks.whole_command import whole
from evosdc.files.schema.schema_file import dump_schema
from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.generalisation import LabelReader
from evosdc.table.schema import Attribute, Role, Scale, Schema

RESULTS = Path(__file__).parent / "results" / "three-ways.csv"
TIME = "60s"
PEOPLE = 2000  # of Adult, in the file, and as many who are not; ma2019 is parted in halves
ADULT = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "hours-per-week", "class"
)  # fmt: skip
SECRET = {"adult": "class", "ma2019": "PINCP_DECILE"}  # what an attacker wants to learn; all else is known to him
ORDERED = ("age", "hours-per-week", "AGEP")  # compared in bands
WAYS = {
    "masked": ("protect", "--keep-order", "--no-report"),
    "truthful": ("protect", "--keep-order", "--no-report", "--truthful"),
    "certified": ("certify", "--epsilon", "1", "--no-second-opinion"),
}
FILES = {"certified": 5}  # files made, whose figures are averaged: its noise differs each time
JUDGES = ("members-inference", "membership-nndr")


def adult_schema(frame: pd.DataFrame) -> Schema:
    """Return the schema of Adult: categories, and combinations that nobody of the whole survey has."""
    attributes = []
    for name in ADULT:
        values = sorted(frame[name].unique(), key=lambda text: (name in ORDERED and len(text), text))
        if name in ORDERED:
            values = [str(number) for number in range(int(values[0]), int(values[-1]) + 1)]
        scale = Scale.ORDINAL if name in ORDERED else Scale.NOMINAL
        attributes.append(Attribute(name, Role.QUASI_IDENTIFIER, scale, tuple(values)))
    # ages by their place among the categories, which begin at 17
    rules: list[dict[str, Any]] = [
        {"age": (0, 1), "education": ("Bachelors", "Assoc-acdm", "Assoc-voc")},
        {"age": (0, 4), "education": ("Doctorate", "Prof-school")},
        {"age": (0, 0), "marital-status": ("Divorced", "Widowed", "Separated")},
    ]
    return Schema(tuple(attributes), edit_rules=edit_rules_of(rules))


def opened(name: str) -> tuple[pd.DataFrame, pd.DataFrame, Schema]:
    """Return the people of the file, others, and the schema."""
    if name == "adult":
        frame = adult()[list(ADULT)]
        for column in ("age", "hours-per-week"):
            frame[column] = frame[column].astype(int).astype(str)
        schema, people = adult_schema(frame), PEOPLE
    else:
        table, _, _ = excerpt(name)
        frame, schema, people = frame_of(table).astype(str), table.schema, len(table) // 2
    secret = SECRET[name]
    schema = Schema(
        tuple(
            Attribute(a.name, Role.SENSITIVE if a.name == secret else a.role, a.scale, a.categories)
            for a in schema.attributes
        ),
        edit_rules=schema.edit_rules,
    )
    order = np.random.default_rng(1).permutation(len(frame))
    parts = order[:people], order[people : 2 * people]
    members, others = (frame.iloc[part].reset_index(drop=True) for part in parts)
    return members, others, schema


def read(path: Path, members: pd.DataFrame, schema: Schema) -> tuple[pd.DataFrame, int, float, float]:
    """Return a file with each value as one category, how many records are impossible, and per cent true and exact."""
    found, rng = pd.read_csv(path, dtype=str, keep_default_na=False), np.random.default_rng(1)
    made, values, true, exact = {}, {}, [], []
    for name in schema.names:
        attribute = schema[name]
        reader, size = LabelReader(attribute), len(attribute.categories)
        covered: dict[str, tuple[int, ...]] = {}
        for label in found[name].unique():
            low, dots, high = label.partition("..")  # a class of neighbours that `protect` made itself
            extent = reader.read(f"[{low}, {high}]" if dots else label)
            covered[label] = extent.codes if extent is not None else tuple(range(size))
            if extent is None and label not in ("", "*"):
                raise ValueError(f"{name} has a label that its schema does not read: {label}")
        made[name] = [attribute.categories[rng.choice(covered[label])] for label in found[name]]
        values[name] = [covered[label] for label in found[name]]
        of_people = zip(found[name], members[name].map(attribute.code), strict=True)
        inside = np.array([code in covered[label] for label, code in of_people])
        true.append(inside.mean())
        exact.append((inside & np.array([len(covered[label]) == 1 for label in found[name]])).mean())
    return pd.DataFrame(made), impossible(values, schema), 100.0 * float(np.mean(true)), 100.0 * float(np.mean(exact))


def in_bands(frame: pd.DataFrame, original: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with ages and hours as the numbers that `banded` puts into bands."""
    numbers = [name for name in ORDERED if name in frame]
    return banded(*(one.astype(dict.fromkeys(numbers, float)) for one in (frame, original)))


def distance(original: pd.DataFrame, made: pd.DataFrame, order: int) -> float:
    """Return the mean total variation distance of all tables of this many attributes, 0..1."""
    found = []
    for names in itertools.combinations(original.columns, order):
        shares = [frame.groupby(list(names)).size() / len(frame) for frame in (original, made)]
        found.append(shares[0].sub(shares[1], fill_value=0.0).abs().sum() / 2.0)
    return float(np.mean(found))


def impossible(values: Mapping[str, Sequence[tuple[int, ...]]], schema: Schema) -> int:
    """Return how many records break a rule of the schema, whichever of the categories that it covers a value is."""
    broken = np.zeros(len(values[schema.names[0]]), dtype=bool)
    for rule in schema.edit_rules:
        met = np.ones(len(broken), dtype=bool)
        for name, meant in rule.meant(schema):
            flags = np.asarray(meant)
            met &= np.array([flags[list(covered)].all() for covered in values[name]])
        broken |= met
    return int(broken.sum())


def measured(name: str, way: str) -> dict[str, Any]:
    """Make one file, and return its figures."""
    members, others, schema = opened(name)
    secret, names = SECRET[name], list(schema.names)
    with TemporaryDirectory() as place:
        folder = Path(place)
        dump_schema(schema, folder / "schema.toml")
        members.to_csv(folder / "members.csv", index=False)
        others.to_csv(folder / "others.csv", index=False)
        command, *further = WAYS[way]
        words = [command, "members.csv", "--schema", "schema.toml", *further, "--time", TIME, "-o", "run", "--quiet"]
        words += ["--records", str(len(members))] if way == "certified" else ["--no-second-opinion"]
        began = time.monotonic()
        done = whole(words, folder=folder)
        seconds = time.monotonic() - began
        if done.status == 2 or not (folder / "run" / "result.json").exists():
            raise SystemExit(done.said)
        result = json.loads((folder / "run" / "result.json").read_text(encoding="utf-8"))
        verdict = result["verdict"]
        made, impossibles, true, exact = read(folder / "run" / result["best"]["file"], members, schema)
        made.to_csv(folder / "made.csv", index=False)
        judged = whole(
            ["judge", "members.csv", "made.csv", "--schema", "schema.toml", "--protect", ",".join(names), "--others",
             "others.csv", "--judges", ",".join(JUDGES), "--claimed", "0", "--seed", "1", "--json"],
            folder=folder,
        )  # fmt: skip
        judges = json.loads(judged.said[judged.said.index("{") :])["judges"]
    excess = judges["members-inference"]
    one, two = in_bands(members, members), in_bands(made, members)
    test = in_bands(others, members)
    learned, commonest = accuracy(one, test, secret), float((test[secret] == one[secret].mode()[0]).mean())
    return {
        "file": name, "records": len(members), "way": way, "verdict": verdict["headline"], "seconds": round(seconds),
        "table_loss": 100.0 * distance(one, two, 2), "k_marginal": 1000.0 * (1.0 - distance(one, two, 3)),
        "classifier": 100.0 * accuracy(two, test, secret) / learned, "commonest": 100.0 * commonest / learned,
        "linked_claimed": verdict["people_found"], "excess": excess["value"], "excess_low": excess["low"],
        "excess_high": excess["high"], "nndr": judges["membership-nndr"]["value"],
        "impossible": impossibles,
        # A record of a certified file is nobody's, so no value of it is anybody's.
        "values_true": None if way == "certified" else true, "values_exact": None if way == "certified" else exact,
        "date": datetime.now(UTC).date().isoformat(),
    }  # fmt: skip


def accuracy(train: pd.DataFrame, test: pd.DataFrame, secret: str) -> float:
    """Return the share of right guesses of what an attacker wants to learn, by a learner on a file."""
    train, test = (frame.rename(columns={secret: "class"}) for frame in (train, test))
    return classified(train, test)


def stored() -> pd.DataFrame:
    """Return the results so far, one row per file and way."""
    return pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=["file", "way"])


FIGURES = {
    "verdict": "verdict", "table_loss": "loss in tables, %", "k_marginal": "k-marginal",
    "classifier": "right answers of a classifier, %", "commonest": "right answers of the commonest value, %",
    "linked_claimed": "people linked, %",
    "excess": "right guesses, members minus others, points", "nndr": "members distinguished from others, AUC, %",
    "impossible": "impossible records", "values_true": "true values, %",
    "values_exact": "exact values, %",
}  # fmt: skip


def _cell(rows: pd.DataFrame, figure: str) -> str:
    if figure == "verdict":
        return str(rows[figure].mode()[0])
    value = rows[figure].mean()
    if pd.isna(value):
        return "does not apply"
    if figure == "excess":
        return f"{value:+.1f} [{rows['excess_low'].mean():.1f} to {rows['excess_high'].mean():.1f}]"
    return f"{value:.0f}" if figure in ("k_marginal", "impossible") else f"{value:.1f}"


def page() -> str:
    """Return the tables of what is stored, a table for each file."""
    parts = []
    for name, rows in stored().groupby("file", sort=True):
        by_way = {str(way): own for way, own in rows.groupby("way")}
        ways = [way for way in WAYS if way in by_way]
        lines = [
            f"| {name}, {rows['records'].iloc[0]:.0f} records | {' | '.join(ways)} |",
            "| --- " * (len(ways) + 1) + "|",
        ]
        for figure, words in FIGURES.items():
            lines.append(f"| {words} | {' | '.join(_cell(by_way[way], figure) for way in ways)} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Measure, store, or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", choices=[*SECRET])
    parser.add_argument("--way", choices=[*WAYS], help="one of them alone")
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    if arguments.page:
        print(page())
        return
    for way in [arguments.way] if arguments.way else WAYS:
        found = pd.DataFrame([measured(arguments.file, way) for _ in range(FILES.get(way, 1))])
        known = stored()
        known = known[(known["file"] != arguments.file) | (known["way"] != way)]
        pd.concat([known, found]).to_csv(RESULTS, index=False)
        print(found.T, flush=True)


if __name__ == "__main__":
    main()
