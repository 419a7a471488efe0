"""Masking methods within masking methods: how the inner ones are validated and built."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evosdc.errors import Fault, FaultCollector, InputError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    from evosdc.plugins.registry import Registry

KIND = "masking-method"


def divides(kind: str, implementation: Any) -> bool:
    """Whether an implementation is a masking method that has another one mask its parts, or group its records."""
    if kind != KIND:
        return False
    from evosdc.model import InnerParameters, MaskingMethod

    return (
        isinstance(implementation, type)
        and issubclass(implementation, MaskingMethod)
        and issubclass(implementation.Params, InnerParameters)
    )


def parameters_with_inner(registry: "Registry", name: str, params: Mapping[str, Any]) -> Any:
    """Return the parameters of a method that divides; `inner` has a name, and the parameters that were given."""
    from evosdc.model.dividing import INNER
    from evosdc.model.parameters import parse_parameters

    collect = FaultCollector()
    model, where = registry.implementation(KIND, name).Params, f"{KIND} {name}"
    validated = inner = None
    with collect.step():
        validated = parse_parameters(model, params, where)
    # What the class puts into an entry, or takes where there is none, is known once it is validated.
    entry = _entry(params.get(INNER)) if validated is None else getattr(validated, INNER)
    if entry is not None:
        with collect.step():
            method, given = _named(registry, entry, f"{where}: {INNER}")
            try:
                inner = registry.parameters(KIND, method, given).model_dump(mode="json", exclude_unset=True)
            except InputError as error:
                raise ParameterError(_placed(error, f"{where}: {INNER}")) from None
            inner = {"method": method, **inner}
    if validated is None or inner is None:
        raise ParameterError(collect.faults)
    return validated.model_copy(update={INNER: inner})


def nested(registry: "Registry", name: str, params: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names and validated parameters of a masking method and of those within it, the outermost first."""
    from evosdc.model.dividing import INNER

    validated = registry.parameters(KIND, name, params)
    yield name, validated
    if divides(KIND, registry.implementation(KIND, name)):
        method, given = _named(registry, getattr(validated, INNER), name)
        yield from nested(registry, method, given)


def inner_of(registry: "Registry", name: str, validated: Any) -> Any:
    """Return the inner method of a method that divides."""
    from evosdc.model.dividing import INNER

    method, given = _named(registry, getattr(validated, INNER), name)
    try:
        return registry.build(KIND, method, given)
    except InputError as error:
        raise ParameterError(_placed(error, f"{KIND} {name}: {INNER}")) from None


def _entry(given: Any) -> Mapping[str, Any] | None:
    """Return an inner entry as a table; None where it is none, of which its own parameters tell."""
    if given is None:
        return {}
    if isinstance(given, str):
        return {"method": given} if "{" not in given else None
    named = isinstance(given, Mapping) and (not given or isinstance(given.get("method"), str))
    return given if named else None


def _named(registry: "Registry", entry: Mapping[str, Any], where: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of an entry; without a name that of a method offered for anonymity."""
    given = {key: value for key, value in entry.items() if key != "method"}
    if "method" in entry:
        return str(entry["method"]), given
    offered = registry.defaults(KIND, "anonymity")
    if not offered:
        wanted = 'a table such as { method = "NAME" }'
        raise UnknownNameError(Fault(where, "nothing, where no plugin offers a method for anonymity", wanted))
    return offered[0], given


def _placed(error: InputError, where: str) -> list[Fault]:
    """Return faults of an inner method under the place where it is named."""
    return [
        replace(fault, where=f"{where}: {fault.where.removeprefix(KIND).strip(': ') or 'method'}")
        for fault in error.faults
    ]
