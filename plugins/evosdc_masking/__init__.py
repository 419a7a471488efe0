"""Masking methods, and the portfolios that start a search.

Importing this package loads nothing but hooks; each method stands in a module of its own and is imported when it is
used.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl
from evosdc.specs import MaskingMethodSpec, PortfolioSpec

if TYPE_CHECKING:
    import click

_HANDBOOK, _TEMPL = "Handbook on Statistical Disclosure Control", "Templ and Meindl 2008"

_METHODS: tuple[MaskingMethodSpec, ...] = (
    # post randomisation
    MaskingMethodSpec(
        name="pram", implementation="evosdc_masking.post_randomisation.pram:Pram",
        summary="Post-randomisation: each value is redrawn from the row of a transition matrix.",
        source="De Wolf and Van Gelder (design a); Gouweleeuw et al., Domingo-Ferrer and Torra 2001 (b); Shlomo and "
        "De Waal 2006 (two-stage); Gross et al. 2004 (preference), bounds of its diagonal: reconstruction",
        scales=("nominal", "ordinal"),
    ),
    # microaggregation
    MaskingMethodSpec(
        name="mdav", implementation="evosdc_masking.microaggregation.mdav:Mdav",
        summary="Multivariate microaggregation: classes of at least k similar records share their average.",
        source="MDAV-generic, Domingo-Ferrer and Torra 2005; convex median and treatment of missing values: "
        "reconstruction",
        default_for=("anonymity",),
    ),
    MaskingMethodSpec(
        name="univariate-microaggregation",
        implementation="evosdc_masking.microaggregation.univariate:UnivariateMicroaggregation",
        summary="Each attribute on its own in the optimal classes of at least k values, which share their average.",
        source="Hansen and Mukherjee 2003; ordinal attributes and missing values: reconstruction",
        scales=("ordinal", "numeric"),
    ),
    MaskingMethodSpec(
        name="individual-ranking", implementation="evosdc_masking.microaggregation.univariate:IndividualRanking",
        summary="Each attribute on its own sorted and cut in runs of k values, which share their average.",
        source="Defays and Nanopoulos 1993; missing values: reconstruction", scales=("ordinal", "numeric"),
    ),
    MaskingMethodSpec(
        name="projected-microaggregation",
        implementation="evosdc_masking.microaggregation.projected:ProjectedMicroaggregation",
        summary="Records in the order of their first principal component or sum of z-scores, in the best runs of k.",
        source="Torra, Privacy in Data Mining, algorithm 2; missing values: reconstruction", scales=("numeric",),
    ),
    # anonymity
    MaskingMethodSpec(
        name="mondrian", implementation="evosdc_masking.anonymity.mondrian:Mondrian",
        summary="Cuts at medians or along hierarchies as long as parts keep k records; averages or intervals.",
        source="LeFevre, DeWitt and Ramakrishnan 2006; order of nominal attributes, missing values: reconstruction",
    ),
    MaskingMethodSpec(
        name="k-member", implementation="evosdc_masking.anonymity.k_member:KMember",
        summary="Clusters of k records grown by the least generalisation; each publishes its average or intervals.",
        source="Byun, Kamra, Bertino and Li 2007; attributes without hierarchy, missing values: reconstruction",
    ),
    MaskingMethodSpec(
        name="r-gather", implementation="evosdc_masking.anonymity.r_gather:RGather",
        summary="Clusters of k records or more of at most twice the least radius; each publishes one record.",
        source="Aggarwal et al. 2006; the distance and records beyond k a cluster: reconstruction",
    ),
    MaskingMethodSpec(
        name="global-median", implementation="evosdc_masking.anonymity.global_median:GlobalMedian",
        summary="k-anonymity by medians: groups of at least k records publish their median or most frequent values.",
        source="Global Median-based k-anonymity, thesis 5.3.1, whose text is lost: reconstruction",
        guarantees=(("k-anonymity", "k"),),
    ),
    # swapping
    MaskingMethodSpec(
        name="rank-swapping", implementation="evosdc_masking.swapping.rank_swapping:RankSwapping",
        summary="Values of each attribute are swapped between records at most p percent of the ranks apart.",
        source="Moore 1996; as in the Handbook on Statistical Disclosure Control",
    ),
    MaskingMethodSpec(
        name="table-swapping", implementation="evosdc_masking.swapping.table_swapping:TableSwapping",
        summary="Values are swapped at random, then exchanged until tables of two and three attributes are kept.",
        source="Dalenius and Reiss 1982; Reiss 1984; random exchanges are a reconstruction",
        default_for=("categorical", "mixed"),
    ),
    MaskingMethodSpec(
        name="record-swapping", implementation="evosdc_masking.swapping.record_swapping:RecordSwapping",
        summary="Households that stand out exchange their places with similar ones elsewhere.",
        source="Shlomo, Tudor and Groom 2010; Eurostat's guidelines for the census of 2021; partners: reconstruction",
        scales=("nominal", "ordinal"),
    ),
    MaskingMethodSpec(
        name="shuffling", implementation="evosdc_masking.swapping.shuffling:Shuffling",
        summary="Values go to other records in the order that a model given predictors says; marginals are kept.",
        source="Muralidhar and Sarathy 2005, 2006; normal scores: reconstruction", scales=("numeric",),
    ),
    # recoding
    MaskingMethodSpec(
        name="global-recoding", implementation="evosdc_masking.recoding.global_recoding:GlobalRecoding",
        summary="Values are merged for all records: the q rarest, by hierarchy level, by own groups, or by intervals.",
        source="Willenborg and de Waal 2001; q: Domingo-Ferrer and Torra 2001; representatives: reconstruction",
    ),
    MaskingMethodSpec(
        name="top-coding", implementation="evosdc_masking.recoding.extreme_coding:TopCoding",
        summary="The highest values become one: q categories, a share of the records, or all from a value on.",
        source="Domingo-Ferrer and Torra 2001; shares and representatives: reconstruction",
        scales=("ordinal", "numeric"),
    ),
    MaskingMethodSpec(
        name="bottom-coding", implementation="evosdc_masking.recoding.extreme_coding:BottomCoding",
        summary="The lowest values become one: q categories, a share of the records, or all up to a value.",
        source="Domingo-Ferrer and Torra 2001; shares and representatives: reconstruction",
        scales=("ordinal", "numeric"),
    ),
    # suppression
    MaskingMethodSpec(
        name="local-suppression", implementation="evosdc_masking.suppression.local_suppression:LocalSuppression",
        summary="Suppresses few values, the unimportant ones first, until every record is like k.",
        source="Samarati and Sweeney 1998; Willenborg and De Waal 2001; heuristics: reconstruction",
        guarantees=(("k-anonymity", "k"),), default_for=("assurance",),
    ),
    MaskingMethodSpec(
        name="risk-suppression", implementation="evosdc_masking.suppression.risk_suppression:RiskSuppression",
        summary="Values of records with an individual risk above a threshold are suppressed, one attribute at a time.",
        source="localSupp of sdcMicro; risk: Benedetti and Franconi 1998",
    ),
    # noise
    MaskingMethodSpec(
        name="noise", implementation="evosdc_masking.noise:UncorrelatedNoise",
        summary="Independent normal noise on each attribute: keeps means and covariances in expectation.",
        source=f"{_HANDBOOK}; Brand 2002", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="correlated-noise", implementation="evosdc_masking.noise:CorrelatedNoise",
        summary="Normal noise with the covariances of the data: keeps means and correlations in expectation.",
        source=f"{_HANDBOOK}; Brand 2002; covariances where values are missing: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="linear-transform-noise", implementation="evosdc_masking.noise:LinearTransformNoise",
        summary="Correlated noise, then shrinking towards the means: keeps means and covariances in expectation.",
        source=f"Kim 1986, after the {_HANDBOOK}; covariances where values are missing: reconstruction",
        scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="multiplicative-noise", implementation="evosdc_masking.noise:MultiplicativeNoise",
        summary="Random factors around 1 for each cell, or two-component factors for each record.",
        source=f"Hoehne 2004, after the {_HANDBOOK}; lognormal factors of the basic form: reconstruction",
        scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="romm", implementation="evosdc_masking.noise:OrthogonalMasking",
        summary="Random orthogonal matrix masking: records are turned, means and covariances kept exactly.",
        source="Ting, Fienberg and Trottini 2008; distribution of the matrix: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="date-shift", implementation="evosdc_masking.noise:DateShift",
        summary="Moves all dates of a record by the same random number of days: keeps the times between them.",
        source="Hripcsak et al. 2016; the nearest day that occurs: reconstruction", scales=("ordinal",),
    ),
    # outliers
    MaskingMethodSpec(
        name="multivariate-top-coding", implementation="evosdc_masking.outliers:MultivariateTopCoding",
        summary="Records far from the robust centre are drawn onto an ellipsoid around it; needs scikit-learn.",
        source="Templ, mvTopCoding of sdcMicro; missing values: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="outlier-noise", implementation="evosdc_masking.outliers:OutlierNoise",
        summary="Normal noise on outliers alone, of single attributes or of all together; needs scikit-learn.",
        source=f"{_TEMPL}; limits: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="robust-microaggregation",
        implementation="evosdc_masking.outliers:RobustMicroaggregation",
        summary="MDAV by robust Mahalanobis distances: classes of k similar records share their average.",
        source=f"{_TEMPL}; missing values: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="gower-microaggregation", implementation="evosdc_masking.outliers:GowerMicroaggregation",
        summary="MDAV by Gower's distance, of attributes of all scales: classes of k records share their average.",
        source="Gower 1971; Templ, microaggrGower of sdcMicro; MDAV in place of k nearest neighbours: reconstruction",
    ),
    # compression
    MaskingMethodSpec(
        name="jpeg", implementation="evosdc_masking.compression:Jpeg",
        summary="The file as a picture after JPEG compression (256 levels, cosine transform); needs Pillow.",
        source="Domingo-Ferrer and Torra 2001; scaling of the attributes: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="jpeg2000", implementation="evosdc_masking.compression:Jpeg2000",
        summary="The file as a picture after JPEG 2000 compression (65536 levels, wavelets); needs Pillow.",
        source="Jimenez and Torra 2009; scaling of the attributes: reconstruction", scales=("numeric",),
    ),
    # synthesis
    MaskingMethodSpec(
        name="ipso", implementation="evosdc_masking.synthesis:Ipso",
        summary="Synthetic values by regression on confidential attributes; c keeps coefficients and covariances.",
        source=f"Burridge 2003, after the {_HANDBOOK}; treatment of missing values: reconstruction",
        scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="liew", implementation="evosdc_masking.synthesis:Liew",
        summary="Draws from each attribute's fitted distribution, given out by rank.",
        source=f"Liew, Choi and Liew 1985, after the {_HANDBOOK}; families of densities, categories: reconstruction",
    ),
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
    """Add ``evosdc estimate``, ``evosdc table`` and ``evosdc households``."""
    from evosdc.cli.options import Later

    cli.add_command(
        Later("estimate", "evosdc_masking.command:estimate", "Estimate original counts from a file masked by PRAM.")
    )
    cli.add_command(
        Later(
            "table",
            "evosdc_masking.command:table",
            "A frequency table with noise by cell keys, to publish beside a file.",
        )
    )
    cli.add_command(
        Later("households", "evosdc_masking.command:households", "A file of persons as one of households, and back.")
    )
