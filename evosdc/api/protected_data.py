"""What protecting data of the user's own gives back, and the run that gives it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evosdc.api.html import Shown, heading, paragraphs, table, told, write_page
from evosdc.api.requirements import Requirement
from evosdc.api.tables import as_given, ordered_by
from evosdc.errors import DataError, Fault
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import DATA
from evosdc.runs.result import Result, Scored, SecondOpinion, Verdict
from evosdc.secret import Key, Seed
from evosdc.table.schema import Role
from evosdc.table.table import Rows, Table

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.api.picture import Picture
    from evosdc.experiment.display import Display
    from evosdc.experiment.experiment import DataSource, Experiment

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


@dataclass(frozen=True, eq=False, repr=False)
class ProtectedData(Shown, Generic[Data]):
    """What `protect` found.

    Parameters
    ----------
    frame : frame or Table
        The protected data in the form of those given, without identifiers and what is to be dropped.
    best : Rated
        The figures of that file.
    classical : Rated or None
        The best file without a search: a masking method at its best parameters.
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
    requirements: tuple[Requirement, ...]
    result: Result
    folder: Path | None
    roles: Mapping[str, str] = field(default_factory=dict)
    rows: Rows | None = field(default=None, repr=False)
    _kept: "_Kept[Data] | None" = field(default=None, repr=False)

    @property
    def scores(self) -> Mapping[str, float]:
        """The scores of the best file by measure, with ``il`` and ``dr``."""
        return self.best.scores

    @property
    def front(self) -> "pd.DataFrame":
        """Files that no other one beats in every objective, by number: ``made by score il dr``, and measures.

        Of a search with a single objective, files that no other one beats in both IL and DR.
        """
        import pandas as pd

        rows = []
        for member in self.result.front:
            fitness, scores = member.fitness, dict(member.scores)
            names = ["score"] if len(fitness) == 1 else [f"score {place}" for place in range(1, len(fitness) + 1)]
            both = {name: scores.pop(name) for name in ("il", "dr") if name in scores}
            made = {"made by": (member.model_extra or {}).get("origin")}
            rows.append(made | dict(zip(names, fitness, strict=True)) | both | scores)
        return pd.DataFrame(rows).rename_axis("number")

    def choose(self, which: int | str | Mapping[str, float], output: str | Path | None = None) -> "ProtectedData[Data]":
        """Return another file of the front with its own verdict, as `evosdc.choose`; nothing is searched again.

        Parameters
        ----------
        which : int, str or mapping
            Its number in `front`; or ``"knee"``, ``"balanced"``, ``"il=20,dr=15"``, ``{"il": 20, "dr": 15}``.
        output : str or Path, optional
            A new folder for it; by default none is kept.

        Raises
        ------
        InputError
            There is no such file, or the folder is not empty.

        Examples
        --------
        >>> knee = found.choose("knee")  # doctest: +SKIP
        >>> knee.frame, knee.publishable  # doctest: +SKIP
        """
        if self._kept is None:
            raise DataError(Fault("choose", "data that no search of this program made", "what `protect` returned"))
        return self._kept.chosen(which, None if output is None else Path(output))

    def plot(self) -> "Picture":
        """Return a picture of loss and risk: the front, the file, and the best one without a search."""
        from evosdc.api.picture import points

        front = self.front
        series = {"front": list(zip(front["il"], front["dr"], strict=True)) if {"il", "dr"} <= {*front} else []}
        for name, one in (("best without a search", self.classical), ("this file", self.best)):
            if one is not None and one.il is not None and one.dr is not None:
                series[name] = [(one.il, one.dr)]
        return points("Loss and risk of protected files", "information loss", "disclosure risk", series)

    @property
    def verdict(self) -> Verdict:
        """Whether the file may be published, why, on what conditions, and what an analyst can use of it."""
        found = self.result.verdict
        words = {"reasons": list(map(told, found.reasons)), "conditions": list(map(told, found.conditions))}
        return found.model_copy(update=words)

    @property
    def second_opinion(self) -> SecondOpinion:
        """Whether independent judges confirm the claimed risk: ``holds``, ``answered`` of ``asked``, and more."""
        found = self.result.second_opinion
        return found.model_copy(update={"text": told(found.text)})

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
        return tuple(map(told, self.result.warnings))

    @property
    def recipe(self) -> Path | None:
        """The recipe file that the run left, for `evosdc.explain` and `evosdc.apply`; None where it found none.

        Copy it elsewhere where no folder was asked for: it lasts until the program ends.
        """
        from evosdc.runs.layout import RECIPE

        file = None if self._kept is None else self._kept.run / RECIPE
        for temporary in () if self._kept is None else self._kept.temporary:
            _UNTIL_THE_END.setdefault(temporary.name, temporary)
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

        if self._kept is None:
            return write_page(path, "Protected data", self._repr_html_(), overwrite)
        require_free(path, overwrite)
        return write_report([self._kept.run], Path(path))

    def to_json(self) -> dict[str, Any]:
        """Return the content of ``result.json``; it holds no record."""
        return self.result.to_json()

    def _lines(self) -> Iterator[str]:
        verdict, opinion = self.verdict, self.second_opinion
        yield f"{verdict.line}."
        yield from (f"- {text}" for text in verdict.reasons[:3])
        yield from (f"- before: {text}" for text in verdict.conditions[:2])
        wanted = [f"{one.words}: {'met' if one.met else 'NOT met'} ({one.value:g})" for one in self.requirements]
        if wanted:
            yield f"Required: {'; '.join(wanted)}."
        if opinion.answered:
            yield f"Second opinion: {opinion.text}"
        for title, one in (("This file", self.best), ("Best without a search", self.classical)):
            if one is not None:
                figures = [
                    f"{word} {value:.2f}" for word, value in (("IL", one.il), ("DR", one.dr)) if value is not None
                ]
                yield f"{title}: {', '.join(figures) or f'score {one.score}'} ({one.label})."
        yield f"Records: {self.result.records}; front: {len(self.result.front)} files."
        if self.folder is not None:
            yield f"Folder: {self.folder}"
        yield 'Next: .frame, .front, .plot(), .choose("knee"), .warnings, .report("report.html")'

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
    from evosdc.experiment.data import with_own_data, withdrawn_unless_begun
    from evosdc.experiment.study import run_study
    from evosdc.report import write_pages

    began = monotonic()
    temporary = [TemporaryDirectory(prefix="evosdc-")] if folder is None else []
    path = Path(folder) if folder is not None else Path(temporary[0].name) / "run"
    with ExitStack() as stack:
        wanted = {
            "protect": list(given.protect),
            "neutralise_formulas": given.neutralise_formulas,
            "shuffle": given.shuffle,
        }
        source = with_own_data({"data": wanted}, given.original, path)["data"]
        stack.enter_context(withdrawn_unless_begun(path))
        experiment = experiment_on(source)
        key = seed if isinstance(seed, Key) else None
        document = run_study(experiment, path, default_registry(), display, command, monotonic() - began, key)
        if folder is not None:
            write_pages(path)
        found = _Kept(given, experiment.data, path, path, tuple(temporary)).found(document, folder is not None)
    if temporary:
        rmtree(path / DATA)  # the report needs no copy of the confidential data
    return found


