"""Generalised files through the commands that a user types: masked, published, and judged."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.cli import main
from evosdc.files.source import read_source
from evosdc.table.generalisation import LabelReader
from tests.published import DataSets

NAMES = ("sex", "age", "race", "marital-status", "education")
Command = Callable[..., dict[str, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> dict[str, Any]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main([*map(str, words), "--json"])
        said = capsys.readouterr()
        assert caught.value.code in (0, None), said.err
        answer: dict[str, Any] = json.loads(said.out)
        return answer

    return call


@pytest.fixture
def schema(data_sets: DataSets, tmp_path: Path) -> Path:
    lines = ["[attributes]", 'salary-class = { role = "sensitive", scale = "nominal" }']
    for name in NAMES:
        scale = "numeric" if name == "age" else "nominal"
        file = data_sets.path(f"adult/hierarchies_arx/adult_hierarchy_{name}.csv")
        lines.append(f'{name} = {{ role = "quasi-identifier", scale = "{scale}", hierarchy = "{file}" }}')
    path = tmp_path / "schema.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def records(path: Path) -> list[tuple[str, ...]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [tuple(row[name] for name in NAMES) for row in csv.DictReader(file, delimiter=";")]


@pytest.mark.parametrize(
    ("settings", "more"),
    [(["output=interval"], []), (["output=interval", "partitioning=relaxed", "hierarchies=false"], ["--by", "sex"])],
)
def test_mondrian_of_adult_is_anonymous_true_and_judged(
    data_sets: DataSets, schema: Path, run: Command, settings: list[str], more: list[str]
) -> None:
    original, output = Path("adult.csv"), Path("masked.csv")
    with data_sets.path("adult/arx/adult.csv").open(encoding="utf-8") as whole:
        original.write_text("".join(islice(whole, 8001)), encoding="utf-8")
    chosen = [word for setting in ("k=10", *settings) for word in ("--set", setting)]
    run("mask", "mondrian", original, "--schema", schema, *chosen, *more, "-o", output)
    published, source = records(output), read_source(original, schema).table
    assert min(Counter(published).values()) >= 10
    for position, name in enumerate(NAMES):
        reader, labels = LabelReader(source.schema[name]), [record[position] for record in published]
        extents = {label: reader.read(label) for label in set(labels)}
        assert all(extent is not None for extent in extents.values())
        assert all(extents[label].covers(value) for label, value in zip(labels, source.column(name), strict=True))  # type: ignore[union-attr]
    scores = run("measure", original, output, "--schema", schema, "--measures", "lm,dm,cavg")
    assert scores["dm"] == sum(size**2 for size in Counter(published).values())
    assert scores["cavg"] == pytest.approx(len(published) / len(set(published)))
    assert 0 < scores["lm"] < 0.25


def test_global_recoding_of_adult_by_level_is_the_node_of_the_hierarchies(
    data_sets: DataSets, schema: Path, run: Command
) -> None:
    original, output = Path("adult.csv"), Path("masked.csv")
    with data_sets.path("adult/arx/adult.csv").open(encoding="utf-8") as whole:
        original.write_text("".join(islice(whole, 5001)), encoding="utf-8")
    levels = {"sex": 1, "age": 2, "race": 0, "marital-status": 1, "education": 2}
    chosen = [word for name, level in levels.items() for word in ("--set", f"level.{name}={level}")]
    run("mask", "global-recoding", original, "--schema", schema, *chosen, "--set", "output=label", "-o", output)
    table = read_source(original, schema).table
    for position, name in enumerate(NAMES):
        hierarchy = table.schema[name].hierarchy
        assert hierarchy is not None
        before = [record[position] for record in records(original)]
        assert [record[position] for record in records(output)] == list(hierarchy.generalise(before, levels[name]))
    scores = run("measure", original, output, "--schema", schema, "--measures", "lm,precision")
    assert scores["precision"] == pytest.approx(np.mean([1 / 1, 2 / 4, 0 / 1, 1 / 2, 2 / 3]))


def test_frames_come_back_with_labels() -> None:
    frame = pd.DataFrame(
        {"age": [17, 20, 24, 61, 66, 70], "town": pd.Categorical(list("abacdd"))}, index=[3, 1, 4, 1, 5, 9]
    )
    masked = evosdc.mask(frame, "mondrian", k=3, output="interval")
    assert list(masked.index) == list(frame.index)
    assert masked["age"].tolist() == ["[17, 24]"] * 3 + ["[61, 70]"] * 3
    assert masked["town"].tolist() == ["{a, b}"] * 3 + ["{c, d}"] * 3
    coded = evosdc.mask(frame, "top-coding", value=61, output="label", protect=["age"])
    assert coded["age"].tolist() == ["17", "20", "24", ">= 61", ">= 61", ">= 61"]
    merged = evosdc.mask(frame, "global-recoding", q=3, width={"age": 30}, output="label")
    assert merged["age"].tolist() == ["[0, 30)"] * 3 + ["[60, 90)"] * 3
    assert merged["town"].tolist() == ["{a, b, c}"] * 4 + ["d"] * 2
