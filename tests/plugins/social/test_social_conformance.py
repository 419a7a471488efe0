"""The social plugin against the contracts."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from evosdc.assess.mask import RegisteredMethods
from evosdc.model import Fitted, Genotype, MaskingMethod, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Table
from evosdc.testing import GenotypeConformance, MaskingMethodConformance, MeasureConformance
from evosdc.testing.tables import sample_table
from evosdc_social.graph import NEIGHBOURS, adjacency_texts, neighbours_of
from evosdc_social.grouping import LevelFilling
from evosdc_social.groups import Groups, Labels

CATEGORICAL = frozenset({Scale.NOMINAL, Scale.ORDINAL})


def with_neighbours(table: Table) -> Table:
    """Return a table with made-up edges, three for each user, among its records."""
    n = len(table)
    rng = np.random.default_rng(5)
    found = neighbours_of(n, np.repeat(np.arange(n), 3), rng.integers(0, n, 3 * n))
    column = Attribute(NEIGHBOURS, Role.DROP, Scale.NOMINAL, adjacency_texts(found))
    schema = replace(table.schema, attributes=(*table.schema.attributes, column))
    return Table(schema, np.hstack([table.codes, np.arange(n, dtype=np.int32)[:, None]]), table.numbers)


def conforming(name: str, prepared: Callable[[Table], Table] = lambda table: table, **declared: object) -> type:
    """Return the suite of a measure of graphs, or of what is known without their edges."""
    body: dict[str, object] = {
        "measure": lambda self: default_registry().build("measure", name, {}),
        "table": lambda self, table_name: prepared(sample_table(table_name, CATEGORICAL)),
    }
    return type("TestMeasure", (MeasureConformance,), body | declared)


TestAdjacencyLoss = conforming("aamil", with_neighbours, identity=0.0)
TestDistributionLoss = conforming("cdil", identity=0.0)
TestDistanceLoss = conforming("semantic-dbil", identity=0.0)
TestSemanticRisk = conforming("semantic-dr", kind="dr")
TestInformedRisk = conforming("informed-semantic-dr", kind="dr")
TestNeighbourhoodRisk = conforming("neighbourhood-dr", with_neighbours, kind="dr")


def masking(inner: object) -> type:
    """Return the suite of semantic groups by an inner method."""
    params = {"k": 2, "inner": inner}
    body = {"method": lambda self: default_registry().build("masking-method", "semantic-groups", params)}
    return type("TestSemanticGroups", (MaskingMethodConformance,), body)


TestSemanticGroups = masking({"method": "mdav", "hierarchies": True})
TestSemanticGroupsByKMember = masking("k-member")
TestSemanticGroupsByMondrian = masking("mondrian")


class TestLevelFilling(MaskingMethodConformance):
    """The greedy method."""

    def method(self) -> MaskingMethod:
        """Return it with groups of two."""
        return LevelFilling(LevelFilling.Params(k=2))


class TestGroups(GenotypeConformance):
    """The genotype, on every table of the suite."""

    scales = CATEGORICAL

    def genotype(self, microdata: Microdata) -> Genotype[Labels]:
        """Return it with groups of two to three."""
        return Groups(Groups.Params(k=2), microdata, RegisteredMethods(default_registry()))

    def measures(self, original: Table) -> list[Fitted]:
        """Return what is followed through changes of groups."""
        names = ("aamil", "cdil", "semantic-dbil", "semantic-dr")
        return [default_registry().build("measure", name, {}).fit(with_neighbours(original)) for name in names[:1]] + [
            default_registry().build("measure", name, {}).fit(original) for name in names[1:]
        ]


@pytest.mark.parametrize("k", [1, 3, 7])
def test_groups_of_any_size_pass_checks(k: int) -> None:
    table = sample_table("ordinary", CATEGORICAL)
    groups = Groups(Groups.Params(k=k), Microdata(table, table.schema.names), RegisteredMethods(default_registry()))
    rng = np.random.default_rng(1)
    genomes = [groups.random(rng), *(genome for _, genome in groups.initial_genomes())]
    for _ in range(200):
        a, b = (genomes[i] for i in rng.integers(len(genomes), size=2))
        genomes.append(groups.crossover(a, b, rng)[0] if rng.random() < 0.3 else groups.mutate(a, rng))
        groups.check(genomes[-1])
    for kind in groups.moves:
        made = groups.moved(genomes[-1], [kind] * 20, [False] * 20, None, rng)
        for one in made:
            groups.check(one)
        joined = groups.combined(genomes[-1], made)
        assert joined is not None
        groups.check(joined)
