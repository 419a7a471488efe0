"""What intruders find who know more of people than the columns that were masked: what the file tells besides these."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.errors import InputError
from evosdc.model import Microdata
from evosdc.plugins.registry import Registry
from evosdc.specs import MeasureSpec
from evosdc.table.exact_values import known_of
from evosdc.table.table import Table


@dataclass(frozen=True)
class Further:
    """What one such intruder finds.

    Parameters
    ----------
    measure : str
        Of this intruder.
    knows : str
        What he knows of people besides, in words (`evosdc.specs.MeasureSpec`).
    columns : tuple of str
        Columns of the published file that tell it.
    percent : float or None
        People he is expected to find; None where the measure cannot read the files.
    """

    measure: str
    knows: str
    columns: tuple[str, ...]
    percent: float | None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "measure": self.measure, "knows": self.knows, "columns": list(self.columns), "percent": self.percent
        }  # fmt: skip


def further_knowledge(
    original: Table, masked: Table, protect: Sequence[str], unchanged: Sequence[str], registry: Registry
) -> tuple[Further, ...]:
    """Return what each intruder finds who knows what unchanged columns tell, of whom there are measures.

    Attributes that a measure cannot read he is taken not to know.

    Parameters
    ----------
    original : Table
        All attributes.
    masked : Table
        The masked ones; record r of both is the same respondent.
    protect, unchanged : sequence of str
        The masked attributes, and the columns that are published as they are.
    registry : Registry
    """
    found = []
    for name in registry.names("measure"):
        spec = registry.spec("measure", name)
        if not isinstance(spec, MeasureSpec) or not spec.knows:
            continue
        measure = registry.build("measure", name, {})
        columns = measure.auxiliary_names()
        if columns and set(columns) <= set(unchanged):
            known = [n for n in known_of(original, protect) if original.schema[n].scale in spec.scales]
            found.append(Further(name, spec.knows, columns, _percent(measure, original, masked, known)))
    return tuple(found)


def _percent(measure: Any, original: Table, masked: Table, known: Sequence[str]) -> float | None:
    if not known or not len(original):
        return None
    try:
        return float(measure.fit_in(Microdata(original, tuple(known))).score(masked.select(known)))
    except InputError:
        return None
