"""A second opinion on a masked file: independent attacks, unknown to the optimiser, check the claimed risk."""

import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from evosdc.assess.changes import exchanged_labels
from evosdc.assess.risk import population_description
from evosdc.errors import DataError, Fault, FaultCollector, ParameterError
from evosdc.files.reading import read_source
from evosdc.model import EarlierRelease, Estimate, Estimated, Fitted, Judge, Measure, Microdata
from evosdc.plugins.registry import Registry
from evosdc.printing import NO_TIME
from evosdc.secret import Purpose, stream
from evosdc.specs import MeasureSpec, Spec
from evosdc.table.alignment import align_codes, has_labels_of_its_own, recode_like, restrict_to
from evosdc.table.row_positions import moved_sentences, position_sentences, told_by_position
from evosdc.table.schema import Role
from evosdc.table.table import MISSING, Rows, Table
from evosdc.time_limit import DeadlineOver, check_time, time_limited

ALLOWED = 1.25
"""How many times the claimed risk a judge may measure: an honest search overfits its measures a little."""

NEARLY = 0.9
"""Share of the original's risk from which a file protects next to nothing."""

NEEDED = 2
"""Judges of each family whose risk is claimed that have to answer before the claim is confirmed: the first that plugins
name. They are asked first."""


@dataclass(frozen=True)
class Confirmation:
    """Whether a claim holds.

    Parameters
    ----------
    holds : bool or None
        None where there is no claim, no judge to compare with it, or one that is needed has not answered yet.
    sentence : str
    """

    holds: bool | None
    sentence: str


def compared(masked: Estimate, chance: Estimate, claim: float) -> tuple[float | None, bool]:
    """Return how many times the claim a risk is, and whether it is above 1.25 times it beyond its error.

    Chance is what anybody reaches without the file, so a claim below it is taken as chance. None where both are 0.
    """
    floor = max(claim, chance.value)
    return masked.value / floor if floor > 0.0 else None, masked.low > ALLOWED * floor


def confirmation_of(
    findings: "Sequence[Finding]",
    claims: Mapping[str, float],
    claimed_by: Mapping[str, str],
    waiting: Sequence[str] = (),
) -> Confirmation:
    """Return whether claims hold, with the worst of the judges that contradict them.

    `waiting` are judges that are needed to confirm the claims, and have not answered yet.
    """
    counted = [finding for finding in findings if finding.claim is not None]
    broken = sorted((f for f in counted if f.exceeds), key=lambda f: (f.times is not None, -(f.times or 0.0)))
    if broken:
        return Confirmation(False, f"Does not hold: {'; '.join(map(_contradiction, broken))}.")
    if waiting:
        return Confirmation(None, f"Not yet checked: {', '.join(waiting)} had no time to answer.")
    if not findings:
        return Confirmation(None, "Not checked: no judge has answered.")
    if not counted:
        return Confirmation(None, "Not checked: no judge measures a risk that is claimed.")
    said = ", ".join(f"{name} {value:.3g} % by {claimed_by[name]}" for name, value in claims.items())
    sentence = f"Holds: no judge measures more than {ALLOWED:g} times the risk claimed ({said})."
    return Confirmation(True, " ".join([sentence, *_unprotected(counted)]))


def _unprotected(findings: "Sequence[Finding]") -> list[str]:
    """Return a warning where some risk is nearly that of the original: an honest claim is no protection."""
    high = [
        f for f in findings if f.masked.value >= NEARLY * f.original.value and f.original.value > 2.0 * f.chance.value
    ]
    if not high:
        return []
    worst = max(high, key=lambda f: f.masked.value)
    against = f"{shown(worst.masked)} % against {worst.original.value:.3g} %"
    return [f"Yet an intruder who {worst.intruder} {worst.does} nearly as many as without any masking ({against})."]


def _contradiction(finding: "Finding") -> str:
    against = f"{shown(finding.masked)} % against {finding.claim:.3g} %"
    chance = finding.chance.value
    if finding.times is None:
        return f"an intruder who {finding.intruder} {finding.does} some where none is claimed ({against})"
    many = f"{finding.times:.1f} times as many as claimed"
    if finding.claim is not None and finding.claim < chance:
        against = f"{shown(finding.masked)} % against {chance:.3g} % and {finding.claim:.3g} %"
        many = f"{finding.times:.1f} times as many as by chance, which is more than claimed"
    return f"an intruder who {finding.intruder} {finding.does} {many} ({against})"


