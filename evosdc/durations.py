"""Times as people write them: ``60s``, ``5m``, ``1.5h``."""

import re

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}

EXAMPLES = "60s, 5m, 1.5h"


def seconds_in(text: str) -> float | None:
    """Return the seconds that a text stands for; None where it is no time above 0."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    return float(found[1]) * _UNITS[found[2]] or None if found else None
