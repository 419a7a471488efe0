"""Options of the commands that prepare data: init, edit, datasets."""

from collections.abc import Sequence
from pathlib import Path

from evosdc.options import shared
from evosdc.options.model import FLAG, Options, option, texts


class InitOptions(Options):
    """Options of ``evosdc init``."""

    output: Path = option(
        Path("schema.toml"), "The schema file.", flags=("-o", "--output"), metavar="SCHEMA.toml", only="command"
    )
    missing: Sequence[str] = texts("A text that stands for a missing value in a column, such as age=99.", "COLUMN=TEXT")
    ask: bool | None = option(
        None,
        "Whether to ask about codes that may stand for missing values; default: where there is a terminal.",
        flags=("--ask/--no-ask",),
        kind=FLAG,
    )
    encoding: str | None = shared.ENCODING
    sheet: str | None = shared.SHEET
    force: bool = shared.FORCE
    as_json: bool = shared.JSON


class EditOptions(Options):
    """Options of ``evosdc edit``."""

    undo: bool = option(False, "Take the last step back instead.")
    as_json: bool = shared.JSON


class FetchOptions(Options):
    """Options of ``evosdc datasets fetch``."""

    output: Path | None = option(
        None, "Also write the data set as a CSV file.", flags=("-o", "--output"), metavar="FILE.csv"
    )
    force: bool = shared.FORCE
