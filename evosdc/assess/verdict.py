"""Whether a file may be published, and why: all sentences of the verdict, which terminal, report and Python show."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evosdc.assess.changes import certainly_unmasked, reordered_words
from evosdc.assess.intruder import found_by_intruder, measured_by
from evosdc.assess.three_risks import MOST_EXCESS, above_their_bounds, inferred, three_risks
from evosdc.assess.utility import destroyed, named, shown, trust
from evosdc.model.constraint import ACCEPTED, AUDIENCES, CONDITIONAL, YES, without_publishable
from evosdc.plugins.registry import Registry
from evosdc.printing import NOT_YET_CHECKED, three_digits
from evosdc.runs.result import Audience, Bound, RiskLine, Trust, Verdict
from evosdc.table.table import Table

if TYPE_CHECKING:
    from evosdc.assess.judge import SecondOpinion

NO = "not publishable"

NOT_YET = "Not yet checked: run `evosdc judge RUN`."  # the sentence where no independent attack has checked the result

DOSSIER = "Write the reason for the release into the dossier: `evosdc dossier RUN`."

_FOR: Mapping[Audience, str] = {
    "public": "accepted for public files",
    "researchers": "accepted for researchers under contract",
    "safe-room": "accepted in a safe room",
    "": "that you allowed",
}


@dataclass(frozen=True)
class Evidence:
    """The evidence for a verdict."""

    # of `evosdc.assess.intruder.Found.to_json`, or of a model of generalised files: `expected percent records`
    intruder: Mapping[str, Any] | None
    requirements: Sequence[Mapping[str, Any]] = ()  # `requirement value met own`, as the result has them
    aims: Sequence[str] = ()
    bound: float = ACCEPTED  # per cent of the people that may be re-identified
    bound_by: str = ""
    audience: Audience = "public"  # the recipients allowed by that bound
    two_way: str = ""  # the measure of an informed intruder in both directions; empty where none is offered
    holds: bool | None = None  # whether independent judges confirm the claimed risk
    contradiction: str = ""  # what they say where they do not; those of them that link, by which a search can be judged
    contradicting: Sequence[str] = ()
    answered: int = 0  # how many judges have answered, had no time yet, and do not apply or have failed
    unasked: int = 0
    lacking: int = 0
    used: Sequence[str] = ()  # judges that the search used itself, so that their findings are the score
    analyses: Mapping[str, Any] = field(default_factory=dict)  # of `evosdc.assess.utility.analyses`
    unchanged: Sequence[Mapping[str, Any]] = ()  # of `evosdc.assess.background.Unchanged.to_json`
    # of `evosdc.assess.background.Together.to_json`: what all unchanged columns disclose together
    together: Mapping[str, Any] | None = None
    further: Sequence[Mapping[str, Any]] = ()  # of `evosdc.assess.background.Further.to_json`
    by_value: tuple[str, float] | None = None  # of `evosdc.assess.intruder.found_by_value`
    changed: int = 0  # protected values that differ from the original, of how many
    cells: int = 0
    corrected: str = ""  # the findings of judges above the claim, but within the bound
    idle: bool = False  # whether publishing the original would score as well
    exchanged: Sequence[str] = ()  # sentences on swapped categories
    given_away: Sequence[str] = ()
    single_valued: Sequence[str] = ()  # masked columns of which a single value is left
    given_away_by: Sequence[str] = ()  # unmasked columns from which masked ones follow
    # judges of the people worst off (family `tail`), each with its `value` and `details`, in per cent
    tails: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # what judges by members and others find of the plan (`evosdc.runs.result.SecondOpinion`)
    members: Mapping[str, Any] | None = None
    earlier: Sequence[str] = ()  # earlier releases of the same people
    earlier_named: bool = False  # whether the user named them. Others may be out, and may be not
    history: Mapping[str, Any] | None = None  # what the judge of all releases together finds
    sensitive: bool = True  # whether the schema declares a sensitive column
    public_seed: bool = False  # whether it was drawn from a public seed
    above_limit: float | None = None  # by how many per cent the score lies above what is possible
    # What was tried of a refused file: columns without which, or in classes of which, it keeps the bounds. Of a file
    # with much loss: columns without which it loses less.
    tried: Sequence[str] = ()

    @property
    def harmless_as_it_was(self) -> bool:
        """Whether no more of the people are re-identified in the original itself than the bound allows."""
        before = (self.intruder or {}).get("original_percent")
        return before is not None and before <= self.bound

    @property
    def percent(self) -> float:
        """Per cent of the people that an informed intruder is expected to re-identify; 0 where it was not measured."""
        return float(self.intruder["percent"]) if self.intruder is not None else 0.0

    @property
    def risks(self) -> list[RiskLine]:
        """Singling out, linkability and inference."""
        history = self.history if self.earlier_named else None
        found = self.intruder, self.bound, self.bound_by, self.tails, self.members, self.sensitive, history
        return three_risks(*found, waiting=self.unasked > 0 or not (self.answered or self.lacking))

    @property
    def allowed(self) -> str:
        """The bound in words: ``the 9 % accepted for public files``."""
        if self.bound_by:
            return f"the {self.bound:g} % that you allowed ({self.bound_by})"
        usual = self.audience and self.bound == AUDIENCES[self.audience]
        return f"the {self.bound:g} % {_FOR[self.audience if usual else '']}"

    @property
    def telling(self) -> list[str]:
        """Unchanged columns that nobody should know, since with them more people are re-identified than is allowed."""
        known = _names(self.together, "known")
        if self.together is None or self.together["found_percent"] <= self.bound:
            return []
        return [name for name in _names(self.together, "columns") if name not in known]

    @property
    def dangerous(self) -> list[str]:
        """Unchanged columns that are dangerous one by one, and that nothing else in the verdict counts."""
        counted = {*self.telling, *_names(self.together, "known")}
        names = (str(column["attribute"]) for column in self.unchanged if column["dangerous"])
        return [name for name in names if name not in counted]

    @property
    def beyond(self) -> list[Mapping[str, Any]]:
        """Intruders with further knowledge who re-identify more than the bound, or an unknown number."""
        return [one for one in self.further if one["percent"] is None or one["percent"] > self.bound]


def verdict_of(evidence: Evidence) -> Verdict:
    """Return the verdict on a file."""
    against, conditions = _against(evidence), _conditions(evidence)
    judged = evidence.intruder is not None or evidence.holds is not None
    headline = NO if against else "no verdict" if not judged else CONDITIONAL if conditions else YES
    found, together = evidence.intruder, evidence.together
    return Verdict(
        publishable=False if against else True if judged else None,
        headline=headline,
        provided="; ".join(few for few, _ in conditions) if headline == CONDITIONAL else "",
        reasons=[sentence for _, sentence in against] or _for(evidence),
        conditions=[sentence for _, sentence in conditions],
        titles=[title for title, _ in (*against, *conditions)],
        advice=list(evidence.tried),
        people_found=None if found is None else float(found["percent"]),
        people_found_without_protection=None if found is None else float(found["original_percent"]),
        risks=evidence.risks,
        audience=evidence.audience,
        intruder=None if found is None else dict(found),
        trust=Trust.model_validate(trust(evidence.analyses)),
        given_away_by=list(evidence.given_away_by),
        published_unchanged=[str(column["attribute"]) for column in evidence.unchanged],
        unchanged_together=None if together is None else {**together, "words": together_words(together)},
        further=[dict(one) for one in evidence.further],
        by_value=dict(zip(("attribute", "percent"), evidence.by_value, strict=True)) if evidence.by_value else None,
        bound=Bound(percent=evidence.bound, set_by=evidence.bound_by or None),
        above_limit=evidence.above_limit,
    )


def verdict_meets(headline: str, wanted: str) -> bool:
    """Whether a verdict meets its requirement; `YES` meets `CONDITIONAL` too, and all meet the empty text."""
    return headline in {"": (headline,), YES: (YES,), CONDITIONAL: (YES, CONDITIONAL)}[wanted]


def on_publication(verdict: Verdict, required: Iterable[str]) -> list[dict[str, Any]]:
    """Return the requirement on the verdict, and whether it is met, in the form of a result's ``requirements``."""
    _, wanted = without_publishable(required)
    if not wanted:
        return []
    met = verdict_meets(verdict.headline, wanted)
    return [{"requirement": wanted, "value": float(met), "met": met, "own": False, "verdict": verdict.headline}]


