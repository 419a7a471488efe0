"""Protection cluster by cluster (thesis, chapter 5): records are clustered, and each cluster is masked by itself.

This module holds the hooks alone and imports nothing heavy.
"""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import MaskingMethodSpec


@hookimpl
def evosdc_masking_methods() -> Iterator[MaskingMethodSpec]:
    """Offer `clustered`."""
    yield MaskingMethodSpec(
        name="clustered", implementation="evosdc_clustering.clustered:Clustered",
        summary="Clusters similar records by c-median; each cluster is masked by itself, by any other method.",
        source="Thesis, chapter 5, and PSD 2012; clusters too small for the inner method are merged: reconstruction",
    )  # fmt: skip
