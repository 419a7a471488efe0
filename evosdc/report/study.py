"""Studies of many runs on the page: all of them in one figure and one table, and few in full."""

from collections.abc import Sequence
from typing import Any

from evosdc.report import tables
from evosdc.report.comparison import comparison
from evosdc.report.drawn import Drawing
from evosdc.report.frames import history, thinned
from evosdc.report.palette import colours, dashes, figure, literal
from evosdc.report.standings import Standings
from evosdc.report.sweep import Group
from evosdc.runs.reader import RecordedRun

MOST_IN_FULL = 4
"""Runs that a page about a study shows in full; of more, the best one alone."""

MOST_POINTS = 200
"""Points of a curve: of many runs none is read off to the last evaluation."""


def shown_in_full(groups: Sequence[Group]) -> list[RecordedRun]:
    """Return the best run of each setting, or where there are too many settings the best run of all."""
    leaders = [group.leader for group in groups]
    if len(leaders) <= MOST_IN_FULL:
        return leaders
    members = tuple(member for group in groups for member in group.members)
    return [Group("", members, 0, {}).leader]


def evolution(groups: Sequence[Group]) -> Drawing | None:
    """Return the best fitness so far of every run over its evaluations, one colour a setting; None where unknown."""
    drawn, known = figure(400), 0
    for group, colour, dash in zip(groups, colours(len(groups)), dashes(len(groups)), strict=True):
        first = True
        for run, _ in group.members:
            rows = history(run)
            if rows.empty or rows["champion_fitness"].isna().all():
                continue
            rows = thinned(rows, MOST_POINTS)
            drawn.add_scatter(
                x=rows["evaluations"].tolist(), y=rows["champion_fitness"].round(4).tolist(),
                name=literal(group.label, 60), legendgroup=group.label, showlegend=first,
                mode="lines+markers" if len(rows) == 1 else "lines", opacity=0.6,
                line={"color": colour, "dash": dash, "width": 1.3, "shape": "hv"},
                hovertemplate=f"%{{y:.2f}} after %{{x}} evaluations<extra>{literal(run.name, 60)}</extra>",
            )  # fmt: skip
            first, known = False, known + 1
    if not known:
        return None
    drawn.update_xaxes(title_text="evaluations", rangemode="tozero")
    drawn.update_yaxes(title_text="best fitness so far")
    return drawn.update_layout(hovermode="closest", showlegend=len(groups) > 1)


def run_rows(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return one row a run as text, those of a setting from best to worst, with the setting's label."""
    listed = []
    for group in groups:
        members: list[tuple[RecordedRun, Standings]] = list(group.members)
        table = comparison([run for run, _ in members], [stand for _, stand in members])
        ordered = table.sort_values("best", kind="stable", na_position="last")
        listed += [row | {"setting": group.label} for row in tables.comparison_rows(ordered)]
    return listed
