"""The operators that an experiment names in place of the genotype's and the algorithm's own."""

import sys
from collections.abc import Callable, Sequence
from functools import partial, wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from deap import base

from evosdc.errors import EvosdcError, ExperimentError, Fault, FaultCollector, PluginRaisedError, did_you_mean
from evosdc.experiment.config.experiment import Named, Operators
from evosdc.model import Genotype
from evosdc.model.gene_lists import crossover_of, mutation_of
from evosdc.model.toolbox import register_operators
from evosdc.plugins.registry import Registry
from evosdc.secret import lent

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
        toolbox.register("select", _selected, toolbox, functions["select"])


def _selected(toolbox: base.Toolbox, select: Callable[..., Any], individuals: Sequence[Any], count: int) -> Any:
    """Return whom an operator selects, which draws from Python's `random`."""
    with lent(toolbox.rng):
        return select(individuals, count)


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
    _require_parameters(kind, operator, function)
    return _told(kind, operator.name, partial(function, **operator.params))


def _require_parameters(kind: str, operator: Named, function: Callable[..., Any]) -> None:
    """Refuse parameters that an operator does not take, and the lack of those that it has to be given."""
    taken = {one.name: one for one in list(signature(function).parameters.values())[GIVEN[kind] :] if one.name != "rng"}
    anything = [name for name, one in taken.items() if one.kind is one.VAR_KEYWORD]
    unknown = [] if anything else [name for name in operator.params if name not in taken]
    if unknown:
        wanted = f"parameters that it takes: {', '.join(taken) or 'none'}"
        raise _refused(kind, f"parameters {', '.join(unknown)} of {operator.name}", wanted)
    needed = [n for n, p in taken.items() if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    if lacking := [name for name in needed if name not in operator.params]:
        raise _refused(kind, f"{operator.name} without {', '.join(lacking)}", "all parameters without a default")


def _told(kind: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that tells by which operator an error was raised."""

    @wraps(function)
    def told(*given: Any) -> Any:
        try:
            return function(*given)
        except (EvosdcError, MemoryError):
            raise
        except Exception as error:
            raise PluginRaisedError.of(f"operator {name}", kind, error) from error

    told.__name__ = name
    return told


def _imported(kind: str, name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # a module beside the experiment, as Python's own programs find theirs
    try:
        found = getattr(import_module(module), attribute)
    except Exception as error:  # whatever is wrong in that module
        raise _refused(kind, f"{name!r}: {type(error).__name__}: {error}", WANTED) from error
    if not callable(found):
        raise _refused(kind, f"{name!r}, which is no function", WANTED)
    return found  # type: ignore[no-any-return]


def _pure(function: Callable[..., Any]) -> bool:
    return "rng" in signature(function).parameters


def _refused(kind: str, given: str, wanted: str, advice: str = "") -> ExperimentError:
    return ExperimentError(Fault(f"operators.{kind}", given, wanted, advice))
