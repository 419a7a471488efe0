"""Hooks of the measures of loss and risk, and of the fitnesses that combine them; imports nothing heavy."""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import FitnessSpec, MeasureSpec

_DOMINGO, _MATEO = "Domingo-Ferrer and Torra (2001)", "Mateo-Sanz, Domingo-Ferrer and Sebe (2005)"
_HANDBOOK = f"{_DOMINGO}; handbook chapter on disclosure risk and information loss"
_SHLOMO = "Shlomo and Young (2006), as the handbook describes them"
_CATEGORIES, _NUMBERS, _ALL = ("nominal", "ordinal"), ("numeric",), ("nominal", "ordinal", "numeric")
# Name, place, kind, family, scales, occasions, summary, source
_MEASURES = (
    ("dbil", "categorical_loss.distances:DistanceBasedLoss", "il", "", _CATEGORIES, ("categorical", "mixed"),
     "Distance-based information loss: mean distance between original and masked categories.", _HANDBOOK),
    ("ctbil", "categorical_loss.tables:ContingencyTableLoss", "il", "",
     _CATEGORIES, ("categorical", "mixed", "analysis"),
     "Contingency-table-based information loss: cells moved in all tables of up to K attributes.",
     f"{_HANDBOOK}; bounded normalisation: reconstruction"),
    ("ctbil-across", "categorical_loss.across:ContingencyLossAcross", "il", "", _ALL, ("analysis",),
     "Cells moved in the two-way tables of protected with unprotected attributes that go together most.",
     f"{_HANDBOOK}; Bergsma (2013); choice of tables, normalisation: reconstruction"),
    ("ebil", "categorical_loss.entropy:EntropyBasedLoss", "il", "", _CATEGORIES, ("categorical", "mixed"),
     "Entropy-based information loss: uncertainty about the original category given the masked one.",
     f"{_HANDBOOK}; estimate from the data and normalisation: reconstruction"),
    ("actbil", "categorical_loss.tables:AverageContingencyTableLoss", "model", "", _CATEGORIES, (),
     "Average contingency-table-based loss: mean change of a cell, in records.", _HANDBOOK),
    ("ctbil-mv", "categorical_loss.tables:MeanVariation", "model", "", _CATEGORIES, (),
     "Mean relative change of the occupied cells of all tables of up to K attributes, in per cent.",
     "mean variation of frequencies (microaggregation slides); what is done with empty cells: reconstruction"),
    ("frequency-change", "categorical_loss.tables:FrequencyChange", "model", "", _CATEGORIES, (),
     "Mean relative change of the categories' frequencies, in per cent.",
     "thesis, captions of section 4.1; formula: reconstruction"),
    ("hellinger", "categorical_loss.tables:HellingerLoss", "il", "", _CATEGORIES, (),
     "Mean Hellinger distance between the tables of up to K attributes.",
     f"{_SHLOMO}; normalisation and mean over tables: reconstruction"),
    ("k-marginal", "categorical_loss.tables:KMarginal", "il", "", _CATEGORIES, (),
     "Mean distance of all tables of k attributes; NIST's k-marginal score is 1000 less ten times that.",
     "NIST PSCR challenge (2018); all tables instead of drawn ones: reconstruction"),
    ("false-zeros", "categorical_loss.tables:FalseZeros", "il", "", _CATEGORIES, (),
     "Occupied cells of all tables of up to K attributes that become empty: per cent.",
     "Eurostat's guidelines on targeted record swapping, as infoLoss of sdcMicro"),
    ("cell-quantile", "categorical_loss.tables:CellQuantile", "model", "", _CATEGORIES, (),
     "A quantile of the changes of the occupied cells of all tables of up to K attributes.",
     "Eurostat's guidelines on targeted record swapping, as infoLoss of sdcMicro"),
    ("relabelling", "categorical_loss.relabelling:Relabelling", "model", "", _ALL, (),
     "Records that would read right if the categories' labels were exchanged: a harm, for constraints.",
     "reconstruction; assignment of labels after Kuhn (1955)"),
    ("worst-relabelling", "categorical_loss.relabelling:WorstRelabelling", "model", "", _ALL, ("harm",),
     "Records of an attribute that would read right if labels were exchanged; the worst attribute.",
     "reconstruction; assignment of labels after Kuhn (1955)"),
    ("il1s", "numeric_loss.values:StandardisedLoss", "il", "numeric", _NUMBERS, ("numeric", "mixed"),
     "Mean distance between original and masked numbers in units of sqrt(2) standard deviations, times 100.",
     "Yancey, Winkler and Creecy (2002); limit at 100 and cost of missing values: reconstruction"),
    ("apil", "numeric_loss.apil:AverageProbabilisticLoss", "il", "numeric", _NUMBERS, ("numeric",),
     "Average probabilistic information loss: mean of the five pil figures, times 100.",
     f"{_MATEO}; variances of the estimators: reconstruction"),
    ("estimates", "numeric_loss.statistics:EstimatesLoss", "il", "numeric", _NUMBERS, ("numbers",),
     "Mean shift of means, standard deviations, correlations and regression coefficients, times 100.",
     f"{_DOMINGO}; Karr et al. (2006); units, limits and coefficients: reconstruction"),
    ("quantile-tables", "categorical_loss.across:QuantileTables", "il", "analysis", _ALL, ("numbers",),
     "Records moved to another cell of one- and two-way tables with numbers, by classes of their quantiles.",
     f"{_DOMINGO}, whose tables are of categories; classes of numbers: reconstruction"),
    ("mean-variation", "numeric_loss.statistics:MeanVariationLoss", "il", "numeric", _NUMBERS, (),
     "Mean variation of data, means, variances, covariances and correlations, averaged, times 100.",
     f"{_DOMINGO}; limit of each part: reconstruction"),
    ("il-correl", "numeric_loss.statistics:CorrelationLoss", "il", "numeric", _NUMBERS, (),
     "Distance between the diagonals of the inverse correlation matrices.",
     "Mlodak (2020); matrices without an inverse: reconstruction"),
    ("il-variables", "numeric_loss.values:VariablesLoss", "il", "numeric", _ALL, (),
     "Mean distance of values: equality, steps, or arctan of the difference of numbers.",
     "Mlodak (2020); missing numbers: reconstruction"),
    ("robust-eigenvalues-discrepancy", "numeric_loss.statistics:RobustEigenvaluesDiscrepancy", "model", "discrepancy",
     _NUMBERS, (),
     "Discrepancy of the eigenvalues of robust covariances; unbounded; needs scikit-learn.",
     "Templ and Meindl (2008); scaling: reconstruction"),
    ("data-discrepancy", "numeric_loss.statistics:DataDiscrepancy", "model", "discrepancy", _NUMBERS, (),
     "Discrepancy of data: mean variation, mean squared or mean absolute error; unbounded.", _HANDBOOK),
    ("eigenvalues-discrepancy", "numeric_loss.statistics:EigenvaluesDiscrepancy", "model", "discrepancy", _NUMBERS, (),
     "Discrepancy of eigenvalues: mean variation, mean squared or mean absolute error; unbounded.", _HANDBOOK),
    ("cluster-agreement", "analysis_loss.clustering:ClusterAgreement", "il", "analysis", _ALL, (),
     "Disagreement between the clusters of the original and of the masked file.",
     "thesis, section 2.5; indices from the literature, choice of clustering: reconstruction"),
    ("classifier-accuracy", "analysis_loss.models:ClassifierLoss", "il", "analysis", _ALL, (),
     "Accuracy that a classifier loses when it learns from the masked file; needs scikit-learn.",
     "usual in the literature on specific information loss; form: reconstruction"),
    ("regression-overlap", "analysis_loss.models:RegressionOverlap", "il", "analysis", _ALL, (),
     "Lack of overlap of the confidence intervals of regression coefficients.",
     "Karr, Kohnen, Oganian, Reiter and Sanil (2006); no overlap counts 0: reconstruction"),
    ("id", "interval_disclosure.interval:IntervalDisclosure", "dr", "interval",
     _ALL, ("categorical", "numeric", "mixed"),
     "Interval disclosure: original values within p per cent of ranks of the masked one, p = 1..10.",
     f"{_DOMINGO}; for categories: reconstruction"),
    ("robust-interval", "interval_disclosure.interval:RobustInterval", "dr", "interval", _NUMBERS, (),
     "Records with a masked number near the original one, by robust distances; needs scikit-learn.",
     "Templ and Meindl (2008), as dRiskRMD of sdcMicro reads"),
    ("best-guess", "interval_disclosure.guesses:BestGuess", "dr", "guess", _CATEGORIES, (),
     "Original values that are the likeliest behind the published one; sees through relabelling.",
     "reconstruction: Bayes' rule for the transitions that the file itself shows"),
    ("guess-gain", "interval_disclosure.guesses:GuessGain", "dr", "guess", _ALL, ("inference",),
     "How much better original values are guessed with the masked file than without; no relabelling helps.",
     "Torra (2017) for the transparency principle; gain over the most frequent category: reconstruction"),
    ("lookup-gain", "interval_disclosure.lookup:LookupGain", "dr", "guess", _ALL, ("lookup",),
     "Sensitive values looked up in tables of the file: right beyond those of people not in it.",
     "People outside the file as baseline after Giomi et al. (2023); the lookup: design"),
    ("dbrl", "linkage.distance:DistanceBasedLinkage", "dr", "linkage",
     _ALL, ("categorical", "numeric", "mixed", "identity"),
     "Distance-based record linkage, masked to original by default: share of records nearest to their own.",
     f"{_HANDBOOK}; credit for ties, mixed files: reconstruction"),
    ("prl", "linkage.probabilistic:ProbabilisticLinkage", "dr", "linkage", _ALL, ("categorical", "identity"),
     "Probabilistic record linkage, masked to original by default: share linked to their own by EM weights.",
     "Fellegi and Sunter (1969); Jaro (1989); credit for ties, classes of numbers: reconstruction"),
    ("informed-linkage", "linkage.informed:InformedLinkage", "dr", "linkage", _ALL, ("intruder",),
     "Linkage to the likeliest originals by an intruder who knows the masking; no relabelling helps.",
     "Torra (2017); Domingo-Ferrer and Muralidhar (2016); transitions of the file, ties: reconstruction"),
    ("ranked-linkage", "linkage.informed:RankedLinkage", "dr", "linkage", _ALL, ("intruder",),
     "Linkage by an intruder who knows about where the right one ranks among the likeliest originals.",
     "After Torra (2017): what a search does to a linkage is known too; blocks of places: reconstruction"),
    ("two-way-linkage", "linkage.informed:TwoWayLinkage", "dr", "linkage", _ALL, ("identity", "intruder", "two-way"),
     "Linkage by an intruder who knows the masking, from published records or from people: the greater.",
     "After Torra (2017), as ranked-linkage; that both directions count: design"),
    ("rsrl", "linkage.rank_swapping:RankSwappingLinkage", "dr", "linkage", _ALL, (),
     "Linkage specific to rank swapping, original to masked: nearest record within p per cent of all ranks.",
     "Nin, Herranz and Torra (2008); the algorithm as it is known, credit for ties: reconstruction"),
    ("exact-linkage", "linkage.exact:ExactLinkage", "dr", "linkage", _ALL, ("exact",),
     "People found by the exact value of the one attribute that finds most: values left as they were.",
     "Joining on equal values; credit for ties, the worst attribute: reconstruction"),
    ("impossible-records", "validity:ImpossibleRecords", "model", "", _ALL, (),
     "Records with a combination that never occurs in the original, or that break an edit rule: per cent.",
     "edit rules: Fellegi and Holt (1976); structural zeros found by margins: reconstruction"),
    ("suppression", "validity:Suppression", "model", "", _ALL, (),
     "Values of the original that the masked file leaves out: per cent.", "Willenborg and de Waal (2001)"),
)  # fmt: skip


