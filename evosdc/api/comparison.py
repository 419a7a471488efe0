"""``evosdc.compare``."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.api.html import Shown, paragraphs, table, write_page
from evosdc.options.model import read, takes
from evosdc.options.runs import CompareOptions

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.api.picture import Picture


class Compared(Shown, dict[str, Any]):
    """Searches side by side, as `evosdc.runs.comparison.compare_runs` returns them, and as frames.

    Examples
    --------
    >>> found = evosdc.compare(["runs/nsga2", "runs/moead"])  # doctest: +SKIP
    >>> found.sentences, found.frame, found.tests, found.surfaces  # doctest: +SKIP
    """

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the tests say."""
        from evosdc.runs.comparison import sentences

        return tuple(sentences(self))

    @property
    def frame(self) -> "pd.DataFrame":
        """A row a run: ``search folder seed fitness il dr hypervolume igd_plus epsilon``."""
        import pandas as pd

        return pd.DataFrame([{"search": group["label"], **run} for group in self["groups"] for run in group["runs"]])

    @property
    def tests(self) -> "pd.DataFrame":
        """A row a figure and pair of searches: ``figure first second p p_holm a12 effect better``."""
        import pandas as pd

        columns = ["figure", "first", "second", "p", "p_holm", "a12", "effect", "better"]
        return pd.DataFrame(list(self._tests()), columns=columns)

    @property
    def surfaces(self) -> "pd.DataFrame":
        """A row a corner of an attainment surface: ``search surface il dr``."""
        import pandas as pd

        rows = [
            (group["label"], name, *corner)
            for group in self["groups"]
            for name, corners in group["surfaces"].items()
            for corner in corners
        ]
        return pd.DataFrame(rows, columns=["search", "surface", "il", "dr"])

    def report(self, path: str | Path = "comparison.html", overwrite: bool = False) -> Path:
        """Write a page with the comparison and return where it is; raises `DataError` where a file exists."""
        return write_page(path, "Searches compared", self._repr_html_(), overwrite)

    def plot(self) -> "Picture":
        """Return a picture of the attainment surfaces of each search."""
        from evosdc.api.picture import points

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


@takes(CompareOptions)
def compare(folders: Sequence[str | Path] | str | Path, *, paired: bool = False) -> Compared:
    """Compare the searches of finished runs by rank tests and effect sizes, as ``evosdc compare`` does.

    Parameters
    ----------
    folders : sequence of str or Path
        Run folders, or folders of studies. Runs that differ in their seeds alone are one search.
    {options}

    Raises
    ------
    InputError
        A folder is no run, a run has no result, or the runs cannot be compared.
    """
    from evosdc.runs.comparison import compare_runs
    from evosdc.runs.reader import read_run_folders

    options = read(CompareOptions, {"paired": paired})
    listed = [folders] if isinstance(folders, str | Path) else folders
    return Compared(compare_runs(read_run_folders([Path(folder) for folder in listed]), options.paired))
