"""Options of ``evosdc certify`` and `evosdc.certify`."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.options import shared
from evosdc.options.model import names, option, texts, time_limit
from evosdc_certified.measurement import GREATEST_EPSILON, LEAST_EPSILON


class CertifyOptions(shared.FileOptions, shared.JsonOptions):
    """Make a file with a proof of DATA: a file, or the run folder of an earlier certified file.

    Noisy tables are measured once, then a file is evolved on them. The proof holds against every attacker, whatever he
    knows. Categories and bounds have to be public: the schema lists them. A run folder as DATA is used for its tables,
    at no further price; one that was interrupted goes on.
    """

    data: str = shared.DATA
    epsilon: float | None = option(None, "How much the file may tell of one unit: 1 is strong, 10 weak.", metavar="EPS")
    also: Sequence[Annotated[float, Field(ge=LEAST_EPSILON, le=GREATEST_EPSILON)]] | None = names(
        "Further values of epsilon: a file for each, to choose from. The proofs add up.", metavar="EPS,EPS,...",
        python="`front` of the result compares them.",
    )  # fmt: skip
    delta: float | None = option(
        None, "Default: the power of ten that is not above 1 over the squared number of records.", metavar="DELTA"
    )
    protect: Sequence[str] | None = names("What to publish; default: all but identifiers and households.")
    bounds: Sequence[str] | Mapping[str, tuple[float, float]] = texts(
        "Public bounds of a numeric attribute.", "NAME=LEAST:GREATEST", python="In Python a mapping of names to pairs."
    )
    unit: Literal["person", "household"] = option(
        "person", "Whose presence is hidden. Households need an attribute of that role, and the largest."
    )
    largest: int | None = option(None, "People of a household that count.", metavar="N", ge=1)
    workload: str | Path | Sequence[Sequence[str]] = option(
        "pairs",
        "Which tables to keep: pairs, triples, or those of a FILE with one a line: AGE,SEX.",
        metavar="pairs|triples|FILE",
    )
    time: float | None = time_limit(
        "Be done then, each file by itself, judges included; default: a fixed number of moves, two minutes for judges."
    )
    moves: int | None = option(
        None, "Moves of the evolution; with the same tables and key they give the same file again.", metavar="N", ge=1,
        le=sys.maxsize,
    )  # fmt: skip
    records: int | None = option(
        None, "Records of the file; default: as many as the tables tell of the original.", metavar="N", ge=1,
        le=10_000_000,
    )  # fmt: skip
    second_opinion: bool = option(
        True, "Have judges attack a file made of half of the people the same way: whether they agree with the proof."
    )
    original: str | Path | None = option(
        None, "Of a run folder as DATA: the file that it was made of. Judges attack with it, at no further price.",
        metavar="FILE",
    )  # fmt: skip
    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    output: Path | None = shared.OUTPUT_FOLDER
    quiet: bool = shared.QUIET


def bounds_of(given: Sequence[str] | Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return bounds by attribute, of texts too; raises `ParameterError` for what is not NAME=LEAST:GREATEST."""
    if isinstance(given, Mapping):
        return dict(given)
    found: dict[str, tuple[float, float]] = {}
    for text in given:
        name, _, ends = text.rpartition("=")
        low, _, high = ends.partition(":")
        try:
            found[name] = (float(low), float(high))
        except ValueError:
            name = ""
        if not name:
            raise ParameterError(Fault("--bounds", repr(text), "NAME=LEAST:GREATEST", "For example AGE=0:99."))
    return found
