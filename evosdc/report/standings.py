"""Where a run stands: the unprotected file, the best of the portfolio and the best found, side by side."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from evosdc.report.frames import figure_of, files, history, mapping, measure_names, objective_count, ranking_score
from evosdc.runs.reader import RecordedRun
from evosdc.runs.result import Scored, bounds_of

# What is said of a file outside the bounds of an experiment, and of one outside those that its search tightened.
BROKEN, MISSED = "breaks the bounds", "outside the tighter bounds"


@dataclass(frozen=True)
class Standing:
    """One file with its scores."""

    label: str  # which file it is
    score: float  # the number that files are ranked by (`frames.ranking_score`)
    # by measure, `il` and `dr` among them where they are defined
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def il(self) -> float:
        """Information loss, 0..100, or NaN."""
        return self.scores.get("il", math.nan)

    @property
    def dr(self) -> float:
        """Disclosure risk, 0..100, or NaN."""
        return self.scores.get("dr", math.nan)

    @property
    def beyond(self) -> bool:
        """Whether it breaks the bounds of the experiment; those that its search tightened do not count."""
        return self.scores.get("infeasibility", 0.0) > 0.0

    @property
    def outside(self) -> float:
        """How far it is from the bounds that the search kept to, as `evosdc.report.frames.files` has it."""
        return max(self.scores.get("infeasibility", 0.0), self.scores.get("tighter", 0.0))


@dataclass(frozen=True)
class Standings:
    """The three files that a reader compares; None where the run has not (or never) got there."""

    identity: Standing | None  # the original, as if it were published unprotected
    portfolio: Standing | None  # the best file of known methods that the search started from
    best: Standing | None  # the best file found; so far, if the run is not complete
    size: int | None  # how many files the portfolio has
    objectives: int = 1  # how many objectives the search had
    # the file that the run wrote, where it is another than `best`: an algorithm may choose for itself
    published: Standing | None = None
    tuned: bool = False  # whether the known methods were tuned for the fitness before the search
    limit: float = math.nan  # the score below which no masked file lies; NaN where it is not known
    curve: tuple[tuple[float, float], ...] = ()  # corners (IL, DR) of the curve below which no masked file lies
    bounds: Mapping[str, float] = field(default_factory=dict)  # of `evosdc.runs.result.bounds_of`

    def above(self, standing: Standing) -> float:
        """Return by how many per cent a file's score lies above the limit; NaN where that is not known."""
        return 100.0 * (standing.score / self.limit - 1.0) if self.limit > 0.0 else math.nan

    @property
    def rival(self) -> str:
        """The name of the best file of known methods: the result without a search."""
        return "the tuned classical file" if self.tuned else "the best portfolio file"

    @property
    def improvement(self) -> float:
        """How much less the best file's score is than the portfolio's best, in points; NaN where one is unknown."""
        return self.portfolio.score - self.best.score if self.portfolio and self.best else math.nan

    @property
    def has_map(self) -> bool:
        """Whether the best file has both IL and DR."""
        return self.best is not None and math.isfinite(self.best.il) and math.isfinite(self.best.dr)


def standings(run: RecordedRun) -> Standings:
    """Return where a run stands, from its result or, while there is none, from its scores and journal."""
    frame, names = files(run), measure_names(run)
    size = objective_count(run)
    single = size == 1
    first, limit = run.result.portfolio, mapping(run.result.limit)
    listed = _least(frame[frame["set"] == "portfolio"], names)
    found = _least(frame[frame["set"].isin(["population", "front"])], names)
    recorded = _recorded(first.best, first.best.label) if first.best is not None else None
    written = _recorded(run.result.best, "best file found")
    chosen = bool(run.result.chosen)
    best = (written or found or _champion(run)) if single and not chosen else (found or written)
    counted = int((frame["set"] == "portfolio").sum()) or None
    return Standings(
        identity=_recorded(run.result.identity, "unprotected original")
        # A result that names none says that the original may not be published: it is nothing to compare with.
        or (None if run.ended else _least(frame[frame["set"] == "identity"], names)),
        portfolio=(recorded or listed) if single else (listed or recorded),
        best=best,
        size=first.size if run.ended else counted,
        objectives=size,
        published=written if written and best and best.scores.items() - written.scores.items() else None,
        tuned=bool(first.tuned),
        limit=figure_of(limit.get("fitness")),
        curve=tuple((figure_of(point.get("il")), figure_of(point.get("dr"))) for point in limit.get("curve") or ()),
        bounds=bounds_of(run.resolved),
    )


def _recorded(entry: Scored | None, label: str) -> Standing | None:
    if entry is None or not entry.fitness:
        return None
    return Standing(label, ranking_score(tuple(entry.fitness), entry.scores), entry.scores)


def _least(frame: pd.DataFrame, names: list[str]) -> Standing | None:
    known = frame[frame["score"].notna()]
    if known.empty:
        return None
    row = known.sort_values(["outside", "score"], kind="stable").iloc[0]
    scores = {
        name: float(row[name]) for name in (*names, *(column for column in ("infeasibility", "tighter") if row[column]))
    }
    return Standing(str(row["label"]), float(row["score"]), scores)


def _champion(run: RecordedRun) -> Standing | None:
    rows = history(run)
    if rows.empty or rows["champion_fitness"].isna().all():
        return None
    last = rows.iloc[-1]
    scores = {key: float(last[f"champion_{key}"]) for key in ("il", "dr")}
    return Standing(
        "best file so far",
        float(last["champion_fitness"]),
        {key: value for key, value in scores.items() if math.isfinite(value)},
    )
