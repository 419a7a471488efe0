"""Capabilities that others took the place of are refused in a sentence that says what to write instead."""

import pytest

from evosdc import model


@pytest.mark.parametrize(
    ("name", "advice"), [("Restricted", "Guaranteed"), ("Raced", "races = True"), ("Generalising", "generalises")]
)
def test_a_former_capability_is_refused_with_what_took_its_place(name, advice):
    with pytest.raises(ImportError, match=f"evosdc.model has no {name} any more: .*{advice}"):
        getattr(model, name)


def test_every_capability_is_offered():
    for name in ("Seedable", "Local", "Stochastic", "Guaranteed", "Direct", "Described", "Composed"):
        assert issubclass(getattr(model, name), model.Genotype)
