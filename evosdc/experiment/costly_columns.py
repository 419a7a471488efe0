"""Advice on a publishable file with much loss: the column that costs most, and the loss of a file without it.

One date or long code can force a search to change all other columns: few people are alike with it, and many without.
Nothing is guessed: the file without the column is made and judged, by the methods of the run and a short search.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from time import monotonic

import numpy as np

from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import first_state, search
from evosdc.engine.stop import Stop
from evosdc.errors import EvosdcError
from evosdc.experiment.assembly import Assembly, algorithm_of
from evosdc.experiment.experiment import Experiment, MaskingEntry, MeasureEntry, Start
from evosdc.experiment.problem import build_problem
from evosdc.experiment.start import StartingFile, plan_of_start, starting_individual
from evosdc.experiment.summaries import entries_of
from evosdc.model import Individual, Microdata
from evosdc.secret import Key, Purpose
from evosdc.table.schema import Scale
from evosdc.table.table import Table

_LOG = logging.getLogger(__name__)

MUCH = 10.0  # loss from which it is worth while to look for a column that costs it
WORTH_SAYING = 0.5  # share of the loss that is left without the column, at most
COLUMNS, MASKINGS, GENERATIONS = 2, 8, 30  # what is tried at most: columns, and for each methods and generations
CLASSES = 5  # classes, of about equal frequency, in which a column is tried
FOR_STARTING = 0.4  # share of the time of a column for its starting files
_KEYS = 31  # address of what trials draw from


def advice_on(
    assembly: Assembly,
    masked: Table,  # the protected attributes of the file
    loss: float,
    starting: Sequence[StartingFile],
    left: Callable[[], float],  # returns the seconds that are left for this
) -> list[str]:
    """Return a sentence on the column without which, or in classes of which, a file loses least; none for no column."""
    names = suspected(assembly, masked, left) if len(masked.schema.names) > 1 and loss >= MUCH else []
    changes = [(name, change) for name in names for change in _changes(assembly.microdata, name)]
    found: dict[str, list[tuple[float, str]]] = {name: [] for name in names}
    for place, (name, (words, microdata)) in enumerate(changes):
        share = left() / (len(changes) - place)
        try:
            best = _best_of(assembly, microdata, starting, share) if share > 0.0 else None
        except EvosdcError:
            continue  # a method, a measure or a rule cannot do without it
        except Exception as error:  # a plugin's fault must not lose a search that has ended well
            _LOG.warning("a trial %s failed with %s", words, type(error).__name__)
            continue
        if best is not None and best.feasible and best.scores["il"] <= WORTH_SAYING * loss:
            found[name].append((best.scores["il"], words))
    name = min(found, key=lambda one: min(found[one], default=(loss, "")), default="")
    if not found.get(name):
        return []
    tried = ", ".join(f"{words} {least:.1f}" for least, words in found[name])
    return [
        f"Tried, by what a file within the bounds loses: {tried}; this one, with {name}, {loss:.1f}. Drop {name} "
        f"(`evosdc edit SCHEMA {name} role=drop`) or publish it in classes, and protect again."
    ]


def _changes(microdata: Microdata, name: str) -> Iterator[tuple[str, Microdata]]:
    """Yield in words, and as microdata, the file without an attribute, and with one that has an order in classes."""
    # The loss in classes is that of a file in these classes: what they leave out is the user's choice.
    table, attribute = microdata.table, microdata.table.schema[name]
    others = [one for one in table.schema.names if one != name]
    protect = tuple(one for one in microdata.protect if one != name)
    yield f"without {name}", replace(microdata, table=table.select(others), protect=protect)
    column, present = table.column(name), np.sort(table.column(name)[~table.absent(name)])
    if attribute.scale is not Scale.NOMINAL and len(np.unique(present)) > CLASSES:
        middles = np.unique(present[((np.arange(CLASSES) + 0.5) * len(present) / CLASSES).astype(np.intp)])
        nearest = middles[np.abs(column[:, None] - middles).argmin(axis=1)]
        part = table.select(()).beside({name: np.where(table.absent(name), column, nearest)}, table.schema)
        yield f"with {name} in {len(middles)} classes", replace(microdata, table=table.with_columns(part))


def suspected(assembly: Assembly, masked: Table, left: Callable[[], float]) -> list[str]:
    """Return the attribute that has most different values, and the one whose masking costs most."""
    # The first singles people out, so that all others are masked for it. What the masking of one costs is the loss that
    # is saved where its original values take the place of the masked ones.
    problem, original = assembly.problem, assembly.microdata.original
    names = original.schema.names
    values = {name: len(np.unique(original.column(name))) for name in names}
    losses = dict[str, float]()
    for name in names:
        if left() > 0.0:
            scores, _ = problem.score(masked.with_columns(original.select([name])))
            losses[name] = float(scores["il"])
    costly = [min(losses, key=lambda name: losses[name])] if losses else []
    return list(dict.fromkeys([max(names, key=lambda name: values[name]), *costly]))[:COLUMNS]


def _best_of(
    assembly: Assembly, microdata: Microdata, starting: Sequence[StartingFile], seconds: float
) -> Individual | None:
    """Return the best file of other microdata that the methods of the run and a short search make."""
    began = monotonic()
    # Methods that were too weak for the whole file may do for the others: those of least loss come first.
    known = sorted(entries_of(starting), key=lambda one: one.individual.scores.get("il", inf))
    maskings = [replace(one.masking, draw=None, right_labels=(), move_values=()) for one in known if one.masking]
    there = {*microdata.table.schema.names}
    free = [one for one in maskings if all(there.issuperset((*step.attributes, *step.by)) for step in one.steps)]
    experiment = _experiment_on(assembly.experiment, microdata, tuple(map(MaskingEntry.of, free[:MASKINGS])))
    seed = assembly.seed.derived(Purpose.JUDGE, _KEYS) if isinstance(assembly.seed, Key) else assembly.seed
    problem = build_problem(experiment, microdata, assembly.registry, seed)
    assert experiment.start is not None
    plan = plan_of_start(problem, experiment, experiment.start, assembly.registry)
    algorithm, rule = algorithm_of(experiment, problem, assembly.registry), experiment.on_error.rule
    started = list[Individual]()
    for place in range(plan.candidates):
        if not started or monotonic() - began < FOR_STARTING * seconds:
            started.append(starting_individual(problem, plan, place, rule))
    if not started:
        return None
    evaluator = Evaluator(problem, None, None, rule)
    evaluator.remember(started)
    stop = Stop(generations=GENERATIONS, seconds=max(seconds - (monotonic() - began), 0.0))
    state, _ = search(algorithm, evaluator, problem.streams, stop, first_state(algorithm, started), lambda *_: None)
    return algorithm.solution(state.population, state.best)


def _experiment_on(experiment: Experiment, microdata: Microdata, methods: tuple[MaskingEntry, ...]) -> Experiment:
    """Return an experiment on fewer attributes, which starts with some methods."""
    measures, there = experiment.measures, {*microdata.table.schema.names}
    assert measures is not None, "the assembly fills in the measures"

    def kept(entries: Sequence[MeasureEntry]) -> tuple[MeasureEntry, ...]:
        named = ((one, tuple(of for of in one.of or () if of in there)) for one in entries)
        return tuple(one.model_copy(update={"of": of or None}) for one, of in named if of or one.of is None)

    kinds = {kind: kept(getattr(measures, kind)) for kind in ("il", "dr", "other")}
    changes = {
        "measures": measures.model_copy(update=kinds),
        "data": experiment.data.model_copy(update={"protect": microdata.protect}),
        "start": Start(methods=methods),
        "tighter": (),
    }
    return experiment.model_copy(update=changes)