def _against(evidence: Evidence) -> list[tuple[str, str]]:
    """Return the reasons against publishing the file: in few words, and in a sentence with advice."""
    missed = [entry for entry in evidence.requirements if not entry["met"]]
    broken = [_missed_words(entry) for entry in missed if not entry.get("own")]
    # The intruder says whether aims were reached, and singling out has a reason of its own.
    own = [one for one in missed if one.get("own") and one["requirement"] not in evidence.aims]
    singling = evidence.risks[0]
    said = singling.measure if singling.kept is False else ""
    beyond = [one for one in own if one["requirement"].split()[0] != said]
    reasons = list[tuple[str, str]]()
    if broken:
        text = f"Not met: {named(broken)}. Search longer, start from stronger methods, or require less."
        reasons.append(("a requirement is not met", text))
    if evidence.percent > evidence.bound:
        reasons.append(("too many people are re-identified", _too_many(evidence)))
    known = evidence.together or {}
    if known.get("known_percent", 0.0) > evidence.bound:
        unchanged = _names(known, "known")
        title = f"{named(unchanged)} {_are(unchanged)} published unchanged"
        reasons.append((title, known_words(known, evidence.allowed)))
    if evidence.by_value is not None and evidence.by_value[1] > evidence.bound:
        name, share = evidence.by_value
        text = (
            f"The exact value of {name} alone re-identifies {above_bound(share, evidence.bound)} % of the people. "
            "Publish it in classes (global-recoding), or drop it."
        )
        reasons.append((f"exact values of {name} identify", text))
    if evidence.holds is False:
        keep = " ".join(f'--require "{name} <= {evidence.bound:g}"' for name in evidence.contradicting)
        contradiction = evidence.contradiction[:1].upper() + evidence.contradiction[1:]
        helps = f"Keep the search below it: {keep}." if keep else "Search longer, or publish fewer categories."
        reasons.append(("independent attacks contradict the risk", f"{contradiction} {helps}"))
    if beyond:
        text = f"A limit that evosdc sets is not kept: {named(list(map(_missed_words, beyond)))}."
        text += " Search longer, or publish fewer categories."
        reasons.append((f"not kept: {named([one['requirement'] for one in beyond])}", text))
    if evidence.exchanged:
        text = (
            "Categories were swapped (A published as B): tables of them are wrong. Search longer, or by other methods."
        )
        reasons.append(("categories were swapped", text))
    if evidence.cells and 100 * evidence.changed < evidence.cells and not evidence.harmless_as_it_was:
        text = f"Only {evidence.changed} of {evidence.cells} protected values differ from the original. Search longer."
        reasons.append(("hardly a value was changed", text))
    if evidence.idle and not evidence.harmless_as_it_was:
        text = "It scores no better than the unprotected original. Search longer, or protect more columns."
        reasons.append(("no better than the original", text))
    reasons += [("earlier releases", text) for text in (history_words(evidence) if evidence.earlier_named else ())]
    reasons += above_their_bounds(evidence.risks, evidence.members)
    reasons += [("masked columns can be read off", text) for text in evidence.given_away]
    if evidence.public_seed:
        text = "Drawn from a public seed: anybody can repeat the draws and undo them. Leave out the seed."
        reasons.append(("a public seed", text))
    return reasons


