"""The registered privacy models, as a genotype sees them whose files meet some of them by construction."""

from typing import Any, Protocol

from evosdc.model.genotype import G, Genotype
from evosdc.model.microdata import Microdata
from evosdc.model.privacy import PrivacyModel


class PrivacyModels(Protocol):
    """All registered privacy models; the framework gives them to a `Guaranteeing` genotype."""

    def build(self, name: str, params: Any) -> PrivacyModel:
        """Return a model with its parameters.

        Raises
        ------
        InputError
            The model is unknown, or its parameters are refused.
        """


class Guaranteeing(Genotype[G]):
    """A genotype whose files meet privacy models by construction; it is given the registered ones when it is made.

    Parameters
    ----------
    params : Params
    microdata : Microdata
    models : PrivacyModels, optional
        None where there is no registry: then no model can be asked for by name.
    """

    def __init__(self, params: Any, microdata: Microdata, models: PrivacyModels | None = None) -> None:
        super().__init__(params, microdata)
        self.models = models
