"""What makes a class safe: k-anonymity, l-diversity, t-closeness, p-sensitivity, or a registered privacy model."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import ByClass, ClassContents, ClassValues, IntruderView, Microdata, PrivacyModels
from evosdc.model.constraint import Constraint
from evosdc.table.equivalence import ranks
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import MISSING, Codes, Table
from evosdc_lattice.rollup import Counts, Sensitive, absorbing_failures

ClassCounts = NDArray[np.int32]
Shares = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ground:
    """How far the values of a sensitive attribute are apart.

    Parameters
    ----------
    ordered : bool
        Whether values i and j are ``|i - j| / (m - 1)`` apart; two different values are 1 apart otherwise.
    above : ndarray of int32, shape (height, m)
        With a hierarchy: row l has, for each node of level l, its node at level l + 1, filled up with -1. Values are as
        far apart as the level of their lowest common ancestor over the height. Of shape (0, m) without a hierarchy.
    """

    ordered: bool
    above: NDArray[np.int32]


def nominal_ground(m: int) -> Ground:
    """Return the ground distance of nominal values: 1 between two different ones."""
    return Ground(False, np.empty((0, m), dtype=np.int32))


def ordinal_ground(m: int) -> Ground:
    """Return the ground distance of ordered values: by rank."""
    return Ground(True, np.empty((0, m), dtype=np.int32))


def hierarchical_ground(hierarchy: Hierarchy, labels: tuple[str, ...], missing: bool = False) -> Ground:
    """Return the ground distance of values in a hierarchy.

    Parameters
    ----------
    labels : tuple of str
        The values, leaves of the hierarchy.
    missing : bool
        Whether one more value stands for a missing one; it lies below the root alone (a reconstruction).

    Raises
    ------
    HierarchyError
        A value that is no leaf.
    """
    m, height = len(labels) + missing, hierarchy.height
    codes, _ = hierarchy.nodes(labels)
    if missing:
        own = codes.max(axis=0, initial=-1) + 1
        own[-1] = 0
        codes = np.concatenate([codes, own[None, :]]).astype(np.int32)
    above = np.full((height, m), -1, dtype=np.int32)
    for level in range(height):
        above[level, codes[:, level]] = codes[:, level + 1]
    return Ground(False, above)


def distances(
    counts: ClassCounts, begin: int, end: int, overall: Shares, ordered: bool, above: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return each class's distance from the whole file, in [0, 1].

    Parameters
    ----------
    counts : ndarray of int32, shape (classes, S)
        Records of each class by value, in columns `begin` to `end`; each class has at least one.
    overall : ndarray of float64, shape (end - begin,)
        Shares of the values in the whole file.
    ordered, above
        As in `Ground`.

    Returns
    -------
    ndarray of float64, shape (classes,)
    """
    own, height = counts[:, begin:end], above.shape[0]
    extra = own / own.sum(axis=1, keepdims=True) - overall
    if height == 0 and ordered:
        distance: Shares = np.abs(extra.cumsum(axis=1)).sum(axis=1) / max(own.shape[1] - 1, 1)
        return distance
    apart = np.abs(extra).sum(axis=1)
    # Values whose common ancestor is at level l are 2 l edges apart, each of length 1 / (2 height); on a tree what an
    # edge carries is the excess of all that lies below it.
    for level in range(height - 1):
        higher = np.zeros_like(extra)
        for node in np.flatnonzero(above[level] >= 0).tolist():
            higher[:, above[level, node]] += extra[:, node]
        extra = higher
        apart += np.abs(extra).sum(axis=1)
    moved: Shares = apart / (2 * max(height, 1))
    return moved


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


Diversity = Literal["distinct", "entropy", "recursive"]


