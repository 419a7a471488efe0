"""The computers that workers run on: as a file lists them, or as SLURM or PBS have allotted them to this job."""

import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from evosdc.errors import ExecutorError, Fault, ParameterError

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:]+\]|[\w.-]+)(?::(?P<after>\d+)|\s+(?:slots\s*=\s*)?(?P<slots>\d+))?")
_RANGES = r"\[\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*\]"
_GROUP = re.compile(rf"[^,\[\]]*(?:{_RANGES}[^,\[\]]*)*")


@dataclass(frozen=True, slots=True)
class Host:
    """A computer and how many workers it takes."""

    name: str
    slots: int


def parsed_hosts(lines: Iterable[str], where: str) -> tuple[Host, ...]:
    """Return the hosts that lines name, in order; a host named several times has the sum of its slots."""
    slots: dict[str, int] = {}
    faults = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        found = _HOST.fullmatch(text)
        if found is not None and int(found["after"] or found["slots"] or 1) > 0:
            name = found["name"].strip("[]")
            slots[name] = slots.get(name, 0) + int(found["after"] or found["slots"] or 1)
        elif text:
            faults.append(
                Fault(f"{where}, line {number}", repr(text), "a host such as node1, node1:8 or node1 slots=8")
            )
    if not slots and not faults:
        faults.append(Fault(where, "no host", "a host in each line, such as node1:8"))
    if faults:
        raise ParameterError(faults)
    return tuple(Host(*pair) for pair in slots.items())


def hosts_of(given: Path | Sequence[str]) -> tuple[Host, ...]:
    """Return the hosts of a file or a list; raises as `parsed_hosts`, and where the file cannot be read."""
    if not isinstance(given, Path):
        return parsed_hosts(given, "executor.hosts")
    try:
        return parsed_hosts(given.read_text(encoding="utf-8").splitlines(), str(given))
    except (OSError, UnicodeDecodeError):
        wanted = "a file that names a host in each line"
        raise ParameterError(Fault("executor.hosts", f"{given}, which cannot be read", wanted)) from None


def allotted_hosts(environment: Mapping[str, str]) -> tuple[str, tuple[Host, ...]] | None:
    """Return ``"srun"`` or ``"ssh"``, whichever starts processes there, and the hosts allotted to this job."""
    if "SLURM_JOB_ID" in environment and environment.get("SLURM_JOB_NODELIST"):
        names = expanded_names(environment["SLURM_JOB_NODELIST"])
        # A job that requests cores and no tasks gets one task on a node: the cores count then.
        tasks = expanded_counts(environment.get("SLURM_TASKS_PER_NODE", "1"))
        cores = expanded_counts(environment.get("SLURM_JOB_CPUS_PER_NODE", "1"))
        counts = cores if set(tasks) == {1} and len(cores) == len(names) else tasks
        if len(counts) != len(names):
            raise ExecutorError(
                f"SLURM names {len(names)} nodes but tells the tasks of {len(counts)}; give --hosts FILE"
            )
        return "srun", tuple(Host(*pair) for pair in zip(names, counts, strict=True))
    if environment.get("PBS_NODEFILE"):
        return "ssh", hosts_of(Path(environment["PBS_NODEFILE"]))
    return None


def expanded_names(text: str) -> list[str]:
    """Return the names that SLURM's short form represents: ``a[1-2],b07`` is a1, a2, b07."""
    names: list[str] = []
    rest = text.strip()
    while rest:
        found = _GROUP.match(rest)
        if found is None or not found[0] or rest[found.end() :][:1] not in ("", ","):
            raise ExecutorError(f"the list of SLURM's nodes cannot be read: {text[:200]}; give --hosts FILE")
        names += _unfolded(found[0])
        rest = rest[found.end() + 1 :]
    return names


def _unfolded(group: str) -> list[str]:
    """Return the names of one group, with leading zeros as they are: ``a[08-10]`` is a08, a09, a10."""
    opening, closing = group.find("["), group.find("]")
    if opening < 0:
        return [group]
    names = []
    for part in group[opening + 1 : closing].split(","):
        first, dash, last = part.partition("-")
        for number in range(int(first), int(last if dash else first) + 1):
            names += [f"{group[:opening]}{number:0{len(first)}d}{rest}" for rest in _unfolded(group[closing + 1 :])]
    return names


def expanded_counts(text: str) -> list[int]:
    """Return the counts that SLURM's short form represents: ``2(x3),1`` is 2, 2, 2, 1."""
    counts: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part.strip())
        if found is None:
            raise ExecutorError(f"SLURM's tasks per node cannot be read: {text[:200]}; give --hosts FILE")
        counts += [int(found[1])] * int(found[2] or 1)
    return counts


def shared_out(hosts: Sequence[Host], workers: int) -> tuple[Host, ...]:
    """Return the hosts with as many slots in all as there are workers, filled in order."""
    total = sum(host.slots for host in hosts)
    if workers > total:
        advice = "Ask for fewer, or give the hosts more slots."
        raise ParameterError(Fault("workers", str(workers), f"at most the {total} slots of the hosts", advice))
    used, left = [], workers
    for host in hosts:
        if left:
            used.append(Host(host.name, min(host.slots, left)))
            left -= used[-1].slots
    return tuple(used)


def is_here(name: str) -> bool:
    """Whether a name represents this computer: one of its own names, or an address that can be bound to here."""
    if name in ("localhost", socket.gethostname(), socket.gethostname().partition(".")[0]):
        return True
    with suppress(OSError):
        for family, kind, _, _, address in socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM):
            with suppress(OSError), socket.socket(family, kind) as trial:
                trial.bind(address)
                return True
    return False


def address_towards(name: str) -> str:
    """Return the address of this computer from which another one is reached, and at which it can answer."""
    try:
        family, _, _, _, address = socket.getaddrinfo(name, 9, socket.AF_INET, socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(address)  # sends nothing: it chooses the way
            return str(probe.getsockname()[0])
    except OSError as error:
        raise ExecutorError(f"host {name} cannot be reached: {error.strerror or error}") from None
