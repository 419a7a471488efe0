"""``evosdc.member``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evosdc.plugins.registry import default_registry


def member(folder: str | Path, number: int | str | Mapping[str, float], *, judge: bool = False) -> dict[str, Any]:
    """Tell of a member of a run's front what the report tells of its best file, as ``evosdc member`` does.

    Parameters
    ----------
    folder : str or Path
        Of the run.
    number : int, str or mapping
        Of the member in ``front.csv``, 0 for the least loss; or ``"best"``, the run's own file;
        ``"knee"``, ``"balanced"``, ``"il=20,dr=15"``, ``{"il": 20, "dr": 15}``.
    judge : bool
        Whether judges that the search did not use are asked for a second opinion.

    Returns
    -------
    dict
        ``member origin scores fitness protect cross_tables analyses records``, and with `judge` ``second_opinion``.

    Raises
    ------
    InputError
        There is no run, no checkpoint or no such member, or the data have changed.

    Examples
    --------
    >>> evosdc.member("runs/first", 3)["records"]["percent"]  # doctest: +SKIP
    """
    from evosdc.experiment.members import member_findings, named_member

    return member_findings(Path(folder), named_member(number), default_registry(), judge)