@dataclass(frozen=True, eq=False)
class SensitiveAttribute:
    """A sensitive attribute's place in the table of sensitive counts.

    Parameters
    ----------
    name : str
    begin, end : int
        Its columns.
    ground : Ground
        How far its values are apart, for t-closeness.
    overall : ndarray of float64, shape (end - begin,)
        Its distribution in the whole file.
    """

    name: str
    begin: int
    end: int
    ground: Ground
    overall: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassRequirement:
    """The conditions that every published class must meet; a class that fails one is suppressed whole.

    Parameters
    ----------
    k : int
        Least number of records.
    l : float, optional
        Diversity of each sensitive attribute: distinct values (at least l), entropy (at least log l), or recursive
        (c, l): the most frequent value is rarer than c times the sum of the l-th and rarer ones together.
    t : float, optional
        Greatest earth mover's distance between a class and the whole file, in [0, 1] (`evosdc_lattice.requirement`).
    p : int, optional
        Least number of distinct sensitive values (p-sensitive k-anonymity).
    models : tuple of RequiredModel
        Registered privacy models.
    """

    k: int
    l: float | None = None  # noqa: E741 -- the field's own name
    diversity: Diversity = "distinct"
    c: float = 3.0
    t: float | None = None
    p: int | None = None
    attributes: tuple[SensitiveAttribute, ...] = ()
    models: tuple[RequiredModel, ...] = ()

    @property
    def k_only(self) -> bool:
        """Whether sizes of classes decide alone."""
        named = self.l is not None or self.t is not None or self.p is not None
        return not self.models and not (self.attributes and named)

    @property
    def absorbing(self) -> bool:
        """Whether a union of a safe class with any other is safe, so that suppression never grows upwards.

        It is so for k, p and distinct l; under entropy and recursive diversity and t-closeness a safe class can be
        spoilt by an unsafe one that joins it. Of registered models nothing is taken for granted.
        """
        diverse = self.t is None and (self.l is None or self.diversity == "distinct")
        return self.k_only or (diverse and not self.models)

    def failing(self, counts: Counts, sensitive: Sensitive, absorbing_only: bool = False) -> NDArray[np.bool_]:
        """Return which classes fail, shape (m,).

        Parameters
        ----------
        counts : ndarray of int32, shape (m,)
        sensitive : ndarray of int32, shape (m, S)
        absorbing_only : bool
            Whether only the conditions of `absorbing` models are asked: a superset of classes then passes.
        """
        failing: NDArray[np.bool_] = counts < self.k
        for attribute in self.attributes:
            begin, end = attribute.begin, attribute.end
            least = max(self.p or 0, int(np.ceil(self.l)) if self.l is not None else 0)
            if least > 1:
                # Each form of l-diversity implies at least l distinct values.
                absorbing_failures(sensitive, begin, end, least, failing)
            if absorbing_only:
                continue
            if self.l is not None and self.diversity == "entropy":
                entropy_failures(sensitive, begin, end, log(self.l) - _ROUNDING, failing)
            if self.l is not None and self.diversity == "recursive":
                recursive_failures(sensitive, begin, end, self.c, int(np.ceil(self.l)), failing)
            if self.t is not None:
                ground = attribute.ground
                away = distances(sensitive, begin, end, attribute.overall, ground.ordered, ground.above)
                failing |= away > self.t + _ROUNDING
        if not absorbing_only:
            for required in self.models:
                failing |= required.failing(counts, sensitive)
        return failing


def entropy_failures(sensitive: Sensitive, begin: int, end: int, least: float, failing: NDArray[np.bool_]) -> None:
    """Mark the classes whose entropy of sensitive values, in nats, is below `least`."""
    counts = sensitive[:, begin:end].astype(np.float64)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    failing |= -(shares * np.log(np.where(counts > 0, shares, 1.0))).sum(axis=1) < least


def recursive_failures(
    sensitive: Sensitive,
    begin: int,
    end: int,
    c: float,
    least: int,
    failing: NDArray[np.bool_],
) -> None:
    """Mark the classes without recursive (c, l)-diversity: ``r_1 < c (r_l + ... + r_m)``, r falling, m at least l."""
    falling = -np.sort(-sensitive[:, begin:end], axis=1)
    short = (falling > 0).sum(axis=1) < least
    failing |= short | ~(falling[:, 0] < c * falling[:, max(least - 1, 0) :].sum(axis=1))


FORMER = {"equal": "nominal", "ordered": "ordinal"}
"""Former names of distances, with the same meaning."""


def _present_name(given: Any) -> Any:
    return FORMER.get(given, given) if isinstance(given, str) else "auto" if given is None else given


Distance = Annotated[Literal["auto", "nominal", "ordinal", "hierarchical"], BeforeValidator(_present_name)]
"""The names that `t-closeness` has, former ones accepted."""


