"""Commands of the workbench begin prepared and do what they do as programs of their own."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from evosdc_app import calls as module
from evosdc_app.calls import Calls
from evosdc_app.prepared import CAN_BE, carried_out
from tests.plugins.app.conftest import fill

pytestmark = pytest.mark.skipif(not CAN_BE, reason="commands are programs of their own on this system")


@pytest.mark.endurance
def test_both_ways_answer_alike(tmp_path, monkeypatch):
    folder = fill(tmp_path / "folder")
    lines = [
        ["init", "survey.csv", "-o", "{}.toml", "--no-ask"],
        ["risk", "survey.csv", "--schema", "{}.toml", "--standing-out", "5", "--json"],
        ["init", "nothing.csv", "-o", "none.toml"],
        ["no-such-command"],
    ]

    async def answers(name):
        calls = Calls(folder)
        return [await calls.carry_out([word.format(name) for word in words]) for words in lines]

    prepared = asyncio.run(answers("one"))
    monkeypatch.setattr(module, "CAN_BE", False)
    programs = asyncio.run(answers("two"))
    assert [answer.status for answer in prepared] == [0, 0, 2, 2]
    for one, two in zip(prepared, programs, strict=True):
        assert one.status == two.status
        assert one.out.replace("one.toml", "two.toml") == two.out
        assert one.err == two.err
    assert prepared[1].document["standing_out"]["listed"]
    assert (folder / "one.toml").read_bytes() == (folder / "two.toml").read_bytes()


def test_a_command_that_nobody_waits_for_ends(tmp_path):
    (tmp_path / "plugin.py").write_text(
        "import os, time\nfrom pathlib import Path\n"
        "Path('half').write_text(str(os.getpid()))\nPath('half').rename('begun')\ntime.sleep(600)\n"
    )

    async def given_up():
        task = asyncio.create_task(carried_out(["--plugin", "plugin.py", "plugins", "list"], tmp_path))
        while not (tmp_path / "begun").exists():
            assert not task.done()
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(given_up())
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "begun").read_text()), 0)


def test_a_command_that_is_killed_says_by_what(tmp_path):
    (tmp_path / "plugin.py").write_text(f"import os\nos.kill(os.getpid(), {int(signal.SIGKILL)})\n")
    status, out, _ = asyncio.run(carried_out(["--plugin", "plugin.py", "plugins", "list"], tmp_path))
    assert status == -signal.SIGKILL
    assert out == b""


def test_what_is_prepared_has_looked_for_no_plugins_and_is_alone():
    program = (
        "import threading; from evosdc_app.prepared import prepare; prepare();"
        "from evosdc.plugins.registry import default_registry;"
        "assert not default_registry.cache_info().currsize; assert threading.active_count() == 1"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
