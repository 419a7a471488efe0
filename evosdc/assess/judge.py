"""A second opinion on a masked file: independent attacks, unknown to the optimiser, check the claimed risk."""

import logging
import math
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any, Self

import numpy as np

from evosdc.assess.changes import exchanged_labels
from evosdc.assess.risk import population_description
from evosdc.errors import DataError, Fault, FaultCollector, ParameterError
from evosdc.files.source import read_source
from evosdc.model import EarlierRelease, Estimate, Estimated, Fitted, Judge, Measure, Microdata
from evosdc.plugins.registry import Registry
from evosdc.printing import NO_TIME
from evosdc.secret import Purpose, stream
from evosdc.specs import MeasureSpec, Spec
from evosdc.table.alignment import align_codes, has_labels_of_its_own, recode_like, restrict_to
from evosdc.table.row_positions import disclosed_by_order, moved_sentences, position_sentences
from evosdc.table.schema import Role
from evosdc.table.table import MISSING, Rows, Table
from evosdc.time_limit import DeadlineOver, check_time, time_limited

ALLOWED = 1.25  # how many times the claimed risk a judge may measure: an honest search overfits its measures a little
NEARLY = 0.9  # share of the original's risk from which a file protects next to nothing

# Judges of each family with a claimed risk that have to answer before the claim is confirmed. These are the first
# that plugins name, and they run first.
NEEDED = 2


@dataclass(frozen=True)
class Confirmation:
    """Whether a claim holds."""

    # none where there is no claim, no judge to compare with it, or one that is needed has not answered yet
    holds: bool | None
    sentence: str


def compared(masked: Estimate, chance: Estimate, claim: float) -> tuple[float | None, bool]:
    """Return how many times the claim a risk is, and whether it is above 1.25 times it beyond its error."""
    # Chance needs no file, so a claim below chance is raised to it. None where both are 0.
    floor = max(claim, chance.value)
    return masked.value / floor if floor > 0.0 else None, masked.low > ALLOWED * floor


def confirmation_of(
    findings: "Sequence[Finding]",
    claims: Mapping[str, float],
    claimed_by: Mapping[str, str],
    waiting: Sequence[str] = (),
) -> Confirmation:
    """Return whether claims hold, with the worst of the judges that contradict them."""
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
    sentence = f"Holds: no judge contradicts the risk claimed ({said})."
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


_STORED = ("claim", "times", "exceeds", "kind", "family", "intruder", "does", "words")  # of a finding, as it is


