"""Masking methods against the suite for plugin authors, with parameters of all kinds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evosdc.model import MaskingMethod
from evosdc.table.table import Table
from evosdc.testing import MaskingMethodConformance
from evosdc_masking.anonymity.global_median import GlobalMedian
from evosdc_masking.anonymity.k_member import KMember
from evosdc_masking.anonymity.mondrian import Mondrian
from evosdc_masking.anonymity.r_gather import RGather
from evosdc_masking.microaggregation.mdav import Mdav
from evosdc_masking.microaggregation.projected import ProjectedMicroaggregation
from evosdc_masking.microaggregation.univariate import IndividualRanking, UnivariateMicroaggregation
from evosdc_masking.noise import CorrelatedNoise, LinearTransformNoise, MultiplicativeNoise, UncorrelatedNoise
from evosdc_masking.post_randomisation.pram import Pram
from evosdc_masking.recoding.extreme_coding import BottomCoding, TopCoding
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from evosdc_masking.suppression.local_suppression import LocalSuppression
from evosdc_masking.swapping.rank_swapping import RankSwapping
from evosdc_masking.swapping.table_swapping import TableSwapping
from evosdc_masking.synthesis import Ipso, Liew
from tests.plugins.masking.tables import FIXED, NOMINAL, NUMERIC, ORDINAL, build, conforming

APART = {"keeps_links": False}

TestMdav = conforming(Mdav, FIXED, k=3)
TestMdavByGroupsWithConvexMedians = conforming(
    Mdav, FIXED, k=3, group_size=2, average="convex-median", destandardise=False
)
TestUnivariateMicroaggregation = conforming(UnivariateMicroaggregation, FIXED, k=3)
TestIndividualRanking = conforming(IndividualRanking, FIXED, k=3)
TestProjectedMicroaggregation = conforming(ProjectedMicroaggregation, FIXED, k=3, group_size=2)
TestKMember = conforming(KMember, k=3)
TestRGather = conforming(RGather, FIXED, k=3)
TestRGatherByCentres = conforming(RGather, FIXED, k=3, output="centre")

TestRankSwapping = conforming(RankSwapping, p=10)
TestTableSwapping = conforming(TableSwapping, APART)

TestGlobalRecoding = conforming(GlobalRecoding, FIXED)
TestGlobalRecodingLabels = conforming(GlobalRecoding, FIXED, output="label")
TestTopCoding = conforming(TopCoding, FIXED, share=0.1)
TestTopCodingLabels = conforming(TopCoding, FIXED, share=0.3, output="label")
TestBottomCoding = conforming(BottomCoding, FIXED, share=0.1)
TestBottomCodingMedians = conforming(BottomCoding, FIXED, share=0.3, output="median")

# In a small file nearly all values of many categories are suppressed.
TestSuppressionByTheSchema = conforming(LocalSuppression, FIXED | APART, k=3)
TestSuppressionByWildcards = conforming(
    LocalSuppression, FIXED | {"interpreted": ("one-record", "missing-values")}, k=2, missing="wildcard"
)

TestGlobalMedian = conforming(GlobalMedian, FIXED, k=3)
TestGlobalMedianInOneOrder = conforming(GlobalMedian, FIXED, k=3, partitioning="global-order")
TestMondrian = conforming(Mondrian, FIXED, k=3)
TestMondrianRelaxed = conforming(Mondrian, FIXED, k=2, partitioning="relaxed")
TestMondrianByRandomDimensions = conforming(Mondrian, k=2, dimension="random")

TestUncorrelatedNoise = conforming(UncorrelatedNoise)
TestCorrelatedNoise = conforming(CorrelatedNoise)
TestLinearTransformNoise = conforming(LinearTransformNoise)
TestMultiplicativeNoise = conforming(MultiplicativeNoise)
TestTwoComponentNoise = conforming(MultiplicativeNoise, variant="two-component", f=0.15)

TestIpsoC = conforming(Ipso, APART)
TestIpsoA = conforming(Ipso, APART, variant="a")
TestLiew = conforming(Liew, {"scales": {ORDINAL, NUMERIC}})
TestLiewOfNominalAttributes = conforming(Liew, APART | {"scales": {NOMINAL}})

TestPramA = conforming(Pram, design="a", p=0.7)
TestPramB = conforming(Pram, design="b", theta=0.7)
TestTwoStage = conforming(Pram, design="two-stage", alpha=0.5)
TestUnchanged = conforming(Pram, design="two-stage", p=0.5, unchanged=0.8)
TestPreference = conforming(Pram, design="preference")


class TestCrossed(MaskingMethodConformance):
    """Every table's first two attributes as one, where it has two."""

    def table(self, table_name: str) -> Table:
        table = super().table(table_name)
        if len(table.schema) == 1:
            pytest.skip("a single attribute cannot be crossed")
        attributes = tuple(replace(one, name=f"c{place}") for place, one in enumerate(table.schema.attributes))
        return Table(replace(table.schema, attributes=attributes), table.codes, table.numbers)

    def method(self) -> MaskingMethod:
        return build(Pram, design="two-stage", crossed=[["c0", "c1"]])


del MaskingMethodConformance
