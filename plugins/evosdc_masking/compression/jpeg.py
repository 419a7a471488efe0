"""Masking by JPEG compression."""

from io import BytesIO
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from evosdc.model import Range
from evosdc_masking.compression.picture import LossyCompression

if TYPE_CHECKING:
    from PIL.Image import Image


class Jpeg(LossyCompression):
    """Publish the file as it looks after JPEG compression as a picture of 256 levels of grey.

    JPEG rounds the coefficients of a discrete cosine transform of blocks of 8 records by 8 attributes. Even at quality
    100 values move by about 1/500 of their range, since there are 256 levels only. Each attribute is scaled linearly
    to 0..255: a reconstruction.

    Source: Domingo-Ferrer and Torra (2001).
    """

    class Params(LossyCompression.Params):
        """How much is lost."""

        quality: int = Field(
            default=75, ge=1, le=100, description="Quality of the picture; less means more distortion."
        )

    top: ClassVar[int] = 255
    compression: ClassVar[Range] = Range("quality", 1, 100, whole=True)
    params: Params

    def save(self, picture: "Image", target: BytesIO) -> None:
        """Write a picture as JPEG."""
        picture.save(target, "JPEG", quality=self.params.quality)
