"""Figures of what a masked file holds that cannot be."""

from evosdc.specs import MeasureSpec

SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="impossible-records", implementation="evosdc_measures.consistency.impossible_records:ImpossibleRecords",
        summary="Records with a combination that never occurs in the original, or that break an edit rule: per cent.",
        source="edit rules: Fellegi and Holt (1976); structural zeros found by margins: reconstruction", kind="model",
        scales=("nominal", "ordinal", "numeric"),
    ),
)  # fmt: skip
