"""About how long methods take to mask a large file, by how their time grows between two samples of its records.

Compiled code is not interrupted when a time is over, so that a method whose time grows with the square of the records,
such as `mdav`, must not be begun on a million of them.
"""

from math import log
from time import perf_counter

import numpy as np

from evosdc.assess.mask import build_steps, mask_file
from evosdc.errors import InputError
from evosdc.model import Masking, Microdata
from evosdc.plugins.registry import Registry

SMALL, MIDDLING = 2_500, 10_000
"""Records of the samples."""

LEAST = 0.004
"""Seconds below which a clock tells no growth: such a method is taken to grow with the records."""

STEEPEST = 3.0
"""The exponent of growth at most: by chance one of two short calls takes long."""


class MaskingTimes:
    """Seconds that methods take to mask a file, found out when they are first asked for.

    Parameters
    ----------
    microdata : Microdata
    registry : Registry
    """

    def __init__(self, microdata: Microdata, registry: Registry) -> None:
        self._microdata, self._registry = microdata, registry
        self._found: dict[tuple[str, ...], float] = {}

    def seconds(self, masking: Masking) -> float:
        """Return about how long the methods of an entry take; 0 where they refuse a sample, so that nobody knows."""
        methods = masking.methods
        if len(self._microdata.table) <= MIDDLING:
            return 0.0  # soon over, whatever it is
        if methods not in self._found:
            self._found[methods] = self._asked(masking)
        return self._found[methods]

    def _asked(self, masking: Masking) -> float:
        size = len(self._microdata.table)
        try:
            self._timed(masking, SMALL)  # loads what it needs
            small, middling = self._timed(masking, SMALL), self._timed(masking, MIDDLING)
        except InputError:
            return 0.0
        steep = log(middling / small) / log(MIDDLING / SMALL) if middling > LEAST and small > 0.0 else 1.0
        # Of what takes long in any case the growth is hardly seen, but each further record takes something.
        further = max(middling - small, 0.0) / (MIDDLING - SMALL) * (size - MIDDLING)
        return float(max(middling * (size / MIDDLING) ** min(steep, STEEPEST), middling + further))

    def _timed(self, masking: Masking, records: int) -> float:
        table = self._microdata.table
        rows = np.linspace(0, len(table) - 1, min(records, len(table))).astype(np.intp)
        part = Microdata(table.take(rows), self._microdata.protect)
        methods = build_steps(masking, self._registry)
        began = perf_counter()
        mask_file(masking, methods, part, 0)
        return perf_counter() - began
