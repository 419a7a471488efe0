"""Asking judges for a second opinion on a masked file."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evosdc.calls.exchanged_labels import exchanged_labels
from evosdc.calls.judged_files import Sides, masked_attributes
from evosdc.calls.second_opinion import Finding, SecondOpinion, in_words
from evosdc.calls.verdict import compared
from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Estimate, Estimated, Fitted, Judge, Measure, Microdata
from evosdc.plugins.registry import Registry
from evosdc.seeds import Purpose, stream
from evosdc.specs import MeasureSpec
from evosdc.table.alignment import align_codes
from evosdc.table.row_positions import position_sentences, told_by_position
from evosdc.table.table import Table

_LOG = logging.getLogger("evosdc.judges")

GIVEN = "the claim given"
"""Where a claim comes from that was not measured."""

_PERMUTATION = 1 << 16
"""Address of the permutation, apart from the draws of judges."""


@dataclass(frozen=True)
class Claims:
    """Risks that a search claims, by family of judges, and the measures that say so.

    Parameters
    ----------
    values : mapping of str to float
        In per cent; families that it leaves out are measured.
    by : mapping of str to str
    """

    values: Mapping[str, float]
    by: Mapping[str, str]

    def of(self, families: Sequence[str]) -> "Claims":
        """Return the claims of some families."""
        kept = [family for family in self.values if family in families]
        return Claims({f: self.values[f] for f in kept}, {f: self.by[f] for f in kept})


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
        Measures to ask; by default those that plugins offer as judges. A search's own measures can be left out.
    claimed : float or mapping of str to float, optional
        The risk that is claimed, in per cent: of linkages, and of guesses too where a masked attribute is sensitive or
        none is a quasi-identifier; or by family (``linkage``, ``guess``). By default what the informed measures say.
    seed : int
        Of all halves and samples.
    answered : callable, optional
        Told before the first judge and after each one how many of how many have answered. What it raises ends the call.

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
    claimed: Mapping[str, float | Mapping[str, float] | Claims | None] | None = None,
    seed: int = 1,
    answered: Callable[[int, int], None] | None = None,
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
    claimed : mapping, optional
        The claim of each file by its name; those left out, and families that `Claims` leave out, are measured.

    Raises
    ------
    InputError
        As `judged`.
    """
    collect = FaultCollector()
    specs: dict[str, MeasureSpec] = {}
    built: dict[str, Measure] = {}
    claimed = claimed or {}
    for name in registry.defaults("measure", "judge") if judges is None else dict.fromkeys(judges):
        with collect.step():
            spec = registry.spec("measure", name)
            assert isinstance(spec, MeasureSpec)
            specs[name] = spec
            is_judge = issubclass(registry.implementation("measure", name), Judge)
            built[name] = registry.build("measure", name, {"seed": seed} if is_judge else {})
    for claim in claimed.values():
        with collect.step():
            _require_claim(claim)
    sides: dict[str, Sides] = {}
    with collect.step():
        names = masked_attributes(original, next(iter(files.values())), protect)
        order = stream(seed, Purpose.JUDGE, _PERMUTATION).permutation(len(original)).astype(np.intp)
        Microdata(original, names)
        for label, masked in files.items():
            published = align_codes(original.select(names), masked)
            sides[label] = Sides(original, published, published.take(order), names)
    collect.settle()
    claims = {label: _claims(side, claimed.get(label), registry) for label, side in sides.items()}
    findings: dict[str, list[Finding]] = {label: [] for label in files}
    alarms: dict[str, list[str]] = {label: [] for label in files}
    lacking: dict[str, str] = {}
    tell = answered or (lambda done, total: None)
    for done, (name, measure) in enumerate(built.items()):
        tell(done, len(built))
        try:
            asked = _asked(specs[name], measure, next(iter(sides.values())))
            found = {label: _finding(asked, side, claims[label].values) for label, side in sides.items()}
        except ParameterError as error:
            lacking[name] = "; ".join(f"given {fault.given}; wanted {fault.wanted}" for fault in error.faults)
        except Exception as error:
            # A signal that asked to end may have come to libraries, which raise something else for it.
            tell(done, len(built))
            # Any plugin may offer a judge, and a search does not end without a result for one that fails. A text of
            # an unknown error might hold values of records.
            _LOG.warning("judge %s failed", name, exc_info=True)
            lacking[name] = f"it failed with {type(error).__name__}"
        else:
            for label, finding in found.items():
                findings[label].append(finding)
                if _alarming(measure, finding):
                    alarms[label].append(finding.words)
    tell(len(built), len(built))
    ordered = position_sentences(told_by_position(original, names))
    return {
        label: SecondOpinion(
            tuple(sorted(findings[label], key=lambda finding: finding.kind != "dr")),
            claims[label].values,
            claims[label].by,
            lacking,
            (*map(str, exchanged_labels(original.select(names), side.masked)), *alarms[label], *ordered),
            names,
            side.known,
            side.wanted,
            len(original),
            seed,
        )
        for label, side in sides.items()
    }


def _alarming(measure: Measure, finding: Finding) -> bool:
    """Whether a judge's figure is one to be warned of: of some people, and a good share of the original's."""
    share = measure.warns_from if isinstance(measure, Judge) else None
    masked, original = finding.masked.value, finding.original.value
    return share is not None and masked >= 1.0 and masked >= share * original


def _require_claim(claimed: float | Mapping[str, float] | Claims | None) -> None:
    if isinstance(claimed, Claims):
        return
    values = claimed if isinstance(claimed, Mapping) else {} if claimed is None else {"": claimed}
    faults = [
        Fault(f"claimed {family}".strip(), repr(value), "a risk in per cent, from 0 to 100")
        for family, value in values.items()
        if isinstance(value, bool) or not 0.0 <= value <= 100.0
    ]
    if faults:
        raise ParameterError(faults)


def _claims(sides: Sides, claimed: float | Mapping[str, float] | Claims | None, registry: Registry) -> Claims:
    """Return the claimed risk by family of judges, and where it comes from."""
    if isinstance(claimed, Mapping):
        return Claims({family: float(value) for family, value in claimed.items()}, dict.fromkeys(claimed, GIVEN))
    families = ["linkage", *(["guess"] if sides.harmful else [])]
    if isinstance(claimed, float | int):
        return Claims(dict.fromkeys(families, float(claimed)), dict.fromkeys(families, GIVEN))
    given = claimed.of(families) if claimed is not None else Claims({}, {})
    claims, claimed_by = dict(given.values), dict(given.by)
    open_families = [family for family in families if family not in claims]
    asked = [(name, "linkage", sides.known) for name in registry.defaults("measure", "identity")]
    asked += [(name, "guess", sides.wanted) for name in registry.defaults("measure", "inference")]
    for name, family, names in asked:
        if family not in open_families:
            continue
        try:
            measure = registry.build("measure", name, {})
            measure.require_support(sides.original.select(names), f"measure {name}")
            fitted = measure.fit_in(Microdata(sides.original, names))
            score = float(fitted.score(sides.masked.select(names)))
        except ParameterError:
            continue  # cannot read files of this kind: it claims nothing
        if score >= claims.get(family, -1.0):
            claims[family], claimed_by[family] = score, name
    return Claims(claims, claimed_by)


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
