"""Attacks beside their control: half of the people are in the released file, the other half never were.

A masked file covers everybody, so there is nobody left to see what an attack would reach without the file. Half of the
people, drawn from the seed, are therefore taken out: their masked records are withheld from the attacker, who then
attacks both halves with what is left (Giomi et al., 2023). What succeeds against those who are not in the file is
knowledge of the population; only what succeeds beyond it is the file's doing.
"""

from dataclasses import dataclass

import numpy as np

from evosdc_judges.classes import Codes
from evosdc_judges.draws import Positions
from evosdc_judges.people import People
from evosdc_judges.transitions import joint_counts, reading


@dataclass(frozen=True)
class Released:
    """What an attacker has, and whom he attacks.

    Parameters
    ----------
    inside, outside : ndarray of intp
        Positions of the people in the released file, and of those who are not in it.
    read : ndarray of int32, shape (len(inside), V)
        The released masked records, each label read as the original class that it stands for; a label that stands for
        none is the number of classes.
    """

    inside: Positions
    outside: Positions
    read: Codes


def released(people: People, published: Codes, repeat: int) -> Released:
    """Return the released half of a file.

    What published labels mean is public, whatever the file calls them: it is learned from the pairs of the people
    outside, whose masked records serve for nothing else.
    """
    inside, outside = people.halves(repeat)
    read = np.empty((len(inside), published.shape[1]), dtype=np.int32)
    for v, size in enumerate(people.classes.sizes):
        meaning = reading(joint_counts(people.codes[outside, v], published[outside, v], int(size)))
        read[:, v] = meaning[published[inside, v]]
    return Released(inside, outside, read)
