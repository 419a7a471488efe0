"""Every picture of the pages is taken or drawn by a script of the repository."""

from __future__ import annotations

from docs.pictures import DOCS, REPORTS, SCREENS
from docs.rooms import LAYERS, PICTURE, drawn
from tests.docs.commands import ROOT


def test_the_pictures_of_the_documentation_are_taken_by_the_script() -> None:
    there = {path.name for ending in ("png", "svg") for path in DOCS.rglob(f"*.{ending}")}
    assert there - {PICTURE.name} == {f"{name}.png" for name in (*REPORTS, *SCREENS)}


def test_the_pictures_of_a_study_are_declared_or_drawn_by_its_scripts() -> None:
    for folder in {path.parent for path in (ROOT / "experiments").glob("*/*.svg")}:
        makers = [*folder.glob("*.py"), folder / "study.toml"]
        assert any(".svg" in maker.read_text(encoding="utf-8") for maker in makers), folder.name


def test_the_picture_of_the_rooms_has_every_room_and_plugin() -> None:
    there = {path.parent.name for path in (ROOT / "evosdc").glob("*/__init__.py")}
    assert {name for rooms in LAYERS for name in rooms} == there
    assert PICTURE.read_text(encoding="utf-8") == drawn()
