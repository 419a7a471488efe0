from __future__ import annotations

import pandas as pd
import pytest

from evosdc.api.tables import as_file
from evosdc.files.inference.name_hints import hint_of, words_of
from evosdc.files.inference.proposal import infer, infer_schema
from evosdc.files.source import read_source
from evosdc.model import Microdata
from evosdc.table.schema import Role, Scale

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
        ("health_plan_number", [str(i * 7 % 997) for i in range(N)], Role.IDENTIFIER),
        ("health_plan_number", [str(1 + i % 4) for i in range(N)], Role.OTHER),
        ("DriverLicenseNumber", [f"k{i * 7}" for i in range(N)], Role.IDENTIFIER),
        ("policy no", [str(i * 7 % 997) for i in range(N)], Role.IDENTIFIER),
        ("number_of_children", [str(i % 5) for i in range(N)], Role.QUASI_IDENTIFIER),
        ("number_of_plans", [str(i * 7 % 997) for i in range(N)], Role.OTHER),
        ("steps_number", [str(i * 7 % 997) for i in range(N)], Role.OTHER),
        ("plan_visits_number", [str(i * 7 % 997) for i in range(N)], Role.OTHER),
        ("weight", [f"{50 + i * i}.5" for i in range(N)], Role.WEIGHT),
        ("weight", [str(9000 + 7 * i) for i in range(N)], Role.WEIGHT),
        ("weight", [str(0.5 + i / (N - 1)) for i in range(N)], Role.WEIGHT),
        ("weight", [f"{50 + i}.5" for i in range(N)], Role.OTHER),
        ("weight", [str(2600 + 10 * i) for i in range(N)], Role.OTHER),
        ("wt", [f"{4 + i / 10:.1f}" for i in range(N)], Role.OTHER),
        ("Schulden", [str(i * 999) for i in range(N)], Role.SENSITIVE),
        ("creddebt", [f"{i}.25" for i in range(N)], Role.SENSITIVE),
        ("dwelling_age", [str(20 + i) for i in range(30)] * 2, Role.QUASI_IDENTIFIER),
        ("sampling_weight", ["100"] * N, Role.WEIGHT),
        ("fnlwgt", [str(i * 99) for i in range(N)], Role.WEIGHT),
        ("household_id", SHARED, Role.HOUSEHOLD),
        ("hhid", SHARED, Role.HOUSEHOLD),
        ("family", [str(1 + i % 2) for i in range(N)], Role.QUASI_IDENTIFIER),
        ("household_size", [str(1 + i % 6) for i in range(N)], Role.QUASI_IDENTIFIER),
        ("stratum", ["1", "2", "3"] * 20, Role.STRATUM),
        ("diagnosis", ["flu", "cold", "gout"] * 20, Role.SENSITIVE),
        ("annual income", [str(i * 999) for i in range(N)], Role.QUASI_IDENTIFIER),
        ("Age", [str(20 + i) for i in range(30)] * 2, Role.QUASI_IDENTIFIER),
        ("marital-status", ["s", "m", "d"] * 20, Role.QUASI_IDENTIFIER),
        ("ZIP", ["08001", "08002", "08003"] * 20, Role.QUASI_IDENTIFIER),
        ("age", [f"{i}.5" for i in range(30)] * 2, Role.QUASI_IDENTIFIER),
        ("age", ["30"] * N, Role.OTHER),
    ],
)
def test_roles_by_name_and_values(name, values, role):
    assert role_of(name, values) is role


@pytest.mark.parametrize("name", ["handle", "name", "username", "user_name", "email", "first name", "screen_name"])
@pytest.mark.parametrize("n", [2, 4, 8, 20, 22])
@pytest.mark.parametrize("shared", [False, True])
def test_names_that_identify_do_so_in_files_of_any_size(name, n, shared):
    values = [f"w{i - i % 2 if shared and n > 4 else i}" for i in range(n)]
    assert role_of(name, values) is Role.IDENTIFIER


def test_mail_addresses_identify_in_small_files_and_flags_never():
    assert role_of("c", [f"w{i}@b.org" for i in range(4)]) is Role.IDENTIFIER
    assert role_of("telephone", ["yes", "no"] * 30) is Role.OTHER


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


