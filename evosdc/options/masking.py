"""Options of ``evosdc mask`` and ``apply``, and of `evosdc.mask` and `evosdc.apply`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evosdc.options import shared
from evosdc.options.model import argument, names, option, texts


class MaskOptions(shared.FileOptions, shared.JsonOptions):
    """Mask DATA, a file or a built-in data set, by METHOD; write the protected file and a manifest beside it.

    The file is an intermediate step: records keep their order, and there is no verdict. For release use evosdc protect.
    If columns are recoded to new labels, evosdc also writes the schema of the new file, MASKED.schema.toml.
    """

    method: str = argument("", registered="masking-method")
    data: str = shared.DATA
    settings: Sequence[str] = shared.SETTINGS
    equation: Path | None = option(
        None, "Short for --set equation=FILE, where there is one.", metavar="FILE", only="command"
    )
    protect: Sequence[str] | None = names(
        "What to mask; default: the quasi-identifiers.",
        python="Where none is declared: all attributes but those that look like identifiers or free text.",
    )
    by: Sequence[str] | None = names("Attributes that form strata; each stratum is masked on its own.")
    then: Sequence[str | Mapping[str, Any]] = texts(
        'A further step on the masked file: "pram design=a p=0.9"; name attributes=A,B and by=A,B if they differ.',
        "STEP",
        python='In Python also as an experiment file writes it: {"method": "pram", "design": "a", "p": 0.9}.',
    )
    right_labels: Sequence[str] | None = names(
        "Attributes to publish, in the end, under the labels that most of their records have: a method may have "
        "exchanged labels, which hides nothing and misleads analysts."
    )
    move_values: Sequence[str] | None = names(
        "Attributes whose rare values, where a method kept them, change places in the end."
    )
    neutralise_formulas: bool = shared.NEUTRALISE
    shuffle: bool = option(
        False, "Write the records in random order: the old order may disclose masked values.", only="command"
    )
    crosswalk: Path | None = option(
        None, "With --shuffle: where to write which record is which; keep it.", metavar="FILE", only="command"
    )
    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    draw: int = option(
        0, "Number of the file among those of a key or seed, as evosdc tune prints it.", metavar="N", ge=0
    )
    executor: str | Mapping[str, Any] | None = option(
        None,
        "Where strata and clusters are masked: processes, scoop, dask; default: here, one after the other.",
        metavar="NAME",
    )
    workers: int | None = option(None, "Workers of the executor.", metavar="N", ge=1)
    output: Path = option(..., "The protected file.", metavar="MASKED.csv", only="command")
    force: bool = shared.FORCE


class ApplyOptions(shared.FileOptions, shared.JsonOptions):
    """Protect DATA, such as the next wave of a survey, by the RECIPE of an earlier run.

    evosdc applies the steps of the recipe, measures loss and risk of the new file, and writes a verdict and a report.
    It compares the columns of DATA with those of the first file, and refuses data that are too different. Exit status
    1: the file must not be published, or misses a requirement of the recipe.
    """

    recipe: Path = argument(Path())
    data: str = shared.DATA
    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    shuffle: bool = shared.SHUFFLE
    unlike: bool = option(
        False,
        "Continue although more than a quarter of the records are in other categories than in the first file.",
    )
    output: Path = option(..., "The protected file.", metavar="MASKED.csv", only="command")
    folder: Path | None = option(
        None,
        "New run folder, with verdict and report; default: in runs/.",
        metavar="DIR",
        python="In Python by default none is kept.",
    )
    force: bool = shared.FORCE
    progress: bool | None = shared.PROGRESS
    quiet: bool = shared.QUIET


class ExplainOptions(shared.JsonOptions):
    """Say what each step of a RECIPE contributes, on the file that it was made for."""

    recipe: Path = argument(Path())
