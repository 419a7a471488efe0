"""Lossy compression of the file as a picture, by JPEG and JPEG 2000."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Design, Range, Tunable
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.rounding import RoundingParameters, published

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

Levels = NDArray[np.unsignedinteger[Any]]

ROWS = 65_496  # most records of one picture: a JPEG has at most 65500 rows, and blocks of 8 must not be cut


@dataclass(frozen=True)
class Quantisation:
    """The linear map between the values of each attribute and the levels 0..top."""

    # low, high: shape (Q,); least and greatest value that is present; 0 for an attribute without values
    low: Numbers
    high: Numbers
    top: int  # 255 or 65535

    @classmethod
    def of(cls, numbers: Numbers, top: int) -> "Quantisation":
        """Return the map of the attributes' ranges to the whole scale of grey."""
        empty = np.isnan(numbers).all(axis=0)
        low = np.where(empty, 0.0, np.nanmin(numbers, axis=0, initial=np.inf))
        high = np.where(empty, 0.0, np.nanmax(numbers, axis=0, initial=-np.inf))
        return cls(low, high, top)

    def levels(self, numbers: Numbers) -> Levels:
        """Return the nearest level of each value, shape (n, Q); a missing value counts as its attribute's mean."""
        # halves, since the range of large numbers would overflow
        span = self.high / 2 - self.low / 2
        share = (numbers / 2 - self.low / 2) / np.where(span > 0, span, 1.0)
        missing = np.isnan(share)
        means = np.where(missing, 0.0, share).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
        level = np.rint(np.where(missing, means, share) * self.top)
        levels: Levels = level.astype(np.uint8 if self.top < 256 else np.uint16)
        return levels

    def values(self, levels: Levels) -> Numbers:
        """Return the value of each level; low and high are met exactly."""
        share = levels.astype(np.float64) / self.top
        return self.low * (1.0 - share) + self.high * share


class LossyCompression(Tunable):
    """What the two formats share: quantise, compress, decompress, restore."""

    # Published values stay within the range of their attribute; missing values stay missing and constant attributes
    # stay as they are. Nothing is random, and neighbours in the file, records as well as attributes, run into each
    # other, so the order of both matters.

    class Params(RoundingParameters):
        """Only the rounding."""

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    top: ClassVar[int]  # highest level of grey
    compression: ClassVar[Range]  # the free parameter of the format

    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return the amount of compression; nothing where Pillow is not installed."""
        return [Design(free=(cls.compression,))] if find_spec("PIL") is not None else []

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` when an attribute is not numeric or Pillow is not installed."""
        super().require_fit(table)
        require_pillow()

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table as it looks after compression."""
        self.require_fit(table)
        if not table.numbers.size:
            return table
        quantisation = Quantisation.of(table.numbers, self.top)
        levels = quantisation.levels(table.numbers)
        bands = [compressed(levels[row : row + ROWS], self.save) for row in range(0, len(levels), ROWS)]
        values = quantisation.values(np.concatenate(bands))
        constant = quantisation.low == quantisation.high
        return published(table, np.where(constant, table.numbers, values), self.params.rounding)

    @abstractmethod
    def save(self, picture: "Picture", target: BytesIO) -> None:
        """Write a picture in the compressed format."""


def compressed(levels: Levels, save: "Callable[[Picture, BytesIO], None]") -> Levels:
    """Return a picture, shape (n, Q), after it was written and read again."""
    from PIL import Image

    target = BytesIO()
    try:
        save(Image.fromarray(np.ascontiguousarray(levels)), target)
        target.seek(0)
        with Image.open(target) as picture:
            restored: Levels = np.asarray(picture)
    except (OSError, KeyError) as error:
        given = f"a Pillow that cannot write the format ({error})"
        wanted = "Pillow with JPEG and JPEG 2000"
        raise ParameterError(Fault("lossy compression", given, wanted, "Install its wheel.")) from None
    return restored


def require_pillow() -> None:
    """Raise `ParameterError` saying what to install where Pillow is missing."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        advice = "Install it with: pip install pillow"
        raise ParameterError(Fault("lossy compression", "no Pillow", "Pillow 10 or later", advice)) from None


class Jpeg(LossyCompression):
    """Publish the file as it looks after JPEG compression as a picture of 256 levels of grey.

    JPEG rounds the coefficients of a discrete cosine transform of blocks of 8 records by 8 attributes. Even at quality
    100 values move by about 1/500 of their range, since there are 256 levels only. Each attribute is scaled linearly
    to 0..255: a reconstruction.

    Source: Domingo-Ferrer and Torra (2001).
    """

    class Params(LossyCompression.Params):
        """How much is lost."""

        quality: int = Field(75, ge=1, le=100, description="Quality of the picture; less means more distortion.")

    top: ClassVar[int] = 255
    compression: ClassVar[Range] = Range("quality", 1, 100, whole=True)
    params: Params

    def save(self, picture: "Picture", target: BytesIO) -> None:
        """Write a picture as JPEG."""
        picture.save(target, "JPEG", quality=self.params.quality)


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
            10,
            ge=1,
            le=1000,
            description="How many times smaller the picture becomes; more means more distortion, 1 is nearly lossless.",
        )

    top: ClassVar[int] = 65535
    compression: ClassVar[Range] = Range("rate", 1.0, 200.0, "log")
    params: Params

    def save(self, picture: "Picture", target: BytesIO) -> None:
        """Write a picture as a JPEG 2000 code stream, with the irreversible wavelet transform."""
        layers = [self.params.rate]
        picture.save(target, "JPEG2000", no_jp2=True, quality_mode="rates", quality_layers=layers, irreversible=True)
