"""``evosdc.studies`` and ``evosdc.reproduce``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.api.html import heading, table

if TYPE_CHECKING:
    import pandas as pd


class Reproduced(dict[str, Any]):
    """A study that was run again, as ``evosdc reproduce --json`` tells of it.

    Examples
    --------
    >>> found = evosdc.reproduce("kanonymity-lab", check=True)  # doctest: +SKIP
    >>> found["holds"], found.differences, found.results["results.csv"]  # doctest: +SKIP
    """

    @property
    def differences(self) -> "pd.DataFrame":
        """A row for each thing that is not as stored: ``file where said``."""
        import pandas as pd

        rows = [*self.get("stale", ()), *self.get("differences", ())]
        return pd.DataFrame(rows, columns=["file", "where", "said"])

    @property
    def results(self) -> "dict[str, pd.DataFrame]":
        """The tables by name."""
        import pandas as pd

        return {name: pd.read_csv(Path(self["folder"]) / name) for name in self["results"] if name.endswith(".csv")}

    def _repr_html_(self) -> str:
        rows = self.differences
        said = {True: "all as stored", False: f"{len(rows)} differences", None: "not compared"}[self.get("holds")]
        return heading(f"{self['study']}, {self['profile']}: {said}", self.get("holds")) + (
            table(list(rows.columns), rows.itertuples(index=False)) if len(rows) else ""
        )


def studies(folder: str | Path | None = None) -> list[dict[str, Any]]:
    """Return what the studies of the literature say of themselves, as ``evosdc reproduce --json`` lists them.

    Parameters
    ----------
    folder : str or Path, optional
        Folder of studies; default: ``experiments`` here, or that of the clone that evosdc is installed from.

    Returns
    -------
    list of dict
        ``study title source summary reconstruction times stored stale lacking``.

    Raises
    ------
    ExperimentError
        There is no study, or declarations cannot be read.
    """
    from evosdc.plugins.registry import default_registry
    from evosdc.reproduction.reproduction import state
    from evosdc.reproduction.studies import all_studies, studies_folder

    found = all_studies(studies_folder(None if folder is None else Path(folder)))
    return [state(study, default_registry()) for study in found]


def reproduce(
    study: str,
    *,
    full: bool = False,
    check: bool = False,
    store: bool = False,
    output: str | Path | None = None,
    folder: str | Path | None = None,
) -> Reproduced:
    """Run a study again, as ``evosdc reproduce STUDY`` does.

    Parameters
    ----------
    study : str
        Its name, see `studies`.
    full : bool
        Whether all of it is run, and not the quick version.
    check : bool
        Whether figures are held against the stored ones: ``holds``, ``stale`` and ``differences`` then say how.
    store : bool
        Whether both versions are run and stored in place of the old results.
    output : str or Path, optional
        New folder; default: below ``runs``.
    folder : str or Path, optional
        Folder of studies, as of `studies`.

    Raises
    ------
    InputError
        The study is not known, its data are not at hand, `output` exists, or `store` goes with another option.
    RunError
        A command of the study failed.
    """
    from evosdc.errors import Fault, ParameterError
    from evosdc.plugins.registry import default_registry
    from evosdc.reproduction import reproduction
    from evosdc.reproduction.declaration import ProfileName
    from evosdc.reproduction.studies import studies_folder, study_of

    if store and (check or full):
        raise ParameterError(Fault("reproduce", "store with check or full", "store alone", "It runs both versions."))
    found = study_of(study, studies_folder(None if folder is None else Path(folder)))
    profile: ProfileName = "full" if full else "quick"
    place = Path(output) if output is not None else reproduction.own_folder(found, "stored" if store else profile)
    registry = default_registry()
    if store:
        return Reproduced(reproduction.reproduce_and_store(found, place, registry, lambda text: None).document())
    return Reproduced(reproduction.reproduce(found, profile, place, registry, check).document())
