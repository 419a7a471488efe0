"""Cell keys belong to people: neither the order, nor the part, nor the format of a file changes their noise."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import DataError, InputError, ParameterError
from evosdc.files.column import Column, distinct
from evosdc.files.source import read_source
from evosdc.secret import PUBLIC_SEED, Key, Purpose, as_key
from evosdc_masking.tables import cell_key_table, record_keys
from tests.cli.conftest import evosdc as command  # noqa: F401 -- a fixture
from tests.plugins.masking.tables import NOMINAL, categorical

KEY = Key(bytes(range(32)))
SCHEMA = """[attributes]
number = { role = "identifier" }
region = { role = "quasi-identifier" }
sex = { role = "quasi-identifier" }
age = { role = "quasi-identifier", scale = "ordinal" }
income = { scale = "numeric" }
"""


def people(n: int = 400, seed: int = 1) -> pd.DataFrame:
    """Return people some of whom are equal in all but their number."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "number": np.arange(n),
            "region": rng.choice(["north", "south", "east", ""], n),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(20, 30, n),
            "income": rng.integers(1, 4, n) * 0.5,
        }
    )


@pytest.fixture
def tabulated(command, tmp_path):  # noqa: F811
    """Return the table that the command makes of a frame, as a user would type it."""
    (tmp_path / "s.toml").write_text(SCHEMA)

    def call(frame, *words, key="k", by="region,sex,age", schema=True, data="p.csv"):
        if data.endswith(".csv"):
            frame.to_csv(data, index=False)
        else:
            frame.to_parquet(data)
        described = ("--schema", "s.toml") if schema else ()
        answer = command("table", data, *described, "--by", by, "--key", key, "-o", "t.csv", "--force", *words)
        assert answer.status == 0, answer.err
        return pd.read_csv("t.csv", keep_default_na=False)

    return call


def cells(table: pd.DataFrame) -> dict[tuple[str, ...], int]:
    names = [name for name in table.columns if name != "count"]
    return {tuple(map(str, row[:-1])): row[-1] for row in table[[*names, "count"]].itertuples(index=False)}


@pytest.mark.parametrize("schema", [True, False])
def test_all_orders_of_a_file_give_one_table(tabulated, schema):
    frame = people()
    first = tabulated(frame, schema=schema)
    written = Path("t.csv").read_bytes()
    for order in range(4):
        tabulated(frame.sample(frac=1.0, random_state=order), schema=schema)
        assert Path("t.csv").read_bytes() == written
    assert cells(tabulated(frame, key="other", schema=schema)) != cells(first)


def test_a_key_differs_from_another_one_in_most_cells(tabulated):
    frame = people(4000)
    one, other = (cells(tabulated(frame, "--noise", "5", "--variance", "5", key=key)) for key in "ab")
    differing = sum(one.get(cell) != other.get(cell) for cell in {*one, *other})
    assert differing > 0.6 * len(one)


@pytest.mark.parametrize("schema", [True, False])
@pytest.mark.parametrize("part", [lambda f: f.region == "south", lambda f: (f.region == "north") & (f.age < 23)])
def test_a_part_of_a_file_has_the_cells_of_the_whole(tabulated, schema, part):
    frame = people()
    whole, some = cells(tabulated(frame, schema=schema)), frame[part(frame)]
    filtered = cells(tabulated(some, "--no-margins", schema=schema))
    there = {tuple(map(str, row)) for row in some[["region", "sex", "age"]].itertuples(index=False)}
    assert {cell: whole[cell] for cell in there & whole.keys()} == filtered
    assert filtered


@pytest.mark.parametrize("schema", [True, False])
def test_a_record_left_out_changes_only_the_cells_that_it_was_in(tabulated, schema):
    frame = people()
    before = cells(tabulated(frame, schema=schema))
    for left_out in (0, 57, 399):
        person = tuple(map(str, frame.loc[left_out, ["region", "sex", "age"]]))
        after = cells(tabulated(frame.drop(index=left_out), schema=schema))
        for cell in before.keys() | after.keys():
            within = all(value in ("*", own) for value, own in zip(cell, person, strict=True))
            assert within or before.get(cell) == after.get(cell), cell


