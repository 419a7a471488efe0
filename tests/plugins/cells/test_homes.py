"""Files of households: what members share stays shared, whatever an operator does."""

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.model import Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.structural_zeros import THRESHOLD
from evosdc.table.table import Table

HOME = np.array([0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 4, 5, 5, 6, 6, 6, 7, -1, -1, 8] * 8, dtype=np.int32)
HOME[HOME >= 0] += (np.arange(len(HOME), dtype=np.int32) // 20 * 9)[HOME >= 0]


def survey(rules):
    """Return people in homes, with the tenure and the income of the home, and an age of their own."""
    rng = np.random.default_rng(4)
    homes = HOME.max() + 1
    own = np.where(HOME < 0, rng.integers(0, homes, len(HOME)), HOME)
    tenure, income = rng.integers(0, 3, homes)[own], rng.integers(0, 90, homes)[own] * 100.0
    codes = np.stack([np.where(tenure == 2, 1, rng.integers(0, 4, len(HOME))), HOME, tenure], axis=1)
    kinds = (("age", 4, Role.QUASI_IDENTIFIER), ("home", homes, Role.HOUSEHOLD), ("tenure", 3, Role.QUASI_IDENTIFIER))
    attributes = [
        Attribute(name, role, Scale.NOMINAL, categories=tuple(map(str, range(size)))) for name, size, role in kinds
    ]
    attributes.append(Attribute("income", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=0))
    table = Table(Schema(tuple(attributes)), codes.astype(np.int32), income[:, None])
    return Microdata(table, ("age", "tenure", "income"), THRESHOLD if rules else None)


def shared(table):
    """Whether each home has one tenure and one income."""
    values = {}
    pairs = zip(HOME.tolist(), table.column("tenure").tolist(), table.column("income").tolist(), strict=True)
    return all(values.setdefault(home, rest) == rest for home, *rest in pairs if home >= 0)


@pytest.mark.parametrize("rules", [False, True], ids=["free", "rules"])
def test_members_of_a_home_share_what_they_shared(rules):
    microdata = survey(rules)
    genotype, rng = (
        default_registry().build("genotype", "cells", {"mutations": 3.0}, microdata),
        np.random.default_rng(1),
    )

    def in_order(file):
        genotype.check(file)
        table = genotype.decode(file, rng)
        assert shared(table)
        return table

    original = microdata.original
    shuffled = original.take(rng.permutation(len(original)).astype(np.intp))
    assert not shared(shuffled)
    a, b = genotype.seeded(original), genotype.seeded(shuffled)
    assert in_order(a).same_records(original)
    in_order(b)
    in_order(genotype.random(rng))
    moved = 0
    for _ in range(20):
        c, d = genotype.crossover(a, b, rng)
        in_order(c)
        in_order(d)
        in_order(genotype.mutate(c, rng))
        kinds = [*genotype.moves, *genotype.moves]
        changes = genotype.moved(c, kinds, [False] * len(kinds), None, rng)
        for place in range(len(kinds)):
            one = changes.part(place, place + 1)
            child = in_order(genotype.changed(c, one))
            assert child.same_records(one.applied_to(genotype.decode(c, rng)))
            moved += not child.same_records(genotype.decode(c, rng))
        together = changes.together([list(range(len(kinds)))])
        in_order(genotype.changed(c, together))
    assert moved > 40


def test_a_change_of_a_home_changes_all_of_its_members():
    microdata = survey(False)
    genotype, rng = default_registry().build("genotype", "cells", {}, microdata), np.random.default_rng(2)
    start = genotype.seeded(microdata.original)
    changes = genotype.moved(start, ["value"] * 200, [False] * 200, None, rng)
    changed = [changes.part(place, place + 1) for place in range(200)]
    tenures = [(one.before.column("tenure") != one.after.column("tenure")) for one in changed]
    assert any(len(some) > 1 and some.all() for some in tenures)
    assert all(some.all() or not some.any() for some in tenures)


def test_one_command_protects_a_household_survey():
    rng = np.random.default_rng(5)
    home = np.repeat(np.arange(40), rng.integers(1, 5, 40))
    people = pd.DataFrame(
        {
            "household": [f"h{number:02d}" for number in home],
            "region": np.array(list("nswe"))[rng.integers(0, 4, 40)][home],
            "age": rng.integers(18, 80, len(home)),
            "sex": np.array(["f", "m"])[rng.integers(0, 2, len(home))],
        }
    )
    found = evosdc.protect(people, generations=2, tune=False, second_opinion=False, seed=3)
    published = found.frame
    assert published.groupby("household").region.nunique().max() == 1
    sizes, before = (frame.household.value_counts() for frame in (published, people))
    assert sorted(sizes) == sorted(before)
    assert not sizes.sort_index().equals(before.sort_index()), "homes have each other's numbers"
    assert "household" not in found.verdict.published_unchanged
    assert not any("household" in reason for reason in found.verdict.reasons)
