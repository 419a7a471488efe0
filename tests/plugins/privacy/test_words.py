"""Sentences on one record and one value say so in the singular."""

import pandas as pd
import pytest

import evosdc


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("l-diversity", "every class has at least 1 sensitive value;"),
        ("alpha-k-anonymity", "the smallest class has 1 record<"),
    ],
)
def test_one_is_singular(model, words):
    frame = pd.DataFrame({"sex": ["m", "f", "m", "d"], "ill": ["a", "b", "b", "a"]})
    found = evosdc.risk(frame, quasi_identifiers=["sex"], sensitive=["ill"], models=[model])
    told = found._repr_html_()
    assert words in told
