"""What the fronts of repeated runs attain: best, median and worst attainment surface of each search."""

from collections.abc import Sequence

from evosdc.report.drawn import Drawing
from evosdc.report.figures import add_iso_scores
from evosdc.report.palette import colours, figure, literal
from evosdc.runs.comparison import attainment_surface, front_of
from evosdc.runs.reader import RecordedRun

DRAWN = (("best", 1e-9, "dot"), ("median", 0.5, "solid"), ("worst", 1.0, "dash"))
"""Name, share of the runs that attain the surface, and line."""


def attainment(groups: Sequence[tuple[str, Sequence[RecordedRun]]]) -> Drawing | None:
    """Return the attainment surfaces of groups of runs, by label; None unless some group has two fronts or more.

    The best surface is what at least one run attains, the median one what half of them do, the worst what all do.
    """
    fronts = [(label, [front_of(run) for run in runs]) for label, runs in groups]
    known = [(label, own) for label, own in fronts if sum(len(front) > 0 for front in own) > 1]
    if not known:
        return None
    drawn = figure(420)
    reach = [0.0, 0.0]
    for (label, own), colour in zip(known, colours(len(known)), strict=True):
        for name, share, dash in DRAWN:
            corners = attainment_surface(own, share)
            if not len(corners):
                continue
            reach = [max(reach[axis], float(corners[:, axis].max())) for axis in (0, 1)]
            drawn.add_scatter(
                x=corners[:, 0].round(4).tolist(), y=corners[:, 1].round(4).tolist(),
                name=literal(f"{label}: {name}" if len(known) > 1 else name, 60), legendgroup=label,
                mode="lines+markers" if len(corners) == 1 else "lines",
                line={"color": colour, "dash": dash, "width": 2 if name == "median" else 1.3, "shape": "hv"},
                hovertemplate="IL %{x:.2f}, DR %{y:.2f}<extra>%{fullData.name}</extra>",
            )  # fmt: skip
    right, top = max(10.0, reach[0]) * 1.08, max(10.0, reach[1]) * 1.08
    add_iso_scores(drawn, right, top)
    drawn.update_xaxes(title_text="information loss IL", range=[0, right])
    drawn.update_yaxes(title_text="disclosure risk DR", range=[0, top])
    return drawn.update_layout(hovermode="closest", showlegend=True, margin_r=48)
