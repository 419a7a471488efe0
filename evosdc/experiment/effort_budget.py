"""Masking methods that take as long as they are asked to: how much effort ends within the time there is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from evosdc.assess.mask import apply_masking, build_steps
from evosdc.model import Masking, Microdata
from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, stream
from evosdc.time_limit import DeadlineOver, check_time, time_limited

# Shares of the effort at which a method is tried: what it takes in any case, and what it takes for its effort.
FIRST, SECOND = 0.001, 0.04

# Share of a search's time at which such methods are to end; where they are slow, a search gains less in the rest.
UNTIL = 0.75

# The same of files so large that they are tuned by a sample: there other methods and the search would get nothing.
UNTIL_OF_LARGE = 0.4

LEAST = 0.01  # share of the effort that is left to a method in any case
FOR_TRYING = 0.5  # seconds in any case for finding out whether even the least effort is too much
FEW = 1000  # records on which a method is tried at all first

# Share of the time that a method may be expected to take: two short trials foretell it by a third at best, another file
# may take longer, and is judged too. What is given up before its end is lost as a whole.
CAUTION = 0.6


def paced(masking: Masking, microdata: Microdata, registry: Registry, seconds: float) -> Masking:
    """Return an entry with as much effort as ends within a time; as it is where that is enough."""
    # Only a method of one step changes whose class names its `MaskingMethod.pace`, and whose entry leaves that open.
    method = registry.implementation("masking-method", masking.method)
    if not method.pace or masking.then or method.pace in masking.params:
        return masking
    began = monotonic()
    whole = method.Params.model_fields[method.pace].default

    def taken(share: float, of: Microdata = microdata) -> float:
        entry = replace(masking, params=_with(masking.params, method.pace, whole * share))
        begun = monotonic()
        check_time()
        apply_masking(entry, build_steps(entry, registry), of, stream(0, Purpose.MASK))
        return monotonic() - begun

    few = microdata.table.take(np.arange(min(len(microdata.table), FEW), dtype=np.intp))
    taken(FIRST, replace(microdata, table=few, zeros_threshold=None))  # loads what the method needs
    first = taken(FIRST)
    if 2.0 * first > max(CAUTION * (seconds - (monotonic() - began)), FOR_TRYING):
        raise DeadlineOver  # neither a second trial nor a file would end
    slope = max(taken(SECOND) - first, 0.0) / (SECOND - FIRST)
    left = CAUTION * (seconds - (monotonic() - began)) - first
    if slope <= left:
        return masking
    share = max(LEAST, left / slope) if left > 0.0 else LEAST
    return replace(masking, params=_with(masking.params, method.pace, float(f"{whole * share:.2g}")))


def all_paced(
    maskings: Sequence[Masking],
    microdata: Microdata,
    registry: Registry,
    seconds: float,
    tell: Callable[[str], None],
) -> list[Masking]:
    """Return entries with as much effort as ends within a time that they share; say which have less or are left out."""
    end, found = monotonic() + seconds, []
    for place, masking in enumerate(maskings):
        share = (end - monotonic()) / (len(maskings) - place)
        try:
            with time_limited(max(share, FOR_TRYING), DeadlineOver):
                fitted = paced(masking, microdata, registry, share)
        except DeadlineOver:
            tell(f"{masking.label}: left out, as even a little of it takes longer than its share of the time")
            continue
        if fitted != masking:
            tell(f"{fitted.label}: as much of it as ends in its share of the time")
        found.append(fitted)
    return found


def _with(params: Mapping[str, Any], name: str, value: float) -> dict[str, Any]:
    return {**params, name: value}
