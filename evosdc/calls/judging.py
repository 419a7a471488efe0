"""Asking judges for a second opinion on a masked file."""

import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evosdc.calls.claims import Claims, claims_on, require_claim
from evosdc.calls.exchanged_labels import exchanged_labels
from evosdc.calls.judged_files import Sides, masked_attributes, require_readable, sides_of
from evosdc.calls.second_opinion import Finding, SecondOpinion, in_words
from evosdc.calls.verdict import compared
from evosdc.errors import FaultCollector, ParameterError
from evosdc.model import Estimate, Estimated, Fitted, Judge, Measure, Microdata
from evosdc.plugins.registry import Registry
from evosdc.printing import NO_TIME
from evosdc.secret import Purpose, stream
from evosdc.specs import MeasureSpec
from evosdc.table.row_positions import moved_sentences, position_sentences, told_by_position
from evosdc.table.table import Table
from evosdc.time_limit import DeadlineOver, check_time, time_limited

_LOG = logging.getLogger("evosdc.judges")

FIRST_TURN = 2.0
"""How many times an equal share of the time left a judge may take at first. Most need less; who needs more is asked
once more when all have had their turn, so that one that takes long does not leave the quick ones without time."""

MOST_OF_TIME = 0.5
"""Share of the time left that a judge may take then, while others wait."""

_PERMUTATION = 1 << 16
"""Address of the permutation, apart from the draws of judges."""


def judged(
    original: Table,
    masked: Table,
    protect: Sequence[str] | None = None,
    *,
    registry: Registry,
    judges: Sequence[str] | None = None,
    claimed: float | Mapping[str, float] | None = None,
    seed: int = 1,
    answered: Callable[[int, int], None] | None = None,
) -> SecondOpinion:
    """Return a second opinion on a masked file.

    Every judge is asked about the masked file, about the original, and about the masked file with its records in random
    order, which is chance. Judges of what an intruder knows are asked about the attributes that are not sensitive,
    where there are such; the others about all.

    Parameters
    ----------
    original, masked : Table
        Record r of both is the same respondent; the masked one may lack attributes that are not judged.
    protect : sequence of str, optional
        What was masked; by default the quasi-identifiers, and whatever else differs.
    registry : Registry
    judges : sequence of str, optional
        Measures to ask; by default those that plugins offer as judges. Of a file with labels wider than the original's
        those that read such labels; judges of what another column tells only where that column is published.
    claimed : float or mapping of str to float, optional
        The risk that is claimed, in per cent: of linkages, and of guesses too where a masked attribute is sensitive or
        none is a quasi-identifier; or by family (``linkage``, ``guess``). By default what the informed measures say.
    seed : int
        Of all halves and samples.
    answered : callable, optional
        Told before the first judge and after each one how many have answered of how many that are asked. Those that
        had no time, do not apply or fail have not answered. What it raises ends the call.

    Raises
    ------
    InputError
        With the faults of tables, attributes, judges and claim.
    """
    files, claims = {"": masked}, {"": claimed}
    return second_opinions(
        original, files, protect, registry=registry, judges=judges, claimed=claims, seed=seed, answered=answered
    )[""]


