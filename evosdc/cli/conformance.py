"""What ``evosdc plugins test`` does: a conformance suite for a registered name, written to a file and run by pytest."""

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from evosdc.errors import Fault, InputError
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registry import default_registry
from evosdc.specs import MeasureSpec

TEMPLATE = """
from evosdc.table.schema import Scale
from evosdc.plugins.registry import default_registry
from evosdc.testing import {suite}


def build(*given):
    return default_registry().build({kind!r}, {name!r}, {{}}, *given)


class Test{suite}({suite}):
{declared}
    def {short}(self, {given}):
        return build({given})


del {suite}
"""


def conformance(name: str, kind: str | None) -> int:
    """Run the suite of a registered name and return pytest's exit status, 0 when all tests pass.

    Raises
    ------
    InputError
        Nothing is registered under the name, its kind has no suite, or pytest is not installed.
    """
    kinds = [KINDS[k] for k in default_registry().kinds_of(name) if KINDS[k].suite and kind in (None, k)]
    if len(kinds) != 1:
        possible = kinds or [k for k in KINDS.values() if k.suite]
        wanted = f"--kind with one of {', '.join(k.name for k in possible)}"
        raise InputError(Fault("plugins test", repr(name), wanted, "Data sets and portfolios have no suite."))
    if find_spec("pytest") is None:
        raise InputError(Fault("plugins test", "an environment without pytest", "pytest", "pip install pytest"))
    (tested,) = kinds
    spec = default_registry().spec(tested.name, name)
    declared = ""
    if scales := getattr(spec, "scales", ()):
        declared += f"    scales = frozenset(map(Scale, {tuple(scales)!r}))\n"
    if isinstance(spec, MeasureSpec):
        declared += f"    kind = {spec.kind!r}\n    range = {spec.range!r}\n"
    text = TEMPLATE.format(
        suite=tested.suite, short=tested.short, given=tested.given, kind=tested.name, name=name, declared=declared
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test_conformance.py"
        path.write_text(text, encoding="utf-8")
        options = ["-q", "-p", "no:cacheprovider", "--rootdir", folder, "--no-header"]
        return subprocess.run([sys.executable, "-m", "pytest", *options, str(path)], check=False).returncode
