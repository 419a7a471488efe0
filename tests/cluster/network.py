"""Several computers in one: network namespaces on a bridge, each with an ssh server of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

MASTER = "10.213.77.1"
PROBE = f"evosdc-probe-{os.getpid()}"


def require_tools() -> None:
    """Skip the test where there are no namespaces to be made, or no ssh."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    for tool in ("ip", "ssh", "ssh-keygen"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed (iproute2, openssh-client)")
    if not Path("/usr/sbin/sshd").exists():
        pytest.skip("sshd is not installed (openssh-server)")
    if subprocess.run(["ip", "netns", "add", PROBE], capture_output=True).returncode:
        pytest.skip("network namespaces cannot be made here")
    subprocess.run(["ip", "netns", "del", PROBE], check=True)


class Network:
    """A master and hosts that reach each other at addresses of their own and nothing else.

    Parameters
    ----------
    folder : Path
        For keys and configuration.
    count : int
        Hosts besides the master.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.mark = f"es{os.getpid() % 100000}"
        self.hosts = [f"10.213.77.{11 + number}" for number in range(count)]
        self.servers: dict[str, subprocess.Popen[bytes]] = {}
        self.master = f"{self.mark}m"
        try:
            self._make()
        except BaseException:
            self.remove()
            raise

    def space_of(self, host: str) -> str:
        """Return the name of a host's namespace."""
        return f"{self.mark}h{self.hosts.index(host)}"

    @property
    def shell(self) -> str:
        """What starts processes on the hosts; a host that does not answer for three seconds is given up."""
        return f"ssh -o ServerAliveInterval=1 -F {self.folder / 'ssh_config'}"

    def inside(self, *command: str) -> list[str]:
        """Return the command as run on the master."""
        return ["ip", "netns", "exec", self.master, *command]

    def unplug(self, host: str) -> None:
        """Take a host off the network, at once and without a word to anybody."""
        self._ip("-n", self.master, "link", "set", f"b{self.hosts.index(host)}", "down")

    def processes(self, host: str) -> list[int]:
        """Return the processes on a host, its ssh server's own excepted."""
        found = subprocess.run(["ip", "netns", "pids", self.space_of(host)], capture_output=True, text=True).stdout
        names = {pid: _command(pid) for pid in map(int, found.split())}
        return [pid for pid, name in names.items() if "evosdc" in name]

    def remove(self) -> None:
        """End what runs on the hosts, and the hosts."""
        for host in self.hosts:
            for pid in self.processes(host):
                _kill(pid)
        for server in self.servers.values():
            server.kill()
            server.wait()
        for name in (self.master, *map(self.space_of, self.hosts)):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def _make(self) -> None:
        self._ip("netns", "add", self.master)
        self._ip("-n", self.master, "link", "set", "lo", "up")
        self._ip("-n", self.master, "link", "add", "bridge", "type", "bridge")
        self._ip("-n", self.master, "addr", "add", f"{MASTER}/24", "dev", "bridge")
        self._ip("-n", self.master, "link", "set", "bridge", "up")
        for name in ("client", "server"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / name)], check=True)
        shutil.copy(self.folder / "client.pub", self.folder / "authorized_keys")
        (self.folder / "ssh_config").write_text(
            f"Host *\n IdentityFile {self.folder / 'client'}\n IdentitiesOnly yes\n StrictHostKeyChecking no\n"
            f" UserKnownHostsFile {self.folder / 'known_hosts'}\n LogLevel ERROR\n"
        )
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        for number, host in enumerate(self.hosts):
            self._add(host, number)
        deadline = time.monotonic() + 60.0
        for host in self.hosts:
            while subprocess.run(
                self.inside("ssh", "-F", str(self.folder / "ssh_config"), host, "true"), capture_output=True
            ).returncode:
                if time.monotonic() > deadline:
                    pytest.skip("ssh between the namespaces does not work here")
                time.sleep(0.1)

    def _add(self, host: str, number: int) -> None:
        space = self.space_of(host)
        self._ip("netns", "add", space)
        self._ip("-n", self.master, "link", "add", f"b{number}", "type", "veth", "peer", "name", "eth0", "netns", space)
        self._ip("-n", self.master, "link", "set", f"b{number}", "master", "bridge", "up")
        self._ip("-n", space, "addr", "add", f"{host}/24", "dev", "eth0")
        for link in ("lo", "eth0"):
            self._ip("-n", space, "link", "set", link, "up")
        config = self.folder / f"sshd_{number}"
        config.write_text(
            f"ListenAddress {host}\nHostKey {self.folder / 'server'}\nPidFile none\nUsePAM no\nStrictModes no\n"
            f"AuthorizedKeysFile {self.folder / 'authorized_keys'}\nPermitRootLogin prohibit-password\n"
        )
        self.servers[host] = subprocess.Popen(
            ["ip", "netns", "exec", space, "/usr/sbin/sshd", "-D", "-f", str(config)], stderr=subprocess.DEVNULL
        )

    def _ip(self, *arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True, stdout=subprocess.DEVNULL)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, 9)
    except ProcessLookupError:
        return


def evosdc_command(*arguments: str) -> list[str]:
    """Return the command line of evosdc."""
    return [sys.executable, "-m", "evosdc", *arguments]
