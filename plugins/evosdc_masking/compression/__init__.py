"""Lossy compression of the file as a picture.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="jpeg", implementation="evosdc_masking.compression.jpeg:Jpeg",
        summary="The file as a picture after JPEG compression (256 levels, cosine transform); needs Pillow.",
        source="Domingo-Ferrer and Torra 2001; scaling of the attributes: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="jpeg2000", implementation="evosdc_masking.compression.jpeg2000:Jpeg2000",
        summary="The file as a picture after JPEG 2000 compression (65536 levels, wavelets); needs Pillow.",
        source="Jimenez and Torra 2009; scaling of the attributes: reconstruction", scales=("numeric",),
    ),
)  # fmt: skip