@hookimpl
def evosdc_measures() -> Iterator[MeasureSpec]:
    """Offer the measures of this package, family by family."""
    unbounded = {"actbil", "ctbil-mv", "frequency-change", "cell-quantile", "robust-eigenvalues-discrepancy"}
    unbounded |= {"data-discrepancy", "eigenvalues-discrepancy"}
    for name, place, kind, family, scales, occasions, summary, source in _MEASURES:
        yield MeasureSpec(
            name=name, implementation=f"evosdc_measures.{place}", summary=summary, source=source, kind=kind,
            family=family, scales=scales, default_for=occasions, most_attributes=16 if name == "prl" else None,
            range=(0.0, float("inf") if name in unbounded else 100.0),
        )  # fmt: skip


@hookimpl
def evosdc_fitnesses() -> Iterator[FitnessSpec]:
    """Offer the two scalar fitnesses of the thesis, a weighted one, and that of several objectives."""
    yield FitnessSpec(
        name="mean", implementation="evosdc_measures.fitness:Mean",
        summary="Mean of information loss and disclosure risk.",
        meaning="the mean of IL and DR", source="thesis, Eq. 3.2", default_for=("experiment",),
    )  # fmt: skip
    yield FitnessSpec(
        name="max", implementation="evosdc_measures.fitness:Max",
        summary="Greater of information loss and disclosure risk, which favours balance.",
        meaning="the greater of IL and DR", source="thesis, Eq. 3.4", default_for=("balance",),
    )  # fmt: skip
    yield FitnessSpec(
        name="loss", implementation="evosdc_measures.fitness:Loss",
        summary="Information loss alone: risk is kept below bounds, by --audience or constraints.",
        meaning="IL, with the risk below its bounds", source="design: the least loss of a file that may be published",
        default_for=("protect",),
    )  # fmt: skip
    yield FitnessSpec(
        name="weighted", implementation="evosdc_measures.fitness:Weighted",
        summary="Weighted mean of information loss and disclosure risk, or of single measures.",
        meaning="the weighted mean of IL and DR, or of single measures, with the weights among the settings",
        source="Domingo-Ferrer, Torra (2001), whose score weighs its components.",
    )  # fmt: skip
    yield FitnessSpec(
        name="pareto", implementation="evosdc_measures.fitness:Pareto",
        summary="Information loss and disclosure risk, or every measure, as objectives of their own: a whole front.",
        source="Deb et al. (2002) for the use of several objectives.",
    )  # fmt: skip
