"""The second opinion on the page: findings of judges that the search did not use, in words, a table and a picture."""

from collections.abc import Mapping
from typing import Any

from evosdc.printing import not_applicable_sentences
from evosdc.report.drawn import BLUE, GREY, INK, VERMILION, Drawing, literal
from evosdc.report.frames import figure_of
from evosdc.report.wording import number
from evosdc.runs.reader import RecordedRun

_ROW = 34  # pixels of a judge in the picture


def second_opinion(run: RecordedRun) -> dict[str, Any] | None:
    """Return the content of the section; None where no judge ran."""
    opinion, clean = run.result.second_opinion, run.without_paths
    best, classical = opinion.best or {}, opinion.classical or {}
    judges, rival = best.get("judges"), classical.get("judges") or {}
    if not judges:
        return None
    rows = [
        {**own, "name": name, "rival": rival.get(name), "kind": own["kind"] if own["kind"] in ("dr", "il") else ""}
        for name, own in judges.items()
    ]
    kinds = (("dr", "Risk: what intruders reach, in per cent"), ("il", "Use: what analysts lose"), ("", "Further"))
    groups = [(title, [row for row in rows if row["kind"] == kind]) for kind, title in kinds]
    return {
        "holds": opinion.holds,
        "verdict": clean(opinion.text),
        "classical": clean(classical.get("verdict")),
        "classical_label": clean(opinion.classical_label),
        "rival": bool(rival),
        "groups": [(title, listed) for title, listed in groups if listed],
        "words": [row["words"] for row in rows],
        "claims": [
            f"{family} {number(value)} % by {best['claimed_by'].get(family, '')}"
            for family, value in best["claims"].items()
        ],
        "not_asked": list(map(clean, not_applicable_sentences(best["not_applicable"]))),
        "used": opinion.used_by_the_search,
        "drawn": risk_picture(judges, rival, bool(run.result.portfolio.tuned)),
    }


def risk_picture(judges: Mapping[str, Any], rival: Mapping[str, Any], tuned: bool) -> Drawing | None:
    """Return the risks that judges found, a line each: original, classical file, best found, chance, and the claim."""
    risks = {name: own for name, own in judges.items() if own["kind"] == "dr"}
    if not risks:
        return None
    names = [literal(name, 32) for name in risks]
    drawn = Drawing(110 + _ROW * len(risks))

    def points(label: str, key: str, symbol: str, colour: str, size: int, line: float = 0.0, of: Any = risks) -> None:
        values = [(of.get(name) or {}).get(key) for name in risks]
        text = [f"<b>{name}</b><br>{label}: {number(value, 1)} %" for name, value in zip(names, values, strict=True)]
        edge = {"width": line} | ({"color": colour} if symbol == "line-ns-open" else {})
        drawn.add(
            "scatter", x=values, y=names, mode="markers", name=label, text=text, hovertemplate="%{text}<extra></extra>",
            marker={"symbol": symbol, "color": colour, "size": size, "line": edge}, cliponaxis=False,
            error_x=_bars([of.get(name) or {} for name in risks], colour) if key == "value" else None,
        )  # fmt: skip

    points("original, unprotected", "original", "x", INK, 9)
    points("chance", "chance", "circle-open", GREY, 9, 1.5)
    if rival:
        label = "tuned classical file" if tuned else "best of the portfolio"
        points(label, "value", "diamond", BLUE, 9, of=rival)
    points("claimed by the search", "claim", "line-ns-open", VERMILION, 18, 2)
    points("best file found", "value", "star", VERMILION, 13)
    drawn.update_axes("x", title="per cent of people, guesses or combinations", rangemode="tozero")
    drawn.update_axes("y", autorange="reversed", type="category")
    return drawn.update(
        hovermode="closest", legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        meta={"narrow": {"xaxis.title.text": "per cent"}},
    )  # fmt: skip


def _bars(findings: list[Mapping[str, Any]], colour: str) -> dict[str, Any]:
    ends = [tuple(figure_of(own.get(key)) for key in ("low", "value", "high")) for own in findings]
    return {
        "type": "data", "symmetric": False, "array": [max(high - value, 0.0) for _, value, high in ends],
        "arrayminus": [max(value - low, 0.0) for low, value, _ in ends], "color": colour, "thickness": 1.2, "width": 3,
    }  # fmt: skip
