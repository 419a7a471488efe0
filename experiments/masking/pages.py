"""What the study leaves: a CSV with all scores, a text with the tables, a page with a map of each file."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import plotly.graph_objects as go

from evosdc.report.figures import add_iso_scores

Row = Mapping[str, object]

COLUMNS = ("il", "id", "dbrl", "prl", "dr", "score", "score-max", "seconds")


def listing(title: str, rows: Sequence[Row], top: int) -> str:
    """Return the best entries of a file as a table in Markdown, the original with its rank at the end."""
    shown = [column for column in COLUMNS if any(column in row for row in rows)]
    lines = [f"### {title}", "", f"| rank | method | {' | '.join(shown)} |", f"|---|---|{'---|' * len(shown)}"]
    for rank, row in enumerate(rows, 1):
        if rank <= top or row["method"] == "original":
            figures = " | ".join(f"{float(str(row[c])):.2f}" if c in row else "" for c in shown)
            lines.append(f"| {rank} | {row['label']} | {figures} |")
    return "\n".join(lines) + "\n"


def write_csv(rows: Sequence[Row], target: Path) -> None:
    """Write all rows of all files."""
    fields = list(dict.fromkeys(key for row in rows for key in row))
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: f"{v:.6f}" if isinstance(v, float) else v for key, v in row.items()} for row in rows)


def best_of_methods(by_file: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the best score of each method on each file, the best method of the first file first."""
    methods = dict.fromkeys(str(row["method"]) for rows in by_file.values() for row in rows)
    least: dict[str, dict[str, float]] = {method: {} for method in methods}
    for file, rows in by_file.items():
        for row in rows:
            own = least[str(row["method"])]
            own[file] = min(own.get(file, float("inf")), float(str(row["score"])))
    return [
        {"method": method, **{file: f"{own[file]:.2f}" if file in own else "" for file in by_file}}
        for method, own in least.items()
    ]


def top_of_files(by_file: Mapping[str, Sequence[Row]], top: int) -> list[Row]:
    """Return the best entries of each file, and its original, with their ranks."""
    return [
        {"file": file, "rank": rank, "method": row["label"]}
        | {name: f"{float(str(row[name])):.2f}" for name in COLUMNS[:-1] if name in row}
        for file, rows in by_file.items()
        for rank, row in enumerate(rows, 1)
        if rank <= top or row["method"] == "original"
    ]


def write_page(by_file: Mapping[str, Sequence[Row]], target: Path) -> None:
    """Write one page: information loss against disclosure risk, a map for each file and a colour for each method."""
    parts = []
    for title, rows in by_file.items():
        known = [row for row in rows if float(str(row["il"])) == float(str(row["il"]))]
        drawn = go.Figure()
        for method in dict.fromkeys(str(row["method"]) for row in known):
            own = [row for row in known if row["method"] == method]
            drawn.add_scatter(
                x=[row["il"] for row in own],
                y=[row["dr"] for row in own],
                text=[f"{row['label']}<br>score {float(str(row['score'])):.2f}" for row in own],
                hovertemplate="%{text}<br>IL %{x:.2f}, DR %{y:.2f}<extra></extra>",
                mode="markers",
                name=method,
            )
        add_iso_scores(drawn, 100.0, 100.0)
        drawn.update_layout(title=title, height=620, template="plotly_white")
        drawn.update_xaxes(title_text="information loss IL", range=[0, 100])
        drawn.update_yaxes(title_text="disclosure risk DR", range=[0, 105])
        parts.append(drawn.to_html(full_html=False, include_plotlyjs=not parts))
    target.write_text("<!DOCTYPE html><meta charset='utf-8'><title>Masking</title>" + "".join(parts), encoding="utf-8")
