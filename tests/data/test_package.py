from __future__ import annotations

import pytest

import evosdc.data
import evosdc.data.datasets


@pytest.mark.parametrize("package", [evosdc.data, evosdc.data.datasets])
def test_every_public_name_is_there(package):
    for name in package.__all__:
        assert getattr(package, name).__doc__ or name.isupper()
    assert len(set(package.__all__)) == len(package.__all__)


@pytest.mark.parametrize("package", [evosdc.data, evosdc.data.datasets])
def test_other_names_are_not(package):
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing
