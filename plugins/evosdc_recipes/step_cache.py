"""Carrying out plans: plans that begin alike share the tables of the steps that they have in common."""

import json
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from evosdc.model import Masking, MaskingMethods, Microdata
from evosdc.secret import child_of, generator_of, spawned, state_of, words_of
from evosdc.table.table import Table

MOST_BYTES = 128 * 2**20  # memory for tables that steps have made


@dataclass(frozen=True)
class Reached:
    """What the first steps of a plan made."""

    table: Table  # the protected attributes
    children: int = 0  # streams that were spawned from the generator so far
    random: bool = False  # whether any step drew random numbers
    refused: frozenset[int] = frozenset()  # positions of steps that did not fit, and did nothing


class StepCache:
    """Applies steps one after the other, as ``evosdc mask --then`` does, and remembers the tables in between."""

    # What was drawn without random numbers is remembered for all generators.

    def __init__(self, methods: MaskingMethods, microdata: Microdata, most_bytes: int = MOST_BYTES) -> None:
        self._methods, self._microdata = methods, microdata
        self._most_bytes, self._bytes = most_bytes, 0
        self._tables: OrderedDict[Hashable, Reached] = OrderedDict()

    def carried_out(self, steps: Sequence[Masking], rng: np.random.Generator) -> Reached:
        """Return what steps make of the file."""
        # steps: single steps; rng: at its beginning. The first step draws from it; each further one from a stream
        # spawned from it, which depends on no parameters of the steps before.
        texts = [json.dumps(step.to_json(), sort_keys=True) for step in steps]
        drawn = state_of(rng)
        done, reached = 0, Reached(self._microdata.original)
        for count in range(len(steps), 0, -1):
            known = self._known(tuple(texts[:count]), drawn)
            if known is not None:
                done, reached = count, known
                break
        for place in range(done, len(steps)):
            reached = self._step(steps[place], place, reached, rng)
            self._keep((tuple(texts[: place + 1]), drawn if reached.random else None), reached)
        return reached

    def _step(self, step: Masking, place: int, before: Reached, rng: np.random.Generator) -> Reached:
        own, children = rng, before.children
        microdata = self._microdata
        if place:
            own, children = _child(rng, children), children + 1
            microdata = microdata.masked_so_far(before.table)
        state, before_it = state_of(own), spawned(own)
        try:
            table = self._methods.apply(step, microdata, own)
        except Exception:
            # Any method may be a step, a stranger's too: one that does not fit, or fails, costs nothing but its effect.
            return Reached(before.table, children, before.random, before.refused | {place})
        drew = state_of(own) != state or spawned(own) > before_it
        if not place:
            children = spawned(own)
        return Reached(table, children, before.random or drew, before.refused)

    def _known(self, texts: tuple[str, ...], drawn: Hashable) -> Reached | None:
        for key in ((texts, None), (texts, drawn)):
            if key in self._tables:
                self._tables.move_to_end(key)
                return self._tables[key]
        return None

    def _keep(self, key: Hashable, reached: Reached) -> None:
        self._tables[key] = reached
        self._bytes += _size(reached.table)
        while self._bytes > self._most_bytes and len(self._tables) > 1:
            _, oldest = self._tables.popitem(last=False)
            self._bytes -= _size(oldest.table)


def _size(table: Table) -> int:
    return table.codes.nbytes + table.numbers.nbytes


def _child(rng: np.random.Generator, number: int) -> np.random.Generator:
    """Return the generator that ``rng.spawn`` would give as its child of a number, however many there were before."""
    words = words_of(rng)
    assert words is not None, "streams of evaluations have addresses"
    return generator_of(child_of(words, number))
