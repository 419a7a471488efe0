"""Microaggregation along hierarchies, and groups without publication."""

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.model import Grouping
from evosdc.plugins.registry import default_registry
from tests.plugins.social.graphs import places

TOWNS = places("Leeds", "Rome", "York", "Wells", "Bath", "Pisa")


def test_users_of_one_county_are_together_with_hierarchies_alone() -> None:
    method = default_registry().build("masking-method", "mdav", {"k": 2, "hierarchies": True})
    assert isinstance(method, Grouping)
    groups = method.classes(TOWNS, np.random.default_rng(0))
    assert groups[0] == groups[2]
    assert groups[3] == groups[4]
    assert groups[1] == groups[5]
    plain = default_registry().build("masking-method", "mdav", {"k": 2}).classes(TOWNS, np.random.default_rng(0))
    assert plain[0] == plain[1], "all towns are as far apart without, so that the first of the file are together"


def test_groups_of_attributes_have_no_groups_of_records() -> None:
    method = default_registry().build("masking-method", "mdav", {"k": 2, "group_size": 1})
    with pytest.raises(ParameterError, match="classes of all of them"):
        method.classes(TOWNS, np.random.default_rng(0))
