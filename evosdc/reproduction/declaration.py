"""What a study says of itself: the file ``study.toml`` of its folder."""

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from evosdc.errors import ExperimentError, Fault
from evosdc.model.parameters import faults_of
from evosdc.reproduction.tolerance import SAME, Tolerance

DECLARATION = "study.toml"
ProfileName = Literal["quick", "full"]
PROFILES: tuple[ProfileName, ...] = ("quick", "full")
PROGRAMS = ("python", "evosdc")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Profile(_Table):
    """How much of a study is done: ``[quick]`` or ``[full]``."""

    commands: tuple[str, ...] = Field(
        min_length=1,
        description="what is typed, one after the other: `python` or `evosdc` with arguments, {study} being the "
        "study's folder, {studies} the one above it, {output} the new folder",
    )
    time: str = Field(description="processor time on one core, for people")
    needs: tuple[str, ...] = Field((), description="data sets, and folders of EVOSDC_DATA, without which it cannot run")
    status: tuple[int, ...] = Field((0,), description="exit statuses that commands may end with")

    @field_validator("commands")
    @classmethod
    def _known_programs(cls, commands: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [command for command in commands if command.partition(" ")[0] not in PROGRAMS]:
            raise ValueError(f"commands that begin with {' or '.join(PROGRAMS)}, unlike {wrong[0]!r}")
        return commands


class Picture(_Table):
    """A picture of the full results: drawn from a table by ``experiments/pictures.py``, or by the study's commands."""

    file: str = Field(description="name, or pattern of names that the study's own commands draw")
    table: str | None = Field(None, description="the result that is drawn; default: the study's commands draw it")
    kind: Literal["lines", "points", "bars"] = "lines"
    x: str = ""
    y: tuple[str, ...] = ()
    by: str | None = Field(None, description="column whose values have a colour each")
    panels: str | None = Field(None, description="column whose values have a panel each")
    where: dict[str, tuple[str, ...]] = Field({}, description="values of columns that are drawn; default: all")
    title: str = ""
    log: bool = Field(False, description="whether y is drawn on a logarithmic scale")


class Declaration(_Table):
    """All that ``study.toml`` says."""

    title: str
    source: str = Field(description="the paper, with its figures or tables")
    summary: str = Field(description="what is done, in a sentence")
    reconstruction: tuple[str, ...] = Field((), description="what the source does not say, and how it is done here")
    results: tuple[str, ...] = Field(("*.csv",), description="patterns of the files that are stored and compared")
    sources: tuple[str, ...] = Field((), description="files outside the folder that decide on the results")
    quick: Profile
    full: Profile
    pictures: tuple[Picture, ...] = ()
    tolerances: dict[str, float | str] = Field(
        {}, description="how far figures may be from the stored ones, by pattern of the column"
    )

    @field_validator("tolerances")
    @classmethod
    def _readable(cls, given: dict[str, float | str]) -> dict[str, float | str]:
        for text in given.values():
            Tolerance.of(text)
        return given

    def profile(self, name: ProfileName) -> Profile:
        """Return the quick or the full profile."""
        return self.quick if name == "quick" else self.full

    def tolerance(self, column: str) -> Tolerance:
        """Return how far the figures of a column may be from the stored ones: the first pattern that fits it."""
        for pattern, given in self.tolerances.items():
            if fnmatchcase(column, pattern):
                return Tolerance.of(given)
        return SAME


def read_declaration(folder: Path) -> Declaration:
    """Read what a study says of itself.

    Raises
    ------
    ExperimentError
        The file is not there, or with everything that is wrong in it.
    """
    path = folder / DECLARATION
    try:
        return Declaration.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ExperimentError(Fault(str(path), "no such file", "the declaration of a study")) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExperimentError(Fault(str(path), f"text that is not TOML: {error}", "a TOML file")) from None
    except ValidationError as error:
        raise ExperimentError(faults_of(error, Declaration, str(path))) from None
