"""Parameters of the genotype `equations`, and whether they fit a file."""

from typing import Literal

from pydantic import Field, field_validator

from evosdc.errors import Fault, ParameterError
from evosdc.model import Microdata, Parameters
from evosdc.randomisation.equations.evaluation import Decoding
from evosdc.randomisation.equations.symbols import FUNCTIONS, TERMINALS

MutationName = Literal["point", "hoist", "subtree", "collapse", "expansion", "constant"]

InitialTrees = Literal["half-and-half", "dealt", "grow", "full"]


class EquationParameters(Parameters):
    """What a user may set of the genotype `equations`."""

    decoding: Decoding = Field("raw", description="how values become a matrix: raw, offdiag or full")
    p: float = Field(0.5, ge=0, le=1, description="the terminal p, and the diagonal of the decoding offdiag")
    two_stage: float | None = Field(
        None, ge=0, le=1, description="make matrices invariant by a second stage, diluted to this alpha"
    )
    one_each: bool = Field(False, description="an equation for each attribute instead of one for all")
    terminals: tuple[str, ...] | None = Field(
        None, description="quantities of a cell; default: all, a and b where an attribute is ordinal"
    )
    functions: tuple[str, ...] = Field(
        tuple(name for name in FUNCTIONS if name != "if_less"), min_length=1, description="functions"
    )
    constants: bool = Field(True, description="whether there are constants")
    initial_depth: int = Field(4, ge=1, le=10, description="greatest depth of random trees")
    initial_trees: InitialTrees = Field(
        "half-and-half",
        description="random trees: half-and-half by draws, dealt (each depth as often full as grown), grow or full",
    )
    max_depth: int = Field(5, ge=1, le=10_000, description="depth limit; a lone terminal has depth 0")
    max_nodes: int = Field(500, ge=3, le=100_000, description="limit of the nodes of a tree")
    mutations: tuple[MutationName, ...] = Field(
        ("point", "hoist", "subtree", "collapse", "expansion", "constant"),
        min_length=1,
        description="operators, one of which is drawn for each mutation",
    )
    relabelling: float = Field(
        3.0, ge=0, le=100, description="records, in per cent, that may read right under exchanged labels; 100: any"
    )
    draws: int = Field(5, ge=1, le=1000, description="files drawn for one evaluation")
    expected: bool = Field(False, description="judge by the measures' expectations instead of draws")

    @field_validator("terminals", "functions", "mutations")
    @classmethod
    def _each_once(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value is not None and len(set(value)) < len(value):
            raise ValueError("each name once")
        return value


def require_fit(params: EquationParameters, microdata: Microdata) -> None:
    """Raise `ParameterError` with everything in parameters and file that does not fit."""
    faults = []
    numeric = [a.name for a in microdata.original.schema.numeric]
    if numeric:
        advice = "Declare it ordinal in the schema, or do not protect it."
        faults.append(
            Fault(f"genotype equations: {', '.join(numeric)}", "scale numeric", "scale nominal or ordinal", advice)
        )
    for key, given, known in (
        ("terminals", params.terminals or (), TERMINALS),
        ("functions", params.functions, FUNCTIONS),
    ):
        unknown = [name for name in given if name not in known]
        if unknown:
            wanted = f"some of {', '.join(known)}"
            faults.append(Fault(f"genotype equations: {key}", ", ".join(unknown), wanted))
    if params.terminals == () and not params.constants:
        faults.append(Fault("genotype equations: terminals", "none, and no constants", "at least one of them"))
    if faults:
        raise ParameterError(faults)
