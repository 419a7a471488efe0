"""The result of a run, in ``result.json``. Written at the end by this model, and read by it everywhere."""

import re
from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evosdc.errors import CheckpointError, Fault
from evosdc.printing import NO_TIME, printable
from evosdc.runs.layout import RESULT, read_object

# Of the form of ``result.json``; a result of another version is refused, since its keys mean something else.
VERSION: Literal[2] = 2

# The audience of a file: the narrowest one whose bound on re-identified people it was judged by; empty for none.
Audience = Literal["public", "researchers", "safe-room", ""]


class _Part(BaseModel):
    """Part of a result. What a later version or a plugin adds is kept as it is."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())

    def __getitem__(self, key: str) -> Any:
        """Return what stands under a key of ``result.json``, as scripts of studies read it."""
        return getattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return what stands under a key, or the default."""
        return getattr(self, key, default)


class Scored(_Part):
    """A file with its scores."""

    scores: dict[str, float] = {}  # by measure, ``il`` and ``dr`` among them where they are defined
    fitness: list[float] = []  # one number for each objective; less is better

    @property
    def il(self) -> float | None:
        """Information loss, 0..100; None where no measure of it was taken."""
        return self.scores.get("il")

    @property
    def dr(self) -> float | None:
        """Disclosure risk, 0..100; None where no measure of it was taken."""
        return self.scores.get("dr")


class Member(Scored):
    """A member of the front, and how it came to be."""

    origin: str = ""


class Best(Member):
    """The file that was written: its readable `genome`, and its name in the folder."""

    genome: Any = None
    file: str = ""
    draws: int | None = None
    of_file: Scored | None = None


class Entry(Scored):
    """A file of the portfolio: a masking method with its parameters."""

    method: str = ""
    params: dict[str, Any] = {}
    label: str = ""


class Portfolio(_Part):
    """The files made without a search: their number, the best one, and the result of tuning, if there was any."""

    size: int = 0
    best: Entry | None = None
    tuned: dict[str, Any] | None = None


class Requirement(_Part):
    """A requirement, the figure of the file, and whether it is met; `own` where evosdc set it itself."""

    requirement: str
    value: float
    met: bool
    own: bool = False


class Trust(_Part):
    """The analyses that hold (`yes`) and that do not (`no`), in sentences."""

    yes: list[str] = []
    no: list[str] = []


class Bound(_Part):
    """Per cent of the people that may be re-identified, and the requirement that set it; None for the usual bound."""

    percent: float = 9.0
    set_by: str | None = None


class RiskLine(_Part):
    """One of the three risks of the Article 29 Working Party's opinion on anonymisation (WP216)."""

    risk: Literal["Singling out", "Linkability", "Inference"]
    measure: str = ""  # registered name
    bound: float
    worst_bound: float
    reason: str = ""  # why that is accepted
    mean: float | None = None
    worst: float | None = None
    worst_of: str = ""  # the group of these people
    kept: bool | None = None  # none where it was not checked, or does not apply
    words: str = ""  # the same in a line


class Verdict(_Part):
    """Whether a file may be published, and why."""

    publishable: bool | None = None  # none where nothing was measured to judge by
    # ``publishable``, ``publishable on conditions``, ``not publishable`` or ``no verdict``.
    headline: str = "no verdict"
    provided: str = ""  # the conditions in few words; empty without any
    reasons: list[str] = []  # why not, each with what to do; or what speaks for it
    conditions: list[str] = []  # what must be known or decided before
    titles: list[str] = []  # of the reasons against the file, then of the conditions: each in few words
    advice: list[str] = []  # what was tried that helps, or not: columns to drop or to publish in classes
    risks: list[RiskLine] = []  # singling out, linkability and inference
    people_found: float | None = None  # per cent of the people whom an informed intruder is expected to re-identify
    people_found_without_protection: float | None = None  # the same in the original
    audience: Audience = "public"  # the recipients allowed by the bound that it was judged by
    intruder: dict[str, Any] | None = None  # of `evosdc.assess.intruder.Found.to_json`
    trust: Trust = Field(default_factory=Trust)
    given_away_by: list[str] = []  # unmasked columns from which masked ones can be read off
    published_unchanged: list[str] = []  # columns
    unchanged_together: dict[str, Any] | None = None  # of `evosdc.assess.background.Together.to_json`, with ``words``
    further: list[dict[str, Any]] = []  # of `evosdc.assess.background.Further.to_json`
    # The ``attribute`` that identifies most people by its exact value alone, and their ``percent``.
    by_value: dict[str, Any] | None = None
    bound: Bound = Field(default_factory=Bound)
    above_limit: float | None = None  # by how many per cent the score lies above what is possible

    @property
    def line(self) -> str:
        """The verdict in a line."""
        return f"Verdict: {self.headline.upper()}{f': {self.provided}' if self.provided else ''}"


