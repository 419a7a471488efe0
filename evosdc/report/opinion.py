"""The second opinion on the page: what judges that the search did not use say, in words, a table and a picture."""

from collections.abc import Mapping
from typing import Any

from evosdc.printing import not_applicable_sentences
from evosdc.report.drawn import Drawing
from evosdc.report.frames import figure_of, mapping
from evosdc.report.palette import BLUE, GREY, INK, VERMILION, figure, literal
from evosdc.report.wording import NOTHING, PLUS_MINUS, number
from evosdc.runs.reader import RecordedRun

_ROW = 34
"""Pixels of a judge in the picture."""


def second_opinion(run: RecordedRun) -> dict[str, Any] | None:
    """Return what the section shows; None where no judge was asked."""
    opinion = run.result.second_opinion
    best, classical = mapping(opinion.best), mapping(opinion.classical)
    judges = mapping(best.get("judges"))
    if not judges:
        return None
    rival = mapping(classical.get("judges"))
    lacking = {name: str(reason) for name, reason in mapping(best.get("not_applicable")).items()}
    rows = [_row(name, mapping(own), mapping(rival.get(name))) for name, own in judges.items()]
    kinds = (("dr", "Risk: what intruders reach, in per cent"), ("il", "Use: what analysts lose"), ("", "Further"))
    named = {kind for kind, _ in kinds}
    groups = [
        (title, [row for row in rows if (row["kind"] if row["kind"] in named else "") == kind]) for kind, title in kinds
    ]
    return {
        "holds": opinion.holds,
        "verdict": run.told(opinion.text),
        "classical": run.told(classical.get("verdict")),
        "classical_label": run.told(opinion.classical_label),
        "rival": bool(rival),
        "groups": [(title, listed) for title, listed in groups if listed],
        "words": [row["words"] for row in rows],
        "claims": [
            f"{family} {number(figure_of(value))} % by {mapping(best.get('claimed_by')).get(family, '')}"
            for family, value in mapping(best.get("claims")).items()
        ],
        "not_asked": [run.told(sentence) for sentence in not_applicable_sentences(lacking)],
        "used": opinion.used_by_the_search,
        "drawn": risk_picture(judges, rival, bool(run.result.portfolio.tuned)),
    }


def _row(name: str, own: Mapping[str, Any], rival: Mapping[str, Any]) -> dict[str, Any]:
    claim, times = own.get("claim"), own.get("times")
    return {
        "name": name,
        "kind": str(own.get("kind", "")),
        "words": str(own.get("words", "")),
        "original": number(figure_of(own.get("original")), 1),
        "classical": _with_error(rival) if rival else NOTHING,
        "best": _with_error(own),
        "chance": number(figure_of(own.get("chance")), 1),
        "claim": number(figure_of(claim), 1),
        "times": number(figure_of(times), 2),
        "exceeds": bool(own.get("exceeds")),
    }


def _with_error(finding: Mapping[str, Any]) -> str:
    value, error = figure_of(finding.get("value")), figure_of(finding.get("error"), 0.0)
    return number(value, 1) + (f" {PLUS_MINUS} {number(error, 1)}" if error > 0.0 else "")


def risk_picture(judges: Mapping[str, Any], rival: Mapping[str, Any], tuned: bool) -> Drawing | None:
    """Return the risks that judges found, a line each: original, classical file, best found, chance, and the claim."""
    risks = [(name, mapping(own)) for name, own in judges.items() if mapping(own).get("kind") == "dr"]
    if not risks:
        return None
    names = [literal(name, 32) for name, _ in risks]
    drawn = figure(110 + _ROW * len(risks))
    known = "tuned classical method" if tuned else "best of the portfolio"
    others = [mapping(rival.get(name)) for name, _ in risks]

    def points(label: str, values: list[float], marker: dict[str, Any], bars: dict[str, Any] | None = None) -> None:
        text = [f"<b>{name}</b><br>{label}: {number(value, 1)} %" for name, value in zip(names, values, strict=True)]
        drawn.add_scatter(
            x=values, y=names, mode="markers", name=label, marker=marker, error_x=bars, text=text,
            hovertemplate="%{text}<extra></extra>", cliponaxis=False,
        )  # fmt: skip

    points(
        "original, unprotected",
        [figure_of(own.get("original")) for _, own in risks],
        {"symbol": "x", "color": INK, "size": 9, "line": {"width": 0}},
    )
    points(
        "chance",
        [figure_of(own.get("chance")) for _, own in risks],
        {"symbol": "circle-open", "color": GREY, "size": 9, "line": {"width": 1.5}},
    )
    if rival:
        values = [figure_of(own.get("value")) for own in others]
        points(
            known, values, {"symbol": "diamond", "color": BLUE, "size": 9, "line": {"width": 0}}, _bars(others, BLUE)
        )
    found = [own for _, own in risks]
    points(
        "claimed by the search",
        [figure_of(own.get("claim")) for own in found],
        {"symbol": "line-ns-open", "color": VERMILION, "size": 18, "line": {"width": 2, "color": VERMILION}},
    )
    points(
        "best file found",
        [figure_of(own.get("value")) for own in found],
        {"symbol": "star", "color": VERMILION, "size": 13, "line": {"width": 0}},
        _bars(found, VERMILION),
    )
    drawn.update_xaxes(title_text="per cent of people, guesses or combinations", rangemode="tozero")
    drawn.update_yaxes(autorange="reversed", type="category")
    return drawn.update_layout(
        hovermode="closest", legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        meta={"narrow": {"xaxis.title.text": "per cent"}},
    )  # fmt: skip


def _bars(findings: list[Mapping[str, Any]], colour: str) -> dict[str, Any]:
    values = [figure_of(own.get("value")) for own in findings]
    ends = [(figure_of(own.get("low")), figure_of(own.get("high"))) for own in findings]
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(high - value, 0.0) for value, (_, high) in zip(values, ends, strict=True)],
        "arrayminus": [max(value - low, 0.0) for value, (low, _) in zip(values, ends, strict=True)],
        "color": colour,
        "thickness": 1.2,
        "width": 3,
    }
