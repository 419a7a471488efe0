"""The operators that an experiment names in place of the genotype's and the algorithm's own."""

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from deap import base

from evosdc.errors import ExperimentError, Fault, FaultCollector, did_you_mean
from evosdc.experiment.config.experiment import Named, Operators
from evosdc.model import Genotype
from evosdc.model.gene_lists import crossover_of, mutation_of
from evosdc.model.toolbox import register_operators
from evosdc.plugins.registry import Registry

WANTED = '"module:function", or the name of a registered operator'

GIVEN = {"mutate": 1, "mate": 2, "select": 2}
"""How many arguments an operator is given, the generator aside."""


def register_chosen(toolbox: base.Toolbox, genotype: Genotype[Any], chosen: Operators, registry: Registry) -> None:
    """Register the operators of an experiment in a toolbox.

    A function with an argument ``rng`` is pure: ``mutate(genome, rng)`` returns a genome, ``mate(a, b, rng)`` two.
    Any other is an operator as DEAP has them: ``mutate(genes)`` changes a list of genes and returns it in a tuple,
    ``mate(a, b)`` two of them; it draws from Python's `random`. ``select(individuals, k)`` returns k individuals.

    Raises
    ------
    ExperimentError
        With every operator that cannot be found, or does not take the parameters given.
    """
    collect = FaultCollector()
    functions: dict[str, Callable[..., Any]] = {}
    for kind in ("mate", "mutate", "select"):
        operator: Named | None = getattr(chosen, kind)
        if operator is not None:
            with collect.step():
                functions[kind] = _function(kind, operator, registry)
    collect.settle()
    mate, mutate = functions.get("mate"), functions.get("mutate")
    crossover = mate if mate is None or _pure(mate) else crossover_of(genotype, mate)
    mutation = mutate if mutate is None or _pure(mutate) else mutation_of(genotype, mutate)
    register_operators(toolbox, crossover, mutation)
    if "select" in functions:
        toolbox.register("select", functions["select"])


def _function(kind: str, operator: Named, registry: Registry) -> Callable[..., Any]:
    """Return the function that an operator names, with its parameters."""
    if operator.name in registry.names("operator"):
        spec = registry.spec("operator", operator.name)
        if getattr(spec, "varies", kind) != kind:
            raise _refused(kind, f"{operator.name}, which is an operator to {getattr(spec, 'varies', '')}", WANTED)
        function = registry.implementation("operator", operator.name)
    elif ":" in operator.name:
        function = _imported(kind, operator.name)
    else:
        raise _refused(kind, repr(operator.name), WANTED, did_you_mean(operator.name, registry.names("operator")))
    made = partial(function, **operator.params)
    unknown = [name for name in operator.params if name not in signature(function).parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in signature(function).parameters.values()):
        names = list(signature(function).parameters)[GIVEN[kind] :]
        taken = ", ".join(name for name in names if name != "rng") or "none"
        raise _refused(
            kind, f"parameters {', '.join(unknown)} of {operator.name}", f"parameters that it takes: {taken}"
        )
    return made


def _imported(kind: str, name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # a module beside the experiment, as Python's own programs find theirs
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise _refused(kind, f"{name!r}: {error}", WANTED) from None
    if not callable(found):
        raise _refused(kind, f"{name!r}, which is no function", WANTED)
    return found  # type: ignore[no-any-return]


def _pure(function: Callable[..., Any]) -> bool:
    return "rng" in signature(function).parameters


def _refused(kind: str, given: str, wanted: str, advice: str = "") -> ExperimentError:
    return ExperimentError(Fault(f"operators.{kind}", given, wanted, advice))
