"""Genotypes whose every file fulfils what is required of a file, and the experiment that they propose for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from evosdc.engine.headline import Headline, unmasked_of
from evosdc.model import Assuring, Microdata
from evosdc.model.constraint import Constraint
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Role


def assurance_of(
    microdata: Microdata, registry: Registry, require: Sequence[str], measures: Sequence[str]
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
    for name in registry.defaults("genotype", "anonymity"):
        kind = registry.implementation("genotype", name)
        proposed = kind.assurance(microdata, required) if issubclass(kind, Assuring) else None
        if proposed is not None:
            return dict(proposed)
    return None
