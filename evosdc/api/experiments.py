"""``evosdc.run``."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.api.progress import Callback, shown
from evosdc.api.tables import as_table, listed
from evosdc.plugins.registry import default_registry
from evosdc.secret import Key, chosen_seed
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.experiment.experiment import Experiment


def run(
    experiment: "Experiment | Mapping[str, Any]",
    folder: str | Path | None = None,
    *,
    data: "pd.DataFrame | Table | None" = None,
    protect: Sequence[str] | str | None = None,
    callback: Callback | Sequence[Callback] = (),
    progress: bool | None = None,
    key: str | Path | None = None,
) -> dict[str, Any]:
    """Run an experiment, write its report, and return ``result.json``, with the folder's path under ``folder``.

    Parameters
    ----------
    experiment : Experiment or mapping
        A mapping says what an experiment file says.
    folder : str or Path, optional
        A new folder for the run; by default one below ``runs`` named after the title.
    data : DataFrame or Table, optional
        The confidential file, in place of a source in the experiment, which is then a mapping. Schema as in `mask`. A
        copy is written to the run's folder, so that the run can be resumed.
    protect : sequence of str, optional
        What to protect, in place of ``data.protect``; by default what the experiment says, else the quasi-identifiers.
    callback : callable or sequence of callable, optional
        Called after each generation, the start included, with the line that the journal got: ``generation evaluations
        seconds best front hypervolume`` and so on. The search ends, with its result, where one returns True or a
        reason in words. The runs of a study go on one after another then. A callback that raises breaks the run off,
        which can be resumed.
    progress : bool, optional
        Whether to show progress; by default in notebooks.
    key : str or Path, optional
        A file with the secret key that an experiment without a seed draws from, made where it does not exist; by
        default a fresh key, which the run's folder keeps in any case.

    Raises
    ------
    InputError
        The experiment cannot be run.
    RunError
        The run failed.
    """
    from evosdc.experiment.data import with_own_data, withdrawn_unless_begun
    from evosdc.experiment.reader import parse_experiment
    from evosdc.experiment.study import run_study
    from evosdc.report import write_pages
    from evosdc.runs.layout import free_folder

    given = dict(experiment) if isinstance(experiment, Mapping) else experiment.to_json()
    path = Path(folder) if folder is not None else None
    if protect is not None:
        given = given | {"data": dict(given.get("data", {})) | {"protect": list(listed(protect) or ())}}
    with ExitStack() as stack:
        if data is not None:
            path = path or free_folder(Path("runs"), str(given.get("title") or "experiment"))
            given = with_own_data(given, as_table(data), path)
            stack.enter_context(withdrawn_unless_begun(path))
        resolved = parse_experiment(given, Path.cwd())
        path = path or free_folder(Path("runs"), resolved.heading)
        drawn = chosen_seed(resolved.seed, key)
        own = drawn if isinstance(drawn, Key) else None
        result = run_study(resolved, path, default_registry(), shown(callback, progress), command="evosdc.run", key=own)
    write_pages(path)
    return result | {"folder": str(path)}
