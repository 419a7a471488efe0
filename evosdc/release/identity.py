"""How many people an informed intruder is expected to find in a file, whatever is claimed of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from evosdc.plugins.registry import Registry
from evosdc.release.acceptance import ACCEPTED
from evosdc.release.intruder import found_by_intruder, measured_by
from evosdc.release.intruder_words import above_bound
from evosdc.table.table import Table


def identity_of(original: Table, masked: Table, names: Sequence[str], registry: Registry) -> dict[str, Any] | None:
    """Return what the verdict on a run's file says of identity; None of a file in other categories.

    Parameters
    ----------
    original, masked : Table
    names : sequence of str
        What was masked.
    registry : Registry

    Returns
    -------
    dict or None
        As `evosdc.release.intruder.Found.to_json`, without single records; ``accepted`` is the share of the people, in
        per cent, that is accepted for files that everybody gets.
    """
    before, after = original.select(names), masked.select(names)
    found = found_by_intruder(original, after, names, registry) if before.schema == after.schema else None
    if found is None:
        return None
    return {key: value for key, value in found.to_json().items() if key != "at_risk"} | {"accepted": ACCEPTED}


def identity_words(told: Mapping[str, Any]) -> str:
    """Return in words whether so many people may be found in a file that everybody gets."""
    percent, accepted = float(told["percent"]), float(told["accepted"])
    if percent <= accepted:
        share, compared = f"{percent:.1f}", f"within the {accepted:g} % accepted for files that everybody gets"
    else:
        share = above_bound(percent, accepted)
        compared = (
            f"more than the {accepted:g} % that health authorities accept for files that everybody gets: such a file "
            "is not for all"
        )
    return (
        f"Whatever is claimed, an informed intruder is expected to find {share} % of the people "
        f"(by {measured_by(told)}), {compared}."
    )
