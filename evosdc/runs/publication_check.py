"""Which files of a run may be published, and which are for their owner alone: by name, and secrets by content too."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from evosdc.errors import DataError, EvosdcError, Fault
from evosdc.files.source import read_source
from evosdc.printing import printable
from evosdc.runs import layout
from evosdc.runs.published import ADVICE, published_fault
from evosdc.runs.result import Result

_KEY_DIGITS = 64
_CROSSWALK_BEGINS = b"published,original"


@dataclass(frozen=True, slots=True)
class FileKind:
    """Files of a run that are for the same readers, for the same reason."""

    what: str  # what they are, or why they are not published, in a few words
    patterns: tuple[str, ...]  # their names, with ``*`` for any characters
    published: bool = False  # whether they may be published where the verdict on the run's file allows it
    secret: bool = False  # whether the protection is undone by anyone who has one of them


SECRETS = FileKind("undo the protection", (layout.KEY, layout.CROSSWALK, "crosswalk-*.csv"), secret=True)

# All files of runs, studies and tunings; the first kind that fits counts.
RUN_FILES = (
    FileKind("the protected file", (f"{layout.BEST.removesuffix('csv')}*",), published=True),
    FileKind("page for its users", (layout.FOR_USERS,), published=True),
    FileKind("matrices for analysts", (layout.ANALYST,), published=True),
    SECRETS,
    FileKind("the original, and the state of the search", (layout.DATA, layout.CONTEXT, "*.npz*")),
    FileKind("counts of the original, and records at risk", (
        layout.REPORT, layout.DOSSIER, layout.RISK, layout.RELEASE, layout.FREQUENCIES, layout.TRANSITIONS,
        "matrix-*.csv", f"{layout.PICTURE}-*")),
    FileKind("what was tried, and how it scored", (
        layout.RESULT, layout.FRONT, layout.SCORES, layout.JOURNAL, layout.PORTFOLIO, layout.TUNING, layout.PLANNING,
        layout.RECIPE, "summary.csv", "runs.csv")),
    FileKind("settings, and what was typed", (
        f"{layout.RECIPE_SCHEMA.removesuffix('.toml')}*", layout.EXPERIMENT, layout.RESOLVED, layout.ENVIRONMENT,
        layout.STATUS, layout.SETTING, layout.RELEASE_FORM, f"{layout.LOCK}*", ".finish")),
)  # fmt: skip


def kind_of(name: str) -> FileKind | None:
    """Return the kind of a run's file or folder by its name; None where no run writes one of that name."""
    return next((kind for kind in RUN_FILES if any(fnmatchcase(name, one) for one in kind.patterns)), None)


def is_secret(path: Path) -> bool:
    """Return whether a file is a key or a crosswalk, whatever its name: it undoes a protection."""
    try:
        with path.open("rb") as file:
            begin = file.read(_KEY_DIGITS + 3)
        if begin.removeprefix(b"\xef\xbb\xbf").startswith(_CROSSWALK_BEGINS):
            return True
        text = begin.strip().decode("ascii")
        small = path.stat().st_size <= _KEY_DIGITS + 2
        return small and len(text) == _KEY_DIGITS and len(bytes.fromhex(text)) == _KEY_DIGITS // 2
    except (OSError, ValueError):
        return False


Kind = Literal["run", "study", "tuning", "clusters", "folder"]

_OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class Sorted:
    """A file or folder."""

    name: str
    published: bool  # whether it is for publication
    reason: str  # what it is, or why it is not published


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong."""

    text: str  # what is wrong, and why it matters
    command: str = ""  # what helps, to be typed; may be empty


@dataclass(frozen=True, slots=True)
class Check:
    """The findings in a folder."""

    kind: Kind
    verdict: str  # the headline of a run's verdict; empty where there is none
    files: tuple[Sorted, ...]  # all that lies in it
    findings: tuple[Finding, ...]


def check_folder(folder: Path) -> Check:
    """Return the files of a folder for publication, and its faults; folders below it are only named."""
    if not folder.is_dir():
        given = "a file" if folder.exists() else "no such folder"
        raise DataError(Fault(printable(str(folder)), given, "a folder"))
    runs = layout.run_folders(folder)
    kind: Kind = "folder"
    if runs:
        kind = "run" if runs == [folder] else "study"
    elif layout.holds_run_files(folder):
        kind = "tuning"
    elif all((folder / name).is_file() for name in ("labels.csv", "clusters.json")):
        kind = "clusters"
    names = sorted(path.name for path in folder.iterdir())
    if kind == "folder":
        manifests: dict[str, dict[str, Any]] = {}  # by the names of the files that they are of
        for path in sorted(folder.glob(f"*{layout.MANIFEST}")):
            manifest = layout.object_if_readable(path)
            written = manifest.get("output")
            name = written.get("name") if isinstance(written, Mapping) else None
            if isinstance(name, str) and (folder / Path(name).name).is_file():
                manifests[Path(name).name] = manifest
        files = tuple(_in_plain_folder(folder / name, manifests) for name in names)
        findings = [*_on_manifests(folder, manifests), *_on_exact_days(folder, manifests)]
        findings += _on_secrets(folder, files, bool(manifests))
        return Check(kind, "", files, tuple(findings))
    result = Result.known(folder)
    refusal = _refusal(result, kind)
    conditional = result is not None and bool(result.verdict.conditions)
    files = tuple(_in_run_folder(folder / name, kind, refusal, conditional) for name in sorted(names, key=_place))
    findings = [*_on_run(folder), *_on_permissions(folder, files)]
    return Check(kind, result.verdict.headline if result is not None else "", files, tuple(findings))


def _place(name: str) -> int:
    """Return the place of a run's file in the order in which kinds are reported."""
    kind = kind_of(name)
    return len(RUN_FILES) if kind is None else RUN_FILES.index(kind)


def _refusal(result: Result | None, kind: Kind) -> str:
    """Return why the protected file of a run is not for publication; empty where the verdict allows it."""
    if kind == "tuning":
        return "not judged, and in the order of the original"
    if result is None or result.so_far:
        return "not judged: the run has not ended"
    if result.verdict.publishable is None:
        return "not judged: nothing was measured to judge it by"
    return "" if result.verdict.publishable else "refused by the verdict"


def _in_run_folder(path: Path, kind: Kind, refusal: str, conditional: bool) -> Sorted:
    name, own = path.name, kind_of(path.name)
    if kind == "clusters" and not path.is_dir():
        return Sorted(name, False, "groups of the original's records")
    if own is None:
        return _other(path)
    if path.is_dir():
        return Sorted(f"{name}/", False, own.what)
    if not own.published or refusal:
        return Sorted(name, False, refusal if own.published else own.what)
    conditions = ", on the conditions of the verdict" if conditional and name.startswith(layout.BEST[:5]) else ""
    return Sorted(name, True, f"{own.what}{conditions}")


def _in_plain_folder(path: Path, manifests: Mapping[str, Mapping[str, Any]]) -> Sorted:
    name, own = path.name, kind_of(path.name)
    if path.is_dir() or is_secret(path):
        return _other(path)
    if name in manifests:
        if _not_for_release(manifests[name]):
            return Sorted(name, False, "masked, and not for release")
        if layout.REFUSED in name:
            return Sorted(name, False, "refused by the verdict of its run")
        if "run" not in manifests[name]:
            return Sorted(name, False, "masked, and no verdict allows it: judge it first")
        run = printable(str(manifests[name]["run"]))
        return Sorted(name, True, f"exported from {run}, where its verdict allows it")
    if name.endswith(layout.SCHEMA):
        return Sorted(name, False, "what the columns of a file are")
    if name.endswith(layout.MANIFEST):
        return Sorted(name, False, "what was done and typed")
    for manifest in manifests.values():
        if manifest.get("companion") == name:
            return Sorted(name, False, "says how records were masked")
        if name in {entry.get("name") for entry in _inputs(manifest).values()}:
            return Sorted(name, False, "the original, or its schema")
    if own is None:
        return _other(path)
    return Sorted(name, own.published, own.what + (" of a run, where its verdict allows it" if own.published else ""))


def _other(path: Path) -> Sorted:
    """Return a folder that is not looked into, a secret, or a file that no run writes."""
    if path.is_dir():
        run = layout.run_folders(path) or layout.holds_run_files(path)
        what = "run folders, to be looked at by themselves" if run else "folders, not looked into"
        return Sorted(f"{path.name}/", False, what)
    return Sorted(path.name, False, SECRETS.what if is_secret(path) else "not known to evosdc: look yourself")


