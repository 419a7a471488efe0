"""Demes and individuals as they cross the wire; of large genomes travels mostly what they differ in from each other."""

from typing import Any, NamedTuple

from evosdc.engine.genome_deltas import Arrays, dump_of, packed, unpacked
from evosdc.model import Genotype, Individual, Population


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
    genomes = packed(dump_of(genotype, member.genome) for member in deme)
    return PackedDeme(tuple(map(told_of, deme)), genomes, deme.generation, dict(deme.memory))


def unpack_deme(given: PackedDeme, genotype: Genotype[Any]) -> Population:
    """Return the deme that `pack_deme` packed."""
    dumps = unpacked(given.genomes, len(given.members))
    members = [read_individual(told, dump, genotype) for told, dump in zip(given.members, dumps, strict=True)]
    return Population(members, given.generation, given.memory)


def told_of(individual: Individual) -> IndividualReport:
    """Return an individual as it crosses the wire."""
    return IndividualReport(individual.key, dict(individual.scores), individual.objectives, individual.origin)


def read_individual(told: IndividualReport, dump: Arrays, genotype: Genotype[Any]) -> Individual:
    """Return the individual that was told of, with the dump of its genome."""
    return Individual(genotype.load(dump), *told)
