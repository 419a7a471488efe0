"""The algorithm `frozen-algorithm`."""

from pydantic import Field

from evosdc.model import Algorithm, Parameters, Population, evaluate


class FrozenAlgorithm(Algorithm):
    """Each individual competes with a mutant of its own."""

    class Params(Parameters):
        """Parameters of the algorithm."""

        mutations: int = Field(1, ge=1, description="mutations of a mutant, one after the other")

    params: Params

    def step(self, population: Population) -> Population:
        """Return the next population; what has to be remembered goes into its memory, never into this object."""
        toolbox, children = self.toolbox, []
        for parent in population:
            child = toolbox.clone(parent)
            for _ in range(self.params.mutations):
                (child,) = toolbox.mutate(child)
            del child.fitness.values
            children.append(child)
        evaluate(children, toolbox)
        pairs = zip(population, children, strict=True)
        return population.following(child if child.dominates(parent) else parent for parent, child in pairs)
