"""The informed intruder's figures of files that were found, and the tuned classical file beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import evosdc
from evosdc.experiment.data import load_data, microdata_of
from evosdc.experiment.experiment import Experiment, Start
from evosdc.experiment.start import read_start_files
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table

MEASURES = ("guess-gain", "informed-linkage", "worst-relabelling")
SEED = 1
"""Of the tuning."""


@dataclass(frozen=True)
class Tuned:
    """The best file that masking methods make at their best parameters.

    Parameters
    ----------
    label : str
        How it was made.
    score : float
        First objective.
    figures : tuple of float
        `MEASURES` of the file.
    """

    label: str
    score: float
    figures: tuple[float, ...]


def figures_of_run(experiment: Experiment, folder: Path) -> tuple[float, ...]:
    """Return `MEASURES` of the protected file in a run's folder."""
    registry = default_registry()
    source = load_data(experiment.data, registry)
    microdata = microdata_of(source, experiment.data.protect)
    (masked,) = read_start_files(Start(files=[folder / "best.csv"]), source, microdata)
    return figures_of(microdata.original, masked)


def figures_of(original: Table, masked: Table) -> tuple[float, ...]:
    """Return `MEASURES` of a masked table."""
    found = evosdc.measure(original, masked.select(original.schema.names), MEASURES, protect=original.schema.names)
    return tuple(found[name] for name in MEASURES)


def tuned_classical(experiment: Experiment, evaluations: int) -> Tuned:
    """Return the best file of masking methods that were tuned on an experiment's fitness, judged by its measures."""
    original = microdata_of(load_data(experiment.data, default_registry()), experiment.data.protect).original
    assert experiment.measures is not None
    found = evosdc.tune(
        original,
        protect=original.schema.names,
        fitness=experiment.fitness.name,
        il=[measure.name for measure in experiment.measures.il],
        dr=[measure.name for measure in experiment.measures.dr],
        evaluations=evaluations,
        seed=SEED,
    )
    best = found.tuning.files[0]
    return Tuned(best.masking.label, best.fitness[0], figures_of(original, found.masked))


def as_text(figures: Sequence[float]) -> list[str]:
    """Return figures as the cells of a table."""
    return [f"{figure:.1f}" for figure in figures]