def test_identifiers_columns_in_another_order_and_formats_change_nothing(tabulated):
    frame = people()
    wanted = cells(tabulated(frame))
    renumbered = frame.sample(frac=1.0, random_state=1)
    renumbered["number"] = np.arange(len(frame)) + 7
    assert cells(tabulated(renumbered)) == wanted
    assert cells(tabulated(frame[["income", "sex", "age", "number", "region"]])) == wanted
    assert cells(tabulated(frame, data="p.parquet")) == wanted
    other = frame.assign(income=frame["income"].map("{:.3f}".format))
    assert cells(tabulated(other)) == wanted


def test_without_a_schema_the_noise_does_not_hang_on_what_is_guessed_of_the_values(tabulated):
    frame = people(300)
    # Whole numbers that are spread widely are numbers, few and dense ones categories, 99 perhaps a missing value.
    frame["income"] = np.where(frame.region == "south", frame.index % 3, frame.index * 17 % 991)
    frame.loc[5, "income"] = 9999
    whole = cells(tabulated(frame, by="region,sex", schema=False))
    filtered = cells(tabulated(frame[frame.region == "south"], "--no-margins", by="region,sex", schema=False))
    assert filtered == {cell: count for cell, count in whole.items() if cell[0] == "south" and "*" not in cell}


def test_the_key_file_is_its_owners_and_nothing_else_tells_the_key(command, tmp_path):  # noqa: F811
    people().to_csv("p.csv", index=False)
    words = ("table", "p.csv", "--by", "region,sex", "--key", "k", "-o", "t.csv")
    first = command(*words)
    assert first.status == 0, first.err
    assert "Made the key file k: keep it secret" in first.out
    assert (tmp_path / "k").stat().st_mode & 0o777 == 0o600
    again = command(*words, "--force")
    assert again.status == 0, again.err
    assert "Made" not in again.out
    secret = (tmp_path / "k").read_text().strip()
    for text in (first.out, first.err, again.out, again.err):
        assert secret not in text
        assert PUBLIC_SEED not in text
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "k"]
    assert {path.name for path in files} == {"p.csv", "t.csv"}
    for path in files:
        assert secret.encode() not in path.read_bytes()
        assert bytes.fromhex(secret) not in path.read_bytes()


def test_without_a_key_the_command_says_what_to_type(command):  # noqa: F811
    people().to_csv("p.csv", index=False)
    words = ("table", "p.csv", "--by", "region", "-o", "t.csv")
    answer = command(*words)
    assert answer.status == 2
    assert "Name a key file by --key FILE: keep it secret, and use it for all tables of DATA." in answer.err
    assert command(*words, "--key", "k", "--seed", "1").status == 2
    assert command(*words, "--key", "t.csv").status == 2
    assert command(*words, "--key", "p.csv", "--force").status == 2
    assert not Path("t.csv").exists()
    assert not Path("k").exists()


def test_a_public_seed_is_told_to_be_one(command):  # noqa: F811
    people().to_csv("p.csv", index=False)
    answer = command("table", "p.csv", "--by", "region", "--seed", "3", "-o", "t.csv")
    assert answer.status == 0, answer.err
    assert PUBLIC_SEED in answer.out


def test_counts_are_weighted_unless_records_are_wanted(command, tmp_path):  # noqa: F811
    frame = people().assign(stands_for=2.5)
    frame.to_csv("p.csv", index=False)
    (tmp_path / "s.toml").write_text(SCHEMA + 'stands_for = { role = "weight" }\n')
    words = ("table", "p.csv", "--schema", "s.toml", "--by", "region", "--key", "k", "-o", "t.csv")
    answer = command(*words)
    assert answer.status == 0, answer.err
    assert "weighted by stands_for" in answer.out
    weighted = pd.read_csv("t.csv").set_index("region")["count"]
    answer = command(*words, "--unweighted", "--force")
    assert answer.status == 0, answer.err
    assert "cells, of records" in answer.out
    records = pd.read_csv("t.csv").set_index("region")["count"]
    assert abs(records["*"] - len(frame)) <= 3
    assert (abs(weighted - 2.5 * records) <= 0.5).all()  # the same noise, times the mean weight of the cell


