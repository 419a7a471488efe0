"""Several runs side by side: one row a run, their evolutions overlaid, their best files on one map."""

import json
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pandas as pd

from evosdc.report.drawn import GREY, INK, Drawing, colours, dashes, literal, stacked, symbols
from evosdc.report.figures import hover_text, on_plane
from evosdc.report.frames import history, protected_attributes, spent, thinned
from evosdc.report.fresh_draws import fresh_score
from evosdc.report.standings import Standing, Standings
from evosdc.report.summary import changed_total
from evosdc.report.wording import count, listing, number
from evosdc.runs.comparison import attainment_surface, front_of
from evosdc.runs.reader import RecordedRun

NAMED = 3
AFTER = "%{y:.2f} after %{x} evaluations<extra>%{fullData.name}</extra>"  # what a point of a curve says
T = TypeVar("T")


@dataclass(frozen=True)
class Overlap(Generic[T]):
    """Runs that look the same in a figure."""

    names: tuple[str, ...]  # of the runs, in their order
    items: tuple[T, ...]  # what each of them shows
    position: int  # of the first of them among all runs: what gives colour and symbol

    @property
    def item(self) -> T:
        """The finding of the first of them."""
        return self.items[0]

    @property
    def title(self) -> str:
        """All runs by name, the first few where they are many."""
        more = len(self.names) - NAMED
        return listing([*self.names[:NAMED], f"{count(more)} more"] if more > 1 else self.names)


def group_overlapping(entries: Sequence[tuple[int, str, T]], look: Callable[[T], Hashable]) -> list[Overlap[T]]:
    """Return one entry for each different look, in order of the first run that has it."""
    groups: dict[Hashable, list[tuple[int, str, T]]] = {}
    for entry in entries:
        groups.setdefault(look(entry[2]), []).append(entry)
    return [
        Overlap(tuple(name for _, name, _ in group), tuple(item for _, _, item in group), group[0][0])
        for group in groups.values()
    ]


SUMMARISED = ("best", "fresh", "il", "dr", "portfolio", "improvement", "changed", "evaluations", "seconds")

MOST_LINES = 12

Marked = tuple[RecordedRun, Standing]


def comparison(runs: Sequence[RecordedRun], stands: Sequence[Standings]) -> pd.DataFrame:
    """Return one row a run."""
    rows = []
    for run, stand in zip(runs, stands, strict=True):
        rows.append(
            {
                "run": run.name,
                "title": run.title,
                "data": run.source,
                "seed": str(run.result.seed or run.resolved.get("seed") or ""),
                "genotype": run.option("genotype"),
                "algorithm": run.option("algorithm"),
                "fitness": run.option("fitness"),
                "state": run.phase,
                "evaluations": spent(run, "evaluations"),
                "seconds": spent(run, "seconds"),
                "best": stand.best.score if stand.best else math.nan,
                "il": stand.best.il if stand.best else math.nan,
                "dr": stand.best.dr if stand.best else math.nan,
                "portfolio": stand.portfolio.score if stand.portfolio else math.nan,
                "improvement": stand.improvement,
                "fresh": fresh_score(run)[0],
                "changed": changed_total(run)[1],
                "warnings": len(run.sentences("warnings")),
            }
        )
    return pd.DataFrame(rows)


