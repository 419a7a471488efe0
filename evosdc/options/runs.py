"""Options of the commands on experiment files, runs and members of their fronts."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from evosdc.options import shared
from evosdc.options.model import Options, argument, names, option, texts, time_limit

EXECUTOR = option(
    None,
    "serial, processes, scoop, dask, or a plugin's; default: what the experiment says, else processes.",
    metavar="NAME",
    registered="executor",
    only="command",
)
WORKERS = option(None, "Workers of the executor.", metavar="N", ge=1, only="command")
HOSTS = option(None, "Hosts of the workers, such as node1:8 in each line.", metavar="FILE", only="command")


class RunOptions(shared.JsonOptions):
    """Run an experiment file and write a run folder with the protected file, the scores and a report.

    Exit status 1 if the file breaks a constraint of the experiment. A file that is drawn at random is tested on new
    draws.
    """

    experiment: Path = argument(Path())
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
    settings: Sequence[str] = texts("Override a key: algorithm.generations=50.", "KEY=VALUE", only="command")
    key: Path | None = option(
        None,
        "Secret key of an experiment without a seed; evosdc makes FILE if it does not exist. Default: a new key.",
        metavar="FILE",
        python="The run's folder keeps it in any case.",
    )
    output: Path | None = shared.new_folder("New run folder; default: below runs/.")
    force: bool = shared.FORCE_FOLDER
    report: bool = shared.REPORT
    callback: Callable[..., Any] | Sequence[Callable[..., Any]] = shared.CALLBACK
    progress: bool | None = shared.PROGRESS
    quiet: bool = shared.QUIET


class CheckOptions(shared.FileOptions, shared.JsonOptions):
    """Validate an experiment file: names, parameters, data, attributes. Runs nothing.

    With --data also reports how many records break the schema's edit rules, which combinations of values never occur,
    and which masked attributes follow from others.
    """

    experiment: Path | None = argument(None)
    data: str | None = option(
        None,
        "After EXPERIMENT: check the records of its data too. Without one: check those of DATA, a file or data set.",
        metavar="[DATA]",
        alone="",
        only="command",
    )
    settings: Sequence[str] = texts("Override a key.", "KEY=VALUE", only="command")
    protect: Sequence[str] | None = names("With DATA: attributes to mask; default: quasi-identifiers.")
    threshold: float | None = option(None, "Expected records of a structural zero; default: 5.", gt=0)


class ResumeOptions(shared.JsonOptions):
    """Continue a run or study that was stopped, from its last checkpoint; the result is the same as without a stop.

    You can change executor and workers: they do not change the result. Exit status 1 if the file does not fulfil a
    requirement of the run.
    """

    run_dir: Path = shared.RUN_DIR
    executor: str | None = EXECUTOR
    workers: int | None = WORKERS
    hosts: Path | None = HOSTS
    force: bool = option(False, "Continue although the version of evosdc or a plugin, or the schema, changed.")
    report: bool = shared.REPORT
    quiet: bool = shared.QUIET


class FinishOptions(shared.JsonOptions):
    """End a run or study from another terminal or computer: it writes its best file so far, front and report.

    A run ends after its current generation, and evosdc resume can continue it. If a run was killed, its files are
    written from the newest checkpoint. Exit status 1 if the run did not end in time, or its best file does not fulfil
    a requirement.
    """

    run_dir: Path = shared.RUN_DIR
    time: float = time_limit("How long to wait for a run to end.", 120.0, flags=("--wait",))


class WatchOptions(Options):
    """Follow a run or a study until it ends; Ctrl-C leaves it alone. Exit status 0 when it finished, else 1."""

    run_dir: Path = shared.RUN_DIR
    interval: float = option(1.0, "Seconds between two updates.", metavar="SECONDS", ge=0.1, le=3600)


class ReportOptions(shared.JsonOptions):
    """Write one self-contained HTML page about one or more runs; nothing is evaluated again.

    The page is as confidential as the original. --for-users writes a page that may be published: method, codebook, and
    how to correct for the masking of each column. For one run without --output both pages are written into its folder,
    as at its end; the page for users only if the verdict does not forbid publication.
    """

    run_dirs: Sequence[Path] = shared.RUN_DIRS
    output: Path | None = option(
        None,
        "By default report.html in the folder of the run or study; of several, in the current folder.",
        metavar="FILE",
    )
    force: bool = shared.FORCE
    for_users: bool = option(False, "Write the page for users of a run's file, which may be published.")


class DossierOptions(shared.JsonOptions):
    """Write the dossier of a release as one page: the evidence for a decision, and who signs it.

    Purpose, recipients, environment, attackers, identifiers, thresholds with reasons, methods, tests by attack, a
    protocol for people who try to re-identify, utility, suppressions, earlier releases, review and sign-off; and which
    section serves ISO/IEC 27559, ICO, UKAN, HIPAA, EMA 0070 and NIST SP 800-188. A question without an answer stays
    visible.
    """

    run_dir: Path = argument(Path(), metavar="RUN")
    release: Path | None = option(
        None,
        "What evosdc cannot know: purpose, recipients, sign-off. Default: release.toml in the run folder; if it does "
        "not exist, evosdc writes it with the questions.",
        metavar="FILE",
    )
    output: Path | None = option(None, "By default dossier.html in the run folder.", metavar="FILE")
    force: bool = shared.FORCE


class CompareOptions(shared.JsonOptions):
    """Compare the searches of finished runs by rank tests and effect sizes; nothing is evaluated again.

    Runs that differ only in their seeds count as one search; runs of studies, too. The tests compare fitness, IL and DR
    of the best files, and hypervolume, IGD+ and the additive epsilon indicator of the fronts.
    """

    run_dirs: Sequence[Path] = shared.RUN_DIRS
    paired: bool = option(False, "Runs of the same seed belong together: Wilcoxon's test of signed ranks.")
    surfaces: Path | None = option(
        None, "Write the attainment surfaces of each search.", metavar="FILE.csv", only="command"
    )
    force: bool = shared.FORCE


class StudyReportOptions(shared.JsonOptions):
    """Test whether searches differ over data sets and seeds; nothing is evaluated again.

    FOLDER is a study, or a run. Friedman's test with Nemenyi's post-hoc test ranks the searches over data sets,
    Wilcoxon's test within data sets and A12 with a bootstrap interval compare them in pairs, and curves show the share
    of targets reached by number of evaluations.
    """

    folders: Sequence[Path] = argument((), metavar="FOLDER ...")
    figure: Literal["fitness", "il", "dr"] = option("fitness", "Figure of the best file; less is better.")
    block: Sequence[str] = texts("A key, such as genotype.k, whose values make blocks as data sets do.", "KEY")
    output: Path | None = option(None, "Write a page with tables and curves.", metavar="FILE.html", only="command")
    ioh: Path | None = option(
        None, "Write the progress of all runs for IOHanalyzer.", metavar="FILE.csv", only="command"
    )
    force: bool = shared.FORCE


class ExportOptions(shared.JsonOptions):
    """Write the protected file of MEMBER of the Pareto front, and a manifest beside it.

    MEMBER is its number in front.csv, 0 for the least loss; or best, the run's own file; knee, balanced, il=20,
    il=20,dr=15. The crosswalk in the run folder says which record is which, for you alone.
    """

    run_dir: Path = shared.RUN_DIR
    member: str = argument("")
    neutralise_formulas: bool = shared.NEUTRALISE
    output: Path = option(..., "The protected file.", metavar="FILE.csv")
    shuffle: bool = shared.SHUFFLE
    force: bool = shared.FORCE


class ChooseOptions(shared.JsonOptions):
    """Make MEMBER of the Pareto front the best file, in a run folder of its own.

    The protected file, its verdict, second opinion, recipe, report and page for users are then those of the member.
    MEMBER is its number in front.csv, 0 for the least loss; or best, the run's own file; knee, balanced, il=20,
    il=20,dr=15. Nothing is searched again; the run stays as it is.
    """

    run_dir: Path = shared.RUN_DIR
    member: str = argument("")
    output: Path = option(..., "A new folder.", metavar="FOLDER")


class MemberOptions(shared.JsonOptions):
    """Show for MEMBER of the Pareto front what the report shows for the best file; write nothing.

    MEMBER is a number in front.csv (0 has the least loss), or best (the run's own file), knee, balanced, il=20, or
    il=20,dr=15.
    """

    run_dir: Path = shared.RUN_DIR
    member: str = argument("")
    judge: bool = option(False, "Let judges attack the file, too; takes some seconds.")


class StatusOptions(shared.JsonOptions):
    """Show how a run or a study is doing: state, best file, speed, time left. Does not touch it.

    Exit status 2 if files of the run are missing, or the published file was changed.
    """

    run_dir: Path = shared.RUN_DIR
