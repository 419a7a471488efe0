"""Masking methods, and the portfolios that start a search.

Importing this package loads nothing but hooks; each method is in a module of its own and is imported when it is
used.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evosdc.hookspecs import hookimpl
from evosdc.specs import MaskingMethodSpec, PortfolioSpec

if TYPE_CHECKING:
    import click

_CATEGORIES, _ORDERED, _NUMBERS = ("nominal", "ordinal"), ("ordinal", "numeric"), ("numeric",)


def _method(name: str, implementation: str, summary: str, source: str, **further: Any) -> MaskingMethodSpec:
    implementation = f"evosdc_masking.{implementation}"
    return MaskingMethodSpec(name=name, implementation=implementation, summary=summary, source=source, **further)


_METHODS: tuple[MaskingMethodSpec, ...] = (
    _method("pram", "post_randomisation.pram:Pram",
            "Post-randomisation: each value is redrawn from the row of a transition matrix.",
            "De Wolf and Van Gelder (design a); Gouweleeuw et al., Domingo-Ferrer and Torra 2001 (b); Shlomo and De "
            "Waal 2006 (two-stage); Gross et al. 2004 (preference), bounds of its diagonal: reconstruction",
            scales=_CATEGORIES),
    _method("mdav", "microaggregation.mdav:Mdav",
            "Multivariate microaggregation: classes of at least k similar records share their average.",
            "MDAV-generic, Domingo-Ferrer and Torra 2005; convex median and treatment of missing values: "
            "reconstruction", default_for=("anonymity",)),
    _method("univariate-microaggregation", "microaggregation.univariate:UnivariateMicroaggregation",
            "Each attribute on its own in the optimal classes of at least k values, which share their average.",
            "Hansen and Mukherjee 2003; ordinal attributes and missing values: reconstruction", scales=_ORDERED),
    _method("individual-ranking", "microaggregation.univariate:IndividualRanking",
            "Each attribute on its own sorted and cut in runs of k values, which share their average.",
            "Defays and Nanopoulos 1993; missing values: reconstruction", scales=_ORDERED),
    _method("projected-microaggregation", "microaggregation.projected:ProjectedMicroaggregation",
            "Records in the order of their first principal component or sum of z-scores, in the best runs of k.",
            "Torra, Privacy in Data Mining, algorithm 2; missing values: reconstruction", scales=_NUMBERS),
    _method("mondrian", "anonymity.mondrian:Mondrian",
            "Cuts at medians or along hierarchies as long as parts keep k records; averages or intervals.",
            "LeFevre, DeWitt and Ramakrishnan 2006; order of nominal attributes, missing values: reconstruction"),
    _method("k-member", "anonymity.k_member:KMember",
            "Clusters of k records grown by the least generalisation; each publishes its average or intervals.",
            "Byun, Kamra, Bertino and Li 2007; attributes without hierarchy, missing values: reconstruction"),
    _method("r-gather", "anonymity.r_gather:RGather",
            "Clusters of k records or more of at most twice the least radius; each publishes one record.",
            "Aggarwal et al. 2006; the distance and records beyond k a cluster: reconstruction"),
    _method("global-median", "anonymity.global_median:GlobalMedian",
            "k-anonymity by medians: groups of at least k records publish their median or most frequent values.",
            "Global Median-based k-anonymity, thesis 5.3.1, whose text is lost: reconstruction",
            guarantees=(("k-anonymity", "k"),)),
    _method("rank-swapping", "swapping.rank_swapping:RankSwapping",
            "Values of each attribute are swapped between records at most p percent of the ranks apart.",
            "Moore 1996; as in the Handbook on Statistical Disclosure Control"),
    _method("table-swapping", "swapping.table_swapping:TableSwapping",
            "Values are swapped at random, then exchanged until tables of two and three attributes are kept.",
            "Dalenius and Reiss 1982; Reiss 1984; random exchanges are a reconstruction",
            default_for=("categorical", "mixed")),
    _method("record-swapping", "swapping.record_swapping:RecordSwapping",
            "Households that stand out exchange their places with similar ones elsewhere.",
            "Shlomo, Tudor and Groom 2010; Eurostat's guidelines for the census of 2021; partners: reconstruction",
            scales=_CATEGORIES),
    _method("shuffling", "swapping.shuffling:Shuffling",
            "Values go to other records in the order that a model given predictors says; marginals are kept.",
            "Muralidhar and Sarathy 2005, 2006; normal scores: reconstruction", scales=_NUMBERS),
    _method("global-recoding", "recoding.global_recoding:GlobalRecoding",
            "Values are merged for all records: the q rarest, by hierarchy level, by own groups, or by intervals.",
            "Willenborg and de Waal 2001; q: Domingo-Ferrer and Torra 2001; representatives: reconstruction"),
    _method("top-coding", "recoding.extreme_coding:TopCoding",
            "The highest values become one: q categories, a share of the records, or all from a value on.",
            "Domingo-Ferrer and Torra 2001; shares and representatives: reconstruction", scales=_ORDERED),
    _method("bottom-coding", "recoding.extreme_coding:BottomCoding",
            "The lowest values become one: q categories, a share of the records, or all up to a value.",
            "Domingo-Ferrer and Torra 2001; shares and representatives: reconstruction", scales=_ORDERED),
    _method("local-suppression", "suppression.local_suppression:LocalSuppression",
            "Suppresses few values, the unimportant ones first, until every record is like k.",
            "Samarati and Sweeney 1998; Willenborg and De Waal 2001; heuristics: reconstruction",
            guarantees=(("k-anonymity", "k"),), default_for=("assurance",)),
    _method("risk-suppression", "suppression.risk_suppression:RiskSuppression",
            "Values of records with an individual risk above a threshold are suppressed, one attribute at a time.",
            "localSupp of sdcMicro; risk: Benedetti and Franconi 1998"),
    _method("noise", "noise:UncorrelatedNoise",
            "Independent normal noise on each attribute: keeps means and covariances in expectation.",
            "Handbook on Statistical Disclosure Control; Brand 2002", scales=_NUMBERS),
    _method("correlated-noise", "noise:CorrelatedNoise",
            "Normal noise with the covariances of the data: keeps means and correlations in expectation.",
            "Handbook on Statistical Disclosure Control; Brand 2002; covariances where values are missing: "
            "reconstruction", scales=_NUMBERS),
    _method("linear-transform-noise", "noise:LinearTransformNoise",
            "Correlated noise, then shrinking towards the means: keeps means and covariances in expectation.",
            "Kim 1986, after the Handbook on Statistical Disclosure Control; covariances where values are missing: "
            "reconstruction", scales=_NUMBERS),
    _method("multiplicative-noise", "noise:MultiplicativeNoise",
            "Random factors around 1 for each cell, or two-component factors for each record.",
            "Hoehne 2004, after the Handbook on Statistical Disclosure Control; lognormal factors of the basic "
            "form: reconstruction", scales=_NUMBERS),
    _method("romm", "noise:OrthogonalMasking",
            "Random orthogonal matrix masking: records are turned, means and covariances kept exactly.",
            "Ting, Fienberg and Trottini 2008; distribution of the matrix: reconstruction", scales=_NUMBERS),
    _method("date-shift", "noise:DateShift",
            "Moves all dates of a record by the same random number of days: keeps the times between them.",
            "Hripcsak et al. 2016; the nearest day that occurs: reconstruction", scales=("ordinal",)),
    _method("multivariate-top-coding", "outliers:MultivariateTopCoding",
            "Records far from the robust centre are drawn onto an ellipsoid around it; needs scikit-learn.",
            "Templ, mvTopCoding of sdcMicro; missing values: reconstruction", scales=_NUMBERS),
    _method("outlier-noise", "outliers:OutlierNoise",
            "Normal noise on outliers alone, of single attributes or of all together; needs scikit-learn.",
            "Templ and Meindl 2008; limits: reconstruction", scales=_NUMBERS),
    _method("robust-microaggregation", "outliers:RobustMicroaggregation",
            "MDAV by robust Mahalanobis distances: classes of k similar records share their average.",
            "Templ and Meindl 2008; missing values: reconstruction", scales=_NUMBERS),
    _method("gower-microaggregation", "outliers:GowerMicroaggregation",
            "MDAV by Gower's distance, of attributes of all scales: classes of k records share their average.",
            "Gower 1971; Templ, microaggrGower of sdcMicro; MDAV in place of k nearest neighbours: reconstruction"),
    _method("jpeg", "compression:Jpeg",
            "The file as a picture after JPEG compression (256 levels, cosine transform); needs Pillow.",
            "Domingo-Ferrer and Torra 2001; scaling of the attributes: reconstruction", scales=_NUMBERS),
    _method("jpeg2000", "compression:Jpeg2000",
            "The file as a picture after JPEG 2000 compression (65536 levels, wavelets); needs Pillow.",
            "Jimenez and Torra 2009; scaling of the attributes: reconstruction", scales=_NUMBERS),
    _method("ipso", "synthesis:Ipso",
            "Synthetic values by regression on confidential attributes; c keeps coefficients and covariances.",
            "Burridge 2003, after the Handbook on Statistical Disclosure Control; treatment of missing values: "
            "reconstruction", scales=_NUMBERS),
    _method("liew", "synthesis:Liew",
            "Draws from each attribute's fitted distribution, given out by rank.",
            "Liew, Choi and Liew 1985, after the Handbook on Statistical Disclosure Control; families of densities, "
            "categories: reconstruction"),
)  # fmt: skip


@hookimpl
def evosdc_masking_methods() -> Iterator[MaskingMethodSpec]:
    """Offer the masking methods of this package, family by family."""
    yield from _METHODS


@hookimpl
def evosdc_portfolios() -> Iterator[PortfolioSpec]:
    """Offer the portfolios of this package."""
    yield PortfolioSpec(
        name="categorical", implementation="evosdc_masking.portfolio:categorical",
        summary="PRAM, rank swapping, MDAV, top and bottom coding, global recoding, each over a range of parameters.",
        source="Families of Torra 2004; ranges of the parameters: reconstruction", default_for=("categorical",),
    )  # fmt: skip
    yield PortfolioSpec(
        name="numeric", implementation="evosdc_masking.portfolio:numeric",
        summary="Rank swapping, microaggregation of five kinds, noise and JPEG, each over a range of parameters.",
        source="Families of Domingo-Ferrer and Torra 2001; some ranges of the parameters: reconstruction",
        default_for=("numeric",),
    )  # fmt: skip
    yield PortfolioSpec(
        name="mixed", implementation="evosdc_masking.portfolio:mixed",
        summary="Rank swapping, MDAV and Mondrian of all attributes, then methods for categories and for numbers.",
        source="reconstruction", default_for=("mixed",),
    )  # fmt: skip


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc estimate``, ``evosdc table``, ``evosdc households`` and ``evosdc classes``."""
    from evosdc.cli.options import Later

    commands = {
        "estimate": "Estimate original counts from a file masked by PRAM.",
        "table": "A frequency table with noise by cell keys, to publish beside a file.",
        "households": "A file of persons as one of households, and back.",
        "classes": "The classes of a masked file: size, values, radius.",
    }
    for name, text in commands.items():
        place = "evosdc_masking.command"
        cli.add_command(Later(name, f"{place}:{name}", text, f"{place}:{name.title()}Options"))
