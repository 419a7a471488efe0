from __future__ import annotations

import pandas as pd
import pytest

from evosdc.data.inference import infer, infer_schema
from evosdc.data.naming import hint_of, words_of
from evosdc.data.schema import Role, Scale
from evosdc.data.source import read_source
from evosdc.model import Microdata

from .build import column, write

N = 60
MANY = [str(1000 + i) for i in range(N)]
SHARED = [str(i % 55) for i in range(N)]
WORDS = [f"w{i}" for i in range(N)]


def role_of(name: str, values: list[str], *others: tuple[str, list[str]]) -> Role:
    columns = [column(name, values), *(column(*other) for other in others)]
    return infer([*columns, column("sex", ["f", "m"] * (len(values) // 2))]).schema[name].role


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("patient_id", MANY, Role.IDENTIFIER),
        ("SSN", MANY, Role.IDENTIFIER),
        ("Email", WORDS, Role.IDENTIFIER),
        ("UTILITYID", SHARED, Role.IDENTIFIER),
        ("UTILNAME", WORDS, Role.IDENTIFIER),
        ("x", MANY, Role.IDENTIFIER),
        ("x", WORDS, Role.IDENTIFIER),
        ("x", [str(i * 7) for i in range(N)], Role.OTHER),
        ("amount_paid", [str(i * i) for i in range(N)], Role.OTHER),
        ("product_name", ["a", "b"] * 30, Role.OTHER),
        ("weight", [f"{50 + i}.5" for i in range(N)], Role.WEIGHT),
        ("sampling_weight", ["100"] * N, Role.WEIGHT),
        ("fnlwgt", [str(i * 99) for i in range(N)], Role.WEIGHT),
        ("household_id", SHARED, Role.HOUSEHOLD),
        ("hhid", SHARED, Role.HOUSEHOLD),
        ("household_size", [str(1 + i % 6) for i in range(N)], Role.QUASI_IDENTIFIER),
        ("stratum", ["1", "2", "3"] * 20, Role.STRATUM),
        ("diagnosis", ["flu", "cold", "gout"] * 20, Role.SENSITIVE),
        ("annual income", [str(i * 999) for i in range(N)], Role.SENSITIVE),
        ("Age", [str(20 + i) for i in range(30)] * 2, Role.QUASI_IDENTIFIER),
        ("marital-status", ["s", "m", "d"] * 20, Role.QUASI_IDENTIFIER),
        ("ZIP", ["08001", "08002", "08003"] * 20, Role.QUASI_IDENTIFIER),
        ("age", [f"{i}.5" for i in range(30)] * 2, Role.OTHER),
        ("age", ["30"] * N, Role.OTHER),
    ],
)
def test_roles_by_name_and_values(name, values, role):
    assert role_of(name, values) is role


def test_a_weight_beside_a_height_is_a_body_weight():
    assert role_of("weight", [f"{i}.5" for i in range(N)], ("height", [f"1.{i}" for i in range(N)])) is Role.OTHER


def test_codes_under_a_name_without_order_are_nominal():
    schema = infer([column("region", ["1", "2", "3"] * 5), column("rating", ["1", "2", "3"] * 5)]).schema
    assert schema["region"].scale is Scale.NOMINAL
    assert schema["rating"].scale is Scale.ORDINAL


def test_without_demographic_names_the_widest_categorical_attributes_are_proposed():
    columns = [column(f"c{k}", [str(i % k) for i in range(N)]) for k in (2, 3, 4, 5, 6, 51)]
    inference = infer(columns)
    assert inference.schema.with_role(Role.QUASI_IDENTIFIER) == ("c3", "c4", "c5", "c6")
    assert "c6, c5, c4, c3" in inference.notes[-1]
    assert "3 to 50 categories" in inference.notes[-1]


def test_numeric_files_get_numeric_quasi_identifiers():
    columns = [column(f"v{k}", [f"{i * k}.5" for i in range(N)]) for k in range(1, 7)]
    assert infer(columns).schema.with_role(Role.QUASI_IDENTIFIER) == ("v1", "v2", "v3", "v4")


def test_hopeless_files_are_told():
    assert "No attribute could be taken" in infer([column("x", MANY)]).notes[-1]


def test_too_many_categories_are_left_alone():
    values = [str(10001 + (i // 2) * 3) for i in range(1400)]
    inference = infer([column("zip", values), column("sex", ["f", "m"] * 700)])
    assert inference.schema["zip"].role is Role.OTHER
    assert "hierarchy" in inference.notes[0]


def test_missing_texts():
    columns = [column("rh", ["+", "-", "?"] * 4), column("v", ["1", ".", "NA"] * 4)]
    assert infer(columns).schema.missing == ("", "?", "NA", ".")
    assert infer(columns[:1]).schema["rh"].categories == ("+", "-")


def test_every_attribute_has_a_note():
    inference = infer([column("a", ["x", "y", "z"] * 5), column("b", ["1", "2", "3"] * 5)])
    assert [note.split(":")[0] for note in inference.notes[:2]] == ["a", "b"]


def test_frames_of_text_and_of_categories():
    frame = pd.DataFrame(
        {"sex": ["f", "m", None] * 5, "size": pd.Categorical(["s", "l", "s"] * 5, ["s", "m", "l"], ordered=True)}
    )
    schema = infer_schema(frame).schema
    assert schema["sex"].categories == ("f", "m")
    assert (schema["size"].scale, schema["size"].categories) == (Scale.ORDINAL, ("s", "m", "l"))


def test_words_of_names():
    assert words_of("HouseholdID") == ("household", "id")
    assert words_of("marital-status_2") == ("marital", "status", "2")
    assert hint_of("expend").role is None


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("adult/arx/adult.csv", 8),
        ("ihsn_testdata/testdata.csv", 3),
        ("casc_eia/EIA.csv", 1),
        ("casc_tarragona/Tarragona.csv", 4),
        ("ihsn_testdata/francdat.csv", 2),
    ],
)
def test_published_files_can_be_protected_as_inferred(data, name, chosen):
    table = read_source(data / name).table
    microdata = Microdata(table, table.schema.with_role(Role.QUASI_IDENTIFIER))
    assert len(microdata.protect) == chosen


def test_inference_of_a_small_hospital_file(tmp_path):
    lines = [f"P{i:04},{20 + i % 50},{'FM'[i % 2]},{['flu', 'cold', 'gout'][i % 3]},{i}.5" for i in range(100)]
    source = read_source(write(tmp_path, "\n".join(["patient,age,sex,disease,cost", *lines])))
    roles = {a.name: a.role for a in source.table.schema.attributes}
    assert roles == {
        "patient": Role.IDENTIFIER,
        "age": Role.QUASI_IDENTIFIER,
        "sex": Role.QUASI_IDENTIFIER,
        "disease": Role.SENSITIVE,
        "cost": Role.OTHER,
    }
