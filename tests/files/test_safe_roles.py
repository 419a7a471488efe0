"""Roles that a file is proposed: nothing that may name or find a respondent is published without a word."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import DataError, InputError
from evosdc.files.column import FEWEST_HELD, Column
from evosdc.files.frame import columns_of
from evosdc.files.inference.column_proposal import seem_codes
from evosdc.files.inference.missing_codes import suspected_codes
from evosdc.files.inference.proposal import infer, rule_of_dates, widths
from evosdc.files.schema.schema_file import dump_schema, load_schema
from evosdc.files.source import read_source
from evosdc.table.numerals import same_number
from evosdc.table.schema import Role, Scale, Schema

from .build import column, masked, nominal, write

N = 60
OTHERS = column("sex", ["f", "m"] * (N // 2))
QUASI = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT", "EDU"]


def attribute(name: str, values: list[str]):
    found = infer([column(name, values), OTHERS])
    return found.schema[name], found.reasons[name]


@pytest.mark.parametrize(
    ("name", "values", "role", "reason"),
    [
        ("remark", [f"the patient said at visit {i % 40} that all was well" for i in range(N)], Role.DROP, "free text"),
        ("note", [f"w{i % 50} x y z" for i in range(N)], Role.DROP, "50 values of 4 words"),
        ("idno", [str(10_000 + 37 * i) for i in range(N)], Role.IDENTIFIER, "its name says that it identifies"),
        ("Person", [str(100_000 + 7 * i * i) for i in range(N)], Role.IDENTIFIER, "its name says that it identifies"),
        ("caseno", [str(900 + 7 * i) for i in range(N)], Role.IDENTIFIER, "its name says that it identifies"),
        ("agea", [str(15 + i % 40) for i in range(N)], Role.QUASI_IDENTIFIER, "its name is demographic"),
        ("agency", [str(15 + i % 40) for i in range(N)], Role.OTHER, "whole numbers"),
        ("c", [f"a{i % 40}@b.org" for i in range(N)], Role.IDENTIFIER, "mail"),
        ("c", [f"+44 20 7946 {1000 + i % 40}" for i in range(N)], Role.IDENTIFIER, "telephone"),
        ("c", [f"10.0.0.{i % 40}" for i in range(N)], Role.IDENTIFIER, "computers"),
        ("c", [f"SW{1 + i % 9}A 1AA" for i in range(N)], Role.QUASI_IDENTIFIER, "post codes"),
        ("c", [f"2020-01-{1 + i % 28:02}" for i in range(N)], Role.QUASI_IDENTIFIER, "the day"),
        ("dob", [f"19{20 + i % 40}-05-01" for i in range(N)], Role.QUASI_IDENTIFIER, "the day"),
        ("age", [f"{i % 30 + 0.42:.2f}" for i in range(N)], Role.QUASI_IDENTIFIER, "demographic"),
        ("income", [str(1000 * i) for i in range(N)], Role.QUASI_IDENTIFIER, "demographic"),
        ("married", ["yes", "no"] * (N // 2), Role.QUASI_IDENTIFIER, "demographic"),
        ("employed", ["0", "1"] * (N // 2), Role.QUASI_IDENTIFIER, "demographic"),
        ("ethnic", ["a", "b", "c"] * (N // 3), Role.QUASI_IDENTIFIER, "demographic"),
        ("Outcome", ["died", "home", "moved"] * (N // 3), Role.SENSITIVE, "confidential"),
        ("ACTIVITY", ["works", "studies", "rests"] * (N // 3), Role.QUASI_IDENTIFIER, "demographic"),
        ("LOS", [str(i % 30) for i in range(N)], Role.QUASI_IDENTIFIER, "demographic"),
        ("diagnosis", [f"a long name of an illness, kind {i % 3}" for i in range(N)], Role.SENSITIVE, "confidential"),
    ],
)
def test_what_may_find_a_respondent_is_proposed_with_its_reason(name, values, role, reason):
    found, why = attribute(name, values)
    assert found.role is role
    assert reason in why


def test_a_rule_is_proposed_for_dates_which_holds_for_other_days_too():
    births = attribute("birthday", [f"19{20 + i}-05-01" for i in range(N)])[0]
    assert births.hierarchy is None
    assert rule_of_dates(births).dates == ("month", "quarter", "year", "decade")


@pytest.mark.parametrize(
    ("name", "values", "path"),
    [
        ("children", [str(i % 8) for i in range(N)], ("6", "5+", "3+", "1+", "*")),
        ("Kinder", [*(str(i % 8) for i in range(N)), "99"], ("4", "4", "3+", "1+", "*")),
        ("Kinder", [*(str(i % 8) for i in range(N)), "99"], ("99", "99", "99", "99", "*")),
        ("hhsize", [str(1 + i % 6) for i in range(N)], ("4", "4+", "2+", "*")),
        ("education", [str(i % 8) for i in range(N)], ("5", "4-5", "4-7", "*")),
        ("mage", [f"{17 + i % 30}.0" for i in range(N)], ("38.0", "35-39", "30-39", "20-39", "*")),
        ("zip", [str(43101 + i % 50) for i in range(N)], ("43112", "4311*", "431**", "43***", "4****", "*")),
        ("education", ["none", "primary", "secondary", "college", "bachelor", "master"] * 10,
         ("college", "secondary..college", "none..college", "*")),
    ],
)  # fmt: skip
def test_hierarchies_are_proposed(name, values, path):
    hierarchy = attribute(name, values)[0].hierarchy
    assert hierarchy is not None
    found = hierarchy.path(path[0])
    assert found == path or path[0] == "college"
    assert found[-1] == "*"


def test_hierarchies_of_numbers_are_rules_in_the_schema_file(tmp_path):
    rows = "\n".join(f"{i % 30}.25,{i * 1371}" for i in range(N))
    source = read_source(write(tmp_path, f"age,income\n{rows}\n"))
    files = dump_schema(source.inference.schema, tmp_path / "s.toml", (), {}, source.inference.rules)
    text = (tmp_path / "s.toml").read_text()
    assert "hierarchy = { widths = [5, 10, 20] }" in text
    assert "hierarchy = { widths = [5000, 10000, 50000] }" in text
    assert len(files) == 1
    table = read_source(tmp_path / "file.csv", tmp_path / "s.toml").table
    assert table.schema["age"].hierarchy.path("7.25")[1] == "[5.00, 10.00)"


@pytest.mark.parametrize(
    ("name", "first", "count", "line"),
    [
        ("age", 17, 50, 'scale = "ordinal", hierarchy = { widths = [5, 10, 20] } }'),
        ("education", 0, 40, 'scale = "ordinal", hierarchy = { widths = [2, 4, 20] } }'),
        ("education", 0, 4, 'scale = "ordinal", categories = ["0", "1", "2", "3"] }'),
    ],
)
def test_the_next_wave_may_have_other_ages(tmp_path, name, first, count, line):
    def wave(least):
        return write(tmp_path, f"{name},x\n" + "\n".join(f"{least + i % count},1" for i in range(12 * count)) + "\n")

    source = read_source(wave(first))
    dump_schema(source.inference.schema, tmp_path / "s.toml", (), {}, source.inference.rules)
    assert line in (tmp_path / "s.toml").read_text()
    if count > 4:
        table = read_source(wave(first + 3), tmp_path / "s.toml").table
        assert len(table.schema[name].hierarchy.leaves) == count
    else:
        with pytest.raises(DataError, match=f"evosdc edit SCHEMA {name} categories=` takes the list away"):
            read_source(wave(first + 3), tmp_path / "s.toml")


def test_numbers_of_households_are_not_listed(tmp_path):
    rows = "\n".join(f"{100 + i // 3},{'fm'[i % 2]}" for i in range(N))
    source = read_source(write(tmp_path, f"household,sex\n{rows}\n"))
    dump_schema(source.inference.schema, tmp_path / "s.toml")
    assert 'household = { role = "household", scale = "nominal" }' in (tmp_path / "s.toml").read_text()


@pytest.mark.parametrize(
    ("values", "decimals", "found"),
    [
        ([0, 100], 0, (5, 10, 50)),
        ([0, 3], 0, (2,)),
        ([0, 9], 0, (2, 4)),
        ([0, 0.8], 2, (0.05, 0.1, 0.5)),
        ([1000, 250000], 0, (20000, 40000, 200000)),
        ([7, 7], 1, (1,)),
    ],
)
def test_widths_are_round_and_nest(values, decimals, found):
    assert widths(values, decimals) == pytest.approx(found)


@pytest.mark.parametrize(
    ("values", "certain", "asked"),
    [
        (["1", "2", "3", "N"], ["N"], []),
        (["10", "20", "."], ["."], []),
        (["10", "20", "-9"], [], ["-9"]),
        (["10", "20", "-8", "-9"], [], ["-8", "-9"]),
        ([str(i) for i in range(18, 80)] + ["99"], [], ["99"]),
        ([str(i) for i in range(18, 95)] + ["99"], [], []),
        (["1", "2", "3", "4", "5", "9"], [], ["9"]),
        (["1", "2", "3", "4", "5", "6", "7", "9"], [], []),
        (["1", "2", "7", "8", "9"], [], ["7", "8", "9"]),
        (["-5", "-4", "3", "-90.5"], [], []),
        (["a", "b", "1"], [], []),
        (["1", "2", "low"], [], []),
        (["90+", "1", "2"], [], []),
        (["0.5", "2", "99"], [], []),
    ],
)
def test_codes_of_missing_values_are_suspected(values, certain, asked):
    found = suspected_codes([column("v", values)], ("",))
    assert [code.text for code in found if code.certain] == certain
    assert sorted(code.text for code in found if not code.certain) == sorted(asked)


@given(
    st.integers(-60, 5),
    st.sampled_from([0.0, 0.25]),
    st.lists(st.sampled_from([-9.0, -99.0, 99.0, 999.0, 88.0, 9999.0, 0.5, -0.5]), max_size=3, unique=True),
)
def test_codes_among_many_numbers_are_told_from_a_few_as_from_all(low, fraction, codes):
    values = [low + place + fraction * (place % 2) for place in range(FEWEST_HELD + 20)] + codes
    held = columns_of(pd.DataFrame({"v": values}))[0].column
    assert held.held is not None
    plain = Column("v", tuple(held.texts), held.index)
    assert suspected_codes([held], ("",)) == suspected_codes([plain], ("",))


def test_a_code_is_missing_in_its_own_column_only(tmp_path):
    path = write(tmp_path, "v,w\n1,N\n2,Y\nN,N\n3,Y\n")
    source = read_source(path)
    schema = source.table.schema
    assert schema["v"].missing == ("N",)
    assert schema["w"].categories == ("N", "Y")
    assert source.table.absent("v").sum() == 1
    dump_schema(schema, tmp_path / "s.toml")
    again = read_source(path, tmp_path / "s.toml")
    assert again.table.schema == schema
    again.write(tmp_path / "out.csv", masked(again.table, v=[2, -1, -1, 2]))
    assert (tmp_path / "out.csv").read_text() == "v,w\n3,N\n,Y\n,N\n3,Y\n"


def test_the_missing_texts_of_an_attribute_are_checked(tmp_path):
    text = 'missing = ["-9"]\n[attributes]\na = { categories = ["x", "-9"] }\n'
    with pytest.raises(Exception, match="stands for a missing value"):
        load_schema(write(tmp_path, text, "s.toml"))


@pytest.mark.parametrize("code", ["99", "99.0"])
def test_a_code_for_missing_is_no_category_though_the_schema_lists_it_still(tmp_path, code):
    path = write(tmp_path, "v,w\n1.0,a\n2.0,b\n99.0,a\n3.0,b\n")
    text = (
        f'[attributes]\nv = {{ scale = "ordinal", categories = ["1.0", "2.0", "3.0", "99.0"], missing = ["{code}"] }}\n'
    )
    table = read_source(path, write(tmp_path, text, "s.toml")).table
    assert table.schema["v"].categories == ("1.0", "2.0", "3.0")
    assert table.column("v").tolist() == [0, 1, -1, 2]


def test_a_code_with_leading_zeros_is_another_one():
    assert same_number(["99", "99.0", "099", "9", "x"], ["99", "n"]) == ("99.0",)
    assert same_number(["099", "99"], ["0099"]) == ()


@pytest.mark.parametrize("name", ["age", "Alter", "leeftijd"])
def test_99_is_asked_about_among_ages(name):
    found = suspected_codes([column(name, [*map(str, range(18, 95)), "99"])], ("",))
    assert [code.text for code in found] == ["99"]


def test_codes_are_told_from_counts():
    falling = [400, 300, 150, 80, 30, 10]
    assert not seem_codes(range(6), falling)
    assert not seem_codes(range(1, 8), [20, 80, 200, 300, 190, 60, 20])
    assert seem_codes(range(1, 7), [400, 20, 60, 300, 40, 380])
    assert not seem_codes(range(1, 7), [4, 1, 2, 3, 1, 4])
    assert not seem_codes([17, 18, 19, 20, 21], [400, 20, 60, 300, 40])
    values = [str(1 + k) for k, times in enumerate([40, 2, 6, 30, 4, 38]) for _ in range(10 * times)]
    guess = infer([column("q5", values)])
    assert guess.schema["q5"].scale is Scale.NOMINAL
    assert "as codes do" in guess.reasons["q5"]
    assert infer([column("grade", values)]).schema["grade"].scale is Scale.ORDINAL


def test_the_quasi_identifiers_of_an_excerpt_of_the_census(data_sets):
    source = read_source(data_sets.path("nist_acs_excerpts/ma2019.csv"))
    schema = source.table.schema
    assert list(schema.with_role(Role.QUASI_IDENTIFIER)) == QUASI
    assert [a.name for a in schema.attributes if a.missing == ("N",)] == [
        "MSP", "NOC", "NPF", "INDP", "INDP_CAT", "EDU", "PINCP", "PINCP_DECILE", "POVPIP", "DVET", "DREM", "DPHY",
    ]  # fmt: skip
    assert schema["NOC"].scale is Scale.ORDINAL
    assert schema["MSP"].scale is Scale.NOMINAL
    assert schema["PINCP"].scale is Scale.NUMERIC


def test_columns_to_drop_are_left_out_of_what_is_written(tmp_path):
    schema = Schema((nominal("note", "p", "q", role=Role.DROP), nominal("a", "x", "y")))
    source = read_source(write(tmp_path, "note,a\np,x\nq,y\n"), schema)
    report = source.write(tmp_path / "out.csv", masked(source.table, a=np.array([1, 1])))
    assert report.dropped == ("note",)
    assert (tmp_path / "out.csv").read_text() == "a\ny\ny\n"


def test_the_order_of_words_is_known_without_a_list(tmp_path):
    levels = ["primary", "secondary", "university"]
    path = write(tmp_path, "education,x\n" + "\n".join(f"{levels[i * 7 % 3]},1" for i in range(N)) + "\n")
    (tmp_path / "s.toml").write_text('[attributes]\neducation = { scale = "ordinal" }\nx = { scale = "ordinal" }\n')
    assert read_source(path, tmp_path / "s.toml").table.schema["education"].categories == tuple(levels)
    path = write(tmp_path, "education,x\n" + "\n".join(f"{'cab'[i % 3]},1" for i in range(N)) + "\n")
    assert read_source(path, tmp_path / "s.toml").table.schema["education"].categories == ("a", "b", "c")


def test_a_rule_tells_what_does_not_fit_and_needs_no_values(tmp_path):
    (tmp_path / "s.toml").write_text(
        '[attributes]\nage = { role = "quasi-identifier", scale = "ordinal", hierarchy = { widths = [5, 10] } }\n'
        'income = { role = "quasi-identifier", scale = "numeric", hierarchy = { widths = [100] } }\n'
    )
    rows = "\n".join(f"{20 + i % 30}," for i in range(N))
    table = read_source(write(tmp_path, f"age,income\n{rows}\n"), tmp_path / "s.toml").table
    assert table.schema["income"].hierarchy is None
    assert table.schema["age"].hierarchy is not None
    with pytest.raises(InputError, match="the category 'old'"):
        read_source(write(tmp_path, f"age,income\n{rows}\nold,1\n"), tmp_path / "s.toml")


def test_names_of_people_are_left_out_whatever_the_column_is_called(tmp_path):
    last = ("Müller", "O'Neill", "de Vries", "Şahin")
    names = [f"{one}, {first}" for one in last for first in ("Anna", "Łukasz J.", "Zoë", "Jörg", "Ines", "Marc André")]
    jobs = [f"{what} {k}, part time" for k, what in enumerate(("Clerk", "Nurse", "Cook", "Driver") * 6)]
    rows = [(names[k % 24], jobs[k % 24], 20 + k % 50, "fraud" if k % 3 else "theft") for k in range(120)]
    text = "defendant;work;age at offence;offence\n" + "".join(";".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "cases.csv").write_text(text, encoding="utf-8")
    schema = read_source(tmp_path / "cases.csv").table.schema
    assert [str(schema[name].role) for name in ("defendant", "age at offence", "offence")] == [
        "identifier", "quasi-identifier", "sensitive",
    ]  # fmt: skip
    assert schema["work"].role.published


@pytest.mark.parametrize("contact", ["Tel. 0341 5551219", "ruft an: +49 (341) 555-1219", "mail to ann.lee@example.org"])
def test_short_remarks_with_a_telephone_number_or_address_are_left_out(tmp_path, contact):
    remarks = ["", "pays in cash", "born 01/02/1960", contact]
    lines = "".join(f"{remarks[k % 4]};{'0-99 999' if k % 2 else '100 000 - 999 999 EUR'};{k % 7}\n" for k in range(80))
    (tmp_path / "m.csv").write_text(f"remark;income band;x\n{lines}", encoding="utf-8")
    schema = read_source(tmp_path / "m.csv").table.schema
    assert schema["remark"].role is Role.DROP
    assert schema["income band"].role.published
    lines = lines.replace(contact, "a guest")
    (tmp_path / "m.csv").write_text(f"remark;income band;x\n{lines}", encoding="utf-8")
    assert read_source(tmp_path / "m.csv").table.schema["remark"].role.published
