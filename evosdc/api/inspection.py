"""``evosdc.measure``, ``risk``, ``judge``, ``limit`` and ``check_records``: findings about data."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evosdc.api.html import Framed, Page, Shown, heading, in_python, paragraphs, shown, table
from evosdc.api.outcome import Outcome
from evosdc.api.picture import Picture, bars, points
from evosdc.api.progress import shown as progress
from evosdc.api.protection import ProtectedData, result_with
from evosdc.api.tables import (
    KNOWN_AS,
    SchemaLike,
    as_file,
    as_table,
    as_version,
    chosen_of,
    held_once,
    warn_of_another_order,
)
from evosdc.assess import data_check
from evosdc.assess import risk as figures_of
from evosdc.assess.changes import certainly_unmasked, differs, matched, reordered_words
from evosdc.assess.defaults import choose_attributes
from evosdc.assess.judge import SecondOpinion, second_opinions
from evosdc.assess.risk import Perturbed
from evosdc.assess.verdict import identity_words, with_identity
from evosdc.errors import DataError, Fault, ParameterError
from evosdc.model import EarlierRelease, IntruderView, Judgement, Limit, Microdata
from evosdc.options.inspection import JudgeOptions, MeasureOptions, RiskOptions
from evosdc.options.model import read, takes
from evosdc.options.runs import CheckOptions
from evosdc.options.search import LimitOptions
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import REPORT
from evosdc.runs.published import read_crosswalk
from evosdc.runs.result import Verdict
from evosdc.secret import chosen_seed, judging_seed
from evosdc.specs import LimitSpec
from evosdc.table.schema import Role
from evosdc.table.structural_zeros import THRESHOLD
from evosdc.table.table import Rows, Table

if TYPE_CHECKING:
    from evosdc.assess.data_check import DataCheck


class Scores(Framed, Page, dict[str, float]):
    """Scores by measure, 0..100 unless the measure says otherwise; less is better."""

    title, page = "A masked file against its original", "scores.html"
    columns = ("measure", "kind", "score", "meaning")
    attributes: tuple[str, ...] = ()  # what was measured

    @property
    def scores(self) -> dict[str, float]:
        """The scores as a plain mapping."""
        return dict(self)

    def _rows(self) -> Iterator[tuple[str, str, float, str]]:
        for name, value in self.items():
            spec = default_registry().spec("measure", name)
            kind = {"il": "information loss", "dr": "disclosure risk"}.get(getattr(spec, "kind", ""), "other")
            yield name, kind, value, spec.summary

    def plot(self) -> "Picture":
        """Return a picture with a bar a measure."""
        return bars("A masked file against its original", "less is better", {n: {"score": v} for n, v in self.items()})

    def _repr_html_(self) -> str:
        measured = paragraphs([f"Measured: {', '.join(self.attributes)}."])
        return table(["measure", "kind", "score", "what it means"], self._rows()) + measured


@takes(MeasureOptions, KNOWN_AS)
def measure(
    original: Any,
    masked: Any = None,
    measures: Sequence[str | Mapping[str, Any]] | Mapping[str, Any] | None = None,
    *,
    schema: SchemaLike = None,
    **options: Any,
) -> Scores:
    """Measure a masked table against its original.

    Generalised tables, whose labels leave the original's categories, are judged by the losses of generalisation.

    Parameters
    ----------
    original, masked : frame or Table
        Record r of both is the same respondent, whatever an index says, unless a crosswalk is given or `masked` is the
        shuffled frame of a result of `protect`. Columns that are left out of a protected file may be missing. Originals
        that a crosswalk has not are left out. A result of `protect` or `apply` is given alone: ``measure(result)``.
    schema : str, Path or Schema, optional
        A schema file or a schema, of the original, for a frame.
    {options}

    Returns
    -------
    Scores
        A dict by measure, with ``attributes``, ``frame`` and ``report(path)``; a notebook shows it as a table.

    """
    from evosdc.assess.measure import score_table

    chosen = read(MeasureOptions, options | {"measures": measures})
    registry, params = default_registry(), chosen.entries
    original, masked, order, protect = _sides(original, masked, chosen.crosswalk, chosen.protect)
    frame = held_once(original, schema)
    before = as_table(frame)
    names = chosen_of(frame, before, protect, warn=False)
    # Unknown names are refused elsewhere.
    known = [name for name in params or () if name in registry.names("measure")]
    generalised = any(registry.implementation("measure", name).generalised for name in known)
    after = as_version(masked, before, None if params is None else generalised, names)
    before, after = _matched(order, before, after)
    roles = as_file(frame)[0].schema
    words = reordered_words(before, after, certainly_unmasked(roles, after, protect))
    if protect is None and not before.schema.with_role(Role.QUASI_IDENTIFIER):
        names = tuple(name for name in names if differs(before, after, name)) or names
    judged = score_table(before, after, params, names, registry)
    for text in (*judged.warnings, *([in_python(words)] if words else ())):
        warnings.warn(text, stacklevel=3)
    found = Scores(judged.scores)
    found.attributes = names
    return found


def _sides(
    original: Any, masked: Any, crosswalk: Path | None, protect: Sequence[str] | None
) -> tuple[Any, Any, Path | Rows | None, Sequence[str] | None]:
    """Return original and masked data, what says which record is which, and what was protected."""
    single = isinstance(original, ProtectedData)
    if single and (masked is not None or crosswalk is not None):
        given = "a crosswalk" if masked is None else "data"
        raise ParameterError(Fault("masked", f"{given} beside a result of protect", "the result alone"))
    if not single and masked is None and isinstance(original, str | Path):
        advice = "Read files by evosdc.read_table."
        raise ParameterError(Fault("original", "a path alone", "two frames or Tables, or a result of protect", advice))
    if not single and masked is None:
        advice = "A result of protect is enough: evosdc.judge(result), evosdc.measure(result)."
        raise ParameterError(Fault("masked", "nothing", "the masked frame or Table", advice))
    found = original if single else result_with(original, masked) if crosswalk is None else None
    if found is not None:
        return found.original, found.frame, found.rows, found.protected if protect is None else protect
    if crosswalk is None:
        warn_of_another_order(original, masked)
    return original, masked, crosswalk, protect


def _matched(order: Path | Rows | None, original: Table, masked: Table) -> tuple[Table, Table]:
    """Return two tables with each record in the same row of both, by a crosswalk or positions where there are any."""
    if order is None:
        return original, masked
    rows = read_crosswalk(order, len(masked), len(original)) if isinstance(order, Path) else order
    return matched(original, masked, rows, original.schema.withheld)


@dataclass(frozen=True, repr=False)
class Judged(Framed, Shown, SecondOpinion):
    """A second opinion that a notebook shows; see `evosdc.judge`."""

    title, page = "A second opinion on a masked file", "judged.html"
    columns = ("judge", "kind", "masked", "error", "chance", "original", "claimed", "exceeds", "meaning")

    of_run: Verdict | None = None  # whether the file of the run may be published, after these judges

    @classmethod
    def of(cls, opinion: SecondOpinion, of_run: Verdict | None = None) -> "Judged":
        """Return an opinion as one that shows itself."""
        return cls(**{field.name: getattr(opinion, field.name) for field in fields(opinion)}, of_run=of_run)

    @property
    def scores(self) -> dict[str, float]:
        """The finding of each judge on the masked file."""
        return {finding.judge: finding.masked.value for finding in self.findings}

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for f in self.findings:
            figures = (f.masked.value, f.masked.error, f.chance.value, f.original.value)
            yield f.judge, f.kind, *figures, f.claim, f.exceeds, f.words

    def plot(self) -> "Picture":
        """Return a picture of the finding of each judge of risk, beside chance, the original and the claim."""
        rows, risks = {}, [one for one in self.findings if one.kind == "dr"]
        for one in risks:
            rows[one.judge] = {"masked": one.masked.value, "chance": one.chance.value, "original": one.original.value}
            rows[one.judge] |= {} if one.claim is None else {"claimed": one.claim}
        ranges = {one.judge: (one.masked.low, one.masked.high) for one in risks}
        return bars("What judges find in a masked file", "per cent", rows, ranges)

    def _lines(self) -> Iterator[str]:
        yield from self._on_run()
        if self.identity is not None:
            yield identity_words(self.identity)
        yield in_python(self.verdict.sentence)
        yield from map(in_python, self.warnings[:3])
        for one in self.findings:
            yield f"{one.judge}: {shown(one.masked.value)} (chance {shown(one.chance.value)}): {one.words}"

    def _on_run(self) -> Iterator[str]:
        if self.of_run is not None:
            yield f"{self.of_run.line}."
            yield from (f"{line.risk}: {line.words}." for line in self.of_run.risks)

    def _repr_html_(self) -> str:
        verdict = self.verdict
        rows = ((f.judge, f.masked.value, f.chance.value, f.original.value, f.claim, f.words) for f in self.findings)
        judged = table(["judge", "masked", "chance", "original", "claimed", "what it means"], rows)
        found = [] if self.identity is None else [identity_words(self.identity)]
        said = [*self._on_run(), *found, in_python(verdict.sentence)]
        good = verdict.holds if self.of_run is None else self.of_run.publishable
        return heading(said[0], good) + paragraphs([*said[1:], *map(in_python, self.warnings)]) + judged


@takes(JudgeOptions, KNOWN_AS)
def judge(original: Any, masked: Any = None, *, schema: SchemaLike = None, **options: Any) -> Judged:
    """Return a second opinion on a masked table, by judges that took no part in making it.

    Parameters
    ----------
    original, masked : frame or Table
        Record r of both is the same respondent, unless a crosswalk is given or `masked` is the shuffled frame of a
        result of `protect`. Roles of a frame are those that ``evosdc init`` proposes; columns that are left out of a
        protected file may be missing in `masked`. Originals that a crosswalk has not are left out. Earlier releases are
        frames or Tables in the order of the original, or pairs of one and its crosswalk. A result of `protect`,
        `apply` or `run`, or a run folder, is given alone: judges that had no time before run now, and the verdict of
        the result is written again, as by ``evosdc judge RUN``.
    schema : str, Path or Schema, optional
        A schema file or a schema, of the original, for a frame.
    {options}

    Examples
    --------
    >>> evosdc.judge(found), found.verdict  # of evosdc.protect  # doctest: +SKIP
    >>> evosdc.judge("runs/first").of_run.line  # doctest: +SKIP
    >>> evosdc.judge(frame, protected, protect=["age", "sex"]).verdict.sentence  # doctest: +SKIP
    """

    chosen = read(JudgeOptions, options)
    if masked is None and isinstance(original, Outcome | str | Path):
        return _judged_run(original, chosen, schema)
    original, masked, order, protect = _sides(original, masked, chosen.crosswalk, chosen.protect)
    whole, _ = as_file(held_once(original, schema), protect)
    names = None if protect is None else whole.schema.named(protect, "protect")
    before, after = _matched(order, whole, as_version(masked, whole, None, names))
    if chosen.earlier and len(before) != len(whole):
        given = "a masked table from which records were left out"
        raise ParameterError(Fault("earlier", given, "one with all records of the original"))
    opinion = second_opinions(
        before,
        {"": after},
        names,
        registry=default_registry(),
        judges=chosen.judges,
        claimed={"": chosen.claimed},
        seed=judging_seed(chosen_seed(chosen.seed)),
        in_order=order is None,
        earlier=tuple(_released(place, one, whole) for place, one in enumerate(chosen.earlier, 1)),
    )[""]
    found = with_identity(opinion, before, after, protect, default_registry())
    for words in found.warnings[len(opinion.warnings) :]:
        warnings.warn(in_python(words), stacklevel=3)
    return Judged.of(found)


def _judged_run(run: Outcome | str | Path, chosen: JudgeOptions, schema: SchemaLike) -> Judged:
    """Return what judges find of the file of a run, whose verdict and pages are written again."""
    from evosdc.experiment.data import earlier_release, says_none
    from evosdc.experiment.display import Display
    from evosdc.experiment.judging import judge_run
    from evosdc.files.source import Source
    from evosdc.report import write_pages

    given = {"protect": chosen.protect, "crosswalk": chosen.crosswalk, "schema": schema}
    if unfit := [name for name, value in given.items() if value is not None]:
        wanted, advice = "nothing but the run", "The run knows what was masked, and which record is which."
        raise ParameterError(Fault(", ".join(unfit), "with a run", wanted, advice))

    def released(source: Source) -> tuple[EarlierRelease, ...]:
        return tuple(
            earlier_release(Path(one), source) if isinstance(one, str | Path) else _released(place, one, source.table)
            for place, one in enumerate(chosen.earlier, 1)
            if not says_none([one])
        )

    with nullcontext(Path(run)) if isinstance(run, str | Path) else run.run() as path:
        found = judge_run(path, chosen, default_registry(), progress() or Display(), released)
        if found.updated and (path / REPORT).exists():
            write_pages(path)
    if isinstance(run, Outcome):
        run.renew(found.result)
    return Judged.of(found.opinion, found.result.verdict)


def _released(place: int, given: Any, original: Table) -> EarlierRelease:
    """Return an earlier release and the original of each of its records."""
    data, crosswalk = given if isinstance(given, tuple) else (given, None)
    table = as_version(data, original, None, None)
    rows = np.arange(len(table), dtype=np.intp)
    if crosswalk is not None:
        rows = read_crosswalk(Path(crosswalk), len(table), len(original))
    elif len(table) != len(original):
        wanted = f"{len(original)} as in the original, or a pair of the table and its crosswalk"
        raise ParameterError(Fault(f"earlier release {place}", f"{len(table)} records", wanted))
    elif reordered_words(original, table, certainly_unmasked(original.schema, table, None)) is not None:
        given, wanted = (
            "the original's records in another order",
            "the order of the original, or a pair with the crosswalk",
        )
        raise ParameterError(Fault(f"earlier release {place}", given, wanted))
    return EarlierRelease(f"earlier release {place}", table, rows)


class RiskFigures(Framed, Shown, dict[str, Any]):
    """Figures of a file by privacy model, and their assumptions; see `evosdc.risk`."""

    title, page = "What a file reveals by itself", "risk.html"
    columns = ("model", "figure", "value", "meaning")  # without a value where a model does not apply
    outstanding: tuple[str, ...] = ()  # sentences on the records that stand out, where they are wanted

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

    def plot(self) -> "Picture":
        """Return a picture of the models whose headline is a share: per cent of the records, or of what is learned."""
        shares = {name: {"per cent": float(value)} for name, value in self.scores.items() if isinstance(value, float)}
        within = {name: own for name, own in shares.items() if 0.0 <= own["per cent"] <= 100.0}
        return bars("What a file reveals by itself", "per cent, or as the model says", within)

    def _lines(self) -> Iterator[str]:
        yield from self.verdict
        yield f"{self['records']} records; known to an intruder: {', '.join(self['quasi_identifiers'])}."
        for name, figure, value, meaning in self._rows():
            if value is not None:
                yield f"{name}: {figure} {shown(value)}: {meaning}"
        yield from self.outstanding

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


@takes(RiskOptions, {"protect": "quasi_identifiers=", "missing": "missing_rule=", "records": "record_figures="})
def risk(
    data: Any,
    models: Sequence[str] | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    schema: SchemaLike = None,
    **options: Any,
) -> RiskFigures:
    """Judge what one file, taken by itself, reveals of its respondents.

    Parameters
    ----------
    data : frame or Table
        Roles of a frame are those that ``evosdc init`` proposes.
    schema : str, Path or Schema, optional
        A schema file or a schema, for a frame.
    {options}

    Returns
    -------
    RiskFigures
        A dict, with ``verdict``, ``frame`` and ``report(path)``; a notebook shows it as a table. Figures by model;
        under ``not_applicable`` what other models lack; and what the figures hang on: ``records``,
        ``quasi_identifiers``, ``sensitive``, ``weight``, ``household``, ``missing_rule``, ``missing_values``.
        With an original that differs, ``perturbed``: ``changed``, ``unique_records``, ``right``, ``intruder``. With
        `standing_out`, ``standing_out``: ``records``, ``by_size``, ``listed``, ``intruder``. With `record_figures`,
        ``record_figures``: a list of numbers by model, in the order of the file.

    Examples
    --------
    >>> evosdc.risk(frame, quasi_identifiers=["age", "sex"])["k-anonymity"]["k"]  # doctest: +SKIP
    """

    chosen = read(RiskOptions, options | {"models": models})
    whole, _ = as_file(held_once(data, schema), chosen.quasi_identifiers)
    people, perturbed, registry = chosen.population, None, default_registry()
    if people is not None and not isinstance(people, Table):
        from evosdc.files.frame import as_pandas, table_from_frame

        known = figures_of.intruder_view_of(whole, *chosen.known_by[:4]).quasi_identifiers
        people = table_from_frame(as_pandas(people), figures_of.population_description(whole.schema, known))
    matrices = {name: np.asarray(rows, dtype=np.float64) for name, rows in (chosen.transitions or {}).items()}
    view = figures_of.intruder_view_of(whole, *chosen.known_by, people, matrices)
    wanted = registry.names("privacy-model") if chosen.models is None else chosen.models
    params = wanted if isinstance(wanted, Mapping) else {name: {} for name in wanted}
    if chosen.original is not None:
        made_from, _ = as_file(held_once(chosen.original, schema), chosen.quasi_identifiers)
        made_from.schema.require(view.quasi_identifiers, "original")
        perturbed = figures_of.against_original(made_from, view, registry, "by the original")
    found = risk_figures(view, params, perturbed, chosen.standing_out)
    if chosen.record_figures:
        by_model = figures_of.record_figures(view, params, registry)
        found["record_figures"] = {name: column.tolist() for name, column in by_model.items()}
    return found


def risk_figures(
    view: IntruderView, models: Mapping[str, Mapping[str, Any]], perturbed: "Perturbed | None", most: int | None
) -> RiskFigures:
    """Return the figures of models, what was perturbed, and the first records that stand out."""
    registry = default_registry()
    found = RiskFigures(figures_of.assess(view, models, registry) | figures_of.view_summary(view))
    found |= {} if perturbed is None else {"perturbed": perturbed.to_json()}
    if most is not None:
        built = list(figures_of.build_models(models, registry).values())
        alone = figures_of.standing_out(view, built, registry)
        found["standing_out"], found.outstanding = alone.to_json(most), tuple(alone.sentences(most))
    return found


class RecordsChecked(Shown, dict[str, Any]):
    """What records say of themselves; see `evosdc.check_records`."""

    title, page = "Records checked", "records.html"

    def __init__(self, found: "DataCheck") -> None:
        super().__init__(found.to_json())
        self._sentences = found.sentences()

    def _lines(self) -> Iterator[str]:
        yield f"{self['records']} records."
        yield from self._sentences

    def plot(self) -> "Picture":
        """Return a picture of how many records break each edit rule."""
        broken = {str(rule["rule"]): {"records": float(rule["records"])} for rule in self["edit_rules"]}
        return bars("Edit rules", "records that break the rule", broken)


@takes(CheckOptions)
def check_records(data: Any, protect: Sequence[str] | str | None = None, **options: Any) -> RecordsChecked:
    """Look for broken edit rules and for combinations that never occur, as ``evosdc check --data`` does.

    Parameters
    ----------
    data : frame or Table
        The confidential file; a table brings the edit rules of its schema.
    {options}

    Returns
    -------
    RecordsChecked
        A dict: ``records``; ``edit_rules``, each with how many records break it; ``structural_zeros``, None where
        nothing is masked; and under ``given_away`` masked attributes that follow from others.

    Examples
    --------
    >>> evosdc.check_records(frame, ["age", "status"])["structural_zeros"]["count"]  # doctest: +SKIP
    """

    chosen, given = read(CheckOptions, options | {"protect": protect}), as_table(data)
    masked = given.schema.with_role(Role.QUASI_IDENTIFIER) if chosen.protect is None else chosen.protect
    return RecordsChecked(data_check.check_records(given, masked, chosen.threshold or THRESHOLD))


class KnownLimit(Framed, Shown, Limit):
    """A limit that a notebook shows; see `evosdc.limit`. Below the corners in its frame lies no file."""

    title, page = "What no masked file beats", "limit.html"
    columns = ("il", "dr")

    def _rows(self) -> Sequence[tuple[float, float]]:
        return self.curve

    def plot(self) -> "Picture":
        """Return a picture of the curve below which no file lies."""
        lines = {"no file lies below": self.curve}
        return points("The limit", "information loss", "disclosure risk", lines, list(lines))

    def _lines(self) -> Iterator[str]:
        yield f"No masked file of {', '.join(self.attributes)} is better, by {', '.join((*self.il, *self.dr))}:"
        yield from (f"{fitness} of IL and DR: {value:.3f} at least" for fitness, value in self.least.items())
        yield "Next: .least_dr(20), .above(25.8, 'max'), .frame, .plot()"

    def _repr_html_(self) -> str:
        first, *others = self._lines()
        return heading(first) + paragraphs(others[:-1]) + table(["IL of at most", "DR of at least"], self.curve)


@takes(LimitOptions, KNOWN_AS)
def limit(data: Any, **options: Any) -> KnownLimit:
    """Return what no masked version of data can beat in information loss and disclosure risk.

    Parameters
    ----------
    data : frame or Table
        Schema as in `mask`.
    {options}

    Examples
    --------
    >>> found = evosdc.limit(frame, protect=["age", "sex"])  # doctest: +SKIP
    >>> found.least["max"], found.least_dr(20.0), found.above(25.8, "max")  # doctest: +SKIP
    """
    from evosdc.assess.measure import limit_for
    from evosdc.experiment.experiment import MeasureEntry, Measures
    from evosdc.experiment.problem import aggregation_of

    chosen = read(LimitOptions, options)
    registry, given = default_registry(), as_table(data)
    offered = [spec for spec in registry.specs("limit") if isinstance(spec, LimitSpec)]
    named_il = chosen.il or (offered[0].il if offered else ())
    named_dr = chosen.dr or (offered[0].dr if offered else ())
    entries = [tuple(MeasureEntry(name=name) for name in names) for names in (named_il, named_dr)]
    aggregation = aggregation_of(Measures(il=entries[0], dr=entries[1]), registry)
    original = Microdata(given, choose_attributes(given.schema, chosen.protect)).original
    params = {name: registry.parameters("measure", name, {}).model_dump() for name in (*named_il, *named_dr)}
    found = limit_for(Judgement(original, aggregation, params), registry, chosen.time or float("inf"))
    if found is None:
        of = f"{', '.join((*named_il, *named_dr))} of {', '.join(original.schema.names)}"
        wanted = "measures that have a limit, of categorical attributes, and enough time"
        known = "; ".join(", ".join((*spec.il, *spec.dr)) for spec in offered)
        advice = f"A limit is known for {known}." if offered else "No plugin offers a limit."
        raise DataError(Fault("limit", of, wanted, advice))
    return KnownLimit(found.least, found.curve, found.il, found.dr, found.attributes)
