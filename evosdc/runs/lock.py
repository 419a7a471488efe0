"""Who writes to a run folder: one process at a time, whose name everyone who comes later can read.

The lock is our own. The library filelock empties the lock file when it opens it, before it knows whether it gets the
lock. The name of the owner, which our messages give, and that of an owner who died would then be lost.
"""

import errno
import fcntl
import json
import os
import socket
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from evosdc.files.atomic import OWNER_FILE

BEAT = 5.0
"""Seconds between two signs of life of the owner of a lock."""

SILENCE = 60.0
"""Seconds without one after which an owner on another computer is taken for dead."""

_TAKEN = (errno.EWOULDBLOCK, errno.EACCES)


@dataclass(frozen=True, slots=True)
class LockOwner:
    """The process that writes, or last wrote, to a folder.

    Parameters
    ----------
    pid : int
    host : str
    born : str
        When the process began, in the system's own units: a later process may get the same number. Empty where the
        system does not tell.
    since : str
        When it took the lock, ISO 8601, UTC.
    """

    pid: int
    host: str
    born: str
    since: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"

    @property
    def alive(self) -> bool | None:
        """Whether the process is running; None where it belongs to another computer."""
        if self.host != socket.gethostname():
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
    """Return whom a lock file names; None where nobody has the lock, or it is just being taken."""
    try:
        return LockOwner(**json.loads(lock.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


class FolderLockedError(Exception):
    """Another process has the lock.

    Parameters
    ----------
    owner : LockOwner, optional
        None where the lock does not say who.
    """

    def __init__(self, owner: LockOwner | None) -> None:
        super().__init__(str(owner))
        self.owner = owner


class Lock:
    """The lock of a folder: a file that the system locks, that names its owner, and whose time is a sign of life.

    The system lets go of it when the owner dies, however it dies; the owner's name then stays in the file. Where the
    file system cannot lock, or does not show another computer's lock, the name and the signs of life decide.

    Parameters
    ----------
    path : Path
        The lock file; created when it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._ended = threading.Event()

    def acquire(self) -> LockOwner | None:
        """Take the lock; return the process that had it last and died without letting go, if there is one.

        Raises
        ------
        FolderLockedError
            Another process has it.
        """
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, OWNER_FILE)
        try:
            earlier = read_owner(self.path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                unseen = earlier is not None and earlier.alive is None
            except OSError as error:
                if error.errno in _TAKEN:
                    raise FolderLockedError(earlier) from None
                unseen = earlier is not None and earlier.alive is not False  # a file system without locks
            if unseen and seconds_silent(self.path) < SILENCE:
                raise FolderLockedError(earlier)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(asdict(this_owner())).encode(), 0)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self._ended = threading.Event()
        threading.Thread(target=self._beat, args=(self._ended,), name="heartbeat", daemon=True).start()
        return earlier

    def release(self) -> None:
        """Let go and leave no name behind; a second call does nothing."""
        if self._descriptor is None:
            return
        self._ended.set()
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)
        self._descriptor = None

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
