"""Which attributes a method or a measure can work on."""

from collections.abc import Set

from evosdc.errors import Fault, ParameterError
from evosdc.table.numerals import numbers
from evosdc.table.schema import Scale
from evosdc.table.table import Table


def require_scales(supports: Set[Scale], table: Table, who: str, advice: str) -> None:
    """Raise `ParameterError`, one fault for all attributes whose scale is not among those supported."""
    # Where numbers are supported and all refused attributes have numbers as categories, as ages have unless a schema
    # says otherwise, the message says how they become numeric.
    refused = [a for a in table.schema.attributes if a.scale not in supports]
    if refused:
        scales = " and ".join(sorted({str(a.scale) for a in refused}))
        names = ", ".join(a.name for a in refused)
        wanted = f"{' or '.join(sorted(map(str, supports)))} attributes"
        if Scale.NUMERIC in supports and all(a.categories and numbers(a.categories) is not None for a in refused):
            advice = f'Declare scale = "numeric" in the schema. {advice}'
        raise ParameterError(
            Fault(who, f"{names}, which {'is' if len(refused) == 1 else 'are'} {scales}", wanted, advice)
        )
