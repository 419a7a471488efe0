"""Writing files so that they are whole or not there at all, and for their owner's eyes only."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OWNER_FILE = 0o600
OWNER_FOLDER = 0o700


@contextmanager
def atomic(target: Path) -> Iterator[Path]:
    """Give a temporary path beside `target` to write to, and put it in place when the block ends without an error.

    The file is created readable by its owner alone, is on the disk before it takes the target's name, and is removed
    when anything goes wrong; `target` is then as it was.
    """
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        descriptor = os.open(temporary, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
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
    folder.mkdir(mode=OWNER_FOLDER, parents=True, exist_ok=True)
