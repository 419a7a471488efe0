"""Methods by robust distances: outliers coded, noised, or kept from ruling which records are alike.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

_TEMPL = "Templ and Meindl 2008"

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="multivariate-top-coding", implementation="evosdc_masking.outliers.coding:MultivariateTopCoding",
        summary="Records far from the robust centre are drawn onto an ellipsoid around it; needs scikit-learn.",
        source="Templ, mvTopCoding of sdcMicro; missing values: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="outlier-noise", implementation="evosdc_masking.outliers.noise:OutlierNoise",
        summary="Normal noise on outliers alone, of single attributes or of all together; needs scikit-learn.",
        source=f"{_TEMPL}; limits: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="robust-microaggregation",
        implementation="evosdc_masking.outliers.microaggregation:RobustMicroaggregation",
        summary="MDAV by robust Mahalanobis distances: classes of k similar records share their average.",
        source=f"{_TEMPL}; missing values: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="gower-microaggregation", implementation="evosdc_masking.outliers.microaggregation:GowerMicroaggregation",
        summary="MDAV by Gower's distance, of attributes of all scales: classes of k records share their average.",
        source="Gower 1971; Templ, microaggrGower of sdcMicro; MDAV in place of k nearest neighbours: reconstruction",
    ),
)  # fmt: skip
