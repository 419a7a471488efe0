"""The pages that help to choose, and those for people of other tools, name what there is."""

from __future__ import annotations

import re
from pathlib import Path

from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registry import default_registry

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("from-sdcmicro.md", "from-arx.md", "masking/README.md", "measures/README.md")
PAGE = "\n".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)
LAST_COLUMNS = [row.rstrip("|").rsplit("|", 1)[-1] for row in PAGE.splitlines() if row.startswith("|")]


def registered() -> set[str]:
    registry = default_registry()
    return {name for kind in KINDS for name in registry.names(kind)}


def test_names_in_the_last_column_exist() -> None:
    known = registered()
    quoted = {token for cell in LAST_COLUMNS for token in re.findall(r"`([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`", cell)}
    assert len(quoted) > 40
    assert quoted - known == set()


def test_methods_and_models_of_commands_exist() -> None:
    registry = default_registry()
    methods = set(re.findall(r"evosdc mask ([a-z][a-z-]+)", PAGE))
    assert methods <= set(registry.names("masking-method"))
    for kind, option in (("privacy-model", "--models"), ("measure", "--measures")):
        for names in re.findall(rf"{option} ([a-z0-9,-]+)", PAGE):
            assert set(names.split(",")) <= set(registry.names(kind)), names


def test_parameters_of_commands_are_taken() -> None:
    registry = default_registry()
    given = re.findall(r"`(?:--set )?([a-z0-9-]+)\.([a-z0-9_]+)=([a-z0-9.]+)`", PAGE)
    assert len(given) >= 3
    for name, key, value in given:
        kind = "measure" if name in registry.names("measure") else "privacy-model"
        number = float(value) if value.replace(".", "").isdigit() else value
        assert getattr(registry.parameters(kind, name, {key: number}), key) == number
