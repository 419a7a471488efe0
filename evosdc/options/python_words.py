"""Advice for Python: sentences for the command line, rewritten with arguments and functions."""

import json
import re
from collections.abc import Iterable

from evosdc.options.model import FLAG, NAMES, TEXTS, Described, Options, described

FUNCTIONS = (
    "apply", "certify", "choose", "cluster", "compare", "explain", "finish", "judge", "limit", "mask", "measure",
    "member", "protect", "risk", "run", "tune",
)  # fmt: skip
"""Commands that are functions of the same name."""

_OPTION = re.compile(r'(?<![\w-])(--[a-z][a-z-]*)(?:[ =](?:"([^"]*)"|([A-Z][A-Z_]*(?:,[A-Z.]+)*|\d+[smh]?)(?![\w-])))?')
_COMMAND = re.compile(rf"\bevosdc ({'|'.join(FUNCTIONS)})\b(?! --)")


def in_python(text: str, models: Iterable[type[Options]]) -> str:
    """Return a sentence in which ``--protect A,B`` is ``protect=["A", "B"]``, and ``evosdc judge`` ``evosdc.judge``."""
    known: dict[str, tuple[Described, bool]] = {}
    for model in models:
        for one in described(model):
            for flag in one.flags if one.only != "command" else ():
                on, _, off = flag.partition("/")
                known.setdefault(on, (one, True))
                if off:
                    known.setdefault(off, (one, False))

    def argument(found: re.Match[str]) -> str:
        if found[1] not in known:
            return found[0]
        one, on = known[found[1]]
        value = found[2] or found[3]
        if one.kind == FLAG:
            return f"{one.name}={on}" + found[0][len(found[1]) :]
        if value is None:
            return f"{one.name}="
        if one.kind in (NAMES, TEXTS):
            parts = value.split(",") if one.kind == NAMES else [value]
            return f"{one.name}=[{', '.join(map(json.dumps, parts))}]"
        return f"{one.name}={value if value.isdigit() else json.dumps(value)}"

    # The result of `protect` knows its original and which record is which, as a run folder does.
    text = text.replace("evosdc judge RUN", "evosdc.judge(result)")
    text = text.replace("the run folder, or", "the result of evosdc.protect, as evosdc.judge(result), or")
    return _COMMAND.sub(r"evosdc.\1", _OPTION.sub(argument, text))
