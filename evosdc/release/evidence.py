"""What a verdict on a file rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.release.acceptance import ACCEPTED


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on.

    Parameters
    ----------
    intruder : mapping or None
        Of `evosdc.release.intruder.Found.to_json`, or of a model of generalised files: ``expected percent records``.
    requirements : sequence of mapping
        ``requirement value met``, as the result has them.
    own_limits : sequence of str
        Those of them that evosdc set itself.
    aims : sequence of str
        Those of the last that keep the search to the bound, since the verdict is required.
    bound : float
        Per cent of the people that an informed intruder may be expected to find.
    bound_by : str
        The requirement that set it; empty for the usual bound.
    two_way : str
        The measure of an informed intruder in both directions; empty where none is offered.
    safer : int or None
        Member of the front in which an informed intruder finds no more than is allowed, where too many are found.
    holds : bool or None
        Whether judges that the search did not use confirm the claimed risk; None where none has said.
    contradiction : str
        What they say where they do not.
    contradicting : sequence of str
        Those of them that link, by which a search can be judged.
    answered, unasked, lacking : int
        How many judges have answered, how many more had no time to, and how many do not apply or have failed.
    used : sequence of str
        Judges that the search used itself, so that their findings are the score.
    analyses : mapping
        Of `evosdc.release.analyses.analyses`; empty where the file was generalised.
    unchanged : sequence of mapping
        Of `evosdc.release.unchanged.Unchanged.to_json`.
    together : mapping or None
        Of `evosdc.release.unchanged_together.Together.to_json`: what all unchanged columns tell together.
    further : sequence of mapping
        Of `evosdc.release.further_knowledge.Further.to_json`.
    by_value : tuple of str and float, or None
        Of `evosdc.release.intruder.found_by_value`.
    changed, cells : int
        Protected values that differ from the original, of how many.
    idle : bool
        Whether publishing the original would score as well.
    exchanged : sequence of str
        Sentences on exchanged labels.
    given_away : sequence of str
        Sentences on masked attributes that the file tells beside the masking: by other columns, or by its order.
    public_seed : bool
        Whether it was drawn from a seed that anybody may know.
    above_limit : float or None
        By how many per cent the score lies above what is possible.
    """

    intruder: Mapping[str, Any] | None
    requirements: Sequence[Mapping[str, Any]] = ()
    own_limits: Sequence[str] = ()
    aims: Sequence[str] = ()
    bound: float = ACCEPTED
    bound_by: str = ""
    two_way: str = ""
    safer: int | None = None
    holds: bool | None = None
    contradiction: str = ""
    contradicting: Sequence[str] = ()
    answered: int = 0
    unasked: int = 0
    lacking: int = 0
    used: Sequence[str] = ()
    analyses: Mapping[str, Any] | None = None
    unchanged: Sequence[Mapping[str, Any]] = ()
    together: Mapping[str, Any] | None = None
    further: Sequence[Mapping[str, Any]] = ()
    by_value: tuple[str, float] | None = None
    changed: int = 0
    cells: int = 0
    idle: bool = False
    exchanged: Sequence[str] = ()
    given_away: Sequence[str] = ()
    public_seed: bool = False
    above_limit: float | None = None