def second_opinions(
    original: Table,
    files: Mapping[str, Table],
    protect: Sequence[str] | None = None,
    *,
    registry: Registry,
    judges: Sequence[str] | None = None,
    without: Collection[str] = (),
    claimed: Mapping[str, float | Mapping[str, float] | Claims | None] | None = None,
    seed: int = 1,
    answered: Callable[[int, int], None] | None = None,
    in_order: bool = True,
    until: Callable[[], float | None] = lambda: None,
) -> dict[str, SecondOpinion]:
    """Return a second opinion on each of several maskings of one file, on the same halves and samples.

    Parameters
    ----------
    original : Table
    files : mapping of str to Table
        At least one masked file, by any names.
    protect : sequence of str, optional
        As of `judged`; by default what differs in the first file.
    registry, judges, seed, answered
        As of `judged`.
    without : collection of str
        Judges that are not asked by default: those that a search used as measures.
    claimed : mapping, optional
        The claim of each file by its name; those left out, and families that `Claims` leave out, are measured.
    in_order : bool
        Whether files are published in the order of the original, which may tell what was masked.
    until : callable, optional
        Returns the seconds that are left for judges, None for no limit. Those that have not answered by then are named
        as not asked.

    Raises
    ------
    InputError
        As `judged`.
    """
    collect = FaultCollector()
    specs: dict[str, MeasureSpec] = {}
    built: dict[str, Measure] = {}
    claimed = claimed or {}
    usual = [name for name in registry.defaults("measure", "judge") if name not in without]
    for name in usual if judges is None else dict.fromkeys(judges):
        with collect.step():
            spec = registry.spec("measure", name)
            assert isinstance(spec, MeasureSpec)
            specs[name] = spec
            is_judge = issubclass(registry.implementation("measure", name), Judge)
            built[name] = registry.build("measure", name, {"seed": seed} if is_judge else {})
    for claim in claimed.values():
        with collect.step():
            require_claim(claim)
    sides: dict[str, Sides] = {}
    with collect.step():
        names = masked_attributes(original, next(iter(files.values())), protect)
        order = stream(seed, Purpose.JUDGE, _PERMUTATION).permutation(len(original)).astype(np.intp)
        Microdata(original, names)
        for label, masked in files.items():
            sides[label] = sides_of(original, masked, names, order)
    collect.settle()
    if judges is None:
        built = {name: measure for name, measure in built.items() if all(_usual(measure, s) for s in sides.values())}
    claims = {label: claims_on(side, claimed.get(label), registry) for label, side in sides.items()}
    answers: dict[str, dict[str, Finding]] = {}
    lacking: dict[str, str] = {}
    tell = answered or (lambda done, total: None)
    turns = deque((name, False) for name in built)
    while turns:
        name, again = turns.popleft()
        tell(len(answers), len(built))
        try:
            for side in sides.values():
                require_readable(specs[name], built[name], side)
            with time_limited(_share(until(), len(turns) + 1, again), DeadlineOver):
                asked = _asked(specs[name], built[name], next(iter(sides.values())))
                found = {}
                for label, side in sides.items():
                    check_time()
                    found[label] = _finding(asked, side, claims[label].values)
        except DeadlineOver:
            if again:
                lacking[name] = NO_TIME
            else:
                turns.append((name, True))
        except ParameterError as error:
            lacking[name] = "; ".join(f"given {fault.given}; wanted {fault.wanted}" for fault in error.faults)
        except Exception as error:
            # A signal that asked to end may have come to libraries, which raise something else for it.
            tell(len(answers), len(built))
            # Any plugin may offer a judge, and a search does not end without a result for one that fails. A text of
            # an unknown error might hold values of records.
            _LOG.warning("judge %s failed", name, exc_info=True)
            lacking[name] = f"it failed with {type(error).__name__}"
        else:
            answers[name] = found
    tell(len(answers), len(built))
    named = [name for name in built if name in answers]
    alarms = {
        label: [answers[name][label].words for name in named if _alarming(built[name], answers[name][label])]
        for label in files
    }
    ordered = position_sentences(told_by_position(original, names)) if in_order else []
    return {
        label: SecondOpinion(
            tuple(sorted((answers[name][label] for name in named), key=lambda finding: finding.kind != "dr")),
            claims[label].values,
            claims[label].by,
            {name: lacking[name] for name in built if name in lacking},
            (*moved_sentences(original, files[label]), *_exchanged(original, side), *alarms[label], *ordered),
            names,
            side.known,
            side.wanted,
            len(original),
            seed,
        )
        for label, side in sides.items()
    }


def _share(left: float | None, judges: int, again: bool) -> float | None:
    """Return the seconds that the next of so many turns may take."""
    if left is None or judges == 1:
        return left
    return left * (MOST_OF_TIME if again else min(1.0, FIRST_TURN / judges))


def _usual(measure: Measure, sides: Sides) -> bool:
    """Whether a judge has something to say of a file that no other one says.

    Those who know another column have where it is published; those that read wider labels where there are any.
    """
    known = measure.auxiliary_names()
    return sides.published.issuperset(known) and (bool(known) or sides.wide or not measure.generalised)


def _exchanged(original: Table, sides: Sides) -> list[str]:
    """Return sentences on exchanged labels, which only a file in the original's categories can have."""
    return [] if sides.wide else [*map(str, exchanged_labels(original.select(sides.attributes), sides.masked))]


def _alarming(measure: Measure, finding: Finding) -> bool:
    """Whether a judge's figure is one to be warned of: of some people, and a good share of the original's."""
    share = measure.warns_from if isinstance(measure, Judge) else None
    masked, original = finding.masked.value, finding.original.value
    return share is not None and masked >= 1.0 and masked >= share * original


@dataclass(frozen=True)
class _Asked:
    """A judge that knows the original, and what it says of it."""

    spec: MeasureSpec
    judge: Judge | None
    names: tuple[str, ...]
    fitted: Fitted
    original: Estimate


def _asked(spec: MeasureSpec, measure: Measure, sides: Sides) -> _Asked:
    judge = measure if isinstance(measure, Judge) else None
    names = sides.known if judge is not None and judge.known else sides.attributes
    measure.require_support(sides.original.select(names), f"measure {spec.name}")
    fitted = measure.fit_in(Microdata(sides.original, names))
    return _Asked(spec, judge, names, fitted, _cut(_estimate(fitted, sides.original.select(names)), spec.range))


def _finding(asked: _Asked, sides: Sides, claims: Mapping[str, float]) -> Finding:
    spec, judge, original = asked.spec, asked.judge, asked.original
    masked, chance = (
        _cut(_estimate(asked.fitted, table.select(asked.names)), spec.range) for table in (sides.masked, sides.chance)
    )
    sentence = judge.sentence if judge is not None else ""
    words = in_words(sentence or f"{spec.summary} {{masked}}; {{chance}} by chance.", masked, original, chance)
    does = judge.does if judge is not None else ""
    claim = claims.get(spec.family) if does else None
    times, exceeds = compared(masked, chance, claim) if claim is not None else (None, False)
    intruder = judge.intruder if judge is not None else ""
    return Finding(
        spec.name, spec.kind, spec.family, masked, original, chance, claim, times, exceeds, intruder, does, words
    )


def _estimate(fitted: Fitted, table: Table) -> Estimate:
    return fitted.estimate(table) if isinstance(fitted, Estimated) else Estimate.exact(float(fitted.score(table)))


def _cut(estimate: Estimate, range_: tuple[float, float]) -> Estimate:
    """Return an estimate within a measure's range."""
    least, greatest = range_
    value, low, high = (min(max(part, least), greatest) for part in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high)
