"""The contracts that plugins fulfil: Genotype, Measure, Judge, PrivacyModel, Fitness, MaskingMethod, Limit, and others.

Everything a plugin author needs is imported from here, the capabilities of genotypes and methods among it.
"""

from evosdc.model.aggregation import Aggregation
from evosdc.model.algorithm import Algorithm, Archipelago, Offspring, Population
from evosdc.model.capabilities import (
    Composed,
    Described,
    Direct,
    Equipped,
    Followed,
    Generalising,
    Movable,
    PostRandomised,
    Raced,
    Randomised,
    Restricted,
    Seedable,
    SelfStarting,
)
from evosdc.model.design import Choices, Design, Free, Range, Tunable, designs_of
from evosdc.model.dividing import Dividing, InnerParameters
from evosdc.model.estimate import Estimate, Estimated
from evosdc.model.executor import Executor, Failure, Outcome, SharedFiles, Task, TaskQueue
from evosdc.model.fitness import Fitness
from evosdc.model.genotype import Dump, Genotype
from evosdc.model.grouping import Grouping
from evosdc.model.individual import Individual
from evosdc.model.judge import Judge
from evosdc.model.limit import Judgement, Limit
from evosdc.model.masking import Masking, MaskingMethod
from evosdc.model.masking_methods import MaskingMethods, fitting_designs
from evosdc.model.measure import Expected, Fitted, Incremental, Measure, Mending, Moving
from evosdc.model.microdata import Microdata
from evosdc.model.operators import deap_crossover, deap_mutation
from evosdc.model.parameters import Parameters
from evosdc.model.privacy import ByClass, ClassContents, ClassValues, IntruderView, MissingMatch, PrivacyModel
from evosdc.model.privacy_models import Guaranteeing, PrivacyModels
from evosdc.model.toolbox import toolbox_of

__all__ = [
    "Aggregation", "Algorithm", "Archipelago", "ByClass", "Choices", "ClassContents", "ClassValues", "Composed",
    "Described", "Design", "Direct", "Dividing", "Dump", "Equipped", "Estimate", "Estimated", "Executor", "Expected",
    "Failure", "Fitness", "Fitted", "Followed", "Free", "Generalising", "Genotype", "Grouping", "Guaranteeing",
    "Incremental", "Individual", "InnerParameters", "IntruderView", "Judge", "Judgement", "Limit", "Masking",
    "MaskingMethod", "MaskingMethods", "Measure", "Mending", "Microdata", "MissingMatch", "Movable", "Moving",
    "Offspring", "Outcome", "Parameters", "Population", "PostRandomised", "PrivacyModel", "PrivacyModels", "Raced",
    "Randomised", "Range", "Restricted",
    "Seedable", "SelfStarting", "SharedFiles", "Task", "TaskQueue", "Tunable", "deap_crossover", "deap_mutation",
    "designs_of", "fitting_designs", "toolbox_of",
]  # fmt: skip
