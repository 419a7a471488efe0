"""Which files of a run may be published, and which are for their owner alone: by name, and secrets by content too."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from evosdc.runs.layout import (
    ANALYST,
    BEST,
    CONTEXT,
    CROSSWALK,
    DATA,
    DOSSIER,
    ENVIRONMENT,
    EXPERIMENT,
    FOR_USERS,
    FREQUENCIES,
    FRONT,
    JOURNAL,
    KEY,
    LOCK,
    PICTURE,
    PLANNING,
    PORTFOLIO,
    RECIPE,
    RELEASE,
    RELEASE_FORM,
    REPORT,
    RESOLVED,
    RESULT,
    RISK,
    SCORES,
    SETTING,
    STATUS,
    TRANSITIONS,
    TUNING,
)

_KEY_DIGITS = 64
_CROSSWALK_BEGINS = b"published,original"


@dataclass(frozen=True, slots=True)
class FileKind:
    """Files of a run that are for the same readers, for the same reason."""

    what: str  # what they are, or why they are not published, in a few words
    patterns: tuple[str, ...]  # their names, with ``*`` for any characters
    published: bool = False  # whether they may be published where the verdict on the run's file allows it
    secret: bool = False  # whether the protection is undone by anyone who has one of them


SECRETS = FileKind("undo the protection", (KEY, CROSSWALK, "crosswalk-*.csv"), secret=True)

# All files of runs, studies and tunings; the first kind that fits counts.
RUN_FILES = (
    FileKind("the protected file", (f"{BEST.removesuffix('csv')}*",), published=True),
    FileKind("page for its users", (FOR_USERS,), published=True),
    FileKind("matrices for analysts", (ANALYST,), published=True),
    SECRETS,
    FileKind("the original, and the state of the search", (DATA, CONTEXT, "*.npz*")),
    FileKind(
        "counts of the original, and records at risk",
        (REPORT, DOSSIER, RISK, RELEASE, FREQUENCIES, TRANSITIONS, "matrix-*.csv", f"{PICTURE}-*"),
    ),
    FileKind(
        "what was tried, and how it scored",
        (RESULT, FRONT, SCORES, JOURNAL, PORTFOLIO, TUNING, PLANNING, RECIPE, "summary.csv", "runs.csv"),
    ),
    FileKind(
        "settings, and what was typed",
        (EXPERIMENT, RESOLVED, ENVIRONMENT, STATUS, SETTING, RELEASE_FORM, f"{LOCK}*", ".finish"),
    ),
)


def kind_of(name: str) -> FileKind | None:
    """Return the kind of a run's file or folder by its name; None where no run writes one of that name."""
    return next((kind for kind in RUN_FILES if any(fnmatchcase(name, one) for one in kind.patterns)), None)


def is_key_file(path: Path) -> bool:
    """Return whether a file holds a secret key, whatever its name; nothing of it is returned."""
    try:
        if path.stat().st_size > _KEY_DIGITS + 2:
            return False
        text = path.read_bytes().strip().decode("ascii")
        return len(text) == _KEY_DIGITS and len(bytes.fromhex(text)) == _KEY_DIGITS // 2
    except (OSError, ValueError):
        return False


def is_crosswalk(path: Path) -> bool:
    """Return whether a file says which published record is which of the original, whatever its name."""
    try:
        with path.open("rb") as file:
            return file.read(len(_CROSSWALK_BEGINS) + 3).removeprefix(b"\xef\xbb\xbf").startswith(_CROSSWALK_BEGINS)
    except OSError:
        return False


def is_secret(path: Path) -> bool:
    """Return whether a file is one by which anyone undoes a protection: a key, or a crosswalk."""
    return is_key_file(path) or is_crosswalk(path)
