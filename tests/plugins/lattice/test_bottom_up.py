"""A bottom-up search that comes to its end has found an optimum."""

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evosdc.assess.risk import RegisteredModels
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.generation import evolve
from evosdc.engine.problem import Problem
from evosdc.errors import ParameterError
from evosdc.experiment.start import individual_of
from evosdc.model import Aggregation, Microdata, toolbox_of
from evosdc.model.fitness import SingleMeasure
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.space import nodes_of
from tests.plugins.lattice.tables import files, privacy_parameters


def problem_of(microdata, measure, **params):
    lattice = Lattice(Lattice.Params(**params), microdata, RegisteredModels(default_registry()))
    fitted = default_registry().build("measure", measure, {}).fit(microdata.original)
    return Problem(lattice, {measure: fitted}, Aggregation(()), SingleMeasure(measure), Streams(1))


def ended(problem):
    """Return the solution of a bottom-up search, and how many nodes it judged."""
    toolbox, evaluator = toolbox_of(problem.genotype, problem.measures, problem.fitness), Evaluator(problem)
    algorithm = default_registry().build("algorithm", "bottom-up", {}, toolbox)
    population = algorithm.first_population([individual_of(problem, problem.genotype.reference, "highest")])
    count = 1
    while (generation := evolve(algorithm, evaluator, Streams(1), population)).made:
        count += generation.evaluations
        population = generation.population
    return population[0], count


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(
    files(),
    privacy_parameters(),
    st.sampled_from([0, 0.1, 0.4]),
    st.sampled_from(["dm", "dm-star", "lm", "iloss", "cavg", "entropy", "precision", "height"]),
)
def test_it_ends_at_an_optimum(microdata, params, suppression, measure):
    try:
        problem = problem_of(microdata, measure, **params, suppression=suppression)
    except ParameterError:
        assume(False)
    lattice = problem.genotype
    direct = lattice.direct(problem.measures[measure])
    least = min(direct(node) for node in nodes_of(lattice.space) if lattice.violation(node) == 0.0)
    solution, count = ended(problem)
    assert lattice.violation(solution.genome) == 0.0
    assert solution.objectives[0] == least
    assert count <= lattice.space.size + 1


def test_nodes_above_one_within_the_limit_are_judged_where_suppression_counts():
    # At (0, 0) the two records that stand alone are suppressed, for 38 each; at (1, 0) none is, in classes of 19.
    labels = ("a", "b", "c", "d")
    hierarchy = Hierarchy(labels, (("ab", "*"), ("ab", "*"), ("cd", "*"), ("cd", "*")))
    attributes = tuple(Attribute(n, Role.QUASI_IDENTIFIER, Scale.NOMINAL, labels, hierarchy) for n in "pq")
    codes = np.array([[0, 0]] * 18 + [[1, 0]] + [[2, 3]] * 18 + [[3, 3]], dtype=np.int32)
    microdata = Microdata(Table(Schema(attributes), codes, np.empty((38, 0))), ("p", "q"))
    problem = problem_of(microdata, "dm", k=2, suppression=0.2)
    solution, _ = ended(problem)
    assert problem.genotype.violation(problem.genotype.space.bottom) == 0.0
    lowest = individual_of(problem, problem.genotype.space.bottom, "lowest").objectives[0]
    assert solution.objectives[0] == 2 * 19**2 < lowest == 2 * 18**2 + 38 * 2
