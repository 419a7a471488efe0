"""The genotype `recipes`: evolution of protection plans instead of files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import product
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError, PluginError
from evosdc.model import Composed, Described, Dump, Masking, MaskingMethods, Microdata, Parameters, Stochastic
from evosdc.table.table import Table
from evosdc_recipes.plans import Genes, Plan, PlanSpace, Step, Treatment
from evosdc_recipes.step_cache import StepCache
from evosdc_recipes.variation import PLACES_OF_LASTING, crossed, eased, moved, mutated, random_plan

Recipe = tuple[Genes, int]  # a plan in its normal form, and the draws on which it is judged
PLACES = (0.1, 0.3, 0.5, 0.7, 0.9)  # shares of its range at which the single parameter of an initial plan stands

# Likewise of the first of several parameters and of the others, whose end is often the whole: all attributes, say.
PLACES_OF_FIRST, PLACES_OF_FURTHER = (0.25, 0.75), (0.25, 0.75, 1.0)


class Recipes(Composed[Recipe], Stochastic[Recipe], Described[Recipe]):
    """Protection plans: a few steps, each a registered masking method with parameters, attributes and strata.

    A plan can be read, explained and repeated on next year's file. Every registered method takes part by the ranges of
    its own parameters (`evosdc.model.Tunable`, else its ``Params``). Plans that mean the same have one key. evosdc's
    own design.
    """

    class Params(Parameters):
        """Length of plans, how many files judge one, and what ends all of them."""

        steps: int = Field(6, ge=1, le=20, description="steps of a plan at most, without `last`")
        draws: int = Field(12, ge=1, le=100, description="files that a random plan is scored on")
        fresh_draws: int = Field(30, ge=0, description="further files that the winner is scored on")
        lasting: bool = Field(
            True, description="whether methods that take long are tried; those of a start take part in any case"
        )
        last: dict[str, Any] | None = Field(
            None,
            description='a step that ends every plan, such as { method = "local-suppression", k = 3 }, to make sure of '
            "a requirement",
        )

    params: Params
    portfolio = None
    races = True
    needs = ("methods",)
    trait_names = ("length",)

    def __init__(self, params: Params, microdata: Microdata, methods: MaskingMethods) -> None:
        super().__init__(params, microdata)
        self._methods = methods
        self.space = PlanSpace(methods, microdata, params.steps, params.lasting)
        self._cache = StepCache(methods, microdata)
        self._last = None if params.last is None else self._built_last(params.last)
        if not self.space.treatments:
            given, wanted = "a file that no masking method fits", "at least one masking method with parameters for it"
            raise ParameterError(Fault("genotype recipes", given, wanted, "Protect other attributes."))

    def _built_last(self, given: Mapping[str, Any]) -> Masking:
        params = {key: value for key, value in given.items() if key not in ("method", "attributes")}
        if not isinstance(given.get("method"), str):
            raise ParameterError(
                Fault("genotype recipes: last", "no method", '{ method = "local-suppression", k = 3 }')
            )
        last = Masking(given["method"], params, tuple(given.get("attributes", ())))
        original = self.microdata.original
        original.schema.require(last.attributes, "genotype recipes: last")
        method = self._methods.build(last)
        method.require_fit(original.select(last.attributes) if last.attributes else original)
        return last

    @property
    def draws(self) -> int:
        """How many files judge a plan in the end."""
        return self.params.draws

    @property
    def fresh_draws(self) -> int:
        """How many further files judge the winner."""
        return self.params.fresh_draws

    def draws_of(self, g: Recipe) -> int:
        """Return on how many files a plan is judged."""
        return g[1]

    def judged_on(self, g: Recipe, draws: int) -> Recipe:
        """Return a plan to be judged on `draws` files, at most all."""
        return g[0], min(draws, self.params.draws)

    def random(self, rng: np.random.Generator) -> Recipe:
        """Return a random plan."""
        return self._recipe(random_plan(self.space, rng))

    def crossover(self, a: Recipe, b: Recipe, rng: np.random.Generator) -> tuple[Recipe, Recipe]:
        """Return two plans put together of parts of two."""
        first, second = crossed(self.space, self._plan(a), self._plan(b), rng)
        return self._recipe(first), self._recipe(second)

    def mutate(self, g: Recipe, rng: np.random.Generator) -> Recipe:
        """Return a plan with a step or parameter changed."""
        return self._recipe(mutated(self.space, self._plan(g), rng))

    def decode(self, g: Recipe, rng: np.random.Generator) -> Table:
        """Return the file that the plan makes."""
        return self._cache.carried_out(self._steps(g), rng).table

    def key(self, g: Recipe) -> bytes:
        """Return a hash of genes and draws."""
        return blake2b(g[0].tobytes() + b"/%d" % g[1], digest_size=16).digest()

    def check(self, g: Recipe) -> None:
        """Raise `PluginError` unless it is a plan of this file in its normal form."""
        plan = self._plan(g)
        if not plan or len(plan) > self.params.steps or not 1 <= g[1] <= self.params.draws:
            raise PluginError("the genome is no plan of this file: it has no step, too many, or no such draws")
        normal = self.space.genes(self.space.normal(plan))
        if normal.tobytes() != np.ascontiguousarray(g[0]).tobytes():
            raise PluginError("the genome is a plan that is not in its normal form")

    def dump(self, g: Recipe) -> Dump:
        """Return genes and draws."""
        return {"genes": g[0], "draws": np.array(g[1], dtype=np.int64)}

    def load(self, d: Dump) -> Recipe:
        """Return the plan that `dump` wrote."""
        genes = np.ascontiguousarray(d["genes"], dtype=np.float64)
        genes.flags.writeable = False
        return genes, int(d["draws"])

    def distance(self, a: Recipe, b: Recipe) -> float:
        """Return 0 for equal plans, up to 0.5 for equal methods or with further steps, up to 1 for others."""
        # Further steps may do next to nothing: they would make a kind of its own of each plan that has one. So would
        # the steps after one that takes long: its few tables, good or bad ones, are those of all plans that begin with
        # it.
        first, second = self._plan(a), self._plan(b)
        if first == second:
            return 0.0
        if [_kind(step) for step in first] == [_kind(step) for step in second]:
            shares = [zip(one.shares, other.shares, strict=True) for one, other in zip(first, second, strict=True)]
            gaps = [abs(x - y) for pairs in shares for x, y in pairs]
            return 0.4 * max(gaps, default=0.0) + 0.05
        if self.space.lasts(first[0]) and _kind(first[0]) == _kind(second[0]):
            return 0.49
        shared = len({_kind(step) for step in first} & {_kind(step) for step in second})
        return 1.0 - 0.55 * shared / min(len(first), len(second))

    def composed(self, masking: Masking) -> Recipe | None:
        """Return the plan of a portfolio's entry; None where a step is in no design, or there are too many."""
        steps = [self.space.step_of(step) for step in masking.steps]
        if self._last is not None and masking.steps[-1] == self._last:
            steps = steps[:-1]
        known = [step for step in steps if step is not None]
        if len(known) < len(steps) or not 0 < len(known) <= self.params.steps:
            return None
        plan = self.space.normal(known)
        return self._recipe(plan) if plan else None

    def masking(self, g: Recipe) -> Masking:
        """Return the plan as an entry of a portfolio; steps that did not fit the file are left out."""
        steps = self._steps(g)
        refused = self._cache.carried_out(steps, np.random.default_rng(0)).refused
        kept = [step for place, step in enumerate(steps) if place not in refused] or list(steps[:1])
        return replace(kept[0], then=tuple(kept[1:]))

    def last_step(self, masked: Table, rng: np.random.Generator) -> Table:
        """Return a table after the last step that all plans have; itself where they have none."""
        if self._last is None:
            return masked
        reached = self.microdata.masked_so_far(masked)
        return self._methods.apply(self._last, reached, rng)

    def simpler(self, g: Recipe) -> Sequence[Recipe]:
        """Return the plans that lack one of the steps each."""
        plan = self._plan(g)
        shorter = [self.space.normal([*plan[:place], *plan[place + 1 :]]) for place in range(len(plan))]
        return [self._recipe(steps) for steps in dict.fromkeys(shorter) if steps]

    def refined(self, g: Recipe) -> Sequence[Recipe]:
        """Return the plans with one parameter of one step moved up or down by a little."""
        plan = self._plan(g)
        found = dict.fromkeys(self.space.normal(steps) for steps in moved(self.space, plan))
        return [self._recipe(steps) for steps in found if steps and steps != plan]

    def joined(self, a: Recipe, b: Recipe, rng: np.random.Generator | None = None) -> Recipe | None:
        """Return the plan of the steps of both; None where these are too many, or those of one come to nothing."""
        first, second = self._plan(a), self._plan(b)
        steps = [*first, *second]
        plan = self.space.normal(steps if rng is None else eased(self.space, steps, rng))
        too_many = len(first) + len(second) > self.params.steps
        return None if too_many or plan in (first, second) else self._recipe(plan)

    def initial_genomes(self) -> Sequence[tuple[Masking, Recipe]]:
        """Return plans of one step: every design, at a few places of its parameters."""
        found: dict[bytes, tuple[Masking, Recipe]] = {}
        for place, treatment in enumerate(self.space.treatments):
            if not self.space.weights[place]:
                continue
            for point in product(*_places(treatment)):
                plan = self.space.normal([Step(place, point, self.space.positions[place])])
                masking = self.space.masking(plan[0]) if plan else None
                if masking is not None:
                    recipe = self._recipe(plan)
                    found.setdefault(self.key(recipe), (masking, recipe))
        return list(found.values())

    def describe(self, g: Recipe) -> dict[str, Any]:
        """Return the steps in words and as entries of a portfolio."""
        masking = self.masking(g)
        return {"plan": [step.label for step in masking.steps], "steps": [step.to_json() for step in masking.steps]}

    def traits(self, g: Recipe) -> Mapping[str, float]:
        """Return the length: how many steps there are, without the last one that all plans have."""
        return {"length": float(len(g[0]))}

    def _steps(self, g: Recipe) -> list[Masking]:
        made = [self.space.masking(step) for step in self._plan(g)]
        steps = [step for step in made if step is not None]
        return steps if self._last is None else [*steps, self._last]

    def _plan(self, g: Recipe) -> Plan:
        return self.space.plan(g[0])

    def _recipe(self, plan: Plan) -> Recipe:
        return self.space.genes(plan), self.params.draws


def _places(treatment: Treatment) -> list[tuple[float, ...]]:
    free = treatment.free - len(treatment.usual)
    usual = [(0.0,)] * len(treatment.usual)
    if free > 1:
        return [PLACES_OF_FIRST, *[PLACES_OF_FURTHER] * (free - 1), *usual]
    return [*[PLACES_OF_LASTING if treatment.design.dear else PLACES] * free, *usual]


def _kind(step: Step) -> tuple[object, ...]:
    return step.treatment, step.attributes, step.stratum
