"""Every method works without parameters and then does what its documented default does."""

import pytest

from evosdc.model.parameters import parse_parameters
from evosdc_masking.anonymity.mondrian import Mondrian
from evosdc_masking.microaggregation.mdav import Mdav
from evosdc_masking.post_randomisation.pram import Pram
from evosdc_masking.recoding.extreme_coding import BottomCoding, TopCoding
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from evosdc_masking.swapping.rank_swapping import RankSwapping
from tests.plugins.masking.tables import NOMINAL, categorical, joined, masked, numeric


@pytest.mark.parametrize(
    ("method", "given", "usual"),
    [
        (Pram, {}, {"equation": None, "design": "a", "p": 0.8, "theta": None}),
        (Pram, {"design": "B"}, {"equation": None, "design": "b", "p": None, "theta": 0.5}),
        (Mdav, {}, {"k": 3, "destandardise": False}),
        (RankSwapping, {}, {"p": 5.0}),
        (TopCoding, {}, {"q": None, "value": None, "share": 0.05, "output": None}),
        (BottomCoding, {}, {"q": None, "value": None, "share": 0.05, "output": None}),
        (BottomCoding, {"q": 2}, {"q": 2, "value": None, "share": None, "output": None}),
        (BottomCoding, {"value": 2}, {"q": None, "value": 2.0, "share": None, "output": None}),
        (
            Mondrian,
            {},
            {
                "k": 3,
                "average": None,
                "partitioning": "strict",
                "dimension": "widest",
                "hierarchies": True,
                "output": "point",
            },
        ),
    ],
)
def test_defaults(method, given, usual):
    found = parse_parameters(method.Params, given, "method").model_dump()
    assert {key: found[key] for key in usual} == usual


def test_global_recoding_without_parameters_merges_two_categories_and_takes_a_tenth_of_the_range() -> None:
    table = joined(categorical([0, 1, 1, 2, 2, 2], [3], [NOMINAL]), numeric([0.0, 9, 10, 50, 99, 100]))
    assert masked(GlobalRecoding, table).same_records(masked(GlobalRecoding, table, q=2, width=10))
