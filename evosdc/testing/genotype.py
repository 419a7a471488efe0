"""Conformance of genotypes."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from evosdc.testing.acceptance import assert_unknown_keys_refused
from evosdc.testing.genotype_capabilities import CapabilityTests
from evosdc.testing.genotype_decoding import DecodingTests
from evosdc.testing.genotype_storage import StorageTests
from evosdc.testing.genotype_variation import VariationTests


class GenotypeConformance(VariationTests, StorageTests, DecodingTests, CapabilityTests):
    """Tests that every genotype must pass, and tests of each of its capabilities.

    Subclass it and say how the genotype is made.

    What it promises is declared by the class attributes `scales`, `conserves` and `exact_seeding`
    (`evosdc.testing.genotype_subject`).

    Examples
    --------
    >>> class TestRules(GenotypeConformance):
    ...     def genotype(self, microdata):
    ...         return Rules(Rules.Params(), microdata)
    """

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.made("ordinary"))
