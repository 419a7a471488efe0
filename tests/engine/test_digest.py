"""The digest by which two runs are compared: it changes with the genomes and with nothing else."""

import math
from hashlib import sha256

from evosdc.engine.digest import digest_of
from evosdc.model import Individual


def person(key=b"k" * 16, scores=None, objectives=(1.0, 2.0), origin="mutation", genome=None):
    return Individual(genome, key, scores or {"il": 1.0, "dr": 2.0}, objectives, origin)


def other():
    return person(b"o" * 16, {"il": 5.0, "dr": 6.0}, (5.0, 6.0))


def test_it_changes_with_the_genomes():
    assert digest_of([person(), other()]) != digest_of([person(key=b"k" * 15 + b"l"), other()])
    assert digest_of([other(), person()]) != digest_of([other(), person(key=b"k" * 15 + b"l")])


def test_it_changes_with_the_slots():
    a, b = person(), other()
    assert len({digest_of(order) for order in ([a, b], [b, a], [a, b, b], [a, a, b], [a], [])}) == 6


def test_it_does_not_change_with_anything_else():
    plain = digest_of([person(), other()])
    changed = person(scores={"dr": 2.0, "il": math.nextafter(1.0, 2.0)}, origin="crossover", genome=(1, 2))
    assert digest_of([changed, other()]) == plain
    assert digest_of(iter([person(), other()])) == plain


def test_it_is_the_same_text_on_every_machine():
    assert digest_of([person()]) == sha256(b"k" * 16).hexdigest()
