"""The registered privacy models, for genotypes whose files meet some of them by construction."""

from typing import Any, Protocol

from evosdc.model.privacy import PrivacyModel


class PrivacyModels(Protocol):
    """All registered privacy models; the framework gives them to a genotype that `needs` them."""

    def build(self, name: str, params: Any) -> PrivacyModel:
        """Return a model with its parameters.

        Raises
        ------
        InputError
            The model is unknown, or its parameters are refused.
        """