def shown(estimate: Estimate) -> str:
    """Return a figure with its standard error, where it has one: ``12.3 ± 0.4``."""
    if estimate.high == estimate.low:
        return f"{estimate.value:.3g}"
    return f"{estimate.value:.1f} ± {estimate.error:.1f}"


@dataclass(frozen=True)
class Finding:
    """What one judge says.

    Parameters
    ----------
    judge : str
        Registered name.
    kind, family : str
        As in the judge's spec.
    masked : Estimate
        Of the masked file, cut to the judge's range.
    original, chance : Estimate
        Of the original itself, and of the masked file with its records in random order.
    claim : float or None
        The risk that it is compared with; None where it is no such risk.
    times : float or None
        The masked file's figure over the claim, or over chance where that is greater; None without a claim, and where
        both are 0.
    exceeds : bool
        Whether the figure is above 1.25 times these beyond its error.
    intruder, does : str
        See `evosdc.model.Judge`.
    words : str
        What it means.
    details : mapping of str to float
        Figures that stand beside it: of the people worst off, of members and others.
    """

    judge: str
    kind: str
    family: str
    masked: Estimate
    original: Estimate
    chance: Estimate
    claim: float | None
    times: float | None
    exceeds: bool
    intruder: str
    does: str
    words: str
    details: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON has it."""
        masked = self.masked
        return {
            "value": masked.value,
            "low": masked.low,
            "high": masked.high,
            "error": masked.error,
            "original": self.original.value,
            "chance": self.chance.value,
            "claim": self.claim,
            "times": self.times,
            "exceeds": self.exceeds,
            "kind": self.kind,
            "family": self.family,
            "intruder": self.intruder,
            "does": self.does,
            "words": self.words,
            **({"details": dict(self.details)} if self.details else {}),
        }

    @classmethod
    def of(cls, judge: str, stored: Mapping[str, Any]) -> Self:
        """Return a finding that `to_json` has stored."""
        masked = Estimate(stored["value"], stored["low"], stored["high"])
        original, chance = (Estimate.exact(stored[key]) for key in ("original", "chance"))
        kept = {
            key: stored[key] for key in ("kind", "family", "claim", "times", "exceeds", "intruder", "does", "words")
        }
        kept["details"] = stored.get("details", {})
        return cls(judge=judge, masked=masked, original=original, chance=chance, **kept)


@dataclass(frozen=True)
class SecondOpinion:
    """What all judges say of a masked file.

    Parameters
    ----------
    findings : tuple of Finding
        Risks first.
    claims : mapping of str to float
        The claimed risk by family of judges (linkage, guess), in per cent.
    claimed_by : mapping of str to str
        Where each claim comes from: a registered measure, or "the claim given".
    not_applicable : mapping of str to str
        Why other judges have nothing to say.
    warnings : tuple of str
        What has to be known before the file is used.
    attributes, known, wanted : tuple of str
        What was judged; of these, what an intruder is taken to know, and what he wants to learn.
    records, seed : int
    identity : mapping or None
        Of `evosdc.assess.verdict.identity_of`; None where nobody asked, or it cannot be said.
    waiting : tuple of str
        Judges that are needed to confirm the claims (`NEEDED`), and have not answered yet.
    """

    findings: tuple[Finding, ...]
    claims: Mapping[str, float]
    claimed_by: Mapping[str, str]
    not_applicable: Mapping[str, str]
    warnings: tuple[str, ...]
    attributes: tuple[str, ...]
    known: tuple[str, ...]
    wanted: tuple[str, ...]
    records: int
    seed: int
    identity: Mapping[str, Any] | None = None
    waiting: tuple[str, ...] = ()

    @property
    def verdict(self) -> Confirmation:
        """Whether the claim holds, and the sentence that says so."""
        return confirmation_of(self.findings, self.claims, self.claimed_by, self.waiting)

    @property
    def unasked(self) -> int:
        """How many judges that apply have had no time to answer."""
        return [*self.not_applicable.values()].count(NO_TIME)

    def joined(self, earlier: Mapping[str, Any]) -> "SecondOpinion":
        """Return this opinion with the findings of an earlier one, as `to_json` stored it, of judges not asked now."""
        own = {finding.judge for finding in self.findings} | self.not_applicable.keys()
        kept = [Finding.of(name, stored) for name, stored in earlier["judges"].items() if name not in own]
        lacking = {name: why for name, why in earlier["not_applicable"].items() if name not in own}
        return replace(
            self,
            findings=tuple(sorted((*kept, *self.findings), key=lambda finding: finding.kind != "dr")),
            not_applicable=lacking | dict(self.not_applicable),
            warnings=tuple(dict.fromkeys((*earlier["warnings"], *self.warnings))),
        )

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON has it; `holds` is null where there is no claim to compare with."""
        verdict = self.verdict
        return {
            "holds": verdict.holds,
            "verdict": verdict.sentence,
            "claims": dict(self.claims),
            "claimed_by": dict(self.claimed_by),
            "judges": {finding.judge: finding.to_json() for finding in self.findings},
            "not_applicable": dict(self.not_applicable),
            "warnings": list(self.warnings),
            "attributes": list(self.attributes),
            "known": list(self.known),
            "wanted": list(self.wanted),
            "records": self.records,
            "seed": self.seed,
            "asked": len(self.findings) + self.unasked,
            "answered": len(self.findings),
            **({} if self.identity is None else {"identity": dict(self.identity)}),
        }


