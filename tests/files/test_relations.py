"""What `evosdc init` says of columns together: rules, derived columns, codes of missing values, words and labels."""

from __future__ import annotations

import random
from datetime import date, timedelta
from math import inf

import pandas as pd
import pytest

from evosdc.files.inference.column_proposal import span_of
from evosdc.files.inference.missing_codes import code_sentences, suspected_codes
from evosdc.files.inference.name_hints import hint_of
from evosdc.files.inference.proposal import code_hierarchy, infer
from evosdc.files.inference.relations import relations_of
from evosdc.files.schema.schema_file import dump_schema
from evosdc.files.source import read_source
from evosdc.table.schema import Role, Scale

from .build import column, write

TITLES = {"IT": ["Developer", "Admin"], "HR": ["Recruiter", "Clerk"], "Sales": ["Seller", "Clerk"]}


@pytest.fixture
def staff(tmp_path):
    draw = random.Random(5)
    lines = ["home,members,age,born,hired,title,department,net,tax,gross,region,town"]
    for home in range(150):
        size = draw.randint(1, 4)
        for _ in range(size):
            age, department = draw.randint(18, 65), draw.choice(list(TITLES))
            net, tax, town = draw.randint(900, 5000), draw.randint(100, 900), draw.randint(0, 5)
            hired = draw.randint(2000 - age + 18, 2000)
            lines.append(
                f"h{home},{size},{age},{2000 - age}-03-01,{hired}-0{draw.randint(1, 9)}-15,"
                f"{draw.choice(TITLES[department])},{department},{net},{tax},{net + tax},{'ns'[town % 2]},town{town}"
            )
    schema = '[attributes]\nhome = { role = "household" }\n'
    schema += "".join(f'{name} = {{ scale = "date" }}\n' for name in ("born", "hired"))
    path = write(tmp_path, "\n".join(lines) + "\n")
    return path, read_source(path, write(tmp_path, schema, "s.toml")).table


def test_no_record_breaks_a_proposed_rule_and_titles_of_other_departments_are_ruled_out(staff):
    _path, table = staff
    rules = relations_of(table).rules
    assert rules
    assert not any(rule.broken(table).any() for rule in rules)
    told = {rule.text for rule in rules}
    assert any("Developer" in text and "HR" in text and "Sales" in text for text in told)
    assert any(set(rule.names) == {"age", "hired"} for rule in rules), told


def test_columns_that_follow_from_others_are_told(staff):
    _, table = staff
    told = " ".join(relations_of(table).derived)
    assert "members is the number of records of each home" in told
    assert "age follows from born" in told
    assert "gross is net + tax" in told
    assert "region follows from town" in told


def test_a_column_that_few_households_do_not_share_is_told(tmp_path):
    lines = ["home,roof,age"] + [f"h{i // 2},{'tile' if i != 7 else 'straw'},{20 + i % 7}" for i in range(80)]
    schema = '[attributes]\nhome = { role = "household" }\nroof = { scale = "nominal" }\n'
    table = read_source(write(tmp_path, "\n".join(lines) + "\n"), write(tmp_path, schema, "s.toml")).table
    (told,) = (text for text in relations_of(table).derived if "for all members" in text)
    assert "roof is the same" in told
    assert "in 1 of 40" in told
    assert "title follows" not in told


@pytest.mark.parametrize("more", [0, 1])  # whether the day of admission counts
def test_a_stay_that_two_dates_give_away_is_named(tmp_path, more):
    draw = random.Random(5)
    start, lines = date(2023, 1, 1), []
    for _ in range(200):
        came, stay = start + timedelta(draw.randint(0, 300)), draw.randint(0, 30)
        lines.append(f"{came:%d.%m.%Y},{came + timedelta(stay):%d.%m.%Y},{stay + more},{draw.randint(0, 30)}")
    found = relations_of(read_source(write(tmp_path, "\n".join(["came,left,stay,other", *lines]))).table)
    assert [sentence.split(":")[0] for sentence in found.derived] == ["stay is the days from came to left"]