def _too_many(evidence: Evidence) -> str:
    """Return that too many people are re-identified, and which requirement avoids it."""
    found = evidence.intruder or {}
    other, turned = found.get("other_percent"), found.get("looks_for") == "masked record"
    said = (
        f"An informed intruder is expected to re-identify {above_bound(evidence.percent, evidence.bound)} % of the "
        f"people, more than {evidence.allowed}."
    )
    if turned and other is not None and other <= evidence.bound and (evidence.bound_by or evidence.aims):
        said += f" From record to person it is {other:.1f} %; the attack from person to record succeeds more often."
    elif evidence.aims:
        return f"{said} The search found no such file. Give it more time, or publish fewer categories."
    elif not evidence.bound_by:
        said += f" The search was not asked to stay below {evidence.bound:g} %."
    bounded = [evidence.bound_by, *evidence.aims]
    if evidence.two_way and not any(evidence.two_way in text for text in bounded):
        return f'{said} Use --require "{evidence.two_way} <= {evidence.bound:g}".'
    measure = evidence.bound_by.split()[0] if evidence.bound_by else str(found.get("measure", ""))
    bound = max(math.floor(evidence.bound * (other if turned and other else evidence.percent) / evidence.percent), 1)
    return f'{said} Use --require "{measure} <= {bound}".' if measure else f"{said} Search longer."


