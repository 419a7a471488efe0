"""The settings of a sweep side by side: box plots, a table, and rank tests of their differences."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.printing import values_in_words
from evosdc.report.comparison import comparison, over_evaluations
from evosdc.report.drawn import Drawing, colours, dashes, literal
from evosdc.report.frames import history, mapping, thinned
from evosdc.report.standings import Standings
from evosdc.runs.layout import is_replicate
from evosdc.runs.rank_tests import compared, rank_sentences, spread_of
from evosdc.runs.reader import RecordedRun

# what is compared, and its name on the page; the score is what files are ranked by
FIGURES = {"fitness": "score", "il": "IL", "dr": "DR"}


@dataclass(frozen=True, eq=False)
class Group:
    """The runs of one setting."""

    label: str  # the values in words
    members: tuple[tuple[RecordedRun, Standings], ...]
    broken: int  # runs whose file breaks constraints; their figures are left out
    figures: Mapping[str, tuple[float, ...]]  # final figures of the others: `fitness`, `il`, `dr`

    @property
    def leader(self) -> RecordedRun:
        """The run with the best file."""
        return min(self.members, key=lambda member: _score(member[1]))[0]


REPLICATES = "all replicates"  # label of the one group of a study that sweeps nothing
FEW = 4  # replicates, at most, that are shown side by side as single runs are


def groups_of(runs: Sequence[RecordedRun], stands: Sequence[Standings]) -> tuple[Group, ...]:
    """Return the runs of a sweep by setting, in the order of settings; nothing where a run belongs to none."""
    together = {run.path.parent for run in runs if is_replicate(run.path) and not run.setting}
    if len(together) == 1 and len(runs) > FEW and all(run.path.parent in together for run in runs):
        return (_group(REPLICATES, tuple(zip(runs, stands, strict=True))),)
    by_label: dict[str, list[tuple[RecordedRun, Standings]]] = {}
    for run, stand in zip(runs, stands, strict=True):
        if not run.setting:
            return ()
        by_label.setdefault(values_in_words(mapping(run.setting.get("values"))), []).append((run, stand))
    return tuple(_group(label, members) for label, members in by_label.items())


def boxes(groups: Sequence[Group], name: str) -> Drawing | None:
    """Return box plots of one figure, one box a setting with each run as a point; None where it is not known."""
    known = [group for group in groups if group.figures[name]]
    if not known:
        return None
    drawn = Drawing(max(260, 90 + 46 * len(known)))
    for group, colour in zip(known, colours(len(known)), strict=True):
        drawn.add(
            "box", x=list(group.figures[name]), name=literal(group.label, 60), boxpoints="all", jitter=0.5, pointpos=0,
            marker={"color": colour, "size": 5}, line={"width": 1.5}, showlegend=False,
            hovertemplate="%{x:.3f}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    drawn.update_axes("x", title=FIGURES[name])
    drawn.update_axes("y", autorange="reversed", automargin=True)
    return drawn.update(hovermode="closest")


def rows(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return one row a setting: runs, and mean, standard deviation, least and median of each figure."""
    listed = []
    for group in groups:
        row: dict[str, Any] = {"label": group.label, "runs": len(group.members), "broken": group.broken}
        for name in FIGURES:
            spread = spread_of(group.figures[name])
            row[name] = [spread[key] for key in ("mean", "sd", "min", "median")]
        listed.append(row)
    return listed


def findings(groups: Sequence[Group], comparable: bool) -> list[str]:
    """Return sentences on differences between the settings."""
    sentences, labels = [], [group.label for group in groups]
    for name, title in FIGURES.items():
        if name == "fitness" and not comparable:
            sentences.append("The settings differ in fitness or data, so that their scores are not compared.")
            continue
        found = compared([group.figures[name] for group in groups])
        if found["pairs"]:
            sentences += rank_sentences(title, found, labels)
    return sentences


def _group(label: str, members: Sequence[tuple[RecordedRun, Standings]]) -> Group:
    sound = [stand.best for run, stand in members if stand.best is not None and not _broken(run)]
    figures = {
        "fitness": tuple(best.score for best in sound if math.isfinite(best.score)),
        "il": tuple(best.il for best in sound if math.isfinite(best.il)),
        "dr": tuple(best.dr for best in sound if math.isfinite(best.dr)),
    }
    return Group(label, tuple(members), sum(_broken(run) for run, _ in members), figures)


def _broken(run: RecordedRun) -> bool:
    # A requirement on the verdict is no constraint of the search.
    return any(not entry.met and "verdict" not in entry.model_dump() for entry in run.result.requirements)


def _score(stand: Standings) -> float:
    score = stand.best.score if stand.best is not None else math.nan
    return score if math.isfinite(score) else math.inf


MOST_IN_FULL = 4  # runs that a page about a study shows in full; of more, the best one alone
MOST_POINTS = 200  # points of a curve: of many runs none is read off to the last evaluation


def shown_in_full(groups: Sequence[Group]) -> list[RecordedRun]:
    """Return the best run of each setting, or where there are too many settings the best run of all."""
    leaders = [group.leader for group in groups]
    if len(leaders) <= MOST_IN_FULL:
        return leaders
    members = tuple(member for group in groups for member in group.members)
    return [Group("", members, 0, {}).leader]


def evolution(groups: Sequence[Group]) -> Drawing | None:
    """Return the best fitness so far of every run over its evaluations, one colour a setting; None where unknown."""
    drawn, known = Drawing(400), 0
    for group, colour, dash in zip(groups, colours(len(groups)), dashes(len(groups)), strict=True):
        first = True
        for run, _ in group.members:
            rows = history(run)
            if rows.empty or rows["champion_fitness"].isna().all():
                continue
            rows = thinned(rows, MOST_POINTS)
            drawn.add_line(
                rows["evaluations"].tolist(), rows["champion_fitness"].round(4).tolist(), literal(group.label, 60),
                {"color": colour, "dash": dash, "width": 1.3, "shape": "hv"}, legendgroup=group.label,
                showlegend=first, opacity=0.6,
                hovertemplate=f"%{{y:.2f}} after %{{x}} evaluations<extra>{literal(run.name, 60)}</extra>",
            )  # fmt: skip
            first, known = False, known + 1
    if not known:
        return None
    return over_evaluations(drawn, showlegend=len(groups) > 1)


def run_rows(groups: Sequence[Group]) -> list[dict[Hashable, Any]]:
    """Return one row a run, those of a setting from best to worst, with the setting's label."""
    listed: list[dict[Hashable, Any]] = []
    for group in groups:
        members: list[tuple[RecordedRun, Standings]] = list(group.members)
        table = comparison([run for run, _ in members], [stand for _, stand in members])
        ordered = table.sort_values("best", kind="stable", na_position="last")
        listed += ordered.assign(setting=group.label).to_dict("records")
    return listed
