from __future__ import annotations

from evosdc.model import MaskingMethod
from evosdc.testing import MaskingMethodConformance
from evosdc_masking.microaggregation.mdav import Mdav
from evosdc_masking.post_randomisation.pram import Pram
from evosdc_masking.recoding.extreme_coding import BottomCoding, TopCoding
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from evosdc_masking.swapping.rank_swapping import RankSwapping
from evosdc_masking.swapping.table_swapping import TableSwapping
from tests.plugins.masking.tables import build


class TestPramA(MaskingMethodConformance):
    def method(self) -> MaskingMethod:
        return build(Pram, design="a", p=0.7)


class TestPramB(MaskingMethodConformance):
    def method(self) -> MaskingMethod:
        return build(Pram, design="b", theta=0.7)


class TestRankSwapping(MaskingMethodConformance):
    def method(self) -> MaskingMethod:
        return build(RankSwapping, p=10)


class TestTableSwapping(MaskingMethodConformance):
    keeps_links = False

    def method(self) -> MaskingMethod:
        return build(TableSwapping)


class TestMdav(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(Mdav, k=3)


class TestGlobalRecoding(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(GlobalRecoding)


class TestGlobalRecodingLabels(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(GlobalRecoding, output="label")


class TestTopCoding(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(TopCoding, share=0.1)


class TestBottomCoding(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(BottomCoding, share=0.1)


class TestTopCodingLabels(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(TopCoding, share=0.3, output="label")


class TestBottomCodingMedians(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(BottomCoding, share=0.3, output="median")
