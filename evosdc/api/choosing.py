"""``evosdc.choose``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evosdc.plugins.registry import default_registry


def choose(folder: str | Path, number: int | str | Mapping[str, float], output: str | Path) -> dict[str, Any]:
    """Make a member of a run's front the best file, in a run folder of its own, as ``evosdc choose`` does.

    Parameters
    ----------
    folder : str or Path
        Of the run.
    number : int, str or mapping
        Of the member in ``front.csv``, 0 for the least loss; or ``"best"``, the run's own file;
        ``"knee"``, ``"balanced"``, ``"il=20,dr=15"``, ``{"il": 20, "dr": 15}``.
    output : str or Path
        A new folder.

    Returns
    -------
    dict
        Its ``result.json``.

    Raises
    ------
    InputError
        There is no run that has ended, no such member, the data have changed, or the folder is not empty.

    Examples
    --------
    >>> evosdc.choose("runs/first", 3, "runs/third")["best"]["file"]  # doctest: +SKIP
    """
    from evosdc.experiment.members import choose_member, named_member
    from evosdc.report import write_pages

    result = choose_member(Path(folder), named_member(number), Path(output), default_registry())
    write_pages(Path(output))
    return result
