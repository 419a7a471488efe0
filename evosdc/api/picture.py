"""Pictures of results: plain SVG, which every notebook shows, without a further library."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import isfinite
from pathlib import Path
from types import MappingProxyType

from evosdc.api.html import require_free
from evosdc.files.atomic import write_text

Point = tuple[float, float]

COLOURS = ("#1f5fa6", "#c2571a", "#2d7d46", "#7a4fa3", "#8a8a8a")
"""Of series, in their order; distinct for people with colour blindness, too."""

WIDTH, HEIGHT, MARGIN = 640, 400, 56

OUTSIDE = "outside the bounds"  # end of the names of series that are drawn as crosses


class Picture:
    """A picture that a notebook shows: ``found.plot()``, ``found.plot().save("front.svg")``."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | Path, overwrite: bool = False) -> Path:
        """Write the picture as SVG and return where it is; raises `DataError` where a file exists."""
        require_free(path, overwrite)
        write_text(Path(path), f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg}\n')
        return Path(path)

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "<picture; .save('FILE.svg') writes it>"


def points(
    title: str,
    x: str,
    y: str,
    series: Mapping[str, Sequence[Point]],
    lines: Sequence[str] = (),
    bounds: Mapping[str, float] = MappingProxyType({}),
) -> Picture:
    """Return points in a plane, in a colour by series; those `OUTSIDE` are crosses, `bounds` on ``il dr`` lines."""
    known = {name: [p for p in own if isfinite(p[0]) and isfinite(p[1])] for name, own in series.items()}
    both = [point for own in known.values() for point in own] + [(bounds.get("il", 0.0), 1.3 * bounds.get("dr", 0.0))]
    right, top = (_end(value[axis] for value in both) for axis in (0, 1))

    def place(point: Point) -> Point:
        across = MARGIN + (WIDTH - 2 * MARGIN) * point[0] / right
        return across, HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * point[1] / top

    parts = []
    for step in range(6):
        across, up = place((right * step / 5, top * step / 5))
        parts += [
            _line(across, MARGIN, across, HEIGHT - MARGIN, "#8883"),
            _line(MARGIN, up, WIDTH - MARGIN, up, "#8883"),
            _text(across, HEIGHT - MARGIN + 16, f"{right * step / 5:.4g}", "middle"),
            _text(MARGIN - 6, up + 4, f"{top * step / 5:.4g}", "end"),
        ]
    for place_of, (name, own) in enumerate(known.items()):
        colour = COLOURS[place_of % len(COLOURS)]
        if name in lines:
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in map(place, own))
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        else:
            for point in own:
                a, b = place(point)
                hover = escape(f"{name}: {x} {point[0]:.4g}, {y} {point[1]:.4g}")
                sign = f'circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"'
                if name.endswith(OUTSIDE):
                    sign = f'path d="M{a - 4:.1f} {b - 4:.1f}l8 8m0 -8l-8 8" stroke="{colour}" stroke-width="1.6"'
                parts.append(f"<{sign}><title>{hover}</title></{sign.split()[0]}>")
        parts.append(_text(WIDTH - MARGIN, MARGIN + 4 + 16 * place_of, name, "end", colour))
    for axis, value in bounds.items():
        a, b = place((value, value))
        across, up = (a + 4, MARGIN + 12) if axis == "il" else (MARGIN + 4, b - 5)
        begin, end = ((a, MARGIN), (a, HEIGHT - MARGIN)) if axis == "il" else ((MARGIN, b), (WIDTH - MARGIN, b))
        parts.append(_line(begin[0], begin[1], end[0], end[1], COLOURS[1]))
        parts.append(_text(across, up, f"bound {value:g}", "start", COLOURS[1]))
    parts += [_text(WIDTH / 2, HEIGHT - 14, x, "middle"), _text(MARGIN - 40, MARGIN - 14, y, "start")]
    return _picture(title, HEIGHT, parts)


def bars(
    title: str, x: str, rows: Mapping[str, Mapping[str, float]], ranges: Mapping[str, Point] | None = None
) -> Picture:
    """Return a line a row, with a mark for each of its figures."""
    figures = [value for own in rows.values() for value in own.values() if isfinite(value)]
    end, left, height = _end(figures), 220, MARGIN * 2 + 24 * len(rows)

    def place(value: float) -> float:
        return left + (WIDTH - MARGIN - left) * max(0.0, min(value, end)) / end

    names = list(dict.fromkeys(name for own in rows.values() for name in own))
    parts = []
    for step in range(6):
        across = place(end * step / 5)
        parts += [
            _line(across, MARGIN, across, height - MARGIN, "#8883"),
            _text(across, height - MARGIN + 16, f"{end * step / 5:.4g}", "middle"),
        ]
    for row, (label, own) in enumerate(rows.items()):
        up = MARGIN + 24 * row + 12
        parts.append(_text(left - 8, up + 4, label if len(label) <= 32 else f"{label[:31]}…", "end"))
        for at, (name, value) in enumerate(own.items()):
            if not isfinite(value):
                continue
            colour, hover = COLOURS[names.index(name) % len(COLOURS)], escape(f"{label}: {name} {value:.4g}")
            shape = (
                f'<rect x="{left}" y="{up - 6}" width="{place(value) - left:.1f}" height="12"'
                if at == 0
                else f'<circle cx="{place(value):.1f}" cy="{up}" r="4"'
            )
            parts.append(f'{shape} fill="{colour}"><title>{hover}</title></{shape[1:].split()[0]}>')
        if ranges and label in ranges:
            parts.append(_line(place(ranges[label][0]), up, place(ranges[label][1]), up, "currentColor"))
    parts += [
        _text(left + 110 * at, MARGIN - 12, name, "start", COLOURS[at % len(COLOURS)]) for at, name in enumerate(names)
    ]
    return _picture(title, height, [*parts, _text((left + WIDTH - MARGIN) / 2, height - 14, x, "middle")])


def _end(values: Iterable[float]) -> float:
    """Return the end of an axis from 0: a round number at or above all values."""
    most = max([value for value in values if isfinite(value)] or [1.0])
    if most <= 0.0:
        return 1.0
    unit = 10.0 ** (len(f"{most:.0f}") - 1) if most >= 1.0 else 0.1
    return next(unit * step for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15) if unit * step >= most)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str = "currentColor") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _picture(title: str, height: float, parts: Sequence[str]) -> Picture:
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12"><title>{escape(title)}</title>'
    )
    return Picture(opening + _text(WIDTH / 2, 20, title, "middle") + "".join(parts) + "</svg>")
