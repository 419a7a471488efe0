"""``evosdc.protect``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evosdc.api.protected_data import Given, ProtectedData, protected
from evosdc.api.tables import as_file, listed
from evosdc.durations import EXAMPLES, seconds_in
from evosdc.errors import Fault, ParameterError
from evosdc.plugins.registry import default_registry
from evosdc.secret import chosen_seed

if TYPE_CHECKING:
    from evosdc.api.experiments import Callback
    from evosdc.experiment.config.experiment import Experiment

Data = TypeVar("Data")


def protect(
    data: Data,
    *,
    protect: Sequence[str] | str | None = None,
    time: float | str | None = None,
    audience: str = "",
    bound: float | None = None,
    fitness: str = "",
    il: Sequence[str] | str | None = None,
    dr: Sequence[str] | str | None = None,
    require: Sequence[str] | str = (),
    tune: bool = True,
    explainable: bool = False,
    truthful: bool = False,
    second_opinion: bool = True,
    structural_zeros: bool = True,
    neutralise_formulas: bool = False,
    shuffle: bool = True,
    generations: int | None = None,
    choose: str | Mapping[str, float] | None = None,
    seed: int | None = None,
    key: str | Path | None = None,
    executor: str | Mapping[str, Any] = "serial",
    folder: str | Path | None = None,
    callback: "Callback | Sequence[Callback]" = (),
) -> ProtectedData[Data]:
    """Protect data with good defaults, as ``evosdc protect`` does.

    Parameters
    ----------
    data : frame or Table
        Of pandas, Polars, PyArrow or another library that narwhals knows. Scales are those of the columns' types, roles
        those that ``evosdc init`` proposes; a table has both.
    protect : sequence of str, optional
        What to protect; by default the quasi-identifiers, and where there is none all attributes but those left out.
    time : float or str, optional
        Seconds that all of it may take, or a time as text: ``"5m"``; by default the search ends by its generations.
    audience : {"public", "researchers", "safe-room"}
        Who gets the file: of the people 9, 20 or 33 per cent may be found in it; by default ``"public"``.
    bound : float, optional
        Per cent of the people that may be found, in place of the bound of the audience.
    fitness : str, optional
        How IL and DR are combined, for research: ``"max"``, ``"mean"``; by default the least loss within the bound.
    il, dr : sequence of str, optional
        Measures of information loss and disclosure risk; by default risk by role and the losses of analysts.
    require : sequence of str
        What the file must fulfil: ``"k-anonymity >= 3"``; ``"publishable"`` asks for a verdict without conditions, and
        ``"publishable on conditions"`` for one that does not forbid to publish it.
    tune : bool
        Whether the search begins with masking methods at their best parameters.
    explainable : bool
        Whether the file is one that a protection plan makes, which can be explained and repeated: ``found.recipe``.
    truthful : bool
        Whether published values have to be true, only coarser than the data's or absent: groups of 11, 5 or 3 people by
        `audience`, or as `require` asks.
    second_opinion : bool
        Whether judges that the search does not use are asked about the result.
    structural_zeros : bool
        Whether combinations that never occur in the data are kept from occurring.
    neutralise_formulas : bool
        Whether texts that a spreadsheet would take for formulas get a quote before them, in the file and in `masked`.
    shuffle : bool
        Whether the records are published in random order: their old one may tell what is masked. Frames of pandas then
        get a new index; ``crosswalk.csv`` in the run folder says which record is which.
    generations : int, optional
        Most generations of the search; unlike `time`, it leaves the result the same on any computer.
    choose : str or mapping, optional
        Which member of the front is published: ``"knee"``, ``"balanced"``, ``{"il": 20}``, ``{"il": 20, "dr": 15}``; by
        default the best by the fitness.
    seed : int, optional
        A public seed in place of a key, for studies and tests: what it draws is not for release.
    key : str or Path, optional
        A file with the secret key that draws come from, made where it does not exist; by default a fresh key.
    executor : str or mapping
        As in an experiment: ``{"name": "processes", "workers": 4}``.
    folder : str or Path, optional
        A new folder for the run with all its files and the report; by default none is kept.
    callback : callable or sequence of callable, optional
        As of `run`: called after each generation, and can end the search.

    Raises
    ------
    InputError
        Unknown names, attributes or requirements, or data that cannot be protected.
    RunError
        The search failed.

    Examples
    --------
    >>> found = evosdc.protect(frame, require=["k-anonymity >= 3"], time=60)  # doctest: +SKIP
    >>> found.frame, found.verdict, found.front, found.scores, found.report("report.html")  # doctest: +SKIP
    """
    from evosdc.api.experiments import calling
    from evosdc.assess.defaults import choose_attributes
    from evosdc.engine.choice import choice_of
    from evosdc.experiment.build.protection import protection

    drawn = chosen_seed(seed, key)
    seconds = seconds_in(time) if isinstance(time, str) else time
    if time is not None and not (seconds and seconds > 0):
        wanted = f"a time above 0, in seconds or as text: {EXAMPLES}"
        raise ParameterError(Fault("time", repr(time), wanted))
    if generations is not None and generations < 1:
        raise ParameterError(Fault("generations", repr(generations), "a whole number from 1"))
    choice = None if choose is None else choice_of(choose)
    registry = default_registry()
    original, roles = as_file(data, listed(protect))
    names = choose_attributes(original.schema, listed(protect), option="--protect")

    def experiment_on(source: Mapping[str, Any]) -> "Experiment":
        return protection(
            source,
            registry,
            fitness=fitness,
            audience=audience,
            bound=bound,
            il=listed(il) or (),
            dr=listed(dr) or (),
            require=listed(require) or (),
            structural_zeros=structural_zeros,
            seconds=seconds,
            seed=seed,
            executor={"name": executor} if isinstance(executor, str) else executor,
            tuned=tune,
            second_opinion=second_opinion,
            explainable=explainable,
            truthful=truthful,
            generations=generations,
            choose=choice,
        )

    given_data = Given(data, original, tuple(names), roles, neutralise_formulas, shuffle)
    return protected(given_data, experiment_on, folder, "evosdc.protect", calling(callback), drawn)
