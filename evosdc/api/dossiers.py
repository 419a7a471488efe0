"""``evosdc.dossier``."""

from pathlib import Path


def dossier(folder: str | Path, *, release: str | Path | None = None, output: str | Path | None = None) -> Path:
    """Write the dossier of a release, as ``evosdc dossier`` does, and return where it is.

    Parameters
    ----------
    folder : str or Path
        Of a run that has ended.
    release : str or Path, optional
        What evosdc cannot know; by default ``release.toml`` in the folder, written with the questions where absent.
    output : str or Path, optional
        The page; by default ``dossier.html`` in the folder. A file of that name is replaced.

    Raises
    ------
    InputError
        There is no run that has ended, or the answers cannot be read.

    Examples
    --------
    >>> evosdc.dossier("runs/first", release="release.toml")  # doctest: +SKIP
    """
    from evosdc.report.dossier import write_dossier

    form, page = (None if path is None else Path(path) for path in (release, output))
    return write_dossier(Path(folder), form, page)[0]
