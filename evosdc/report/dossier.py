"""The dossier of a release: facts of the run, answers of its owner, and the standards that each section serves."""

import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evosdc.errors import DataError, Fault
from evosdc.files.atomic import write_text
from evosdc.files.schema.schema_file import value_text
from evosdc.printing import printable
from evosdc.report import release
from evosdc.report.for_users import ended_run, method_of
from evosdc.report.opinion import second_opinion
from evosdc.report.resources import page
from evosdc.report.wording import count, listing
from evosdc.runs.layout import DOSSIER, RELEASE_FORM
from evosdc.runs.publication_check import check_folder
from evosdc.runs.reader import RecordedRun
from evosdc.runs.status import require_complete

UNANSWERED = "Not answered."  # shown for a question without an answer

STANDARDS = ("ISO/IEC 27559", "ICO 2025", "UKAN", "HIPAA", "EMA 0070", "NIST SP 800-188")

SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("purpose", "Purpose and recipients", (
        "context: who uses it", "purpose, identifiability spectrum", "1 data situation, 4 use case", "recipient",
        "1 methodology", "goals of the release")),
    ("environment", "Release environment and controls", (
        "context: environment", "technical and organisational controls", "7 control processes", "recipient's means",
        "1 methodology", "data-sharing model")),
    ("attackers", "Who might attack, with what", (
        "context: threats", "motivated intruder: who", "6 disclosure risk", "anticipated recipient, other data",
        "3 adversaries", "attackers")),
    ("identifiers", "Identifiers", (
        "data: features", "direct and indirect identifiers", "3 know your data", "distinguishability", "2 identifiers",
        "identifying variables")),
    ("thresholds", "Thresholds and their reasons", (
        "tolerable identifiability", "how much risk is acceptable", "6 disclosure risk", "very small risk",
        "3 threshold .09", "acceptable risk")),
    ("methods", "Methods, and what of them may be published", (
        "mitigation", "effectiveness of techniques", "7 control processes", "methods documented", "1 methodology",
        "techniques")),
    ("tests", "Tests by attack", (
        "assessing identifiability", "singling out, linkability, inferences", "6 disclosure risk",
        "results documented", "3 assessment of criteria", "re-identification study")),
    ("intruder", "Protocol for a motivated intruder", (
        "adversarial testing", "motivated intruder test", "6 penetration test", "results documented", "",
        "re-identification study")),
    ("utility", "Utility reported to users", (
        "transparency", "usefulness", "4 use case, 8 stakeholders", "", "4 data utility", "data quality")),
    ("suppressions", "Suppressions by variable", (
        "mitigation", "", "7 control processes", "methods documented", "1 methodology", "techniques")),
    ("earlier", "Coherence with earlier releases", (
        "other data", "other information available", "9 what happens next", "data sources available",
        "3 linkability", "releases over time")),
    ("review", "Review, and what would trigger it", (
        "governance after the release", "review over time", "9 what happens next, 10 if things go wrong",
        "time limit of the determination", "", "monitoring after the release")),
    ("sign-off", "Verdict and sign-off", (
        "governance", "accountability", "2 responsibilities, 5 ethics", "expert and date", "5 conclusion",
        "disclosure review board")),
)  # fmt: skip
"""Anchor and title of each section, and the part of each standard that it serves, in the order of `STANDARDS`."""


class Answers(BaseModel):
    """What evosdc cannot know of a release. The descriptions are the questions of ``release.toml``."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    purpose: str = Field("", description="What is the file released for?")
    recipients: str = Field("", description="Who gets it, and what binds them: licence, contract, law?")
    environment: str = Field("", description="Where is it used: open download, registered access, safe room?")
    controls: str = Field("", description="Which controls does that environment have: people, projects, outputs?")
    attackers: str = Field("", description="Who might try to re-identify people, why, and by what means?")
    knowledge: str = Field("", description="Which other data could they have: registers, other surveys, social media?")
    direct_identifiers: str = Field("", description="Which direct identifiers were removed before evosdc saw the data?")
    consequences: str = Field("", description="What harm would follow for a person who is re-identified?")
    thresholds: str = Field("", description="Why are the thresholds of this dossier right for this release?")
    intruder_test: str = Field("", description="Who tried to re-identify people, when, with what result?")
    users_told: str = Field("", description="What information do users get besides the page for them, and where?")
    earlier: str = Field("", description="Which earlier releases, tables or public extracts of these people exist?")
    review_date: str = Field("", description="When is this release looked at again?")
    review_triggers: str = Field("", description="What would bring that forward: new data, new attacks, complaints?")
    incident: str = Field("", description="What is done, and by whom, if somebody is re-identified?")
    prepared_by: str = Field("", description="Who prepared this dossier: name, role, qualification?")
    approved_by: str = Field("", description="Who approved the release: name, role?")
    approved_on: str = Field("", description="On which date?")

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the answers in a file."""
        where, wanted = printable(str(path)), "a release.toml as evosdc dossier writes it"
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise DataError(Fault(where, error.strerror or "unreadable", wanted)) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DataError(Fault(where, f"no TOML ({error})", wanted)) from None
        dated = {key: str(value) if hasattr(value, "isoformat") else value for key, value in document.items()}
        try:
            return cls.model_validate(dated)
        except ValidationError as error:
            known = f"a text; the keys are {', '.join(cls.model_fields)}"
            found = [(str(one["loc"][0]), str(one["msg"]).lower()) for one in error.errors()]
            raise DataError([Fault(f"{where}: {printable(key)}", said, known) for key, said in found]) from None

    def as_form(self) -> str:
        """Return a file with all questions and these answers."""
        fields = type(self).model_fields.items()
        questions = [f"# {field.description}\n{name} = {value_text(getattr(self, name))}\n" for name, field in fields]
        head = "# What evosdc cannot know of a release. Answer in the quotes; an empty answer stays visible.\n"
        return "\n".join([head, *questions])

    def answered(self, *names: str) -> list[tuple[str, str]]:
        """Return some of the questions with their answers; an empty text where there is none."""
        return [(str(type(self).model_fields[name].description), getattr(self, name)) for name in names]

    @property
    def open_questions(self) -> int:
        """The number of questions without an answer."""
        return sum(not getattr(self, name) for name in type(self).model_fields)


