"""Every method works without parameters and then does what its documented default does."""

import pytest

from evosdc.model.parameters import parsed
from evosdc_masking.microaggregation.mdav import Mdav
from evosdc_masking.post_randomisation.pram import Pram
from evosdc_masking.recoding.extreme_coding import BottomCoding, TopCoding
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from evosdc_masking.swapping.rank_swapping import RankSwapping


@pytest.mark.parametrize(
    ("method", "given", "usual"),
    [
        (Pram, {}, {"equation": None, "design": "a", "p": 0.8, "theta": None}),
        (Pram, {"design": "B"}, {"equation": None, "design": "b", "p": None, "theta": 0.5}),
        (Mdav, {}, {"k": 3, "destandardise": True}),
        (RankSwapping, {}, {"p": 5.0}),
        (GlobalRecoding, {}, {"q": 2}),
        (TopCoding, {}, {"q": None, "share": 0.05}),
        (BottomCoding, {}, {"q": None, "share": 0.05}),
        (BottomCoding, {"q": 2}, {"q": 2, "share": None}),
    ],
)
def test_defaults(method, given, usual):
    assert parsed(method.Params, given, "method").model_dump() == usual
