"""Plans of a file of which something is required end by a step that makes sure of it, where any method does."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evosdc
from evosdc.datasets.housing import survey
from evosdc.experiment.protection import assuring_step, plan_genotype
from evosdc.model import Microdata
from evosdc.model.constraint import Constraint
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Role, Schema
from tests.plugins.measures.cases import schema, table

REGISTRY = default_registry()


def microdata(*roles: Role, protect: int = 2) -> Microdata:
    """Return a file of 40 records with an attribute of each role, the first of which are protected."""
    plain = schema([4] * len(roles), ["nominal"] * len(roles))
    given = Schema(tuple(replace(one, role=role) for one, role in zip(plain.attributes, roles, strict=True)))
    codes = np.random.default_rng(1).integers(0, 4, (40, len(roles)))
    return Microdata(table(given, codes), given.names[:protect])


def step(text: str, data: Microdata) -> dict[str, object] | None:
    return assuring_step([Constraint.parse("dr <= 20"), Constraint.parse(text)], data, REGISTRY)


KEYS = (Role.QUASI_IDENTIFIER, Role.QUASI_IDENTIFIER)


@pytest.mark.parametrize(
    ("text", "roles", "wanted"),
    [
        ("k-anonymity >= 3", KEYS, {"method": "local-suppression", "k": 3}),
        ("k-anonymity >= 2.5", KEYS, {"method": "local-suppression", "k": 3}),
        ("k-anonymity <= 3", KEYS, None),
        ("l-diversity >= 2", KEYS, None),
        ("k-anonymity >= 41", KEYS, None),
        ("k-anonymity >= 3", (*KEYS, Role.QUASI_IDENTIFIER), None),
        ("k-anonymity >= 3", (*KEYS, Role.SENSITIVE), {"method": "local-suppression", "k": 3}),
    ],
)
def test_a_method_that_guarantees_it_is_the_last_step(
    text: str, roles: tuple[Role, ...], wanted: dict[str, object] | None
) -> None:
    assert step(text, microdata(*roles)) == wanted


def test_a_method_that_leaves_alone_what_fulfils_it_goes_before_others() -> None:
    offered = {spec.name: spec for spec in REGISTRY.specs("masking-method") if getattr(spec, "guarantees", ())}
    assert set(offered) == {"global-median", "local-suppression"}
    assert offered["local-suppression"].default_for == ("assurance",)
    many = microdata(*[Role.QUASI_IDENTIFIER] * 63, protect=63)
    assert step("k-anonymity >= 3", many) == {"method": "global-median", "k": 3}


def test_the_genotype_of_plans_has_it() -> None:
    required = [Constraint.parse("k-anonymity >= 4")]
    genotype = plan_genotype(required, microdata(*KEYS), REGISTRY)
    assert genotype == {"name": "recipes", "lasting": False, "last": {"method": "local-suppression", "k": 4}}
    assert plan_genotype([], microdata(*KEYS), REGISTRY) == {"name": "recipes", "lasting": False}


@pytest.mark.endurance
def test_a_plan_evolved_to_the_end_keeps_what_is_required_and_can_be_read(tmp_path: Path) -> None:
    data = survey(records=250).table.select(["degree", "grade1", "built"])
    found = evosdc.protect(
        data, require="k-anonymity >= 3", explainable=True, time=6, second_opinion=False, output=tmp_path / "run"
    )
    assert all(one.met for one in found.requirements)
    assert found.recipe == tmp_path / "run" / "recipe.toml"
    assert found.result.recipe["words"].startswith("A recipe made the file")
    last = f"Step {found.result.recipe['steps']}, local-suppression k=3"
    assert any(line.startswith(last) for line in evosdc.explain(found.recipe))