@dataclass(frozen=True)
class Finding:
    """The finding of one judge."""

    judge: str  # registered name
    kind: str  # as in the judge's spec
    family: str
    masked: Estimate  # of the masked file, cut to the judge's range
    original: Estimate  # of the original itself, and of the masked file with its records in random order
    chance: Estimate
    claim: float | None  # the risk that it is compared with; None where it is no such risk
    times: float | None  # the masked file's figure over the claim, or over chance where that is greater
    exceeds: bool  # whether the figure is above 1.25 times these beyond its error
    intruder: str  # see `evosdc.model.Judge`
    does: str
    words: str  # what it means
    # figures that stand beside it: of the people worst off, of members and others
    details: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON has it."""
        masked, original, chance = self.masked, self.original.value, self.chance.value
        figures = {"value": masked.value, "low": masked.low, "high": masked.high, "error": masked.error}
        figures |= {"original": original, "chance": chance}
        further = {"details": dict(self.details)} if self.details else {}
        return figures | {name: getattr(self, name) for name in _STORED} | further

    @classmethod
    def of(cls, judge: str, stored: Mapping[str, Any]) -> Self:
        """Return a finding that `to_json` has stored."""
        masked = Estimate(stored["value"], stored["low"], stored["high"])
        original, chance = (Estimate.exact(stored[key]) for key in ("original", "chance"))
        kept = {key: stored[key] for key in _STORED} | {"details": stored.get("details", {})}
        return cls(judge=judge, masked=masked, original=original, chance=chance, **kept)


@dataclass(frozen=True)
class SecondOpinion:
    """The findings of all judges on a masked file."""

    findings: tuple[Finding, ...]  # risks first
    claims: Mapping[str, float]  # the claimed risk by family of judges (linkage, guess), in per cent
    claimed_by: Mapping[str, str]  # where each claim comes from: a registered measure, or "the claim given"
    not_applicable: Mapping[str, str]  # why other judges have nothing to say
    warnings: tuple[str, ...]  # what has to be known before the file is used
    attributes: tuple[str, ...]  # what was judged
    known: tuple[str, ...]
    wanted: tuple[str, ...]
    records: int
    seed: int
    identity: Mapping[str, Any] | None = None  # of `evosdc.assess.verdict.identity_of`
    waiting: tuple[str, ...] = ()  # judges that are needed to confirm the claims (`NEEDED`), and have not answered yet

    @property
    def verdict(self) -> Confirmation:
        """Whether the claim holds, and the sentence that says so."""
        return confirmation_of(self.findings, self.claims, self.claimed_by, self.waiting)

    @property
    def unasked(self) -> int:
        """How many judges that apply have had no time to answer."""
        return [*self.not_applicable.values()].count(NO_TIME)

    def joined(self, earlier: Mapping[str, Any]) -> "SecondOpinion":
        """Return this opinion with findings of judges that did not run now, from an earlier one stored by `to_json`."""
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
        verdict, judges = self.verdict, {finding.judge: finding.to_json() for finding in self.findings}
        own = ("claims", "claimed_by", "not_applicable", "warnings", "attributes", "known", "wanted", "records", "seed")
        plain = {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in own}
        counts = {"asked": len(self.findings) + self.unasked, "answered": len(self.findings)}
        identity = {} if self.identity is None else {"identity": dict(self.identity)}
        return {"holds": verdict.holds, "verdict": verdict.sentence, "judges": judges} | plain | counts | identity


def in_words(sentence: str, masked: Estimate, original: Estimate, chance: Estimate) -> str:
    """Return a judge's sentence with its figures."""
    return sentence.format(masked=shown(masked), original=f"{original.value:.3g}", chance=f"{chance.value:.3g}")


@dataclass(frozen=True)
class Sides:
    """The two files, and the attributes for each kind of judge."""

    original: Table  # all attributes
    masked: Table  # the judged attributes of the published file, and these with their records in random order
    chance: Table
    attributes: tuple[str, ...]  # the judged attributes
    published: frozenset[str]  # all that the published file tells
    wide: bool  # whether it has labels that the original has not, and is therefore in a coding of its own

    @property
    def suppressed(self) -> bool:
        """Whether the published file has fewer values than the original."""
        before, after = self.original.select(self.attributes), self.masked
        return _missing(after) > _missing(before)

    @property
    def known(self) -> tuple[str, ...]:
        """The attributes that an intruder is taken to know: all except sensitive ones, where there are others."""
        schema = self.original.schema
        return tuple(n for n in self.attributes if schema[n].role is not Role.SENSITIVE) or self.attributes

    @property
    def wanted(self) -> tuple[str, ...]:
        """The attributes that an intruder wants to learn: the sensitive ones, where there are any."""
        schema = self.original.schema
        return tuple(n for n in self.attributes if schema[n].role is Role.SENSITIVE) or self.attributes

    @property
    def harmful(self) -> bool:
        """Whether guessing the wanted attributes is a harm: the intruder already knows quasi-identifiers."""
        roles = {self.original.schema[name].role for name in self.attributes}
        return Role.SENSITIVE in roles or Role.QUASI_IDENTIFIER not in roles


def _missing(table: Table) -> int:
    return int((table.codes == MISSING).sum() + np.isnan(table.numbers).sum())


def sides_of(original: Table, masked: Table, attributes: tuple[str, ...], order: Rows) -> Sides:
    """Return the input of judges; `order` is that of chance."""
    before = original.select(attributes)
    published = restrict_to(before, masked)
    wide = has_labels_of_its_own(before, published)
    if not wide:
        published = align_codes(before, published)
    return Sides(original, published, published.take(order), attributes, frozenset(masked.schema.names), wide)


