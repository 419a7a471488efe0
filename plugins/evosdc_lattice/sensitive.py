"""The sensitive attributes of a file, as columns of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.data.schema import Role, Scale
from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Microdata
from evosdc_lattice.privacy import SensitiveAttribute


def sensitive_attributes(params: Any, microdata: Microdata) -> tuple[tuple[SensitiveAttribute, ...], NDArray[np.int64]]:
    """Return the sensitive attributes and, record by record, the column of each one's value, shape (n, S).

    Ordered values are those that occur, in their order; a missing value is one of its own, the last.

    Raises
    ------
    ParameterError
        Diversity or closeness is asked for and there is no sensitive attribute, or one is protected as well.
    """
    table = microdata.table
    if params.l is None and params.t is None and params.p is None:
        return (), np.empty((len(table), 0), dtype=np.int64)
    names = params.sensitive if params.sensitive is not None else table.schema.with_role(Role.SENSITIVE)
    collect = FaultCollector()
    with collect.step():
        table.schema.require(names, "genotype lattice: sensitive")
    if not names:
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
        ordered = attribute.scale is not Scale.NOMINAL
        attributes.append(SensitiveAttribute(name, begin, end, ordered, counts / len(table)))
        columns.append(codes.reshape(-1).astype(np.int64) + begin)
        begin = end
    return tuple(attributes), np.stack(columns, axis=1)
