"""What ``evosdc plugins test`` does: a conformance suite for a registered name, run by pytest, and what it costs."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from evosdc.errors import Fault, InputError
from evosdc.plugins.growth import Growth, growth_or_reason
from evosdc.plugins.kinds import KINDS, Kind
from evosdc.plugins.registry import default_registry
from evosdc.specs import DatasetSpec, LimitSpec, MeasureSpec, OperatorSpec, Spec

TEMPLATE = """
from evosdc.table.schema import Scale
from evosdc.plugins.registry import default_registry
from evosdc.testing import {suite}


def build(*given):
    return default_registry().build({kind!r}, {name!r}, {{}}, *given)


def function():
    return default_registry().implementation({kind!r}, {name!r})


class Test{suite}({suite}):
{declared}


del {suite}
"""

GROUPS = (
    ("determinism", ("repeatable", "always_the_same", "streams_alone", "seed", "alone_decide", "remembered", "order")),
    ("tracked equals recomputed", ("tracker", "children_have", "contributions", "changed_rows", "changes_lead")),
)
"""Headings of the table, and words in the names of the tests that belong there; all others are contract checks."""

CONTRACT = "contract"


@dataclass(frozen=True)
class Checked:
    """What a group of tests came to."""

    group: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """What is known of a plugin after its test.

    Parameters
    ----------
    kind, name : str
    checks : tuple of Checked
    growth : tuple of Growth
    reason : str
        Why there is no growth, where there is none.
    passed : bool
        Whether every test passed, and pytest ran at all.
    said : str
        What pytest said.
    """

    kind: str
    name: str
    checks: tuple[Checked, ...]
    growth: tuple[Growth, ...]
    reason: str
    passed: bool
    said: str

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {key: value for key, value in asdict(self).items() if key != "said"}


def conformance(name: str, kind: str | None) -> Report:
    """Run the suite of a registered name and measure what it costs.

    Raises
    ------
    InputError
        Nothing is registered under the name, several kinds are, it cannot be tested here, or pytest is not installed.
    """
    kinds = [KINDS[k] for k in default_registry().kinds_of(name) if kind in (None, k)]
    if len(kinds) != 1:
        possible = kinds or list(KINDS.values())
        wanted = f"--kind with one of {', '.join(k.name for k in possible)}"
        raise InputError(Fault("plugins test", repr(name), wanted))
    if find_spec("pytest") is None:
        raise InputError(Fault("plugins test", "an environment without pytest", "pytest", "pip install pytest"))
    (tested,) = kinds
    spec = default_registry().spec(tested.name, name)
    require_testable(tested, spec)
    body = declared(tested, spec)
    checks, passed, said = _run(TEMPLATE.format(suite=tested.suite, kind=tested.name, name=name, declared=body))
    growth, reason = growth_or_reason(tested.name, name, default_registry())
    return Report(tested.name, name, tuple(checks), tuple(growth), reason, passed, said)


def require_testable(kind: Kind, spec: Spec) -> None:
    """Raise `InputError` for what needs more than its name to be tested."""
    if kind.name == "format":
        given, wanted = "a format, which is tested with a small file of its own", "a subclass of FormatConformance"
        raise InputError(Fault(f"plugins test {spec.name}", given, wanted, "See docs/plugins/format.md."))
    if isinstance(spec, DatasetSpec) and spec.files:
        given, wanted = "a data set of published files", "one that needs none"
        raise InputError(Fault(f"plugins test {spec.name}", given, wanted, f"evosdc datasets fetch {spec.name}"))


def declared(kind: Kind, spec: Spec) -> str:
    """Return the body of the suite's subclass: what the spec declares, and how the plugin is made."""
    lines = []
    if scales := getattr(spec, "scales", ()):
        lines.append(f"scales = frozenset(map(Scale, {tuple(scales)!r}))")
    if isinstance(spec, MeasureSpec):
        lines += [f"kind = {spec.kind!r}", f"range = {spec.range!r}"]
    if isinstance(spec, DatasetSpec):
        lines += [f"records, attributes = {spec.records}, {spec.attributes}"]
    if isinstance(spec, OperatorSpec):
        lines.append(f"varies = {spec.varies!r}")
    if isinstance(spec, LimitSpec):
        family = {n: getattr(default_registry().spec("measure", n), "family", "") for n in spec.dr}
        lines += [
            f"il = {spec.il!r}",
            f"linkage = {tuple(n for n in spec.dr if family[n] == 'linkage')!r}",
            f"disclosure = {tuple(n for n in spec.dr if family[n] != 'linkage')!r}",
            "def limit(self, judgement, seconds): return function()(judgement, seconds)",
            "def measure(self, name): return default_registry().build('measure', name, {})",
        ]
    elif kind.contract:
        lines.append(f"def {kind.short}(self, {kind.given}): return build({kind.given})")
    else:
        lines.append(f"def {kind.short}(self): return function()")
    return "\n".join(f"    {line}" for line in lines)


def _run(text: str) -> tuple[list[Checked], bool, str]:
    with tempfile.TemporaryDirectory() as folder:
        path, results = Path(folder) / "test_conformance.py", Path(folder) / "results.xml"
        path.write_text(text, encoding="utf-8")
        options = ["-q", "-p", "no:cacheprovider", "--rootdir", folder, "--no-header", f"--junitxml={results}"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, str(path)], check=False, capture_output=True, text=True
        )
        # Written by pytest a moment ago, in a folder of this process.
        cases = list(ElementTree.parse(results).iter("testcase")) if results.exists() else []
    return checked(cases), done.returncode == 0, done.stdout + done.stderr


def checked(cases: Sequence[ElementTree.Element]) -> list[Checked]:
    """Return what tests came to, by group, from pytest's own account."""
    found: dict[str, list[ElementTree.Element]] = {CONTRACT: []}
    for case in cases:
        name = case.get("name", "")
        group = next((title for title, words in GROUPS if any(word in name for word in words)), CONTRACT)
        found.setdefault(group, []).append(case)
    return [_summed(group, found[group]) for group in (CONTRACT, *(title for title, _ in GROUPS)) if found.get(group)]


def _summed(group: str, cases: Sequence[ElementTree.Element]) -> Checked:
    broken = [(case, fault) for case in cases for fault in case if fault.tag in ("failure", "error")]
    skipped = sum(child.tag == "skipped" for case in cases for child in case)
    complaints = tuple(
        f"{case.get('name')}: {(fault.get('message') or '').strip().partition(chr(10))[0]}" for case, fault in broken
    )
    seconds = sum(float(case.get("time", 0.0)) for case in cases)
    return Checked(group, len(cases) - len(broken) - skipped, len(broken), skipped, seconds, complaints)
