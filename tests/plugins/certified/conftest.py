"""Small files to certify."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table

pytest.importorskip("opendp", reason="the optional package opendp is not installed")

SCHEMA = Schema(
    (
        Attribute("age", scale=Scale.ORDINAL, categories=tuple(map(str, range(30)))),
        Attribute("sex", categories=("m", "f")),
        Attribute("marital", categories=("none", "single", "married")),
        Attribute("income", scale=Scale.NUMERIC),
    ),
    edit_rules=edit_rules_of(
        [{"age": (0, 14), "marital": ("single", "married")}, {"age": (15, 29), "marital": "none"}]
    ),
)
BOUNDS = {"income": (0.0, 5000.0)}


def survey(records: int = 3000, seed: int = 0) -> Table:
    """A file that keeps its rules, in which income goes with sex and age."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 30, records), rng.integers(0, 2, records)
    marital = np.where(age < 15, 0, 1 + (rng.random(records) < age / 40))
    income = np.where(age < 15, 0.0, np.round(age * 80 + 900 * sex + rng.normal(0, 200, records)))
    return Table(SCHEMA, np.stack([age, sex, marital], axis=1).astype(np.int32), income[:, None])


@pytest.fixture(scope="session")
def original() -> Table:
    return survey()


CSV_SCHEMA = """[attributes]
age = { scale = "ordinal", categories = [AGES] }
sex = { categories = ["m", "f"] }
marital = { categories = ["none", "single", "married"] }
income = { scale = "numeric" }
name = { role = "identifier" }

[[edit_rules]]
age = [0, 14]
marital = ["single", "married"]
""".replace("AGES", ", ".join(f'"{age}"' for age in range(30)))


@pytest.fixture
def files(tmp_path, original):
    """A file and its schema, in a folder of their own."""
    columns = [original.schema[name].categories for name in ("age", "sex", "marital")]
    lines = ["age,sex,marital,income,name"]
    for number, (codes, income) in enumerate(
        zip(original.codes.tolist(), original.numbers[:, 0].tolist(), strict=True)
    ):
        labels = [column[code] for column, code in zip(columns, codes, strict=True)]
        lines.append(",".join([*labels, f"{income:.0f}", f"person-{number}"]))
    (tmp_path / "survey.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "schema.toml").write_text(CSV_SCHEMA)
    return tmp_path
