"""Four numbers that kernels compute with at once, each in a lane of the processor's vector unit.

Loops that the compiler could take several at a time it mostly takes one by one: it would have to prove that no two
arrays overlap. Values of `load` are in registers, and ``+ - * /`` are the instructions of the vector unit, which round
as those for single numbers do. So a kernel that takes four problems at once has for each the result that it has alone,
to the last bit. Compiled code alone can have them.
"""

from typing import Any

from evosdc.kernel import CompiledAlone

LANES = 4
"""A search asks for some ten problems at a time, and divisions, which take longest, are no faster eight at a time."""


def _instruction(name: str) -> Any:
    return CompiledAlone(f"evosdc_measures.lane_instructions:{name}")


load = _instruction("load")
"""Of a flat array of float64 and a place: the numbers there, from ``LANES * place`` on."""

store = _instruction("store")
"""Of a flat array of float64, a place and numbers: write these there, as `load` reads them."""

alike = _instruction("alike")
"""Of a number: it in all lanes."""

greater = _instruction("greater")
"""Of two numbers a lane the greater one in each lane; of equals, or where one is no number, the second."""

lesser = _instruction("lesser")
"""Of two numbers a lane the lesser one in each lane, likewise."""

size_of = _instruction("size_of")
"""The numbers without their signs."""

root = _instruction("root")
"""Their square roots."""

nearly = _instruction("nearly")
"""Of a, b and c: ``a * b + c``, rounded once or twice, whichever the processor does faster: for bounds alone."""
