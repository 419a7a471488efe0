"""What a run found, for people and programs: verdict, front, scores, pictures."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.api.html import Shown, heading, in_python, paragraphs, table
from evosdc.api.picture import OUTSIDE, Picture, points
from evosdc.assess.verdict import required_words
from evosdc.runs import result as results

if TYPE_CHECKING:
    import pandas as pd


class Outcome(Shown):
    """The result of a run as its file ``result.json`` has it."""

    title, page = "Protected data", "report.html"
    next_words = 'Next: .front, .plot(), .warnings, .report("report.html")'
    folder: Path | None
    roles: Mapping[str, str]  # for a frame, by column the role that was proposed and why

    result: results.Result

    @contextmanager
    def run(self) -> Iterator[Path]:
        """Lend the run folder, with the data that the run reads."""
        assert self.folder is not None, "a result of a function that keeps none lends it itself"
        yield self.folder

    def renew(self, result: results.Result) -> None:
        """Take over a result that was written again, as judges do."""
        self.result = result

    @property
    def best(self) -> results.Best:
        """That file's ``scores`` by measure, ``il``, ``dr``, ``fitness``, and its ``origin``."""
        return self.result.best

    @property
    def classical(self) -> results.Entry | None:
        """The best file without a search, likewise: a masking method at its best parameters."""
        return self.result.portfolio.best

    @property
    def requirements(self) -> "list[results.Requirement]":
        """The requirements, each with the ``value`` of the file and whether it is ``met``."""
        return self.result.requirements

    @property
    def scores(self) -> Mapping[str, float]:
        """The scores of the best file by measure, with ``il`` and ``dr``."""
        return self.best.scores

    @property
    def front(self) -> "pd.DataFrame":
        """Files that no other one beats in every objective, by number: ``made by score il dr``, and measures.

        Of a search with a single objective, files that no other one beats in both IL and DR.
        """
        import pandas as pd

        rows = []
        for member in self.result.front:
            fitness, scores = member.fitness, dict(member.scores)
            names = ["score"] if len(fitness) == 1 else [f"score {place}" for place in range(1, len(fitness) + 1)]
            both = {name: scores.pop(name) for name in ("il", "dr") if name in scores}
            made: dict[str, Any] = {"made by": member.origin}
            rows.append(made | dict(zip(names, fitness, strict=True)) | both | scores)
        return pd.DataFrame(rows).rename_axis("number")

    def plot(self) -> "Picture":
        """Return a picture of loss and risk: the front, the file, the best one without a search, and the bounds."""
        named = [("best without a search", self.classical), ("this file", self.best)]
        series: dict[str, list[tuple[float, float]]] = {}
        # What a search tightened forbids other files than the best only, which may have missed it.
        most = self.best.scores.get("tighter", 0.0)
        for name, one in (*(("front", member) for member in self.result.front), *named):
            if one is not None and one.il is not None and one.dr is not None:
                outside = one.scores.get("infeasibility", 0.0) > 0.0 or one.scores.get("tighter", 0.0) > most
                series.setdefault(f"{name}, {OUTSIDE}" if outside else name, []).append((one.il, one.dr))
        title = "Loss and risk of protected files"
        return points(title, "information loss", "disclosure risk", series, bounds=self.result.bounds)

    @property
    def verdict(self) -> results.Verdict:
        """Whether the file may be published, why, on what conditions, and what an analyst can use of it."""
        found = self.result.verdict
        words = {"reasons": list(map(in_python, found.reasons)), "conditions": list(map(in_python, found.conditions))}
        return found.model_copy(update=words)

    @property
    def second_opinion(self) -> results.SecondOpinion:
        """Whether independent judges confirm the claimed risk: ``holds``, ``answered`` of ``asked``, and more."""
        found = self.result.second_opinion
        return found.model_copy(update={"text": in_python(found.text)})

    @property
    def publishable(self) -> bool | None:
        """Whether the file may be published, on conditions or without; None where nothing was measured to judge by."""
        return self.verdict.publishable

    @property
    def il(self) -> float | None:
        """Information loss, 0..100."""
        return self.best.il

    @property
    def dr(self) -> float | None:
        """Disclosure risk, 0..100."""
        return self.best.dr

    @property
    def score(self) -> tuple[float, ...]:
        """The fitness."""
        return tuple(self.best.fitness)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What has to be known before the data are released."""
        return tuple(map(in_python, self.result.warnings))

    def to_json(self) -> dict[str, Any]:
        """Return the content of ``result.json``; it holds no record."""
        return self.result.to_json()

    def _lines(self) -> Iterator[str]:
        verdict, opinion = self.verdict, self.second_opinion
        yield f"{verdict.line}."
        yield from (f"- {text}" for text in verdict.reasons[:3])
        yield from (f"- before: {text}" for text in verdict.conditions[:2])
        yield from (f"Advice: {text}" for text in verdict.advice)
        wanted = [f"{words}: {'met' if met else 'NOT met'} ({value:g})" for words, value, met, _ in self._required()]
        if wanted:
            yield f"Required: {'; '.join(wanted)}."
        if opinion.answered:
            yield f"Second opinion: {opinion.text}"
        classical = self.classical
        known = [("Best without a search", classical, classical.label)] if classical is not None else []
        for title, one, label in (("This file", self.best, self.best.origin), *known):
            both = (("IL", one.il), ("DR", one.dr))
            figures = ", ".join(f"{word} {value:.2f}" for word, value in both if value is not None)
            yield f"{title}: {figures or f'score {tuple(one.fitness)}'} ({label})."
        yield f"Records: {self.result.records}; front: {len(self.result.front)} files."
        if self.folder is not None:
            yield f"Folder: {self.folder}"
        yield self.next_words

    def _required(self) -> Iterator[tuple[str, float, bool, bool]]:
        """Yield each requirement in words; its figure, whether it is met, and whether evosdc set it itself."""
        for one in self.requirements:
            yield required_words(one.model_dump()), one.value, one.met, one.own

    def _repr_html_(self) -> str:
        verdict, opinion = self.verdict, self.second_opinion
        good = None if verdict.conditions and verdict.publishable else verdict.publishable
        parts = [heading(f"{verdict.line}.", good)]
        said = [*verdict.reasons, *(f"Before: {text}" for text in verdict.conditions)]
        parts.append(paragraphs([*said, *(f"Advice: {text}" for text in verdict.advice)]))
        for words, value, met, own in sorted(self._required(), key=lambda one: one[2]):
            title, state = "Kept besides by evosdc" if own else "Required", "met" if met else "NOT met"
            parts.append(heading(f"{title} {words}: {state} ({value:g}).", met))
        if opinion.answered:
            parts.append(heading(f"Second opinion: {opinion.text}", opinion.holds))
        rated: list[tuple[str, results.Scored]] = [("best found", self.best)]
        rated[:0] = [("best without a search", self.classical)] if self.classical is not None else []
        names = list(dict.fromkeys(name for _, entry in rated for name in entry.scores))
        rows = [(name, *(entry.scores.get(name) for _, entry in rated)) for name in names]
        parts.append(table(["less is better", *(title for title, _ in rated)], rows))
        parts.append(paragraphs(f"Warning: {text}" for text in self.warnings))
        changed = ", ".join(f"{name} {count}" for name, count in self.result.changed.items())
        parts.append(paragraphs([f"Of {self.result.records} records, values changed: {changed}."]))
        if self.roles:
            parts.append(table(["column", "role and reason"], list(self.roles.items())))
        return "".join(parts)
