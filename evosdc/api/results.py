"""What `measure`, `risk` and `judge` return: figures that a notebook shows, and that become frames and pages."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.api.html import Shown, heading, paragraphs, shown, table, told, write_page
from evosdc.assess.judge import SecondOpinion
from evosdc.assess.verdict import identity_words
from evosdc.plugins.registry import default_registry

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.api.picture import Picture


class Scores(dict[str, float]):
    """Scores by measure, 0..100 unless the measure says otherwise; less is better.

    Examples
    --------
    >>> found = evosdc.measure(frame, protected)  # doctest: +SKIP
    >>> found["dbrl"], found.frame, found.report("scores.html")  # doctest: +SKIP
    """

    @property
    def scores(self) -> dict[str, float]:
        """The scores as a plain mapping."""
        return dict(self)

    @property
    def frame(self) -> "pd.DataFrame":
        """A row a measure: ``measure kind score meaning``."""
        import pandas as pd

        return pd.DataFrame(list(self._rows()), columns=["measure", "kind", "score", "meaning"])

    def report(self, path: str | Path = "scores.html", overwrite: bool = False) -> Path:
        """Write a page with the scores and return where it is; raises `DataError` where a file exists."""
        return write_page(path, "A masked file against its original", self._repr_html_(), overwrite)

    def _rows(self) -> Iterator[tuple[str, str, float, str]]:
        for name, value in self.items():
            spec = default_registry().spec("measure", name)
            kind = {"il": "information loss", "dr": "disclosure risk"}.get(getattr(spec, "kind", ""), "other")
            yield name, kind, value, spec.summary

    def plot(self) -> "Picture":
        """Return a picture with a bar a measure."""
        from evosdc.api.picture import bars

        return bars("A masked file against its original", "less is better", {n: {"score": v} for n, v in self.items()})

    def _repr_html_(self) -> str:
        return table(["measure", "kind", "score", "what it means"], self._rows())


class RiskFigures(Shown, dict[str, Any]):
    """Figures of a file by privacy model, and what they hang on; see `evosdc.risk`.

    Examples
    --------
    >>> found = evosdc.risk(frame, quasi_identifiers=["age", "sex"])  # doctest: +SKIP
    >>> found["k-anonymity"]["k"], found.verdict, found.frame  # doctest: +SKIP
    """

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the privacy models say of publishing the file; empty where none has a verdict.

        Of a file that was perturbed they say nothing: who judges it is said instead.
        """
        if "perturbed" in self:
            return (str(self["perturbed"]["verdict"]),)
        found = (default_registry().build("privacy-model", name, {}).verdict(self) for name in self.scores)
        return tuple(sentence for sentence in found if sentence)

    @property
    def scores(self) -> dict[str, Any]:
        """The headline of each privacy model that applies."""
        registry = default_registry()
        known = [name for name in registry.names("privacy-model") if name in self]
        return {name: self[name][registry.build("privacy-model", name, {}).headline] for name in known}

    @property
    def frame(self) -> "pd.DataFrame":
        """A row a privacy model: ``model figure value meaning``; without a value where it does not apply."""
        import pandas as pd

        return pd.DataFrame(list(self._rows()), columns=["model", "figure", "value", "meaning"])

    def report(self, path: str | Path = "risk.html", overwrite: bool = False) -> Path:
        """Write a page with the figures and return where it is; raises `DataError` where a file exists."""
        return write_page(path, "What a file reveals by itself", self._repr_html_(), overwrite)

    def plot(self) -> "Picture":
        """Return a picture of the models whose headline is a share: per cent of the records, or of what is learned."""
        from evosdc.api.picture import bars

        shares = {name: {"per cent": float(value)} for name, value in self.scores.items() if isinstance(value, float)}
        within = {name: own for name, own in shares.items() if 0.0 <= own["per cent"] <= 100.0}
        return bars("What a file reveals by itself", "per cent, or as the model says", within)

    def _lines(self) -> Iterator[str]:
        yield from self.verdict
        yield f"{self['records']} records; known to an intruder: {', '.join(self['quasi_identifiers'])}."
        for name, figure, value, meaning in self._rows():
            if value is not None:
                yield f"{name}: {figure} {shown(value)}: {meaning}"

    def _rows(self) -> Iterator[tuple[str, str, Any, str]]:
        registry = default_registry()
        for name, value in self.scores.items():
            model = registry.build("privacy-model", name, {})
            yield name, model.headline.replace("_", " "), value, model.in_words(self[name])
        lacking: Mapping[str, str] = self.get("not_applicable", {})
        for name, reason in lacking.items():
            yield name, "", None, f"does not apply: {reason}"

    def _repr_html_(self) -> str:
        known = ", ".join(self["quasi_identifiers"])
        basis = f"{self['records']} records; known to an intruder: {known}; missing values: {self['missing_rule']}."
        figures = table(["privacy model", "figure", "value", "what it means"], self._rows())
        return "".join(heading(sentence) for sentence in self.verdict) + figures + paragraphs([basis])


