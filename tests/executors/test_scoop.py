"""What is peculiar to SCOOP: its broker, who may connect to it, where it listens, and pools started by SCOOP itself."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
import zmq

from evosdc.errors import ExecutorError
from evosdc_scoop import broker as wire
from evosdc_scoop import launcher
from evosdc_scoop import pool as pool_module
from evosdc_scoop.broker import Broker
from evosdc_scoop.executor import ScoopExecutor
from tests.cluster.commands import wait_for

from .conftest import descendants
from .work import task

ROOT = Path(__file__).parents[2]
LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}


@pytest.fixture
def executor():
    with ScoopExecutor(None, 2) as started:
        yield started


def listening(pids):
    """Return the local addresses, as the kernel writes them, on which processes listen."""
    inodes = set()
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            # The descriptor that lists the folder is closed by now.
            with suppress(FileNotFoundError):
                target = str(descriptor.readlink())
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.append(fields[1])
    return found


def test_the_broker_alone_listens_and_on_the_loopback_interface_alone():
    before = listening([os.getpid()])  # a test before may have left something that listens
    with ScoopExecutor(None, 2) as executor:
        executor.map([task("echo", [1])])
        processes = [child.process.pid for child in executor._pool.children]
        assert set(processes) <= descendants(os.getpid())
        addresses = [listening([pid]) for pid in processes]
        assert [len(found) for found in addresses] == [1, 0, 0]
        assert addresses[0][0].split(":")[0] in LOOPBACK
        assert listening([os.getpid()]) == before


@pytest.mark.parametrize(
    "rank",
    [
        pytest.param(0, id="broker", marks=pytest.mark.endurance),
        pytest.param(1, id="origin", marks=pytest.mark.endurance),
        pytest.param(2, id="worker"),
    ],
)
def test_whichever_process_is_killed_the_pool_comes_back(executor, rank):
    victim = executor._pool.children[rank].process
    victim.kill()
    victim.wait()
    rows = executor.map([task("process", [0.05]) for _ in range(10)])
    assert {row[0].value for row in rows} == {child.process.pid for child in executor._pool.children[1:]}


@pytest.mark.endurance
def test_a_process_that_is_killed_at_work_costs_nothing_but_time(executor, tmp_path):
    pid = executor._pool.children[2].process.pid

    def kill_at_work():
        wait_for((tmp_path / str(pid)).exists)
        os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_at_work)
    killer.start()
    rows = executor.map([task("announced", [(str(tmp_path), "asleep", 0.1)], first=i) for i in range(12)])
    killer.join()
    assert [(row[0].id, row[0].value) for row in rows] == [(i, 0.1) for i in range(12)]


def test_short_tasks_do_not_keep_long_ones_at_the_origin(executor, tmp_path):
    executor.map([task("echo", [i]) for i in range(50)])
    rows = executor.map([task("met", [(str(tmp_path), 2)]) for _ in range(12)])
    assert [len(row[0].value) for row in rows] == [2] * 12


@pytest.mark.endurance
def test_a_worker_that_does_no_work_is_an_error(monkeypatch):
    start = launcher.start

    def start_with_one_stopped(*given):
        children = start(*given)
        os.kill(children[2].process.pid, signal.SIGSTOP)
        return children

    monkeypatch.setattr(pool_module, "start", start_with_one_stopped)
    monkeypatch.setattr(pool_module, "START_TIME", 5.0)
    # On a loaded machine the other worker may not have been there in time either.
    with pytest.raises(ExecutorError, match=r"[01] of 2 SCOOP workers are at work"):
        ScoopExecutor(None, 2).__enter__()


class Conversation:
    """A broker in this process and clients of it; `turn` has the broker act upon one message."""

    def __init__(self):
        self.public, secret = zmq.curve_keypair()
        self.broker = Broker("127.0.0.1", secret)
        self.broker._socket.rcvtimeo = 60_000
        self.context = zmq.Context()

    def client(self, name, key=None):
        socket = self.context.socket(zmq.DEALER)
        socket.identity = name
        socket.linger = 0
        socket.rcvtimeo = 60_000
        if key is not None:
            socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()
            socket.curve_serverkey = key
        socket.connect(f"tcp://127.0.0.1:{self.broker.port}")
        return socket

    def turn(self, socket, *parts):
        socket.send_multipart(parts)
        self.broker.handle(self.broker._socket.recv_multipart())


@pytest.fixture
def conversation():
    talk = Conversation()
    yield talk
    talk.broker._socket.context.destroy(linger=0)
    talk.context.destroy(linger=0)


def test_the_broker_does_not_hear_strangers(conversation):
    another_key, _ = zmq.curve_keypair()
    for key in (None, another_key):
        stranger = conversation.client(b"stranger", key)
        stranger.send_multipart([wire.TASK, b"1", pickle.dumps(print)])
    conversation.broker._socket.rcvtimeo = 500
    with pytest.raises(zmq.Again):
        conversation.broker._socket.recv_multipart()


def test_the_broker_knows_where_a_task_is(conversation):
    origin, worker = (conversation.client(name, conversation.public) for name in (b"0", b"1"))

    def status():
        conversation.turn(origin, wire.STATUS_REQUEST, b"task")
        word, name, answer = origin.recv_multipart()
        assert (word, name) == (wire.STATUS_ANSWER, b"task")
        return answer

    assert status() == wire.UNKNOWN
    conversation.turn(origin, wire.TASK, b"task", b"content")
    assert status() == wire.WAITING
    conversation.turn(worker, wire.REQUEST)
    assert worker.recv_multipart() == [wire.TASK, b"content"]
    assert status() == wire.GIVEN
    conversation.turn(worker, wire.TASK, b"task", b"content")
    assert status() == wire.WAITING
    conversation.turn(worker, wire.REQUEST)
    assert worker.recv_multipart() == [wire.TASK, b"content"]
    conversation.turn(worker, wire.REPLY, b"0", b"task", b"answer")
    assert origin.recv_multipart() == [wire.REPLY, b"answer", b"1"]
    assert status() == wire.UNKNOWN
    conversation.turn(origin, wire.TASK, b"task", b"content")
    conversation.turn(origin, wire.FORGET)
    assert status() == wire.UNKNOWN


def test_the_broker_survives_idle_workers_that_died_and_nonsense(conversation):
    origin, doomed, worker = (conversation.client(name, conversation.public) for name in (b"0", b"1", b"2"))
    conversation.turn(doomed, wire.REQUEST)
    doomed.close()
    # A message to a client that is gone is an error as soon as that has got about.
    wait_for(lambda: not conversation.broker._send(b"1", b"still there?"))
    conversation.turn(origin, wire.TASK, b"task", b"content")
    conversation.turn(origin, b"what?", b"ever")
    conversation.turn(worker, wire.REQUEST)
    assert worker.recv_multipart() == [wire.TASK, b"content"]


NATIVE = """
import os, sys
from evosdc.errors import ExecutorError
from evosdc_scoop.executor import ScoopExecutor
from tests.executors.work import task

if __name__ == "__main__":
    try:
        ScoopExecutor(None, 5)
    except ExecutorError as error:
        print(error)
    with ScoopExecutor(None, 2) as executor:
        rows = executor.map([task("drawn", [i, i + 1]) for i in range(20)] + [task("echo", [lambda: None])])
        pids = executor.map([task("met", [(sys.argv[1], 2)]) for i in range(12)])[0][0].value
        print(executor.workers, len(pids), os.getpid() in pids)
        print([o.value[0] for row in rows[:20] for o in row] == [i + j for i in range(20) for j in (0, 1)])
        print(rows[20][0].value.message[:33])
"""


def test_under_scoop_itself_its_workers_are_used(tmp_path):
    path, meeting = tmp_path / "native.py", tmp_path / "meeting"
    path.write_text(NATIVE)
    meeting.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "scoop", "-n", "2", "-q", str(path), str(meeting)],
        capture_output=True,
        text=True,
        timeout=180,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
    )
    assert done.stdout.splitlines() == [
        "SCOOP was started with 2 workers, fewer than the 5 requested",
        "2 2 True",
        "True",
        "the task cannot be sent to a work",
    ], done.stderr
