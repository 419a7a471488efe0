"""``evosdc.protect``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from evosdc.api.protected_data import Given, ProtectedData, protected
from evosdc.api.tables import as_file
from evosdc.options.model import read, takes
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry
from evosdc.secret import chosen_seed

if TYPE_CHECKING:
    from evosdc.api.progress import Callback

Data = TypeVar("Data")


@takes(ProtectOptions, {"seconds": "time", "folder": "output", "attributes": "protect", "tuned": "tune"})
def protect(
    data: Data,
    *,
    protect: Sequence[str] | None = None,
    fitness: str | None = None,
    audience: Literal["public", "researchers", "safe-room"] | None = None,
    bound: float | None = None,
    il: Sequence[str] | None = None,
    dr: Sequence[str] | None = None,
    require: Sequence[str] = (),
    time: float | str | None = None,
    generations: int | None = None,
    tune: bool = True,
    explainable: bool = False,
    truthful: bool = False,
    second_opinion: bool = True,
    structural_zeros: bool = True,
    earlier: Sequence[str | Path] = (),
    choose: str | Mapping[str, float] | None = None,
    neutralise_formulas: bool = False,
    shuffle: bool = True,
    key: str | Path | None = None,
    seed: int | None = None,
    executor: str | Mapping[str, Any] | None = None,
    workers: int | None = None,
    output: str | Path | None = None,
    callback: "Callback | Sequence[Callback]" = (),
    progress: bool | None = None,
) -> ProtectedData[Data]:
    """Protect data with good defaults, as ``evosdc protect`` does.

    Parameters
    ----------
    data : frame or Table
        Of pandas, Polars, PyArrow or another library that narwhals knows. Scales are those of the columns' types, roles
        those that ``evosdc init`` proposes; a table has both. Frames of pandas whose records are shuffled get a new
        index; ``crosswalk.csv`` in the run folder says which record is which.
    {options}

    Raises
    ------
    InputError
        Unknown names, attributes or requirements, or data that cannot be protected.
    RunError
        The search failed.

    Examples
    --------
    >>> found = evosdc.protect(frame, require=["k-anonymity >= 3"], time="60s")  # doctest: +SKIP
    >>> found.frame, found.verdict, found.front, found.scores, found.report("report.html")  # doctest: +SKIP
    """
    from evosdc.api.progress import shown
    from evosdc.assess.defaults import choose_attributes
    from evosdc.experiment.protection import protection

    options = read(ProtectOptions, locals())
    if options.executor is None and options.workers is None:
        options = options.model_copy(update={"executor": "serial"})
    drawn = chosen_seed(options.seed, options.key)
    original, roles = as_file(data, options.protect)
    names = choose_attributes(original.schema, options.protect)
    given = Given(data, original, names, roles, options.neutralise_formulas, options.shuffle)
    return protected(
        given,
        lambda source: protection(source, default_registry(), options),
        options.output,
        "evosdc.protect",
        shown(options.callback, options.progress),
        drawn,
    )