def require_readable(spec: Spec, measure: Measure, sides: Sides) -> None:
    """Check that a judge can read a file's labels, and that the file has the further columns that it uses."""
    if sides.wide and not measure.generalised:
        raise ParameterError(Fault(spec.name, "labels wider than the original's", "the original's own categories"))
    lacking = [name for name in measure.auxiliary_names() if name not in sides.published]
    if lacking:
        raise ParameterError(Fault(spec.name, f"a file without {', '.join(lacking)}", "one that publishes it"))


def masked_attributes(original: Table, masked: Table, protect: Sequence[str] | None) -> tuple[str, ...]:
    """Return the masked attributes: the named ones, else quasi-identifiers and all others that differ."""
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
    """Return people of the same population who are not in a file, in the coding of the original."""
    # A category that the original has not is read as missing: a learner on the file knows nothing of it.
    schema = original.schema
    names = [a.name for a in schema.attributes if a.role.published]
    found = read_source(path, population_description(schema, names)).table
    coded = recode_like(found, schema, names)
    part = original.schema.select(names)
    sizes = np.array([len(a.categories) for a in part.categorical], dtype=np.int32)
    codes = np.where(coded.codes >= sizes, MISSING, coded.codes).astype(np.int32)
    return Table(part, codes, coded.numbers)


GIVEN = "the claim given"  # where a claim comes from that was not measured


@dataclass(frozen=True)
class Claims:
    """Risks that a search claims, by family of judges, and the measures that say so."""

    values: Mapping[str, float]  # in per cent; families that it leaves out are measured
    by: Mapping[str, str]

    def of(self, families: Sequence[str]) -> "Claims":
        """Return the claims of some families."""
        kept = [family for family in self.values if family in families]
        return Claims({f: self.values[f] for f in kept}, {f: self.by[f] for f in kept})


def require_claim(claimed: float | Mapping[str, float] | Claims | None) -> None:
    """Check that claimed risks are percentages."""
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
    candidates = [(name, "linkage", sides.known) for name in registry.defaults("measure", "identity")]
    candidates += [(name, "guess", sides.wanted) for name in registry.defaults("measure", "inference")]
    for name, family, names in candidates:
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

# How many times an equal share of the time left a judge may take at first. Most need less. A judge that needs more runs
# again after all others, so that a slow judge does not leave the quick ones without time.
FIRST_TURN = 2.0

MOST_OF_TIME = 0.5  # share of the time left that a judge may take then, while others wait
_PERMUTATION = 1 << 16  # address of the permutation, apart from the draws of judges


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
    until: Callable[[], float] = lambda: math.inf,
    others: Table | None = None,
    earlier: tuple[EarlierRelease, ...] = (),
    unmasked: bool = True,
) -> dict[str, SecondOpinion]:
    """Return a second opinion on each of several maskings of one file, on the same halves and samples."""
    # Every judge scores the masked file, the original, and the masked file with its records in random order, which is
    # chance. Judges of linkage use the attributes that are not sensitive, where there are such; the others use all.
    # By default the masked attributes are those that differ in the first file, the judges are those that plugins offer
    # except `without`, and the informed measures state the claims. `until` returns the seconds left for judges.
    # `others` are people in no file: with them, judges that compare with them run too. With `earlier` releases, judges
    # of all releases together run. Without `unmasked`, figures of the original are not computed, and count as 0.
    collect = FaultCollector()
    specs: dict[str, MeasureSpec] = {}
    built: dict[str, Measure] = {}
    claimed = claimed or {}
    together = registry.defaults("measure", "history") if earlier else ()
    occasions = ("judge",) if others is None else ("judge", "members")
    offered = [name for occasion in occasions for name in registry.defaults("measure", occasion) if name not in without]
    for name in dict.fromkeys((*together, *(offered if judges is None else judges))):
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
    if judges is None:  # those that say of each file what no other one says

        def usual(measure: Measure) -> bool:
            known = measure.auxiliary_names()
            absent = isinstance(measure, Judge) and measure.suppressions
            plain = bool(known) or not measure.generalised
            reads = [plain or side.wide or (absent and side.suppressed) for side in sides.values()]
            return all(reads) and all(side.published.issuperset(known) for side in sides.values())

        built = {name: measure for name, measure in built.items() if name in together or usual(measure)}
    claims = {label: claims_on(side, claimed.get(label), registry) for label, side in sides.items()}
    answers: dict[str, dict[str, Finding]] = {}
    lacking: dict[str, str] = {}
    tell = answered or (lambda done, total: None)
    needed = _needed(specs, built, [family for one in claims.values() for family in one.values])
    turn_ends = math.inf
    turns = deque((name, False) for name in (*needed, *(name for name in built if name not in needed)))
    while turns:
        name, again = turns.popleft()
        tell(len(answers), len(built))
        try:
            for side in sides.values():
                require_readable(specs[name], built[name], side)
            # Those that are needed share all the time that is left; the others what these leave.
            sharing = sum(other in needed for other, _ in turns) if name in needed else len(turns)
            turn_ends = monotonic() + (seconds := _share(until(), sharing + 1, again))
            with time_limited(seconds, DeadlineOver):
                fitted_judge = _fit(specs[name], built[name], next(iter(sides.values())), others, earlier, unmasked)
                found = {}
                for label, side in sides.items():
                    check_time()
                    found[label] = _finding(fitted_judge, side, claims[label].values)
        except DeadlineOver:
            if again:
                lacking[name] = NO_TIME
            else:
                turns.append((name, True))
        except ParameterError as error:
            lacking[name] = "; ".join(f"given {fault.given}; wanted {fault.wanted}" for fault in error.faults)
        except Exception as error:
            tell(len(answers), len(built))
            if monotonic() >= turn_ends:  # a library that receives the signal to end may raise an error of its own
                lacking[name] = NO_TIME
                continue
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
    ordered = position_sentences(disclosed_by_order(original, names)) if in_order else []
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


