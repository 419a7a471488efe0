"""Draw ``docs/rooms.svg``, the rooms of evosdc in layers: ``python -m docs.rooms``."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "rooms.svg"

LAYERS: tuple[dict[str, str], ...] = (
    {"cli": "commands", "api": "the functions of Python"},
    {"experiment": "from an experiment file to a run or a study"},
    {"tuning": "best parameters of methods", "report": "HTML pages of runs", "testing": "conformance suites"},
    {"assess": "risk, judges, verdict", "engine": "evaluation, loop, archive", "runs": "run folders"},
    {"plugins": "discovery and registry", "options": "options of commands"},
    {"algorithms": "searches on DEAP", "executors": "serial, processes, pool", "datasets": "of the literature"},
    {"model": "the contracts: genotype, measure, masking method and others"},
    {"randomisation": "transition matrices, equations", "clustering": "clusters and their comparison"},
    {"files": "formats, frames, schema files, writing"},
    {"table": "integer codes, schema, hierarchies, distances"},
)
"""Rooms from top to bottom with what is in them; a room imports from layers below it alone."""

WIDTH, HEIGHT, GAP, SIDE = 760, 48, 8, 20
FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
MONO = "DejaVu Sans Mono, Consolas, monospace"


def plugin_names() -> list[str]:
    """Return the packages below ``plugins``."""
    return sorted(path.parent.name for path in (ROOT / "plugins").glob("*/__init__.py"))


def text(x: float, y: float, words: str, size: int = 12, mono: bool = False, colour: str = "#30404f") -> str:
    """Return a line of text."""
    family = f' font-family="{MONO}" font-weight="bold"' if mono else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{colour}"{family}>{words}</text>'


def box(x: float, y: float, width: float, height: float, fill: str, line: str, extra: str = "") -> str:
    """Return a rectangle."""
    shape = f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="5"'
    return f'{shape} fill="{fill}" stroke="{line}"{extra}/>'


def drawn() -> str:
    """Return the picture."""
    parts = []
    for row, rooms in enumerate(LAYERS):
        y, width = SIDE + row * (HEIGHT + GAP), (WIDTH - GAP * (len(rooms) - 1)) / len(rooms)
        for place, (name, words) in enumerate(rooms.items()):
            x = SIDE + place * (width + GAP)
            fill = ("#dfe6f5", "#2b3f8a") if name == "model" else ("#eaf1f8", "#33597f")
            parts += [box(x, y, width, HEIGHT, *fill), text(x + 12, y + 20, name, 14, True, "#16324f")]
            parts.append(text(x + 12, y + 39, words))
    below = SIDE + len(LAYERS) * (HEIGHT + GAP)
    parts += [
        box(SIDE, below, WIDTH, HEIGHT, "#f0f0f0", "#666666"),
        text(SIDE + 12, below + 20, "errors specs hookspecs secret printing slow_work", 14, True, "#16324f"),
        text(SIDE + 12, below + 39, "foundation: every room may import it"),
    ]
    side = SIDE + WIDTH + 3 * GAP
    height = below + HEIGHT
    parts.append(box(side, SIDE, 200, height - SIDE, "#fbf3fa", "#7d3f77", ' stroke-dasharray="6 3"'))
    parts.append(text(side + 12, SIDE + 22, "plugins/", 14, True, "#4f214b"))
    parts.append(text(side + 12, SIDE + 42, "found by their hooks"))
    names = plugin_names()
    step = (height - SIDE - 60) / len(names)
    for place, name in enumerate(names):
        parts.append(text(side + 12, SIDE + 70 + place * step, name, 13, True, "#16324f"))
    whole = f'viewBox="0 0 {side + 220} {height + SIDE}" width="{side + 220}" height="{height + SIDE}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {whole} role="img" aria-labelledby="t d" font-family="{FONT}">\n'
        '<title id="t">The rooms of evosdc</title>\n'
        '<desc id="d">Rooms stand in layers; a room imports from layers below it. Plugins stand beside.</desc>\n'
        f"{box(0, 0, side + 220, height + SIDE, '#ffffff', 'none')}\n" + "\n".join(parts) + "\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