def _for(evidence: Evidence) -> list[str]:
    """Return the reasons for publishing a file without reasons against it."""
    reasons = []
    required = [entry for entry in evidence.requirements if not entry.get("own")]
    if required:
        reasons.append(f"All requirements are met: {named([required_words(entry) for entry in required])}.")
    if evidence.intruder is not None:
        reasons.append(
            f"An informed intruder is expected to re-identify {shown(evidence.percent)} % of the people, within "
            f"{evidence.allowed}."
        )
    if evidence.idle and evidence.harmless_as_it_was:
        reasons.append(
            "The original is within that already: these columns need no masking for this audience. A smaller --bound "
            "asks for more."
        )
    if evidence.corrected:
        corrected = evidence.corrected[:1].upper() + evidence.corrected[1:].rstrip(".")
        reasons.append(f"{corrected}: within {evidence.bound:g} % still.")
    if evidence.holds:
        answered = _answered(evidence)
        reasons.append(
            f"Independent attacks, unknown to the optimiser, contradict nothing so far ({answered}, enough for this "
            "verdict). Run the others before you sign: `evosdc judge RUN`."
            if evidence.unasked
            else f"Independent attacks, unknown to the optimiser, confirm the risk ({answered})."
        )
    found = inferred(evidence.members)
    if found is not None:
        learned = found[1]
        reasons.append(
            f"A learner guesses {learned['value']:.1f} points more sensitive values of the people in the file than of "
            f"others [{learned['low']:.1f} to {learned['high']:.1f}], of at most {MOST_EXCESS:g}."
        )
    if evidence.history is not None and not history_words(evidence):
        together = f"this file and {named(evidence.earlier, 3)} together"
        reasons.append(
            f"By {together} {evidence.history['value']:.1f} % of the people are re-identified.{_counted(evidence)}"
        )
    known = _names(evidence.together, "known")
    if known and evidence.together is not None:
        share = f"{shown(evidence.together['known_percent'])} % of the people"
        unchanged = f"{named(known)} {_are(known)} published unchanged: with {_them(known)}"
        reasons.append(f"{unchanged} {share} are re-identified{estimated(evidence.together)}.")
    harmless = [one for one in evidence.further if one not in evidence.beyond]
    return reasons + [further_words(one, evidence.bound) for one in harmless]