def test_what_is_not_published_is_not_tabulated(command, tmp_path):  # noqa: F811
    people().to_csv("p.csv", index=False)
    (tmp_path / "s.toml").write_text(SCHEMA)
    answer = command("table", "p.csv", "--schema", "s.toml", "--by", "number,sex", "--key", "k", "-o", "t.csv")
    assert answer.status == 2
    assert "number, whose role is identifier" in answer.err


def test_python_makes_the_same_table(tabulated, tmp_path):
    wanted = cells(tabulated(people()))
    table = read_source(tmp_path / "p.csv", tmp_path / "s.toml").table
    found = cell_key_table(table, ["region", "sex", "age"], key=tmp_path / "k")
    assert cells(found) == wanted
    with pytest.raises(ParameterError, match=r"neither a key file nor a seed.*kept secret"):
        cell_key_table(table, ["region"])
    (tmp_path / "k").chmod(0o644)
    with pytest.raises(DataError, match="readable by others"):
        cell_key_table(table, ["region"], key=tmp_path / "k")
    with pytest.raises(InputError, match="whole number"):
        cell_key_table(table, ["region"], seed=-1)


def column(name: str, values: list[str | None]) -> Column:
    texts, index = distinct([value for value in values if value is not None], sum(v is not None for v in values))
    whole = np.full(len(values), -1, dtype=np.int32)
    whole[[value is not None for value in values]] = index
    return Column(name, texts, whole)


def test_record_keys_are_keyed_hashes_of_values_and_numbers_among_equals():
    found = record_keys([column("b", ["x", "x", None, "x"]), column("a", ["3.0", "3", "07", "4"])], KEY)
    secret = blake2b(b"key/13", key=bytes(range(32)), digest_size=32).digest()
    assert Key(secret) == KEY.derived(Purpose.CELL_KEYS)
    named = blake2b(b"1:a1:b", key=secret, digest_size=32).digest()

    def drawn(content: bytes) -> list[int]:
        words = blake2b(content, key=named, digest_size=64).digest()
        return [int.from_bytes(words[4 * place : 4 * place + 4], "little") for place in range(16)]

    equals = drawn(b"3:3.01:x/0")
    # Of 3 and 3.0, which tables may keep apart, the first as text has the first number.
    assert found.tolist() == [equals[1], equals[0], drawn(b"2:07-/0")[0], drawn(b"3:4.01:x/0")[0]]
    many = record_keys([column("a", ["y"] * 40)], KEY)
    assert len(set(many.tolist())) == 40


@given(
    st.lists(st.tuples(*[st.sampled_from(["", "a", "b", "ab", "1", "1.0", "-", "1:a"])] * 2), max_size=50).filter(len)
)
def test_keys_belong_to_people_in_any_order(rows):
    order = np.random.default_rng(len(rows)).permutation(len(rows))

    def keys(chosen):
        return record_keys([column("a", [row[0] for row in chosen]), column("b", [row[1] for row in chosen])], KEY)

    found, other = keys(rows), keys([rows[place] for place in order])
    assert len(set(found.tolist())) == len(rows), "no two records have one key"
    for person in set(rows):
        one = sorted(key for key, row in zip(found.tolist(), rows, strict=True) if row == person)
        again = sorted(key for key, place in zip(other.tolist(), order, strict=True) if rows[place] == person)
        assert one == again
    half = [row for row in rows if row[0] == rows[0][0]]
    kept = sorted(key for key, row in zip(found.tolist(), rows, strict=True) if row[0] == rows[0][0])
    if {"1", "1.0"} - {row[0] for row in rows}:
        assert sorted(keys(half).tolist()) == kept


def test_a_public_seed_is_the_key_that_anybody_can_make_of_it():
    table = categorical(np.random.default_rng(1).integers(0, 3, (200, 2)), (3, 3), (NOMINAL,) * 2)
    assert as_key(7) == Key(blake2b(b"evosdc public seed/7", digest_size=32).digest())
    assert as_key(KEY) is KEY
    found = [cell_key_table(table, ["c0", "c1"], seed=seed)["count"].tolist() for seed in (7, 7, 8)]
    assert found[0] == found[1] != found[2]
