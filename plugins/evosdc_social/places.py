"""Places that users wrote, found in a tree of places."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evosdc.table.hierarchy import Hierarchy

_PARTS = re.compile(r"[,;/|()]|\s[-\N{EN DASH}]\s")
_SIGNS = re.compile(r"[^\w ]+")

NOT_FINER = "(not finer)"
"""Follows a place above the leaves that is all a user says: a leaf of its own below that place."""


@dataclass(frozen=True)
class Places:
    """Where users are.

    Parameters
    ----------
    leaves : tuple of str or None
        By user a leaf of `tree`; None where nothing was said, or it was not found.
    tree : Hierarchy
        The tree that was given, with a leaf more for each place above the leaves that somebody says.
    unknown : Counter of str
        What was not found, and how often it was said.
    """

    leaves: tuple[str | None, ...]
    tree: Hierarchy
    unknown: Counter[str]


def resolved(texts: Sequence[str | None], tree: Hierarchy) -> Places:
    """Return where users are, by what they wrote: ``leeds, UK`` is Leeds.

    Capitals, accents and punctuation are of no account. A text that is no label of the tree is cut at commas, slashes,
    brackets and dashes, and the finest label among its parts counts that lies below the others which are found; where
    labels contradict each other, as in ``Leeds / Rome``, the text is not found. Nothing is guessed beyond that; a label
    without letters and digits, such as the root ``*``, is no place that anybody says.

    Parameters
    ----------
    texts : sequence of str or None
    tree : Hierarchy
    """
    paths = {(leaf, *labels) for leaf, labels in zip(tree.leaves, tree.levels, strict=True)}
    known: dict[str, list[str]] = {}
    above: dict[str, set[str]] = {}
    for path in sorted(paths):
        for level, label in enumerate(path):
            below = known.setdefault(plain(label), [])
            if label not in below:
                below.append(label)
            above.setdefault(label, set()).update(path[level:])
    known.pop("", None)
    found: dict[str, str | None] = {}
    for text in dict.fromkeys(text for text in texts if text):
        found[text] = _place(text, known, above)
    leaves = set(tree.leaves)
    inner = [label for label in dict.fromkeys(found.values()) if label is not None and label not in leaves]
    places = [found.get(text or "") for text in texts]
    named = tuple(None if p is None else p if p in leaves else f"{p} {NOT_FINER}" for p in places)
    unknown = Counter(text for text in texts if text and text.strip() and found[text] is None)
    return Places(named, _with_leaves(tree, inner), unknown)


def plain(text: str) -> str:
    """Return a text without capitals, accents, punctuation and double blanks."""
    bare = "".join(s for s in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(s))
    return " ".join(_SIGNS.sub(" ", bare.replace("&", " and ")).split())


def _place(text: str, known: dict[str, list[str]], above: dict[str, set[str]]) -> str | None:
    whole = known.get(plain(text))
    if whole:
        return whole[0] if len(whole) == 1 else None
    parts = [set(known[plain(part)]) for part in _PARTS.split(text) if plain(part) in known]
    # A part may be the name of several places: one of them has to be above the finest, or itself.
    finest = [label for label in set().union(*parts) if all(part & above[label] for part in parts)]
    return finest[0] if len(finest) == 1 else None


def _with_leaves(tree: Hierarchy, inner: Sequence[str]) -> Hierarchy:
    leaves, levels = list(tree.leaves), list(tree.levels)
    for label in inner:
        path = next(path for path in tree.levels if label in path)
        leaves.append(f"{label} {NOT_FINER}")
        # Below its own level the new leaf keeps its own name, so that no finer place is claimed.
        own = next(level for level, one in enumerate(path) if one == label)
        levels.append((*[leaves[-1]] * own, *path[own:]))
    return Hierarchy(tuple(leaves), tuple(levels), tree.origin, tree.names)
