"""How a run shows its progress to the user: every sign of progress, in words."""

from collections.abc import Mapping
from time import monotonic
from typing import Any


class Display:
    """Puts the progress of a run in words, and shows nothing; `step`, `concluding` and `message` of a subclass do."""

    # Whether it needs every generation of a study's runs, which then run here one after another.
    here: bool = False
    deadline: float | None = None  # on the clock of `monotonic`

    def step(self, task: str, words: str, done: int, total: int | None = None, standing: str = "") -> None:
        """Show how far a task is; `standing` is how good its best file is."""

    def concluding(self, what: str) -> None:
        """Show the present step after the search, such as "asking judges for a second opinion"."""

    def message(self, text: str) -> None:
        """Show something that the user should know."""

    def wish(self, record: Mapping[str, Any]) -> str | None:
        """Return why the search is to end with a generation, in words; None where it is to go on."""
        return None

    @property
    def left(self) -> str:
        """The time left, in words; empty where there is no limit."""
        if self.deadline is None:
            return ""
        seconds = self.deadline - monotonic()
        return f"{seconds:.0f} s left" if seconds > 0.0 else "time is over"

    def limited(self, seconds: float | None) -> None:
        """Remember when the time of a run that begins will be over; None: no time limits it."""
        self.deadline = None if seconds is None else monotonic() + seconds

    def tuning(self, done: int) -> str:
        """Show how many files were tried to find each method's best parameters; the total is unknown beforehand."""
        words = f"tuning masking methods: {done} {'file' if done == 1 else 'files'} masked and judged"
        self.step("tuning methods", words, done)
        return words

    def slow(self, what: str, seconds: float) -> None:
        """Show that a file takes long; called from a thread of its own."""
        self.step("slow", f"tuning masking methods: a file of {what} takes long, {seconds:.0f} s so far", 0)

    def planning(self, evaluations: int, score: float | None) -> str:
        """Show how many protection plans were evaluated, and the score of the best one."""
        best = "" if score is None else f"best {score:.3f}"
        words = f"evolving a protection plan: {evaluations} evaluated{f', {best}' if best else ''}"
        self.step("protection plans", words, evaluations, standing=best)
        return words

    def clustering(self, done: int, total: int) -> None:
        """Show how many clusterings are done."""
        self.step("clusterings", f"clusterings: {done} of {total} done" if 0 < done < total else "", done, total)

    def starting(self, done: int, total: int) -> str:
        """Show how many starting files are done."""
        words = f"starting files: {done} of {total} masked and evaluated"
        self.step("starting files", words, done, total)
        return words

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """Show how far the search is, of at most `limit` generations."""
        if type(self).step is Display.step:
            return  # nobody sees the words, and there may be thousands of generations a second
        best, number = f"best {scores_in_words(record['best'])}", record["generation"]
        words = f"generation {number}{f'/{limit}' if limit else ''}: {best}, {record['evaluations']} evaluations"
        self.step("generations", words, number, limit, best)

    def judging(self, done: int, total: int) -> None:
        """Show how many judges have answered."""
        self.step("judges", f"second opinion: {done} of {total} judges have answered" if done else "", done, total)

    def runs(self, done: int, total: int) -> None:
        """Show how many runs of a study are complete."""
        self.step("runs", f"runs: {done} of {total} complete", done, total)


def scores_in_words(best: Mapping[str, Any]) -> str:
    """Return fitness, IL and DR of a candidate in words."""
    fitness = " ".join(f"{value:.3f}" for value in best.get("fitness", ()))
    pair = ", ".join(f"{name.upper()} {best[name]:.2f}" for name in ("il", "dr") if name in best)
    return fitness + (f" ({pair})" if pair else "")
