"""Options of the commands that prepare data (init, edit, datasets) and that handle plugins."""

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


class TestOptions(Options):
    """Options of ``evosdc plugins test``."""

    kind: str | None = option(None, "Needed where several kinds offer the name.", metavar="KIND")
    verbose: bool = option(False, "Also show what pytest says.", flags=("-v", "--verbose"))
    as_json: bool = shared.JSON


class NewPluginOptions(Options):
    """Options of ``evosdc new-plugin``."""

    output: Path | None = option(None, "New folder; default: evosdc-NAME.", flags=("-o", "--output"), metavar="DIR")