def spread(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard deviation (n - 1), least and greatest of each figure over the runs that have it."""
    numbers = table[list(SUMMARISED)]
    return numbers.agg(["mean", "std", "min", "max"]).rename(
        index={"std": "standard deviation", "min": "least", "max": "greatest"}
    )


def overlaid_evolution(runs: Sequence[RecordedRun]) -> Drawing | None:
    """Return the best fitness so far of every run over its evaluations; None where no run has one."""
    curves = []
    for position, run in enumerate(runs):
        rows = history(run)
        if not rows.empty and rows["champion_fitness"].notna().any():
            rows = thinned(rows)
            points = (tuple(rows["evaluations"]), tuple(rows["champion_fitness"].round(4)))
            curves.append((position, run.name, points))
    if not curves:
        return None
    drawn = Drawing(400)
    palette, styles = colours(len(runs)), dashes(len(runs))
    for curve in group_overlapping(curves, lambda points: points):
        style = {"color": palette[curve.position], "dash": styles[curve.position], "width": 2, "shape": "hv"}
        evaluations, fitness = map(list, curve.item)
        drawn.add_line(evaluations, fitness, literal(curve.title, 60), style, hovertemplate=AFTER)
    return over_evaluations(drawn, showlegend=True)


def over_evaluations(drawn: Drawing, showlegend: bool) -> Drawing:
    """Return a figure with the axes of a best fitness over evaluations."""
    drawn.update_axes("x", title="evaluations", rangemode="tozero")
    drawn.update_axes("y", title="best fitness so far")
    return drawn.update(hovermode="closest", showlegend=showlegend)


def overlaid_plane(runs: Sequence[RecordedRun]) -> Drawing | None:
    """Return IL and DR of the best file so far of every run, two panels; None where no run has both."""
    # It is what runs of different fitnesses can be compared in. For several objectives it is the least of the
    # population.
    curves = []
    for position, run in enumerate(runs):
        rows = history(run)
        for axis in ("il", "dr") if not rows.empty else ():
            champion = rows[f"champion_{axis}"] if rows["champion_fitness"].notna().any() else rows[f"{axis}_min"]
            known = rows.assign(shown=champion).dropna(subset=["shown"])
            if not known.empty:
                curves.append((position, axis, thinned(known)))
    if not curves:
        return None
    drawn = Drawing(380, ["information loss IL", "disclosure risk DR"])
    palette, styles = colours(len(runs)), dashes(len(runs))
    named: set[int] = set()
    for position, axis, rows in curves:
        style = {"color": palette[position], "dash": styles[position], "width": 2, "shape": "hv"}
        drawn.add_line(
            rows["evaluations"].tolist(), rows["shown"].round(4).tolist(), literal(runs[position].name, 60), style,
            legendgroup=str(position), showlegend=position not in named, hovertemplate=AFTER,
            panel=1 if axis == "il" else 2,
        )  # fmt: skip
        named.add(position)
    drawn.update_axes("x", title="evaluations", rangemode="tozero")
    drawn.update_axes("y", rangemode="tozero")
    return drawn.update(
        hovermode="closest", margin={"t": 40}, legend={"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"},
        meta={"narrow": stacked(2, 240)},
    )  # fmt: skip


def map_of_bests(runs: Sequence[RecordedRun], stands: Sequence[Standings]) -> Drawing | None:
    """Return the best file of each run on the map of IL and DR, with the portfolio's best; None without IL and DR."""
    # Marks of one kind at the same place are one mark, named after all its runs, their number beside it. A portfolio's
    # best at the place of a best file is a ring around it.
    bests = group_overlapping(_marked(runs, [stand.best for stand in stands]), _place)
    known = group_overlapping(_marked(runs, [stand.portfolio for stand in stands]), _place)
    if not bests:
        return None
    drawn = Drawing(440)
    palette, shapes = colours(len(runs)), symbols(len(runs))
    taken = {_place(mark.item) for mark in bests}
    for mark in bests:
        marker = {"color": palette[mark.position], "symbol": shapes[mark.position], "size": 13}
        _add(drawn, mark, mark.title, marker | {"line": {"width": 1.2, "color": INK}}, legend=True)
    for mark in known:
        several = len(mark.names) > 1
        marker = {
            "color": GREY if several else palette[mark.position],
            "symbol": "circle-open" if several or _place(mark.item) in taken else f"{shapes[mark.position]}-open",
            "size": 22 if _place(mark.item) in taken else 9,
            "line": {"width": 1.5},
        }
        _add(drawn, mark, f"{mark.title}: best of the portfolio", marker, legend=several)
    places = [mark.item[1] for mark in [*bests, *known]]
    right, top = max(10.0, *(p.il for p in places)) * 1.12, max(10.0, *(p.dr for p in places)) * 1.12
    return on_plane(drawn, right, top).update(showlegend=True)


def _marked(runs: Sequence[RecordedRun], marks: Sequence[Standing | None]) -> list[tuple[int, str, Marked]]:
    return [
        (position, run.name, (run, mark))
        for position, (run, mark) in enumerate(zip(runs, marks, strict=True))
        if mark is not None and math.isfinite(mark.il + mark.dr)
    ]


def _place(mark: Marked) -> tuple[float, float]:
    # Nearer than this, two marks are one to the eye.
    return round(mark[1].il, 1), round(mark[1].dr, 1)


def _add(drawn: Drawing, mark: Overlap[Marked], title: str, marker: dict[str, Any], legend: bool) -> None:
    run, standing = mark.item
    several = len(mark.names) > 1
    if several:
        lines = [f"{name}: score {number(s.score)}" for name, (_, s) in zip(mark.names, mark.items, strict=True)]
        label = "<br>".join([f"<b>{literal(title, 90)}</b>", *(literal(line, 90) for line in lines[:MOST_LINES])])
        label += "<br>\N{HORIZONTAL ELLIPSIS}" if len(lines) > MOST_LINES else ""
    else:
        label = hover_text(f"{title}: {standing.label}", dict(standing.scores), standing.score)
    drawn.add(
        "scatter", x=[standing.il], y=[standing.dr], mode="markers", name=literal(title, 60), legendgroup=run.name,
        showlegend=legend, marker=marker, cliponaxis=False,
        text=[label], hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    if several:
        drawn.add_annotation(
            x=standing.il, y=standing.dr, text=f"{len(mark.names)} runs", showarrow=False,
            xanchor="left", xshift=10, yshift=10 if legend and marker["size"] == 13 else -10,
            font={"size": 11, "color": INK},
        )  # fmt: skip


def differences(runs: Sequence[RecordedRun]) -> list[str]:
    """Return the settings that change scores and differ between runs; empty where scores can be compared."""
    # What a run does not tell, as one that failed early, counts as no difference.
    aspects = {name: [of(run) for run in runs] for name, of in _ASPECTS.items()}
    return [n for n, values in aspects.items() if len({json.dumps(v, sort_keys=True) for v in values if v}) > 1]


FITNESSES = "fitnesses"


def same_plane(runs: Sequence[RecordedRun]) -> bool:
    """Whether IL and DR of the runs mean the same: they differ in nothing, or in how the two are combined alone."""
    return set(differences(runs)) <= {FITNESSES}


def comparability_text(runs: Sequence[RecordedRun]) -> str:
    """Return in a sentence that the runs cannot be compared and why; empty where they can."""
    found = differences(runs)
    if not found:
        return ""
    if found == [FITNESSES]:
        return (
            "These runs have different fitnesses: each made another score small, so their scores must not be set "
            "against each other and no mean is taken over them. Their IL and DR mean the same and are drawn together."
        )
    return (
        f"These runs cannot be compared: they have different {listing(found)}. Their scores must not be set against "
        "each other, so no mean is taken over them and no figure shows them together."
    )


_ASPECTS: dict[str, Callable[[RecordedRun], Any]] = {
    "data": lambda run: run.data_identity,
    "protected attributes": lambda run: sorted(protected_attributes(run)),
    "measures": lambda run: run.resolved.get("measures"),
    FITNESSES: lambda run: run.resolved.get("fitness"),
    "rules for missing values": lambda run: run.result.missing_rule,
}


def repeated(runs: Sequence[RecordedRun]) -> list[str]:
    """Return a sentence for each group of runs that ended with the same population and so count as one."""
    groups: dict[str, list[str]] = {}
    for run in runs:
        if digest := run.result.digest:
            groups.setdefault(digest, []).append(run.name)
    return [
        f"The runs {listing(names)} ended with the same population: they are one and the same search, repeated."
        for names in groups.values()
        if len(names) > 1
    ]


# name, share of the runs that attain the surface, and line
DRAWN = (("best", 1e-9, "dot"), ("median", 0.5, "solid"), ("worst", 1.0, "dash"))


def attainment(groups: Sequence[tuple[str, Sequence[RecordedRun]]]) -> Drawing | None:
    """Return the attainment surfaces of groups of runs, by label; None unless some group has two fronts or more."""
    fronts = [(label, [front_of(run) for run in runs]) for label, runs in groups]
    known = [(label, own) for label, own in fronts if sum(len(front) > 0 for front in own) > 1]
    if not known:
        return None
    drawn = Drawing(420)
    reach = [0.0, 0.0]
    for (label, own), colour in zip(known, colours(len(known)), strict=True):
        for name, share, dash in DRAWN:
            corners = attainment_surface(own, share)
            if not len(corners):
                continue
            reach = [max(reach[axis], float(corners[:, axis].max())) for axis in (0, 1)]
            il, dr = corners.T.round(4).tolist()
            drawn.add_line(
                il, dr, literal(f"{label}: {name}" if len(known) > 1 else name, 60),
                {"color": colour, "dash": dash, "width": 2 if name == "median" else 1.3, "shape": "hv"},
                legendgroup=label, hovertemplate="IL %{x:.2f}, DR %{y:.2f}<extra>%{fullData.name}</extra>",
            )  # fmt: skip
    right, top = max(10.0, reach[0]) * 1.08, max(10.0, reach[1]) * 1.08
    return on_plane(drawn, right, top).update(showlegend=True)