def test_numeric_attributes_without_a_telling_name_are_not_proposed():
    columns = [column(f"v{k}", [f"{i * k}.5" for i in range(N)]) for k in range(1, 7)]
    inference = infer(columns)
    assert inference.schema.with_role(Role.QUASI_IDENTIFIER) == ()
    assert "No attribute could be taken" in inference.notes[-2]
    assert "give those that others may know the role" in inference.notes[-1]
    for other in (["x", "y"] * 30, ["x", "y", "z"] * 20):
        inference = infer([*columns, column("c", other)])
        assert inference.schema.with_role(Role.QUASI_IDENTIFIER) == ("c",)
        assert "give those that others may know the role" in inference.notes[-1]


@pytest.mark.parametrize(
    "name",
    ["place", "town", "city", "municipality", "district", "province", "region", "canton", "county", "postcode", "City",
     "post_code", "birth place", "city_name", "region_id", "Municipality Code"],
)  # fmt: skip
def test_places_are_quasi_identifiers(name):
    assert role_of(name, WORDS[:40] + WORDS[:20], ("n", MANY)) is Role.QUASI_IDENTIFIER
    schema = infer([column(name, [str(i % 30) for i in range(N)])]).schema
    assert (schema[name].role, schema[name].scale) == (Role.QUASI_IDENTIFIER, Scale.NOMINAL)


def test_names_of_respondents_are_no_places():
    assert role_of("employee_name", WORDS) is Role.IDENTIFIER
    assert role_of("street address", WORDS) is Role.IDENTIFIER


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("c", ["x"] * N, "other, nominal, since it has one value."),
        ("c", ["x", ""] * 30, "other, nominal, since it has one value."),
        ("c", ["1.5"] * N, "other, numeric, since it has one value, with a fraction."),
        ("c", ["x", "y"] * 30, "other, nominal, since it has two values."),
        ("age", ["30"] * N, "other, nominal, since it has one value."),
        ("stratum", ["1"] * N, "stratum, nominal, since its name says stratum, and it has one value."),
        ("disease", ["flu"] * N, "sensitive, nominal, since its name says something confidential, and it has one"),
    ],
)
def test_one_and_two_values_are_described_as_such(name, values, reason):
    assert infer([column(name, values), column("sex", ["f", "m"] * 30)]).notes[0].startswith(f"{name}: {reason}")


def test_attributes_treated_alike_share_a_note():
    alike = [column(f"q{k}", [str(i % (3 + k % 4)) for i in range(N)]) for k in range(100)]
    notes = infer([column("sex", ["f", "m"] * 30), *alike]).notes
    assert notes[1:] == (
        "q0 to q99 (100 attributes): other, ordinal, since for each, it has 3 to 6 distinct whole numbers, close to "
        "each other.",
    )
    mixed = [column(f"r{k}", (["a", "b", "c"] if k % 2 else ["1.5", "2.5", "3"]) * 20) for k in range(16)]
    notes = infer([column("sex", ["f", "m"] * 30), *mixed]).notes
    assert [note.split(":")[0] for note in notes] == [
        "sex",
        "r0, r2, r4, ..., r14 (8 attributes)",
        "r1, r3, r5, ..., r15 (8 attributes)",
    ]


def test_names_with_control_characters_are_shown_escaped():
    notes = infer([column("a\x1b[2Jb\nc", ["x", "y", "z"] * 5)]).notes
    assert notes[0].startswith("a\\x1b[2Jb\\nc: ")
    assert not any(sign in note for note in notes for sign in "\x1b\n")


def test_hopeless_files_are_told():
    assert "No attribute could be taken" in " ".join(infer([column("x", MANY)]).notes)


