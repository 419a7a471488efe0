"""What makes a class safe: at least k records, distinct sensitive values, and registered privacy models."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import ByClass, ClassContents, ClassValues, IntruderView, Microdata, PrivacyModels
from evosdc.model.constraint import Constraint
from evosdc.table.equivalence import ranks
from evosdc.table.schema import Attribute, Role
from evosdc.table.table import MISSING, Codes, Table
from evosdc_lattice.rollup import Counts, Sensitive

_ROUNDING = 1e-9

Diversity = Literal["distinct", "entropy", "recursive"]

FORMER = {"equal": "nominal", "ordered": "ordinal", None: "auto"}  # former names of distances, with the same meaning

# The names that `t-closeness` has, former ones accepted.
Distance = Annotated[
    Literal["auto", "nominal", "ordinal", "hierarchical"],
    BeforeValidator(lambda given: FORMER.get(given, given) if isinstance(given, str | None) else given),
]


@dataclass(frozen=True, eq=False)
class SensitiveColumns:
    """Where a sensitive attribute is in the table of sensitive counts."""

    attribute: Attribute
    present: Codes  # shape (s,); codes of its values, a missing one last as `MISSING`; of a number its rank
    begin: int  # its first column
    overall: NDArray[np.int64]  # shape (s,); records of each value in the whole file

    @property
    def end(self) -> int:
        """The column behind its last one."""
        return self.begin + len(self.present)

    def values(self, sensitive: Sensitive) -> ClassValues:
        """Return how often each value occurs in each class, entry by entry."""
        own = sensitive[:, self.begin : self.end]
        rows, values = np.nonzero(own > 0)
        starts = np.searchsorted(rows, np.arange(len(own) + 1))
        return ClassValues(
            self.attribute, self.present, starts, values, own[rows, values].astype(np.int64), self.overall
        )


@dataclass(frozen=True, eq=False)
class RequiredModel:
    """One condition: a class fails where its figure alone would make the headline break the bound."""

    model: ByClass
    bound: float
    columns: tuple[SensitiveColumns, ...]  # what the model takes as sensitive

    def failing(self, counts: Counts, sensitive: Sensitive) -> NDArray[np.bool_]:
        """Return which classes fail, shape (m,)."""
        contents = ClassContents(counts.astype(np.int64), tuple(c.values(sensitive) for c in self.columns))
        figures, place = np.unique(self.model.class_figures(contents), return_inverse=True)
        headlines = np.array([self.model.headline_of(float(figure)) for figure in figures])
        slack = _ROUNDING * max(1.0, abs(self.bound))
        short = headlines < self.bound - slack if self.model.larger_is_safer else headlines > self.bound + slack
        failing: NDArray[np.bool_] = short[place.reshape(-1)]
        return failing


@dataclass(frozen=True, eq=False)
class ClassRequirement:
    """The conditions that every published class must meet; a class that fails one is suppressed whole."""

    k: int  # least number of records
    least: int = 0  # least number of distinct values of each sensitive attribute
    columns: tuple[SensitiveColumns, ...] = ()
    models: tuple[RequiredModel, ...] = ()

    @property
    def k_only(self) -> bool:
        """Whether sizes of classes decide alone."""
        return not self.models and not (self.columns and self.least > 1)

    @property
    def absorbing(self) -> bool:
        """Whether a union of a safe class with any other is safe, so that suppression never grows upwards."""
        # It is so for k and distinct values. Under entropy and recursive diversity and t-closeness a safe class can be
        # spoilt by an unsafe one that joins it; of other models nothing is taken for granted.
        return not self.models

    def failing(self, counts: Counts, sensitive: Sensitive, absorbing_only: bool = False) -> NDArray[np.bool_]:
        """Return which classes fail, shape (m,); a superset passes where only absorbing conditions count."""
        failing: NDArray[np.bool_] = counts < self.k
        if self.least > 1:
            for column in self.columns:
                failing |= (sensitive[:, column.begin : column.end] > 0).sum(axis=1) < self.least
        if not absorbing_only:
            for required in self.models:
                failing |= required.failing(counts, sensitive)
        return failing


def class_requirement(
    params: Any, microdata: Microdata, models: PrivacyModels | None
) -> tuple[ClassRequirement, NDArray[np.int64]]:
    """Return what parameters ask of classes and, by record, the column of each sensitive value, shape (n, S)."""
    columns, values = _sensitive_columns(params, microdata)
    collect, wanted, required = FaultCollector(), list[Constraint](), list[RequiredModel]()
    if params.l is not None and params.diversity != "distinct":
        wanted.append(Constraint("l-diversity", ">=", params.l, None, (("form", params.diversity), ("c", params.c))))
    if params.t is not None:
        wanted.append(Constraint("t-closeness", "<=", params.t, None, (("distance", params.distance),)))
    for text in params.require:
        with collect.step():
            wanted.append(Constraint.parse(text))
    for one in wanted:
        with collect.step():
            required.append(_required(one, columns, microdata, models))
    collect.settle()
    # Each form of l-diversity implies at least l distinct values.
    least = max(params.p or 0, ceil(params.l or 0))
    return ClassRequirement(params.k, least, columns, tuple(required)), values


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


def _sensitive_columns(params: Any, microdata: Microdata) -> tuple[tuple[SensitiveColumns, ...], NDArray[np.int64]]:
    """Return the sensitive attributes that count and, by record, the column of each value, shape (n, S)."""
    table: Table = microdata.table
    diverse = params.l is not None or params.t is not None or params.p is not None
    if not diverse and not params.require:
        return (), np.empty((len(table), 0), dtype=np.int64)
    names = params.sensitive if params.sensitive is not None else table.schema.with_role(Role.SENSITIVE)
    collect = FaultCollector()
    with collect.step():
        table.schema.require(names, "genotype lattice: sensitive")
    if not names and diverse:
        advice = "Name one by sensitive = [...], or give it the role sensitive in the schema."
        given = "l, t or p without a sensitive attribute"
        collect.faults.append(Fault("genotype lattice", given, "at least one", advice))
    if both := [name for name in names if name in microdata.protect]:
        wanted = "attributes that are not generalised themselves"
        collect.faults.append(Fault("genotype lattice: sensitive", f"{', '.join(both)}, protected as well", wanted))
    if collect.faults:
        raise ParameterError(collect.faults)
    columns, values, begin = [], [], 0
    for name in names:
        attribute, column = table.schema[name], table.column(name)
        if params.distance == "hierarchical" and (not attribute.categorical or attribute.hierarchy is None):
            given, wanted = f"no hierarchy of the categories of {name}", "one in the schema"
            advice = "Or choose nominal or ordinal."
            collect.faults.append(Fault("genotype lattice: distance", given, wanted, advice))
        codes = np.array(column if attribute.categorical else ranks(column), dtype=np.int64)
        missing = int(codes.max(initial=0)) + 1
        codes[codes == MISSING] = missing
        present, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
        labels = np.where(present == missing, MISSING, present).astype(np.int32)
        columns.append(SensitiveColumns(attribute, labels, begin, counts.astype(np.int64)))
        values.append(place.reshape(-1) + begin)
        begin += len(present)
    if collect.faults:
        raise ParameterError(collect.faults)
    return tuple(columns), np.stack(values, axis=1) if values else np.empty((len(table), 0), dtype=np.int64)
