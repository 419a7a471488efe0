"""How the cost of a plugin grows with the number of records, and what memory it takes."""

import math
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np

from evosdc.errors import InputError
from evosdc.model import Changes, IntruderView, Measure, Microdata
from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, stream
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

SIZES = (500, 1000, 2000, 4000, 8000)  # records of the tables that are tried, in this order
PATIENCE = 1.5  # seconds that a call may take; then no larger table is tried

# Kinds whose cost depends on the number of records.
MEASURED = ("masking-method", "measure", "privacy-model", "genotype", "portfolio", "picture")

CATEGORIES = (9, 5, 12)  # of the made-up attributes; a numeric one comes last where it is wanted


@dataclass(frozen=True)
class Growth:
    """The cost of one operation of a plugin."""

    operation: str  # ``"score"``, ``"a child with 1 changed record"`` and so on
    records: tuple[int, ...]  # sizes that were tried
    seconds: tuple[float, ...]  # the least of three calls each, after one that compiles kernels
    # Slope of log seconds over log records, by least squares over the three largest: 1 is linear, 2 quadratic. None
    # where fewer than three were tried.
    exponent: float | None
    memory: float  # greatest memory of one call on the largest table, in MB, beside what was there before

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return asdict(self)


def growth_of(
    kind: str, name: str, registry: Registry, sizes: Sequence[int] = SIZES, clock: Callable[[], float] = perf_counter
) -> list[Growth]:
    """Return what each operation of a registered plugin costs, with its default parameters; none for other kinds."""
    if kind not in MEASURED:
        return []
    scales = tuple(Scale(scale) for scale in getattr(registry.spec(kind, name), "scales", tuple(Scale)))
    made: dict[str, dict[int, Callable[[], Any]]] = {}
    spent: dict[str, dict[int, float]] = {}
    for records in sizes:
        if any(own[max(own)] > PATIENCE for own in spent.values()):
            break
        for operation, call in _operations(kind, name, registry, trial_table(records, scales)).items():
            call()
            made.setdefault(operation, {})[records] = call
            spent.setdefault(operation, {})[records] = min(_timed(call, clock) for _ in range(3))
    return [
        Growth(operation, tuple(own), tuple(own.values()), _slope(own), _peak(made[operation][max(own)]))
        for operation, own in spent.items()
    ]


def trial_table(records: int, scales: Sequence[Scale]) -> Table:
    """Return a made-up table whose attributes depend on each other, always the same for the same number of records."""
    rng = stream(0, Purpose.GENERATE, records)
    latent = rng.random(records)
    wanted = [scale for scale in (Scale.NOMINAL, Scale.ORDINAL) if scale in scales]
    attributes, codes = [], []
    for place, count in enumerate(CATEGORIES if wanted else ()):
        labels = tuple(f"c{number:02d}" for number in range(count))
        attributes.append(Attribute(f"a{place}", Role.QUASI_IDENTIFIER, wanted[place % len(wanted)], labels))
        codes.append(np.minimum((latent * 0.6 + rng.random(records) * 0.4) * count, count - 1).astype(np.int32))
    numeric = [] if Scale.NUMERIC not in scales else ["x"] if wanted else ["x", "y", "z"]
    attributes += [Attribute(column, Role.QUASI_IDENTIFIER, Scale.NUMERIC, (), None, 1) for column in numeric]
    numbers = [np.round(100 * latent + 20 * rng.random(records), 1) for _ in numeric]
    return Table(
        Schema(tuple(attributes)),
        np.stack(codes, axis=1) if codes else np.empty((records, 0), dtype=np.int32),
        np.stack(numbers, axis=1) if numbers else np.empty((records, 0)),
    )


def _operations(kind: str, name: str, registry: Registry, table: Table) -> Mapping[str, Callable[[], Any]]:
    if kind in ("portfolio", "picture"):
        function = registry.implementation(kind, name)
        return {"call": lambda: function(table) if kind == "portfolio" else function(table, _moved(table, 5))}
    microdata = Microdata(table, table.schema.names)
    if kind == "genotype":
        genotype = registry.build(kind, name, {}, microdata)
        genome = genotype.random(_rng())
        return {
            "decode": lambda: genotype.decode(genome, _rng()),
            "mutate": lambda: genotype.mutate(genome, _rng()),
            "crossover": lambda: genotype.crossover(genome, genome, _rng()),
        }
    built = registry.build(kind, name, {})
    if kind == "masking-method":
        return {"mask": lambda: built.mask(table, _rng())}
    if kind == "privacy-model":
        view = IntruderView(table, table.schema.names[:-1], table.schema.names[-1:])
        return {"assess": lambda: built.assess(_fresh(view))}
    return _of_measure(built, microdata)


def _of_measure(measure: Measure, microdata: Microdata) -> Mapping[str, Callable[[], Any]]:
    original = microdata.original
    fitted, masked = measure.fit_in(microdata), _moved(original, 5)
    calls: dict[str, Callable[[], Any]] = {
        "fit": lambda: measure.fit_in(microdata),
        "score": lambda: fitted.score(masked),
    }
    tracker, last = fitted.track(masked), np.array([len(masked) - 1])
    change = Changes.of_one(np.arange(1), masked.take(np.arange(1)), masked.take(last))
    calls["a child with 1 changed record"] = lambda: tracker.tries(change)
    return calls


def _fresh(view: IntruderView) -> IntruderView:
    """Return a view that has worked nothing out yet."""
    return IntruderView(view.table, view.quasi_identifiers, view.sensitive)


def _moved(table: Table, every: int) -> Table:
    """Return a table in which every so-manieth record has the values of the record after it."""
    order = np.arange(len(table))
    order[::every] = (order[::every] + 1) % len(table)
    return table.take(order)


def _rng() -> np.random.Generator:
    return stream(0, Purpose.MASK)


def _timed(call: Callable[[], Any], clock: Callable[[], float]) -> float:
    began = clock()
    call()
    return clock() - began


def _slope(seconds: Mapping[int, float]) -> float | None:
    largest = sorted(seconds)[-3:]
    if len(largest) < 3:
        return None
    logs = np.log([[records, max(seconds[records], 1e-9)] for records in largest])
    slope = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    return slope if math.isfinite(slope) else None


def _peak(call: Callable[[], Any]) -> float:
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        call()
        return max(0.0, (tracemalloc.get_traced_memory()[1] - before) / 1e6)
    finally:
        if not running:
            tracemalloc.stop()


def growth_or_reason(kind: str, name: str, registry: Registry) -> tuple[list[Growth], str]:
    """Return what `growth_of` returns, and why it is nothing, in words."""
    try:
        found = growth_of(kind, name, registry)
    except InputError as error:
        return [], str(error).partition("\n")[0]
    return found, "" if found else "not measured for this kind"
