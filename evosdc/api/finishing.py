"""``evosdc.finish``."""

from pathlib import Path
from typing import Any

from evosdc.options.model import read, takes
from evosdc.options.runs import FinishOptions
from evosdc.plugins.registry import default_registry


@takes(FinishOptions)
def finish(folder: str | Path, *, time: float | str = 120.0) -> dict[str, Any]:
    """End a run or study from elsewhere with its best file so far written, as ``evosdc finish`` does.

    Parameters
    ----------
    folder : str or Path
        Of the run.
    {options}

    Returns
    -------
    dict
        Its status as ``evosdc status --json``, with the paths of the best files under ``files`` and that of the report
        under ``report``.

    Raises
    ------
    InputError
        There is no run, or none whose search had begun.
    """
    from evosdc.experiment.study import finish as finished
    from evosdc.experiment.study import runs_of
    from evosdc.report import write_pages
    from evosdc.runs.layout import RESULT, read_object

    path = Path(folder)
    found = finished(path, default_registry(), read(FinishOptions, {"time": time}).time)
    written = [run.folder for run in runs_of(found) if (run.folder / RESULT).exists()]
    files = [str(place / read_object(place / RESULT)["best"]["file"]) for place in written]
    report = str(write_pages(path)) if files else None
    return found.to_json() | {"files": files, "report": report}
