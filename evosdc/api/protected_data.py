"""What protecting data of the user's own gives back, and the run that gives it."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evosdc.api.html import heading, paragraphs, table, write_page
from evosdc.api.requirements import Requirement
from evosdc.api.tables import as_given, ordered_by
from evosdc.plugins.registry import default_registry
from evosdc.runs.result import Result, Scored, SecondOpinion, Verdict
from evosdc.secret import Key, Seed
from evosdc.table.table import Rows, Table

if TYPE_CHECKING:
    from evosdc.experiment.config.experiment import Experiment
    from evosdc.experiment.run.display import Display

Data = TypeVar("Data")

_UNTIL_THE_END: "dict[str, TemporaryDirectory[str]]" = {}
"""Folders of runs whose recipe was asked for, so that its path outlives the object that it was asked of."""


@dataclass(frozen=True)
class Rated:
    """A masked file's figures.

    Parameters
    ----------
    label : str
        How it was made.
    score : tuple of float
        Its fitness: one number, or one for each objective.
    il, dr : float or None
        Information loss and disclosure risk, 0..100; None where no measure of that kind was taken.
    scores : mapping of str to float
        By measure.
    """

    label: str
    score: tuple[float, ...]
    il: float | None
    dr: float | None
    scores: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class ProtectedData(Generic[Data]):
    """What `protect` found.

    Parameters
    ----------
    frame : frame or Table
        The protected data in the form of those given, without identifiers and what is to be dropped.
    best : Rated
        The figures of that file.
    classical : Rated or None
        The best file without a search: a masking method at its best parameters.
    front : tuple of Rated
        Files that no other one found beats in every objective; of IL and DR where there is a single one.
    requirements : tuple of Requirement
    result : Result
        The content of ``result.json``: ``result.verdict.publishable``, ``result.best.scores``.
    folder : Path or None
        Where the run is, with its report; None where no folder was asked for.
    roles : mapping of str to str
        For a frame, by column the role that was proposed and why.
    rows : ndarray of int or None
        By published record, the position of the original one: for you alone, never to be published. None where records
        keep their order.
    """

    frame: Data
    best: Rated
    classical: Rated | None
    front: tuple[Rated, ...]
    requirements: tuple[Requirement, ...]
    result: Result
    folder: Path | None
    roles: Mapping[str, str] = field(default_factory=dict)
    rows: Rows | None = field(default=None, repr=False)
    _run: Path | None = field(default=None, repr=False)
    _kept: "TemporaryDirectory[str] | None" = field(default=None, repr=False)

    @property
    def scores(self) -> Mapping[str, float]:
        """The scores of the best file by measure, with ``il`` and ``dr``."""
        return self.best.scores

    @property
    def verdict(self) -> Verdict:
        """Whether the file may be published, why, on what conditions, and what an analyst can use of it."""
        return self.result.verdict

    @property
    def second_opinion(self) -> SecondOpinion:
        """Whether independent judges confirm the claimed risk: ``holds``, ``answered`` of ``asked``, and more."""
        return self.result.second_opinion

    @property
    def publishable(self) -> bool | None:
        """Whether the file may be published, on conditions or without; None where nothing was measured to judge by."""
        return self.verdict.publishable

    @property
    def il(self) -> float | None:
        """Information loss, 0..100."""
        return self.best.il

    @property
    def dr(self) -> float | None:
        """Disclosure risk, 0..100."""
        return self.best.dr

    @property
    def score(self) -> tuple[float, ...]:
        """The fitness."""
        return self.best.score

    @property
    def warnings(self) -> tuple[str, ...]:
        """What has to be known before the data are released."""
        return tuple(self.result.warnings)

    @property
    def recipe(self) -> Path | None:
        """The recipe file that the run left, for `evosdc.explain` and `evosdc.apply`; None where it found none.

        Copy it elsewhere where no folder was asked for: it lasts until the program ends.
        """
        from evosdc.runs.layout import RECIPE

        file = None if self._run is None else self._run / RECIPE
        if self._kept is not None:
            _UNTIL_THE_END.setdefault(self._kept.name, self._kept)
        return file if file is not None and file.exists() else None

    def report(self, path: str | Path = "report.html", overwrite: bool = False) -> Path:
        """Write the report of the run and return where it is.

        Raises
        ------
        DataError
            The path cannot be written, or a file exists there and `overwrite` is not true.
        """
        from evosdc.api.html import require_free
        from evosdc.report import write_report

        if self._run is None:
            return write_page(path, "Protected data", self._repr_html_(), overwrite)
        require_free(path, overwrite)
        return write_report([self._run], Path(path))

    def to_json(self) -> dict[str, Any]:
        """Return the content of ``result.json``; it holds no record."""
        return self.result.to_json()

    def _repr_html_(self) -> str:
        verdict, opinion = self.verdict, self.second_opinion
        parts = [
            heading(f"{verdict.line}.", None if verdict.conditions and verdict.publishable else verdict.publishable)
        ]
        parts.append(paragraphs([*verdict.reasons, *(f"Before: {text}" for text in verdict.conditions)]))
        for found in sorted(self.requirements, key=lambda found: found.met):
            words = "met" if found.met else "NOT met"
            title = "Kept besides by evosdc" if found.own else "Required"
            parts.append(heading(f"{title} {found.words}: {words} ({found.value:g}).", found.met))
        if opinion.answered:
            parts.append(heading(f"Second opinion: {opinion.text}", opinion.holds))
        others = [("best without a search", self.classical)] if self.classical is not None else []
        rated = [*others, ("best found", self.best)]
        names = list(dict.fromkeys(name for _, entry in rated for name in entry.scores))
        rows = [(name, *(entry.scores.get(name) for _, entry in rated)) for name in names]
        parts.append(table(["less is better", *(title for title, _ in rated)], rows))
        parts.append(paragraphs(f"Warning: {text}" for text in self.warnings))
        changed = ", ".join(f"{name} {count}" for name, count in self.result.changed.items())
        parts.append(paragraphs([f"Of {self.result.records} records, values changed: {changed}."]))
        if self.roles:
            parts.append(table(["column", "role and reason"], list(self.roles.items())))
        return "".join(parts)


@dataclass(frozen=True)
class Given(Generic[Data]):
    """Data as a user gave them, as a table, what of them is protected, the roles proposed, and how to publish them."""

    data: Data
    original: Table
    protect: tuple[str, ...]
    roles: Mapping[str, str]
    neutralise_formulas: bool = False
    shuffle: bool = True


def protected(
    given: Given[Data],
    experiment_on: Callable[[Mapping[str, Any]], "Experiment"],
    folder: str | Path | None,
    command: str,
    display: "Display | None" = None,
    seed: Seed | None = None,
) -> ProtectedData[Data]:
    """Run an experiment on data of the user's own, and return what it found in the form of these.

    Parameters
    ----------
    given : Given
    experiment_on : callable
        Returns the experiment for a source, which is the key ``data`` of an experiment.
    folder : str or Path, optional
        As of `protect`.
    command : str
        What the run folder says of how it came to be.
    display : Display, optional
        That is told how the run goes on.
    seed : Seed, optional
        The seed of the experiment, or the key that it draws from; by default a fresh key.
    """
    from evosdc.experiment.build.data import load_data
    from evosdc.experiment.run.order import published_places
    from evosdc.experiment.run.own_data import with_own_data, withdrawn_unless_begun
    from evosdc.experiment.study.study import run_study
    from evosdc.files.masked_file import read_masked
    from evosdc.report import write_pages
    from evosdc.runs.layout import DATA, RELEASE, read_object
    from evosdc.table.alignment import align_codes

    began = monotonic()
    temporary = TemporaryDirectory(prefix="evosdc-") if folder is None else None
    path = Path(folder) if folder is not None else Path(temporary.name if temporary is not None else "") / "run"
    original = given.original
    with ExitStack() as stack:
        wanted = {
            "protect": list(given.protect),
            "neutralise_formulas": given.neutralise_formulas,
            "shuffle": given.shuffle,
        }
        source = with_own_data({"data": wanted}, original, path)["data"]
        stack.enter_context(withdrawn_unless_begun(path))
        experiment = experiment_on(source)
        key = seed if isinstance(seed, Key) else None
        document = run_study(experiment, path, default_registry(), display, command, monotonic() - began, key)
        result = Result.of(document)
        if folder is not None:
            write_pages(path)
        source = load_data(experiment.data, default_registry())
        left_out = int(read_object(path / RELEASE).get("omitted", 0))
        rows = published_places(path, source, len(original) - left_out)
        published = read_masked(path / result.best.file, source.ordered_by(rows)).table
    if temporary is not None:
        rmtree(path / DATA)  # the report needs no copy of the confidential data
    kept = [name for name in original.schema.names if name in published.schema]
    masked = align_codes(original.take(rows).select(list(given.protect)), published)
    classical = result.portfolio.best
    return ProtectedData(
        as_given(
            ordered_by(given.data, rows) if given.shuffle else given.data, masked, kept, given.neutralise_formulas
        ),
        _rated(result.best, result.best.origin),
        _rated(classical, classical.label) if classical is not None else None,
        tuple(_rated(member, str((member.model_extra or {}).get("origin"))) for member in result.front),
        tuple(Requirement.of(entry.model_dump()) for entry in result.requirements),
        result,
        path if folder is not None else None,
        given.roles,
        rows if given.shuffle else None,
        path,
        temporary,
    )


def _rated(entry: Scored, label: str) -> Rated:
    return Rated(label, tuple(entry.fitness), entry.scores.get("il"), entry.scores.get("dr"), dict(entry.scores))