def write_dossier(folder: Path, form: Path | None = None, target: Path | None = None) -> tuple[Path, Path, Answers]:
    """Write the dossier of a run, and the form of its questions where there is none."""
    require_complete([folder])
    run = ended_run(folder)
    form_path = folder / RELEASE_FORM if form is None else form
    if form is None and not form_path.exists():
        write_text(form_path, Answers().as_form())
    answers, written = Answers.read(form_path), folder / DOSSIER if target is None else target
    write_text(written, render_dossier(run, answers))
    return written, form_path, answers


def render_dossier(run: RecordedRun, answers: Answers) -> str:
    """Return the page as text."""
    verdict, opinion, protected = run.result.verdict, run.result.second_opinion, run.result.protect
    shown = release.verdict(run, release.Definitions({})) or {}
    judged, of_members = ((found or {}).get("judges") or {} for found in (opinion.best, opinion.members))
    numbered = [(anchor, f"{place} {title}") for place, (anchor, title, _) in enumerate(SECTIONS, 1)]
    return page(
        "dossier.html",
        title=run.title,
        written=datetime.now(UTC).strftime("%Y-%m-%d"),
        unanswered=UNANSWERED,
        open_questions=answers.open_questions,
        questions=len(Answers.model_fields),
        ask=answers.answered,
        titles=dict(numbered),
        contents=numbered,
        serves={anchor: texts for anchor, _, texts in SECTIONS},
        standards=STANDARDS,
        verdict=shown,
        records=count(run.result.records),
        audience=verdict.audience,
        file=run.result.best.file,
        identifiers=_identifiers(run, protected),
        masked=listing(protected),
        method=method_of(run),
        files=_files(run.path),
        judges=[pair for found in (judged, of_members) for pair in found.items() if pair[1]["kind"] == "dr"],
        members=opinion.members or {},
        not_asked=(second_opinion(run) or {}).get("not_asked", []),
        opinion=run.without_paths(opinion.text),
        usable=[run.without_paths(text) for text in verdict.trust.yes],
        unusable=[run.without_paths(text) for text in verdict.trust.no],
        # Runs of earlier versions have no such counts: `judge` and `report` do not compute them again.
        suppressed=[
            (entry["attribute"], entry["missing"])
            for entry in run.release.get("cross_tables") or ()
            if "missing" in entry
        ],
        omitted=int(run.release.get("omitted") or 0),
        earlier=[run.without_paths(name) for name in opinion.earlier],
        named=opinion.earlier_named,
        history=next((one["words"] for one in judged.values() if one["family"] == "history"), ""),
    )


def _identifiers(run: RecordedRun, protected: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return kind, columns and treatment: what identifies directly, indirectly, and what an attacker wants to learn."""
    by_role: dict[str, list[str]] = {}
    for name, entry in ((run.environment.get("schema") or {}).get("attributes") or {}).items():
        by_role.setdefault(str(entry.get("role")), []).append(str(name))
    kinds = (
        ("direct", "identifier", "left out"), ("left out", "drop", "left out"),
        ("indirect (quasi-identifiers)", "quasi-identifier", ""), ("sensitive", "sensitive", ""),
        ("household", "household", ""), ("weight", "weight", ""), ("other", "other", ""), ("stratum", "stratum", ""),
    )  # fmt: skip
    rows = []
    for kind, role, treatment in kinds:
        names = by_role.get(role, [])
        masked = [name for name in names if name in protected]
        kept = [name for name in names if name not in masked]
        rows += [(kind, listing(masked), "masked")] if masked else []
        rows += [(kind, listing(kept), treatment or "published as collected")] if kept else []
    return rows


def _files(folder: Path) -> list[tuple[str, str, str]]:
    """Return the files of a run by kind: whether to publish them, their names, and why not."""
    groups: dict[tuple[bool, str], list[str]] = {}
    for one in check_folder(folder).files:
        groups.setdefault((one.published, one.reason), []).append(one.name)
    ordered = sorted(groups.items(), key=lambda entry: not entry[0][0])
    return [("may be published" if public else "confidential", listing(names), why) for (public, why), names in ordered]
