"""The genotype `pram`: transition matrices of the post-randomisation method are evolved (thesis, section 4.1).

This module holds the hooks alone and imports nothing heavy.
"""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import FitnessSpec, GenotypeSpec, MeasureSpec, PortfolioSpec


@hookimpl
def evosdc_genotypes() -> Iterator[GenotypeSpec]:
    """Offer `pram`."""
    yield GenotypeSpec(
        name="pram", implementation="evosdc_pram.pram:PramMatrices",
        summary="Transition matrices of PRAM, one for each attribute; integer rows of constant sum.",
        source="Mares (2013), 4.1: whole-number coding; operators and invariance modes are a reconstruction.",
        scales=("nominal", "ordinal"),
    )  # fmt: skip


@hookimpl
def evosdc_portfolios() -> Iterator[PortfolioSpec]:
    """Offer the standard matrices, to compare with."""
    yield PortfolioSpec(
        name="standard-pram", implementation="evosdc_pram.initial_matrices:pram_portfolio",
        summary="PRAM of design a, p = 0.1..0.9, and of design b, theta = 0.1..0.9.",
        source="Thesis, Eq. 2.3 to 2.5; ranges of the parameters: reconstruction",
    )  # fmt: skip


@hookimpl
def evosdc_fitnesses() -> Iterator[FitnessSpec]:
    """Offer the penalty for matrices that are not invariant."""
    yield FitnessSpec(
        name="penalised", implementation="evosdc_pram.matrices:Penalised",
        summary="Mean or maximum of IL and DR, plus a weight times the shift of the expected marginals.",
        meaning="the mean or the greater of IL and DR, and a price for frequencies that the protection shifts",
        source="reconstruction",
    )  # fmt: skip


_SHLOMO = "Names: thesis, section 4.1; formulas of Shlomo and Young (2005, 2006), a reconstruction"


@hookimpl
def evosdc_measures() -> Iterator[MeasureSpec]:
    """Offer the measures of the study with Shlomo."""
    yield MeasureSpec(
        name="bivariate-difference", implementation="evosdc_pram.bivariate:BivariateDifference",
        summary="Records moved to another cell in the two-way tables of chosen pairs.",
        source=_SHLOMO, kind="il",
    )  # fmt: skip
    yield MeasureSpec(
        name="chi-square-difference", implementation="evosdc_pram.bivariate:ChiSquareDifference",
        summary="Relative absolute difference of chi-square in the two-way tables of chosen pairs.",
        source=_SHLOMO, kind="il",
    )  # fmt: skip
    yield MeasureSpec(
        name="hellinger-difference", implementation="evosdc_pram.bivariate:HellingerDifference",
        summary="Hellinger distance between the two-way tables of chosen pairs.",
        source=_SHLOMO, kind="il",
    )  # fmt: skip
    yield MeasureSpec(
        name="cramer-difference", implementation="evosdc_pram.bivariate:CramerDifference",
        summary="Relative absolute difference of Cramer's V in the two-way tables of chosen pairs.",
        source=_SHLOMO, kind="il",
    )  # fmt: skip
    yield MeasureSpec(
        name="correct-matches", implementation="evosdc_pram.matches:CorrectMatches",
        summary="Expected correct matches of records that are unique in the published file.",
        source="Shlomo and Skinner (2010) for misclassified microdata; use in the thesis: reconstruction", kind="dr",
        family="matches",
    )  # fmt: skip
    yield MeasureSpec(
        name="unchanged", implementation="evosdc_pram.matches:Unchanged",
        summary="Share of values that are published unchanged.",
        source="Gouweleeuw et al. (1998), expectation ratio; as a percentage: reconstruction", kind="dr",
        family="unchanged",
    )  # fmt: skip
    yield MeasureSpec(
        name="ldp-epsilon", implementation="evosdc_pram.matrices:LocalPrivacy",
        summary="Epsilon of local differential privacy of the transition matrices, as a share that grows with it.",
        source="Kasiviswanathan et al. (2011); scale 0..100: reconstruction", kind="dr", family="matrix",
    )  # fmt: skip
    yield MeasureSpec(
        name="marginal-shift", implementation="evosdc_pram.matrices:MarginalShift",
        summary="How far the expected marginals are from the original ones; 0 for an invariant matrix.",
        source="reconstruction", kind="model",
    )  # fmt: skip
