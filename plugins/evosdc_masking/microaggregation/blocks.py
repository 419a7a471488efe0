"""Blocks of attributes that are microaggregated independently of each other."""

from collections import Counter
from collections.abc import Callable
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.model import Free, Range
from evosdc.table.table import Table
from evosdc_masking.averaging_method import ClassParameters
from evosdc_masking.class_sizes import class_sizes

Block = Annotated[tuple[str, ...], Field(min_length=1)]


class BlockParameters(ClassParameters):
    """Least size of the classes, what they publish, and which attributes are masked together."""

    groups: Annotated[tuple[Block, ...], Field(min_length=1)] | None = Field(
        default=None,
        description="Lists of attributes, each masked on its own: [['a', 'b'], ['c']]. Every masked attribute stands "
        "in one of them.",
    )
    group_size: int | None = Field(
        default=None, ge=1, description="Number of attributes that are masked together, in the order of the file."
    )

    @field_validator("group_size")
    @classmethod
    def _one_of_two(cls, group_size: int | None, info: ValidationInfo) -> int | None:
        if group_size is not None and info.data.get("groups") is not None:
            raise ValueError("only one of groups (lists of attributes) and group_size (how many to take at a time)")
        return group_size


def block_sizes(table: Table) -> tuple[Free, ...]:
    """Return the useful ranges of k and of the number of attributes that are masked together; none of one record."""
    sizes = class_sizes(len(table))
    return (*sizes, Range("group_size", 1, len(table.schema), whole=True)) if sizes else ()


def blocks_of(table: Table, params: BlockParameters, name: str) -> list[tuple[str, ...]]:
    """Return the blocks of attributes, all of them in one block where the parameters name none.

    Raises
    ------
    ParameterError
        Groups that do not hold every masked attribute once; with all that is wrong.
    """
    names = table.schema.names
    if params.groups is None:
        size = params.group_size or max(len(names), 1)
        return [names[begin : begin + size] for begin in range(0, len(names), size)]
    where, counts = f"method {name}: groups", Counter(member for group in params.groups for member in group)
    faults = [
        Fault(where, repr(member), f"one of the masked attributes: {', '.join(names)}", did_you_mean(member, names))
        for member in counts
        if member not in names
    ]
    repeated = [member for member, count in counts.items() if count > 1]
    if repeated:
        faults.append(Fault(where, f"{', '.join(repeated)} more than once", "each attribute in one group"))
    lacking = [member for member in names if member not in counts]
    if lacking:
        advice = "Add a group for them, or mask fewer attributes."
        faults.append(Fault(where, f"{', '.join(lacking)} in no group", "every masked attribute in one group", advice))
    if faults:
        raise ParameterError(faults)
    return list(params.groups)


def masked_by_blocks(table: Table, blocks: list[tuple[str, ...]], mask: Callable[[Table], Table]) -> Table:
    """Return the table in which each block of attributes is masked on its own."""
    masked = table
    for block in blocks:
        masked = masked.with_columns(mask(table.select(block)))
    return masked
