"""The masking methods of a registry, as genotypes see them that are made of them."""

import json
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from evosdc.calls.masking import apply_masking
from evosdc.model import Masking, MaskingMethod, Microdata
from evosdc.plugins.registry import Registry
from evosdc.table.table import Table


class RegisteredMethods:
    """All masking methods of a registry: what `evosdc.model.MaskingMethods` asks for.

    Parameters
    ----------
    registry : Registry
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._built: dict[str, MaskingMethod] = {}

    @cached_property
    def classes(self) -> Mapping[str, type[MaskingMethod]]:
        """The methods by name, in the order of names."""
        registry = self._registry
        names = sorted(registry.names("masking-method"))
        return {name: registry.implementation("masking-method", name) for name in names}

    def build(self, step: Masking) -> MaskingMethod:
        """Return the method of a single step; a step that was asked for before is not built again."""
        key = json.dumps([step.method, dict(step.params)], sort_keys=True)
        if key not in self._built:
            self._built[key] = self._registry.build("masking-method", step.method, step.params)
        return self._built[key]

    def apply(self, step: Masking, microdata: Microdata, rng: np.random.Generator) -> Table:
        """Return the protected attributes after a single step."""
        return apply_masking(step, (self.build(step),), microdata, rng)