@dataclass(frozen=True)
class _Kept(Generic[Data]):
    """A run on data of the user's own, from which its files can be read and other members of its front be chosen.

    `home` is the folder whose ``data`` the run reads, and `temporary` the folders that last as long as the result.
    """

    given: Given[Data]
    source: "DataSource"
    run: Path
    home: Path
    temporary: "tuple[TemporaryDirectory[str], ...]"

    def found(self, document: Mapping[str, Any], kept: bool) -> ProtectedData[Data]:
        """Return what the run found, in the form of the data; `kept` is whether the user named its folder."""
        from evosdc.experiment.data import load_data
        from evosdc.files.masked_file import read_masked
        from evosdc.runs.layout import RELEASE, read_object
        from evosdc.runs.published import published_places
        from evosdc.table.alignment import align_codes

        given, original, result = self.given, self.given.original, Result.of(document)
        source = load_data(self.source, default_registry())
        left_out = int(read_object(self.run / RELEASE).get("omitted", 0))
        rows = published_places(self.run, source, len(original) - left_out)
        published = read_masked(self.run / result.best.file, source.ordered_by(rows)).table
        names = [name for name in original.schema.names if name in published.schema]
        changed = [*given.protect, *original.schema.with_role(Role.HOUSEHOLD)]
        changed = [name for name in dict.fromkeys(changed) if name in published.schema]
        masked = align_codes(original.take(rows).select(changed), published)
        classical = result.portfolio.best
        data = ordered_by(given.data, rows) if given.shuffle else given.data
        return ProtectedData(
            as_given(data, masked, names, given.neutralise_formulas),
            _rated(result.best, result.best.origin),
            _rated(classical, classical.label) if classical is not None else None,
            tuple(Requirement.of(entry.model_dump()) for entry in result.requirements),
            result,
            self.run if kept else None,
            given.roles,
            rows if given.shuffle else None,
            self,
        )

    def chosen(self, which: int | str | Mapping[str, float], output: Path | None) -> ProtectedData[Data]:
        """Return a member of the front as the best file of a run of its own."""
        from evosdc.experiment.data import write_own_data
        from evosdc.experiment.members import choose_member, named_member
        from evosdc.report import write_pages

        own = [TemporaryDirectory(prefix="evosdc-")] if output is None else []
        target = output if output is not None else Path(own[0].name) / "run"
        absent = not (self.home / DATA).exists()
        if absent:
            write_own_data(self.given.original, self.home / DATA)
        try:
            result = choose_member(self.run, named_member(which), target, default_registry(), None, "evosdc.choose")
            if output is not None:
                write_pages(target)
            kept = _Kept(self.given, self.source, target, self.home, (*self.temporary, *own))
            return kept.found(result, output is not None)
        finally:
            if absent:
                rmtree(self.home / DATA)


def _rated(entry: Scored, label: str) -> Rated:
    return Rated(label, tuple(entry.fitness), entry.scores.get("il"), entry.scores.get("dr"), dict(entry.scores))
