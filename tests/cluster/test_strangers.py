"""Who may talk to workers: where they listen, and what becomes of a message from a stranger."""

import os
import pickle
import socket
import ssl
from contextlib import suppress
from pathlib import Path

import pytest

from evosdc.executors.processes import ProcessesExecutor
from evosdc_dask.executor import DaskExecutor
from tests.executors.conftest import descendants
from tests.executors.test_scoop import LOOPBACK, listening
from tests.executors.work import task

pytestmark = pytest.mark.cluster


class Intrusion:
    """What leaves a mark where it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.fixture(scope="module")
def dask():
    pytest.importorskip("distributed", reason="the optional package distributed is not installed")
    pytest.importorskip("cryptography", reason="the optional package cryptography is not installed")
    before = everybody_listening()
    with DaskExecutor(None, 2) as executor:
        executor.addresses = everybody_listening() - before
        yield executor


def everybody_listening():
    """Return the addresses on which this process and its descendants listen."""
    return set(listening([os.getpid(), *descendants(os.getpid())]))


def servers(executor):
    """Return host and port of the scheduler, of the workers and of their nannies."""
    from distributed.comm import get_address_host_port

    client = executor._pool._client
    told = client.scheduler_info()["workers"]
    addresses = [client.scheduler.address, *told, *(worker["nanny"] for worker in told.values())]
    assert all(address.startswith("tls://127.0.0.1:") for address in addresses)
    return [get_address_host_port(address) for address in addresses]


def unauthenticated():
    """Return a context of TLS without a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def message(mark):
    """Return a message as distributed frames it: numbers of frames, their lengths, and frames, the last one pickled."""
    content = pickle.dumps(Intrusion(mark))
    frames = [len(content).to_bytes(8, "little"), content]
    return (1).to_bytes(8, "little") + b"".join(frames)


def said_to(host, port, words, context=None):
    """Say something and return what was answered: nothing where the connection is closed."""
    with socket.create_connection((host, port), timeout=60) as plain:
        line = plain if context is None else context.wrap_socket(plain)
        line.settimeout(60)
        try:
            line.sendall(words)
            return line.recv(4096)
        except TimeoutError:
            pytest.fail("the connection stays open")
        except OSError:
            return b""


@pytest.mark.endurance
def test_dask_does_not_hear_strangers(dask, tmp_path):
    mark = tmp_path / "mark"
    trusted = dask._pool._client.cluster.security.get_connection_args("client")["ssl_context"]
    for host, port in servers(dask):
        assert said_to(host, port, b"", trusted), "who belongs to the run is greeted"
        assert said_to(host, port, message(mark), unauthenticated()) == b""
        alert = said_to(host, port, message(mark))
        assert alert[:1] in (b"", b"\x15"), "nothing but an alert of TLS"
    assert not mark.exists()
    assert dask.map([task("echo", ["still there"])])[0][0].value == "still there"


def test_dask_does_not_hear_who_brings_a_certificate_of_his_own(dask):
    import distributed
    from distributed.security import Security

    with pytest.raises(OSError, match=r"(?s)certificate|CERTIFICATE|Timed out|handshake"):
        distributed.Client(dask._pool._client.scheduler.address, security=Security.temporary(), timeout=5)
    assert dask.map([task("echo", ["still there"])])[0][0].value == "still there"


def test_dask_shows_no_pages_of_the_tasks(dask):
    paths = ("/json/counts.json", "/info/main/workers.html", "/info/main/logs.html", "/status")
    for address in dask.addresses:
        for path in paths:
            with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2], 16)), timeout=60) as stranger:
                stranger.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
                with suppress(OSError):
                    assert b" 200 " not in stranger.recv(100)


def test_dask_listens_on_the_loopback_interface_alone(dask):
    assert len(dask.addresses) >= 5
    assert {address.split(":")[0] for address in dask.addresses} <= LOOPBACK


def test_workers_on_this_computer_listen_nowhere():
    before = descendants(os.getpid())
    with ProcessesExecutor(None, 2) as executor:
        executor.map([task("echo", [1])])
        workers = descendants(os.getpid()) - before
        assert len(workers) == 2
        assert listening(workers) == []
