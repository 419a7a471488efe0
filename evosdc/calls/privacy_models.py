"""The privacy models of a registry, as genotypes see them whose files meet some of them by construction."""

from typing import Any

from evosdc.model import PrivacyModel
from evosdc.plugins.registry import Registry


class RegisteredModels:
    """All privacy models of a registry: what `evosdc.model.PrivacyModels` asks for.

    Parameters
    ----------
    registry : Registry
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def build(self, name: str, params: Any) -> PrivacyModel:
        """Return a model with its parameters."""
        model: PrivacyModel = self._registry.build("privacy-model", name, params)
        return model
