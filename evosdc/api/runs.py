"""``evosdc.run`` and functions on runs: finish, choose, member, dossier, compare, study_report."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from evosdc.api.html import Shown, paragraphs, require_free, table
from evosdc.api.outcome import Outcome
from evosdc.api.picture import Picture, bars, points
from evosdc.api.progress import shown
from evosdc.api.tables import as_table
from evosdc.assess.intruder import measured_by
from evosdc.errors import Fault, ParameterError
from evosdc.files.atomic import write_text
from evosdc.options import runs as options_of
from evosdc.options.model import read, takes
from evosdc.plugins.registry import default_registry
from evosdc.printing import csv_text
from evosdc.runs.layout import RESULT, free_folder
from evosdc.runs.result import Result
from evosdc.secret import Key, chosen_seed

if TYPE_CHECKING:
    from evosdc.experiment.experiment import Experiment
    from evosdc.runs.reader import RecordedRun


class RunResult(Outcome, dict[str, Any]):
    """The ``result.json`` of a run, with the path of its folder; a notebook shows verdict, scores and requirements."""

    def __init__(self, result: Result, folder: Path) -> None:
        super().__init__(result.to_json(), folder=str(folder))
        self.result, self.folder, self.roles = result, folder, {}

    def renew(self, result: Result) -> None:
        """Take over a result that was written again."""
        super().renew(result)
        self.update(result.to_json())


@takes(options_of.RunOptions)
def run(
    experiment: "Experiment | Mapping[str, Any] | str | Path", folder: str | Path | None = None, **options: Any
) -> "RunResult":
    """Run an experiment, write its report, and return ``result.json``, with the folder's path under ``folder``.

    Parameters
    ----------
    experiment : Experiment, mapping, str or Path
        A mapping says what an experiment file says; a path is that of a file.
    folder : str or Path, optional
        A new folder for the run; by default one below ``runs`` named after the title.
    {options}

    Raises
    ------
    RunError
        The run failed.

    """
    from evosdc.experiment.data import with_own_data, withdrawn_unless_begun
    from evosdc.experiment.reader import parse_experiment, read_experiment
    from evosdc.experiment.study import run_study
    from evosdc.report import write_pages

    chosen = read(options_of.RunOptions, options)
    experiment = read_experiment(Path(experiment)) if isinstance(experiment, str | Path) else experiment
    given = dict(experiment) if isinstance(experiment, Mapping) else experiment.to_json()
    path = Path(folder) if folder is not None else None
    if chosen.protect is not None:
        given = given | {"data": dict(given.get("data", {})) | {"protect": list(chosen.protect)}}
    with ExitStack() as stack:
        if chosen.data is not None:
            path = path or free_folder(Path("runs"), str(given.get("title") or "experiment"))
            given = with_own_data(given, as_table(chosen.data), path)
            stack.enter_context(withdrawn_unless_begun(path))
        resolved = parse_experiment(given, Path.cwd())
        path = path or free_folder(Path("runs"), resolved.heading)
        drawn = chosen_seed(resolved.seed, chosen.key)
        key, display = drawn if isinstance(drawn, Key) else None, shown(chosen.callback, chosen.progress)
        result = run_study(resolved, path, default_registry(), display, command="evosdc.run", key=key)
    write_pages(path)
    return RunResult(result, path)


@takes(options_of.FinishOptions)
def finish(folder: str | Path | Outcome, **options: Any) -> dict[str, Any]:
    """End a run or study from another program; it writes its best file so far, as ``evosdc finish`` does.

    Parameters
    ----------
    folder : str, Path or result
        Of the run.
    {options}

    Returns
    -------
    dict
        Its status as ``evosdc status --json``, with the paths of the best files under ``files`` and that of the report
        under ``report``.

    """
    from evosdc.experiment import study
    from evosdc.report import write_pages

    path = folder_of(folder)
    found = study.finish(path, default_registry(), read(options_of.FinishOptions, options).time)
    written = [run.folder for run in study.runs_of(found) if (run.folder / RESULT).exists()]
    files = [str(place / Result.read(place).best.file) for place in written]
    report = str(write_pages(path)) if files else None
    return found.to_json() | {"files": files, "report": report}


@takes(options_of.ChooseOptions)
def choose(
    folder: str | Path | Outcome, number: int | str | Mapping[str, float], output: str | Path, **options: Any
) -> RunResult:
    """Make a member of a run's front the best file, in a run folder of its own, as ``evosdc choose`` does.

    Parameters
    ----------
    folder : str, Path or result
        Of the run.
    number : int, str or mapping
        Of the member in ``front.csv``, 0 for the least loss; or ``"best"``, the run's own file;
        ``"knee"``, ``"balanced"``, ``"il=20,dr=15"``, ``{"il": 20, "dr": 15}``.
    {options}

    Returns
    -------
    RunResult
        A dict with its ``result.json``.

    Examples
    --------
    >>> evosdc.choose("runs/first", 3, "runs/third")["best"]["file"]  # doctest: +SKIP
    """
    from evosdc.experiment.members import choose_member, named_member
    from evosdc.report import write_pages

    result = choose_member(folder_of(folder), named_member(number), Path(output), default_registry())
    write_pages(Path(output))
    return RunResult(result, Path(output))


class MemberFindings(Shown, dict[str, Any]):
    """What a report would say of a member of a front; see `evosdc.member`."""

    title, page = "A member of a front", "member.html"

    def plot(self) -> "Picture":
        """Return a picture of the share of records that keep their value, by masked attribute."""
        kept = {str(entry["attribute"]): {"kept": float(entry["kept"])} for entry in self["cross_tables"]}
        return bars("Values that were kept", "per cent of the records", kept)

    def _lines(self) -> Iterator[str]:
        from evosdc.experiment.members import in_words

        scores = ", ".join(f"{name} {value:.3f}" for name, value in self["scores"].items())
        named = in_words(self["member"])
        yield f"{named[0].upper()}{named[1:]} ({self['origin']}): {scores}."
        for entry in self["cross_tables"]:
            yield f"{entry['attribute']}: {entry['kept']:.1f} % of the records keep their value."
        if (people := self["records"]) is not None:
            yield (
                f"An informed intruder is expected to re-identify {people['expected']:.0f} of {people['records']} "
                f"people ({people['percent']:.2f} %, by {measured_by(people)}); "
                f"without protection {people['original_percent']:.2f} %."
            )
            if people.get("at_risk"):
                records = [str(one["record"]) for one in people["at_risk"]]
                more = people["likely"] - len(records)
                yield f"Likelier found than not: records {', '.join(records)}{f' and {more} more' if more > 0 else ''}."
        if tables := self["analyses"].get("tables", ()):
            yield f"{sum(bool(entry['holds']) for entry in tables)} of {len(tables)} tables hold."
        if "second_opinion" in self:
            yield str(self["second_opinion"]["verdict"])


@takes(options_of.MemberOptions)
def member(folder: str | Path | Outcome, number: int | str | Mapping[str, float], **options: Any) -> MemberFindings:
    """Return of a member of a run's front what the report says of its best file, as ``evosdc member`` does.

    Parameters
    ----------
    folder : str, Path or result
        Of the run.
    number : int, str or mapping
        As of `choose`.
    {options}

    Returns
    -------
    MemberFindings
        A dict with ``member origin scores fitness protect cross_tables analyses records``, and with `judge`
        ``second_opinion``.

    Examples
    --------
    >>> evosdc.member("runs/first", 3)["records"]["percent"]  # doctest: +SKIP
    """
    from evosdc.experiment.members import member_findings, named_member

    chosen = read(options_of.MemberOptions, options)
    return MemberFindings(member_findings(folder_of(folder), named_member(number), default_registry(), chosen.judge))


@takes(options_of.DossierOptions)
def dossier(folder: str | Path | Outcome, **options: Any) -> Path:
    """Write the dossier of a release, as ``evosdc dossier`` does, and return where it is.

    Parameters
    ----------
    folder : str, Path or result
        Of a run that has ended.
    {options}

    Examples
    --------
    >>> evosdc.dossier("runs/first", release="release.toml")  # doctest: +SKIP
    """
    from evosdc.report.dossier import write_dossier

    chosen = read(options_of.DossierOptions, options)
    return write_dossier(folder_of(folder), chosen.release, chosen.output)[0]


class Compared(Shown, dict[str, Any]):
    """Searches side by side, as `evosdc.runs.comparison.compare_runs` returns them, and as frames."""

    title, page = "Searches compared", "comparison.html"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings of the tests."""
        from evosdc.runs.comparison import sentences

        return tuple(sentences(self))

    @property
    def frame(self) -> pd.DataFrame:
        """A row a run: ``search folder seed fitness il dr hypervolume igd_plus epsilon``."""
        return pd.DataFrame([{"search": group["label"], **run} for group in self["groups"] for run in group["runs"]])

    @property
    def tests(self) -> pd.DataFrame:
        """A row a figure and pair of searches: ``figure first second p p_holm a12 effect better``."""
        columns = ["figure", "first", "second", "p", "p_holm", "a12", "effect", "better"]
        return pd.DataFrame(list(self._tests()), columns=columns)

    @property
    def surfaces(self) -> pd.DataFrame:
        """A row a corner of an attainment surface: ``search surface il dr``."""
        rows = [
            (group["label"], name, *corner)
            for group in self["groups"]
            for name, corners in group["surfaces"].items()
            for corner in corners
        ]
        return pd.DataFrame(rows, columns=["search", "surface", "il", "dr"])

    def plot(self) -> "Picture":
        """Return a picture of the attainment surfaces of each search."""
        rows = self.surfaces.groupby(["search", "surface"], sort=False)
        lines = {" ".join(map(str, key)): list(zip(own["il"], own["dr"], strict=True)) for key, own in rows}
        return points("Attainment surfaces", "information loss", "disclosure risk", lines, list(lines))

    def _lines(self) -> Iterator[str]:
        yield from self.sentences
        yield "Next: .frame, .tests, .surfaces, .plot()"

    def _tests(self) -> Iterator[tuple[Any, ...]]:
        labels = [group["label"] for group in self["groups"]]
        for figure, tests in self["tests"].items():
            for test in tests:
                first, second = (labels[place] for place in test["groups"])
                better = "" if test["better"] is None else labels[test["better"]]
                yield figure, first, second, test["p"], test["p_holm"], test["a12"], test["effect"], better

    def _repr_html_(self) -> str:
        headings = ["figure", "first", "second", "p", "p (Holm)", "A12", "effect", "better"]
        return paragraphs(self.sentences) + table(headings, self._tests())


