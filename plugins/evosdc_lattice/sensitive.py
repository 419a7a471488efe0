"""The sensitive attributes of a file, as columns of counts."""

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Microdata
from evosdc.table.equivalence import ranks
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import MISSING, Table
from evosdc_lattice.class_requirement import SensitiveAttribute
from evosdc_lattice.earth_mover import Ground, hierarchical_ground, nominal_ground, ordinal_ground
from evosdc_lattice.required_models import SensitiveColumns

FORMER = {"equal": "nominal", "ordered": "ordinal"}
"""Former names of distances, with the same meaning."""


def _present_name(given: Any) -> Any:
    return FORMER.get(given, given) if isinstance(given, str) else "auto" if given is None else given


Distance = Annotated[Literal["auto", "nominal", "ordinal", "hierarchical"], BeforeValidator(_present_name)]
"""The names that `t-closeness` has, former ones accepted."""


def sensitive_attributes(params: Any, microdata: Microdata) -> tuple[tuple[SensitiveAttribute, ...], NDArray[np.int64]]:
    """Return the sensitive attributes and, record by record, the column of each one's value, shape (n, S).

    Ordered values are those that occur, in their order; a missing value is one of its own, the last.

    Raises
    ------
    ParameterError
        Diversity or closeness is asked for and there is no sensitive attribute, or one is protected as well.
    """
    table = microdata.table
    asked = params.l is not None or params.t is not None or params.p is not None
    if not asked and not params.require:
        return (), np.empty((len(table), 0), dtype=np.int64)
    names = params.sensitive if params.sensitive is not None else table.schema.with_role(Role.SENSITIVE)
    collect = FaultCollector()
    with collect.step():
        table.schema.require(names, "genotype lattice: sensitive")
    if not names and asked:
        advice = "Name one by sensitive = [...], or give it the role sensitive in the schema."
        collect.faults.append(
            Fault("genotype lattice", "l, t or p without a sensitive attribute", "at least one", advice)
        )
    both = [name for name in names if name in microdata.protect]
    if both:
        wanted = "attributes that are not generalised themselves"
        collect.faults.append(Fault("genotype lattice: sensitive", f"{', '.join(both)}, protected as well", wanted))
    if collect.faults:
        raise ParameterError(collect.faults)
    attributes, columns, begin = [], [], 0
    for name in names:
        values = table.column(name)
        attribute = table.schema[name]
        keyed = np.where(values < 0, len(attribute.categories), values) if attribute.categorical else values
        present, codes, counts = np.unique(keyed, return_inverse=True, return_counts=True)
        end = begin + len(present)
        with collect.step():
            ground = ground_of(attribute, present, params.distance)
            attributes.append(SensitiveAttribute(name, begin, end, ground, counts / len(table)))
        columns.append(codes.reshape(-1).astype(np.int64) + begin)
        begin = end
    collect.settle()
    return tuple(attributes), np.stack(columns, axis=1) if columns else np.empty((len(table), 0), dtype=np.int64)


def sensitive_columns(attributes: tuple[SensitiveAttribute, ...], table: Table) -> tuple[SensitiveColumns, ...]:
    """Return the sensitive attributes as registered privacy models read them."""
    found = []
    for each in attributes:
        attribute, column = table.schema[each.name], table.column(each.name)
        codes = np.array(column if attribute.categorical else ranks(column), dtype=np.int64)
        size = int(codes.max(initial=0)) + 1
        codes[codes == MISSING] = size
        present, counts = np.unique(codes, return_counts=True)
        labels = np.where(present == size, MISSING, present).astype(np.int32)
        found.append(SensitiveColumns(attribute, labels, each.begin, counts.astype(np.int64)))
    return tuple(found)


def ground_of(attribute: Attribute, present: NDArray[Any], distance: str) -> Ground:
    """Return how far the values of a sensitive attribute are apart.

    Parameters
    ----------
    present : ndarray, shape (m,)
        The values that occur, in order: codes, the number of categories for a missing one; or numbers.
    distance : {"auto", "nominal", "ordinal", "hierarchical"}
        By ``auto`` ordered values are apart by rank, nominal ones with a hierarchy by it, and others equally.

    Raises
    ------
    ParameterError
        A hierarchy is asked for, and the attribute has none or is numeric.
    """
    hierarchy = attribute.hierarchy if attribute.categorical else None
    if distance == "auto" and attribute.scale is Scale.NOMINAL and hierarchy is not None:
        distance = "hierarchical"
    if distance == "hierarchical":
        if hierarchy is None:
            given, wanted = f"no hierarchy of the categories of {attribute.name}", "one in the schema"
            raise ParameterError(Fault("genotype lattice: distance", given, wanted, "Or choose nominal or ordinal."))
        labels = tuple(attribute.categories[int(code)] for code in present if code < len(attribute.categories))
        return hierarchical_ground(hierarchy, labels, len(labels) < len(present))
    if distance == "ordinal" or (distance == "auto" and attribute.scale is not Scale.NOMINAL):
        return ordinal_ground(len(present))
    return nominal_ground(len(present))
