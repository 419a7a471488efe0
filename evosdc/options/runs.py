"""Options of the commands on experiment files and runs: run, check, resume."""

from collections.abc import Sequence
from pathlib import Path

from evosdc.options import shared
from evosdc.options.model import Options, names, option, texts

EXECUTOR = option(
    None,
    "serial, processes, scoop, dask, or a plugin's; default: what the experiment says, else processes.",
    metavar="NAME",
    registered="executor",
)
WORKERS = option(None, "Workers of the executor.", metavar="N", ge=1)
HOSTS = option(None, "Hosts of the workers, such as node1:8 in each line.", metavar="FILE")


class RunOptions(Options):
    """Options of ``evosdc run``."""

    executor: str | None = EXECUTOR
    workers: int | None = WORKERS
    hosts: Path | None = HOSTS
    settings: Sequence[str] = texts("Override a key: algorithm.generations=50.", "KEY=VALUE", flags=("--set",))
    key: Path | None = option(
        None,
        "Secret key of an experiment without a seed, made where FILE does not exist; default: a fresh key.",
        metavar="FILE",
    )
    output: Path | None = option(None, "New run folder; default: below runs/.", flags=("-o", "--output"), metavar="DIR")
    force: bool = shared.FORCE_FOLDER
    report: bool = shared.REPORT
    quiet: bool = shared.QUIET
    as_json: bool = shared.JSON


class CheckOptions(Options):
    """Options of ``evosdc check``, but for ``--data``, which may stand without a value."""

    settings: Sequence[str] = texts("Override a key.", "KEY=VALUE", flags=("--set",))
    schema_file: Path | None = shared.SCHEMA
    protect: Sequence[str] | None = names("With DATA: attributes to mask; default: quasi-identifiers.")
    threshold: float | None = option(None, "Expected records of a structural zero; default: 5.", gt=0)
    as_json: bool = shared.JSON


class ResumeOptions(Options):
    """Options of ``evosdc resume``."""

    executor: str | None = EXECUTOR
    workers: int | None = WORKERS
    hosts: Path | None = HOSTS
    force: bool = option(False, "Go on although evosdc, a plugin or the schema is another now.")
    report: bool = shared.REPORT
    quiet: bool = shared.QUIET
    as_json: bool = shared.JSON
