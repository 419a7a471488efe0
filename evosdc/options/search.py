"""Options of the commands that search: protect, tune, limit."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from evosdc.options import shared
from evosdc.options.model import Options, names, option, time_limit


class ProtectOptions(shared.FileOptions, shared.JsonOptions):
    """Protect DATA, a file or the name of a built-in data set, with good defaults.

    Looks for the file of least information loss that is expected to keep the bound of --audience. Finds the best
    parameters of every masking method, evolves the masked files, lets judges that the search did not use check the
    result, and writes the best file, the front and a report. The exit status is 1 if the file must not be published or
    misses a requirement. --require publishable also refuses a verdict with conditions; --require "publishable on
    conditions" accepts them.
    """

    data: str = shared.DATA
    protect: Sequence[str] | None = shared.PROTECT
    fitness: str | None = shared.FITNESS
    audience: Literal["public", "researchers", "safe-room"] | None = shared.AUDIENCE
    bound: float | None = shared.BOUND
    il: Sequence[str] | None = shared.IL
    dr: Sequence[str] | None = shared.DR
    require: Sequence[str] = shared.REQUIRE
    time: float | None = time_limit(
        "End the whole command after this time, from the start of the program to the report. Without it, the search "
        "ends when it no longer improves. The steps after the search take at most 30 % of the time, for a very large "
        "file half."
    )
    generations: int | None = shared.GENERATIONS
    tune: bool = option(
        True,
        "Start with the best parameters of masking methods, found in a fifth of the time; else with a portfolio.",
    )
    explainable: bool = option(
        False,
        "Publish the file of a plan of masking methods, which can be explained and repeated; see docs/recipes.md.",
    )
    truthful: bool = option(
        False,
        "Publish only true values, some of them coarser or left out. Groups have 11, 5 or 3 people, according to the "
        "audience, or as many as the requirements say.",
    )
    second_opinion: bool = option(
        True, "Let judges that the search did not use attack the result; takes some seconds more."
    )
    structural_zeros: bool = option(
        True, "Prevent combinations that never occur in the data although 5 records or more are expected."
    )
    population: Path | None = option(
        None, "A file of the population, for required privacy models that compare.", metavar="FILE", only="command"
    )
    earlier: Sequence[Any] = shared.EARLIER
    choose: str | Mapping[str, float] | None = option(
        None,
        "Which member of the front is published: knee, balanced, il=20, il=20,dr=15; default: the best by the fitness.",
        metavar="CHOICE",
    )
    neutralise_formulas: bool = shared.NEUTRALISE
    shuffle: bool = shared.SHUFFLE
    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    executor: str | Mapping[str, Any] | None = shared.EXECUTOR
    workers: int | None = shared.WORKERS
    output: Path | None = shared.OUTPUT_FOLDER
    check: bool = option(False, "Only check that the search can begin: data, attributes, requirements.", only="command")
    report: bool = shared.REPORT
    callback: Callable[..., Any] | Sequence[Callable[..., Any]] = shared.CALLBACK
    progress: bool | None = shared.PROGRESS
    quiet: bool = shared.QUIET


class TuneOptions(shared.FileOptions, shared.JsonOptions):
    """Find the best parameters of every masking method for DATA, a file or the name of a built-in data set.

    evosdc prints each method at its best, also with parameters for each column, and the best chains of two methods,
    with the command that repeats the best file. It measures files as evosdc protect does, or by --il and --dr. Without
    -o it writes nothing. No file of tune has a verdict: for a release use evosdc protect.
    """

    data: str = shared.DATA
    protect: Sequence[str] | None = shared.PROTECT
    fitness: str | Mapping[str, Any] | None = option(
        None,
        "How IL and DR are combined; default: the least loss within the bound of the audience.",
        metavar="NAME",
        python='Here by default "max"; a mapping gives parameters.',
        registered="fitness",
    )
    audience: Literal["public", "researchers", "safe-room"] | None = option(
        None, "Who gets the file; sets the bound, as in evosdc protect.", only="command"
    )
    bound: float | None = option(
        None, "Own bound in per cent, as in evosdc protect.", metavar="PERCENT", only="command", gt=0, le=100
    )
    il: Sequence[str] | None = shared.IL
    dr: Sequence[str] | None = shared.DR
    require: Sequence[str] = shared.REQUIRE
    methods: Sequence[str] | None = names(
        "Masking methods to tune; default: all that fit.", registered="masking-method"
    )
    time: float | None = time_limit("Stop after this time, counted from the start of the program.")
    evaluations: int | None = option(
        None, "Files to try at most; default: 2000, or as many as the time allows.", metavar="N", ge=1
    )
    neutralise_formulas: bool = shared.NEUTRALISE_FILES
    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    executor: str | Mapping[str, Any] | None = option(
        None, "Where files are measured; default: processes.", metavar="NAME", only="command"
    )
    workers: int | None = option(None, "Workers of the executor.", metavar="N", ge=1, only="command")
    output: Path | None = shared.new_folder(
        "New folder for the best file, its key, and an experiment that starts a search from it."
    )
    quiet: bool = shared.QUIET

    def as_protection(self) -> ProtectOptions:
        """Return the goal and the means as options of `protect`."""
        shared = ("protect", "audience", "bound", "il", "dr", "require", "seed", "executor", "workers")
        fitness = self.fitness if isinstance(self.fitness, str) else None
        return ProtectOptions(**self.model_dump(include={*shared}), fitness=fitness, structural_zeros=False)


class LimitOptions(Options):
    """Options of ``evosdc limit`` and `evosdc.limit`."""

    protect: Sequence[str] | None = shared.PROTECT
    il: Sequence[str] | None = names("Measures of information loss; default: those of the limit offered first.")
    dr: Sequence[str] | None = names(
        'Measures of disclosure risk, likewise. A risk has a limit where it is made of guesses: ["guess-gain", "dbrl"].'
    )
    time: float | None = time_limit("Time that it may take; default: as long as it takes.")
