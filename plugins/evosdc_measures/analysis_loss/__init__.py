"""Specs of the losses of given analyses: clusterings, classifiers, regressions."""

from evosdc.specs import MeasureSpec

_ALL = ("nominal", "ordinal", "numeric")
SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="cluster-agreement", implementation="evosdc_measures.analysis_loss.clustering:ClusterAgreement",
        summary="Disagreement between the clusters of the original and of the masked file.",
        source="thesis, section 2.5; indices from the literature, choice of clustering: reconstruction", kind="il",
        family="analysis", scales=_ALL,
    ),
    MeasureSpec(
        name="classifier-accuracy", implementation="evosdc_measures.analysis_loss.classification:ClassifierLoss",
        summary="Accuracy that a classifier loses when it learns from the masked file; needs scikit-learn.",
        source="usual in the literature on specific information loss; form: reconstruction", kind="il",
        family="analysis", scales=_ALL,
    ),
    MeasureSpec(
        name="regression-overlap", implementation="evosdc_measures.analysis_loss.regression:RegressionOverlap",
        summary="Lack of overlap of the confidence intervals of regression coefficients.",
        source="Karr, Kohnen, Oganian, Reiter and Sanil (2006); no overlap counts 0: reconstruction", kind="il",
        family="analysis", scales=_ALL,
    ),
)  # fmt: skip
