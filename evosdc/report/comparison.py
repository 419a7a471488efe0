"""Several runs side by side: one row a run, their evolutions overlaid, their best files on one map."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from evosdc.report.figures import add_iso_scores, hover_text
from evosdc.report.folders import RunFolder
from evosdc.report.frames import history, thinned
from evosdc.report.palette import INK, colours, dashes, figure, literal, symbols
from evosdc.report.standings import Standings

SUMMARISED = ("best", "il", "dr", "portfolio", "improvement", "evaluations", "seconds")


def comparison(runs: Sequence[RunFolder], stands: Sequence[Standings]) -> pd.DataFrame:
    """Return one row a run.

    Returns
    -------
    pandas.DataFrame
        ``run title seed genotype algorithm fitness state evaluations seconds``, then ``best il dr`` of the best file,
        ``portfolio`` (score of the portfolio's best file) and ``improvement`` (points between the two); NaN where
        unknown.
    """
    rows = []
    for run, stand in zip(runs, stands, strict=True):
        rows.append(
            {
                "run": run.name,
                "title": run.title,
                "seed": str(run.result.get("seed", run.resolved.get("seed", ""))),
                "genotype": run.setting("genotype"),
                "algorithm": run.setting("algorithm"),
                "fitness": run.setting("fitness"),
                "state": run.state,
                "evaluations": spent(run, "evaluations"),
                "seconds": spent(run, "seconds"),
                "best": stand.best.score if stand.best else math.nan,
                "il": stand.best.il if stand.best else math.nan,
                "dr": stand.best.dr if stand.best else math.nan,
                "portfolio": stand.portfolio.score if stand.portfolio else math.nan,
                "improvement": stand.improvement,
            }
        )
    return pd.DataFrame(rows)


def spent(run: RunFolder, key: str) -> float:
    """Return what a run has spent (``evaluations``, ``generations``, ``seconds``), from the latest file that tells."""
    journal_key = {"generations": "generation"}.get(key, key)
    last = run.journal[-1] if run.journal else {}
    for value in (run.result.get(key), run.status.get(journal_key), last.get(journal_key)):
        if isinstance(value, int | float):
            return float(value)
    return math.nan


def comparable(table: pd.DataFrame) -> bool:
    """Whether all runs have the same fitness, so that their scores can be set against each other."""
    return table["fitness"].nunique() == 1


def spread(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard deviation (n - 1), least and greatest of each figure over the runs that have it."""
    numbers = table[list(SUMMARISED)]
    return numbers.agg(["mean", "std", "min", "max"]).rename(
        index={"std": "standard deviation", "min": "least", "max": "greatest"}
    )


def overlaid_evolution(runs: Sequence[RunFolder]) -> go.Figure | None:
    """Return the best fitness so far of every run over its evaluations; None where no run has one."""
    drawn = figure(400)
    styles = zip(runs, colours(len(runs)), dashes(len(runs)), strict=True)
    for run, colour, dash in styles:
        rows = history(run)
        if rows.empty or rows["champion_fitness"].isna().all():
            continue
        rows = thinned(rows)
        drawn.add_scatter(
            x=rows["evaluations"].tolist(), y=rows["champion_fitness"].round(4).tolist(), name=literal(run.name, 40),
            mode="lines+markers" if len(rows) == 1 else "lines",
            line={"color": colour, "dash": dash, "width": 2, "shape": "hv"},
            hovertemplate="%{y:.2f} after %{x} evaluations<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    if not drawn.data:
        return None
    drawn.update_xaxes(title_text="evaluations", rangemode="tozero")
    drawn.update_yaxes(title_text="best fitness so far")
    return drawn.update_layout(hovermode="closest", showlegend=True)


def map_of_bests(runs: Sequence[RunFolder], stands: Sequence[Standings]) -> go.Figure | None:
    """Return the best file of each run on the map of IL and DR, with the portfolio's best; None without IL and DR."""
    pairs = [(run, stand) for run, stand in zip(runs, stands, strict=True) if stand.has_map]
    if not pairs:
        return None
    drawn = figure(440)
    reach = {"il": [10.0], "dr": [10.0]}
    for (run, stand), colour, symbol in zip(pairs, colours(len(pairs)), symbols(len(pairs)), strict=True):
        shown = [("best", stand.best, symbol, 13), ("portfolio", stand.portfolio, f"{symbol}-open", 9)]
        for kind, standing, shape, size in shown:
            if standing is None or not math.isfinite(standing.il + standing.dr):
                continue
            reach["il"].append(standing.il)
            reach["dr"].append(standing.dr)
            title = run.name if kind == "best" else f"{run.name}: best of its portfolio"
            drawn.add_scatter(
                x=[standing.il], y=[standing.dr], mode="markers", name=literal(run.name, 40),
                legendgroup=run.name, showlegend=kind == "best",
                marker={"color": colour, "symbol": shape, "size": size, "line": {"width": 1.2, "color": INK}}
                if kind == "best" else {"color": colour, "symbol": shape, "size": size, "line": {"width": 1.5}},
                cliponaxis=False,
                text=[hover_text(f"{title}: {standing.label}", dict(standing.scores), standing.score)],
                hovertemplate="%{text}<extra></extra>",
            )  # fmt: skip
    right, top = (max(reach[axis]) * 1.12 for axis in ("il", "dr"))
    add_iso_scores(drawn, right, top)
    drawn.update_xaxes(title_text="information loss IL", range=[0, right])
    drawn.update_yaxes(title_text="disclosure risk DR", range=[0, top])
    return drawn.update_layout(hovermode="closest", showlegend=True, margin_r=48)
