"""Masking by JPEG 2000 compression."""

from io import BytesIO
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from evosdc.model import Range
from evosdc_masking.compression.picture import LossyCompression

if TYPE_CHECKING:
    from PIL.Image import Image


class Jpeg2000(LossyCompression):
    """Publish the file as it looks after JPEG 2000 compression as a picture of 65536 levels of grey.

    JPEG 2000 rounds the coefficients of a wavelet transform until the picture is `rate` times smaller. With 65536
    levels quantisation alone moves values by less than 1/100000 of their range. Each attribute is scaled linearly to
    0..65535: a reconstruction. A file of a few records can be no smaller than its header, so that large rates stop to
    matter there.

    Source: Jimenez and Torra (2009).
    """

    class Params(LossyCompression.Params):
        """How much is lost."""

        rate: float = Field(
            default=10,
            ge=1,
            le=1000,
            description="How many times smaller the picture becomes; more means more distortion, 1 is nearly lossless.",
        )

    top: ClassVar[int] = 65535
    compression: ClassVar[Range] = Range("rate", 1.0, 200.0, "log")
    params: Params

    def save(self, picture: "Image", target: BytesIO) -> None:
        """Write a picture as a JPEG 2000 code stream, with the irreversible wavelet transform."""
        layers = [self.params.rate]
        picture.save(target, "JPEG2000", no_jp2=True, quality_mode="rates", quality_layers=layers, irreversible=True)