def _conditions(evidence: Evidence) -> list[tuple[str, str]]:
    """Return the conditions for publishing the file: in few words, and in a sentence."""
    conditions = []
    telling, dangerous = evidence.telling, evidence.dangerous
    if telling and evidence.together is not None:
        left_out = _names(evidence.together, "uncounted")
        apart = f" Not counted: {named(left_out)} (weights, households)." if left_out else ""
        text = f"{_all(telling)} {_are(telling)} published unchanged. Make sure that no recipient knows "
        words = f"{text}{_them(telling)} from elsewhere. {together_words(evidence.together)}{apart}"
        conditions.append((f"if no recipient knows {named(telling)} from elsewhere", words))
    if dangerous:
        conditions.append(
            (
                f"if no recipient knows {named(dangerous)} from elsewhere",
                f"{_all(dangerous)} {_are(dangerous)} published unchanged and can single people out. Make sure that no "
                f"recipient knows {_them(dangerous)} from elsewhere.",
            )
        )
    conditions += [
        (f"if no recipient knows {one['knows']} from elsewhere", further_words(one, evidence.bound))
        for one in evidence.beyond
    ]
    homes = float((evidence.intruder or {}).get("homes_percent") or 0.0)
    if homes > evidence.bound:
        conditions.append(
            (
                "if no recipient knows who lives with whom",
                f"With one member all others of a household are re-identified: {above_bound(homes, evidence.bound)} % "
                f"of the people, more than {evidence.allowed}. Drop the numbers of the households, or make sure that "
                "no recipient knows who lives with whom.",
            )
        )
    off = destroyed(evidence.analyses)
    if off:
        names = [name for name, _ in off]
        single = set(evidence.single_valued)
        left = {
            name: "a single value is left" if name in single else f"off by {moved:.0f} % of the records"
            for name, moved in off
        }
        listed = named([f"{name} ({left[name]})" for name, _ in off], 3)
        conditions.append(
            (
                f"if users are warned that counts of {named(names, 3)} are wrong",
                f"Counts of {listed} are wrong. Warn all users of the file, or search longer.",
            )
        )
    if evidence.holds is None and not (evidence.used or evidence.corrected):
        conditions.append(_unjudged(evidence))
    if evidence.holds is not None and evidence.unasked and not evidence.tails:
        conditions.append(
            ("the surest matches are not yet checked", f"Singling out: {NOT_YET[0].lower()}{NOT_YET[1:]}")
        )
    if evidence.earlier and evidence.history is None:
        conditions.append(
            (
                "earlier releases are not yet checked",
                f"Earlier releases ({named(evidence.earlier, 3)}): {NOT_YET[0].lower()}{NOT_YET[1:]}"
                f"{_counted(evidence)}",
            )
        )
    elif evidence.earlier and not evidence.earlier_named:
        out = named(evidence.earlier, 3)
        conditions += [
            (f"if {out} {_are(evidence.earlier)} not published too", text) for text in history_words(evidence)
        ]
    if evidence.members is not None and inferred(evidence.members) is None:
        line = evidence.risks[2].words
        later = " Run `evosdc judge RUN`." if line.startswith(NOT_YET_CHECKED) else f" {DOSSIER}"
        conditions.append(
            (
                f"inference is {line.split(' (')[0]}",
                f"Inference is {line}: what the file discloses about its people beyond other people.{later}",
            )
        )
    return conditions


def history_words(evidence: Evidence) -> list[str]:
    """Return the disclosure of all releases together above the bounds; nothing where they keep these."""
    found, words = evidence.history, list[str]()
    if found is None:
        return []
    details = found.get("details") or {}
    releases = f"this file and {named(evidence.earlier, 3)} together"
    share, gain = float(found.get("value", 0.0)), float(details.get("attribute", 0.0))
    if share > evidence.bound:
        words.append(
            f"By {releases} {above_bound(share, evidence.bound)} % of the people are re-identified, more than "
            f"{evidence.allowed}; by this file alone {details['alone']:.1f} %. Columns that both publish "
            "unchanged tell which rows belong together: mask these too, or publish one of the files."
        )
    if gain > MOST_EXCESS:
        words.append(
            f"By {releases} sensitive values are guessed of {gain:.1f} % more of the people than by the best single "
            f"file, more than {MOST_EXCESS:g}. Publish the earlier values of the sensitive columns again."
        )
    return [f"{text}{_counted(evidence) if place == 0 else ''}" for place, text in enumerate(words)]


def _counted(evidence: Evidence) -> str:
    """Return which runs count without having been named, and how to leave them out; empty for named releases."""
    if evidence.earlier_named:
        return ""
    runs = named(evidence.earlier, len(evidence.earlier))
    return (
        f" {runs} {'counts' if len(evidence.earlier) == 1 else 'count'} as a publishable run of the same data in the "
        "same folder. If no such file leaves your hands: `evosdc judge RUN --earlier none`; else name those that do: "
        "`--earlier FILE`."
    )


