"""Names of attributes in languages other than English, and what messages and remarks say of identifying columns."""

from __future__ import annotations

import pytest

from evosdc.errors import DataError, SchemaError
from evosdc.files.inference.name_hints import (
    concepts_of,
    hint_of,
    plain,
    words,
    words_of,
)
from evosdc.files.inference.proposal import infer
from evosdc.files.published import keeps_order
from evosdc.files.schema.schema_file import load_schema
from evosdc.files.source import read_source
from evosdc.table.schema import Role

from .build import column, masked, write

NAMES = {
    "age": "Alter Altersgruppe alter_in_jahren ALTER edad Edades età idade leeftijd wiek",
    "birth": "Geburtsdatum GeburtsDatum date_de_naissance fecha_nacimiento dataNascimento geboortedatum data_urodzenia",
    "sex": "Geschlecht GESCHLECHT sexe sexo sesso género geslacht Płeć",
    "place": "Ort Wohnort Postleitzahl Gemeindenummer ville ciudad ciudades Città cidade woonplaats Land",
    "occupation": "Beruf Berufe Berufsgruppe profession métier profesión professione profissão beroep zawód",
    "marital": "Familienstand etat_civil état-civil estado_civil EstadoCivil stato_civile burgerlijke_staat",
    "income": "Einkommen Haushaltseinkommen Bruttolohn revenu_mensuel salario reddito renda inkomen dochód",
    "education": "Schulbildung Bildungsstand niveau_d_études nível_de_ensino opleiding wykształcenie",
    "religion": "Konfession Religionszugehörigkeit religione religião godsdienst wyznanie",
    "nationality": "Staatsangehörigkeit nationalité nacionalidad cittadinanza nacionalidade nationaliteit obywatelstwo",
    "health": "Diagnose Hauptdiagnosen maladie enfermedad malattia doença ziekte choroba",
    "name": "Nachname Vornamen prénom apellidos cognome sobrenome achternaam nazwisko",
    "address": "Straße Strasse adresse dirección indirizzo endereço adres ulica",
    "contact": "Telefonnummer courriel teléfono telefone telefoon",
    "number": "PatNr_ patnr Kundennummer numero_dossier historia_clinica codice_fiscale nif bsn pesel",
}  # fmt: skip


@pytest.mark.parametrize("concept", NAMES)
def test_names_in_seven_languages(concept):
    for name in NAMES[concept].split():
        assert concept in concepts_of(words_of(name.rstrip("_"))) or hint_of(name).identifier, name


@pytest.mark.parametrize("name", ["Verwalter", "Schalter", "land_use", "alternative", "price", "rooms", "loan"])
def test_other_words_mean_nothing(name):
    assert concepts_of(words_of(name)) == frozenset()


def test_words_said_together_mean_nothing_else():
    assert concepts_of(("estado", "civil")) == {"marital"}
    assert concepts_of(("estado",)) == {"place"}
    assert hint_of("Alter").age
    assert not hint_of("Geburtsjahr").age
    assert hint_of("Wohnort").demographic == "place"


def test_every_entry_of_the_table_is_found():
    for concept, entries in words()["concepts"].items():
        for entry in entries.split():
            assert concept in concepts_of(entry.strip("-=").split("_")), entry
    assert plain("Größe") == plain("Groesse") == "grosse"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("hhninc", Role.QUASI_IDENTIFIER),
        ("highest_qualification", Role.QUASI_IDENTIFIER),
        ("T.categ", Role.SENSITIVE),
        ("died", Role.SENSITIVE),
        ("method", Role.SENSITIVE),
        ("Familienstand", Role.QUASI_IDENTIFIER),
        ("Diagnose", Role.SENSITIVE),
        ("Konfession", Role.SENSITIVE),
    ],
)
def test_roles_of_further_names(name, role):
    assert infer([column(name, ["a", "b", "c"] * 20)]).schema[name].role is role


SCHEMA = """[attributes]
PatNr = { role = "identifier", categories = ["P1", "P2"] }
note = { role = "drop", categories = ["x"] }
Nachname = { role = "other", categories = ["Abel"] }
said = { categories = ["y"] }
sex = { role = "quasi-identifier", categories = ["f", "m"] }
"""
TABLE = "PatNr,note,Nachname,said,sex\nP1,x,Abel,y,f\nP102863,hush,Škoda,he went to the ward at night,q\n"


def test_messages_keep_what_identifies_to_themselves(tmp_path):
    with pytest.raises(DataError) as caught:
        read_source(write(tmp_path, TABLE), write(tmp_path, SCHEMA, "s.toml"))
    told = str(caught.value)
    for secret in ("P102863", "P1", "hush", "Škoda", "Abel", "ward"):
        assert secret not in told
    assert told.count("a value in line 3") == 4
    assert "'q' in line 3; wanted one of f, m" in told


def test_messages_on_schemas_keep_identifiers_to_themselves(tmp_path):
    text = 'missing = ["P9"]\n[attributes]\nPatNr = { role = "identifier", categories = ["P1", "P1", "P9"] }\n'
    with pytest.raises(SchemaError) as caught:
        load_schema(write(tmp_path, text, "s.toml"))
    assert "P1" not in str(caught.value)
    assert "P9" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([f"{i}" for i in range(8, 20)], True),
        ([f"{i}" for i in range(20, 8, -1)], True),
        ([f"P{100 + 3 * i}" for i in range(12)], True),
        (["1", "2", "3"], False),
        (["1", "2"] * 10, False),
        (["3", "1", "2", *map(str, range(4, 20))], False),
    ],
)
def test_rows_in_the_order_of_a_column(values, kept):
    assert keeps_order(column("id", values)) is kept


def test_codes_are_not_asked_about_where_the_column_is_left_out():
    numbers = [*map(str, range(100, 160)), "-9"]
    found = infer([column("PatNr", numbers), column("hours", numbers)])
    assert [code.name for code in found.suspected] == ["hours"]


def test_remarks_on_rows(tmp_path):
    rows = [f"P{100 + i},{'fm'[i % 2]},{20 + i % 7}" for i in range(30)]
    source = read_source(write(tmp_path, "\n".join(["PatNr,sex,age", *rows, rows[-1]]) + "\n"))
    assert source.inference is not None
    told = " ".join(source.inference.notes)
    assert "The rows are in the order of PatNr, left out of the file" in told
    assert "1 row repeats another one in every column, PatNr included" in told
    assert source.duplicates == [source.inference.notes[-1]]
    report = source.write(tmp_path / "out.csv", masked(source.table, sex=[0] * 31))
    assert report.warnings == report.order_sentences
    assert "The rows are in the order of PatNr" in report.order_sentences[0]
