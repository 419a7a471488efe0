"""The conformance suite on every method that publishes averages of classes."""

from __future__ import annotations

from evosdc.model import MaskingMethod
from evosdc.testing import MaskingMethodConformance
from evosdc_masking.anonymity.k_member import KMember
from evosdc_masking.anonymity.r_gather import RGather
from evosdc_masking.microaggregation.mdav import Mdav
from evosdc_masking.microaggregation.projected import ProjectedMicroaggregation
from evosdc_masking.microaggregation.univariate import IndividualRanking, UnivariateMicroaggregation
from tests.plugins.masking.tables import build


class TestUnivariateMicroaggregation(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(UnivariateMicroaggregation, k=3)


class TestIndividualRanking(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(IndividualRanking, k=3)


class TestProjectedMicroaggregation(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(ProjectedMicroaggregation, k=3, group_size=2)


class TestMdavByGroupsWithConvexMedians(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(Mdav, k=3, group_size=2, average="convex-median", destandardise=False)


class TestKMember(MaskingMethodConformance):
    def method(self) -> MaskingMethod:
        return build(KMember, k=3)


class TestRGather(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(RGather, k=3)


class TestRGatherByCentres(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(RGather, k=3, output="centre")
