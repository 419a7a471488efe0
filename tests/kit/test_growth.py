"""The growth of a plugin's cost, by a clock that is given."""

from types import SimpleNamespace

import pytest

from evosdc.plugins.growth import growth_of, trial_table
from evosdc.table.schema import Scale


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Slow:
    """Costs so many seconds by the clock, and takes memory."""

    def __init__(self, clock, power):
        self.clock, self.power = clock, power

    def mask(self, table, rng):
        self.clock.now += (len(table) / 1000.0) ** self.power
        return bytearray(len(table) * 100)


def registry_of(method):
    spec = SimpleNamespace(scales=("nominal", "numeric"))
    return SimpleNamespace(spec=lambda kind, name: spec, build=lambda kind, name, params: method)


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0])
def test_the_exponent_is_the_power_of_the_number_of_records(power):
    clock = Clock()
    (found,) = growth_of("masking-method", "slow", registry_of(Slow(clock, power)), clock=clock)
    assert found.exponent == pytest.approx(power, abs=1e-6)
    assert found.memory == pytest.approx(found.records[-1] * 100 / 1e6, rel=0.05)
    assert found.operation == "mask"


def test_no_larger_table_is_tried_when_one_took_too_long():
    clock = Clock()
    (found,) = growth_of("masking-method", "slow", registry_of(Slow(clock, 1.0)), clock=clock)
    assert found.records == (500, 1000, 2000)


def test_kinds_that_records_do_not_matter_to_have_none():
    assert growth_of("algorithm", "any", SimpleNamespace()) == []


def test_trial_tables_are_always_the_same_and_have_the_scales_asked_for():
    for scales in ([Scale.NUMERIC], [Scale.NOMINAL], list(Scale)):
        one, two = trial_table(50, scales), trial_table(50, scales)
        assert one.same_records(two)
        assert {attribute.scale for attribute in one.schema.attributes} <= set(scales)
