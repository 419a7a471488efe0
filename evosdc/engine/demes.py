"""Demes that evolve here or on workers for some generations, and how the master joins their reports.

For every generation of its deme, a worker reports how many children each operator made, and the individuals of the
deme. Of the others it reports those that may matter: candidates for the best and for the front. The master joins the
reports of all demes generation by generation. It has the same history as if it had evolved them itself, without
varying or evaluating anything. Only children that failed to matter are missing.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from evosdc.engine.archive import Archive
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.generation import Generation, evolve
from evosdc.engine.genome_deltas import Arrays, packed, unpacked
from evosdc.model import Archipelago, Genotype, Individual, Population
from evosdc.model.individual import known_places, precedences
from evosdc.secret import Streams


def evolve_demes(algorithm: Archipelago, evaluator: Evaluator, streams: Streams, population: Population) -> Generation:
    """Return the generation after a population, and after migration; demes have streams of their own."""
    evolved = [
        evolve(algorithm.inner, evaluator, replace(streams, island=island), deme)
        for island, deme in enumerate(algorithm.demes(population))
    ]
    if algorithm.horizon(population.generation) == 1:
        known = {island: generation.population for island, generation in enumerate(evolved)}
        settled = algorithm.after_migration(range(len(evolved)), known, len(evolved))
        evolved = [replace(one, population=deme) for one, deme in zip(evolved, settled, strict=True)]
    return join_generations(algorithm, evolved)


class IndividualReport(NamedTuple):
    """An individual as sent between processes, without its genome."""

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
    genomes = packed(genotype.dump(member.genome) for member in deme)
    return PackedDeme(tuple(map(report_of, deme)), genomes, deme.generation, dict(deme.memory))


def unpack_deme(given: PackedDeme, genotype: Genotype[Any]) -> Population:
    """Return the deme that `pack_deme` packed."""
    dumps = unpacked(given.genomes, len(given.members))
    members = [read_individual(report, dump, genotype) for report, dump in zip(given.members, dumps, strict=True)]
    return Population(members, given.generation, given.memory)


def report_of(individual: Individual) -> IndividualReport:
    """Return an individual as it crosses the wire."""
    return IndividualReport(individual.key, dict(individual.scores), individual.objectives, individual.origin)


def read_individual(report: IndividualReport, dump: Arrays, genotype: Genotype[Any]) -> Individual:
    """Return the reported individual, with the dump of its genome."""
    return Individual(genotype.load(dump), *report)


class GenerationReport(NamedTuple):
    """A generation of a deme as sent between processes."""

    # Individuals are numbered: the deme's first members by slot, then all reported ones, in the order of evaluation.

    made: dict[str, int]  # as in `Generation`
    failed: int  # as in `Generation`
    reported: tuple[IndividualReport, ...]  # of this generation's children, those that matter
    slots: tuple[int, ...] | None  # numbers of the deme's members; None where they are as before
    memory: dict[str, Any] | None  # of the deme; None where it is as before


class DemeReport(NamedTuple):
    """Some generations of a deme as they cross the wire."""

    generations: list[GenerationReport]
    # Of all reported individuals, in order (`evosdc.engine.genome_deltas.packed`): of large ones mostly the changes.
    genomes: Arrays
    seconds: float = 0.0  # that all of it took


def report_generations(deme: Population, history: Iterator[Generation], genotype: Genotype[Any]) -> DemeReport:
    """Return the report of a deme's generations."""
    # The individuals themselves are kept as well, or another one might get an address.
    numbers = {id(member): (slot, member) for slot, member in enumerate(deme)}
    count, members, memory = len(deme), deme, deme.memory
    front, best = Archive(members), min(member.precedence for member in members)
    reports, genomes = [], list[Any]()
    for generation in history:
        after = generation.population
        staying = set(map(id, after))
        reported = list[Individual]()
        for batch in generation.evaluated:
            matter = set(front.update(batch))
            for place, precedence in enumerate(precedences(batch)):
                if precedence < best:
                    best = precedence
                    matter.add(place)
            matter |= {place for place, individual in known_places(batch) if id(individual) in staying}
            for place in sorted(matter):
                numbers[id(batch[place])] = (count, batch[place])
                count += 1
                reported.append(batch[place])
        copies = {id(member): member for member in after if id(member) not in numbers}
        for number, member in copies.items():  # copies of members, which needed no evaluation
            numbers[number] = (count, member)
            count += 1
            reported.append(member)
        genomes += [individual.genome for individual in reported]
        same = after == members  # the very same: individuals are equal to themselves alone
        reports.append(
            GenerationReport(
                dict(generation.made),
                generation.failed,
                tuple(map(report_of, reported)),
                None if same else tuple(numbers[id(member)][0] for member in after),
                None if after.memory is memory else dict(after.memory),
            )
        )
        members, memory = after, after.memory
    return DemeReport(reports, packed(genotype.dump(genome) for genome in genomes))


def read_report(deme: Population, report: DemeReport, genotype: Genotype[Any]) -> list[Generation]:
    """Return the generations of a report."""
    # The inverse of `report_generations`, but for children that do not matter.
    made = iter(unpacked(report.genomes, sum(len(generation.reported) for generation in report.generations)))
    known, members, memory = list(deme), list(deme), deme.memory
    history = []
    for number, one in enumerate(report.generations, start=deme.generation + 1):
        evaluated = [read_individual(report, next(made), genotype) for report in one.reported]
        known += evaluated
        if one.slots is not None:
            members = [known[slot] for slot in one.slots]
        if one.memory is not None:
            memory = one.memory
        history.append(Generation(one.made, [evaluated], Population(members, number, memory), one.failed))
    return history


def join_generations(algorithm: Archipelago, demes: Sequence[Generation]) -> Generation:
    """Return one generation of all demes as that of the whole population."""
    generation = demes[0].population.generation
    made: Counter[str] = Counter()
    for deme in demes:
        made.update(deme.made)
    return Generation(
        made,
        [batch for deme in demes for batch in deme.evaluated],
        algorithm.joined([deme.population for deme in demes], generation),
        sum(deme.failed for deme in demes),
    )
