"""A second opinion on a masked file: what judges say that did not take part in making it, and whether a claim holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evosdc.calls.verdict import Verdict, shown, verdict_on
from evosdc.model.estimate import Estimate


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
            "words": self.words,
        }


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
        Of `evosdc.release.identity.identity_of`; None where nobody asked, or it cannot be said.
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

    @property
    def verdict(self) -> Verdict:
        """Whether the claim holds, and the sentence that says so."""
        return verdict_on(self.findings, self.claims, self.claimed_by)

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
            **({} if self.identity is None else {"identity": dict(self.identity)}),
        }


def in_words(sentence: str, masked: Estimate, original: Estimate, chance: Estimate) -> str:
    """Return a judge's sentence with its figures."""
    return sentence.format(masked=shown(masked), original=f"{original.value:.3g}", chance=f"{chance.value:.3g}")
