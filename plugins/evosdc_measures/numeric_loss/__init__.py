"""Specs of the information losses of numeric attributes."""

from dataclasses import replace
from math import inf

from evosdc.specs import MeasureSpec

_PACKAGE = "evosdc_measures.numeric_loss"
_HANDBOOK = "handbook chapter on disclosure risk and information loss"
_MATEO = "Mateo-Sanz, Domingo-Ferrer and Sebe (2005)"
_DOMINGO = "Domingo-Ferrer and Torra (2001)"


def _loss(name: str, implementation: str, summary: str, source: str, default_for: tuple[str, ...] = ()) -> MeasureSpec:
    """Return the spec of a measure that is combined into the information loss, 0..100."""
    return MeasureSpec(
        name=name, implementation=f"{_PACKAGE}.{implementation}", summary=summary, source=source,
        kind="il", family="numeric", scales=("numeric",), default_for=default_for,
    )  # fmt: skip


def _figure(name: str, implementation: str, summary: str) -> MeasureSpec:
    """Return the spec of an unbounded figure, which is not combined with others."""
    return MeasureSpec(
        name=name, implementation=f"{_PACKAGE}.{implementation}", summary=summary,
        source=f"{_DOMINGO}; {_HANDBOOK}", kind="model", family="discrepancy", scales=("numeric",), range=(0.0, inf),
    )  # fmt: skip


SPECS: tuple[MeasureSpec, ...] = (
    _loss(
        "il1s", "il1s:StandardisedLoss",
        "Mean distance between original and masked numbers in units of sqrt(2) standard deviations, times 100.",
        "Yancey, Winkler and Creecy (2002); limit at 100 and cost of missing values: reconstruction",
        ("numeric", "mixed"),
    ),
    _loss(
        "apil", "apil:AverageProbabilisticLoss",
        "Average probabilistic information loss: mean of the five pil figures, times 100.",
        f"{_MATEO}; variances of the estimators: reconstruction",
        ("numeric",),
    ),
    _loss(
        "estimates", "estimates:EstimatesLoss",
        "Mean shift of means, standard deviations, correlations and regression coefficients, times 100.",
        f"{_DOMINGO}; Karr et al. (2006); units, limits and coefficients: reconstruction",
        ("numbers",),
    ),
    replace(
        _loss(
            "quantile-tables", "quantiles:QuantileTables",
            "Records moved to another cell of one- and two-way tables with numbers, by classes of their quantiles.",
            f"{_DOMINGO}, whose tables are of categories; classes of numbers: reconstruction",
            ("numbers",),
        ),
        family="analysis", scales=("nominal", "ordinal", "numeric"),
    ),
    _loss(
        "mean-variation", "discrepancy:MeanVariationLoss",
        "Mean variation of data, means, variances, covariances and correlations, averaged, times 100.",
        f"{_DOMINGO}; limit of each part: reconstruction",
    ),
    _loss(
        "il-correl", "mlodak:CorrelationLoss",
        "Distance between the diagonals of the inverse correlation matrices.",
        "Mlodak (2020); matrices without an inverse: reconstruction",
    ),
    replace(
        _loss(
            "il-variables", "mlodak:VariablesLoss",
            "Mean distance of values: equality, steps, or arctan of the difference of numbers.",
            "Mlodak (2020); missing numbers: reconstruction",
        ),
        scales=("nominal", "ordinal", "numeric"),
    ),
    replace(
        _figure(
            "robust-eigenvalues-discrepancy", "discrepancy:RobustEigenvaluesDiscrepancy",
            "Discrepancy of the eigenvalues of robust covariances; unbounded; needs scikit-learn.",
        ),
        source="Templ and Meindl (2008); scaling: reconstruction",
    ),
    *(
        _figure(
            f"{content}-discrepancy", f"discrepancy:{content.title()}Discrepancy",
            f"Discrepancy of {content}: mean variation, mean squared or mean absolute error; unbounded.",
        )
        for content in ("data", "eigenvalues")
    ),
)  # fmt: skip
