"""The first run on a machine says that it compiles; later runs say nothing."""

import os
import subprocess
import sys

from evosdc.cli.compiling import COMPILING


def test_what_is_compiled_is_told_once_and_what_is_read_never(tmp_path):
    (tmp_path / "evosdc_example.py").write_text(
        "from numba import njit\n\n@njit(cache=True)\ndef twice(number):\n    return 2 * number\n"
    )
    program = (
        "import sys, time\n"
        "from evosdc.cli.compiling import announced_compilation\n"
        "with announced_compilation(print):\n"
        "    time.sleep(0.6)\n"
        "    print('numba' in sys.modules)\n"
        "    from evosdc_example import twice\n"
        "    twice(21)\n"
        "    time.sleep(1.2)\n"
        "with announced_compilation(print):\n"
        "    time.sleep(1.2)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", program]
    for told in ([COMPILING], []):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == ["False", *told]
