"""Variation: crossover AND mutation, crossover OR mutation, and operator rates that change over time."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from deap import base
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evosdc.model import Individual, Parameters, Population
from evosdc.model.algorithm import random_of

CREDIT = "credit"  # Where a population's memory keeps what mutation and crossover have achieved, shape (2,)
LEARNING, LEAST_RATE = 0.1, 0.1


class Schedule(Parameters):
    """Rates that a search moves to, linearly by generations, from those that it begins with (Davis 1991)."""

    # Davis interpolates parameters between the beginning and the end of a run; after `over` generations they stay.

    over: int = Field(ge=1, description="generations after which the rates are these")
    crossover: float | None = Field(None, ge=0, le=1, description="rate of crossover then; default: as at first")
    mutation: float | None = Field(None, ge=0, le=1, description="rate of mutation then; default: as at first")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.crossover is None and self.mutation is None:
            raise ValueError("a rate to move to: crossover, mutation or both")
        return self


class VariationParams(Parameters):
    """Parameters of variation."""

    variation: Literal["or", "and"] = Field(
        "and", description="crossover and then mutation of each child, or one of the two"
    )
    crossover: float = Field(0.9, ge=0, le=1, description="with `and`: probability that a pair is crossed")
    mutation: float = Field(
        0.5, ge=0, le=1, description="with `and`: probability that a child is mutated; with `or`: of mutation"
    )
    adaptive: bool = Field(
        False, description="whether the rate of mutation, with `or`, follows the improvements that both operators make"
    )
    schedule: Schedule | None = Field(
        None, description="rates to move to, linearly over a number of generations: { over = 500, mutation = 0.1 }"
    )

    @model_validator(mode="after")
    def _one_rate(self) -> Self:
        if self.adaptive and self.schedule is not None:
            raise ValueError("adaptive = true or a schedule: rates follow the one or the other")
        if self.adaptive and self.variation == "and":
            raise ValueError(
                'adaptive = true with variation = "or" only: it is the choice between operators that adapts'
            )
        return self

    def at(self, generation: int) -> Self:
        """Return the parameters with the rates of a generation."""
        if self.schedule is None:
            return self
        passed, schedule = min(generation / self.schedule.over, 1.0), self.schedule
        moved = {
            name: first + passed * (last - first)
            for name, first, last in (
                ("crossover", self.crossover, schedule.crossover),
                ("mutation", self.mutation, schedule.mutation),
            )
            if last is not None
        }
        return self.model_copy(update=moved)


def mutation_rate(params: VariationParams, memory: Mapping[str, NDArray[Any]]) -> float:
    """Return the probability of mutation, with `or`: the given one, or the one by its credit."""
    # Probability matching (Goldberg 1990; Thierens 2005): each operator has at least a tenth, and shares the rest by
    # its credit.
    if not params.adaptive or CREDIT not in memory:
        return params.mutation
    mutation, crossover = memory[CREDIT].tolist()
    return float(LEAST_RATE + (1.0 - 2.0 * LEAST_RATE) * mutation / (mutation + crossover))


def mutant(toolbox: base.Toolbox, parent: Individual) -> Individual:
    """Return a mutant, as DEAP's `varOr` makes one."""
    return mutated(toolbox, toolbox.clone(parent))


def crossed(toolbox: base.Toolbox, first: Individual, second: Individual) -> list[Individual]:
    """Return the two children of a crossover, the first nearest to the first parent by origin."""
    children = list(toolbox.mate(toolbox.clone(first), toolbox.clone(second)))
    for child in children:
        del child.fitness.values
    return children


def mutated(toolbox: base.Toolbox, child: Individual) -> Individual:
    """Mutate a copy, and return it."""
    (child,) = toolbox.mutate(child)
    del child.fitness.values
    return child


def reproduced(toolbox: base.Toolbox, parent: Individual) -> Individual:
    """Return a copy that counts as a child: a generation of nothing but copies does not end a search."""
    child: Individual = toolbox.clone(parent)
    child.origin = "reproduction"
    del child.fitness.values
    return child


def vary_parents(
    params: VariationParams, toolbox: base.Toolbox, first: Individual, second: Individual, rate: float
) -> list[Individual]:
    """Return the two children of a pair of parents: crossover or mutation, or one and then the other, or a copy."""
    random = random_of(toolbox)
    if params.variation == "or":
        if random.random() < rate or first.key == second.key:
            return [mutant(toolbox, parent) for parent in (first, second)]
        return crossed(toolbox, first, second)
    if random.random() < params.crossover and first.key != second.key:
        children = crossed(toolbox, first, second)
        return [mutated(toolbox, child) if random.random() < params.mutation else child for child in children]
    return [(mutant if random.random() < params.mutation else reproduced)(toolbox, p) for p in (first, second)]


def update_memory(
    params: VariationParams,
    population: Population,
    children: Sequence[Individual],
    parents: Sequence[Individual],
) -> dict[str, NDArray[Any]]:
    """Return the population's memory with the credit of both operators brought up to date."""
    # The credit of an operator is a running mean of its share of the improvement that a child of either made over its
    # parent, on the average. A generation without improvement changes nothing.
    memory = dict(population.memory)
    if not params.adaptive:
        return memory
    gains, made = np.zeros(2), np.zeros(2)
    for child, parent in zip(children, parents, strict=True):
        operator = int(child.origin == "crossover")
        made[operator] += 1
        gains[operator] += improvement(child, parent)
    means = gains / np.maximum(made, 1.0)
    credit = memory.get(CREDIT, np.array([params.mutation, 1.0 - params.mutation]))
    if means.sum() > 0.0:
        credit = (1.0 - LEARNING) * credit + LEARNING * means / means.sum()
    memory[CREDIT] = credit
    return memory


def improvement(child: Individual, parent: Individual) -> float:
    """Return by how much a child is better than its parent: in infeasibility, else in the sum of objectives; or 0."""
    if not child.dominates(parent):
        return 0.0
    if child.infeasibility != parent.infeasibility:
        return parent.infeasibility - child.infeasibility
    return sum(parent.objectives) - sum(child.objectives)