def test_a_stay_is_proposed_as_what_it_is_though_some_are_miscounted(tmp_path):
    draw = random.Random(5)
    start, lines = date(2023, 1, 1), []
    for place in range(200):
        came, stay = start + timedelta(draw.randint(0, 300)), draw.randint(0, 30)
        left = "" if place % 40 == 3 else f"{came + timedelta(stay):%Y-%m-%d}"
        lines.append(f"{came:%Y-%m-%d},{left},{stay + (place % 50 == 1)},{draw.randint(0, 30)}")
    source = read_source(write(tmp_path, "\n".join(["came,left,nights,other", *lines])))
    roles = {one.name: one.role for one in source.table.schema.attributes}
    assert roles["nights"] is Role.QUASI_IDENTIFIER
    assert roles["other"] is Role.OTHER
    assert source.inference.reasons["nights"].startswith("it is the days from came to left")
    assert [sentence.split(":")[0] for sentence in relations_of(source.table).derived] == [
        "nights is the days from came to left"
    ]


def test_columns_without_relations_have_none(tmp_path):
    draw = random.Random(3)
    lines = [f"{draw.choice('abc')},{draw.choice('xyz')},{draw.randint(1, 90)}" for _ in range(600)]
    found = relations_of(read_source(write(tmp_path, "\n".join(["u,v,w", *lines]))).table)
    assert (found.rules, found.derived, found.sentences) == ((), (), [])


def test_days_of_a_rule_are_an_interval(tmp_path):
    path = write(tmp_path, "d,x\n31.01.2001,a\n01.06.2002,b\n02.06.2002,b\n")
    rule = '[attributes]\nd = { scale = "date" }\n[[edit_rules]]\nd = "2002-01-01..2002-06-01"\nx = "b"\n'
    table = read_source(path, write(tmp_path, rule, "s.toml")).table
    assert table.schema.edit_rules[0].broken(table).tolist() == [False, True, False]
    dump_schema(table.schema, tmp_path / "again.toml")
    assert read_source(path, tmp_path / "again.toml").table.schema.edit_rules == table.schema.edit_rules


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        ([*map(str, range(100, 40000, 100)), *["99998"] * 9, *["99999"] * 9], {"99998", "99999"}),
        ([*map(str, range(100, 95000, 100)), *["99998"] * 9, *["99999"] * 9], {"99998", "99999"}),
        ([*map(str, range(100, 95000, 100)), "99999"], set()),
        ([*(f"{k}.5" for k in range(100, 900)), *["99999"] * 20], {"99999"}),
        (["0", "1", "2", "3"] * 9 + ["99"], {"99"}),
        (["1", "2", "3", "4"] * 9 + ["8", "9"], {"8", "9"}),
        (["north", "south", "east"] * 9 + ["Refused", "9 Don't know"], {"Refused", "9 Don't know"}),
        (["yes", "no", "unknown"] * 9, {"unknown"}),
        (["unknown", "yes"] * 9, set()),
    ],
)
def test_codes_of_missing_values_are_suspected(texts, codes):
    found = suspected_codes([column("x", texts)], ("",))
    assert {code.text for code in found} == codes
    assert not any(code.certain for code in found)
    if codes:
        (sentence,) = code_sentences(found)
        assert "evosdc edit SCHEMA x" in sentence
        assert "missing=k.A.," in code_sentences(found, {"x": ("k.A.",)})[0]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Gewicht_Hochrechnung", Role.WEIGHT),
        ("poids_sondage", Role.WEIGHT),
        ("factor_expansion", Role.WEIGHT),
        ("dweight", Role.WEIGHT),
        ("Site", Role.QUASI_IDENTIFIER),
        ("hospital", Role.QUASI_IDENTIFIER),
        ("relation", Role.QUASI_IDENTIFIER),
        ("Verwandtschaftsgrad", Role.QUASI_IDENTIFIER),
        ("job title", Role.QUASI_IDENTIFIER),
        ("health", Role.SENSITIVE),
        ("general_health", Role.SENSITIVE),
        ("HHNUM", Role.HOUSEHOLD),
        ("HWEIGHT", Role.WEIGHT),
        ("MARSTAT", Role.QUASI_IDENTIFIER),
        ("ISCO08_3D", Role.QUASI_IDENTIFIER),
        ("Mother tongue", Role.QUASI_IDENTIFIER),
        ("special needs", Role.SENSITIVE),
        ("sentence (months)", Role.SENSITIVE),
    ],
)
def test_more_words(name, role):
    assert hint_of(name).role is role


def test_the_label_of_a_file_speaks_where_the_name_does_not():
    numbers = [f"{k}.5" for k in range(60)]
    assert infer([column("v17", numbers)]).schema["v17"].role is Role.OTHER
    found = infer([column("v17", numbers)], labels={"v17": "Design weight"})
    assert found.schema["v17"].role is Role.WEIGHT
    assert found.reasons["v17"] == "its label says a sampling weight"
    assert hint_of("age", "Design weight").role is Role.QUASI_IDENTIFIER
    assert not hint_of("v1", "Name of the main employer").identifier