def test_too_many_categories_are_left_out():
    values = [str(10001 + (i // 2) * 3) for i in range(4200)]
    inference = infer([column("zip", values), column("sex", ["f", "m"] * 2100)])
    assert inference.schema["zip"].role is Role.DROP
    assert "recode it first" in inference.notes[0]


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
        ("adult/arx/adult.csv", 9),
        ("ihsn_testdata/testdata.csv", 4),
        ("casc_eia/EIA.csv", 1),
        ("ihsn_testdata/francdat.csv", 2),
    ],
)
def test_published_files_can_be_protected_as_inferred(data_sets, name, chosen):
    table = read_source(data_sets.path(name)).table
    microdata = Microdata(table, table.schema.with_role(Role.QUASI_IDENTIFIER))
    assert len(microdata.protect) == chosen


def test_a_published_file_of_numbers_has_no_quasi_identifiers(data_sets):
    source = read_source(data_sets.path("casc_tarragona/Tarragona.csv"))
    assert source.table.schema.with_role(Role.QUASI_IDENTIFIER) == ()
    assert "give those that others may know the role" in source.notes[-1]


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


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("mage", "age"), ("fage", "age"), ("hage", "age"), ("wage", "money"), ("hwage", "money"), ("repwage", "money"),
        ("fincome", "money"), ("hincome", "money"), ("heducation", "trait"), ("feducation", "trait"),
        ("meducation", "trait"), ("whitemom", "trait"), ("Mjob", "trait"), ("fatherage", "age"),
        ("spouse_income", "money"), ("husage", "age"),
        ("husbandeducation", "trait"), ("lwage", "money"),
        ("image", ""), ("page", ""), ("sewage", ""), ("mileage", ""), ("wrapper", ""), ("fare", ""), ("trace", ""),
        ("outcome", ""), ("stage", ""), ("hours", ""), ("usage", ""), ("dosage", ""), ("manager", ""),
    ],
)  # fmt: skip
def test_names_of_relatives_and_of_money_are_understood(name, topic):
    assert hint_of(name).demographic == topic


def test_a_weight_that_may_be_a_birth_weight_is_asked_about():
    frame = pd.DataFrame({"weight": [f"{4 + i / 10:.1f}" for i in range(N)], "sex": ["f", "m"] * (N // 2)})
    found = infer_schema(frame)
    assert found.schema["weight"].role is Role.OTHER
    assert "give it the role weight" in found.reasons["weight"]
    both = infer_schema(frame.assign(premie=["yes", "no"] * (N // 2)))
    assert "no sampling weight" in both.reasons["weight"]


def test_numbers_with_some_words_among_them_are_said_to_be_that():
    income = [f"{900 + 7 * i}.25" for i in range(N - 4)] + ["n.k.", "none", "unknown", "refused"]
    found = infer([column("pay", income), column("sex", ["f", "m"] * (N // 2))])
    assert found.schema["pay"].role is Role.IDENTIFIER
    assert "93 % of them are numbers, and the others texts" in found.reasons["pay"]
    assert "numbers" not in infer([column("pay", WORDS), column("sex", ["f", "m"] * (N // 2))]).reasons["pay"]


@pytest.mark.parametrize("odd", ["00.00.1950", "31.02.1980"])
def test_a_date_that_is_no_day_is_missing_among_dates(odd):
    days = [f"{1 + k % 28:02}.{1 + k % 12:02}.{1930 + k % 70}" for k in range(N)]
    found = infer([column("Geburtsdatum", [odd, *days[1:]])])
    attribute = found.schema["Geburtsdatum"]
    assert (attribute.role, attribute.date_format, attribute.missing) == (Role.QUASI_IDENTIFIER, "%d.%m.%Y", (odd,))
    assert f"{odd!r} taken for missing" in found.reasons["Geburtsdatum"]
    frame = pd.DataFrame({"Geburtsdatum": [odd, *days[1:]], "sex": ["f", "m"] * (N // 2)})
    assert as_file(frame)[0].schema["Geburtsdatum"].date_format == "%d.%m.%Y"


def test_dates_written_in_another_way_are_no_missing_values():
    days = [f"{1 + k % 28:02}.{1 + k % 12:02}.{1930 + k % 70}" for k in range(N)]
    for odd in ("12/31/1950", "1950-12-31", "unknown"):
        assert not infer([column("born", [odd, *days[1:]])], codes={}).schema["born"].missing


def test_numbers_of_people_with_several_records_are_named():
    def remarks(values: list[str]) -> str:
        return " ".join(infer([column("PatID", values), column("sex", ["f", "m"] * (N // 2))]).remarks)

    assert f"PatID has 45 different values in {N} records." in remarks([f"P{100 + k % 45}" for k in range(N)])
    assert "different values" not in remarks([f"P{100 + k}" for k in range(N)])


def test_a_code_with_a_decimal_comma_is_typed_without_it():
    bmi = [f"{20 + k % 9},{k % 10}" for k in range(N)] + ["99,0"] * 12
    notes = infer([column("BMI", bmi, ","), column("sex", ["f", "m"] * 36)]).notes
    assert any(note.endswith("evosdc edit SCHEMA BMI missing=99") for note in notes)
