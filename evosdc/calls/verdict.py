"""Whether a claimed risk holds against what judges found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evosdc.model.estimate import Estimate

if TYPE_CHECKING:
    from evosdc.calls.second_opinion import Finding

ALLOWED = 1.25
"""How many times the claimed risk a judge may find: an honest search overfits its measures a little."""


NEARLY = 0.9
"""Share of the original's risk from which a file is told to protect next to nothing."""


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds.

    Parameters
    ----------
    holds : bool or None
        None where there is no claim, or no judge to compare with it.
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


def verdict_on(findings: "Sequence[Finding]", claims: Mapping[str, float], claimed_by: Mapping[str, str]) -> Verdict:
    """Return the verdict on claims, with the worst of the judges that contradict them."""
    if not findings:
        return Verdict(None, "No verdict: no judge has answered.")
    counted = [finding for finding in findings if finding.claim is not None]
    if not counted:
        said = ", ".join(f"{name}: {value:.3g} %" for name, value in claims.items())
        if said:
            return Verdict(None, f"No verdict: no judge has answered whose risk is claimed ({said}).")
        return Verdict(None, "No verdict: there is no claimed risk that a judge could be compared with.")
    broken = sorted((f for f in counted if f.exceeds), key=lambda f: (f.times is not None, -(f.times or 0.0)))
    if not broken:
        said = ", ".join(f"{name}: {value:.3g} % by {claimed_by[name]}" for name, value in claims.items())
        sentence = f"Holds: no judge finds more than {ALLOWED:g} times the risk claimed ({said})."
        return Verdict(True, " ".join([sentence, *_unprotected(counted)]))
    return Verdict(False, " ".join(["Does not hold:", "; ".join(map(_contradiction, broken)) + "."]))


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
        return f"an intruder who {finding.intruder} {finding.does} some where the score says none ({against})"
    many = f"{finding.times:.1f} times as many as the score says"
    if finding.claim is not None and finding.claim < chance:
        against = f"{shown(finding.masked)} % against {chance:.3g} % and {finding.claim:.3g} %"
        many = f"{finding.times:.1f} times as many as by chance, which is more than the score says"
    return f"an intruder who {finding.intruder} {finding.does} {many} ({against})"


def shown(estimate: Estimate) -> str:
    """Return a figure with its standard error, where it has one: ``12.3 ± 0.4``."""
    if estimate.high == estimate.low:
        return f"{estimate.value:.3g}"
    return f"{estimate.value:.1f} ± {estimate.error:.1f}"
