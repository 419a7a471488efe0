"""Certified files beside their peers: what the tables, a classifier, judges and NIST's program say of them.

``python -m benchmarks.certified national2019 1 --keys 5`` certifies a file five times at an epsilon, and adds what it
found to ``benchmarks/results/certified-files.csv``. With ``--nist PYTHON``, an interpreter that has ``sdnist``, NIST's
program scores the excerpts. ``--peer aim --python PYTHON`` has AIM (or mst) of ``smartnoise-synth`` make the file, at
the same delta. Of Adult all judges by members and others attack each file, who know demographic columns and numbers of
everybody; ``judges_off`` counts those whose interval excludes chance. ``--page`` prints the table of stored results.
The data lie below ``EVOSDC_DATA``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.members import KNOWN, schema_of
from evosdc.datasets.loading import load_dataset
from evosdc.plugins.registry import default_registry
from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_certified.certify import certify

RESULTS = Path(__file__).parent / "results" / "certified-files.csv"
FEATURES = ["AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "PINCP_DECILE", "DVET", "DEYE"]
DELTA = 1e-6
ADULT = 10_000
LARGE = "100000x10"  # people of the national excerpt, drawn with replacement
BOUNDS = {
    "age": (17.0, 90.0), "education-num": (1.0, 16.0), "capital-gain": (0.0, 99_999.0), "capital-loss": (0.0, 5_000.0),
    "hours-per-week": (1.0, 99.0),
}  # fmt: skip
BANDS = 20
"""Quantile bands of numbers, and of ages, in which tables are compared."""

PEER = """
import sys, time, numpy as np, pandas as pd
from snsynth.aim import AIMSynthesizer
from snsynth.mst import MSTSynthesizer
method, epsilon, delta, source, target = sys.argv[1:]
frame = pd.read_csv(source, dtype=str, keep_default_na=False)
made = {"aim": AIMSynthesizer, "mst": MSTSynthesizer}[method](epsilon=float(epsilon), delta=float(delta))
made.fit(frame, categorical_columns=list(frame.columns), preprocessor_eps=0.0)
pd.DataFrame(made.sample(len(frame)), columns=frame.columns).to_csv(target, index=False)
"""


def nist_schema(folder: Path) -> Schema:
    """Return the schema of NIST's excerpts: its dictionary's categories, and the checks of its program as rules."""
    dictionary = json.loads((folder / "data_dictionary.json").read_text(encoding="utf-8"))
    labels = {
        name: sorted(dictionary[name]["values"], key=lambda text: (text != "N", len(text), text)) for name in FEATURES
    }
    labels["AGEP"] = [str(age) for age in range(100)]
    ordered = ("AGEP", "EDU", "PINCP_DECILE")
    attributes = tuple(
        Attribute(n, Role.QUASI_IDENTIFIER, Scale.ORDINAL if n in ordered else Scale.NOMINAL, tuple(labels[n]))
        for n in FEATURES
    )
    given = {name: tuple(label for label in labels[name] if label != "N") for name in FEATURES}
    rules: list[dict[str, Any]] = [{"AGEP": (0, 14), name: given[name]} for name in ("MSP", "PINCP_DECILE", "DVET")]
    rules += [{"AGEP": (0, 14), "EDU": "12"}, {"AGEP": (0, 4), "EDU": tuple(map(str, range(5, 13)))}]
    rules += [{"AGEP": (0, 2), "EDU": given["EDU"]}]
    rules += [{"AGEP": (16, 99), name: "N"} for name in ("MSP", "PINCP_DECILE", "EDU")]
    rules += [{"HOUSING_TYPE": ("2", "3"), "OWN_RENT": ("1", "2")}, {"HOUSING_TYPE": "1", "OWN_RENT": "0"}]
    return Schema(attributes, edit_rules=edit_rules_of(rules))


def opened(name: str) -> tuple[Table, Table, dict[str, tuple[float, float]]]:
    """Return a file, people who are not in it, and the bounds of its numbers."""
    if name == "adult":
        table = load_dataset(default_registry().spec("dataset", "adult")).table  # type: ignore[arg-type]
        table = table.select([n for n in table.schema.names if n != "fnlwgt"])
        rows = np.arange(2 * ADULT)
        return table.take(rows[:ADULT]), table.take(rows[ADULT:]), BOUNDS
    folder = Path(os.environ["EVOSDC_DATA"]) / "nist_acs_excerpts"
    schema = nist_schema(folder)
    source = "national2019" if name == LARGE else name
    frame = pd.read_csv(folder / f"{source}.csv", dtype=str, keep_default_na=False)[FEATURES]
    codes = np.stack([frame[a.name].map(a.code).to_numpy() for a in schema.attributes], axis=1)
    table = Table(schema, codes.astype(np.int32), np.zeros((len(frame), 0)))
    if name == LARGE:
        table = table.take(np.random.default_rng(1).integers(0, len(table), 100_000))
    return table, table.take(np.arange(0)), {}


def frame_of(table: Table) -> pd.DataFrame:
    """Return a table as texts and numbers."""
    made: dict[str, Any] = {}
    for attribute in table.schema.attributes:
        column = table.column(attribute.name)
        made[attribute.name] = np.array([*attribute.categories, ""])[column] if attribute.categorical else column
    return pd.DataFrame(made)


def banded(frame: pd.DataFrame, original: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with numbers and ages in quantile bands of the original."""
    made = frame.astype(str).where(frame.notna(), "")
    for name in frame:
        if name == "AGEP" or pd.api.types.is_numeric_dtype(original[name]):
            values = original[name].astype(float)
            edges = np.unique(np.quantile(values.dropna(), np.arange(1, BANDS) / BANDS))
            made[name] = np.searchsorted(edges, pd.to_numeric(frame[name]), side="right").astype(str)
    return made


