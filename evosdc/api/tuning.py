"""``evosdc.tune``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evosdc.api.tables import as_given, as_table, chosen_of, held_once, listed
from evosdc.plugins.registry import default_registry
from evosdc.secret import Seed, chosen_seed
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.model import Masking
    from evosdc.tuning.result import TunedMethod, Tuning

Data = TypeVar("Data", "pd.DataFrame", Table)


@dataclass(frozen=True, eq=False)
class TunedData(Generic[Data]):
    """What `tune` found.

    Parameters
    ----------
    tuning : Tuning
        All methods at their best, and the best files of all.
    masked : DataFrame or Table
        The best file of all, as the data were given.
    masking : Masking
        How it was made; with the same key or seed ``evosdc mask --draw`` makes it again.
    """

    tuning: "Tuning"
    masked: Data
    masking: "Masking"

    @property
    def methods(self) -> "tuple[TunedMethod, ...]":
        """All methods at their best, from best to worst."""
        return self.tuning.rows

    @property
    def best(self) -> "TunedMethod":
        """The method that is best in the mean of its files."""
        return self.tuning.best

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-able data; it holds no record."""
        return self.tuning.to_json()


def tune(
    data: Data,
    *,
    protect: Sequence[str] | str | None = None,
    fitness: str | Mapping[str, Any] = "max",
    il: Sequence[str] | str | None = None,
    dr: Sequence[str] | str | None = None,
    require: Sequence[str] | str = (),
    methods: Sequence[str] | str = (),
    evaluations: int | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    key: str | Path | None = None,
) -> TunedData[Data]:
    """Find each masking method's best parameters for a fitness, and better combinations of methods.

    Parameters
    ----------
    data : DataFrame or Table
        Schema as in `mask`.
    protect : sequence of str, optional
        What to mask; by default the quasi-identifiers, and where none is declared all attributes but identifiers.
    fitness : str or mapping
        As in an experiment: ``"max"``, ``"mean"``, ``{"name": "weighted", ...}``.
    il, dr : sequence of str, optional
        Measures of information loss and disclosure risk; by default files are judged as ``evosdc protect`` judges.
    require : sequence of str
        What a file must fulfil: ``"k-anonymity >= 3"``.
    methods : sequence of str
        Masking methods to tune; all that fit by default.
    evaluations : int, optional
        How many files are masked and judged at most, 2000 unless given or limited by time.
    seconds : float, optional
        Ends after so much time; the result then depends on the machine's speed.
    seed : int, optional
        A public seed in place of a key, for studies and tests: what it draws is not for release.
    key : str or Path, optional
        A file with the secret key that draws come from, made where it does not exist; by default a fresh key.

    Returns
    -------
    TunedData

    Raises
    ------
    InputError
        Unknown names, attributes or parameters, or nothing that can be tuned.

    Examples
    --------
    >>> found = evosdc.tune(frame, protect=["age", "sex"], seconds=20)  # doctest: +SKIP
    >>> found.best.label, found.best.mean  # doctest: +SKIP
    """
    drawn = chosen_seed(seed, key)
    if not isinstance(data, Table):
        frame = held_once(data)
        table = as_table(frame)
        chosen = chosen_of(frame, table, listed(protect))
        found = _tuned(table, chosen, fitness, il, dr, require, methods, evaluations, seconds, drawn)
        return TunedData(found.tuning, as_given(frame, found.masked), found.masking)
    return _tuned(data, protect, fitness, il, dr, require, methods, evaluations, seconds, drawn)


def _tuned(
    data: Table,
    protect: Sequence[str] | str | None,
    fitness: str | Mapping[str, Any],
    il: Sequence[str] | str | None,
    dr: Sequence[str] | str | None,
    require: Sequence[str] | str,
    methods: Sequence[str] | str,
    evaluations: int | None,
    seconds: float | None,
    seed: Seed,
) -> TunedData[Table]:
    """Return what tuning finds for a table; the parameters are those of `tune`."""
    from evosdc.assess.defaults import choose_attributes
    from evosdc.errors import DataError, Fault
    from evosdc.experiment.build.problem import build_problem
    from evosdc.experiment.build.protection import judgement_of
    from evosdc.experiment.build.safeguards import exact_risks, harms_of, limits_of
    from evosdc.experiment.config.experiment import Experiment
    from evosdc.experiment.run.tuning import best_file, budget_of, sample_of, tune_problem
    from evosdc.model import Microdata

    registry = default_registry()
    microdata = Microdata(data, choose_attributes(data.schema, listed(protect), option="--protect"))
    named_il, named_dr = listed(il) or (), listed(dr) or ()
    measures = judgement_of(microdata, registry, named_il, named_dr)
    required: tuple[str, ...] = tuple(listed(require) or ())
    limited: dict[str, float] = {}
    if not (named_il or named_dr):
        limited = harms_of(registry) | exact_risks(microdata, registry, required)
    experiment = Experiment(
        data={"file": "data"},
        measures=measures | {"other": tuple(limited)},
        fitness=fitness,
        constraints=[*required, *limits_of(limited)],
        start={"tuned": {"methods": listed(methods) or (), "evaluations": evaluations, "seconds": seconds}},
    )
    assert experiment.start is not None
    assert experiment.start.tuned is not None
    for name in experiment.start.tuned.methods:
        registry.spec("masking-method", name)
    problem = build_problem(experiment, microdata, registry, seed)
    wanted = experiment.start.tuned
    budget = budget_of(wanted, experiment.stop)
    sample = sample_of(experiment, microdata, registry, seed, budget)
    tuning = tune_problem(problem, registry, wanted, budget, sample=sample)
    if not tuning.files:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in tuning.refused.items()) or "no method"
        raise DataError(Fault("tune", reasons, "a masking method that fits the protected attributes"))
    masked = data.with_columns(best_file(problem, registry, tuning))
    return TunedData(tuning, masked, tuning.files[0].masking)
