"""Asking plugins for the limit of a file under the measures that judge it."""

import logging
from time import monotonic

from evosdc.errors import EvosdcError
from evosdc.model.limit import Judgement, Limit
from evosdc.plugins.registry import Registry

_LOG = logging.getLogger("evosdc.limits")


def limit_for(judgement: Judgement, registry: Registry, seconds: float) -> Limit | None:
    """Return the first limit that a plugin has for measures; None where there is none, or time is too short.

    Parameters
    ----------
    judgement : Judgement
    registry : Registry
    seconds : float
        Time that all plugins together may take, about.
    """
    began = monotonic()
    for name in registry.names("limit"):
        left = seconds - (monotonic() - began)
        if left <= 0.0:
            break
        try:
            found: Limit | None = registry.implementation("limit", name)(judgement, left)
        except EvosdcError as error:
            # A limit is an addition: a search does not fail for want of it.
            _LOG.warning("limit %s: %s", name, error)
            continue
        if found is not None:
            return found
    return None
