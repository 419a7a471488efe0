"""A first run is rehearsed on a few records, so that kernels are compiled before its clock starts.

Nothing is compiled when evosdc is installed. What a run of one minute calls takes about as long to be compiled, once on
each machine; without a rehearsal that would be taken from its time.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import platformdirs

from evosdc.errors import EvosdcError
from evosdc.experiment.experiment import ExecutorChoice, Experiment, StopRule
from evosdc.secret import Key
from evosdc.table.schema import Schema

RECORDS = 150  # records of the rehearsal: kernels are the same for any number
TUNED = 30  # files of its tuned start: every method about once
GENERATIONS = 2  # generations of its search

REHEARSING = (
    "Compiling for this machine, once, before the time starts: about a minute. Later runs of this kind begin at once."
)

SKIPPED = "EVOSDC_REHEARSAL"  # where this environment variable is ``no``, nothing is rehearsed


def rehearse(
    experiment: Experiment, kinds: str, run: Callable[[Experiment, Path, Key], object], told: Callable[[str], object]
) -> None:
    """Have a short form of an experiment with a limit of time run, where none of its kind has run on this machine."""
    limited = experiment.stop.seconds is not None or experiment.stop.whole is not None
    if not limited or os.environ.get(SKIPPED) == "no":
        return
    stamp = _stamp(experiment, kinds)
    if stamp.exists():
        return
    told(REHEARSING)
    # The folder is its owner's alone, and gone at the end; what fails here is told of by the run itself.
    with suppress(EvosdcError, ArithmeticError, ValueError), TemporaryDirectory(prefix="evosdc-") as folder:
        run(_shortened(experiment), Path(folder) / "run", Key.fresh())
    with suppress(OSError):
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()


def _shortened(experiment: Experiment) -> Experiment:
    update: dict[str, Any] = {
        "data": experiment.data.model_copy(update={"first": min(experiment.data.first or RECORDS, RECORDS)}),
        "stop": StopRule(generations=GENERATIONS),
        "executor": ExecutorChoice(name="serial"),
        "second_opinion": True,
    }
    if experiment.start is not None:
        limits = {"seconds": None, "evaluations": TUNED, "share": 0.5}
        parts = {"tuned": experiment.start.tuned, "planned": experiment.start.planned}
        shortened = {name: part.model_copy(update=limits) for name, part in parts.items() if part is not None}
        update["start"] = experiment.start.model_copy(update=shortened)
    return experiment.model_copy(update=update)


def _stamp(experiment: Experiment, kinds: str) -> Path:
    """Return the empty file that stands for kernels which have been compiled."""
    measures = experiment.measures
    facts = (
        *(version(name) for name in ("evosdc", "numba", "numpy")),
        sys.version,
        kinds,
        experiment.genotype.name,
        experiment.algorithm.name,
        experiment.fitness.name,
        *(entry.name for entry in (measures.all if measures is not None else ())),
        *(text.split()[0] for text in experiment.constraints),
    )
    digest = sha256("\n".join(facts).encode()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("evosdc")) / "rehearsed" / digest


def kinds_of(schema: Schema) -> str:
    """Return the scales of the attributes of a file."""
    return " ".join(sorted({attribute.scale.value for attribute in schema.attributes}))
