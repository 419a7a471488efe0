"""Demes that evolve on workers for some generations, and what the master makes of their reports.

A worker tells of every generation of its deme how many children each operator made, and which individuals the deme then
has. Of the others it tells those that may matter: candidates for the best and for the front. The master joins the
reports of all demes generation by generation. It sees exactly what it would have seen had it evolved them itself,
without varying or evaluating anything. Of children that came to nothing it does not hear.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from evosdc.engine.archive import Archive
from evosdc.engine.generation import Generation
from evosdc.model import Archipelago, Genotype, Individual, Population
from evosdc.model.brood import Broods, known_places, precedences


class IndividualReport(NamedTuple):
    """An individual as it crosses the wire."""

    dump: dict[str, Any]
    key: bytes
    scores: dict[str, float]
    objectives: tuple[float, ...]
    origin: str


class GenerationReport(NamedTuple):
    """A generation of a deme as it crosses the wire.

    Individuals are numbered: the deme's first members by slot, then all that are told of, in the order of evaluation.

    Parameters
    ----------
    made, failed
        As in `Generation`.
    told : tuple of IndividualReport
        Of this generation's children, those that matter.
    slots : tuple of int or None
        Numbers of the deme's members; None where they are as before.
    memory : mapping of str to ndarray or None
        Of the deme; None where it is as before.
    """

    made: dict[str, int]
    failed: int
    told: tuple[IndividualReport, ...]
    slots: tuple[int, ...] | None
    memory: dict[str, Any] | None


class DemeReport(NamedTuple):
    """Some generations of a deme as they cross the wire, and the seconds that they took."""

    seconds: float
    generations: list[GenerationReport]


class PackedDeme(NamedTuple):
    """A deme as it crosses the wire: its members, how many generations it has completed, and its memory."""

    members: tuple[IndividualReport, ...]
    generation: int
    memory: dict[str, Any]


def report_generations(
    deme: Population, history: Iterator[Generation], genotype: Genotype[Any]
) -> list[GenerationReport]:
    """Return the reports of a deme's generations."""
    # The individuals themselves are kept as well, or another one might get an address.
    numbers = {id(member): (slot, member) for slot, member in enumerate(deme.individuals)}
    count, members, memory = len(deme.individuals), deme.individuals, deme.memory
    front, best = Archive(members), min(member.precedence for member in members)
    reports = []
    for generation in history:
        after = generation.population
        staying = set(map(id, after.individuals))
        evaluated, told = generation.evaluated, list[Individual]()
        matter = set(front.update(evaluated))
        for place, precedence in enumerate(precedences(evaluated)):
            if precedence < best:
                best = precedence
                matter.add(place)
        matter |= {place for place, individual in known_places(evaluated) if id(individual) in staying}
        for place in sorted(matter):
            numbers[id(evaluated[place])] = (count, evaluated[place])
            count += 1
            told.append(evaluated[place])
        same = after.individuals == members  # the very same: individuals are equal to themselves alone
        reports.append(
            GenerationReport(
                dict(generation.made),
                generation.failed,
                tuple(_told(individual, genotype) for individual in told),
                None if same else tuple(numbers[id(member)][0] for member in after.individuals),
                None if after.memory is memory else dict(after.memory),
            )
        )
        members, memory = after.individuals, after.memory
    return reports


def read_report(deme: Population, reports: Sequence[GenerationReport], genotype: Genotype[Any]) -> list[Generation]:
    """Return the generations that reports tell of.

    The inverse of `report_generations`, but for children that do not matter.
    """
    known, members, memory = list(deme.individuals), deme.individuals, deme.memory
    history = []
    for number, report in enumerate(reports, start=deme.generation + 1):
        evaluated = [_read(told, genotype) for told in report.told]
        known += evaluated
        if report.slots is not None:
            members = tuple([known[slot] for slot in report.slots])
        if report.memory is not None:
            memory = report.memory
        history.append(Generation(report.made, evaluated, Population(members, number, memory), report.failed))
    return history


def join_generations(algorithm: Archipelago, demes: Sequence[Generation]) -> Generation:
    """Return one generation of all demes as that of the whole population."""
    generation = demes[0].population.generation
    made: Counter[str] = Counter()
    for deme in demes:
        made.update(deme.made)
    return Generation(
        made,
        Broods([deme.evaluated for deme in demes]),
        algorithm.joined([deme.population for deme in demes], generation),
        sum(deme.failed for deme in demes),
    )


def pack_deme(deme: Population, genotype: Genotype[Any]) -> PackedDeme:
    """Return a deme as it crosses the wire."""
    return PackedDeme(tuple(_told(i, genotype) for i in deme.individuals), deme.generation, dict(deme.memory))


def unpack_deme(packed: PackedDeme, genotype: Genotype[Any]) -> Population:
    """Return the deme that `pack_deme` packed."""
    return Population(tuple(_read(told, genotype) for told in packed.members), packed.generation, packed.memory)


def _told(i: Individual, genotype: Genotype[Any]) -> IndividualReport:
    return IndividualReport(dict(genotype.dump(i.genome)), i.key, dict(i.scores), i.objectives, i.origin)


def _read(told: IndividualReport, genotype: Genotype[Any]) -> Individual:
    return Individual(genotype.load(told.dump), told.key, told.scores, told.objectives, told.origin)