def pair_distance(original: pd.DataFrame, made: pd.DataFrame) -> float:
    """Return the mean total variation distance of all tables of two attributes."""
    one, two = banded(original, original), banded(made, original)
    found = []
    for pair in itertools.combinations(one.columns, 2):
        shares = [frame.groupby(list(pair), observed=True).size() / len(frame) for frame in (one, two)]
        found.append(shares[0].sub(shares[1], fill_value=0.0).abs().sum() / 2.0)
    return float(np.mean(found))


def classified(train: pd.DataFrame, test: pd.DataFrame) -> float:
    """Return the accuracy of gradient boosting that learns income from all else."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    both = pd.concat([train, test])
    columns = [name for name in train if name != "class"]
    coded = pd.DataFrame(
        {
            n: both[n] if pd.api.types.is_numeric_dtype(test[n]) else both[n].astype("category").cat.codes
            for n in columns
        }
    ).to_numpy(dtype=float)
    model = HistGradientBoostingClassifier(random_state=0).fit(coded[: len(train)], train["class"].astype(str))
    return float((model.predict(coded[len(train) :]) == test["class"].to_numpy()).mean())


JUDGES = {
    "membership-nndr": 50.0, "membership-domias": 50.0, "membership-avoidance": 50.0, "members-inference": 0.0,
    "rarity-reconstruction": 0.0,
}  # fmt: skip
"""Judges by members and others, and what each finds by chance."""


def attacked(members: pd.DataFrame, others: pd.DataFrame, made: pd.DataFrame, folder: Path) -> dict[str, float]:
    """Return what the judges find, and how many of their intervals exclude chance."""
    frames = [frame.replace("", "?") for frame in (members, others, made)]
    numbers = [str(name) for name in members if pd.api.types.is_numeric_dtype(members[name])]
    names = [str(name) for name in members]
    secret = [name for name in names if name not in (*KNOWN, *numbers)]
    (folder / "schema.toml").write_text(schema_of(pd.concat(frames), secret), encoding="utf-8")
    for name, frame in zip(("members", "others", "made"), frames, strict=True):
        frame.to_csv(folder / f"{name}.csv", index=False, float_format="%.0f")
    command = [sys.executable, "-m", "evosdc", "judge", "members.csv", "made.csv", "--schema", "schema.toml"]
    command += ["--protect", ",".join(names), "--others", "others.csv", "--judges", ",".join(JUDGES)]
    command += ["--claimed", "0", "--seed", "1", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    judges = json.loads(done.stdout)["judges"]
    found = {name: judges[name]["value"] for name in JUDGES}
    off = [name for name, chance in JUDGES.items() if not judges[name]["low"] <= chance <= judges[name]["high"]]
    return found | {"judges_off": len(off)}


def measured(name: str, epsilon: float, method: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Make one file and return its figures."""
    table, others, bounds = opened(name)
    original, begin = frame_of(table), time.monotonic()
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "original.csv", Path(folder) / "made.csv"
        written = original if method == "evosdc" or not bounds else banded(original, original)
        written.to_csv(source, index=False)
        if method == "evosdc":
            # of as many records as the original, so that the judges take it
            done = certify(
                table, epsilon, delta=DELTA, schema=table.schema, bounds=bounds, records=len(table), time="5m",
                second_opinion=False,
            )  # fmt: skip
            done.frame.to_csv(target, index=False)
            tables = len(done.tables.tables)
        else:
            command = [arguments.python, "-c", PEER, method, str(epsilon), str(DELTA), str(source), str(target)]
            subprocess.run(command, check=True, capture_output=True)
            tables = 0
        seconds = time.monotonic() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF if method == "evosdc" else resource.RUSAGE_CHILDREN).ru_maxrss
        made = pd.read_csv(target, dtype=str, keep_default_na=False)
        found: dict[str, Any] = {
            "file": name, "epsilon": epsilon, "delta": DELTA, "method": method, "seconds": round(seconds, 1),
            "records": len(made), "tables": tables, "peak_mb": round(peak / 1024),
        }  # fmt: skip
        if name == "adult":
            test = frame_of(others)
            if method == "evosdc":
                made = done.frame
            else:
                test, original = banded(test, original), written
            found["accuracy_ratio"] = classified(made, test) / classified(original, test)
            if method == "evosdc":
                found |= attacked(original, test, made, Path(folder))
        found["pair_distance"] = pair_distance(original, made)
        if name != "adult" and arguments.nist:
            program = Path(__file__).parent / "nist_scores.py"
            command = [arguments.nist, str(program), str(source), str(target)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
            scores = json.loads(said)
            found |= {name: scores[name] for name in ("k_marginal", "unique_found")}
            found["impossible"] = sum(scores["broken"].values())
    return found


def stored() -> pd.DataFrame:
    """Return the results so far, one row per file."""
    return pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame()


FIGURES = {
    "k_marginal": 1, "impossible": 0, "unique_found": 1, "pair_distance": 4, "accuracy_ratio": 3,
    **dict.fromkeys(JUDGES, 1), "judges_off": 1, "seconds": 0, "peak_mb": 0,
}  # fmt: skip
"""Figures of each file and method on the page: means, with this number of decimals."""


def page() -> str:
    """Return the table of all that is stored: means over the files of one method."""
    heads = {figure: figure.split("-")[-1] for figure in FIGURES}
    lines = [" ".join(["file".ljust(13), "epsilon", "method", "files", *heads.values()])]
    for (name, epsilon, method), rows in stored().groupby(["file", "epsilon", "method"]):
        cells = [str(name).ljust(13), f"{epsilon:g}".rjust(7), str(method).ljust(6), str(len(rows)).rjust(5)]
        for figure, decimals in FIGURES.items():
            mean = rows[figure].mean() if figure in rows else float("nan")
            cells.append(("" if np.isnan(mean) else f"{mean:.{decimals}f}").rjust(len(heads[figure])))
        lines.append(" ".join(cells))
    return "\n".join(lines)


def main() -> None:
    """Measure, store, or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", choices=["national2019", "ma2019", "adult", LARGE])
    parser.add_argument("epsilon", nargs="?", type=float)
    parser.add_argument("--keys", type=int, default=1, help="how many files")
    parser.add_argument("--peer", choices=["aim", "mst"], help="the method, in place of evosdc's")
    parser.add_argument("--python", help="an interpreter that has smartnoise-synth")
    parser.add_argument("--nist", help="an interpreter that has sdnist")
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    if arguments.page:
        print(page())
        return
    for _ in range(arguments.keys):
        found = measured(arguments.file, arguments.epsilon, arguments.peer or "evosdc", arguments)
        pd.concat([stored(), pd.DataFrame([found])]).to_csv(RESULTS, index=False)
        print(found, flush=True)


if __name__ == "__main__":
    main()
