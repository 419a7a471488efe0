"""The contracts that plugins fulfil: Genotype, Measure, Judge, PrivacyModel, Fitness, MaskingMethod, Limit, and others.

Everything a plugin author needs is imported from here: contracts and capabilities, tables and schemas, specs and the
marker of hooks, errors, kernels. Names are imported when they are first used, so that a module of hooks that takes
its specs from here stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evosdc.datasets.loading import source_from_lines
    from evosdc.errors import DataError, Fault, InputError, ParameterError, PluginError
    from evosdc.executors.tasks import run_chunk
    from evosdc.files.delimited_file import parse_delimited
    from evosdc.files.original import Original, Published
    from evosdc.files.source import Source
    from evosdc.hookspecs import hookimpl
    from evosdc.model.aggregation import Aggregation
    from evosdc.model.algorithm import Algorithm, Archipelago, Offspring, Population, Proposing, evaluate
    from evosdc.model.capabilities import (
        Composed,
        Described,
        Direct,
        Guaranteed,
        Local,
        Seedable,
        Stochastic,
        matrices_of,
        racing,
    )
    from evosdc.model.changes import Changes
    from evosdc.model.design import Choices, Design, Free, MaskingMethods, Range, Tunable, designs_of, fitting_designs
    from evosdc.model.dividing import Dividing, Grouping, InnerParameters
    from evosdc.model.executor import Executor, Failure, Outcome, SharedFiles, Task, TaskQueue
    from evosdc.model.fitness import Fitness
    from evosdc.model.genotype import Dump, Genotype
    from evosdc.model.individual import Individual, Siblings
    from evosdc.model.joint_counts import JointCounts, OfCounts
    from evosdc.model.judge import Estimate, Estimated, Judge
    from evosdc.model.limit import Judgement, Limit
    from evosdc.model.masking import Masking, MaskingMethod
    from evosdc.model.measure import (
        Expected,
        Fitted,
        Measure,
        Mending,
        Moving,
    )
    from evosdc.model.microdata import EarlierRelease, Microdata
    from evosdc.model.operators import deap_crossover, deap_mutation
    from evosdc.model.parameters import Parameters
    from evosdc.model.privacy import (
        ByClass,
        BySizes,
        ClassContents,
        ClassValues,
        IntruderView,
        MissingMatch,
        PrivacyModel,
        PrivacyModels,
    )
    from evosdc.model.toolbox import toolbox_of
    from evosdc.model.tracker import Rescoring, Tracker
    from evosdc.secret import Streams
    from evosdc.specs import (
        AlgorithmSpec,
        DatasetSpec,
        ExecutorSpec,
        FitnessSpec,
        FormatSpec,
        GenotypeSpec,
        LimitSpec,
        MaskingMethodSpec,
        MeasureSpec,
        OperatorSpec,
        PictureSpec,
        PortfolioSpec,
        PrivacyModelSpec,
    )
    from evosdc.table.schema import Attribute, Role, Scale, Schema
    from evosdc.table.table import MISSING, Rows, Table
    from evosdc.time_limit import check_time

_MODULES = {
    "evosdc.datasets.loading": ("source_from_lines",),
    "evosdc.errors": ("DataError", "Fault", "InputError", "ParameterError", "PluginError"),
    "evosdc.executors.tasks": ("run_chunk",),
    "evosdc.files.delimited_file": ("parse_delimited",),
    "evosdc.files.original": ("Original", "Published"),
    "evosdc.files.source": ("Source",),
    "evosdc.hookspecs": ("hookimpl",),
    "evosdc.model.aggregation": ("Aggregation",),
    "evosdc.model.algorithm": ("Algorithm", "Archipelago", "Offspring", "Population", "Proposing", "evaluate"),
    "evosdc.model.capabilities": (
        "Composed", "Described", "Direct", "Guaranteed", "Local", "Seedable", "Stochastic", "matrices_of", "racing",
    ),
    "evosdc.model.changes": ("Changes",),
    "evosdc.model.design": (
        "Choices", "Design", "Free", "MaskingMethods", "Range", "Tunable", "designs_of", "fitting_designs",
    ),
    "evosdc.model.dividing": ("Dividing", "Grouping", "InnerParameters"),
    "evosdc.model.executor": ("Executor", "Failure", "Outcome", "SharedFiles", "Task", "TaskQueue"),
    "evosdc.model.fitness": ("Fitness",),
    "evosdc.model.genotype": ("Dump", "Genotype"),
    "evosdc.model.individual": ("Individual", "Siblings"),
    "evosdc.model.joint_counts": ("JointCounts", "OfCounts"),
    "evosdc.model.judge": ("Estimate", "Estimated", "Judge"),
    "evosdc.model.limit": ("Judgement", "Limit"),
    "evosdc.model.masking": ("Masking", "MaskingMethod"),
    "evosdc.model.measure": ("Expected", "Fitted", "Measure", "Mending", "Moving"),
    "evosdc.model.microdata": ("EarlierRelease", "Microdata"),
    "evosdc.model.operators": ("deap_crossover", "deap_mutation"),
    "evosdc.model.parameters": ("Parameters",),
    "evosdc.model.privacy": (
        "ByClass", "BySizes", "ClassContents", "ClassValues", "IntruderView", "MissingMatch", "PrivacyModel",
        "PrivacyModels",
    ),
    "evosdc.model.toolbox": ("toolbox_of",),
    "evosdc.model.tracker": ("Rescoring", "Tracker"),
    "evosdc.secret": ("Streams",),
    "evosdc.specs": (
        "AlgorithmSpec", "DatasetSpec", "ExecutorSpec", "FitnessSpec", "FormatSpec", "GenotypeSpec", "LimitSpec",
        "MaskingMethodSpec", "MeasureSpec", "OperatorSpec", "PictureSpec", "PortfolioSpec", "PrivacyModelSpec",
    ),
    "evosdc.table.schema": ("Attribute", "Role", "Scale", "Schema"),
    "evosdc.table.table": ("MISSING", "Rows", "Table"),
    "evosdc.time_limit": ("check_time",),
}  # fmt: skip
_PLACES = {name: module for module, names in _MODULES.items() for name in names}
_GONE = {
    "SelfStarting": "define initial_genomes: every genotype has it",
    "Randomised": "derive from Stochastic",
    "Raced": "derive from Stochastic, with races = True",
    "PostRandomised": "derive from Stochastic, with by_matrices = True",
    "Restricted": "derive from Guaranteed",
    "Assuring": "derive from Guaranteed",
    "Generalising": "set generalises = True",
    "Equipped": 'set needs = ("methods",)',
    "Guaranteeing": 'set needs = ("models",)',
}
"""Replaced capabilities of genotypes, and what to write instead."""
__all__ = [
    "MISSING", "Aggregation", "Algorithm", "AlgorithmSpec", "Archipelago", "Attribute", "ByClass", "BySizes",
    "Changes", "Choices", "ClassContents", "ClassValues", "Composed", "DataError", "DatasetSpec", "Described",
    "Design", "Direct", "Dividing", "Dump", "EarlierRelease", "Estimate", "Estimated", "Executor", "ExecutorSpec",
    "Expected", "Failure", "Fault", "Fitness", "FitnessSpec", "Fitted", "FormatSpec", "Free", "Genotype",
    "GenotypeSpec", "Grouping", "Guaranteed", "Individual", "InnerParameters", "InputError", "IntruderView",
    "JointCounts", "Judge", "Judgement", "Limit", "LimitSpec", "Local", "Masking", "MaskingMethod",
    "MaskingMethodSpec", "MaskingMethods", "Measure", "MeasureSpec", "Mending", "Microdata", "MissingMatch",
    "Moving", "OfCounts", "Offspring", "OperatorSpec", "Original", "Outcome", "ParameterError", "Parameters",
    "PictureSpec", "PluginError", "Population", "PortfolioSpec", "PrivacyModel", "PrivacyModelSpec",
    "PrivacyModels", "Proposing", "Published", "Range", "Rescoring", "Role", "Rows", "Scale", "Schema", "Seedable",
    "SharedFiles", "Siblings", "Source", "Stochastic", "Streams", "Table", "Task", "TaskQueue", "Tracker",
    "Tunable", "check_time", "deap_crossover", "deap_mutation", "designs_of", "evaluate", "fitting_designs",
    "hookimpl", "matrices_of", "parse_delimited", "racing", "run_chunk", "source_from_lines", "toolbox_of",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _GONE:
        raise ImportError(f"evosdc.model has no {name} any more: {_GONE[name]}")
    if name not in _PLACES:
        raise AttributeError(f"module 'evosdc.model' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