def sensitive_attributes(params: Any, microdata: Microdata) -> tuple[tuple[SensitiveAttribute, ...], NDArray[np.int64]]:
    """Return the sensitive attributes and, record by record, the column of each one's value, shape (n, S).

    Ordered values are those that occur, in their order; a missing value is one of its own, the last.

    Raises
    ------
    ParameterError
        Diversity or closeness is asked for and there is no sensitive attribute, or one is protected as well.
    """
    table = microdata.table
    asked = params.l is not None or params.t is not None or params.p is not None
    if not asked and not params.require:
        return (), np.empty((len(table), 0), dtype=np.int64)
    names = params.sensitive if params.sensitive is not None else table.schema.with_role(Role.SENSITIVE)
    collect = FaultCollector()
    with collect.step():
        table.schema.require(names, "genotype lattice: sensitive")
    if not names and asked:
        advice = "Name one by sensitive = [...], or give it the role sensitive in the schema."
        collect.faults.append(
            Fault("genotype lattice", "l, t or p without a sensitive attribute", "at least one", advice)
        )
    both = [name for name in names if name in microdata.protect]
    if both:
        wanted = "attributes that are not generalised themselves"
        collect.faults.append(Fault("genotype lattice: sensitive", f"{', '.join(both)}, protected as well", wanted))
    if collect.faults:
        raise ParameterError(collect.faults)
    attributes, columns, begin = [], [], 0
    for name in names:
        values = table.column(name)
        attribute = table.schema[name]
        keyed = np.where(values < 0, len(attribute.categories), values) if attribute.categorical else values
        present, codes, counts = np.unique(keyed, return_inverse=True, return_counts=True)
        end = begin + len(present)
        with collect.step():
            ground = ground_of(attribute, present, params.distance)
            attributes.append(SensitiveAttribute(name, begin, end, ground, counts / len(table)))
        columns.append(codes.reshape(-1).astype(np.int64) + begin)
        begin = end
    collect.settle()
    return tuple(attributes), np.stack(columns, axis=1) if columns else np.empty((len(table), 0), dtype=np.int64)


def sensitive_columns(attributes: tuple[SensitiveAttribute, ...], table: Table) -> tuple[SensitiveColumns, ...]:
    """Return the sensitive attributes as registered privacy models read them."""
    found = []
    for each in attributes:
        attribute, column = table.schema[each.name], table.column(each.name)
        codes = np.array(column if attribute.categorical else ranks(column), dtype=np.int64)
        size = int(codes.max(initial=0)) + 1
        codes[codes == MISSING] = size
        present, counts = np.unique(codes, return_counts=True)
        labels = np.where(present == size, MISSING, present).astype(np.int32)
        found.append(SensitiveColumns(attribute, labels, each.begin, counts.astype(np.int64)))
    return tuple(found)


def ground_of(attribute: Attribute, present: NDArray[Any], distance: str) -> Ground:
    """Return how far the values of a sensitive attribute are apart.

    Parameters
    ----------
    present : ndarray, shape (m,)
        The values that occur, in order: codes, the number of categories for a missing one; or numbers.
    distance : {"auto", "nominal", "ordinal", "hierarchical"}
        By ``auto`` ordered values are apart by rank, nominal ones with a hierarchy by it, and others equally.

    Raises
    ------
    ParameterError
        A hierarchy is asked for, and the attribute has none or is numeric.
    """
    hierarchy = attribute.hierarchy if attribute.categorical else None
    if distance == "auto" and attribute.scale is Scale.NOMINAL and hierarchy is not None:
        distance = "hierarchical"
    if distance == "hierarchical":
        if hierarchy is None:
            given, wanted = f"no hierarchy of the categories of {attribute.name}", "one in the schema"
            raise ParameterError(Fault("genotype lattice: distance", given, wanted, "Or choose nominal or ordinal."))
        labels = tuple(attribute.categories[int(code)] for code in present if code < len(attribute.categories))
        return hierarchical_ground(hierarchy, labels, len(labels) < len(present))
    if distance == "ordinal" or (distance == "auto" and attribute.scale is not Scale.NOMINAL):
        return ordinal_ground(len(present))
    return nominal_ground(len(present))
