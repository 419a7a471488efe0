"""Options that several commands have, with one text each."""

from pathlib import Path
from typing import Any

from evosdc.options.model import Options, argument, names, option, texts

DATA = argument("", registered="dataset")  # a data file, or the name of a built-in data set
RUN_OR_ORIGINAL = argument("", "RUN | ORIGINAL", "dataset")
RUN_DIR = argument(Path())
RUN_DIRS = argument((), "RUN_DIR ...")
SCHEMA = option(None, "Schema file; default: proposed from the data.", metavar="FILE", only="command")
ENCODING = option(
    None, "Encoding of a text file whose letters look wrong: cp1250, cp1251, ...", metavar="NAME", only="command"
)
SHEET = option(None, "Sheet of an Excel file; default: the first with records.", metavar="NAME", only="command")
PROTECT = names(
    "Columns to protect; default: the quasi-identifiers.",
    python="If the data declare none: all columns except those that look like identifiers.",
)
FITNESS = option(
    None,
    "How loss (IL) and risk (DR) are combined, for research: max, mean, ... Default: the least loss within the bound.",
    metavar="NAME",
    registered="fitness",
)
AUDIENCE = option(
    None,
    "Who gets the file. This sets the bound: at most 9 % (public), 20 % or 33 % of the people are re-identified, on "
    "average. Default: public. With a fitness and no audience, the verdict alone keeps this bound.",
)
BOUND = option(
    None,
    "Own bound in place of the audience's: per cent of the people that may be re-identified.",
    metavar="PERCENT",
    gt=0,
    le=100,
)
IL = names(
    "Measures of information loss; default: tables and estimates that fit the columns.",
    registered="measure",
)
DR = names(
    "Measures of disclosure risk; default: linkage, and guesses of masked sensitive columns.", registered="measure"
)
REQUIRE = texts(
    'A requirement on the file, such as "k-anonymity >= 3" or "dr <= 20"; in protect also on its verdict: '
    '"publishable" or "publishable on conditions".',
    "CONDITION",
)
SETTINGS = texts("A parameter of the method: k=3.", "KEY=VALUE", only="command")
EARLIER = texts(
    "An earlier release of the same people, judged together with this file: a run folder, or a file in the order of "
    "the original; none: there is none. Default: other publishable runs of these data beside the run folder.",
    "FILE",
)
KEY = option(
    None,
    "File with the secret key of the random changes. The same key repeats the result. A FILE that does not exist is "
    "made. Default: a new key.",
    metavar="FILE",
)
SEED = option(
    None, "Public seed in place of a key, for studies and tests. The file is then not for release.", metavar="N", ge=0
)
EXECUTOR = option(
    None,
    "Where files are measured: serial, processes, scoop, dask, or a plugin's executor. Default: processes.",
    metavar="NAME",
    python='In Python the default is serial; a mapping gives parameters: {"name": "processes", "workers": 4}.',
    registered="executor",
)
WORKERS = option(None, "Workers of the executor; default: one for each processor.", metavar="N", ge=1)
SHUFFLE = option(
    True,
    "Write the records in random order, or in the order of the data, which may disclose masked values.",
    flags=("--shuffle/--keep-order",),
)
_QUOTED = "Put a single quote before cells that a spreadsheet would run as formulas: texts that begin with = + - or @."
NEUTRALISE = option(False, _QUOTED)
NEUTRALISE_FILES = option(False, _QUOTED, only="command")
_CROSSWALK = "The list of which masked record belongs to which original record, if the file was shuffled."
CROSSWALK = option(None, _CROSSWALK, metavar="FILE")
COMMAND_CROSSWALK = option(None, _CROSSWALK, metavar="FILE", only="command")
GENERATIONS = option(
    None,
    "Stop the search after at most N generations. Unlike a time, the same call then gives the same file anywhere.",
    metavar="N",
    ge=1,
)
OUTPUT_FOLDER = option(
    None, "New run folder; default: below runs/.", python="In Python by default none is kept.", metavar="DIR"
)
FORCE = option(False, "Overwrite files that exist.", only="command")
FORCE_FOLDER = option(False, "Replace the folder of an earlier result.", only="command")
REPORT = option(
    True, "Write the web pages; evosdc report RUN_DIR writes them later.", flags=("--report",), only="command"
)
QUIET = option(False, "Show no progress.", only="command")
PROGRESS = option(None, "Whether to show progress; default: in notebooks.", only="python")
CALLBACK = option(
    (),
    "Called after each generation, also after the start, with the line of the journal: ``generation evaluations "
    "seconds best front hypervolume`` and so on. The search ends with its result if a callback returns True or a "
    "reason in words. The runs of a study then run one after another. If a callback raises an error, the run stops "
    "and can be resumed.",
    only="python",
)
JSON = option(False, "Print one JSON object and nothing else.", only="command")
OUTPUT_FILE = option(..., "File to write.", metavar="FILE", only="command")


def new_folder(text: str) -> Any:
    """Return the option ``-o`` of a command that writes a folder only where one is named."""
    return option(None, text, metavar="DIR", only="command")


class FileOptions(Options):
    """Options of commands that read a data file."""

    schema_file: Path | None = SCHEMA
    encoding: str | None = ENCODING
    sheet: str | None = SHEET


class JsonOptions(Options):
    """Options of commands that only show something."""

    as_json: bool = JSON
