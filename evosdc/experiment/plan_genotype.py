"""The genotype of protection plans, as a file's own protection takes it: with a last step that makes sure of things."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any, cast

from evosdc.engine.headline import Headline, unmasked_of
from evosdc.errors import Fault, InputError, ParameterError
from evosdc.model import Microdata
from evosdc.model.constraint import Constraint
from evosdc.plugins.registry import Registry
from evosdc.specs import MaskingMethodSpec

LASTING = "lasting"  # parameter of genotypes of plans: whether methods that take long are tried
LAST = "last"  # likewise: a step that ends every plan


def plan_genotype(required: Iterable[Constraint], microdata: Microdata, registry: Registry) -> dict[str, Any]:
    """Return the genotype of plans for a file with requirements, as in an experiment."""
    # What takes long is left to tuning, and a step comes last that makes sure of a requirement, where the genotype has
    # parameters for that.
    name = registry.default("genotype", "plan")
    fields = registry.implementation("genotype", name).Params.model_fields
    genotype: dict[str, Any] = {"name": name}
    if LASTING in fields:
        genotype[LASTING] = False
    last = assuring_step(required, microdata, registry) if LAST in fields else None
    return genotype if last is None else genotype | {LAST: last}


def require_last(genotype: Mapping[str, Any], required: Iterable[Constraint], registry: Registry) -> None:
    """Raise `ParameterError` where the last step of all plans guarantees less than the requirement."""
    last = genotype.get(LAST)
    if not isinstance(last, Mapping) or last.get("method") not in registry.names("masking-method"):
        return
    given = {key: value for key, value in last.items() if key not in ("method", "attributes")}
    params = registry.parameters("masking-method", last["method"], given)
    spec = cast(MaskingMethodSpec, registry.spec("masking-method", last["method"]))
    faults = []
    for constraint in required:
        parameter = dict(spec.guarantees).get(constraint.name)
        if parameter is not None and constraint.plain and getattr(params, parameter) < ceil(constraint.bound):
            wanted = f"{ceil(constraint.bound)} at least, since {constraint.name} >= {constraint.bound:g} is required"
            faults.append(Fault(f"{LAST}: {spec.name}: {parameter}", str(getattr(params, parameter)), wanted))
    if faults:
        raise ParameterError(faults)


def assuring_step(required: Iterable[Constraint], microdata: Microdata, registry: Registry) -> dict[str, Any] | None:
    """Return a step that makes sure of the first requirement that any masking method guarantees."""
    # None where no method does: plans are then led by the requirement as all files are. None, too, where an intruder
    # knows attributes that are published as they are: no masking of the others can make sure of anything.
    specs = cast(tuple[MaskingMethodSpec, ...], registry.specs("masking-method"))
    # Those first that leave records alone which fulfil a requirement already.
    assuring = sorted(specs, key=lambda spec: "assurance" not in spec.default_for)
    for constraint in required:
        if not constraint.plain:
            continue
        for spec in assuring:
            parameter = dict(spec.guarantees).get(constraint.name)
            if parameter is not None:
                step = {"method": spec.name, parameter: ceil(constraint.bound)}
                names = _judged(constraint.name, microdata, registry)
                if names and _fits(step, names, microdata, registry):
                    return step if len(names) == len(microdata.protect) else step | {"attributes": names}
    return None


def _judged(model: str, microdata: Microdata, registry: Registry) -> list[str]:
    """Return the attributes that a privacy model looks at; none where some of them are not masked."""
    headline = Headline(registry.build("privacy-model", model, {}), microdata)
    return [] if unmasked_of(headline) else list(headline.quasi_identifiers)


def _fits(step: dict[str, Any], names: list[str], microdata: Microdata, registry: Registry) -> bool:
    params = {key: value for key, value in step.items() if key != "method"}
    try:
        registry.build("masking-method", step["method"], params).require_fit(microdata.original.select(names))
    except InputError:
        return False
    return True