def test_scale_and_reason_agree():
    grades = column("health", ["good", "fair", "poor"] * 9)
    found = infer([grades])
    assert found.schema["health"].scale is Scale.ORDINAL
    assert found.reasons["health"] == "its name says something confidential, and its words have a known order"
    nominal = infer(
        [grades], {"health": found.schema["health"].__class__("health", categories=("good", "fair", "poor"))}
    )
    assert nominal.schema["health"].scale is Scale.NOMINAL
    assert nominal.reasons["health"].endswith("scale and categories are those of its type")


def test_codes_of_classifications_have_their_chapters():
    icd = code_hierarchy(["A10.1", "A10.2", "A11", "B20.0"])
    assert icd.path("A10.1") == ("A10.1", "A10*", "A*", "*")
    nace = code_hierarchy(["01.11", "01.12", "62.01", "62.02"])
    assert nace.path("62.01") == ("62.01", "62*", "*")
    assert code_hierarchy(["1", "2", "x"]) is None
    found = infer([column("icd10", [f"{c}{k}.{d}" for c in "AB" for k in (10, 11) for d in range(4)] * 2)])
    assert found.schema["icd10"].hierarchy.height == 3
    industry = infer([column("nace", [f"{k}.{d}1" for k in range(10, 40) for d in range(3)] * 2)]).schema["nace"]
    assert industry.scale is Scale.NOMINAL