class SecondOpinion(_Part):
    """The findings of independent judges on the claimed risk."""

    holds: bool | None = None  # None where no judge has answered, or too few have
    text: str = ""  # the same in a sentence
    asked: int = 0
    answered: int = 0
    best: dict[str, Any] | None = None
    classical: dict[str, Any] | None = None
    classical_label: str = ""  # which file that is
    used_by_the_search: list[str] = []  # judges that do not run, since the search used them itself
    # Findings of judges by members and others on the plan of the run; None where nothing is sensitive or none ran.
    members: dict[str, Any] | None = None
    earlier: list[str] = []  # earlier releases that it was judged together with
    # Whether the user named them; else they are other runs of the same data in the same folder.
    earlier_named: bool = False

    @property
    def complete(self) -> bool:
        """Whether all judges that can answer have answered, those by members and others too."""
        members = self.members is None or (
            "judges" in self.members and NO_TIME not in self.members["not_applicable"].values()
        )
        return 0 < self.answered == self.asked and members


_UPPER = re.compile(r"([\w-]+) <= ([-+.e\d]+)")


def bounds_of(resolved: Mapping[str, Any]) -> dict[str, float]:
    """Return by axis of the map of loss and risk (``il dr``) the bound above which no file keeps all of a run's."""
    # IL and DR are means or maxima of their measures: they exceed a bound that all of these have only if one does.
    stated = [text for key in ("constraints", "limits") for text in resolved.get(key) or ()]
    upper = dict[str, float]()
    for found in filter(None, map(_UPPER.fullmatch, stated)):
        upper[found[1]] = min(float(found[2]), upper.get(found[1], inf))
    bounds = dict[str, float]()
    for axis in ("il", "dr"):
        measures = [entry["name"] for entry in (resolved.get("measures") or {}).get(axis) or ()]
        of_all = max((upper.get(name, inf) for name in measures), default=inf)
        if (least := min(of_all, upper.get(axis, inf))) < inf:
            bounds[axis] = least
    return bounds


class Result(_Part):
    """All that a run has to say of itself; figures and sentences, no value of a record."""

    version: Literal[2] = 2
    title: str = ""
    verdict: Verdict = Field(default_factory=Verdict)
    seed: int | None = None
    fitness: str = ""
    evaluations: int = 0
    failed: int = 0
    generations: int = 0
    seconds: float = 0.0
    digest: str = ""
    stopped: str = ""
    records: int = 0
    protect: list[str] = []
    missing_rule: str = ""
    dropped_identifiers: list[str] = []
    changed: dict[str, int] = {}
    perturbed: dict[str, int] = {}
    untouched: dict[str, int] = {}
    warnings: list[str] = []
    notes: list[str] = []
    identity: Scored | None = None
    portfolio: Portfolio = Field(default_factory=Portfolio)
    best: Best = Field(default_factory=Best)
    requirements: list[Requirement] = []
    bounds: dict[str, float] = {}  # on IL and DR: `bounds_of`
    second_opinion: SecondOpinion = Field(default_factory=SecondOpinion)
    fresh: dict[str, Any] | None = None
    front: list[Member] = []
    hypervolume: dict[str, Any] | None = None
    limit: dict[str, Any] | None = None
    recipe: dict[str, Any] | None = None
    chosen: dict[str, Any] | None = None
    so_far: bool = False

    @classmethod
    def of(cls, document: Mapping[str, Any], where: str = RESULT) -> Self:
        """Return the result that a JSON object holds."""
        if document.get("version") != VERSION:
            advice = f"Move {RESULT} away: `evosdc resume` writes it again from the last checkpoint."
            given = f"a result of version {document.get('version', 1)}"
            raise CheckpointError(Fault(where, given, f"one of version {VERSION}", advice))
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            key = ".".join(map(str, error.errors()[0]["loc"]))
            given = f"a damaged result ({key}: {error.errors()[0]['msg']})"
            raise CheckpointError(Fault(where, given, "the file as the run wrote it")) from None

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the result of a run folder; raises `CheckpointError` as `of`, and `OSError` where there is none."""
        file = folder / RESULT
        try:
            document = read_object(file)
        except ValueError:
            raise CheckpointError(Fault(printable(str(file)), "a damaged file", "a JSON object")) from None
        return cls.of(document, printable(str(file)))

    @classmethod
    def known(cls, folder: Path) -> Self | None:
        """Return the result of a folder; None where there is none that can be read."""
        try:
            return cls.read(folder)
        except (OSError, CheckpointError):
            return None

    def to_json(self) -> dict[str, Any]:
        """Return the content of ``result.json``."""
        return self.model_dump(mode="json")


class StudyRun(_Part):
    """A run of a study."""

    setting: int
    replicate: int
    folder: str
    seed: int | None = None
    evaluations: int
    generations: int
    seconds: float
    digest: str
    best: Scored


class StudyResult(Result):
    """The result of a study: that of its best run, whose `folder` it names, and what its runs tell together."""

    folder: str = ""
    replicates: list[StudyRun] = []
    spread: dict[str, Any] | None = None  # of the fitness, where it means the same in all runs
    # By setting of a sweep: ``position values label runs broken``, and the spread of each figure; none without a sweep.
    settings: list[dict[str, Any]] = []
    comparison: dict[str, Any] | None = None  # by figure, tests of differences between the settings
