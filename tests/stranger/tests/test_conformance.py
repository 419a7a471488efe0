from evosdc_stranger.product import Product
from evosdc_stranger.scramble import Scramble
from evosdc_stranger.share import ShareChanged
from evosdc_stranger.suppressions import Suppressions

from evosdc.testing import FitnessConformance, GenotypeConformance, MaskingMethodConformance, MeasureConformance


class TestScramble(MaskingMethodConformance):
    def method(self):
        return Scramble(Scramble.Params())


class TestShareChanged(MeasureConformance):
    identity = 0.0

    def measure(self):
        return ShareChanged(ShareChanged.Params())


class TestSuppressions(GenotypeConformance):
    conserves = "genes"

    def genotype(self, microdata):
        return Suppressions(Suppressions.Params(), microdata)


class TestProduct(FitnessConformance):
    def fitness(self):
        return Product(Product.Params())