def test_labels_of_spss_tell_weights_codes_and_orders(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    path = tmp_path / "survey.sav"
    frame = pd.DataFrame(
        {
            "v1": [1.5 + k for k in range(60)],
            "v2": [float(k * 100) for k in range(1, 57)] + [99998.0, 99999.0, 700.0, 99998.0],
            "health": [1.0, 2.0, 3.0] * 20,
        }
    )
    labels = {"v2": {99998.0: "Refused", 99999.0: "Don't know"}, "health": {1.0: "poor", 2.0: "fair", 3.0: "good"}}
    names = {"v1": "Design weight", "v2": "Monthly income", "health": "General health"}
    pyreadstat.write_sav(frame, path, column_labels=names, variable_value_labels=labels)
    found = read_source(path).inference
    assert found.schema["v1"].role is Role.WEIGHT
    assert found.schema["v2"].role is Role.QUASI_IDENTIFIER
    assert {code.text for code in found.suspected} == {"99998", "99999"}
    assert found.schema["health"].scale is Scale.ORDINAL
    assert found.reasons["health"].endswith("scale and categories are those of its type")


# by language: columns of age, marriage, work and degree; words for a child's states, then for an adult's
ADULTS = [
    ("age marital_status employment degree", "single pupil none", "married employed university"),
    ("Alter Familienstand Erwerbsstatus Schulabschluss", "ledig Schüler ohne", "verheiratet erwerbstätig Abitur"),
    ("âge état_civil profession diplôme", "célibataire élève aucun", "marié ouvrier licence"),
    ("edad estado_civil ocupación estudios", "soltera alumna ninguno", "casada ocupada universitarios"),
    ("età stato_civile professione titolo_studio", "celibe alunno nessuno", "sposato operaio laurea"),
    ("leeftijd burgerlijke_staat beroep opleiding", "ongehuwd leerling geen", "gehuwd bakker universiteit"),
]


def of_ages(written, joins=" ", low=0):
    """Return a file of people whose ages are written in some way, in the words of a language."""
    draw = random.Random(4)
    names, young, old = (part.split() for part in written)
    lines = [",".join(["region", *names])]
    for k in range(240):
        age = k % 12 if k < 24 else draw.randint(17, 80)
        shown = str(age) if not low else joins.format(age // low * low, age // low * low + low - 1)
        states = [a if age < 17 or draw.random() < 0.3 else b for a, b in zip(young, old, strict=True)]
        lines.append(",".join([draw.choice("nsew"), shown, *states]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("written", ADULTS, ids=lambda written: written[0].split()[0])
@pytest.mark.parametrize(("joins", "low"), [("", 0), ("{}-{}", 5), ("{} bis {} Jahre", 5), ("{} à {} ans", 10)])
def test_what_no_child_is_or_has_is_proposed(tmp_path, written, joins, low):
    table = read_source(write(tmp_path, of_ages(written, joins, low))).table
    rules = relations_of(table).rules
    names, _young, old = (part.split() for part in written)
    told = {rule.names[1]: rule for rule in rules[:3] if rule.names[0] == names[0]}
    assert {name: dict(rule.conditions)[name] for name, rule in told.items()} == dict(zip(names[1:], old, strict=True))
    ages = dict(rules[0].conditions)[names[0]]
    assert ages == (0, 14) if not low else len(ages if isinstance(ages, tuple) else [ages]) == {5: 3, 10: 1}[low]
    assert not any(rule.broken(table).any() for rule in rules)


def test_a_child_that_works_or_ages_in_codes_give_no_rule(tmp_path):
    text = of_ages(ADULTS[0])
    slips = text.replace(",5,single,pupil,none", ",5,single,employed,none", 1)
    found = relations_of(read_source(write(tmp_path, slips)).table).rules
    assert [rule.names[1] for rule in found if dict(rule.conditions).get("age") == (0, 14)] == [
        "marital_status",
        "degree",
    ]
    draw = random.Random(2)
    codes = [f"{k % 9 + 1},{'single' if k % 9 < 2 or draw.random() < 0.2 else 'married'}" for k in range(90)]
    table = read_source(write(tmp_path, "\n".join(["age,marital", *codes]))).table
    assert not any(dict(rule.conditions)["age"] == (0, 14) for rule in relations_of(table).rules)


def test_labels_and_amounts_tell_what_children_have_not(tmp_path):
    draw = random.Random(3)
    lines = [
        f"{age},{0 if age < 15 else draw.randint(0, 40)}" for age in [*range(2, 14), *range(15, 90), *range(20, 80)]
    ]
    table = read_source(write(tmp_path, "\n".join(["v1,v2", *lines]))).table
    (first, *_rest) = relations_of(table, {"v1": "Age in years", "v2": "Hours of work"}).rules
    assert first.conditions == (("v1", (0, 14)), ("v2", (1, 40)))


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("unter 15", (-inf, 15)),
        ("15 bis unter 20", (15, 20)),
        ("from 15 to 24", (15, 24)),
        ("65 Jahre und älter", (65, inf)),
        ("moins de 15 ans", (-inf, 15)),
        ("75 ans et plus", (75, inf)),
        ("de 15 a 24 años", (15, 24)),
        ("75 y más", (75, inf)),
        ("meno di 15 anni", (-inf, 15)),
        ("75 e oltre", (75, inf)),
        ("jonger dan 15", (-inf, 15)),
        ("poniżej 15", (-inf, 15)),
        ("85 lat i więcej", (85, inf)),
        ("[0,15)", (0, 15)),
        ("15 cats", None),
        ("over the hill", None),
    ],
)
def test_ranges_are_understood_as_people_write_them(text, span):
    assert span_of(text) == span


def test_of_several_weights_the_person_s_is_taken_and_a_label_tells_a_weight(tmp_path):
    frame = pd.DataFrame(
        {"HHWEIGHT": [1.5, 2.5, 9.5, 4.0] * 9, "PWGTP": [3.5, 2.5, 8.0, 4.0] * 9, "WGTP": [1.0, 2.0, 7.0, 5.0] * 9}
    )
    frame.to_csv(tmp_path / "w.csv", index=False)
    found = read_source(tmp_path / "w.csv").inference
    assert [a.role for a in found.schema.attributes] == [Role.DROP, Role.WEIGHT, Role.DROP]
    assert "the weight is PWGTP" in found.reasons["WGTP"]
    assert hint_of("WGT", "Design weight").certain
    assert not hint_of("WGT", "Weight in kg").certain


@pytest.mark.parametrize("name", ["Holder name", "Vorname", "FarmerName", "owner name", "prénom", "apellidos"])
def test_names_of_people_identify_though_records_share_them(tmp_path, name):
    draw = random.Random(1)
    lines = [f"{draw.choice(['Anna', 'Jörg', 'Eva', 'José'])},{draw.randint(1, 9)}" for _ in range(90)]
    table = read_source(write(tmp_path, "\n".join([f"{name},x", *lines]))).table
    assert table.schema[name].role is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["course name", "nombre", "company name", "School name"])
def test_names_of_things_do_not(tmp_path, name):
    lines = [f"{'abc'[k % 3]}{k % 5},{k % 9}" for k in range(90)]
    table = read_source(write(tmp_path, "\n".join([f"{name},x", *lines]))).table
    assert table.schema[name].role is not Role.IDENTIFIER
