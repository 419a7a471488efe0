"""SCOOP over several computers: hosts reached by ssh, hosts that go away, allocations of SLURM and PBS."""

import os
import stat
import subprocess
import time
from pathlib import Path

import pytest

from evosdc.errors import ExecutorError, ParameterError
from evosdc.plugins.local_files import receive
from evosdc.plugins.registry import default_registry
from evosdc_scoop.executor import ScoopExecutor
from evosdc_scoop.hosts import Host, allotted_hosts, expanded_names, hosts_of, is_here, parsed_hosts, shared_out
from evosdc_scoop.launcher import command_on
from tests.kit.test_own_plugins import MINE, write

from .commands import assert_same_run, completed, experiment_file, outcome, reached, wait_for
from .network import MASTER, Network, require_tools
from .troubled import command

SLURM = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[08-09],gpu1", "SLURM_TASKS_PER_NODE": "4(x2),1"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]),
        ("a[1-2],b07", ["a1", "a2", "b07"]),
        ("n[08-10,12]x.org", ["n08x.org", "n09x.org", "n10x.org", "n12x.org"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
    ],
)
def test_names_of_slurm_are_unfolded(text, names):
    assert expanded_names(text) == names


@pytest.mark.parametrize("text", ["a[", "a[1-2", "a],b", ",a", "a[1-]", "a,,b"])
def test_names_of_another_form_are_an_error(text):
    with pytest.raises(ExecutorError, match="give --hosts FILE"):
        expanded_names(text)


def test_the_hosts_of_a_job_are_found(tmp_path):
    assert allotted_hosts({}) is None
    assert allotted_hosts(SLURM) == ("srun", (Host("n08", 4), Host("n09", 4), Host("gpu1", 1)))
    cores = SLURM | {"SLURM_TASKS_PER_NODE": "1(x3)", "SLURM_JOB_CPUS_PER_NODE": "16(x2),8"}
    assert allotted_hosts(cores) == ("srun", (Host("n08", 16), Host("n09", 16), Host("gpu1", 8)))
    with pytest.raises(ExecutorError, match="3 nodes but tells the tasks of 2"):
        allotted_hosts(SLURM | {"SLURM_TASKS_PER_NODE": "4(x2)"})
    nodes = tmp_path / "nodes"
    nodes.write_text("n1\nn1\nn2\n")
    assert allotted_hosts({"PBS_NODEFILE": str(nodes)}) == ("ssh", (Host("n1", 2), Host("n2", 1)))


def test_a_job_says_how_many_workers_there_are(monkeypatch):
    for name, value in SLURM.items():
        monkeypatch.setenv(name, value)
    assert ScoopExecutor.usual_workers(ScoopExecutor.Params()) == 9
    assert ScoopExecutor.usual_workers(ScoopExecutor.Params(hosts=("a:2", "b"))) == 3


def test_lines_of_a_hosts_file(tmp_path):
    assert parsed_hosts(["a:2  # fast", "", "b 3", "c slots=4", "a", "[::1]:2"], "f") == (
        Host("a", 3),
        Host("b", 3),
        Host("c", 4),
        Host("::1", 2),
    )
    with pytest.raises(ParameterError) as caught:
        parsed_hosts(["a:0", "-oProxyCommand=evil x", "fine"], "f")
    assert [fault.where for fault in caught.value.faults] == ["f, line 1", "f, line 2"]
    for missing in ([], ["# nobody"]):
        with pytest.raises(ParameterError, match="no host"):
            parsed_hosts(missing, "f")
    with pytest.raises(ParameterError, match="cannot be read"):
        hosts_of(tmp_path / "none")


def test_slots_are_filled_in_order():
    hosts = (Host("a", 2), Host("b", 2), Host("c", 2))
    assert shared_out(hosts, 3) == (Host("a", 2), Host("b", 1))
    with pytest.raises(ParameterError, match="at most the 6 slots"):
        shared_out(hosts, 7)


def test_this_computer_is_known():
    assert is_here("localhost")
    assert is_here("127.0.0.1")
    assert not is_here("192.0.2.1")


def test_commands_hold_no_secret_and_quote_what_a_shell_would_read():
    for shell in ("ssh -p 2222", "srun"):
        words = command_on("node1", 4, shell, "/opt/my python", "evosdc_scoop.site")
        assert "key" not in " ".join(words).lower()
    assert words[-4:] == ["/opt/my python", "-P", "-m", "evosdc_scoop.site"]
    assert "--nodelist=node1" in words
    assert "'/opt/my python'" in command_on("node1", 4, "ssh", "/opt/my python", "m")[-1]


