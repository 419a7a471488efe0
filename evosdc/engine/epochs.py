"""Demes that evolve on workers for some generations, and what the master makes of their reports.

A worker reports every generation of its deme: what was evaluated, and which individuals the deme then has. The master
joins the reports of all demes generation by generation and sees exactly what it would have seen had it evolved them
itself; to do so it neither varies nor evaluates anything. Genomes come with those individuals alone that may matter to
it: members of a deme, and candidates for the best and for the front.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from evosdc.engine.archive import Archive
from evosdc.engine.evaluation import Evaluator
from evosdc.model import Algorithm, Archipelago, Genotype, Individual, Offspring, Population
from evosdc.seeds import Streams

Figures = tuple[bytes, dict[str, float], tuple[float, ...], str]
"""An individual without its genome: key, scores, objectives, origin."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a population: what was proposed and evaluated, and the population after it."""

    offspring: Sequence[Offspring]
    evaluated: Sequence[Individual]
    population: Population


@dataclass(frozen=True, slots=True)
class GenerationReport:
    """A generation of a deme, as it crosses the wire.

    Individuals are numbered: the deme's first members by slot, then everything evaluated, in order.

    Parameters
    ----------
    operators : tuple of str
        Origin of each offspring.
    evaluated : tuple of Figures
    slots : tuple of int
        Numbers of the deme's members.
    memory : mapping of str to ndarray
    genomes : mapping of int to dict
        Dumps of the genomes that may matter, by number.
    """

    operators: tuple[str, ...]
    evaluated: tuple[Figures, ...]
    slots: tuple[int, ...]
    memory: Mapping[str, NDArray[Any]]
    genomes: Mapping[int, dict[str, Any]]


def generations(
    algorithm: Algorithm, evaluator: Evaluator, streams: Streams, population: Population, count: int
) -> Iterator[Generation]:
    """Evolve a population for `count` generations; where nothing is proposed it stays as it is."""
    for _ in range(count):
        offspring = algorithm.propose(population, streams)
        evaluated = evaluator.evaluate(offspring) if offspring else []
        after = algorithm.replace(population, offspring, evaluated) if offspring else population
        population = replace(after, generation=population.generation + 1)
        yield Generation(offspring, evaluated, population)


def reported(deme: Population, history: Iterator[Generation], genotype: Genotype[Any]) -> list[GenerationReport]:
    """Return the reports of a deme's generations."""
    number = {id(individual): slot for slot, individual in enumerate(deme.individuals)}
    sent, kept = set(number.values()), list(deme.individuals)
    front, best = Archive(deme.individuals), min(individual.precedence for individual in deme.individuals)
    reports = []
    for generation in history:
        wanted: dict[int, Individual] = {}
        for individual in generation.evaluated:
            position = number[id(individual)] = len(kept)
            kept.append(individual)  # or another one might get its address
            if front.update([individual]) | (individual.precedence < best):
                best = min(best, individual.precedence)
                wanted[position] = individual
        members = generation.population.individuals
        slots = tuple(number[id(individual)] for individual in members)
        wanted |= {slot: member for slot, member in zip(slots, members, strict=True) if slot not in sent}
        sent |= wanted.keys()
        reports.append(
            GenerationReport(
                tuple(item.origin for item in generation.offspring),
                tuple((i.key, dict(i.scores), i.objectives, i.origin) for i in generation.evaluated),
                slots,
                dict(generation.population.memory),
                {position: dict(genotype.dump(i.genome)) for position, i in wanted.items()},
            )
        )
    return reports


def retold(deme: Population, reports: Sequence[GenerationReport], genotype: Genotype[Any]) -> list[Generation]:
    """Return the generations that reports tell of; the inverse of `reported`, but for genomes that do not matter."""
    known, told = list(deme.individuals), []
    for generation, report in enumerate(reports, start=deme.generation + 1):
        evaluated = []
        for key, scores, objectives, origin in report.evaluated:
            dump = report.genomes.get(len(known))
            genome = None if dump is None else genotype.load(dump)
            evaluated.append(Individual(genome, key, scores, objectives, origin))
            known.append(evaluated[-1])
        offspring = [Offspring(None, operator) for operator in report.operators]
        after = Population(tuple(known[slot] for slot in report.slots), generation, report.memory)
        told.append(Generation(offspring, evaluated, after))
    return told


def together(algorithm: Archipelago, demes: Sequence[Sequence[Generation]]) -> list[Generation]:
    """Return the generations of all demes as those of the whole population, with migrants where it is time."""
    whole = []
    for at_once in zip(*demes, strict=True):
        generation = at_once[0].population.generation
        after = algorithm.settled(
            [replace(one.population, generation=generation - 1) for one in at_once], generation - 1
        )
        whole.append(
            Generation(
                [item for one in at_once for item in one.offspring],
                [individual for one in at_once for individual in one.evaluated],
                replace(after, generation=generation),
            )
        )
    return whole


@dataclass(frozen=True, slots=True)
class PackedDeme:
    """A deme as it crosses the wire: its members as (dump, scores, objectives, origin), generation and memory."""

    members: tuple[tuple[dict[str, Any], dict[str, float], tuple[float, ...], str], ...]
    generation: int
    memory: dict[str, Any]


def packed_deme(deme: Population, genotype: Genotype[Any]) -> PackedDeme:
    """Return a deme as it crosses the wire."""
    members = tuple((dict(genotype.dump(i.genome)), dict(i.scores), i.objectives, i.origin) for i in deme.individuals)
    return PackedDeme(members, deme.generation, dict(deme.memory))


def unpacked_deme(packed: PackedDeme, genotype: Genotype[Any]) -> Population:
    """Return the deme that `packed_deme` packed."""
    members = []
    for dump, scores, objectives, origin in packed.members:
        genome = genotype.load(dump)
        members.append(Individual(genome, genotype.key(genome), scores, objectives, origin))
    return Population(tuple(members), packed.generation, packed.memory)
