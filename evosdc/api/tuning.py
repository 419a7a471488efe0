"""``evosdc.tune``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evosdc.api.html import Framed, Shown, heading, table
from evosdc.api.picture import Picture, points
from evosdc.api.tables import KNOWN_AS, SchemaLike, as_given, as_table, chosen_of, held_once
from evosdc.assess.defaults import choose_attributes, measures_by_role
from evosdc.errors import DataError, Fault
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.problem import build_problem, exact_risks, harms_of, limits_of
from evosdc.experiment.tuned_start import best_file, budget_of, sample_of, tune_problem
from evosdc.model import Masking, Microdata
from evosdc.options.model import read, takes
from evosdc.options.search import TuneOptions
from evosdc.plugins.registry import default_registry
from evosdc.secret import Seed, chosen_seed
from evosdc.table.table import Table
from evosdc.tuning.tuner import TunedMethod, Tuning

if TYPE_CHECKING:
    import pandas as pd

Data = TypeVar("Data", "pd.DataFrame", Table)


@dataclass(frozen=True, eq=False, repr=False)
class TunedData(Framed, Shown, Generic[Data]):
    """All methods at their best, and the best file of all; see `evosdc.tune`."""

    title, page = "Masking methods at their best", "tuning.html"
    columns = ("method", "kind", "score", "error", "best", "il", "dr", "tried")

    tuning: Tuning
    masked: Data  # the best file of all, as the data were given
    masking: Masking  # how it was made; with the same key or seed ``evosdc mask --draw`` makes it again

    @property
    def methods(self) -> tuple[TunedMethod, ...]:
        """All methods at their best, from best to worst."""
        return self.tuning.rows

    @property
    def best(self) -> TunedMethod:
        """The method that is best in the mean of its files."""
        return self.tuning.best

    def plot(self) -> "Picture":
        """Return a picture of the loss and the risk of each method at its best."""
        places: dict[str, list[tuple[float, float]]] = {}
        for row in self.methods:
            if {"il", "dr"} <= row.scores.keys():
                places.setdefault(row.kind, []).append((row.scores["il"], row.scores["dr"]))
        return points("Masking methods at their best", "information loss", "disclosure risk", places)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-able data; it holds no record."""
        return self.tuning.to_json()

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for row in self.methods:
            il, dr = row.scores.get("il"), row.scores.get("dr")
            yield row.label, row.kind, row.mean[0], row.error, row.fitness[0], il, dr, row.evaluations

    def _lines(self) -> Iterator[str]:
        yield f"Best file of {self.tuning.evaluations}: {self.masking.label}."
        for label, _, score, error, _, il, dr, _ in self._rows():
            figures = [f"{word} {value:.2f}" for word, value in (("IL", il), ("DR", dr)) if value is not None]
            yield f"{score:.3f}{f' ± {error:.3f}' if error else ''}  {label}  {', '.join(figures)}"

    def _repr_html_(self) -> str:
        header = ["method", "kind", "score", "±", "best file", "IL", "DR", "tried"]
        return heading(f"Best file: {self.masking.label}") + table(header, self._rows())


@takes(TuneOptions, KNOWN_AS)
def tune(data: Data, *, schema: SchemaLike = None, **options: Any) -> TunedData[Data]:
    """Find each masking method's best parameters for a fitness, and better combinations of methods.

    Parameters
    ----------
    data : DataFrame or Table
        Schema as in `mask`.
    schema : str, Path or Schema, optional
        A schema file or a schema, for a frame.
    {options}

    Returns
    -------
    TunedData

    Examples
    --------
    >>> found = evosdc.tune(frame, protect=["age", "sex"], time="20s")  # doctest: +SKIP
    >>> found.best.label, found.best.mean  # doctest: +SKIP
    """
    chosen = read(TuneOptions, options)
    drawn = chosen_seed(chosen.seed, chosen.key)
    frame = held_once(data, schema)
    if isinstance(data, Table):
        return _tuned(data, chosen, drawn)
    whole = as_table(frame)
    names = chosen_of(frame, whole, chosen.protect)
    found = _tuned(whole, chosen.model_copy(update={"protect": names}), drawn)
    return TunedData(found.tuning, as_given(frame, found.masked), found.masking)


def _tuned(data: Table, options: TuneOptions, seed: Seed) -> TunedData[Table]:
    registry = default_registry()
    microdata = Microdata(data, choose_attributes(data.schema, options.protect))
    named_il, named_dr = options.il or (), options.dr or ()
    measures = measures_by_role(microdata, registry, named_il, named_dr)
    required = tuple(options.require)
    usual = not (named_il or named_dr)
    limited = harms_of(registry) | exact_risks(microdata, registry, required) if usual else {}
    experiment = Experiment(
        data={"file": "data"},
        measures=measures | {"other": tuple(limited)},
        fitness=options.fitness or "max",
        constraints=required,
        limits=limits_of(limited),
        start={
            "tuned": {"methods": options.methods or (), "evaluations": options.evaluations, "seconds": options.time}
        },
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
