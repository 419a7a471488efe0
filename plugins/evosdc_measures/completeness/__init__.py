"""Figures of what a masked file no longer holds."""

from evosdc.specs import MeasureSpec

SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="suppression", implementation="evosdc_measures.completeness.suppression:Suppression",
        summary="Values of the original that the masked file leaves out: per cent.",
        source="Willenborg and de Waal (2001)", kind="model",
        scales=("nominal", "ordinal", "numeric"),
    ),
)  # fmt: skip
