"""What a protected file had to fulfil."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from evosdc.assess.verdict import required_words


@dataclass(frozen=True)
class Requirement:
    """What the file had to fulfil, the figure that it has, and whether that is enough.

    Parameters
    ----------
    text : str
    value : float
    met : bool
    quasi_identifiers : tuple of str
        What a privacy model looks at; empty for other requirements.
    unmasked : tuple of str
        Those of them that are published unchanged.
    own : bool
        Whether evosdc set it itself, as one of its limits, and nobody required it.
    """

    text: str
    value: float
    met: bool
    quasi_identifiers: tuple[str, ...] = ()
    unmasked: tuple[str, ...] = ()
    own: bool = False

    @property
    def words(self) -> str:
        """The requirement; where some of what it looks at is not masked, with those names."""
        over = {"quasi_identifiers": self.quasi_identifiers, "unmasked": self.unmasked}
        return required_words({"requirement": self.text} | over)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Self:
        """Return the requirement of an entry of ``requirements`` in ``result.json``."""
        over, unmasked = (tuple(entry.get(key, ())) for key in ("quasi_identifiers", "unmasked"))
        figure, met, own = float(entry["value"]), bool(entry["met"]), bool(entry.get("own"))
        return cls(str(entry["requirement"]), figure, met, over, unmasked, own)
