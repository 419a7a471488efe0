"""Genotypes whose every file fulfils what is required of a file, and the experiment that they propose for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from evosdc.engine.headline import Headline, unmasked_of
from evosdc.errors import ExperimentError, Fault, ParameterError
from evosdc.model import Assuring, Microdata
from evosdc.model.constraint import Constraint
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Role


def assurance_of(
    microdata: Microdata, registry: Registry, require: Sequence[str], measures: Sequence[str], bound: float
) -> Mapping[str, Any] | None:
    """Return what the first genotype proposes that assures a file of a required privacy model; None where none does.

    None, too, where an intruder knows attributes that are published as they are, where sensitive attributes are
    masked, whose risk is not that of being found, and where somebody names measures that cannot judge wider labels.

    Parameters
    ----------
    microdata : Microdata
    registry : Registry
    require : sequence of str
    measures : sequence of str
        Named by users in place of the usual ones.
    bound : float
        Per cent of the people who may be found.

    Raises
    ------
    ExperimentError
        A requirement cannot be read.
    """
    constraints = [Constraint.parse(text) for text in require]
    required = [one for one in constraints if one.name in registry.names("privacy-model")]
    named = [*measures, *(one.name for one in constraints if one.name in registry.names("measure"))]
    schema = microdata.original.schema
    if not required or any(schema[name].role is Role.SENSITIVE for name in schema.names):
        return None
    if not all(registry.implementation("measure", name).generalised for name in named):
        return None
    models = (registry.build("privacy-model", one.name, dict(one.params)) for one in required)
    if any(unmasked_of(Headline(model, microdata)) for model in models):
        return None
    return _proposed("anonymity", microdata, registry, required, bound)


def truthful_experiment(
    microdata: Microdata, registry: Registry, require: Sequence[str], bound: float
) -> Mapping[str, Any]:
    """Return what a genotype proposes whose published values are all true: only coarser than the original's, or absent.

    Raises
    ------
    ExperimentError
        A requirement cannot be read, or is on something else than a privacy model.
    ParameterError
        No genotype is for such a file.
    """
    required = [Constraint.parse(text) for text in require]
    models = registry.names("privacy-model")
    faults = [
        Fault(
            "--truthful",
            f"the requirement {one}",
            "requirements on privacy models",
            "Measures compare values that were changed; here all of them are true. --bound sets the size of groups.",
        )
        for one in required
        if one.name not in models
    ]
    if faults:
        raise ExperimentError(faults)
    proposed = _proposed("truthful", microdata, registry, required, bound)
    if proposed is None:
        wanted = "attributes that a genotype can publish in coarser values"
        raise ParameterError(Fault("--truthful", "a file that no genotype generalises", wanted))
    return proposed


def _proposed(
    occasion: str, microdata: Microdata, registry: Registry, required: Sequence[Constraint], bound: float
) -> Mapping[str, Any] | None:
    for name in registry.defaults("genotype", occasion):
        kind = registry.implementation("genotype", name)
        proposed = kind.assurance(microdata, required, bound) if issubclass(kind, Assuring) else None
        if proposed is not None:
            return dict(proposed)
    return None
