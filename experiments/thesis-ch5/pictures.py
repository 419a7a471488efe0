"""The pictures: dispersion of protections, differences over seeds, lost clusters, and the curves of the slides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from drawing import BLUE, GREEN, GREY, INK, LIGHT_BLUE, ORANGE, VERMILION, panels, written
from matplotlib.colors import BoundaryNorm
from protections import METHODS, Protection
from ranks import LEVEL, Comparison

TITLES = {"housing": "Housing", "german": "German Credit", "mdav": "microaggregation", "global-median": "global median"}
IL, DR = "information loss IL (%)", "disclosure risk DR (%)"


def dispersion(file: str, files: Sequence[Protection], path: Path) -> Path:
    """Draw IL and DR of one method's files with and without clusters, in the manner of figures 5.1 to 5.8.

    Beside it DR is what an informed intruder learns.
    """
    figure, drawn = panels(1, 2, (9.6, 4.4))
    plain = sorted((one for one in files if one.c == 1), key=lambda one: one.k)
    clustered = [one for one in files if one.c > 1]
    cs = sorted({one.c for one in clustered})
    norm = BoundaryNorm([c - 0.5 for c in (*cs, cs[-1] + 1)], len(cs))
    for axes, kind in zip(drawn, ("point", "informed_point"), strict=True):
        points = axes.scatter(
            *np.transpose([getattr(one, kind) for one in clustered]), c=[one.c for one in clustered], norm=norm,
            cmap=mpl.colormaps["viridis"].resampled(len(cs)), s=18, linewidths=0,
        )  # fmt: skip
        axes.plot(
            *np.transpose([getattr(one, kind) for one in plain]), color=VERMILION, marker="D", markersize=4.5,
            linewidth=1.1, markerfacecolor="white", markeredgewidth=1.2, label="not clustered",
        )  # fmt: skip
        for one, place in ((plain[0], (8, 4)), (plain[-1], (-6, -14))):
            at = getattr(one, kind)
            sides = "left" if place[0] > 0 else "right"
            axes.annotate(f"k = {one.k}", at, place, textcoords="offset points", ha=sides, color=VERMILION)
        axes.margins(0.07, 0.09)
        axes.set_xlabel(IL)
        axes.scatter([], [], s=18, color=mpl.colormaps["viridis"](0.5), linewidths=0, label="clustered, by c")
        axes.legend(loc="upper right")
    drawn[0].set(ylabel=DR, title=f"{TITLES[file]}, {TITLES[files[0].method]}")
    drawn[1].set(ylabel="informed DR (%)", title="the informed intruder")
    bar = figure.colorbar(points, ax=drawn, ticks=cs, label="clusters c before protection")
    bar.ax.tick_params(size=0)
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
    return written(figure, path)


def differences(
    compared: Mapping[tuple[str, str], Sequence[tuple[Comparison, float]]], quantities: Sequence[str], path: Path
) -> Path:
    """Draw what clustering changes, by number of clusters: median and range over seeds; hollow where p is not small."""
    looks = dict(zip(quantities, ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^")), strict=False))
    files = list(dict.fromkeys(file for file, _ in compared))
    figure, drawn = panels(len(files), len(METHODS), (7.6, 2.6 * len(files) + 0.6), shared=True)
    for axes, ((file, method), entries) in zip(drawn, compared.items(), strict=True):
        axes.axhline(0.0, color=INK, linewidth=0.9)
        for place, (quantity, (colour, marker)) in enumerate(looks.items()):
            for one, p in (entry for entry in entries if entry[0].quantity == quantity):
                x = one.c + 0.22 * (place - (len(looks) - 1) / 2)
                axes.plot([x, x], [min(one.differences), max(one.differences)], color=colour, linewidth=1.3)
                face = colour if p < LEVEL else "white"
                axes.plot(x, one.difference, marker=marker, markersize=5.5, color=colour, markerfacecolor=face)
        axes.set_title(f"{TITLES[file]}, {TITLES[method]}")
        axes.set_xticks(sorted({one.c for one, _ in entries}))
        axes.grid(visible=False, axis="x")
    for axes in drawn[-len(METHODS) :]:
        axes.set_xlabel("clusters c before protection")
    for axes in drawn[:: len(METHODS)]:
        axes.set_ylabel("difference (points of 100)\nbelow 0: clustering is better", fontsize=9)
    line = mpl.lines.Line2D
    keys = [line([], [], color=c, marker=m, linewidth=1.3, label=quantity) for quantity, (c, m) in looks.items()]
    keys.append(line([], [], color=GREY, marker="o", markerfacecolor="white", linewidth=0, label="no evidence"))
    figure.legend(handles=keys, loc="outside lower center", ncols=len(keys))
    return written(figure, path)


def lost_clusters(file: str, files: Sequence[tuple[Protection, float, float]], yardstick: float, path: Path) -> Path:
    """Draw lost clusters and DR in the manner of figures 5.9 and 5.10, from random starts and from the original's."""
    figure, drawn = panels(1, 2, (8.4, 4.3), shared=True)
    looks = {
        (METHODS[0], False): (LIGHT_BLUE, "o", 4), (METHODS[1], False): (ORANGE, "x", 4),
        (METHODS[0], True): (BLUE, "D", 5), (METHODS[1], True): (VERMILION, "s", 5.5),
    }  # fmt: skip
    for which, axes in enumerate(drawn):
        for (method, plain), (colour, marker, size) in looks.items():
            chosen = [entry for entry in files if entry[0].method == method and (entry[0].c == 1) == plain]
            axes.plot(
                [entry[1 + which] for entry in chosen], [entry[0].figures["dr"] for entry in chosen], linestyle="none",
                color=colour, marker=marker, markersize=size, markerfacecolor="white" if plain else colour,
                label=f"{TITLES[method]}{'' if plain else ', clustered'}",
            )  # fmt: skip
        axes.set_xlabel("lost clusters, 100 (1 - adjusted Rand) (%)")
    drawn[0].axvline(yardstick, color=GREEN, linestyle="--", linewidth=1.5, label="another seed, nothing masked")
    drawn[0].set(ylabel=DR, title=f"{TITLES[file]}: random starts")
    drawn[1].set_title("from the original's clusters")
    drawn[0].set_xlim(left=0)
    figure.legend(*drawn[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return written(figure, path)


def census(rows: Sequence[tuple[int, int, Mapping[str, float]]], path: Path) -> Path:
    """Draw IL1 to IL6 of Census by k, for both lengths of the quasi-identifier (slide 22)."""
    lengths = list(dict.fromkeys(length for length, _, _ in rows))
    names = [name for name in rows[0][2] if max(losses[name] for _, _, losses in rows) > 1e-6]
    figure, drawn = panels(1, len(names), (2.3 * len(names), 2.9))
    for axes, name in zip(drawn, names, strict=True):
        for length, colour, marker in zip(lengths, (BLUE, VERMILION), "os", strict=True):
            points = [(k, losses[name]) for found, k, losses in rows if found == length]
            axes.plot(*np.transpose(points), color=colour, marker=marker, label=f"{length} attributes")
        axes.set(title=name, xlabel="k")
        axes.set_xticks(sorted({k for _, k, _ in rows}))
        axes.set_ylim(bottom=0)
    drawn[0].set_ylabel("mean variation (%)")
    figure.legend(*drawn[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(lengths))
    return written(figure, path)


def averages(rows: Sequence[tuple[int, int, str, Mapping[str, float]]], path: Path) -> Path:
    """Draw the losses of Housing by k, median against convex median (slides 25 to 27)."""
    lengths = list(dict.fromkeys(length for length, *_ in rows))
    names = ["Dist", "ACTBIL'", "EBIL"]
    figure, drawn = panels(len(names), len(lengths), (2.1 * len(lengths), 1.75 * len(names) + 0.5))
    for place, axes in enumerate(drawn):
        name, length = names[place // len(lengths)], lengths[place % len(lengths)]
        for average, colour, marker in (("median", BLUE, "o"), ("convex-median", VERMILION, "s")):
            points = [(k, losses[name]) for found, k, kind, losses in rows if (found, kind) == (length, average)]
            axes.plot(*np.transpose(points), color=colour, marker=marker, markersize=3.5, label=average)
        axes.set_ylim(0, 1.08 * max(losses[name] for *_, losses in rows))
        axes.set_xticks(sorted({k for _, k, *_ in rows}))
        if place < len(lengths):
            axes.set_title(f"{length} attributes")
        if place % len(lengths) == 0:
            axes.set_ylabel(f"{name} (%)")
        else:
            axes.tick_params(labelleft=False)
        if place >= len(drawn) - len(lengths):
            axes.set_xlabel("k")
        else:
            axes.tick_params(labelbottom=False)
    figure.legend(*drawn[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return written(figure, path)
