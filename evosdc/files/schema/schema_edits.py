"""Changing single lines of a schema file, all else as it stands, and taking changes back.

Each change leaves the line as it was in a comment at the end of the file: the file itself is the record of its steps.
"""

import csv
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

from evosdc.errors import Fault, SchemaError, did_you_mean
from evosdc.files.atomic import write_text
from evosdc.files.encoding import read_text
from evosdc.files.inference.missing_codes import MAY_STAND
from evosdc.files.schema.schema_file import ATTRIBUTE_KEYS, key_text, schema_of_text, value_text
from evosdc.printing import printable

_TITLE = (
    "# Steps taken by evosdc edit, the latest last: each line as it was. evosdc edit --undo takes the last one back."
)
_STEP = "#~ "
_ANSWERED = "# Answered by evosdc edit: "
# keys that are removed where they do not fit an attribute's new scale; categories fit the other two
_LEFT_OUT = {"numeric": ("categories", "format"), "date": ("decimals",)}
_LISTS = ("missing", "categories", "levels")  # keys whose values are lists of texts


@dataclass(frozen=True)
class Step:
    """One change of a schema file."""

    when: str  # ISO 8601, UTC
    attribute: str
    # before, after: what the line said; None where there was none
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None

    @property
    def changes(self) -> dict[str, Any]:
        """The keys that were changed, with their new values; None for those that were taken away."""
        before, after = self.before or {}, self.after or {}
        keys = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
        return {key: after.get(key) for key in keys}


def edit_schema(path: Path, attribute: str, changes: Mapping[str, Any]) -> Step:
    """Change the entry of one attribute in a schema file; all other lines stay, comments too."""
    lines = _lines(path)
    place, before = _found(lines, attribute, path)
    table = before or {}
    names = [entry[0] for line in _section(lines)[1] if (entry := _entry(line)) is not None]
    if before is None and (advice := did_you_mean(attribute, names)):
        advice += f" Where {attribute} is a column that the schema leaves out, write its line by hand."
        wanted = f"one of {printable(', '.join(names))}"
        raise SchemaError(Fault(printable(str(path)), f"the attribute {attribute!r}", wanted, advice))
    changes = {key: _texts(value) if key in _LISTS else value for key, value in changes.items()}
    unknown = [key for key in changes if key not in ATTRIBUTE_KEYS]
    if unknown:
        wanted, advice = f"one of {', '.join(ATTRIBUTE_KEYS)}", did_you_mean(unknown[0], ATTRIBUTE_KEYS)
        raise SchemaError(Fault(printable(f"{path}, {attribute}"), f"the key {unknown[0]!r}", wanted, advice))
    scale = changes.get("scale")
    if scale is not None and scale != table.get("scale"):
        left_out = _LEFT_OUT.get(str(scale), ("decimals", "format"))
        changes = dict.fromkeys(key for key in left_out if key in table) | changes
    after = {key: value for key, value in (table | changes).items() if value is not None}
    step = Step(datetime.now(UTC).isoformat(timespec="seconds"), attribute, before, after)
    if after != table:
        was = lines[place] if before is not None else f"{key_text(attribute)} ="
        lines[place : place + (before is not None)] = [f"{key_text(attribute)} = {value_text(after)}"]
        if not any(text.startswith(_STEP) for text in lines):
            lines += ["", _TITLE]
        _write(path, [*_answered(lines, attribute, after), f"{_STEP}{step.when} {was}"])
    return step


def _answered(lines: Sequence[str], attribute: str, table: Mapping[str, Any] | None) -> list[str]:
    """Return the lines, the question whether a text of an attribute represents a missing value marked as answered."""
    question, answered = f" of {printable(attribute)}{MAY_STAND}: ", bool((table or {}).get("missing"))
    marked = [line.replace(_ANSWERED, "# ", 1) if question in line and line.startswith("#") else line for line in lines]
    return [line.replace("# ", _ANSWERED, 1) if answered and question in line else line for line in marked]


def _texts(value: Any) -> Any:
    """Return a list of texts that was given as one text or as a number."""
    if value is None or isinstance(value, list | tuple):
        return value if value is None else [item if isinstance(item, str) else value_text(item) for item in value]
    text = value if isinstance(value, str) else value_text(value)  # 99 for the number 99.0
    return [part for row in csv.reader([text], skipinitialspace=True) for part in map(str.strip, row)]


