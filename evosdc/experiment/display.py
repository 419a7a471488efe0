"""How a run shows its progress to the user."""

from collections.abc import Mapping
from typing import Any


class Display:
    """Receives the progress of a run. This one shows nothing; a subclass shows what it overrides."""

    # Whether it needs every generation of a study's runs, which then run here one after another.
    here: bool = False

    def limited(self, seconds: float | None) -> None:
        """The run begins, and takes at most `seconds`; None: no time limits it."""

    def tuning(self, done: int) -> None:
        """`done` files are masked and judged to find each method's best parameters."""

    def slow(self, what: str, seconds: float) -> None:
        """A single file, made by `what`, has taken `seconds` so far; called from a thread of its own."""

    def planning(self, evaluations: int, score: float | None) -> None:
        """`evaluations` protection plans were evaluated; the best one has this score, None at the beginning."""

    def starting(self, done: int, total: int) -> None:
        """`done` of `total` starting files are masked and evaluated."""

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """A generation is complete; `limit` is the number of generations at most."""

    def wish(self, record: Mapping[str, Any]) -> str | None:
        """Return why the search is to end with a generation, in words; None where it is to go on."""
        return None

    def concluding(self, what: str) -> None:
        """The search is over, and `what` is the present step, such as "asking judges for a second opinion"."""

    def judging(self, done: int, total: int) -> None:
        """`done` of the `total` judges of the second opinion have answered."""

    def runs(self, done: int, total: int) -> None:
        """`done` of the `total` runs of a study are complete."""

    def message(self, text: str) -> None:
        """Something that the user should know."""