def in_words(sentence: str, masked: Estimate, original: Estimate, chance: Estimate) -> str:
    """Return a judge's sentence with its figures."""
    return sentence.format(masked=shown(masked), original=f"{original.value:.3g}", chance=f"{chance.value:.3g}")


@dataclass(frozen=True)
class Sides:
    """The two files, and which attributes are judged in which way.

    Parameters
    ----------
    original : Table
        All attributes.
    masked, chance : Table
        The judged attributes of the published file, and these with their records in random order.
    attributes : tuple of str
        What is judged.
    published : frozenset of str
        All that the published file tells.
    wide : bool
        Whether it has labels that the original has not, and is therefore in a coding of its own.
    """

    original: Table
    masked: Table
    chance: Table
    attributes: tuple[str, ...]
    published: frozenset[str]
    wide: bool

    @property
    def known(self) -> tuple[str, ...]:
        """What an intruder is taken to know: all but sensitive attributes, where there are others."""
        schema = self.original.schema
        return tuple(n for n in self.attributes if schema[n].role is not Role.SENSITIVE) or self.attributes

    @property
    def wanted(self) -> tuple[str, ...]:
        """What an intruder wants to learn: the sensitive attributes, where there are any."""
        schema = self.original.schema
        return tuple(n for n in self.attributes if schema[n].role is Role.SENSITIVE) or self.attributes

    @property
    def harmful(self) -> bool:
        """Whether to guess what is wanted is a harm: quasi-identifiers are known to the intruder already."""
        roles = {self.original.schema[name].role for name in self.attributes}
        return Role.SENSITIVE in roles or Role.QUASI_IDENTIFIER not in roles


def sides_of(original: Table, masked: Table, attributes: tuple[str, ...], order: Rows) -> Sides:
    """Return what judges compare; `order` is that of chance.

    Raises
    ------
    DataError
        The published file has other records in number, lacks an attribute or has another scale.
    """
    before = original.select(attributes)
    published = restrict_to(before, masked)
    wide = has_labels_of_its_own(before, published)
    if not wide:
        published = align_codes(before, published)
    return Sides(original, published, published.take(order), attributes, frozenset(masked.schema.names), wide)


def require_readable(spec: Spec, measure: Measure, sides: Sides) -> None:
    """Check that a judge reads a file's labels, and that the file has what it knows besides.

    Raises
    ------
    ParameterError
        It does not, or has not.
    """
    if sides.wide and not measure.generalised:
        raise ParameterError(Fault(spec.name, "labels wider than the original's", "the original's own categories"))
    lacking = [name for name in measure.auxiliary_names() if name not in sides.published]
    if lacking:
        raise ParameterError(Fault(spec.name, f"a file without {', '.join(lacking)}", "one that publishes it"))


