"""What both pictures of a graph are drawn with."""

from html import escape

from evosdc_social.tree import Tree

LEAST_DRAWN = 3
"""Users of a group, or below a label, that is drawn: smaller ones are nearly single records."""

INK = "#1f2933"
LETTER = 6.6
"""Width of a letter of the usual size, 12."""


def opened(width: int, height: int) -> str:
    """Return the beginning of a picture."""
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12">'


def written(x: float, y: float, text: str, ink: str = INK, anchor: str = "start") -> str:
    """Return a line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{ink}" text-anchor="{anchor}">{escape(text)}</text>'


def shortened(text: str, letters: int) -> str:
    """Return a text of so many letters at most."""
    return text if len(text) <= letters else f"{text[: max(letters - 1, 0)]}\N{HORIZONTAL ELLIPSIS}"


def label_of(tree: Tree, node: int) -> str:
    """Return what a node is called."""
    return "missing" if node == len(tree.labels) else tree.labels[node]
