import numpy as np

from evosdc.model import Microdata
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table


def microdata(sizes=(4, 5, 3), n=60, scale=Scale.ORDINAL, seed=0):
    """Return a file of skewed attributes v0, v1, ... ."""
    rng = np.random.default_rng(seed)
    attributes = tuple(
        Attribute(f"v{j}", Role.QUASI_IDENTIFIER, scale, tuple(map(str, range(c)))) for j, c in enumerate(sizes)
    )
    codes = np.stack([np.minimum(rng.geometric(0.5, n) - 1, c - 1) for c in sizes], axis=1).astype(np.int32)
    table = Table(Schema(attributes), codes, np.empty((n, 0)))
    return Microdata(table, table.schema.names)
