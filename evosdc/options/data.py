"""Options of the commands that prepare data (init, edit, datasets) and that handle plugins."""

from collections.abc import Sequence
from pathlib import Path

from evosdc.options import shared
from evosdc.options.model import FLAG, Options, argument, option, texts


class InitOptions(shared.JsonOptions):
    """Look at DATA and propose roles, scales and categories in a schema file for you to edit.

    Understands names of columns in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish; give other
    columns their roles yourself. The schema has the reason of each proposal. Columns that an intruder may know get
    hierarchies; those of categories are files beside the schema.
    """

    data: Path = argument(Path())
    output: Path = option(Path("schema.toml"), "The schema file.", metavar="SCHEMA.toml", only="command")
    missing: Sequence[str] = texts(
        "Texts that mean a missing value in a column, such as age=99 or age=999,unknown; double quotes around one "
        "with a comma.",
        "COLUMN=TEXT,...",
    )
    ask: bool | None = option(
        None,
        "Whether to ask about codes that may mean missing values; default: only at a terminal.",
        flags=("--ask/--no-ask",),
        kind=FLAG,
    )
    encoding: str | None = shared.ENCODING
    sheet: str | None = shared.SHEET
    force: bool = shared.FORCE


class EditOptions(shared.JsonOptions):
    """Change one ATTRIBUTE of a SCHEMA file: role=sensitive, missing=-9,99 or hierarchy={widths=[5,10]}.

    A key without a value (hierarchy=) is deleted. All other lines stay as they are. The old line becomes a comment, so
    that --undo can restore it.
    """

    schema_path: Path = argument(Path(), metavar="SCHEMA")
    attribute: str | None = argument(None)
    settings: Sequence[str] = argument((), metavar="[KEY=VALUE ...]", required=False)
    undo: bool = option(False, "Undo the last change instead.")


class DatasetsFetchOptions(Options):
    """Find data set NAME in EVOSDC_DATA or the cache, or download it, and check it."""

    name: str = argument("")
    output: Path | None = option(None, "Also write the data set as a CSV file.", metavar="FILE.csv")
    force: bool = shared.FORCE


class PluginsTestOptions(shared.JsonOptions):
    """Test what is registered as NAME, with its default parameters: does it keep its contract, and what does it cost?

    The table has the checks of its conformance suite; whether the same seed gives the same; whether updates equal a
    new computation; by which power of the number of records the time grows (1: linear); and the memory of a call.
    """

    name: str = argument("")
    kind: str | None = option(None, "Needed where several kinds offer the name.", metavar="KIND")
    verbose: bool = option(False, "Also show what pytest says.", flags=("-v", "--verbose"))


class NewPluginOptions(Options):
    """Write a small distribution that adds a KIND called NAME: it works and passes its tests as it is.

    KIND is one of measure, masking-method, genotype, algorithm, operator, privacy-model, fitness, executor, dataset,
    portfolio, format, limit, picture, command.
    """

    kind: str = argument("")
    name: str = argument("")
    output: Path | None = option(None, "New folder; default: evosdc-NAME.", metavar="DIR")


class DatasetsListOptions(shared.JsonOptions):
    """List data sets with size, licence, and whether they are on this computer."""


class DoctorOptions(shared.JsonOptions):
    """Say which files of FOLDER are for publication, and which are for you alone; default: the current folder.

    Looks at names, at what evosdc wrote beside the files, and at who may read them. Changes nothing. Exit status 1
    where something is wrong.
    """

    folder: Path = argument(Path(), required=False)


class PluginsListOptions(shared.JsonOptions):
    """List every masking method, measure, genotype, ... with the plugin that offers it."""


class PluginsShowOptions(shared.JsonOptions):
    """Show the details of NAME: source, provider, and parameters with their ranges."""

    name: str = argument("")


class PluginsDoctorOptions(shared.JsonOptions):
    """Explain plugins that do not load or cannot be used: what is wrong, where, and what to do.

    NAME is a plugin, or a module or file that should be one; by default all plugins are looked at.
    """

    name: str | None = argument(None)


class DatasetsAttributesOptions(shared.JsonOptions):
    """List the attributes of data set NAME with their roles, scales and numbers of different values."""

    name: str = argument("")