def _unjudged(evidence: Evidence) -> tuple[str, str]:
    """Return that no independent attack confirms the risk, and why."""
    if evidence.lacking and not evidence.unasked and not evidence.answered:
        return (
            "no independent attack reads such a file",
            f"Not checked: no independent attack reads such a file. {DOSSIER}",
        )
    if evidence.answered and not evidence.unasked:
        said = f"Not checked: the independent attacks that answered measure no risk that the search claims. {DOSSIER}"
        return "no independent attack measures the risk that is claimed", said
    so_far = f" So far {_answered(evidence)}." if evidence.answered else ""
    return "independent attacks have not yet run", f"{NOT_YET}{so_far}"


def _answered(evidence: Evidence) -> str:
    """Return how many independent attacks have answered."""
    attacks = evidence.answered + evidence.unasked
    return f"{evidence.answered} of {attacks} answered" if evidence.unasked else f"all {attacks} answered"


def known_words(together: Mapping[str, Any], allowed: str) -> str:
    """Return a warning on unmasked columns that an intruder is taken to know, with advice."""
    known, meant = _names(together, "known"), _names(together, "meant")
    follows = dict(together.get("derived") or {})
    others = [name for name in known if name not in meant]
    own = [name for name in others if name not in follows]
    found = f"{shown(together['known_percent'])} % of the people are re-identified{estimated(together)}"
    said = [
        f"{named(known)} {_are(known)} published unchanged, and an intruder is taken to know {_them(known)}: {found}, "
        f"more than {allowed}."
    ]
    said += [f"{name} follows from {by}." for name, by in follows.items()]
    if meant:
        said.append(f"{named(meant)} came out unchanged: search longer, or by methods that change {_them(meant)}.")
    if others:
        otherwise = f", or give {_them(own)} another role in the schema" if own else f", or drop {_them(others)}"
        said.append(f"Protect {_them(others)} too{otherwise}.")
    return " ".join(said)


def together_words(together: Mapping[str, Any]) -> str:
    """Return how many people are re-identified by unchanged columns alone, and with masked ones besides."""
    columns, masked = _names(together, "columns"), _names(together, "masked")
    alone, found = together["alone_percent"], together["found_percent"]
    unique = f"{shown(together['unique_percent'])} % are unique in {_them(columns)}."
    if alone >= 99.95:
        return f"Anyone who knows {_these(columns)} identifies everybody. {unique}"
    by_these = f"Anyone who knows {_these(columns)} is expected to identify {shown(alone)} % of the people."
    if not masked or shown(alone) == shown(found):
        return f"{by_these} {unique}"
    besides = f"With the masked {named(masked)} besides, it is {shown(found)} %{estimated(together)}."
    return f"{by_these} {besides} {unique}"


def estimated(together: Mapping[str, Any]) -> str:
    """Return from how many records a share was estimated; empty where all records were counted."""
    sampled = together.get("asked")
    return f" (estimated from {sampled:,} records)" if sampled else ""


def further_words(one: Mapping[str, Any], bound: float) -> str:
    """Return how many people an intruder re-identifies with knowledge that other columns of the file disclose."""
    names, percent = _names(one, "columns"), one["percent"]
    if percent is None:
        found = f"how many people anyone who knows {one['knows']} re-identifies could not be measured"
    else:
        who = f"anyone who knows {one['knows']} is expected to re-identify"
        found = f"{who} {shown(percent)} % of the people ({one['measure']})"
    sure = (
        f", within {bound:g} %."
        if percent is not None and percent <= bound
        else ". Make sure that no recipient knows them."
    )
    return f"{named(names)} {_are(names)} published unchanged: {found}{sure}"


def above_bound(percent: float, bound: float) -> str:
    """Return a share above a bound, with enough digits to show that it is above."""
    text = f"{percent:.1f}"
    return text if float(text) > bound else f"{percent:.3g}"


