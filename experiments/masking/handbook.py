"""Table 35.1 of the handbook beside the same methods here.

The handbook does not say which file its table is of. Information loss leaves little doubt that it is Census: rank
swapping and MDAV without destandardising have the same there, up to the chance of the draws. Risk differs, since the
handbook's intruders and intervals are not described in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Row = Mapping[str, object]

RANK = {
    5: (16.27, 64.60353016),
    7: (20.95, 52.05937146),
    8: (22.42, 52.32661),
    9: (24.13, 40.95472341),
    10: (28.39, 41.191185),
    11: (29.79, 32.09452819),
    12: (31.08, 31.800747),
    13: (31.29, 25.26048534),
    14: (34.12, 26.5717775),
    15: (33.41, 20.60728858),
    16: (33.25, 22.996878),
    17: (35.88, 17.66314794),
    18: (34.69, 20.728565),
    19: (34.36, 15.55220303),
    20: (34.46, 18.856305),
}
"""aPIL and DR by p."""

MICMUL = {
    3: (38.36, 35.61935825),
    4: (42.80, 31.30605884),
    5: (46.47, 27.98280127),
    6: (48.60, 25.94948057),
    7: (50.55, 24.37663265),
    8: (51.00, 23.4813759),
    9: (52.71, 22.06353532),
    10: (53.53, 21.82407737),
}
"""aPIL and DR by k."""


def published() -> Iterator[tuple[str, str, float, float]]:
    """Yield the table's name of an entry, its label here, aPIL and DR; Mic4mul is left out: its groups are unknown."""
    for p, (loss, risk) in RANK.items():
        yield f"Rank{p:02d}", f"rank-swapping p={p}", loss, risk
    for k, (loss, risk) in MICMUL.items():
        yield f"Micmul{k:02d}", f"mdav destandardise=False k={k}", loss, risk


def comparison(rows: Sequence[Row]) -> str:
    """Return a table in Markdown of the handbook's figures and those of the entries with the same method."""
    by_label = {row["label"]: row for row in rows}
    lines = ["### census against Table 35.1 of the handbook", ""]
    lines += ["| entry | here | aPIL, handbook | aPIL, here | DR, handbook | DR with the greatest linkage, here |"]
    lines += ["|---|---|---|---|---|---|"]
    for name, label, loss, risk in published():
        if label in by_label:
            own = {key: float(str(by_label[label][key])) for key in ("il", "score-max")}
            greatest = 2 * own["score-max"] - own["il"]
            lines.append(f"| {name} | {label} | {loss:.2f} | {own['il']:.2f} | {risk:.2f} | {greatest:.2f} |")
    return "\n".join(lines) + "\n"
