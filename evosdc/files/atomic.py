"""Writing files so that they are whole or not there at all, and for their owner's eyes only."""

import errno
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from evosdc.errors import DataError, Fault
from evosdc.printing import printable

# how the head of every page that evosdc writes begins to name what made it
GENERATOR = '<meta name="generator" content="evosdc'
_HEAD = 4096
OWNER_FILE = 0o600
OWNER_FOLDER = 0o700
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
_FULL = (errno.ENOSPC, errno.EDQUOT)
_SHOWN = 40


def written_by_evosdc(path: Path) -> bool:
    """Return whether a file that exists is a page, a manifest, or a file that a manifest beside it accounts for."""
    # A data file only while it has the digest of its manifest; a companion while the manifest names it.

    def recorded(manifest: Path) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a manifest and what it says of its output; empty where there is none."""
        try:
            found = json.loads(manifest.read_bytes()) if manifest.is_file() else {}
        except ValueError:
            return {}, {}
        found = found if isinstance(found, dict) else {}
        return found, output if isinstance(output := found.get("output"), dict) else {}

    if not path.is_file():
        return False
    try:
        if path.suffix == ".html":
            with path.open("rb") as file:
                return GENERATOR.encode() in file.read(_HEAD)
        if path.name.endswith(".manifest.json"):
            return bool(recorded(path)[1].get("sha256"))
        stems = {path.stem, path.name.rsplit(".", 2)[0]}
        manifests = [recorded(path.with_name(f"{stem}.manifest.json")) for stem in stems]
        if any(manifest.get("companion") == path.name for manifest, _ in manifests):
            return isinstance(json.loads(path.read_bytes()), dict | list)  # matrices of strata are a list
        digests = [output.get("sha256") for _, output in manifests if output.get("name") == path.name]
        with path.open("rb") as file:
            return bool(digests) and hashlib.file_digest(file, "sha256").hexdigest() in digests
    except (OSError, ValueError):
        return False


def special_kind(path: Path) -> str:
    """Return the kind of a path that is not a regular file, in words; empty for a regular file. Follows links."""
    mode = path.stat().st_mode
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "a special file")


def check_writable(path: Path | str) -> None:
    """Raise when a file cannot be written, before long work begins; leaves no trace."""
    path = Path(path)
    try:
        target = _resolved(path)
        folder = target.parent
        if not folder.is_dir():
            reason = f"{folder} is not a folder" if folder.exists() else f"there is no folder {folder}"
            raise DataError(unwritable(path, reason))
        _temporary(target).unlink()
    except OSError as error:
        raise_unwritable(path, error)


def require_unused(
    *paths: Path | str, replace: bool = False, advice: str = "Choose another one, or add --force."
) -> None:
    """Raise `DataError` where files exist that were not meant to be written over, with all of them."""
    if replace:
        return
    there = [printable(str(path)) for path in paths if Path(path).exists() and not written_by_evosdc(Path(path))]
    if there:
        raise DataError([Fault(path, "a file that exists", "a new file", advice) for path in there])


def unwritable(path: Path, reason: str) -> Fault:
    """Return the fault of a path that cannot be written for a reason."""
    given = f"a path that cannot be written ({printable(reason)})"
    return Fault(printable(str(path)), given, "a writable path", "Choose another one.")


def raise_unwritable(path: Path, error: OSError) -> NoReturn:
    """Raise the `DataError` of a path that cannot be written; the error of a full disk is raised as it is."""
    if error.errno in _FULL:
        raise error
    raise DataError(unwritable(path, error.strerror or str(error))) from None


@contextmanager
def atomic(target: Path) -> Iterator[Path]:
    """Give a temporary path beside `target` to write to, and put it in place when the block ends without an error."""
    # On the disk before it takes the target's name. A symbolic link stays, and what it leads to is written.
    target = _resolved(target)
    temporary = _temporary(target)
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.chmod(OWNER_FILE)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> None:
    """Write a text file atomically, UTF-8 with line feeds."""
    with atomic(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def make_folder(folder: Path) -> None:
    """Create a folder that only its owner can enter; its parents too where they are missing."""
    if not folder.parent.exists():
        make_folder(folder.parent)  # mkdir's own way of making parents would let others in
    folder.mkdir(mode=OWNER_FOLDER, exist_ok=True)


def _resolved(path: Path) -> Path:
    """Return the regular file, there or yet to be, that a path leads to."""
    try:
        kind = special_kind(path)
    except (FileNotFoundError, NotADirectoryError):
        kind = ""
    if kind:
        raise DataError(unwritable(path, f"it is {kind}"))
    # A path without links is kept as given, so that messages name it so.
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _temporary(target: Path) -> Path:
    """Return a new file beside a path."""
    try:
        # The name is cut, since one near the longest allowed leaves no room for what is added.
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:_SHOWN]}.", dir=target.parent)
    except PermissionError:
        raise DataError(unwritable(target, f"no permission to write to {target.parent}")) from None
    os.close(handle)
    return Path(name)
