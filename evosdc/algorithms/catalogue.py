"""What the framework itself offers as algorithms."""

from __future__ import annotations

from evosdc.specs import AlgorithmSpec


def algorithm_specs() -> tuple[AlgorithmSpec, ...]:
    """Return the specs of the shipped algorithms."""
    return (
        AlgorithmSpec(
            name="parent-child",
            implementation="evosdc.algorithms.parent_child:ParentChild",
            summary="Mutation or crossover; a child takes its parent's place when it is better.",
            source="Mares (2013), ch. 3 and 4 (outline); operators' rates and selection are a reconstruction.",
        ),
        AlgorithmSpec(
            name="generational",
            implementation="evosdc.algorithms.generational:Generational",
            summary="Crossover and mutation make a whole new generation; the best of the old one stay.",
            source="Mares (2013), 2.1.2; De Jong (2006).",
        ),
        AlgorithmSpec(
            name="steady-state",
            implementation="evosdc.algorithms.steady_state:SteadyState",
            summary="Small tournaments: the best reproduce, and better children take the places of the worst.",
            source="Mares (2013), 2.2, Algorithm 2; sizes and rates are a reconstruction.",
        ),
    )
