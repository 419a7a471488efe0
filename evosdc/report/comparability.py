"""What runs differ in, so that their scores must not be set against each other, or at least not be averaged."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from evosdc.report.frames import mapping
from evosdc.report.summary import protected_attributes
from evosdc.report.wording import listing
from evosdc.runs.reader import RunFolder


def differences(runs: Sequence[RunFolder]) -> list[str]:
    """Return in what of all that scores depend on the runs differ; empty where their scores can be compared.

    What a run does not tell, as one that failed early, counts as no difference.
    """
    return [name for name, of in _ASPECTS.items() if len({of(run) for run in runs} - {""}) > 1]


def verdict(runs: Sequence[RunFolder]) -> str:
    """Return in a sentence that the runs cannot be compared and why; empty where they can."""
    found = differences(runs)
    if not found:
        return ""
    return (
        f"These runs cannot be compared: they have different {listing(found)}. Their scores must not be set against "
        "each other, so no mean is taken over them and no figure shows them together."
    )


def _data(run: RunFolder) -> str:
    return str(run.environment.get("data") or "")


def _protected(run: RunFolder) -> str:
    return _text(sorted(protected_attributes(run)))


def _measures(run: RunFolder) -> str:
    return _text(run.resolved.get("measures"))


def _fitness(run: RunFolder) -> str:
    return _text(run.resolved.get("fitness"))


def _missing_rule(run: RunFolder) -> str:
    return str(run.result.get("missing_rule") or "")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True) if value else ""


_ASPECTS: dict[str, Callable[[RunFolder], str]] = {
    "data": _data,
    "protected attributes": _protected,
    "measures": _measures,
    "fitnesses": _fitness,
    "rules for missing values": _missing_rule,
}


def repeated(runs: Sequence[RunFolder]) -> list[str]:
    """Return a sentence for each group of runs that ended with the same population and so count as one."""
    groups: dict[str, list[str]] = {}
    for run in runs:
        digest = str(mapping(run.result).get("digest") or "")
        if digest:
            groups.setdefault(digest, []).append(run.name)
    return [
        f"The runs {listing(names)} ended with the same population: they are one and the same search, repeated."
        for names in groups.values()
        if len(names) > 1
    ]