def masked_attributes(original: Table, masked: Table, protect: Sequence[str] | None) -> tuple[str, ...]:
    """Return what was masked: the named attributes, else quasi-identifiers and all others that differ.

    Raises
    ------
    SchemaError
        A named attribute is not in the original.
    DataError
        The files have other records in number, an identifier is named, or nothing was masked.
    """
    schema = original.schema
    if protect is not None:
        schema.require(protect, "protect")
        identifiers = [name for name in protect if not schema[name].role.published]
        if identifiers:
            wanted = "attributes that are published"
            raise DataError(Fault("protect", f"{', '.join(identifiers)}, an identifier", wanted))
        chosen = tuple(dict.fromkeys(protect))
    else:
        common = [a.name for a in schema.attributes if a.role.published and a.name in masked.schema]
        chosen = tuple(
            name for name in common if schema[name].role is Role.QUASI_IDENTIFIER or _differs(original, masked, name)
        )
    if not chosen:
        advice = "Name what was masked with --protect, or give it the role quasi-identifier."
        raise DataError(Fault("protect", "two files that do not differ", "at least one masked attribute", advice))
    return chosen


def _differs(original: Table, masked: Table, name: str) -> bool:
    before = original.select([name])
    if has_labels_of_its_own(before, masked):
        return True
    after = align_codes(before, masked)
    return not np.array_equal(before.column(name), after.column(name), equal_nan=not original.schema[name].categorical)


def other_people(path: Path, original: Table) -> Table:
    """Return people of the same population who are not in a file, in the coding of the original.

    A category that the original has not is read as missing: a learner on the file knows nothing of it.

    Parameters
    ----------
    path : Path
        A file with the attributes of the original, but for those that are left out of a published file.
    original : Table

    Raises
    ------
    InputError
        It cannot be read, lacks attributes or has them on another scale.
    """
    schema = original.schema
    names = [a.name for a in schema.attributes if a.role.published]
    found = read_source(path, population_description(schema, names)).table
    coded = recode_like(found, schema, names)
    part = original.schema.select(names)
    sizes = np.array([len(a.categories) for a in part.categorical], dtype=np.int32)
    codes = np.where(coded.codes >= sizes, MISSING, coded.codes).astype(np.int32)
    return Table(part, codes, coded.numbers)


GIVEN = "the claim given"
"""Where a claim comes from that was not measured."""


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


def require_claim(claimed: float | Mapping[str, float] | Claims | None) -> None:
    """Check that claimed risks are percentages.

    Raises
    ------
    ParameterError
        One is not, with all that are not.
    """
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


