"""Options of the commands on experiment files, runs and members of their fronts."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from evosdc.options import shared
from evosdc.options.model import Options, names, option, texts, time_limit

EXECUTOR = option(
    None,
    "serial, processes, scoop, dask, or a plugin's; default: what the experiment says, else processes.",
    metavar="NAME",
    registered="executor",
    only="command",
)
WORKERS = option(None, "Workers of the executor.", metavar="N", ge=1, only="command")
HOSTS = option(None, "Hosts of the workers, such as node1:8 in each line.", metavar="FILE", only="command")


class RunOptions(Options):
    """Options of ``evosdc run`` and `evosdc.run`."""

    data: Any = option(
        None,
        "The confidential file, a frame or Table, in place of a source in the experiment, which is then a mapping. "
        "Schema as in `mask`. A copy is written to the run's folder, so that the run can be resumed.",
        only="python",
    )
    protect: Sequence[str] | None = names(
        "What to protect, in place of ``data.protect``; by default what the experiment says, else the "
        "quasi-identifiers.",
        only="python",
    )
    executor: str | None = EXECUTOR
    workers: int | None = WORKERS
    hosts: Path | None = HOSTS
    settings: Sequence[str] = texts(
        "Override a key: algorithm.generations=50.", "KEY=VALUE", flags=("--set",), only="command"
    )
    key: Path | None = option(
        None,
        "Secret key of an experiment without a seed, made where FILE does not exist; default: a fresh key.",
        metavar="FILE",
        python="The run's folder keeps it in any case.",
    )
    output: Path | None = shared.new_folder("New run folder; default: below runs/.")
    force: bool = shared.FORCE_FOLDER
    report: bool = shared.REPORT
    callback: Callable[..., Any] | Sequence[Callable[..., Any]] = shared.CALLBACK
    progress: bool | None = shared.PROGRESS
    quiet: bool = shared.QUIET
    as_json: bool = shared.JSON


class CheckOptions(shared.FileOptions):
    """Options of ``evosdc check``, but for ``--data``, which may stand without a value."""

    settings: Sequence[str] = texts("Override a key.", "KEY=VALUE", flags=("--set",))
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


class FinishOptions(Options):
    """Options of ``evosdc finish`` and `evosdc.finish`."""

    time: float = time_limit("How long to wait for a run to end.", 120.0, flags=("--wait",))
    as_json: bool = shared.JSON


class WatchOptions(Options):
    """Options of ``evosdc watch``."""

    interval: float = option(1.0, "Between two looks.", metavar="SECONDS", ge=0.1, le=3600)


class ReportOptions(Options):
    """Options of ``evosdc report``."""

    output: Path | None = option(
        None,
        "By default report.html in the folder of the run or study; of several, in the current folder.",
        flags=("-o", "--output"),
        metavar="FILE",
    )
    force: bool = shared.FORCE
    for_users: bool = option(False, "Write the page for users of a run's file, which may be published.")
    as_json: bool = shared.JSON


class DossierOptions(Options):
    """Options of ``evosdc dossier`` and `evosdc.dossier`."""

    release: Path | None = option(
        None,
        "What evosdc cannot know: purpose, recipients, sign-off; default: release.toml in the run folder, which is "
        "written with the questions where it does not exist.",
        metavar="FILE",
    )
    output: Path | None = option(
        None, "By default dossier.html in the run folder.", flags=("-o", "--output"), metavar="FILE"
    )
    force: bool = shared.FORCE
    as_json: bool = shared.JSON


class CompareOptions(Options):
    """Options of ``evosdc compare`` and `evosdc.compare`."""

    paired: bool = option(False, "Runs of the same seed belong together: Wilcoxon's test of signed ranks.")
    surfaces: Path | None = option(
        None, "Write the attainment surfaces of each search.", metavar="FILE.csv", only="command"
    )
    force: bool = shared.FORCE
    as_json: bool = shared.JSON


class StudyReportOptions(Options):
    """Options of ``evosdc study report`` and `evosdc.study_report`."""

    figure: Literal["fitness", "il", "dr"] = option("fitness", "Figure of the best file; less is better.")
    block: Sequence[str] = texts("A key, such as genotype.k, whose values make blocks as data sets do.", "KEY")
    output: Path | None = option(
        None, "Write a page with tables and curves.", flags=("-o", "--output"), metavar="FILE.html", only="command"
    )
    ioh: Path | None = option(
        None, "Write the progress of all runs for IOHanalyzer.", metavar="FILE.csv", only="command"
    )
    force: bool = shared.FORCE
    as_json: bool = shared.JSON


class ExportOptions(Options):
    """Options of ``evosdc export``."""

    neutralise_formulas: bool = shared.NEUTRALISE
    output: Path = option(..., "The protected file.", flags=("-o", "--output"), metavar="FILE.csv")
    shuffle: bool = shared.SHUFFLE
    force: bool = shared.FORCE
    as_json: bool = shared.JSON


class ChooseOptions(Options):
    """Options of ``evosdc choose`` and `evosdc.choose`."""

    output: Path = option(..., "A new folder.", flags=("-o", "--output"), metavar="FOLDER")
    as_json: bool = shared.JSON


class MemberOptions(Options):
    """Options of ``evosdc member`` and `evosdc.member`."""

    judge: bool = option(False, "Ask judges that the search did not use; takes some seconds more.")
    as_json: bool = shared.JSON
