"""The genotype `lattice`: one level of generalisation an attribute, and the table that a node publishes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from math import ceil, floor, prod
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from evosdc.errors import Fault, ParameterError, PluginError
from evosdc.model import Described, Direct, Dump, Fitted, Guaranteed, Masking, Microdata, Parameters, PrivacyModels
from evosdc.model.constraint import Constraint
from evosdc.table.hierarchy import ROOT
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import MISSING, Codes, Rows, Table
from evosdc_lattice.evaluation import NodeEvaluator
from evosdc_lattice.ladder import Ladder, ladders_of
from evosdc_lattice.losses import AverageClassSize, Discernibility, NodeLoss
from evosdc_lattice.measures import FittedLoss
from evosdc_lattice.requirement import Distance, Diversity, class_requirement
from evosdc_lattice.rollup import packed
from evosdc_lattice.space import FrequencySet, LatticeSpace, Levels, locked


def _generalised(ladder: Ladder, level: int, original: Attribute, suppressed: Rows) -> tuple[Attribute, Codes]:
    known = dict.fromkeys(original.categories)
    labels = [label for label in ladder.labels[level] if label is not None]
    root = ladder.labels[-1][0] or ROOT
    known.update(dict.fromkeys([*labels, *([root] if len(suppressed) else [])]))
    categories = tuple(known)
    code = {label: position for position, label in enumerate(categories)}
    by_node = np.array([MISSING if x is None else code[x] for x in ladder.labels[level]], dtype=np.int32)
    column = by_node[ladder.codes[level]][ladder.base]
    if len(suppressed):
        column[suppressed] = code[root]
    scale = original.scale if original.categorical else Scale.NOMINAL
    hierarchy = ladder.attribute.hierarchy
    return replace(original, scale=scale, categories=categories, decimals=0, hierarchy=hierarchy), column


def class_sizes(space: LatticeSpace, classes: FrequencySet) -> dict[str, Any]:
    """Return how many published classes there are, the least and the greatest size, and a histogram."""
    # Sizes are grouped by doubling bounds, so that the histogram stays short for any file.
    kept = classes.counts[~space.model.failing(classes.counts, classes.sensitive)]
    if not len(kept):
        return {"count": 0, "least": 0, "greatest": 0, "mean": 0.0, "histogram": {}}
    bound, histogram = space.model.k, {}
    while bound <= int(kept.max()):
        inside = int(((kept >= bound) & (kept < 2 * bound)).sum())
        if inside:
            histogram[f"{bound}-{2 * bound - 1}" if bound > 1 else "1"] = inside
        bound *= 2
    return {
        "count": len(kept),
        "least": int(kept.min()),
        "greatest": int(kept.max()),
        "mean": float(kept.mean()),
        "histogram": histogram,
    }


SUPPRESSED = 0.05  # share of the records that a truthful file may suppress
ENUMERATED = 1_000_000  # nodes of a lattice up to which the best one for a truthful file is looked for exactly


class Lattice(Guaranteed[Levels], Direct[Levels], Described[Levels]):
    """A level for each attribute: full-domain generalisation with suppression (Samarati 2001; Sweeney 2002)."""

    # Classes that fail the privacy model are suppressed whole. A genome that suppresses more records than allowed is a
    # candidate all the same, with a penalty that grows with the records beyond the limit.

    class Params(Parameters):
        """The privacy model and the limit of suppression."""

        k: int = Field(ge=1, description="least number of records of a class")
        suppression: int | float = Field(
            0, ge=0, description="records that may be suppressed: a share in [0, 1], or a count above 1"
        )
        l: float | None = Field(None, ge=1, description="l-diversity of the sensitive attributes")  # noqa: E741
        diversity: Diversity = Field("distinct", description="which l-diversity")
        c: float = Field(3.0, gt=0, description="c of recursive (c, l)-diversity")
        t: float | None = Field(None, ge=0, le=1, description="t-closeness of the sensitive attributes")
        distance: Distance = Field(
            "auto",
            description="how far sensitive values are apart for t: nominal (1), ordinal (by rank) or hierarchical; "
            "auto: ordinal for ordinal and numeric attributes, hierarchical for nominal ones that have a hierarchy",
        )
        p: int | None = Field(None, ge=1, description="distinct sensitive values of a class (p-sensitivity)")
        sensitive: tuple[str, ...] | None = Field(
            None,
            description="sensitive attributes, of any role that is published; default: those with the role sensitive",
        )
        require: tuple[str, ...] = Field(
            (), description='registered privacy models that every class must meet, such as ["beta-likeness <= 2"]'
        )
        suppressed: Literal["star", "drop"] = Field(
            "star", description="whether suppressed records are published as roots or left out"
        )

        crossover: Literal["one-point", "two-point"] = Field(
            "one-point", description="whether children exchange the levels behind one attribute or between two"
        )

        @model_validator(mode="before")
        @classmethod
        def _one_sensitive(cls, value: Any) -> Any:
            if not isinstance(value, dict):
                return value
            single = {name: (value[name],) for name in ("sensitive", "require") if isinstance(value.get(name), str)}
            return {**value, **single}

        @model_validator(mode="after")
        def _count_or_share(self) -> "Lattice.Params":
            if self.suppression > 1 and self.suppression != int(self.suppression):
                raise ValueError("suppression: a share from 0 to 1, or a whole number of records")
            if self.p is not None and self.p > self.k:
                raise ValueError("p at most k")
            return self

        @model_validator(mode="after")
        def _nothing_idle(self) -> "Lattice.Params":
            """Refuse what would do nothing: its author believes the file to be protected by it."""
            given = self.l is not None, self.t is not None, self.p is not None
            idle = (
                (self.diversity != "distinct" and not given[0], "diversity", "l = ..."),
                (self.c != 3.0 and (self.diversity != "recursive" or not given[0]), "c", 'diversity = "recursive"'),
                (self.distance != "auto" and not given[1], "distance", "t = ..."),
                (self.sensitive is not None and not any((*given, self.require)), "sensitive", "l, t, p or require"),
            )
            faults = [f"{name} with {partner}" for is_idle, name, partner in idle if is_idle]
            if faults:
                raise ValueError(f"{'; '.join(faults)}: alone they have no effect")
            return self

    params: Params
    portfolio = None
    generalises = True
    needs = ("models",)

    def __init__(self, params: Params, microdata: Microdata, models: PrivacyModels | None = None) -> None:
        super().__init__(params, microdata)
        ladders, self._notes = ladders_of(microdata.original)
        model, values = class_requirement(params, microdata, models)
        n = len(microdata.original)
        limit = int(params.suppression) if params.suppression > 1 else floor(params.suppression * n + 1e-9)
        self.space = LatticeSpace(ladders, model, min(limit, n), values)
        self.evaluator = NodeEvaluator(self.space)
        if self.evaluator.facts(self.space.top).suppressed > self.space.limit:
            given = f"{params.model_dump(exclude_defaults=True)} for {n} records"
            advice = "Even the file with nothing but roots does not meet it: choose a smaller k or l, or a larger t."
            raise ParameterError(Fault("genotype lattice", given, "a privacy model that can be met", advice))

    @classmethod
    def assurance(cls, microdata: Microdata, required: Sequence[Constraint], bound: float) -> Mapping[str, Any]:
        """Return a search for the node of least loss: groups of k as required, else so large that the bound is kept."""
        # A file with sensitive attributes has at least two values of each in every group, unless more is required.
        sizes = [ceil(one.bound) for one in required if one.plain and one.name == "k-anonymity"]
        others = [str(one) for one in required if not (one.plain and one.name == "k-anonymity")]
        schema = microdata.table.schema
        sensitive = [a.name for a in schema.attributes if a.role is Role.SENSITIVE and a.name not in microdata.protect]
        several = all(len(np.unique(microdata.table.column(name))) > 1 for name in sensitive)
        genotype: dict[str, Any] = {"name": "lattice", "suppression": SUPPRESSED}
        genotype["k"] = max(*sizes, 1) if sizes else max(2, round(100.0 / bound))
        if others:
            genotype["require"] = others
        elif sensitive and several:
            genotype["l"] = 2
        nodes = prod(ladder.height + 1 for ladder in ladders_of(microdata.original)[0])
        return {
            "genotype": genotype,
            "algorithm": {"name": "optimal" if nodes <= ENUMERATED else "tabu"},
            "fitness": {"name": "lm"},
            "measures": {"other": ["lm", "dm"]},
            "start": {"initial": True},
            "constraints": [],
            "structural_zeros": False,
        }

    @classmethod
    def auxiliary_names(cls, params: Any) -> tuple[str, ...]:
        """Return the attributes that are named as sensitive, whatever their role."""
        return params.sensitive or ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided for the user: hierarchies that were built."""
        return self._notes

    def initial_genomes(self) -> Sequence[tuple[Masking, Levels]]:
        """Return the highest node, which is always within the limit."""
        return ((Masking("generalisation", {"levels": "highest"}), self.space.top),)

    @property
    def reference(self) -> Levels:
        """The highest node: within the limit, and no node within it loses more."""
        return self.space.top

    def random(self, rng: np.random.Generator) -> Levels:
        """Return a node drawn uniformly."""
        return locked(rng.integers(0, self.space.top.astype(np.int64) + 1).astype(np.int16))

    def crossover(self, a: Levels, b: Levels, rng: np.random.Generator) -> tuple[Levels, Levels]:
        """Return two nodes that have exchanged their levels from a random attribute on, up to another if so chosen."""
        if self.params.crossover == "two-point" and len(a) > 2:
            # Both ends are within 1..V, so that never all levels are exchanged.
            first, last = np.sort(rng.choice(np.arange(1, len(a) + 1), 2, replace=False))
        else:
            first, last = int(rng.integers(1, len(a))) if len(a) > 1 else 0, len(a)
        exchanged = np.zeros(len(a), dtype=bool)
        exchanged[first:last] = True
        return locked(np.where(exchanged, b, a)), locked(np.where(exchanged, a, b))

    def mutate(self, g: Levels, rng: np.random.Generator) -> Levels:
        """Return a node that differs in the level of one attribute, by any amount."""
        free = np.flatnonzero(self.space.top > 0)
        if not len(free):
            return g
        j = int(free[rng.integers(len(free))])
        drawn = int(rng.integers(self.space.top[j]))
        return _with_level(g, j, drawn + int(drawn >= g[j]))

    def neighbours(self, g: Levels) -> list[Levels]:
        """Return all nodes that differ in the level of one attribute, by any amount."""
        tops = enumerate(self.space.top.tolist())
        return [_with_level(g, j, level) for j, top in tops for level in range(top + 1) if level != g[j]]

    def steps(self, g: Levels, by: int) -> list[Levels]:
        """Return the nodes one step up (`by` = 1) or down (-1)."""
        tops = enumerate(self.space.top.tolist())
        return [_with_level(g, j, g[j] + by) for j, top in tops if 0 <= g[j] + by <= top]

    def loss_of(self, fitted: Fitted) -> NodeLoss | None:
        """Return how a measure judges nodes; None for one that needs a table."""
        if not isinstance(fitted, FittedLoss):
            return None
        if isinstance(fitted.loss, Discernibility) and fitted.loss.k not in (1, self.params.k):
            given, wanted = f"{fitted.loss.k}", f"none, or {self.params.k} as the genotype has"
            raise ParameterError(Fault("measure dm: k", given, wanted))
        return AverageClassSize(float(self.params.k)) if fitted.needs_k else fitted.loss

    def direct(self, fitted: Fitted) -> Callable[[Levels], float] | None:
        """Return how a loss of generalised files follows from a node without a table."""
        loss = self.loss_of(fitted)
        if loss is None:
            return None
        return lambda g: loss.of(self.evaluator, g, self.evaluator.facts(g))

    def violation(self, g: Levels) -> float:
        """Return the records suppressed beyond the limit as a share of the most there could be; 0 within it."""
        excess = self.evaluator.facts(g).suppressed - self.space.limit
        return excess / (self.space.n - self.space.limit) if excess > 0 else 0.0

    def decode(self, g: Levels, rng: np.random.Generator) -> Table:
        """Return the generalised table; suppressed records have the root in every attribute. Nothing is random."""
        # New labels follow the original's categories, numbers become nominal labels; an attribute at level 0 without
        # suppressed records stays as it is.
        original, suppressed = self.microdata.original, self.suppressed_rows(g)
        attributes, codes, numbers = list[Attribute](), list[Codes](), []
        for ladder, level in zip(self.space.ladders, g.tolist(), strict=True):
            attribute = original.schema[ladder.attribute.name]
            column = original.column(attribute.name)
            if level > 0 or len(suppressed):
                attribute, column = _generalised(ladder, level, attribute, suppressed)
            attributes.append(attribute)
            if attribute.categorical:
                codes.append(np.asarray(column, dtype=np.int32))
            else:
                numbers.append(column)
        return Table(
            replace(original.schema, attributes=tuple(attributes)),
            np.stack(codes, axis=1) if codes else np.empty((len(original), 0), dtype=np.int32),
            np.stack(numbers, axis=1) if numbers else np.empty((len(original), 0)),
        )

    def suppressed_rows(self, g: Levels) -> Rows:
        """Return the positions of the suppressed records: those in classes that fail the privacy model."""
        space, classes = self.space, self.evaluator.classes(g)
        failing = space.model.failing(classes.counts, classes.sensitive)
        if not failing.any():
            return np.empty(0, dtype=np.intp)
        word, shift, _, words = space.fields
        ladders = zip(space.ladders, g.tolist(), strict=True)
        codes = np.stack([ladder.codes[level][ladder.base] for ladder, level in ladders], axis=1)
        view = np.dtype((np.void, 8 * words))
        of_records = packed(codes, word, shift, words).view(view).reshape(-1)
        unsafe = np.ascontiguousarray(classes.keys[failing]).view(view).reshape(-1)
        return np.flatnonzero(np.isin(of_records, unsafe))

    def omitted(self, g: Levels) -> Rows | None:
        """Return the records that are left out of the published file."""
        return self.suppressed_rows(g) if self.params.suppressed == "drop" else None

    def key(self, g: Levels) -> bytes:
        """Return a BLAKE2b hash of the levels."""
        return blake2b(g.tobytes(), digest_size=16).digest()

    def check(self, g: Levels) -> None:
        """Raise `PluginError` for a wrong shape or type, a writable array, or a level that an attribute lacks."""
        top = self.space.top
        if g.shape != top.shape or g.dtype != np.int16 or g.flags.writeable:
            raise PluginError(f"a genome of lattice is a read-only int16 array {top.shape}; got {g.dtype} {g.shape}")
        if ((g < 0) | (g > top)).any():
            raise PluginError("a genome of lattice holds a level that its attribute does not have")

    def dump(self, g: Levels) -> Dump:
        """Return the levels."""
        return {"levels": g}

    def load(self, d: Dump) -> Levels:
        """Return the levels that `dump` wrote."""
        return locked(np.array(d["levels"], dtype=np.int16))

    def distance(self, a: Levels, b: Levels) -> float:
        """Return the sum of the differences of the levels."""
        return float(np.abs(a.astype(np.int64) - b).sum())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(ladder.attribute.name for ladder in self.space.ladders)

    def levels_of(self, g: Levels) -> dict[str, int]:
        """Return the level of each attribute by name."""
        return dict(zip(self.names, g.tolist(), strict=True))

    def describe(self, g: Levels) -> Any:
        """Return levels, suppressed records, and how many classes there are of which size."""
        facts = self.evaluator.facts(g)
        return {
            "levels": self.levels_of(g),
            "suppressed": facts.suppressed,
            "limit": self.space.limit,
            "heights": self.levels_of(self.space.top),
            "classes": class_sizes(self.space, self.evaluator.classes(g)),
        }


def _with_level(g: Levels, j: int, level: int) -> Levels:
    node = g.copy()
    node[j] = level
    return locked(node)