def undo_edit(path: Path) -> Step:
    """Take back the last change of a schema file that `edit_schema` made; raises as it does, or without any."""
    lines = _lines(path)
    steps = schema_steps(path)
    if not steps:
        raise SchemaError(Fault(printable(str(path)), "no step of evosdc edit", "one to take back"))
    last = steps[-1]
    place, _ = _found(lines, last.attribute, path)
    at = max(number for number, text in enumerate(lines) if text.startswith(_STEP))
    was = lines[at].removeprefix(_STEP).partition(" ")[2]
    del lines[at]
    lines[place : place + 1] = [was] if last.before is not None else []
    if not any(text.startswith(_STEP) for text in lines) and _TITLE in lines:
        del lines[lines.index(_TITLE) - 1 : lines.index(_TITLE) + 1]
    _write(path, _answered(lines, last.attribute, last.before))
    return last


def schema_steps(path: Path) -> list[Step]:
    """Return the changes that `edit_schema` made to a schema file, the latest last; raises as it does."""
    lines = _lines(path)
    recorded = [text.removeprefix(_STEP).partition(" ") for text in lines if text.startswith(_STEP)]
    steps: list[Step] = []
    current: dict[str, Mapping[str, Any] | None] = {}
    for when, _, was in reversed(recorded):
        found = _entry(was) or _entry(f"{was} {{}}")
        if found is None:
            continue
        name, table = found
        if name not in current:
            current[name] = _found(lines, name, path)[1]
        before = table if _entry(was) is not None else None
        steps.append(Step(when, name, before, current[name]))
        current[name] = before
    return steps[::-1]


def reasons_told(path: Path) -> dict[str, str]:
    """Return the comments right above the lines of attributes, by name: the reason for each proposal."""
    found, comment = {}, list[str]()
    for line in _section(_lines(path))[1]:
        if not line.startswith("#"):
            if comment and (entry := _entry(line)) is not None:
                found[entry[0]] = " ".join(comment)
            comment = []
        else:
            comment.append(line.removeprefix("#").strip())
    return found


def remarks_told(path: Path) -> list[str]:
    """Return the remarks on the whole file, which are between the legend of a proposed schema and its settings."""
    begun = takewhile(lambda line: line.startswith("#") or not line.strip(), _lines(path))
    below = dropwhile(lambda line: line.startswith("#"), begun)
    return [line.removeprefix("#").strip() for line in below if line.strip() and not line.startswith(_ANSWERED)]


def _lines(path: Path) -> list[str]:
    return read_text(path, SchemaError).replace("\r\n", "\n").rstrip("\n").split("\n")


def _write(path: Path, lines: Iterable[str]) -> None:
    text = "\n".join(lines) + "\n"
    schema_of_text(text, path)
    write_text(path, text)


def _section(lines: Sequence[str]) -> tuple[int, Sequence[str]]:
    """Return where the attributes begin, and their lines."""
    begin = next((number for number, line in enumerate(lines) if line.strip() == "[attributes]"), len(lines) - 1) + 1
    end = next((n for n, line in enumerate(lines[begin:], begin) if line.startswith(("[", "#~ ", _TITLE))), len(lines))
    return begin, lines[begin:end]


def _found(lines: list[str], attribute: str, path: Path) -> tuple[int, dict[str, Any] | None]:
    """Return the line of an attribute and its content; without one, None and its place."""
    begin, section = _section(lines)
    for number, line in enumerate(section, begin):
        entry = _entry(line)
        if entry is not None and entry[0] == attribute:
            return number, entry[1]
    description = schema_of_text("\n".join(lines) + "\n", path)
    if attribute in description.attributes or "[attributes]" not in map(str.strip, lines):
        where, given = printable(f"{path}, {attribute}"), "written in another form than a line for each attribute"
        advice = "Edit the file by hand, or let evosdc init write a new one."
        raise SchemaError(Fault(where, given, 'lines such as age = { role = "other" }', advice))
    filled = [number for number, line in enumerate(section, begin + 1) if line.strip()]
    return (filled[-1] if filled else begin), None


def _entry(line: str) -> tuple[str, dict[str, Any]] | None:
    """Return name and table of an attribute's line; None for any other line."""
    if not line.strip() or line.lstrip().startswith("#"):
        return None
    try:
        document = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    pairs = list(document.items())
    return pairs[0] if len(pairs) == 1 and isinstance(pairs[0][1], dict) and "=" in line else None
