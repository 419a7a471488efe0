"""What people write on a command line: names separated by commas, and settings such as KEY=VALUE."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from evosdc.errors import ExperimentError, Fault, ParameterError, did_you_mean

_KEY = re.compile(r"""\s*(?:"(?P<double>[^"]+)"|'(?P<single>[^']+)'|(?P<plain>[^.="']*))\s*(?P<sign>[.=])""")
_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)')


def listed(text: str | None) -> list[str] | None:
    """Return the parts of a comma-separated text, None where there is none."""
    if text is None:
        return None
    parts = ((found[1], (found[2] or "").strip()) for found in _NAME.finditer(text) if found[0])
    return [
        plain if exact is None else exact.replace('""', '"') for exact, plain in parts if exact is not None or plain
    ]


def names_text(names: Iterable[str]) -> str:
    """Return names as `listed` reads them again: in double quotes where commas, quotes or blanks would be misread."""
    return ",".join(
        '"' + name.replace('"', '""') + '"' if name != name.strip() or set(name) & {",", '"'} else name
        for name in names
    )


def parameters(settings: Iterable[str]) -> dict[str, Any]:
    """Return the parameters given by ``--set KEY=VALUE``, dotted keys as nested tables."""
    document: dict[str, Any] = {}
    for setting in settings:
        override(document, setting)
    return document


def named_parameters(
    settings: Iterable[str], known: Mapping[str, Collection[str]], what: str = "NAME"
) -> dict[str, dict[str, Any]]:
    """Return, for each of some names, the parameters given by ``--set NAME.KEY=VALUE``; `known` has their keys."""
    given, wanted = parameters(settings), f"{what}.KEY=VALUE for one of {', '.join(known)}"
    faults = []
    for name, value in given.items():
        if not isinstance(value, dict):
            owners = [owner for owner, keys in known.items() if name in keys]
            typed = " or ".join(f"--set {owner}.{name}={value}" for owner in owners)
            advice = f"Type {typed}." if owners else f"None of these has a parameter {name}."
            faults.append(Fault("--set", f"{name!r} without a name", wanted, advice))
        elif name not in known:
            faults.append(Fault("--set", f"a parameter of {name!r}", wanted, did_you_mean(name, known)))
    if faults:
        raise ParameterError(faults)
    return {name: given.get(name, {}) for name in known}


def override(document: dict[str, Any], setting: str) -> None:
    """Put one ``KEY=VALUE`` into a document; the value is read as TOML, and as plain text when it is not TOML."""
    path, text = _cut(setting)
    if text is None or not all(path):
        raise ExperimentError(Fault("--set", repr(setting), "KEY=VALUE", "For example --set algorithm.generations=50."))
    if not text.strip():
        advice = f"Leave it out for the default, or write {'.'.join(path)}='' for an empty text."
        raise ExperimentError(Fault("--set", f"{setting!r}, which has no value", "KEY=VALUE", advice))
    target: Any = document
    for part in path[:-1]:
        current = target.get(part)
        if isinstance(current, str) and part in ("genotype", "fitness", "algorithm", "executor"):
            current = target[part] = {"name": current}
        target = target.setdefault(part, {})
        if not isinstance(target, dict):
            raise ExperimentError(Fault("--set", repr(setting), f"a key below a table; {part} is not one"))
    target[path[-1]] = setting_value(text)


def _cut(setting: str) -> tuple[list[str], str | None]:
    """Return the keys of a setting and its value; None where it has no ``=``."""
    path, at = [], 0
    while part := _KEY.match(setting, at):
        path.append(part["double"] or part["single"] or (part["plain"] or "").strip())
        at = part.end()
        if part["sign"] == "=":
            return path, setting[at:]
    return path, None


def setting_value(text: str) -> Any:
    """Return a value given on the command line: TOML where it is TOML, the text itself otherwise."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
