from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import platformdirs
import pytest

from evosdc.datasets.storage import available, cache_folder, download, fetch, locate
from evosdc.errors import DatasetError
from evosdc.specs import DatasetSpec, RemoteFile

from .conftest import CONTENT, Shelf

HASH = hashlib.sha256(CONTENT).hexdigest()


def remote(*urls: str, sha256: str = HASH) -> RemoteFile:
    return RemoteFile(name="set.data", sha256=sha256, urls=urls, folders=("ward/set.data",))


def spec(*files: RemoteFile, licence: str = "CC0") -> DatasetSpec:
    return DatasetSpec(
        name="ward", implementation="m:load", summary="", records=1, attributes=1, licence=licence, files=files
    )


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of the test's own, and no EVOSDC_DATA."""
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *a, **k: str(tmp_path / "cache"))
    monkeypatch.delenv("EVOSDC_DATA", raising=False)


def test_a_file_is_fetched_once(shelf: Shelf):
    heard: list[tuple[str, int, int | None]] = []
    ward = spec(remote(shelf.url("set")))
    assert locate(ward) is None
    path = fetch(ward, lambda *news: heard.append(news))["set.data"]
    assert path.read_bytes() == CONTENT
    assert heard[-1] == ("set.data", len(CONTENT), len(CONTENT))
    assert fetch(ward) == locate(ward) == {"set.data": path}
    assert len(shelf.asked) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["set.data"]


def test_a_broken_transfer_leaves_nothing_and_can_be_tried_again(shelf: Shelf, tmp_path: Path):
    with pytest.raises(DatasetError, match="broke off"):
        download(remote(shelf.url("broken")), tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert download(remote(shelf.url("set")), tmp_path).read_bytes() == CONTENT


def test_a_wrong_hash_is_refused_and_nothing_is_left(shelf: Shelf, tmp_path: Path):
    with pytest.raises(DatasetError) as caught:
        download(remote(shelf.url("set"), sha256="0" * 64), tmp_path)
    (fault,) = caught.value.faults
    assert fault.given == "another content than was published"
    assert "0" * 64 in fault.wanted
    assert list(tmp_path.iterdir()) == []
    assert len(shelf.asked) == 1


def test_every_address_is_tried(shelf: Shelf, tmp_path: Path):
    file = remote(shelf.url("none"), "ftp://127.0.0.1/set", shelf.url("set"))
    assert download(file, tmp_path).read_bytes() == CONTENT
    with pytest.raises(DatasetError) as caught:
        download(remote(shelf.url("none"), "file:///etc/passwd"), tmp_path / "other")
    assert "HTTP status 404" in caught.value.faults[0].given
    assert "another kind" in caught.value.faults[1].given


def test_no_server(tmp_path: Path):
    with pytest.raises(DatasetError, match="no connection") as caught:
        fetch(spec(remote("http://127.0.0.1:9/set")))
    assert "ward/set.data" in caught.value.faults[0].advice


def test_a_silent_server_is_given_up(shelf: Shelf, tmp_path: Path):
    with pytest.raises(DatasetError, match="no answer in time"):
        download(remote(shelf.url("stalled")), tmp_path, timeout=0.2)


@pytest.mark.parametrize("place", ["ward/set.data", "set.data"])
def test_the_folder_of_the_user_comes_first(shelf: Shelf, tmp_path: Path, monkeypatch, place):
    monkeypatch.setenv("EVOSDC_DATA", str(tmp_path))
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(CONTENT)
    assert fetch(spec(remote(shelf.url("set")))) == {"set.data": path}
    assert shelf.asked == []


def test_an_altered_file_is_told(shelf: Shelf, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("EVOSDC_DATA", str(tmp_path))
    (tmp_path / "ward").mkdir()
    (tmp_path / "ward" / "set.data").write_bytes(CONTENT.replace(b"\n", b"\r\n"))
    ward = spec(remote(shelf.url("set")))
    for call in (locate, fetch, available):
        with pytest.raises(DatasetError, match="line ends may have been converted"):
            call(ward)
    assert shelf.asked == []


def test_offline(shelf: Shelf):
    with pytest.raises(DatasetError, match=r"evosdc datasets fetch ward") as caught:
        available(spec(remote(shelf.url("set"))), offline=True)
    assert "ward/set.data" in caught.value.faults[0].advice
    assert shelf.asked == []


def test_files_that_nobody_serves():
    with pytest.raises(DatasetError) as caught:
        fetch(spec(remote(), licence="shipped in sdcMicro"))
    (fault,) = caught.value.faults
    assert "EVOSDC_DATA" in fault.advice
    assert "pyreadr" in fault.advice
    assert HASH in fault.wanted


def test_a_cache_that_cannot_be_made(shelf: Shelf, tmp_path: Path):
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(DatasetError, match="cannot be written"):
        fetch(spec(remote(shelf.url("set"))))


def test_several_files_are_fetched_one_by_one(shelf: Shelf):
    second = RemoteFile(name="more.data", sha256=HASH, urls=(shelf.url("none"),))
    ward = spec(remote(shelf.url("set")), second)
    with pytest.raises(DatasetError, match="404"):
        fetch(ward)
    assert (cache_folder(ward) / "set.data").is_file()
    assert locate(ward) is None