OF_OTHERS = "attribution", "replication"  # families of judges that measure chance by people who are not in the file


def members_judges(registry: Registry) -> list[str]:
    """Return the judges that compare people in a file with people who are not in it."""
    offered = registry.defaults("measure", "judge")
    attribution = [name for name in offered if registry.measure(name).family in OF_OTHERS]
    return [*registry.defaults("measure", "members"), *attribution]


def of_members(
    members: Table,
    others: Table,
    published: Table,
    protect: Sequence[str],
    registry: Registry,
    seed: int,
    until: Callable[[], float] = lambda: math.inf,
    judges: Sequence[str] | None = None,
    unmasked: bool = True,
) -> dict[str, Any]:
    """Return what attacks by a file reach of its people and of people who are not in it, JSON-able."""
    found = second_opinions(
        members, {"": published}, protect, registry=registry,
        judges=members_judges(registry) if judges is None else judges, claimed={"": {}}, seed=seed, in_order=False,
        until=until, others=others, unmasked=unmasked,
    )[""].to_json()  # fmt: skip
    sizes = {"members": len(members), "others": len(others)}
    return {"judges": found["judges"], "not_applicable": found["not_applicable"]} | sizes


def mean_of_trials(trials: Sequence[Mapping[str, Any]], registry: Registry) -> dict[str, Any]:
    """Return means of what `of_members` found of several parts of the people, with their errors."""
    # Only the first trial has the figures of the unmasked file.
    # Trials are taken for independent. Of 500 people the error of the mean fell as the root of their number.
    judges = {}
    for name in trials[0]["judges"]:
        found = [Finding.of(name, one["judges"][name]) for one in trials if name in one["judges"]]
        masked, (original, chance) = _mean_of([one.masked for one in found]), (found[0].original, found[0].chance)
        details: Mapping[str, float] = _mean_details([finding.details for finding in found])
        judge, words = registry.build("measure", name, {}), found[0].words
        if isinstance(judge, Judge):
            masked, details = judge.of_details(details) or (masked, details)
            words = in_words(judge.sentence, masked, original, chance)
        judges[name] = replace(found[0], masked=masked, details=details, words=words).to_json()
    return {**trials[0], "judges": judges, "trials": len(trials)}


LOW = "_low"  # what the name of a detail ends with that is the low end of the interval of another


