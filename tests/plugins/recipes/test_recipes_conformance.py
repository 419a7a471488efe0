"""The genotype `recipes` passes the suite of genotypes."""

from evosdc.assess.mask import RegisteredMethods
from evosdc.model import Genotype, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.testing import GenotypeConformance
from evosdc_recipes.recipes import Recipe, Recipes

METHODS = RegisteredMethods(default_registry())


class TestRecipes(GenotypeConformance):
    """On every table of the suite, with all registered masking methods."""

    def genotype(self, microdata: Microdata) -> Genotype[Recipe]:
        """Return the genotype with its defaults."""
        return Recipes(Recipes.Params(lasting=False), microdata, METHODS)