def on_verdict(entry: Mapping[str, Any]) -> bool:
    """Whether a requirement as the result has it is one on the verdict, and bounds no figure."""
    return entry.get("requirement") in (YES, CONDITIONAL)


def unmet(result: Mapping[str, Any], limits: bool = False) -> list[Mapping[str, Any]]:
    """Return the requirements that a result does not fulfil; of a randomised file, as fresh draws decide."""
    fresh = (result.get("fresh") or {}).get("requirements") or ()
    decided = {entry["requirement"] for entry in fresh}
    listed = [entry for entry in result.get("requirements") or () if limits or not entry.get("own")]
    own = [entry for entry in listed if entry["requirement"] not in decided]
    return [entry for entry in (*fresh, *own) if not entry["met"]]


def required_words(entry: Mapping[str, Any]) -> str:
    """Return a requirement in the form of a result, with its attributes where some of them are unmasked."""
    text, unmasked = str(entry.get("requirement")), _names(entry, "unmasked")
    if not unmasked:
        return text
    over = ", ".join(_names(entry, "quasi_identifiers"))
    return f"{text} over {over} ({', '.join(unmasked)} {_are(unmasked)} published unchanged)"


def _missed_words(entry: Mapping[str, Any]) -> str:
    """Return a requirement that is not met with its figure, and what its measure means where that is known."""
    known = [f"it is {three_digits(entry['value'])}"] if entry.get("value") is not None else []
    meaning = str(entry.get("meaning") or "")
    known += [meaning[:1].lower() + meaning[1:]] if meaning else []
    return f"{required_words(entry)} ({'; '.join(known)})" if known else required_words(entry)


def unmasked_causes(judged: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence on the quasi-identifiers that are not masked, where requirements are missed over them."""
    missed = [entry for entry in judged if not entry["met"] and entry.get("unmasked")]
    names = list(dict.fromkeys(name for entry in missed for name in _names(entry, "unmasked")))
    if not names:
        return []
    which = " and ".join(str(entry["requirement"]) for entry in missed)
    return [
        f"A cause: {which} counts over all quasi-identifiers of the schema, of which {', '.join(names)} {_are(names)} "
        f"published unchanged. Protect {_them(names)} as well, or give {_them(names)} another role in the schema where "
        f"no intruder can know {_them(names)}."
    ]


def with_identity(
    opinion: "SecondOpinion", original: Table, masked: Table, protect: Sequence[str] | None, registry: Registry
) -> "SecondOpinion":
    """Return an opinion with what an informed intruder re-identifies, and a warning of records in another order."""
    names = opinion.attributes
    before, after = original.select(names), masked.select(names)
    # In other categories nobody knows how many.
    found = found_by_intruder(original, after, names, registry) if before.schema == after.schema else None
    identity = None if found is None else found.without_records() | {"accepted": ACCEPTED}
    words = reordered_words(original, masked, certainly_unmasked(original.schema, masked, protect))
    warnings = (*opinion.warnings, *([words] if words else ()))
    return replace(opinion, identity=identity, warnings=warnings)


def identity_words(found: Mapping[str, Any]) -> str:
    """Return in words whether the share of re-identified people is acceptable in a public file."""
    percent, accepted = float(found["percent"]), float(found["accepted"])
    within = percent <= accepted
    share = f"{percent:.1f}" if within else above_bound(percent, accepted)
    return (
        f"An informed intruder is expected to re-identify {share} % of the people (by {measured_by(found)}), "
        f"{'within' if within else 'more than'} the {accepted:g} % {_FOR['public']}."
    )


def _names(entry: Mapping[str, Any] | None, key: str) -> list[str]:
    return [str(name) for name in (entry or {}).get(key) or ()]


def _all(names: list[str]) -> str:
    """Return all names: each column of a condition needs an action."""
    return named(names, len(names))


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _these(names: Sequence[str]) -> str:
    return "this unmasked column" if len(names) == 1 else "these unmasked columns"
