"""A disk that fills up under a run: a small file system of its own, filled while the run writes to it."""

import os
import shutil
import subprocess
from contextlib import suppress

import pytest

from tests.cluster.commands import (
    assert_same_run,
    completed,
    end_at,
    experiment_file,
    journal,
    reached,
    started,
    wait_for,
)
from tests.executors.conftest import alive, descendants

pytestmark = [pytest.mark.cluster, pytest.mark.endurance]


@pytest.fixture
def small_disk(tmp_path):
    """Mount a file system of 12 MB, where a report takes 5."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system can be mounted by root only")
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", place], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def fill(path, left=0):
    """Write to a file until so many bytes are left on the disk."""
    with path.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512, 1):
            with suppress(OSError):
                while file.write(bytes(size)):
                    pass
        assert shutil.disk_usage(path.parent).free == 0
        if left:
            file.truncate(file.tell() - left)


ISLANDS = {"algorithm": {"name": "islands", "islands": 2, "interval": 5}}


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_a_full_disk_ends_the_run_in_plain_words_and_nothing_is_lost(executor, small_disk, tmp_path):
    file = experiment_file(tmp_path / "x.toml", stop={"generations": 100_000}, **ISLANDS)
    folder = small_disk / "run"
    words = [] if executor == "serial" else ["--executor", executor, "--workers", 2, "--set", "executor.grain=islands"]
    process = started("run", file, "-o", folder, "--quiet", *words)
    wait_for(lambda: reached(folder, 4), process)
    workers = descendants(process.pid)
    assert bool(workers) is (executor != "serial")
    fill(small_disk / "filler")
    _, err = process.communicate(timeout=300)
    wait_for(lambda: not any(map(alive, workers)))
    assert process.returncode == 1
    assert "the disk is full" in err
    assert "evosdc resume" in err
    assert "Traceback" not in err
    assert '"failed"' in completed("status", folder, "--json").stdout
    full = completed("resume", folder, "--quiet")
    assert (full.returncode, "the disk is full" in full.stderr) == (1, True)
    (small_disk / "filler").unlink()
    end = max(record["generation"] for record in journal_so_far(folder)) + 6
    end_at(folder, end)
    done = completed("resume", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    whole = completed("run", file, "-o", tmp_path / "whole", "--quiet", "--set", f"stop.generations={end}")
    assert whole.returncode == 0
    assert_same_run(folder, tmp_path / "whole")


def journal_so_far(folder):
    """Return the records of a journal whose last line may have been cut off."""
    path = folder / "journal.jsonl"
    text = path.read_text()
    path.write_text(text[: text.rindex("\n") + 1])
    found = journal(folder)
    path.write_text(text)
    return found


def test_a_disk_without_room_for_a_run_is_told_of_at_once(small_disk, tmp_path):
    fill(small_disk / "filler")
    done = completed("run", experiment_file(tmp_path / "x.toml"), "-o", small_disk / "run", "--quiet")
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("Error: ")


def test_a_disk_without_room_for_the_files_of_workers_is_told_of_and_they_are_not_left_in_part(small_disk, tmp_path):
    file, folder = experiment_file(tmp_path / "x.toml", data={"name": "housing"}, **ISLANDS), small_disk / "run"
    fill(small_disk / "filler", left=32 * 1024)
    words = ["--executor", "processes", "--workers", 2, "--set", "stop.generations=3"]
    done = completed("run", file, "-o", folder, "--quiet", *words)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "Error: the disk is full. Free some space and try again."
    assert not (folder / "context").exists()
    (small_disk / "filler").unlink()
    assert completed("resume", folder, "--quiet").returncode == 0


def test_a_disk_that_is_full_ends_a_study_in_plain_words(small_disk, tmp_path):
    file, folder = experiment_file(tmp_path / "x.toml", replicates=3, stop={"generations": 3}), small_disk / "study"
    fill(small_disk / "filler", left=32 * 1024)
    done = completed("run", file, "-o", folder, "--quiet", "--executor", "processes", "--workers", 2)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "Error: the disk is full. Free some space and try again."
    (small_disk / "filler").unlink()
    done = completed("resume", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert completed("run", file, "-o", tmp_path / "whole", "--quiet").returncode == 0
    assert (folder / "summary.csv").read_bytes() == (tmp_path / "whole" / "summary.csv").read_bytes()
