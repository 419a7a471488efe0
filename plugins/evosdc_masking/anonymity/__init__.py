"""Partitions for k-anonymity: cuts and clusterings of at least k records.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
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
)  # fmt: skip
