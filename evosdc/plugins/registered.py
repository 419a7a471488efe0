"""What programs register from Python: classes and functions, without a distribution and without hooks."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from typing import Any

from evosdc.errors import Fault, ParameterError, PluginError, did_you_mean
from evosdc.hookspecs import hookimpl
from evosdc.plugins.kinds import KINDS, Kind
from evosdc.specs import Spec

VARIABLE = "EVOSDC_REGISTERED"  # tells workers of this machine what was registered that they can import, as JSON
PLUGIN = "python"  # name of the plugin that everything registered from Python belongs to


@dataclass(frozen=True)
class Registered:
    """One thing that was registered."""

    kind: str
    spec: Spec
    implementation: Any  # the class or function itself
    importable: bool  # whether another process can import it


_KNOWN: dict[tuple[str, str], Registered] = {}


def registered() -> tuple[Registered, ...]:
    """Return all that is registered in this process, and what the process that started it had registered."""
    with suppress(ValueError):  # the variable was set by hand
        for kind, spec in json.loads(os.environ.get(VARIABLE, "[]")):
            if (kind, spec["name"]) not in _KNOWN:
                _inherit(kind, spec)
    return tuple(_KNOWN.values())


def _inherit(kind: str, spec: Mapping[str, Any]) -> None:
    """Take over what the process that started this one had registered, where it can be imported here."""
    made = KINDS[kind].spec(**{key: _tuples(value) for key, value in spec.items()})
    module, _, attribute = made.implementation.partition(":")
    with suppress(ImportError, AttributeError):  # the name is then unknown, which is reported where it is used
        _KNOWN[kind, made.name] = Registered(kind, made, getattr(import_module(module), attribute), True)


def register(implementation: Any, name: str, *, offer: str | None = None, **spec: Any) -> Any:
    """Offer a class or function of this program under a name, as a plugin would; return it.

    Parameters
    ----------
    implementation : class or function
        A subclass of a contract of `evosdc.model`, or the function of a data set, portfolio, limit, format or picture.
    name : str
        What users type: lower case, words joined by hyphens. A name that this program has registered before is
        replaced.
    offer : str, optional
        The kind of offer, such as ``"measure"``; by default that of the contract.
    **spec
        Further fields of the spec: ``kind="il"`` of a measure. ``summary`` is by default the first line of the
        docstring.

    Raises
    ------
    ParameterError
        The kind is ambiguous, or has no such field.

    Examples
    --------
    >>> evosdc.register(ShareChanged, "share-changed", kind="il")  # doctest: +SKIP
    """
    from evosdc.plugins.registry import default_registry

    kind = _kind_of(implementation, offer)
    wanted = [field.name for field in fields(kind.spec) if field.name not in ("name", "implementation")]
    unknown = [key for key in spec if key not in wanted]
    if unknown:
        advice = did_you_mean(unknown[0], wanted)
        raise ParameterError(Fault(f"register {name}", ", ".join(unknown), f"fields of {wanted}", advice))
    place = f"{implementation.__module__}:{implementation.__name__}"
    words: dict[str, Any] = {"summary": (implementation.__doc__ or name).strip().splitlines()[0]} | spec
    made = kind.spec(name=name, implementation=place, **words)
    _KNOWN[kind.name, name] = Registered(kind.name, made, implementation, _importable(implementation))
    _tell()
    default_registry.cache_clear()
    return implementation


def unregister(name: str) -> None:
    """Take back everything that this program has registered under a name; nothing happens where there is none."""
    from evosdc.plugins.registry import default_registry

    for key in [key for key in _KNOWN if key[1] == name]:
        del _KNOWN[key]
    _tell()
    default_registry.cache_clear()


def _tell() -> None:
    """Tell workers that are started from now on what they can import."""
    importable = [(known.kind, asdict(known.spec)) for known in _KNOWN.values() if known.importable]
    os.environ[VARIABLE] = json.dumps(importable)


class RegisteredPlugin:
    """All that is registered from Python, as one plugin with hooks."""

    def __init__(self, offered: Iterable[Registered]) -> None:
        listed = tuple(offered)
        for kind in KINDS.values():
            own = tuple(known.spec for known in listed if known.kind == kind.name)
            setattr(self, kind.hook, hookimpl(_yielding(own)))


def _yielding(specs: tuple[Spec, ...]) -> Callable[[], tuple[Spec, ...]]:
    def offers() -> tuple[Spec, ...]:
        return specs

    return offers


def _kind_of(implementation: Any, offer: str | None) -> Kind:
    if offer is not None:
        if offer not in KINDS:
            raise ParameterError(Fault("offer", repr(offer), f"one of {', '.join(KINDS)}", did_you_mean(offer, KINDS)))
        return KINDS[offer]
    model = import_module("evosdc.model")
    for kind in KINDS.values():
        base = getattr(model, kind.contract) if kind.contract else None
        if base is not None and isinstance(implementation, type) and issubclass(implementation, base):
            return kind
    contracts = [kind.contract for kind in KINDS.values() if kind.contract]
    given = getattr(implementation, "__name__", type(implementation).__name__)
    advice = "Name its kind: offer='portfolio', for one."
    raise ParameterError(Fault("register", given, f"a subclass of one of {', '.join(contracts)}", advice))


def _importable(implementation: Any) -> bool:
    module = implementation.__module__
    try:
        return module != "__main__" and getattr(import_module(module), implementation.__name__, None) is implementation
    except (ImportError, PluginError):
        return False


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