def _mean_details(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the means of figures by name; errors of several trials add up by their squares."""
    means = {}
    for key in found[0]:
        values = [details[key] for details in found if key in details]
        means[key] = float(np.mean(values))
        if key.endswith(LOW):
            below = [details[key.removesuffix(LOW)] - details[key] for details in found if key in details]
            means[key] += float(np.mean(below)) - math.hypot(*below) / len(below)
    return means


def _mean_of(estimates: Sequence[Estimate]) -> Estimate:
    count = len(estimates)
    error = math.hypot(*(estimate.error for estimate in estimates)) / count
    return Estimate.around(sum(estimate.value for estimate in estimates) / count, error)


def _needed(specs: Mapping[str, MeasureSpec], built: Mapping[str, Measure], claimed: Sequence[str]) -> list[str]:
    """Return the judges that have to answer before claims of some families are confirmed."""
    by_family = {family: [name for name in built if specs[name].family == family] for family in dict.fromkeys(claimed)}
    return [name for names in by_family.values() for name in names[:NEEDED]]


def _share(left: float, judges: int, again: bool) -> float:
    """Return the seconds that the next turn may take."""
    if judges == 1:
        return left
    return left * (MOST_OF_TIME if again else min(1.0, FIRST_TURN / judges))


def _exchanged(original: Table, sides: Sides) -> list[str]:
    """Return sentences on exchanged labels, which only a file in the original's categories can have."""
    return [] if sides.wide else [*map(str, exchanged_labels(original.select(sides.attributes), sides.masked))]


def _alarming(measure: Measure, finding: Finding) -> bool:
    """Whether a judge's figure is one to be warned of: of some people, and a good share of the original's."""
    share = measure.warns_from if isinstance(measure, Judge) else None
    masked, original = finding.masked.value, finding.original.value
    return share is not None and masked >= 1.0 and masked >= share * original


@dataclass(frozen=True)
class _FittedJudge:
    """A judge that knows the original, and its score of the original."""

    spec: MeasureSpec
    judge: Judge | None
    names: tuple[str, ...]
    fitted: Fitted
    original: Estimate


def _fit(
    spec: MeasureSpec,
    measure: Measure,
    sides: Sides,
    others: Table | None,
    earlier: tuple[EarlierRelease, ...],
    unmasked: bool,
) -> _FittedJudge:
    judge = measure if isinstance(measure, Judge) else None
    names = sides.known if judge is not None and judge.known else sides.attributes
    measure.require_support(sides.original.select(names), f"measure {spec.name}")
    fitted = measure.fit_in(Microdata(sides.original, names, others=others, earlier=earlier))
    original = _estimate(fitted, sides.original.select(names)) if unmasked else Estimate.exact(0.0)
    return _FittedJudge(spec, judge, names, fitted, _cut(original, spec.range))


def _finding(one: _FittedJudge, sides: Sides, claims: Mapping[str, float]) -> Finding:
    spec, judge, original = one.spec, one.judge, one.original
    published, details = sides.masked.select(one.names), dict[str, float]()
    if isinstance(one.fitted, Estimated):
        found, more = one.fitted.details(published)
        masked, details = _cut(found, spec.range), dict(more)
    else:
        masked = _cut(_estimate(one.fitted, published), spec.range)
    chance = _cut(_chance(one, sides), spec.range)
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


def _chance(one: _FittedJudge, sides: Sides) -> Estimate:
    """Return a judge's figure by chance: of people who are not in the file, else with its records in random order."""
    if one.judge is not None and one.judge.chance is not None:
        return Estimate.exact(one.judge.chance)
    if isinstance(one.fitted, Estimated):
        others = one.fitted.of_others(sides.masked.select(one.names))
        if others is not None:
            return others
    return _estimate(one.fitted, sides.chance.select(one.names))


def _estimate(fitted: Fitted, table: Table) -> Estimate:
    return fitted.estimate(table) if isinstance(fitted, Estimated) else Estimate.exact(float(fitted.score(table)))


def _cut(estimate: Estimate, range_: tuple[float, float]) -> Estimate:
    """Return an estimate within a measure's range."""
    least, greatest = range_
    value, low, high = (min(max(part, least), greatest) for part in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high)
