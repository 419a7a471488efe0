"""Demes and individuals as they cross the wire; of large genomes travels mostly what they differ in from each other."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from evosdc.engine.genome_deltas import Arrays, dump_of, one_by_one, packed
from evosdc.model import Genotype, Individual, Population
from evosdc.model.individual import LatentGenome


class IndividualReport(NamedTuple):
    """An individual as it crosses the wire, but for its genome."""

    key: bytes
    scores: dict[str, float]
    objectives: tuple[float, ...]
    origin: str


class PackedDeme(NamedTuple):
    """A deme as it crosses the wire: its members, how many generations it has completed, and its memory."""

    members: tuple[IndividualReport, ...]
    genomes: Arrays
    generation: int
    memory: dict[str, Any]


def pack_deme(deme: Population, genotype: Genotype[Any]) -> PackedDeme:
    """Return a deme as it crosses the wire."""
    genomes = packed(dump_of(genotype, member.genome) for member in deme.individuals)
    return PackedDeme(tuple(map(told_of, deme.individuals)), genomes, deme.generation, dict(deme.memory))


def unpack_deme(
    given: PackedDeme, genotype: Genotype[Any], known: Mapping[bytes, Individual] | None = None
) -> Population:
    """Return the deme that `pack_deme` packed; members that are known by their keys bring their states with them."""
    members, made = [], one_by_one(given.genomes, len(given.members))
    for told, make in zip(given.members, made, strict=True):
        found = known.get(told.key) if known is not None else None
        if found is None:
            members.append(read_individual(told, make, genotype))
        else:
            members.append(Individual(found.genome, *told, found.states, found.basis))
    return Population(tuple(members), given.generation, given.memory)


def told_of(individual: Individual) -> IndividualReport:
    """Return an individual as it crosses the wire."""
    return IndividualReport(individual.key, dict(individual.scores), individual.objectives, individual.origin)


def read_individual(told: IndividualReport, make: Callable[[], Arrays], genotype: Genotype[Any]) -> Individual:
    """Return the individual that was told of; `make` gives the dump of its genome, when somebody asks for it."""
    return Individual(LatentGenome(partial(_loaded, make, genotype)), *told)


def _loaded(make: Callable[[], Arrays], genotype: Genotype[Any]) -> Any:
    return genotype.load(make())
