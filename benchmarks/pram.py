"""Times of PRAM genomes: drawn and expected judgement, variation, and decoding, against plain ways to do the same.

Run ``python benchmarks/pram.py``; with EVOSDC_DATA set the file is German Credit, else the made-up housing survey. Both
have 1000 records; three attributes are protected. Times are of the processor, medians, so that other work on the
machine counts little.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.model import Individual
from evosdc.plugins.registry import default_registry

SIX = {"il": ["dbil", "ctbil", "ebil"], "dr": ["id", "dbrl", "prl"]}
EXPECTED = {"il": ["dbil", {"name": "ctbil", "K": 1}, "ebil"], "dr": ["unchanged"]}
SECOND_ORDER = {"il": ["dbil", {"name": "ctbil", "K": 2}, "ebil"], "dr": ["id"]}


def problem_of(measures: dict[str, Any], **genotype: Any) -> Any:
    german = {"name": "german-credit", "protect": ["existacc", "presemploy", "savings"]}
    housing = {"name": "housing", "protect": ["degree", "metro", "sch"]}
    document = {
        "seed": 1,
        "data": german if "EVOSDC_DATA" in os.environ else housing,
        "genotype": {"name": "pram", **genotype},
        "start": {"initial": True},
        "measures": measures,
    }
    return assemble(Experiment.model_validate(document), default_registry()).problem


def microseconds(call: Callable[[int], object], number: int = 400) -> float:
    call(0)
    times = []
    for position in range(number):
        began = process_time()
        call(position)
        times.append(process_time() - began)
    return 1e6 * median(times)


def line(text: str, value: float, limit: float | None = None) -> None:
    wanted = f"   wanted at most {limit:.0f}: {'holds' if value <= limit else 'NOT YET'}" if limit else ""
    print(f"{text:<66}{value:10.1f} µs{wanted}")


def plain_draw(problem: Any, genome: Any, rng: np.random.Generator) -> None:
    """Draw the file as one would without thinking: record by record, category by category."""
    for v, matrix in enumerate(problem.genotype.transitions(genome)):
        for code in problem.genotype.microdata.original.codes[:, v].tolist():
            rng.choice(len(matrix), p=matrix[code])


def shown(invariance: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """Print the times of one way to invariance; return the problem and a genome."""
    drawn = problem_of(SIX, invariance=invariance)
    genotype = drawn.genotype
    genomes = [drawn.initial_genomes[4][1]]
    while len(genomes) < 500:
        genomes.append(genotype.mutate(genomes[-1], rng))
    keys = [genotype.key(genome) for genome in genomes]
    individuals = [Individual(genome, key, {}, (0.0,), "") for genome, key in zip(genomes, keys, strict=True)]
    print(f"\ninvariance = {invariance}")
    line(
        "judgement, 1000 records, 3 attributes, 5 draws, six measures",
        microseconds(lambda i: drawn.evaluate(individuals[i]), 200),
        3000,
    )
    first = problem_of(EXPECTED, invariance=invariance, judge="expectation")
    line(
        "expected judgement: dbil, ctbil of first order, ebil, unchanged",
        microseconds(lambda i: first.evaluate(individuals[i])),
        100,
    )
    second = problem_of(SECOND_ORDER, invariance=invariance, judge="expectation")
    line(
        "expected judgement: dbil, ctbil of second order, ebil, id",
        microseconds(lambda i: second.evaluate(individuals[i])),
    )
    line("decode one draw", microseconds(lambda i: drawn.decode(genomes[i], keys[i])))
    line("mutation", microseconds(lambda i: genotype.mutate(genomes[i], rng)))
    line("crossover", microseconds(lambda i: genotype.crossover(genomes[i], genomes[i - 1], rng)))
    return drawn, genomes[0]


def main() -> None:
    rng = np.random.default_rng(0)
    for invariance in ("none", "two-stage", "flow"):
        problem, genome = shown(invariance, rng)
    plain = microseconds(lambda _: plain_draw(problem, genome, rng), 3)
    quick = microseconds(lambda _: problem.decode(genome, b""))
    print(f"\none draw, record by record with rng.choice: {plain:.0f} µs, {plain / quick:.0f} times as long")


if __name__ == "__main__":
    main()
