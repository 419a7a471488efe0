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
    """Make a differentially private file of DATA: its proof holds for every attacker.

    evosdc counts noisy tables of DATA once, then evolves new records that fit these tables. The schema must list all
    categories, and they must be public. If DATA is the run folder of a certified file, evosdc makes another file from
    its tables, which uses up no further epsilon, or continues an interrupted run.
    """

    data: str = shared.DATA
    epsilon: float | None = option(
        None, "How much the file may depend on one person or household: 1 is strong, 10 weak.", metavar="EPS"
    )
    also: Sequence[Annotated[float, Field(ge=LEAST_EPSILON, le=GREATEST_EPSILON)]] | None = names(
        "Further values of epsilon: a file for each, to choose from. All epsilons add up.", metavar="EPS,EPS,...",
        python="`front` of the result compares them.",
    )  # fmt: skip
    delta: float | None = option(
        None,
        "Probability that the proof fails; default: a power of ten of at most 1 / records squared.",
        metavar="DELTA",
    )
    protect: Sequence[str] | None = names("Columns to publish; default: all except identifiers and households.")
    bounds: Sequence[str] | Mapping[str, tuple[float, float]] = texts(
        "Public bounds of a numeric attribute.", "NAME=LEAST:GREATEST", python="In Python a mapping of names to pairs."
    )
    unit: Literal["person", "household"] = option(
        "person", "Who is protected. household needs a column of that role, and --largest."
    )
    largest: int | None = option(None, "Greatest number of people of a household that are counted.", metavar="N", ge=1)
    workload: str | Path | Sequence[Sequence[str]] = option(
        "pairs",
        "Which tables the file must fit: of two columns, of three, or those of FILE, one on each line: AGE,SEX.",
        metavar="pairs|triples|FILE",
    )
    time: float | None = time_limit(
        "Time for each file, with its judges; default: a fixed number of moves, and two minutes for judges."
    )
    moves: int | None = option(
        None, "Moves of the evolution. The same tables, key and moves give the same file.", metavar="N", ge=1,
        le=sys.maxsize,
    )  # fmt: skip
    records: int | None = option(
        None, "Records of the file; default: estimated from the noisy tables.", metavar="N", ge=1,
        le=10_000_000,
    )  # fmt: skip
    second_opinion: bool = option(
        True, "Let judges attack a trial file of one half of the people, made in the same way."
    )
    original: str | Path | None = option(
        None, "If DATA is a run folder: the original, for judges. This uses up no further epsilon.",
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
