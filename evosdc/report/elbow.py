"""The page about clusters: within-distance by their number, their representatives, and their stability."""

from collections.abc import Mapping
from typing import Any

from evosdc.report.drawn import BLUE, GREY, VERMILION, Drawing
from evosdc.report.resources import page
from evosdc.report.wording import MISSING_RULES, listing, number, plural

# indices of agreement as the page calls them
INDICES = {
    "rand": "Rand",
    "adjusted-rand": "adjusted Rand",
    "jaccard": "Jaccard",
    "wallace": "Wallace",
    "wallace-reversed": "Wallace, reversed",
    "fowlkes-mallows": "Fowlkes-Mallows",
    "mi": "mutual information",
    "nmi": "mutual information, normalised",
    "variation-of-information": "variation of information",
}


def clusters_page(account: Mapping[str, Any], title: str) -> str:
    """Return the page about clusters as text, complete in itself."""
    elbow, fuzzy, names = account["elbow"], account["fuzzy"], account["attributes"]
    settings = [("attributes", ", ".join(names)), ("clusters requested", str(account["asked"]))]
    settings += [("starts", str(account["starts"])), ("seed", str(account["seed"]))]
    settings += [] if fuzzy is None else [("fuzziness m", f"{fuzzy['fuzziness']:g}")]
    settings.append(("missing values", MISSING_RULES.get(account["missing_rule"], account["missing_rule"])))
    return page(
        "clusters.html", title=title, account=account, sentences=sentences(account), indices=INDICES, settings=settings,
        elbow=elbow and elbow_figure(elbow, len(account["clusters"])), rows=elbow and elbow_rows(account),
    )  # fmt: skip


def elbow_figure(elbow: Mapping[str, Any], taken: int) -> Drawing:
    """Return the curve of within-distances with its chord, the number it suggests, and the number that was taken."""
    x = [point["clusters"] for point in elbow["curve"]]
    y = [point["distance"] for point in elbow["curve"]]
    drawn = Drawing(380)
    chord = {"color": GREY, "dash": "dot", "width": 1.2}
    drawn.add_line([x[0], x[-1]], [y[0], y[-1]], "chord", chord, hoverinfo="skip")
    drawn.add(
        "scatter", x=x, y=y, mode="lines+markers", name="mean distance",
        line={"color": BLUE, "width": 2}, marker={"size": 6},
        hovertemplate="%{x} clusters: %{y:.4f}<extra></extra>",
    )  # fmt: skip
    marked = (("suggested", elbow["suggested"], VERMILION, "diamond"), ("taken", taken, BLUE, "circle-open"))
    for name, clusters, colour, symbol in marked:
        if clusters in x:
            drawn.add(
                "scatter", x=[clusters], y=[y[x.index(clusters)]],
                mode="markers", name=f"{name}: {clusters}", hoverinfo="skip",
                marker={"size": 14, "symbol": symbol, "color": colour, "line": {"width": 2, "color": colour}},
            )  # fmt: skip
    drawn.update_axes("x", title="clusters", **({"dtick": 1} if len(x) <= 20 else {}))
    drawn.update_axes("y", title="mean distance to the representative", rangemode="tozero")
    return drawn.update(legend={"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"})


def sentences(account: Mapping[str, Any]) -> list[str]:
    """Return the summary of clusters, in words."""
    lines = []
    elbow, stability, fuzzy = account["elbow"], account["stability"], account["fuzzy"]
    lines.append(
        f"{plural(account['records'], 'record')} in {plural(len(account['clusters']), 'cluster')} by "
        f"{listing(account['attributes'])}. A record is {number(account['distance'], 3)} from its representative in "
        "the mean, where an attribute that differs as much as it can counts 1."
    )
    if elbow is not None:
        most = elbow["curve"][-1]["clusters"]
        lines.append(
            f"The curve up to {most} clusters suggests {elbow['suggested']}: there it is farthest below its chord. "
            "Another end of the curve may suggest another number."
            if elbow["suggested"] is not None
            else f"The curve up to {most} clusters suggests no number: it has no knee."
        )
    if stability is not None:
        loss = stability["losses"]["adjusted-rand"]
        lines.append(
            f"Clusterings by {len(stability['seeds'])} seeds differ by {number(loss, 1)} of 100 in the mean (1 - "
            "adjusted Rand index), though nothing was masked: up to that a loss of a masked file tells nothing."
            if loss > 0.0
            else f"Clusterings by {len(stability['seeds'])} seeds are all equal."
        )
    if fuzzy is not None:
        lines.append(
            f"Fuzzy with m = {fuzzy['fuzziness']:g}: the partition coefficient is "
            f"{number(fuzzy['partition_coefficient'], 3)}; 1 if every record belongs to one cluster alone, "
            f"{number(1 / len(account['clusters']), 3)} if all belong to all alike."
        )
    return lines


def elbow_rows(account: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return one row a number of clusters: mean distance, its share of that of one cluster, and its mark, in words."""
    taken, suggested = len(account["clusters"]), account["elbow"]["suggested"]
    return [
        {
            "clusters": str(point["clusters"]),
            "distance": number(point["distance"], 4),
            "percent": number(100 * point["share"], 1),
            "mark": ", ".join(w for w, c in (("suggested", suggested), ("taken", taken)) if c == point["clusters"]),
        }
        for point in account["elbow"]["curve"]
    ]
