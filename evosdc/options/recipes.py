"""Options of ``evosdc apply`` and `evosdc.apply`."""

from pathlib import Path

from evosdc.options import shared
from evosdc.options.model import option


class ApplyOptions(shared.FileOptions):
    """Options of ``evosdc apply`` and `evosdc.apply`."""

    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    shuffle: bool = shared.SHUFFLE
    unlike: bool = option(
        False,
        "Go on where more than a quarter of the records are in other categories than in the file that the recipe was "
        "made for.",
    )
    output: Path = option(..., "The protected file.", flags=("-o", "--output"), metavar="MASKED.csv", only="command")
    folder: Path | None = option(
        None,
        "New run folder, with verdict and report; default: in runs/.",
        metavar="DIR",
        python="In Python by default none is kept.",
    )
    force: bool = shared.FORCE
    progress: bool | None = shared.PROGRESS
    quiet: bool = shared.QUIET
    as_json: bool = shared.JSON
