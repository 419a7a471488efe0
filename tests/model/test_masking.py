"""Portfolio entries: steps, labels, JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from evosdc.model import Masking

CHAIN = Masking(
    "rank-swapping", {"p": 20}, by=("region",), then=(Masking("pram", {"design": "a"}, ("x", "y")),), draw=7
)


def test_steps_are_flat_and_single() -> None:
    nested = Masking("a", then=(Masking("b", then=(Masking("c"),)), Masking("d")))
    assert [step.method for step in nested.steps] == ["a", "b", "c", "d"]
    assert all(not step.then and step.draw is None for step in (*nested.steps, *CHAIN.steps))


def test_labels_tell_all_steps() -> None:
    assert CHAIN.label == "rank-swapping p=20 (by region), then pram design=a (x, y)"
    assert Masking("mdav", {"k": 3}).label == "mdav k=3"


def test_steps_that_do_the_same_to_one_attribute_each_are_told_together() -> None:
    one, two, three = (Masking("noise", {"alpha": alpha}, (name,)) for alpha, name in ((1, "a"), (1, "b"), (2, "c")))
    chain = Masking("noise", {"alpha": 1}, ("a",), then=(two, three))
    assert chain.label == "noise alpha=1 (each of a, b), then noise alpha=2 (c)"
    twice = replace(chain, then=(replace(chain, then=()),))
    assert twice.label == "noise alpha=1 (a), then noise alpha=1 (a)"
    assert one.label != Masking("noise", {"alpha": 1}, ("a", "b")).label


def test_json_holds_everything_and_only_what_there_is() -> None:
    assert Masking.from_json(json.loads(json.dumps(CHAIN.to_json()))) == CHAIN
    assert set(Masking("mdav").to_json()) == {"method", "params", "attributes", "by"}