def _on_run(folder: Path) -> Iterator[Finding]:
    """Yield the faults of a run: it can be repeated, or its file was changed."""
    if layout.object_if_readable(folder / layout.RESOLVED).get("seed") is not None:
        yield Finding("The run draws from a public seed: anyone can repeat it. Run it again without a seed.")
    fault = published_fault(folder, layout.object_if_readable(folder / layout.RELEASE), lacking=False)
    if fault is not None:
        yield Finding(f"{Path(fault.where).name} is not the file that the run wrote. {ADVICE}")


def _on_manifests(folder: Path, manifests: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    for name, manifest in manifests.items():
        why = _not_for_release(manifest)
        words = shlex.split(str(manifest.get("command", "")))
        if why and ("run" in manifest or not words):
            yield Finding(f"{printable(name)} is not for release: {' and '.join(why)}.")
        elif why:
            # The command that masks the file again, for release.
            kept, after = [], iter(words)
            for word in after:
                if word == "--seed":
                    next(after, None)
                elif not word.startswith("--seed="):
                    kept.append(word)
            kept += [] if manifest.get("shuffled") or "--shuffle" in kept else ["--shuffle"]
            yield Finding(f"{printable(name)} is not for release: {' and '.join(why)}.", shlex.join(kept))


def _on_exact_days(folder: Path, manifests: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield columns with exact days that were published as they were, in files that no run has judged."""
    for name, manifest in manifests.items():
        if "run" in manifest:
            continue
        changed = manifest.get("changed") or {}
        try:
            schema = read_source(folder / name).table.schema
        except (EvosdcError, OSError):
            continue  # it was replaced, or is not readable as it stands
        days = [one.name for one in schema.attributes if "%d" in one.date_format and not changed.get(one.name)]
        if days:
            columns = printable(", ".join(days))
            yield Finding(
                f"{printable(name)} has exact days in {columns}, as the original has them: anyone who knows a day "
                "may find the person. Recode or drop such columns."
            )


def _on_secrets(folder: Path, files: Sequence[Sorted], masked: bool) -> Iterator[Finding]:
    """Yield faults of keys and crosswalks in a folder that belongs to no run."""
    found = [file.name for file in files if file.reason == SECRETS.what]
    if found and (masked or any(file.published for file in files)):
        paths = shlex.join([str(folder / name) for name in found])
        yield Finding(
            f"{printable(', '.join(found))}: among files for publication, and undoes their protection. Keep it apart.",
            f"mv {paths} ELSEWHERE",
        )
    open_to_others = [name for name in found if _others_may_read(folder / name)]
    if open_to_others:
        paths = shlex.join([str(folder / name) for name in open_to_others])
        yield Finding(f"Others on this computer can read {printable(', '.join(open_to_others))}.", f"chmod 600 {paths}")


def _on_permissions(folder: Path, files: Sequence[Sorted]) -> Iterator[Finding]:
    """Yield a fault where other users can read a run's confidential files."""
    names = [file.name for file in files if not file.published]
    found = sorted((name for name in names if _others_may_read(folder / name)), key=lambda name: name != layout.KEY)
    found = [*(["the folder"] if _others_may_read(folder) else []), *found]
    if found:
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        listed = printable(", ".join(found[:3]))
        yield Finding(
            f"Others on this computer can read what is for you alone: {listed}{more}.",
            f"chmod -R go= {shlex.quote(str(folder))}",
        )


def _others_may_read(path: Path) -> bool:
    return os.name == "posix" and not path.is_symlink() and bool(path.stat().st_mode & _OTHERS)


def _not_for_release(manifest: Mapping[str, Any]) -> list[str]:
    """Return why a masked file may not be published, as its manifest tells it."""
    seeded = ["anyone can repeat its draws, which come from a public seed"] if manifest.get("seed") is not None else []
    # Of a run the verdict looks at the order of records.
    ordered = "run" not in manifest and not manifest.get("shuffled")
    return [*seeded, *(["its records keep the order of the original"] if ordered else [])]


def _inputs(manifest: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    read = manifest.get("input")
    return {key: one for key, one in read.items() if isinstance(one, Mapping)} if isinstance(read, Mapping) else {}
