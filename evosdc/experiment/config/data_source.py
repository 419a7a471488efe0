"""Which file an experiment is about, and what of it is protected."""

from pathlib import Path

from pydantic import Field, field_validator, model_validator

from evosdc.files.schema.hierarchy_rules import HierarchySource
from evosdc.model import Parameters


class DataSource(Parameters):
    """Where the confidential file comes from and what of it is to be protected."""

    name: str | None = Field(None, description="a registered data set")
    file: Path | None = Field(None, description="a data file; relative to the experiment file")
    schema_file: Path | None = Field(None, alias="schema", description="schema.toml; inferred when not given")
    protect: tuple[str, ...] | None = Field(None, description="attributes to protect; default: the quasi-identifiers")
    complete: bool | tuple[str, ...] = Field(
        False, description="keep only records without missing values: in all attributes, or in those named"
    )
    first: int | None = Field(None, ge=1, description="keep only so many records, from the top")
    hierarchies: dict[str, HierarchySource] = Field(
        default_factory=dict,
        description="by attribute: a CSV file relative to the experiment file, or a rule such as { widths = [5, 10] }, "
        "{ prefix = [1, 2] } or { merge = [2, 4] }; in place of what the schema has",
    )
    neutralise_formulas: bool = Field(
        False, description="publish cells that a spreadsheet would take for formulas with a quote before them"
    )
    population: Path | None = Field(
        None,
        description="a file of the population, for privacy models that compare with it; relative to the experiment",
    )
    shuffle: bool = Field(False, description="publish the records in random order, not in that of the original")

    @field_validator("protect")
    @classmethod
    def _once(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        twice = dict.fromkeys(name for name in value or () if (value or ()).count(name) > 1)
        if twice:
            raise ValueError(f"each attribute once, and not {', '.join(twice)} twice")
        return value

    @model_validator(mode="after")
    def _one_source(self) -> "DataSource":
        if (self.name is None) == (self.file is None):
            raise ValueError("either name = <data set> or file = <path>, and not both")
        if self.name is not None and self.schema_file is not None:
            raise ValueError("schema goes with file only: a registered data set brings its own")
        return self
