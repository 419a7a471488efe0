"""Whether the rows of a masked microdata file stand in the order of the users that it was made of."""

from pathlib import Path
from typing import Any

from evosdc.errors import DataError, Fault
from evosdc.experiment.run.provenance import digest
from evosdc.printing import printable
from evosdc.runs.layout import RELEASE, RESOLVED, read_object


def require_order(path: Path) -> None:
    """Raise where nothing vouches for the order of a file: neither a manifest beside it nor the run that it is of.

    Both tell the digest of the file as it was written, so that one whose rows were sorted since is found, and whether
    records were shuffled.

    Raises
    ------
    DataError
    """
    advice = (
        "Give the file as evosdc mask or protect wrote it, or keep the column neighbours; --in-order takes the rows as "
        "they stand."
    )
    written, shuffled = digest(path), None
    manifest = _object(path.with_name(f"{path.stem}.manifest.json"))
    if manifest.get("output") == written:
        shuffled = bool(manifest.get("shuffled"))
    elif _object(path.with_name(RELEASE)).get("published") == written:
        shuffled = bool((_object(path.with_name(RESOLVED)).get("data") or {}).get("shuffle"))
    wanted = "rows in the order of the graph's nodes"
    if shuffled is None:
        raise DataError(
            Fault(printable(str(path)), "rows of which nothing says that they are in order", wanted, advice)
        )
    if shuffled:
        raise DataError(Fault(printable(str(path)), "rows that were shuffled", wanted, "Mask without --shuffle."))


def _object(path: Path) -> dict[str, Any]:
    try:
        return dict(read_object(path))
    except (OSError, ValueError):
        return {}
