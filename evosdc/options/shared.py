"""Options that several commands have, with one text each."""

from pathlib import Path
from typing import Any

from evosdc.options.model import Options, argument, names, option, texts

DATA = argument("", registered="dataset")  # a data file, or the name of a registered data set
RUN_OR_ORIGINAL = argument("", "RUN | ORIGINAL", "dataset")
RUN_DIR = argument(Path())
RUN_DIRS = argument((), "RUN_DIR ...")
SCHEMA = option(None, "Schema file; inferred from the data when not given.", metavar="FILE", only="command")
ENCODING = option(None, "Of a text file whose letters look wrong: cp1250, cp1251, ...", metavar="NAME", only="command")
SHEET = option(None, "Of a workbook; default: the first with records.", metavar="NAME", only="command")
PROTECT = names(
    "Attributes to protect; default: the quasi-identifiers.",
    python="Where the data declare none: all attributes but those that look like identifiers.",
)
FITNESS = option(
    None,
    "How IL and DR are combined, for research: max, mean, ...; default: the least loss within the audience's bound.",
    metavar="NAME",
    registered="fitness",
)
AUDIENCE = option(
    None,
    "Who gets the file: at most 9, 20 or 33 % of the people are expected to be re-identified; default: "
    "public, where no fitness is named.",
)
BOUND = option(
    None,
    "Per cent of the people that may be re-identified, in place of the bound of the audience.",
    metavar="PERCENT",
    gt=0,
    le=100,
)
IL = names(
    "Measures of information loss; default: by the scales of the attributes, as analysts use them.",
    registered="measure",
)
DR = names("Measures of disclosure risk; default: by the roles of the attributes.", registered="measure")
REQUIRE = texts(
    'A requirement on the file, such as "k-anonymity >= 3" or "dr <= 20"; for protect also "publishable" or '
    '"publishable on conditions", a requirement on the verdict.',
    "CONDITION",
)
SETTINGS = texts("A parameter of the method: k=3.", "KEY=VALUE", only="command")
EARLIER = texts(
    "An earlier release of the same people, judged together with this file: a run folder, or a file in the order of "
    "the original. Default for a run: other publishable runs of these data in the same folder.",
    "FILE",
)
KEY = option(
    None,
    "Secret key of the random changes; it repeats the result. If FILE does not exist, it is made. Default: a new key.",
    metavar="FILE",
)
SEED = option(
    None, "Public seed in place of a key, for studies and tests: the file is not for release.", metavar="N", ge=0
)
EXECUTOR = option(
    None,
    "Where files are judged: serial, processes, scoop, dask, or a plugin's. Default: processes.",
    metavar="NAME",
    python='In Python the default is serial; a mapping gives parameters: {"name": "processes", "workers": 4}.',
    registered="executor",
)
WORKERS = option(None, "Workers of the executor; default: one for each processor.", metavar="N", ge=1)
SHUFFLE = option(
    True,
    "Publish the records in random order, or in the order of the data, which may disclose masked values.",
    flags=("--shuffle/--keep-order",),
)
_QUOTED = "Put a quote before cells that a spreadsheet would take for formulas: = + - @ before text."
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
FORCE = option(False, "Write over files that exist.", only="command")
FORCE_FOLDER = option(False, "Replace the folder of an earlier result.", only="command")
REPORT = option(
    True, "Whether to write web pages; evosdc report RUN_DIR writes them later.", flags=("--report",), only="command"
)
QUIET = option(False, "No progress.", only="command")
PROGRESS = option(None, "Whether to show progress; default: in notebooks.", only="python")
CALLBACK = option(
    (),
    "Called after each generation, the start included, with the line that the journal got: ``generation evaluations "
    "seconds best front hypervolume`` and so on. The search ends, with its result, where one returns True or a reason "
    "in words. The runs of a study go on one after another then. A callback that raises breaks the run off, which can "
    "be resumed.",
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

    @property
    def reading(self) -> dict[str, str]:
        """How the file is to be read, where the user says so."""
        return {key: value for key in ("encoding", "sheet") if (value := getattr(self, key)) is not None}


class JsonOptions(Options):
    """Options of commands that only show something."""

    as_json: bool = JSON