@takes(options_of.CompareOptions)
def compare(folders: "Folders", **options: Any) -> Compared:
    """Compare the searches of finished runs by rank tests and effect sizes, as ``evosdc compare`` does.

    Parameters
    ----------
    folders : sequence of str or Path
        Run folders, or folders of studies. Runs that differ in their seeds alone are one search.
    {options}

    Examples
    --------
    >>> found = evosdc.compare(["runs/nsga2", "runs/moead"])  # doctest: +SKIP
    >>> found.sentences, found.frame, found.tests, found.surfaces  # doctest: +SKIP
    """
    from evosdc.runs.comparison import compare_runs

    return Compared(compare_runs(_read(folders), read(options_of.CompareOptions, options).paired))


_PAIR = ("first", "second", "a12", "low", "high", "effect", "p_blocked", "p_holm", "p_nemenyi", "better")


class StudyReport(Shown, dict[str, Any]):
    """Statistics of a study, as `evosdc.runs.study_tests.study_statistics` returns them, and as frames."""

    title, page = "Statistics of a study", "study.html"

    def __init__(self, found: dict[str, Any], runs: Sequence["RecordedRun"], block: Sequence[str]) -> None:
        super().__init__(found)
        self._runs, self._block = runs, block

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings of the tests."""
        from evosdc.runs.study_tests import sentences

        return tuple(sentences(self))

    @property
    def frame(self) -> pd.DataFrame:
        """A row a data set and search: ``data search runs median best worst``."""
        rows = [
            {"data": self["blocks"][cell["block"]], **cell, "search": self["searches"][cell["search"]]}
            for cell in self["cells"]
        ]
        return pd.DataFrame(rows).drop(columns="block")

    @property
    def ranks(self) -> pd.DataFrame:
        """A row a search: ``search mean_rank``, the best first; empty where ranks were not tested."""
        ranks = (self["friedman"] or {}).get("mean_ranks", ())
        frame = pd.DataFrame(zip(self["searches"], ranks, strict=False), columns=["search", "mean_rank"])
        return frame.sort_values("mean_rank", ignore_index=True)

    @property
    def pairs(self) -> pd.DataFrame:
        """A row a pair of searches: ``first second a12 low high effect p_blocked p_holm p_nemenyi better``."""
        return pd.DataFrame(list(self._pairs()), columns=list(_PAIR))

    @property
    def curves(self) -> pd.DataFrame:
        """A row a point of an anytime curve: ``search evaluations share``."""
        rows = [(search, *point) for search, curve in self["curves"].items() for point in curve]
        return pd.DataFrame(rows, columns=["search", "evaluations", "share"])

    def plot(self) -> "Picture":
        """Return the anytime curves: the share of targets that each search reached by number of evaluations."""
        lines = {search: [(at, share) for at, share in curve] for search, curve in self["curves"].items()}
        return points("Targets reached", "evaluations", "share", lines, list(lines))

    def export(self, path: str | Path = "progress.csv", overwrite: bool = False) -> Path:
        """Write the progress of all runs for IOHanalyzer, as its custom csv format, and return where it is."""
        from evosdc.runs.study_tests import arranged, progress_rows

        require_free(path, overwrite)
        write_text(Path(path), csv_text(list(progress_rows(arranged(self._runs, self._block)))))
        return Path(path)

    def _pairs(self) -> Iterator[tuple[Any, ...]]:
        names = self["searches"]
        for pair in self["pairs"]:
            better = "" if pair["better"] is None else names[pair["better"]]
            yield (*(names[s] for s in pair["searches"]), *(pair[key] for key in _PAIR[2:-1]), better)

    def _lines(self) -> Iterator[str]:
        yield from self.sentences
        yield "Next: .frame, .ranks, .pairs, .curves, .plot()"

    def _repr_html_(self) -> str:
        medians = [list(row) for row in self.frame.itertuples(index=False)]
        parts = [paragraphs(self.sentences), table(list(self.frame.columns), medians), table(_PAIR, self._pairs())]
        if len(self.ranks):
            parts.insert(1, table(["search", "mean rank"], self.ranks.itertuples(index=False)))
        if self["curves"]:
            parts.append(self.plot()._repr_html_())
        return "".join(parts)


@takes(options_of.StudyReportOptions)
def study_report(folders: "Folders", **options: Any) -> StudyReport:
    """Test whether searches differ over data sets and seeds, as ``evosdc study report`` does.

    Parameters
    ----------
    folders : sequence of str or Path
        Folders of studies, or of runs. Runs of one data set and search are its repetitions.
    {options}

    Examples
    --------
    >>> found = evosdc.study_report("runs/study")  # doctest: +SKIP
    >>> found.sentences, found.ranks, found.pairs, found.curves  # doctest: +SKIP
    """
    from evosdc.runs.study_tests import study_statistics

    chosen, runs = read(options_of.StudyReportOptions, options), _read(folders)
    return StudyReport(study_statistics(runs, chosen.figure, chosen.block), runs, chosen.block)


Folders = Sequence[str | Path | Outcome] | str | Path | Outcome


def _read(folders: Folders) -> "list[RecordedRun]":
    from evosdc.runs.reader import read_run_folders

    listed = [folders] if isinstance(folders, str | Path | Outcome) else folders
    return list(read_run_folders([folder_of(one) for one in listed]))


def folder_of(given: str | Path | Outcome) -> Path:
    """Return a run folder that is named, or that a result kept."""
    if isinstance(given, str | Path):
        return Path(given)
    if isinstance(given, Outcome) and given.folder is not None:
        return given.folder
    kept = "a result that kept no folder" if isinstance(given, Outcome) else type(given).__name__
    advice = 'evosdc.protect(frame, output="runs/first") keeps one.'
    raise ParameterError(Fault("folder", kept, "a run folder, or a result that has one", advice))
