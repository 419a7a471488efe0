"""Registered privacy models as conditions on the classes of a node: any that judges class by class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import ByClass, ClassContents, ClassValues, IntruderView, Microdata, PrivacyModels
from evosdc.model.constraint import Constraint
from evosdc.table.schema import Attribute
from evosdc.table.table import Codes
from evosdc_lattice.rollup import Counts, Sensitive

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class SensitiveColumns:
    """Where a sensitive attribute stands in the table of sensitive counts, as privacy models read it.

    Parameters
    ----------
    attribute : Attribute
    present : ndarray of int32, shape (s,)
        Codes of its values, a missing one last as `MISSING`; of a number its rank.
    begin : int
        Its first column.
    overall : ndarray of int64, shape (s,)
        Records of each value in the whole file.
    """

    attribute: Attribute
    present: Codes
    begin: int
    overall: NDArray[np.int64]

    def values(self, sensitive: Sensitive) -> ClassValues:
        """Return how often each value occurs in each class, entry by entry."""
        starts, values, counts = entries(sensitive, self.begin, self.begin + len(self.overall))
        return ClassValues(self.attribute, self.present, starts, values, counts, self.overall)


@dataclass(frozen=True, eq=False)
class RequiredModel:
    """One condition: a class fails where its figure alone would make the headline break the bound.

    Parameters
    ----------
    model : ByClass
    bound : float
    columns : tuple of SensitiveColumns
        What the model takes as sensitive.
    """

    model: ByClass
    bound: float
    columns: tuple[SensitiveColumns, ...]

    def failing(self, counts: Counts, sensitive: Sensitive) -> NDArray[np.bool_]:
        """Return which classes fail, shape (m,)."""
        contents = ClassContents(counts.astype(np.int64), tuple(c.values(sensitive) for c in self.columns))
        figures, place = np.unique(self.model.class_figures(contents), return_inverse=True)
        headlines = np.array([self.model.headline_of(float(figure)) for figure in figures])
        slack = _ROUNDING * max(1.0, abs(self.bound))
        short = headlines < self.bound - slack if self.model.larger_is_safer else headlines > self.bound + slack
        failing: NDArray[np.bool_] = short[place.reshape(-1)]
        return failing


def entries(
    sensitive: Sensitive, begin: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the positive counts of some columns class by class: where each class begins, values, and records."""
    own = sensitive[:, begin:end]
    rows, values = np.nonzero(own > 0)
    starts = np.searchsorted(rows, np.arange(len(own) + 1))
    return starts, values, own[rows, values].astype(np.int64)


def required_models(
    texts: Sequence[str], columns: Sequence[SensitiveColumns], microdata: Microdata, models: PrivacyModels | None
) -> tuple[RequiredModel, ...]:
    """Return the conditions that texts such as ``"beta-likeness <= 2"`` or ``"l-diversity of pay >= 2"`` ask for.

    Raises
    ------
    InputError
        With the faults of all texts: models that are unknown or do not judge class by class, the wrong comparison, an
        attribute that is not sensitive, or a file that lacks what a model looks at.
    """
    collect, found = FaultCollector(), []
    for text in texts:
        with collect.step():
            found.append(_required(Constraint.parse(text), columns, microdata, models))
    collect.settle()
    return tuple(found)


def _required(
    constraint: Constraint, columns: Sequence[SensitiveColumns], microdata: Microdata, models: PrivacyModels | None
) -> RequiredModel:
    where = f"genotype lattice: require {str(constraint)!r}"
    if models is None:
        raise ParameterError(Fault(where, "no registry of privacy models", "a lattice that an experiment builds"))
    model: Any = models.build(constraint.name, dict(constraint.params))
    if not isinstance(model, ByClass) or not model.by_class:
        wanted = "a privacy model whose headline is the figure of the worst class"
        advice = "Put it among the constraints of the experiment instead."
        raise ParameterError(Fault(where, constraint.name, wanted, advice))
    safe = ">=" if model.larger_is_safer else "<="
    if constraint.operator != safe:
        raise ParameterError(Fault(where, constraint.operator, f"{safe}, the safe side of {constraint.name}"))
    chosen = tuple(c for c in columns if constraint.attribute in (None, c.attribute.name))
    if constraint.attribute is not None and not chosen:
        wanted = f"one of {', '.join(c.attribute.name for c in columns)}" if columns else "a sensitive attribute"
        raise ParameterError(Fault(where, constraint.attribute, wanted))
    view = IntruderView(microdata.table, microdata.protect, tuple(c.attribute.name for c in chosen))
    if lacking := model.lacking(view):
        raise ParameterError(Fault(where, f"a file without what {constraint.name} looks at", lacking))
    return RequiredModel(model, constraint.bound, chosen)
