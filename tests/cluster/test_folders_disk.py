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

pytestmark = pytest.mark.cluster


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


def fill(path):
    """Write to a file until the disk is full."""
    with path.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512, 1):
            with suppress(OSError):
                while file.write(bytes(size)):
                    pass
    assert shutil.disk_usage(path.parent).free == 0


def test_a_full_disk_ends_the_run_in_plain_words_and_nothing_is_lost(small_disk, tmp_path):
    file, folder = experiment_file(tmp_path / "x.toml", stop={"generations": 100_000}), small_disk / "run"
    process = started("run", file, "-o", folder, "--quiet")
    wait_for(lambda: reached(folder, 4), process)
    fill(small_disk / "filler")
    _, err = process.communicate(timeout=60)
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