def test_more_workers_than_slots_is_bad_input(tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("localhost:2\n")
    path = experiment_file(tmp_path / "experiment.toml", stop={"generations": 1})
    words = ["run", path, "-o", tmp_path / "run", "--executor", "scoop", "--workers", 3, "--hosts", hosts]
    done = completed(*words)
    assert done.returncode == 2
    assert "at most the 2 slots of the hosts" in done.stderr


ISLANDS = {"name": "islands", "islands": 4, "interval": 5}
STOP = {"generations": 2000}
"""Seconds of work, so that what a test does to a run happens in the middle of it."""


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    require_tools()
    made = Network(tmp_path_factory.mktemp("network"), 2)
    yield made
    made.remove()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    path = experiment_file(folder / "experiment.toml", algorithm=ISLANDS, stop=STOP)
    done = completed("run", path, "-o", folder / "run")
    assert done.returncode == 0, done.stderr
    return folder / "run"


def begun(network, path, folder, hosts):
    (path.parent / "hosts").write_text("\n".join(hosts))
    words = ["run", path, "-o", folder, "--executor", "scoop", "--hosts", path.parent / "hosts"]
    words += ["--set", f"executor.shell={network.shell}", "--set", "executor.grain=islands"]
    return subprocess.Popen(
        network.inside(*command(*words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    )


def left_on(network, seconds=120.0):
    limit = time.monotonic() + seconds
    while (left := [pid for host in network.hosts for pid in network.processes(host)]) and time.monotonic() < limit:
        time.sleep(0.1)
    return left


@pytest.mark.cluster
def test_workers_on_several_hosts_come_to_the_same_and_leave_nothing_behind(network, alone, tmp_path):
    path = experiment_file(tmp_path / "experiment.toml", algorithm=ISLANDS, stop=STOP)
    process = begun(network, path, tmp_path / "run", ["localhost:1", *(f"{host}:1" for host in network.hosts)])
    wait_for(lambda: reached(tmp_path / "run", 2), process)
    assert [len(network.processes(host)) for host in network.hosts] == [2, 2], "a site and its worker on each"
    lines = subprocess.run(network.inside("ss", "-Htln"), capture_output=True, text=True).stdout.splitlines()
    assert {line.split()[3].rpartition(":")[0] for line in lines} == {MASTER}, "the broker alone, at one address"
    for host in network.hosts:
        for pid in network.processes(host):
            words = Path(f"/proc/{pid}/cmdline").read_text() + Path(f"/proc/{pid}/environ").read_text()
            assert "secret" not in words
            assert "public_key" not in words
    _, complaints = process.communicate(timeout=300)
    assert process.returncode == 0, complaints
    assert_same_run(tmp_path / "run", alone)
    assert left_on(network) == []


@pytest.mark.cluster
def test_a_plugin_file_reaches_the_workers_of_another_host(tmp_path):
    shell = tmp_path / "shell"
    shell.write_text('#!/bin/sh\nunset EVOSDC_PLUGINS\nshift\nexec sh -c "$*"\n')
    shell.chmod(0o700)
    write(tmp_path / "own_share.py", MINE)
    digests = []
    for folder, options in (
        ("serial", ["--executor", "serial"]),
        ("hosts", ["--executor", "scoop", "--set", 'executor.hosts=["elsewhere.invalid:2"]', "--set",
                   f"executor.shell={shell}", "--set", "executor.interface=127.0.0.1", "--set",
                   "executor.grain=evaluations"]),
    ):  # fmt: skip
        path = experiment_file(
            tmp_path / "e.toml", measures={"il": ["my-share"], "dr": ["id"]}, stop={"generations": 3}
        )
        done = completed("run", path, "--plugin", tmp_path / "own_share.py", "-o", tmp_path / folder, *options)
        assert done.returncode == 0, done.stderr
        digests.append(outcome(tmp_path / folder)["digest"])
    assert digests[0] == digests[1]


def test_a_plugin_file_that_is_not_there_is_kept_until_the_end(tmp_path, monkeypatch):
    here = write(tmp_path / "own_here.py", MINE)
    sent = MINE.replace("MODULE", "own_sent").replace("my-share", "my-sent")
    monkeypatch.setenv("EVOSDC_PLUGINS", "")
    folder = receive({str(here): here.read_text(), str(tmp_path / "elsewhere" / "own_sent.py"): sent})
    assert [path.name for path in folder.iterdir()] == ["own_sent.py"]
    assert os.environ["EVOSDC_PLUGINS"] == f"{here}{os.pathsep}{folder / 'own_sent.py'}"
    assert default_registry().implementation("measure", "my-share").__module__ == "own_here"
    assert default_registry().implementation("measure", "my-sent").__module__ == "own_sent"


@pytest.mark.cluster
def test_ctrl_c_ends_the_workers_on_all_hosts(network, tmp_path):
    path = experiment_file(tmp_path / "experiment.toml", algorithm=ISLANDS)
    process = begun(network, path, tmp_path / "run", [f"{host}:1" for host in network.hosts])
    wait_for(lambda: reached(tmp_path / "run", 2), process)
    process.send_signal(2)
    process.communicate(timeout=300)
    assert process.returncode == 130
    assert left_on(network) == []


@pytest.mark.cluster
def test_the_work_of_a_host_that_goes_away_is_done_by_the_others(network, alone, tmp_path):
    path = experiment_file(tmp_path / "experiment.toml", algorithm=ISLANDS, stop=STOP)
    process = begun(network, path, tmp_path / "run", [f"{host}:1" for host in network.hosts])
    wait_for(lambda: reached(tmp_path / "run", 2), process)
    network.unplug(network.hosts[1])
    _, complaints = process.communicate(timeout=300)
    assert process.returncode == 0, complaints
    assert_same_run(tmp_path / "run", alone)
    log = tmp_path / "run" / "workers.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert f"host {network.hosts[1]} is given up; 2 workers are left" in log.read_text()
    assert os.environ.get("SLURM_JOB_ID") is None
