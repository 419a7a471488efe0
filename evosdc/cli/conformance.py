"""What ``evosdc plugins test`` does: a conformance suite for a registered name, written to a file and run by pytest."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from evosdc.cli.plugins import kinds_of
from evosdc.errors import Fault, InputError
from evosdc.plugins.registry import default_registry
from evosdc.specs import MeasureSpec

SUITES: dict[str, tuple[str, str]] = {
    "masking-method": ("MaskingMethodConformance", "method(self): return build()"),
    "measure": ("MeasureConformance", "measure(self): return build()"),
    "privacy-model": ("PrivacyModelConformance", "model(self): return build()"),
    "fitness": ("FitnessConformance", "fitness(self): return build()"),
    "genotype": ("GenotypeConformance", "genotype(self, microdata): return build(microdata)"),
    "algorithm": ("AlgorithmConformance", "algorithm(self, toolbox): return build(toolbox)"),
    "executor": ("ExecutorConformance", "executor(self, workers): return build(workers)"),
}
"""By kind: the suite, and the method that its subclass defines."""

TEMPLATE = """
from evosdc.table.schema import Scale
from evosdc.plugins.registry import default_registry
from evosdc.testing import {suite}


def build(*given):
    return default_registry().build({kind!r}, {name!r}, {{}}, *given)


class Test{suite}({suite}):
{declared}
    def {method}


del {suite}
"""


def conformance(name: str, kind: str | None) -> int:
    """Run the suite of a registered name and return pytest's exit status, 0 when all tests pass.

    Raises
    ------
    InputError
        Nothing is registered under the name, its kind has no suite, or pytest is not installed.
    """
    kinds = [k for k in kinds_of(name) if k in SUITES and kind in (None, k)]
    if len(kinds) != 1:
        wanted = f"--kind with one of {', '.join(kinds or SUITES)}"
        raise InputError(Fault("plugins test", repr(name), wanted, "Data sets and portfolios have no suite."))
    if find_spec("pytest") is None:
        raise InputError(Fault("plugins test", "an environment without pytest", "pytest", "pip install pytest"))
    suite, method = SUITES[kinds[0]]
    spec = default_registry().spec(kinds[0], name)
    declared = ""
    if scales := getattr(spec, "scales", ()):
        declared += f"    scales = frozenset(map(Scale, {tuple(scales)!r}))\n"
    if isinstance(spec, MeasureSpec):
        declared += f"    kind = {spec.kind!r}\n    range = {spec.range!r}\n"
    text = TEMPLATE.format(suite=suite, method=method, kind=kinds[0], name=name, declared=declared)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test_conformance.py"
        path.write_text(text, encoding="utf-8")
        options = ["-q", "-p", "no:cacheprovider", "--rootdir", folder, "--no-header"]
        return subprocess.run([sys.executable, "-m", "pytest", *options, str(path)], check=False).returncode
