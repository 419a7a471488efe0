"""What runs differ in, so that their scores must not be set against each other, or at least not be averaged."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from evosdc.report.summary import protected_attributes
from evosdc.report.wording import listing
from evosdc.runs.reader import RecordedRun


def differences(runs: Sequence[RecordedRun]) -> list[str]:
    """Return in what of all that scores depend on the runs differ; empty where their scores can be compared.

    What a run does not tell, as one that failed early, counts as no difference.
    """
    told = {name: [of(run) for run in runs] for name, of in _ASPECTS.items()}
    return [n for n, values in told.items() if len({json.dumps(v, sort_keys=True) for v in values if v}) > 1]


FITNESSES = "fitnesses"


def same_plane(runs: Sequence[RecordedRun]) -> bool:
    """Whether IL and DR of the runs mean the same: they differ in nothing, or in how the two are combined alone."""
    return set(differences(runs)) <= {FITNESSES}


def comparability_text(runs: Sequence[RecordedRun]) -> str:
    """Return in a sentence that the runs cannot be compared and why; empty where they can."""
    found = differences(runs)
    if not found:
        return ""
    if found == [FITNESSES]:
        return (
            "These runs have different fitnesses: each made another score small, so their scores must not be set "
            "against each other and no mean is taken over them. Their IL and DR mean the same and are drawn together."
        )
    return (
        f"These runs cannot be compared: they have different {listing(found)}. Their scores must not be set against "
        "each other, so no mean is taken over them and no figure shows them together."
    )


_ASPECTS: dict[str, Callable[[RecordedRun], Any]] = {
    "data": lambda run: run.data_identity,
    "protected attributes": lambda run: sorted(protected_attributes(run)),
    "measures": lambda run: run.resolved.get("measures"),
    FITNESSES: lambda run: run.resolved.get("fitness"),
    "rules for missing values": lambda run: run.result.missing_rule,
}


def repeated(runs: Sequence[RecordedRun]) -> list[str]:
    """Return a sentence for each group of runs that ended with the same population and so count as one."""
    groups: dict[str, list[str]] = {}
    for run in runs:
        if digest := run.result.digest:
            groups.setdefault(digest, []).append(run.name)
    return [
        f"The runs {listing(names)} ended with the same population: they are one and the same search, repeated."
        for names in groups.values()
        if len(names) > 1
    ]
