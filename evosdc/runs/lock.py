"""The lock of a run folder: one process writes at a time, and later processes can read its name.

The name stands in a file of its own: filelock may empty the file that it locks before it has the lock, and the name of
the owner, which our messages give, and that of an owner who died would then be lost.
"""

import json
import os
import socket
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from evosdc.files.atomic import OWNER_FILE

BEAT = 5.0  # seconds between two signs of life of the owner of a lock
SILENCE = 60.0  # seconds without one after which an owner on another computer is taken for dead

# What the name of the file ends with that the system locks; before it the name of the file that names the owner.
HELD = ".held"


@dataclass(frozen=True, slots=True)
class LockOwner:
    """The process that writes, or last wrote, to a folder."""

    pid: int
    host: str
    # When the process began, in the system's own units: a later process may get the same number. Empty where the system
    # does not tell.
    born: str
    since: str  # when it took the lock, ISO 8601, UTC

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"

    @property
    def alive(self) -> bool | None:
        """Whether the process is running; None where it belongs to another computer, or the system does not tell."""
        if self.host != socket.gethostname() or os.name == "nt":
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:  # somebody else's process
            return True
        return _born(self.pid) == self.born


def this_owner() -> LockOwner:
    """Return this process as an owner from now on."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return LockOwner(os.getpid(), socket.gethostname(), _born(os.getpid()), now)


def read_owner(lock: Path) -> LockOwner | None:
    """Return the owner named in a lock file; None where the lock is free, or just being taken."""
    try:
        return LockOwner(**json.loads(lock.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


class FolderLockedError(Exception):
    """Another process has the lock."""

    def __init__(self, owner: LockOwner | None) -> None:
        super().__init__(str(owner))
        self.owner = owner


class Lock:
    """The lock of a folder: a file that names its owner and whose time is a sign of life, beside a locked one."""

    # The system lets go of the lock when the owner dies, however it dies; the owner's name then stays in the file.
    # Where the file system cannot lock, or does not show another computer's lock, the name and the signs of life
    # decide.

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held = FileLock(f"{path}{HELD}", timeout=0.0, mode=OWNER_FILE, thread_local=False)
        self._owned = False
        self._ended = threading.Event()

    def acquire(self) -> LockOwner | None:
        """Take the lock; return the process that had it last and died without letting go, if there is one."""
        earlier = read_owner(self.path)
        try:
            self._held.acquire()
            unseen = earlier is not None and earlier.alive is None and os.name != "nt"
        except Timeout:
            raise FolderLockedError(earlier) from None
        except (OSError, NotImplementedError):  # a file system without locks
            unseen = earlier is not None and earlier.alive is not False
        try:
            if unseen and seconds_silent(self.path) < SILENCE:
                raise FolderLockedError(earlier)
            self.path.touch(OWNER_FILE)
            self.path.write_text(json.dumps(asdict(this_owner())), encoding="utf-8")
        except BaseException:
            self._held.release()
            raise
        self._owned = True
        self._ended = threading.Event()
        threading.Thread(target=self._beat, args=(self._ended,), name="heartbeat", daemon=True).start()
        return earlier

    def release(self) -> None:
        """Let go and leave no name behind; a second call does nothing."""
        if not self._owned:
            return
        self._owned = False
        self._ended.set()
        with suppress(OSError):
            self.path.write_text("", encoding="utf-8")
        self._held.release()

    def _beat(self, ended: threading.Event) -> None:
        while not ended.wait(BEAT):
            with suppress(OSError):
                os.utime(self.path)


def seconds_silent(lock: Path) -> float:
    """Return the seconds since the owner's last sign of life, by the clock of the disk, which all its users share."""
    probe = lock.with_name(f"{lock.name}.{socket.gethostname()}-{os.getpid()}")
    try:
        probe.touch()
        return max(0.0, probe.stat().st_mtime - lock.stat().st_mtime)
    finally:
        probe.unlink(missing_ok=True)


def _born(pid: int) -> str:
    try:
        # The name of the program, in brackets, may hold blanks; the start is the 20th field after it.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
