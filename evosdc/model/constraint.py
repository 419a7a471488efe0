"""Constraints of a search: what a published file has to fulfil, whatever its objectives."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from statistics import stdev
from types import MappingProxyType
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import ExperimentError, Fault
from evosdc.model.aggregation import Aggregation, total
from evosdc.model.individual import INFEASIBILITY

_LEFT = re.compile(r"(?P<name>[^\s()]+)(?:\((?P<params>[^()]*)\))?(?:\s+of\s+(?P<attribute>\S.*))?")
_SIDES = re.compile(r"(?P<left>(?:[^<>=(]|\([^()]*\))*?)\s*(?P<operator>[<>]=?|==?)\s*(?P<bound>[^<>=]*)")
_WANTED = "NAME <= NUMBER or NAME >= NUMBER"
_ADVICE = 'For example "k-anonymity >= 3", "dr <= 20", "il of education <= 5".'
MARGIN = 2.0  # Standard deviations between draws by which the mean of a figure has to keep its bound
GREATEST = 1e9  # No constraint counts for more: an excess is finite whatever a figure says


MOST_SURE, TIMES_BOUND = 33.0, 1.5
"""Bound on the surest matches: at most this per cent may be right, which is one in three (cells of three), the greatest
accepted risk of a single person. The bound is `TIMES_BOUND` times that on the mean where this is more."""


YES, CONDITIONAL = "publishable", "publishable on conditions"  # what can be required of the verdict
AUDIENCES = {"public": 9.0, "researchers": 20.0, "safe-room": 33.0}
"""Bound on the expected per cent of re-identified people, by the audience of the file. For everybody it is the one of
0.09 that the European Medicines Agency (policy 0070, 2016) and Health Canada (2019) set for public release; 0.2 and
0.33 are those of a smallest group of five and of three, which agencies use for contracts and for safe rooms."""
ACCEPTED = AUDIENCES["public"]  # The bound where no audience is given


@dataclass(frozen=True)
class Constraint:
    """One condition on one figure."""

    name: str  # a measure, ``il``, ``dr`` or a privacy model, which is judged by its headline
    operator: Literal["<=", ">="]
    bound: float
    # The one attribute on which the figure is taken; None for all protected ones. Of a privacy model it is the
    # sensitive attribute.
    attribute: str | None = None
    # Parameters of a privacy model: ``"l-diversity(kind = 'entropy') of salary >= 2"``.
    params: tuple[tuple[str, Any], ...] = ()
    own: bool = field(default=False, compare=False)  # whether evosdc set it itself, without a request

    @property
    def plain(self) -> bool:
        """Whether it asks for at least so much of a figure as it is, on all that is protected."""
        return self.operator == ">=" and not self.params and self.attribute is None

    @classmethod
    def parse(cls, text: str, own: bool = False) -> Self:
        """Return the constraint of a text such as ``"il of education <= 5"``."""

        def refused(given: str, wanted: str = _WANTED) -> ExperimentError:
            return ExperimentError(Fault(f"constraint {text!r}", given, wanted, _ADVICE))

        sides = _SIDES.fullmatch(text.strip())
        if text.strip().lower().startswith(YES):
            raise refused("something else than a verdict", f"{YES}, or {CONDITIONAL!r}, to require a verdict")
        if sides is None:
            raise refused("no comparison, or more than one")
        left = _LEFT.fullmatch(sides["left"].strip())
        operator = sides["operator"]
        if operator not in ("<=", ">="):
            raise refused(f"the comparison {operator}", "<= or >=")
        if left is None or " " in left["name"]:
            raise refused("no single name on the left", "a measure, il, dr or a privacy model")
        try:
            bound = float(sides["bound"].strip().removesuffix("%"))
        except ValueError:
            bound = float("nan")
        if not isfinite(bound):
            raise refused(repr(sides["bound"].strip()), "a number on the right")
        try:
            params = tomllib.loads(f"x = {{ {left['params'] or ''} }}")["x"]
        except tomllib.TOMLDecodeError:
            raise refused(f"the parameters ({left['params']})", "(key = value, ...) after the name") from None
        return cls(left["name"], operator, bound, left["attribute"], tuple(params.items()), own)  # type: ignore[arg-type]

    @cached_property
    def figure_name(self) -> str:
        """The name of the score that it looks at: ``"il of education"``."""
        given = ", ".join(f"{key} = {value!r}" for key, value in self.params)
        name = f"{self.name}({given})" if given else self.name
        return name if self.attribute is None else f"{name} of {self.attribute}"

    @cached_property
    def shortfall_name(self) -> str:
        """The name of the percentage of records that violate it, where a privacy model reports it."""
        return f"records short of {self}"

    def __str__(self) -> str:
        return f"{self.figure_name} {self.operator} {self.bound:g}"

    def excess(self, value: float, margin: float = 0.0) -> float:
        """Return by how much a figure misses the bound, in units of the bound (or of 1, if that is more); 0 if not."""
        # With a margin, 0 only where the bound is kept by so much.
        missed = (value - self.bound if self.operator == "<=" else self.bound - value) + margin
        return min(missed / max(abs(self.bound), 1.0), GREATEST) if missed > 0.0 else 0.0


@dataclass(frozen=True)
class Constraints:
    """All constraints of an experiment."""

    listed: tuple[Constraint, ...] = ()
    # Figures that are made of scores: ``"il of education"`` of the measures on education alone.
    derived: Mapping[str, Aggregation] = field(default_factory=lambda: MappingProxyType({}))
    # By figure, how far from its bound a search keeps it.
    margins_kept: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def __bool__(self) -> bool:
        return bool(self.listed)

    def judge(self, scores: Mapping[str, float], margins: Mapping[str, float] | None = None) -> dict[str, float]:
        """Return the scores with the derived figures and ``infeasibility``, the sum of all excesses."""
        # Feasibility rules (Deb 2000) then need nothing else: less infeasibility is better, whatever the objectives; 0
        # where all constraints hold. Finite.
        judged = self.with_derived(scores)
        kept = {**self.margins_kept, **(margins or {})}
        judged[INFEASIBILITY] = total(
            [self._excess(constraint, judged, kept.get(constraint.figure_name, 0.0)) for constraint in self.listed]
        )
        return judged

    def judge_columns(self, scores: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
        """Return `judge` of several candidates at once, equal to the last bit; shape (k,) each."""
        judged = dict(scores)
        for figure, (aggregation, kind) in self._made.items():
            judged[figure] = aggregation.combine_columns(scores)[kind]
        judged[INFEASIBILITY] = total(
            [_excesses(one, judged, self.margins_kept.get(one.figure_name, 0.0)) for one in self.listed]
        )
        return judged

    def with_derived(self, scores: Mapping[str, float]) -> dict[str, float]:
        """Return scores with the figures that are made of them."""
        judged = dict(scores)
        for figure, (aggregation, kind) in self._made.items():
            judged[figure] = aggregation.combine(scores)[kind]
        return judged

    @cached_property
    def _made(self) -> dict[str, tuple[Aggregation, str]]:
        """The source of each derived figure, and its aggregate."""
        return {figure: (aggregation, figure.partition(" of ")[0]) for figure, aggregation in self.derived.items()}

    def margins(self, draws: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """Return, by figure, two standard deviations between several draws, each given with IL and DR."""
        # What is published is one draw, and it has to keep the bound. Besides, a search picks the best of many by the
        # same few draws: what keeps a bound there by a hair breaks it elsewhere.
        judged = [self.with_derived(scores) for scores in draws]
        names = {constraint.figure_name for constraint in self.listed}
        return {name: MARGIN * stdev(of[name] for of in judged) for name in names}

    def _excess(self, constraint: Constraint, judged: Mapping[str, float], margin: float) -> float:
        """Return by how much a constraint is missed: the share of records short of it where that is known."""
        excess = constraint.excess(judged[constraint.figure_name], margin)
        share = judged.get(constraint.shortfall_name, 0.0) / 100.0 if excess > 0.0 else 0.0
        return share if share > 0.0 else excess


def _excesses(constraint: Constraint, judged: Mapping[str, NDArray[np.float64]], margin: float) -> NDArray[np.float64]:
    """Return by how much several candidates miss a constraint: see `Constraints._excess`."""
    values, bound = judged[constraint.figure_name], constraint.bound
    missed = (values - bound if constraint.operator == "<=" else bound - values) + margin
    if not (missed > 0.0).any():
        return np.zeros(len(values))
    excesses = np.where(missed > 0.0, np.minimum(missed / max(abs(bound), 1.0), GREATEST), 0.0)
    if constraint.shortfall_name in judged:
        shares = judged[constraint.shortfall_name] / 100.0
        excesses = np.where((excesses > 0.0) & (shares > 0.0), shares, excesses)
    return excesses


def without_publishable(require: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """Return requirements without those on the verdict, which is judged when all else is known, and the strictest."""
    # It is ``publishable``, without a condition, or ``publishable on conditions``; empty where none was one.
    given = [(text, " ".join(text.lower().split())) for text in require]
    kept = tuple(text for text, words in given if words not in (YES, CONDITIONAL))
    said = {words for _, words in given}
    return kept, YES if YES in said else CONDITIONAL if CONDITIONAL in said else ""