def claims_on(sides: Sides, claimed: float | Mapping[str, float] | Claims | None, registry: Registry) -> Claims:
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
            require_readable(registry.spec("measure", name), measure, sides)
            measure.require_support(sides.original.select(names), f"measure {name}")
            fitted = measure.fit_in(Microdata(sides.original, names))
            score = float(fitted.score(sides.masked.select(names)))
        except ParameterError:
            continue  # cannot read files of this kind: it claims nothing
        if score >= claims.get(family, -1.0):
            claims[family], claimed_by[family] = score, name
    return Claims(claims, claimed_by)


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
    others: Table | None = None,
    earlier: tuple[EarlierRelease, ...] = (),
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
    others : Table, optional
        People of the same population who are not in the files, with all attributes of the original in its coding. Then
        judges that compare with them are asked too, and they are the chance of the others that can say it.
    earlier : tuple of EarlierRelease
        Files of the same people that are out already. Judges of all releases together are asked too.

    Raises
    ------
    InputError
        As `judged`.
    """
    collect = FaultCollector()
    specs: dict[str, MeasureSpec] = {}
    built: dict[str, Measure] = {}
    claimed = claimed or {}
    together = registry.defaults("measure", "history") if earlier else ()
    occasions = ("judge",) if others is None else ("judge", "members")
    usual = [name for occasion in occasions for name in registry.defaults("measure", occasion) if name not in without]
    for name in dict.fromkeys((*together, *(usual if judges is None else judges))):
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
        built = {
            name: measure
            for name, measure in built.items()
            if name in together or all(_usual(measure, s) for s in sides.values())
        }
    claims = {label: claims_on(side, claimed.get(label), registry) for label, side in sides.items()}
    answers: dict[str, dict[str, Finding]] = {}
    lacking: dict[str, str] = {}
    tell = answered or (lambda done, total: None)
    needed = _needed(specs, built, [family for one in claims.values() for family in one.values])
    turns = deque((name, False) for name in (*needed, *(name for name in built if name not in needed)))
    while turns:
        name, again = turns.popleft()
        tell(len(answers), len(built))
        try:
            for side in sides.values():
                require_readable(specs[name], built[name], side)
            # Those that are needed share all the time that is left; the others what these leave.
            sharing = sum(other in needed for other, _ in turns) if name in needed else len(turns)
            with time_limited(_share(until(), sharing + 1, again), DeadlineOver):
                asked = _asked(specs[name], built[name], next(iter(sides.values())), others, earlier)
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
            waiting=tuple(name for name in needed if lacking.get(name) == NO_TIME),
        )
        for label, side in sides.items()
    }


def _needed(specs: Mapping[str, MeasureSpec], built: Mapping[str, Measure], claimed: Sequence[str]) -> list[str]:
    """Return the judges that have to answer before claims of some families are confirmed."""
    by_family = {family: [name for name in built if specs[name].family == family] for family in dict.fromkeys(claimed)}
    return [name for names in by_family.values() for name in names[:NEEDED]]


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


def _asked(
    spec: MeasureSpec, measure: Measure, sides: Sides, others: Table | None, earlier: tuple[EarlierRelease, ...]
) -> _Asked:
    judge = measure if isinstance(measure, Judge) else None
    names = sides.known if judge is not None and judge.known else sides.attributes
    measure.require_support(sides.original.select(names), f"measure {spec.name}")
    fitted = measure.fit_in(Microdata(sides.original, names, others=others, earlier=earlier))
    return _Asked(spec, judge, names, fitted, _cut(_estimate(fitted, sides.original.select(names)), spec.range))


def _finding(asked: _Asked, sides: Sides, claims: Mapping[str, float]) -> Finding:
    spec, judge, original = asked.spec, asked.judge, asked.original
    published, details = sides.masked.select(asked.names), dict[str, float]()
    if isinstance(asked.fitted, Estimated):
        found, more = asked.fitted.details(published)
        masked, details = _cut(found, spec.range), dict(more)
    else:
        masked = _cut(_estimate(asked.fitted, published), spec.range)
    chance = _cut(_chance(asked, sides), spec.range)
    sentence = judge.sentence if judge is not None else ""
    words = in_words(sentence or f"{spec.summary} {{masked}}; {{chance}} by chance.", masked, original, chance)
    does = judge.does if judge is not None else ""
    claim = claims.get(spec.family) if does else None
    times, exceeds = compared(masked, chance, claim) if claim is not None else (None, False)
    intruder = judge.intruder if judge is not None else ""
    return Finding(
        spec.name,
        spec.kind,
        spec.family,
        masked,
        original,
        chance,
        claim,
        times,
        exceeds,
        intruder,
        does,
        words,
        details,
    )


def _chance(asked: _Asked, sides: Sides) -> Estimate:
    """Return what a judge finds by chance: of people who are not in the file, else with its records in random order."""
    if asked.judge is not None and asked.judge.chance is not None:
        return Estimate.exact(asked.judge.chance)
    if isinstance(asked.fitted, Estimated):
        others = asked.fitted.of_others(sides.masked.select(asked.names))
        if others is not None:
            return others
    return _estimate(asked.fitted, sides.chance.select(asked.names))


def _estimate(fitted: Fitted, table: Table) -> Estimate:
    return fitted.estimate(table) if isinstance(fitted, Estimated) else Estimate.exact(float(fitted.score(table)))


def _cut(estimate: Estimate, range_: tuple[float, float]) -> Estimate:
    """Return an estimate within a measure's range."""
    least, greatest = range_
    value, low, high = (min(max(part, least), greatest) for part in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high)
