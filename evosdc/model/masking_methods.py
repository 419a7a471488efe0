"""The registered masking methods, as a genotype made of them sees them."""

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np

from evosdc.model.design import Design, designs_of
from evosdc.model.masking import Masking, MaskingMethod
from evosdc.model.microdata import Microdata
from evosdc.table.table import Table


class MaskingMethods(Protocol):
    """All registered masking methods, a stranger's among them; the framework gives them to a `Composed` genotype."""

    @property
    def classes(self) -> Mapping[str, type[MaskingMethod]]:
        """The methods by name, in a fixed order."""

    def build(self, step: Masking) -> MaskingMethod:
        """Return the method of a single step with its parameters.

        Raises
        ------
        InputError
            The method is unknown, or its parameters are refused.
        """

    def apply(self, step: Masking, microdata: Microdata, rng: np.random.Generator) -> Table:
        """Return the protected attributes after a single step, shape (n, V).

        Strata, sampling weights and attributes that the method reads besides are taken from the file.

        Raises
        ------
        InputError
            The step does not fit the file.
        PluginError
            The method changed the schema although it does not generalise, or lost records.
        """


def fitting_designs(
    classes: Mapping[str, type[MaskingMethod]], table: Table
) -> Iterator[tuple[str, Design, tuple[str, ...]]]:
    """Yield each design of each method that fits a table, with the method's name and the attributes that it masks.

    A method that masks some scales only fits the attributes of these scales.

    Parameters
    ----------
    classes : mapping of str to type of MaskingMethod
    table : Table
        The protected attributes.
    """
    for name, method in classes.items():
        supported = tuple(a.name for a in table.schema.attributes if a.scale in method.supports)
        if not supported or not len(table):
            continue
        part = table if len(supported) == len(table.schema) else table.select(supported)
        for design in designs_of(method, part):
            yield name, design, design.attributes or supported
