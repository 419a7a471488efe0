"""Specs of the disclosure risks by record linkage."""

from evosdc.specs import MeasureSpec

_HANDBOOK = "Domingo-Ferrer and Torra (2001); handbook chapter on disclosure risk and information loss"
_SCALES = ("nominal", "ordinal", "numeric")
SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="dbrl", implementation="evosdc_measures.linkage.distance:DistanceBasedLinkage",
        summary="Distance-based record linkage, masked to original by default: share of records nearest to their own.",
        source=f"{_HANDBOOK}; credit for ties, mixed files: reconstruction", kind="dr", family="linkage",
        scales=_SCALES, default_for=("categorical", "numeric", "mixed", "identity"),
    ),
    MeasureSpec(
        name="prl", implementation="evosdc_measures.linkage.probabilistic:ProbabilisticLinkage",
        summary="Probabilistic record linkage, masked to original by default: share linked to their own by EM weights.",
        source="Fellegi and Sunter (1969); Jaro (1989); credit for ties, classes of numbers: reconstruction", kind="dr",
        family="linkage", scales=_SCALES, default_for=("categorical", "identity"), most_attributes=16,
    ),
    MeasureSpec(
        name="informed-linkage", implementation="evosdc_measures.linkage.informed:InformedLinkage",
        summary="Linkage to the likeliest originals by an intruder who knows the masking; no relabelling helps.",
        source="Torra (2017); Domingo-Ferrer and Muralidhar (2016); transitions of the file, ties: reconstruction",
        kind="dr", family="linkage", scales=_SCALES, default_for=("intruder",),
    ),
    MeasureSpec(
        name="ranked-linkage", implementation="evosdc_measures.linkage.informed:RankedLinkage",
        summary="Linkage by an intruder who knows about where the right one ranks among the likeliest originals.",
        source="After Torra (2017): what a search does to a linkage is known too; blocks of places: reconstruction",
        kind="dr", family="linkage", scales=_SCALES, default_for=("intruder",),
    ),
    MeasureSpec(
        name="two-way-linkage", implementation="evosdc_measures.linkage.two_way:TwoWayLinkage",
        summary="Linkage by an intruder who knows the masking, from published records or from people: the greater.",
        source="After Torra (2017), as ranked-linkage; that both directions count: design",
        kind="dr", family="linkage", scales=_SCALES, default_for=("identity", "intruder", "two-way"),
    ),
    MeasureSpec(
        name="rsrl", implementation="evosdc_measures.linkage.rank_swapping:RankSwappingLinkage",
        summary="Linkage specific to rank swapping, original to masked: nearest record within p per cent of all ranks.",
        source="Nin, Herranz and Torra (2008); the algorithm as it is known, credit for ties: reconstruction",
        kind="dr", family="linkage", scales=_SCALES,
    ),
    MeasureSpec(
        name="exact-linkage", implementation="evosdc_measures.linkage.exact:ExactLinkage",
        summary="People found by the exact value of the one attribute that finds most: values left as they were.",
        source="Joining on equal values; credit for ties, the worst attribute: reconstruction",
        kind="dr", family="linkage", scales=_SCALES, default_for=("exact",),
    ),
)  # fmt: skip
