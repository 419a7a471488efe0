"""The files that a run offers: its front, and its own best one with the verdict on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.runs.layout import RESULT
from evosdc.runs.status import RUNNING, read_run_status
from evosdc_app.folder import told

OWN = "best"
"""How commands name the run's own best file."""


@dataclass(frozen=True)
class Front:
    """What can be chosen of a run.

    Parameters
    ----------
    members : list of mapping
        ``member`` (the number), ``scores``, ``origin``.
    own : int or None
        The number of the run's own best file; None where no member is it, or the run does not tell yet.
    scores : mapping
        Of the run's own best file; empty where not known.
    publication : mapping
        The verdict on it; empty where there is none.
    ended, running : bool
        Whether the run has a result that is its last word, and whether it goes on.
    """

    members: list[dict[str, Any]]
    own: int | None
    scores: Mapping[str, float]
    publication: Mapping[str, Any]
    ended: bool
    running: bool

    def scores_of(self, member: str) -> Mapping[str, float]:
        """Return the scores of a member, or of the own file."""
        if member == OWN:
            return self.scores
        found: Mapping[str, float] = self.members[int(member)]["scores"]
        return found

    def known(self, member: str, otherwise: str) -> str:
        """Return a member that there is."""
        there = member == OWN or (member.isdecimal() and len(member) < 10 and int(member) < len(self.members))
        return (OWN if member == OWN else str(int(member))) if there else otherwise


def read_front(run: Path) -> Front:
    """Return what can be chosen of a run, without reading its data."""
    from evosdc.engine.checkpoint import front_scores

    members: list[dict[str, Any]] = [entry | {"member": at} for at, entry in enumerate(front_scores(run))]
    result, status = told(run / RESULT), read_run_status(run)
    best = result.get("best") or {}
    # As the command line does: a file of the same scores, and of the same origin where several have them.
    alike = [entry["member"] for entry in members if entry["scores"] == best.get("scores")]
    same = [at for at in alike if members[at]["origin"] == best.get("origin")]
    running = status.phase == RUNNING
    return Front(
        members,
        next(iter(same or alike), None) if best else None,
        best.get("scores") or {key: value for key, value in (status.best or {}).items() if key in ("il", "dr")},
        {} if running else result.get("verdict") or {},
        bool(result) and not result.get("so_far") and not running,
        running,
    )
