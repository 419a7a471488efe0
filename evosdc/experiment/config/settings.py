"""Settings given on the command line, put into what a file says."""

import re
import tomllib
from typing import Any

from evosdc.errors import ExperimentError, Fault

_KEY = re.compile(r"""\s*(?:"(?P<double>[^"]+)"|'(?P<single>[^']+)'|(?P<plain>[^.="']*))\s*(?P<sign>[.=])""")


def override(document: dict[str, Any], setting: str) -> None:
    """Put one ``KEY=VALUE`` into a document; the value is read as TOML, and as plain text when it is not TOML.

    Dots part the keys of nested tables; a key in quotes may hold dots and ``=``: ``width."age.years"=5``.

    Raises
    ------
    ExperimentError
        There is no ``=`` or nothing after it, or the key leads through something that is not a table.
    """
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
