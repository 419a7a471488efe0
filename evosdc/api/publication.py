"""Whether a protected file may be published, as Python sees it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evosdc.api.html import heading, paragraphs


@dataclass(frozen=True)
class Publication:
    """Whether a file may be published and why: what the terminal and the report open with.

    Parameters
    ----------
    publishable : bool or None
        None where nothing was measured to judge by.
    headline : str
        ``publishable``, ``publishable on conditions``, ``not publishable`` or ``no verdict``.
    provided : str
        On what conditions, in few words; empty where there is none.
    reasons, conditions : tuple of str
        Sentences: what it rests on, and what has to be seen to before.
    intruder : mapping or None
        What the informed intruder is expected to find: ``percent`` of the people, ``expected`` people, and more.
    trusted, distrusted : tuple of str
        What an analyst can still trust, and what not.
    published_unchanged : tuple of str
        Columns that are published as they are.
    unchanged_together : mapping or None
        What these tell together: ``columns``, ``unique_percent`` of the people, the ``alone_percent`` found by them,
        and the ``found_percent`` whom an informed intruder finds who knows the ``masked`` ones, too. Of ``known`` ones,
        which count as known to everybody, that is ``known_percent``.
    further : tuple of mapping
        What intruders find who know besides what published columns tell, such as the edges of a graph: ``measure``,
        ``knows``, ``columns``, and the ``percent`` of the people; None where that could not be measured.
    bound : mapping
        ``percent`` of the people that may be found, and the requirement that ``set_by``; None for the usual bound.
    above_limit : float or None
        Per cent above what any masked file can reach, where a limit is known.
    """

    publishable: bool | None
    headline: str
    provided: str
    reasons: tuple[str, ...]
    conditions: tuple[str, ...]
    intruder: Mapping[str, Any] | None
    trusted: tuple[str, ...]
    distrusted: tuple[str, ...]
    published_unchanged: tuple[str, ...]
    unchanged_together: Mapping[str, Any] | None
    further: tuple[Mapping[str, Any], ...]
    bound: Mapping[str, Any]
    above_limit: float | None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Publication":
        """Return what ``publication`` of a ``result.json`` says."""
        trust = document["trust"]
        return cls(
            document["publishable"],
            str(document["headline"]),
            str(document.get("provided") or ""),
            tuple(document["reasons"]),
            tuple(document["conditions"]),
            document["intruder"],
            tuple(trust["yes"]),
            tuple(trust["no"]),
            tuple(document["published_unchanged"]),
            document["unchanged_together"],
            tuple(document.get("further") or ()),
            document["bound"],
            document["above_limit"],
        )

    def html(self) -> Iterator[str]:
        """Yield what a notebook shows of it."""
        good = None if self.conditions and self.publishable else self.publishable
        provided = f": {self.provided}" if self.provided else ""
        yield heading(f"{self.headline.capitalize()}{provided}.", good)
        yield paragraphs(self.reasons)
        yield paragraphs(f"Before: {text}" for text in self.conditions)
