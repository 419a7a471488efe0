"""What a user can say about PRAM: a design with its numbers, an equation, or matrices of one's own."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from evosdc.model import Parameters

Design = Literal["a", "b", "two-stage", "preference", "matrix"]

# The designs that have each parameter.
OWNERS: dict[str, tuple[Design, ...]] = {
    "matrix": ("matrix",),
    "p": ("a", "two-stage"),
    "theta": ("b",),
    "first": ("two-stage",),
    "unchanged": ("two-stage",),
    "alpha": ("two-stage",),
    "preferences": ("preference",),
    "least": ("preference",),
    "most": ("preference",),
    "by_record": ("preference",),
}

# Values unless given, in the designs that have them.
USUAL: dict[str, Any] = {
    "p": 0.8,
    "theta": 0.5,
    "first": "even",
    "alpha": 0.5,
    "preferences": "distance",
    "least": 0.5,
    "most": 1.0,
    "by_record": False,
}


class PramParameters(Parameters):
    """Design of the matrices and its numbers, or a file with an equation or with matrices."""

    equation: Path | None = Field(
        None,
        description="A file with an equation that fills the matrices, as evosdc run writes it (equation.toml); "
        "in place of a design.",
    )
    design: Annotated[
        Design | None,
        BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value),
        Field(
            description="a: constant diagonal p, flattens marginals; b: invariant, amount theta; two-stage: invariant, "
            "R = PQ; preference: invariant, by linear programming; matrix: one's own."
        ),
    ] = "a"
    matrix: Path | None = Field(
        None,
        description="Design matrix: a file, CSV for one attribute, JSON for any number; the design need not be named.",
    )
    p: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Designs a and two-stage: probability that a value is kept (two-stage: by the first stage), 0.8 "
        "unless given; 1 changes nothing.",
    )
    theta: float | None = Field(
        None, ge=0, le=1, description="Design b: amount of perturbation, 0.5 unless given; 0 changes nothing."
    )
    first: Literal["even", "a"] | None = Field(
        None, description="Two-stage: the first stage spreads what is not kept evenly, unless given, or by design a."
    )
    unchanged: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Two-stage: expected share of unchanged values, in place of alpha; 1 changes nothing.",
    )
    alpha: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Two-stage: share of R in alpha R + (1 - alpha) I, 0.5 unless given; 0 changes nothing.",
    )
    preferences: Literal["distance"] | Path | None = Field(
        None,
        description="Preference: weights of changes by distance, unless given, or a file; 1 for the most preferred.",
    )
    least: float | None = Field(
        None, ge=0, le=1, description="Preference: lower bound of the diagonal, 0.5 unless given."
    )
    most: float | None = Field(None, ge=0, le=1, description="Preference: upper bound of the diagonal, 1 unless given.")
    by_record: bool | None = Field(
        None, description="Preference: weigh each row by its category's frequency; not so unless given."
    )
    kept: dict[str, dict[str, Annotated[float, Field(ge=0, le=1)]]] | None = Field(
        None,
        description="Design a: probability that a value is kept, by attribute and category; p for those not named.",
    )
    crossed: list[list[str]] = Field(
        [], description="Blocks of attributes that are crossed into one: only combinations that occur are published."
    )
    structural_zeros: Literal["observed"] | Path | list[dict[str, str]] | None = Field(
        None,
        description="Combinations that must not arise: a list of tables or a file of them (CSV, JSON); observed: all "
        "that no record has.",
    )

    @model_validator(mode="before")
    @classmethod
    def _implied(cls, data: Any) -> Any:
        """A matrix without a design is the design matrix."""
        if isinstance(data, dict) and data.get("matrix") is not None and not {"design", "equation"} & set(data):
            return data | {"design": "matrix"}
        return data

    @field_validator(*OWNERS)
    @classmethod
    def _belongs(cls, value: Any, info: ValidationInfo) -> Any:
        name = info.field_name or ""
        if info.data.get("equation") is not None:
            if value is not None:
                raise ValueError("nothing, since the equation's file has all that it needs")
            return None
        design = info.data.get("design")
        if design is None:
            return value  # refused already; its numbers cannot be checked
        if design not in OWNERS[name]:
            if value is not None:
                raise ValueError(f"nothing, since design {design} has no {name}")
            return None
        if name == "alpha" and info.data.get("unchanged") is not None:
            if value is not None:
                raise ValueError("nothing, since unchanged is given, which decides alpha")
            return None
        if name == "matrix" and value is None:
            raise ValueError("a file, which design matrix needs")
        return USUAL.get(name) if value is None else value

    @field_validator("crossed")
    @classmethod
    def _crossed(cls, value: list[list[str]], info: ValidationInfo) -> list[list[str]]:
        names = [name for block in value for name in block]
        if any(len(block) < 2 for block in value):
            raise ValueError('blocks of two attributes or more, such as [["a", "b"]]')
        if len(set(names)) < len(names):
            raise ValueError("each attribute once")
        if value and info.data.get("equation") is not None:
            raise ValueError("nothing, since an equation fills matrices of single attributes")
        return value

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.kept and self.design != "a":
            raise ValueError("kept with design a alone")
        if self.kept and self.crossed:
            raise ValueError("kept or crossed, and not both")
        if self.equation is not None and "design" in self.model_fields_set:
            raise ValueError("a design or an equation, and not both")
        if self.equation is not None:
            object.__setattr__(self, "design", None)
        elif self.design is None:
            raise ValueError(f"design {', '.join(get_args(Design))}, or an equation")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"least at most as large as most, which are {self.least} and {self.most}")
        return self