class Judged(Shown, SecondOpinion):
    """A second opinion that a notebook shows; see `evosdc.judge`.

    Examples
    --------
    >>> found = evosdc.judge(frame, protected)  # doctest: +SKIP
    >>> found.verdict.holds, found.frame, found.report("judged.html")  # doctest: +SKIP
    """

    @classmethod
    def of(cls, opinion: SecondOpinion) -> "Judged":
        """Return an opinion as one that shows itself."""
        return cls(**{field.name: getattr(opinion, field.name) for field in fields(opinion)})

    @property
    def scores(self) -> dict[str, float]:
        """What each judge says of the masked file."""
        return {finding.judge: finding.masked.value for finding in self.findings}

    @property
    def frame(self) -> "pd.DataFrame":
        """A row a judge: ``judge kind masked error chance original claimed exceeds meaning``."""
        import pandas as pd

        names = ["judge", "kind", "masked", "error", "chance", "original", "claimed", "exceeds", "meaning"]
        return pd.DataFrame(
            [
                (f.judge, f.kind, f.masked.value, f.masked.error, f.chance.value, f.original.value, f.claim, f.exceeds,
                 f.words)
                for f in self.findings
            ],
            columns=names,
        )  # fmt: skip

    def report(self, path: str | Path = "judged.html", overwrite: bool = False) -> Path:
        """Write a page with the opinion and return where it is; raises `DataError` where a file exists."""
        return write_page(path, "A second opinion on a masked file", self._repr_html_(), overwrite)

    def plot(self) -> "Picture":
        """Return a picture with what each judge of risk finds, beside chance, the original and what was claimed."""
        from evosdc.api.picture import bars

        rows = {}
        for one in (one for one in self.findings if one.kind == "dr"):
            rows[one.judge] = {"masked": one.masked.value, "chance": one.chance.value, "original": one.original.value}
            rows[one.judge] |= {} if one.claim is None else {"claimed": one.claim}
        ranges = {one.judge: (one.masked.low, one.masked.high) for one in self.findings if one.kind == "dr"}
        return bars("What judges find in a masked file", "per cent", rows, ranges)

    def _lines(self) -> Iterator[str]:
        yield told(self.verdict.sentence)
        if self.identity is not None:
            yield identity_words(self.identity)
        yield from map(told, self.warnings[:3])
        for one in self.findings:
            yield f"{one.judge}: {shown(one.masked.value)} (chance {shown(one.chance.value)}): {one.words}"

    def _repr_html_(self) -> str:
        verdict = self.verdict
        rows = ((f.judge, f.masked.value, f.chance.value, f.original.value, f.claim, f.words) for f in self.findings)
        judged = table(["judge", "masked", "chance", "original", "claimed", "what it means"], rows)
        found = [] if self.identity is None else [identity_words(self.identity)]
        words = paragraphs([*found, *map(told, self.warnings)])
        return heading(told(verdict.sentence), verdict.holds) + words + judged
