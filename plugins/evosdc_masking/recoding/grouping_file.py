"""Partitions of categories as users write them: a TOML file, or the same as a mapping."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.printing import printable
from evosdc.table.schema import Attribute
from evosdc_masking.recoding.groupings import Grouping, merged_categories

UserGroups = Mapping[str, Sequence[str]] | Sequence[Sequence[str]]
"""The categories of each group, with or without names for the groups."""


def read_partitions(path: Path, where: str) -> dict[str, UserGroups]:
    """Read the groups of each attribute from a TOML file.

    ``education = { low = ["1st-4th", "5th-6th"], high = ["Masters", "Doctorate"] }``, or without names
    ``education = [["1st-4th", "5th-6th"], ["Masters", "Doctorate"]]``.

    Raises
    ------
    ParameterError
        The file cannot be read, or is none of these.
    """
    wanted = 'a TOML file such as education = { low = ["1st-4th", "5th-6th"], high = ["Masters", "Doctorate"] }'
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        given = "no such file" if isinstance(error, FileNotFoundError) else f"a file that cannot be read ({error})"
        raise ParameterError(Fault(where, f"{path}, {given}", wanted)) from None
    wrong = [name for name, groups in document.items() if not _is_groups(groups)]
    if wrong:
        raise ParameterError(Fault(f"{where}: {path}", f"another form for {printable(', '.join(wrong))}", wanted))
    return document


def _is_groups(groups: Any) -> bool:
    lists = list(groups.values()) if isinstance(groups, dict) else groups
    return isinstance(lists, list) and all(
        isinstance(members, list) and all(isinstance(member, str) for member in members) for members in lists
    )


def user_partition(attribute: Attribute, groups: UserGroups, where: str) -> Grouping:
    """Return the partition that a user gives; categories that are in no group stay by themselves.

    Raises
    ------
    ParameterError
        Categories that the attribute lacks, one in two groups, an empty group, or a group with the name of a category
        that is not in it; all at once.
    """
    names = list(groups) if isinstance(groups, Mapping) else []
    lists = list(groups.values()) if isinstance(groups, Mapping) else list(groups)
    faults, seen = [], set()
    for number, members in enumerate(lists):
        place = f"{where}, group {printable(names[number]) if names else number + 1}"
        if not members:
            faults.append(Fault(place, "no category", "at least one"))
        for label in members:
            if label not in attribute.code:
                wanted = f"one of {printable(', '.join(attribute.categories))}"
                faults.append(Fault(place, repr(label), wanted, did_you_mean(label, attribute.categories)))
            elif label in seen:
                faults.append(Fault(place, f"{label!r} once more", "each category in one group"))
            seen.add(label)
        if names and names[number] in attribute.code and names[number] not in members:
            advice = "Put it into the group, or name the group otherwise."
            faults.append(Fault(place, "the name of a category that is not in it", "another name", advice))
    if faults:
        raise ParameterError(faults)
    return merged_categories(attribute, [[attribute.code[label] for label in members] for members in lists], names)
