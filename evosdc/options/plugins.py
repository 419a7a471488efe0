"""Options of ``evosdc plugins`` and ``evosdc new-plugin``."""

from pathlib import Path

from evosdc.options import shared
from evosdc.options.model import Options, option


class TestOptions(Options):
    """Options of ``evosdc plugins test``."""

    kind: str | None = option(None, "Needed where several kinds offer the name.", metavar="KIND")
    verbose: bool = option(False, "Also show what pytest says.", flags=("-v", "--verbose"))
    as_json: bool = shared.JSON


class NewPluginOptions(Options):
    """Options of ``evosdc new-plugin``."""

    output: Path | None = option(None, "New folder; default: evosdc-NAME.", flags=("-o", "--output"), metavar="DIR")
