"""What is published of a cell is a function of its value alone: its writing in the original tells nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evosdc
from evosdc.errors import DataError, SchemaError
from evosdc.files.source import read_masked, read_source
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Schema
from evosdc.table.table import MISSING, Table

from .build import nominal, numeric, ordinal, schema, write

RELAXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
WAYS = {
    "north": ["north", " north", "north ", '"north"', '" north"', "North", "NORTH"],
    "south": ["south", "south ", '"south"', "South"],
    "67": ["67", "67.0", " 67", '"67"', "67.00"],
    "5": ["5", "5.0", " 5", '"5"'],
    "2.5": ["2.5", "2.50", "+2.5", '"2.5"', "25e-1"],
    "": ["", '""', " ", "NA"],
}


@st.composite
def written_in_many_ways(draw):
    """Records of places, ages and amounts, and a text of them in which each cell is written in a way of its own."""
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(["north", "south", ""]), st.sampled_from(["67", "5", ""]),
                      st.sampled_from(["2.5", "67", "5", ""])), min_size=3, max_size=15,
        )
    )  # fmt: skip
    cells = [[draw(st.sampled_from(WAYS[value])) for value in row] for row in rows]
    return rows, "place,age,amount\n" + "".join(",".join(row) + "\n" for row in cells)


DESCRIBED = schema(
    nominal("place", "north", "south"), ordinal("age", "5", "67"), numeric("amount", 2), missing=("", "NA")
)


def lines(path) -> list[tuple[str, ...]]:
    return [tuple(line.split(",")) for line in path.read_text().splitlines()[1:]]


@RELAXED
@given(written_in_many_ways(), st.integers(0, 2**32 - 1))
def test_the_writing_of_the_original_tells_nothing(tmp_path, found, seed):
    rows, text = found
    source = read_source(write(tmp_path, text), DESCRIBED)
    plain = "place,age,amount\n" + "".join(",".join(row) + "\n" for row in rows)
    other = read_source(write(tmp_path, plain, "plain.csv"), DESCRIBED)
    assert source.table.same_records(other.table)
    rng = np.random.default_rng(seed)
    moved = np.where(rng.random(len(rows)) < 0.5, np.arange(len(rows)), rng.permutation(len(rows)))
    masked = replace(source.table, codes=source.table.codes[moved], numbers=source.table.numbers[moved])
    source.write(tmp_path / "out.csv", masked)
    for place in range(3):
        texts = {}
        for row, cells in enumerate(lines(tmp_path / "out.csv")):
            texts.setdefault(rows[moved[row]][place], set()).add(cells[place])
        assert all(len(ways) == 1 for ways in texts.values())
    again = read_masked(tmp_path / "out.csv", source)
    assert again.table.same_records(masked)


REGISTRY = default_registry()
WRITTEN = WAYS | {day: [day, f" {day}", f'"{day}"'] for day in ("1970-05-01", "1985-12-24", "2001-02-03")}
ANY_SCALE = Schema(
    (*DESCRIBED.attributes, replace(ordinal("born", "1970-05-01", "1985-12-24", "2001-02-03"), date_format="%Y-%m-%d"))
)


@pytest.mark.parametrize("method", REGISTRY.names("masking-method"))
@given(st.integers(0, 2**32 - 1))
@settings(RELAXED, max_examples=2)
def test_every_method_publishes_a_function_of_the_value(tmp_path, method, seed):
    rng = np.random.default_rng(seed)
    values = (("north", "south"), ("67", "5"), ("2.5", "67", "5"), ("1970-05-01", "1985-12-24", "2001-02-03"))
    rows = list(zip(*(rng.choice(own, 40) for own in values), strict=True))
    text = "place,age,amount,born\n" + "".join(",".join(row) + "\n" for row in rows)
    other = "place,age,amount,born\n" + "".join(
        ",".join(WRITTEN[value][rng.integers(len(WRITTEN[value]))] for value in row) + "\n" for row in rows
    )
    scales = REGISTRY.spec("masking-method", method).scales
    fitting = [a.name for a in ANY_SCALE.attributes if str(a.scale) in scales]
    names = {"date-shift": ["born"], "optimal-channel": ["place"]}.get(method, fitting)  # dates only; slow
    places = [ANY_SCALE.names.index(name) for name in names]
    published = []
    for at, written in enumerate((text, other)):
        source = read_source(write(tmp_path, written, f"{at}.csv"), ANY_SCALE)
        made = REGISTRY.build("masking-method", method, {})
        masked = made.mask(source.table.select(names), np.random.default_rng(1))
        source.write(tmp_path / "out.csv", masked)
        published.append([[cells[place] for place in places] for cells in lines(tmp_path / "out.csv")])
        for place, name in enumerate(names):
            values = np.round(masked.column(name), masked.schema[name].decimals).tolist()
            shown = {}
            for value, cells in zip(map(repr, values), published[-1], strict=True):
                shown.setdefault(value, set()).add(cells[place])
            assert all(len(ways) == 1 for ways in shown.values()), name
    assert published[0] == published[1]


def test_columns_that_are_not_masked_keep_their_values(tmp_path):
    source = read_source(
        write(tmp_path, "a,b\n5,North\n5.0,north\n4,South\n"), schema(numeric("a", 1), nominal("b", "north", "South"))
    )
    source.write(tmp_path / "out.csv", source.table.select(["b"]))
    assert (tmp_path / "out.csv").read_text() == "a,b\n5,north\n5.0,north\n4,South\n"


def test_categories_equal_but_for_blanks_or_case_are_merged_and_said(tmp_path):
    text = "region,sex\n" + "South,f\nsouth,m\nsouth,f\n SOUTH ,m\nnorth,f\nnorth,m\n"
    source = read_source(write(tmp_path, text))
    assert source.table.schema["region"].categories == ("north", "south")
    assert any("'South', 'SOUTH' for 'south'" in note for note in source.notes)
    apart = read_source(
        tmp_path / "file.csv", schema(nominal("region", "south", "South", "SOUTH", "north"), nominal("sex", "f", "m"))
    )
    assert apart.table.schema["region"].categories == ("south", "South", "SOUTH", "north")


def test_values_of_identifiers_are_not_shown_where_they_are_merged(tmp_path):
    text = "surname,sex\n" + "".join(f"{name},f\n" for name in ("Smith", "smith", "Jones", "Brown", "Miller")) * 2
    notes = read_source(write(tmp_path, text)).notes
    assert not any("mith" in note for note in notes)


@pytest.mark.parametrize("missing", ["", "NA", "n/a"])
@pytest.mark.parametrize("age", ["{}", "{}.0", " {}", '"{}"'])
def test_a_masked_file_of_another_program_is_understood(tmp_path, missing, age):
    rows = [(60 + k % 5, "fm"[k % 2]) for k in range(30)]
    original = "age,sex\n" + "".join(f"{'' if k == 3 else a},{s}\n" for k, (a, s) in enumerate(rows))
    source = read_source(write(tmp_path, original))
    text = "age,sex\n" + "".join(f"{missing if k == 3 else age.format(a)},{s}\n" for k, (a, s) in enumerate(rows))
    assert read_masked(write(tmp_path, text, "masked.csv"), source).table.same_records(source.table)
    (tmp_path / "s.toml").write_text('[attributes]\nage = { scale = "numeric" }\nsex = { scale = "nominal" }\n')
    table = read_source(tmp_path / "masked.csv", tmp_path / "s.toml").table
    assert table.absent("age").sum() == 1


def test_a_suppressed_value_has_no_reason(tmp_path):
    described = Schema((replace(numeric("pay"), missing=("-8", "-9")), nominal("sex", "f", "m")))
    source = read_source(write(tmp_path, "pay,sex\n-8,f\n-9,m\n100,f\n200,m\n300,f\n"), described)
    part = source.table.select(["pay"])

    def published(*values: float) -> list[str]:
        source.write(tmp_path / "out.csv", Table(part.schema, part.codes, np.array(values)[:, None]))
        return [cells[0] for cells in lines(tmp_path / "out.csv")]

    nan = np.nan
    assert published(nan, 150, 150, 150, 150) == ["-8", "150", "150", "150", "150"]
    assert published(nan, nan, 150, 150, 150) == ["", "", "150", "150", "150"]
    assert published(nan, 150, nan, 150, 150) == ["", "150", "", "150", "150"]


def test_a_label_that_begins_like_a_formula_is_neutralised_on_request_alone(tmp_path):
    source = read_source(
        write(tmp_path, "a,b\n=1+1,x\n=2,y\n"), schema(nominal("a", "=1+1", "=2"), nominal("b", "x", "y"))
    )
    source.write(tmp_path / "out.csv", source.table)
    assert lines(tmp_path / "out.csv") == [("=1+1", "x"), ("=2", "y")]
    replace(source, neutralise_formulas=True).write(tmp_path / "out.csv", source.table)
    assert lines(tmp_path / "out.csv") == [("'=1+1", "x"), ("'=2", "y")]
    assert read_masked(tmp_path / "out.csv", source).table.same_records(source.table)


def test_a_missing_value_is_the_word_that_the_file_has(tmp_path):
    source = read_source(
        write(tmp_path, "a,b\nx,1\nNA,2\ny,1\n"),
        schema(nominal("a", "x", "y"), nominal("b", "1", "2"), missing=("", "NA")),
    )
    codes = np.array([[MISSING], [0], [1]], dtype=np.int32)
    source.write(tmp_path / "out.csv", Table(source.table.select(["a"]).schema, codes, np.empty((3, 0))))
    assert [cells[0] for cells in lines(tmp_path / "out.csv")] == ["NA", "x", "y"]


def test_codes_stay_where_the_method_leaves_a_value_missing_and_divide_no_group(tmp_path):
    described = Schema((replace(numeric("pay"), missing=("99998", "99999")), nominal("sex", "f", "m")))
    pays = ["99998", "99999", "99998", *(str(100 + k) for k in range(7))]
    source = read_source(
        write(tmp_path, "pay,sex\n" + "".join(f"{pay},{'fm'[k % 2]}\n" for k, pay in enumerate(pays))), described
    )

    def published(part: Table, values: list[float]) -> tuple[list[str], list[str]]:
        masked = Table(part.schema, part.codes, np.array(values)[:, None])
        report = source.write(tmp_path / "out.csv", masked)
        return [cells[0] for cells in lines(tmp_path / "out.csv")], report.warnings

    noise = [np.nan] * 3 + [100.0 + 3 * k for k in range(7)]
    texts, warnings = published(source.table.select(["pay"]), noise)
    assert texts[:4] == ["99998", "99999", "99998", "100"]
    assert not warnings
    # Beside a value that masking took away no code stands: it would tell which missing value masking made.
    texts, warnings = published(source.table.select(["pay"]), [np.nan] * 4 + noise[4:])
    assert texts[:4] == [""] * 4
    assert "0 of 3 values that are still missing keep the code" in warnings[0]
    # Of a file whose records are alike by threes, no code makes a smaller group.
    texts, warnings = published(source.table.select(["pay"]), [np.nan] * 4 + [150.0] * 3 + [160.0] * 3)
    assert texts[:4] == [""] * 4
    assert "pay: 0 of 3 values that are still missing keep the code" in warnings[0]


def test_codes_of_two_columns_together_divide_no_group(tmp_path):
    missing = ("-8", "-9")
    described = Schema(
        (replace(numeric("pay"), missing=missing), replace(numeric("age"), missing=missing), nominal("sex", "f", "m"))
    )
    rows = [*[("-8", "-8", "f"), ("-8", "-9", "f"), ("-9", "-8", "f"), ("-9", "-9", "f")] * 2, *[("5", "5", "m")] * 4]
    source = read_source(write(tmp_path, "pay,age,sex\n" + "".join(",".join(row) + "\n" for row in rows)), described)
    source.write(tmp_path / "out.csv", source.table)
    written = lines(tmp_path / "out.csv")
    assert {row[0] for row in written} == {"-8", "-9", "5"}  # by fours, as the others are
    assert {row[1] for row in written} == {"", "5"}  # with these besides there would be pairs
    assert min(written.count(row) for row in written) == 4


def test_a_masked_file_is_masked_again_by_the_schema_of_its_original(tmp_path):
    rows = "".join(f"{20 + k % 5}.0,{'fm'[k % 2]}\n" for k in range(20))
    path = write(tmp_path, "age,sex\n" + rows)
    (tmp_path / "s.toml").write_text(
        '[attributes]\nid = { role = "identifier" }\n'
        'age = { role = "quasi-identifier", scale = "ordinal", hierarchy = { widths = [5] } }\n'
    )
    source = read_source(path, tmp_path / "s.toml")
    assert source.remarks == ("Not in this file, whose schema leaves it out: id.",)
    tree = source.table.schema["age"].hierarchy
    assert tree is not None
    assert tree.path("24.0") == ("24.0", "20-24", "*")
    (tmp_path / "slip.toml").write_text('[attributes]\naeg = { role = "drop" }\n')
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        read_source(path, tmp_path / "slip.toml")


def test_a_sheet_or_an_encoding_that_a_file_cannot_have_is_refused(tmp_path):
    path = write(tmp_path, "town,sex\nx,f\ny,m\n")
    with pytest.raises(DataError, match="only workbooks have sheets"):
        read_source(path, sheet="Data")
    pytest.importorskip("pyarrow.parquet")
    pd.DataFrame({"town": ["x", "y"]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="only delimited text"):
        read_source(tmp_path / "t.parquet", encoding="cp1250")
    # What a schema says is of the original: its masked file may be of another format.
    (tmp_path / "s.toml").write_text('encoding = "cp1250"\nsheet = "Data"\n')
    assert read_source(tmp_path / "t.parquet", tmp_path / "s.toml").table.schema.names == ("town",)
    assert read_source(path, tmp_path / "s.toml").table.schema.names == ("town", "sex")


def test_read_table_takes_an_encoding_and_a_sheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    path = write(tmp_path, "town,x\nŁódź,1\nKraków,2\n".encode("cp1250"))
    assert "Łódź" in evosdc.read_table(path, encoding="cp1250").schema["town"].categories
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, "x"], [2, "y"]):
        book.active.append(row)
    other = book.create_sheet("second")
    for row in (["c", "d"], [1, "x"], [2, "y"]):
        other.append(row)
    book.save(tmp_path / "two.xlsx")
    assert evosdc.read_table(tmp_path / "two.xlsx").schema.names == ("a", "b")
    assert evosdc.read_table(tmp_path / "two.xlsx", sheet="second").schema.names == ("c", "d")
    with pytest.raises(evosdc.InputError, match="Did you mean 'second'"):
        evosdc.read_table(tmp_path / "two.xlsx", sheet="secnd")


def test_init_and_schema_say_how_a_file_is_read(tmp_path, monkeypatch, capsys):
    from evosdc.cli import main

    monkeypatch.chdir(tmp_path)
    write(tmp_path, "town,n\n" + "Łódź,1\nKraków,2\nWrocław,3\n" * 4, "t.csv").write_bytes(
        ("town,n\n" + "Łódź,1\nKraków,2\nWrocław,3\n" * 4).encode("cp1250")
    )
    with pytest.raises(SystemExit):
        main(["init", "t.csv", "-o", "s.toml", "--encoding", "cp1250", "--no-ask"])
    assert 'encoding = "cp1250"' in (tmp_path / "s.toml").read_text(encoding="utf-8")
    source = read_source(tmp_path / "t.csv", tmp_path / "s.toml")
    assert "Łódź" in source.table.schema["town"].categories
    source.write(tmp_path / "out.csv", source.table)
    assert "Łódź" in (tmp_path / "out.csv").read_text(encoding="cp1250")
    assert read_masked(tmp_path / "out.csv", source).table.same_records(source.table)
