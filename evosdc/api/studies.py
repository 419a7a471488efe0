"""``evosdc.study_report``."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.api.html import Shown, paragraphs, require_free, table, write_page
from evosdc.options.model import read, takes
from evosdc.options.runs import StudyReportOptions

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.api.picture import Picture
    from evosdc.runs.reader import RecordedRun

_PAIR = ("first", "second", "a12", "low", "high", "effect", "p_blocked", "p_holm", "p_nemenyi", "better")


class StudyReport(Shown, dict[str, Any]):
    """Statistics of a study, as `evosdc.runs.study_tests.study_statistics` returns them, and as frames.

    Examples
    --------
    >>> found = evosdc.study_report("runs/study")  # doctest: +SKIP
    >>> found.sentences, found.ranks, found.pairs, found.curves  # doctest: +SKIP
    """

    def __init__(self, found: dict[str, Any], runs: Sequence["RecordedRun"], block: Sequence[str]) -> None:
        super().__init__(found)
        self._runs, self._block = runs, block

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the tests say."""
        from evosdc.runs.study_tests import sentences

        return tuple(sentences(self))

    @property
    def frame(self) -> "pd.DataFrame":
        """A row a data set and search: ``data search runs median best worst``."""
        import pandas as pd

        rows = [
            {"data": self["blocks"][cell["block"]], **cell, "search": self["searches"][cell["search"]]}
            for cell in self["cells"]
        ]
        return pd.DataFrame(rows).drop(columns="block")

    @property
    def ranks(self) -> "pd.DataFrame":
        """A row a search: ``search mean_rank``, the best first; empty where ranks were not tested."""
        import pandas as pd

        ranks = (self["friedman"] or {}).get("mean_ranks", ())
        frame = pd.DataFrame(zip(self["searches"], ranks, strict=False), columns=["search", "mean_rank"])
        return frame.sort_values("mean_rank", ignore_index=True)

    @property
    def pairs(self) -> "pd.DataFrame":
        """A row a pair of searches: ``first second a12 low high effect p_blocked p_holm p_nemenyi better``."""
        import pandas as pd

        return pd.DataFrame(list(self._pairs()), columns=list(_PAIR))

    @property
    def curves(self) -> "pd.DataFrame":
        """A row a point of an anytime curve: ``search evaluations share``."""
        import pandas as pd

        rows = [(search, *point) for search, curve in self["curves"].items() for point in curve]
        return pd.DataFrame(rows, columns=["search", "evaluations", "share"])

    def plot(self) -> "Picture":
        """Return the anytime curves: the share of targets that each search reached after so many evaluations."""
        from evosdc.api.picture import points

        lines = {search: [(at, share) for at, share in curve] for search, curve in self["curves"].items()}
        return points("Targets reached", "evaluations", "share", lines, list(lines))

    def report(self, path: str | Path = "study.html", overwrite: bool = False) -> Path:
        """Write a page with the statistics and return where it is; raises `DataError` where a file exists."""
        return write_page(path, "Statistics of a study", self._repr_html_(), overwrite)

    def export(self, path: str | Path = "progress.csv", overwrite: bool = False) -> Path:
        """Write the progress of all runs for IOHanalyzer, as its custom csv format, and return where it is."""
        from evosdc.files.atomic import write_text
        from evosdc.printing import csv_text
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


@takes(StudyReportOptions)
def study_report(
    folders: Sequence[str | Path] | str | Path, *, figure: str = "fitness", block: Sequence[str] | str = ()
) -> StudyReport:
    """Test whether searches differ over data sets and seeds, as ``evosdc study report`` does.

    Parameters
    ----------
    folders : sequence of str or Path
        Folders of studies, or of runs. Runs of one data set and search are its repetitions.
    {options}

    Raises
    ------
    InputError
        A folder is no run, a run has no result, or the runs cannot be compared.
    """
    from evosdc.runs.reader import read_run_folders
    from evosdc.runs.study_tests import study_statistics

    options = read(StudyReportOptions, {"figure": figure, "block": block})
    listed = [folders] if isinstance(folders, str | Path) else folders
    runs = read_run_folders([Path(folder) for folder in listed])
    return StudyReport(study_statistics(runs, options.figure, options.block), runs, options.block)
