"""Combinations of categories that must not arise."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.files.encoding import read_text
from evosdc.table.schema import Schema
from evosdc_masking.post_randomisation.matrices import Block

Combination = Mapping[str, str]

_WANTED = 'combinations such as {"sex": "m", "pregnant": "yes"}'


def read_combinations(path: Path) -> list[Combination]:
    """Return the combinations of a file: JSON, a list of tables, or CSV, a header of attributes and one a line."""
    # An empty field of a CSV file says nothing of its attribute.
    text, where = read_text(path, ParameterError), str(path)
    if text.lstrip().startswith("["):
        try:
            found = _tables(json.loads(text), where)
        except json.JSONDecodeError as error:
            given = f"text that is not JSON: {error.msg}"
            raise ParameterError(Fault(f"{where}: line {error.lineno}", given, f"a list of {_WANTED}")) from None
        if not found:
            raise ParameterError(Fault(where, "an empty list", f"a list of {_WANTED}"))
        return found
    reader = csv.reader(text.splitlines())
    lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    lines = [(number, row) for number, row in lines if any(row)]
    if len(lines) < 2:
        given = "one line" if lines else "an empty file"
        raise ParameterError(Fault(where, given, "a header of attributes and a combination on each line"))
    header = lines[0][1]
    faults = [
        Fault(f"{where}: line {number}", f"{len(row)} fields", f"{len(header)}, as in the header")
        for number, row in lines[1:]
        if len(row) != len(header)
    ]
    if faults:
        raise ParameterError(faults)
    return [{name: cell for name, cell in zip(header, row, strict=True) if cell} for _, row in lines[1:]]


def _tables(document: Any, where: str) -> list[Combination]:
    faults = [
        Fault(f"{where}: entry {place}", "no table of texts", _WANTED)
        for place, entry in enumerate(document, start=1)
        if not (isinstance(entry, dict) and all(isinstance(value, str) for value in entry.values()))
    ]
    if faults:
        raise ParameterError(faults)
    return list(document)


def faults_of(zeros: Sequence[Combination], schema: Schema, blocks: Sequence[Sequence[str]], where: str) -> list[Fault]:
    """Return what is wrong with combinations: unknown names, and attributes that are not crossed with each other."""
    faults = []
    for place, zero in enumerate(zeros, start=1):
        here = f"{where}: combination {place}"
        if not zero:
            faults.append(Fault(here, "nothing", _WANTED))
        for name, label in zero.items():
            if name not in schema:
                wanted = f"one of {', '.join(schema.names)}"
                faults.append(Fault(here, f"the attribute {name!r}", wanted, did_you_mean(name, schema.names)))
            elif schema[name].categorical and label not in schema[name].code:
                advice = did_you_mean(label, schema[name].categories)
                faults.append(Fault(here, f"{label!r}, which is no category of {name}", "one of its own", advice))
        known = [name for name in zero if name in schema]
        if known and not any(set(known) <= set(block) for block in blocks):
            advice = f"Add crossed = [{json.dumps(known)}]; attributes drawn apart from each other combine freely."
            faults.append(Fault(here, ", ".join(known), "attributes that are crossed", advice))
    return faults


def forbidden_states(zeros: Sequence[Combination], block: Block) -> NDArray[np.bool_]:
    """Return which states of a block hold one of the combinations, shape (m,)."""
    found = np.zeros(len(block.states), dtype=np.bool_)
    names = block.names
    for zero in zeros:
        if zero and set(zero) <= set(names):
            holds = np.ones(len(block.states), dtype=np.bool_)
            for name, label in zero.items():
                at = names.index(name)
                holds &= block.states[:, at] == block.attributes[at].code[label]
            found |= holds
    return found
