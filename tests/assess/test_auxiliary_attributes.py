"""A method can read attributes of the whole file beside those that it masks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evosdc.assess.mask import apply_masking
from evosdc.cli import main
from evosdc.errors import SchemaError
from evosdc.model import Masking, MaskingMethod, Microdata
from evosdc.secret import Purpose, stream
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

SCHEMA = Schema(
    (
        Attribute("x", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
        Attribute("region", Role.STRATUM, Scale.NOMINAL, ("north", "south")),
        Attribute("z", Role.OTHER, Scale.NUMERIC),
    )
)
FILE = Table(SCHEMA, np.array([[0], [1], [0], [1]], dtype=np.int32), np.arange(8.0).reshape(4, 2))


class Sum(MaskingMethod):
    """Publishes x + z, less the least z that it sees."""

    wanted: tuple[str, ...] = ("z",)

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        assert schema is SCHEMA
        assert tuple(masked) == ("x",)
        return self.wanted

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        return table

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        assert auxiliary.schema.names == self.wanted
        return Table(table.schema, table.codes, table.numbers + auxiliary.numbers - auxiliary.numbers.min())


class Unaware(MaskingMethod):
    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        return Table(table.schema, table.codes, -table.numbers)


def masked(method: MaskingMethod, by: tuple[str, ...] = ()) -> list[float]:
    found = apply_masking(Masking("m", by=by), (method,), Microdata(FILE, ("x",)), stream(1, Purpose.MASK))
    return found.numbers[:, 0].tolist()


def test_the_method_gets_the_columns_that_it_asks_for() -> None:
    assert masked(Sum(Sum.Params())) == [0.0, 4.0, 8.0, 12.0]


def test_in_strata_it_gets_those_of_the_stratum() -> None:
    assert masked(Sum(Sum.Params()), by=("region",)) == [0.0, 2.0, 8.0, 10.0]


def test_a_method_that_asks_for_none_is_called_as_ever() -> None:
    assert masked(Unaware(Unaware.Params())) == [0.0, -2.0, -4.0, -6.0]
    method = Unaware(Unaware.Params())
    assert method.mask_given(FILE, FILE, np.random.default_rng(0)).same_records(
        method.mask(FILE, np.random.default_rng(0))
    )


def test_attributes_that_the_file_lacks_are_refused() -> None:
    method = Sum(Sum.Params())
    method.wanted = ("zz",)
    with pytest.raises(SchemaError, match="'zz'"):
        masked(method)


def check(folder: Path, text: str) -> int:
    (folder / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as done:
        main(["check", str(folder / "x.toml")])
    return int(done.value.code or 0)


HOUSING = """
data = {{ name = "housing", protect = ["degree", "grade1"] }}
genotype = {{ name = "cells" }}
measures = {{ il = ["dbil"], dr = ["id"] }}
start = [{{ method = "rank-swapping", by = ["{by}"] }}]
algorithm = {{ name = "parent-child", generations = 1 }}
"""


def test_a_search_keeps_the_strata_of_its_start_whatever_their_role(tmp_path: Path) -> None:
    assert check(tmp_path, HOUSING.format(by="metro")) == 0


def test_unknown_strata_are_refused_with_all_names_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(tmp_path, HOUSING.format(by="metrow")) == 2
    message = capsys.readouterr().err
    assert "start: rank-swapping: by: given 'metrow'" in message
    assert "Did you mean 'metro'" in message


@pytest.mark.data("census")
def test_a_search_starts_from_a_method_that_reads_other_attributes(tmp_path: Path) -> None:
    text = """
title = "auxiliary"
data = { name = "census", protect = ["agi", "fedtax"], first = 60 }
genotype = { name = "cells" }
measures = { il = ["apil"], dr = ["dbrl"] }
start = [{ method = "ipso", confidential = ["ernval"] }]
algorithm = { name = "parent-child", generations = 1 }
"""
    assert check(tmp_path, text) == 0
    with pytest.raises(SystemExit) as done:
        main(["run", str(tmp_path / "x.toml"), "-o", str(tmp_path / "run")])
    assert not done.value.code
    assert "ipso" in (tmp_path / "run" / "portfolio.json").read_text()
