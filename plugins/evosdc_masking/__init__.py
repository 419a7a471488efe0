"""Masking methods and the portfolio that starts a search over categorical files.

Importing this package loads nothing but hooks; each method stands in a module of its own and is imported when it is
used.
"""

from __future__ import annotations

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import MaskingMethodSpec, PortfolioSpec

_CATEGORICAL = ("nominal", "ordinal")
_ORDERED = ("ordinal", "numeric")


@hookimpl
def evosdc_masking_methods() -> Iterator[MaskingMethodSpec]:
    """Offer the masking methods of this package."""
    yield MaskingMethodSpec(
        name="pram",
        implementation="evosdc_masking.pram:Pram",
        summary="Post-randomisation: each value is redrawn from the row of a transition matrix.",
        source="De Wolf and Van Gelder (design a); Gouweleeuw et al., Domingo-Ferrer and Torra 2001 (design b)",
        scales=_CATEGORICAL,
    )
    yield MaskingMethodSpec(
        name="mdav",
        implementation="evosdc_masking.mdav:Mdav",
        summary="Multivariate microaggregation: classes of at least k similar records share their average.",
        source="MDAV-generic, Domingo-Ferrer and Torra 2005; treatment of missing values: reconstruction",
    )
    yield MaskingMethodSpec(
        name="mondrian",
        implementation="evosdc_masking.mondrian:Mondrian",
        summary="Cuts at medians as long as parts keep k records; each part publishes its average.",
        source="LeFevre, DeWitt and Ramakrishnan 2006; nominal attributes by the order of their codes: reconstruction",
    )
    yield MaskingMethodSpec(
        name="rank-swapping",
        implementation="evosdc_masking.rank_swapping:RankSwapping",
        summary="Values of each attribute are swapped between records at most p percent of the ranks apart.",
        source="Moore 1996; as in the Handbook on Statistical Disclosure Control",
    )
    yield MaskingMethodSpec(
        name="global-recoding",
        implementation="evosdc_masking.global_recoding:GlobalRecoding",
        summary="The q least frequent categories of each attribute become one of them.",
        source="Domingo-Ferrer and Torra 2001; choice of the representative: reconstruction",
        scales=_CATEGORICAL,
    )
    yield MaskingMethodSpec(
        name="top-coding",
        implementation="evosdc_masking.extreme_coding:TopCoding",
        summary="The q highest categories, or a share of the highest values, become one.",
        source="Domingo-Ferrer and Torra 2001; choice of the representative: reconstruction",
        scales=_ORDERED,
    )
    yield MaskingMethodSpec(
        name="bottom-coding",
        implementation="evosdc_masking.extreme_coding:BottomCoding",
        summary="The q lowest categories, or a share of the lowest values, become one.",
        source="Domingo-Ferrer and Torra 2001; choice of the representative: reconstruction",
        scales=_ORDERED,
    )


@hookimpl
def evosdc_portfolios() -> Iterator[PortfolioSpec]:
    """Offer the portfolios of this package."""
    yield PortfolioSpec(
        name="categorical",
        implementation="evosdc_masking.portfolio:categorical",
        summary="PRAM, rank swapping, MDAV, top and bottom coding, global recoding, each over a range of parameters.",
        source="Families of Torra 2004; ranges of the parameters: reconstruction",
    )
