"""The direction of imports, read off the source, and what start-up must not import."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from evosdc.plugins.registry import default_registry
from tests.cluster.commands import completed

ROOT = Path(__file__).parent.parent
FRAMEWORK = ROOT / "evosdc"
PLUGINS = sorted(p.name for p in (ROOT / "plugins").iterdir() if (p / "__init__.py").exists())

CONTRACT = {
    f"evosdc.{room}"
    for room in (
        "model",
        "table",
        "files",
        "randomisation",
        "clustering",
        "specs",
        "hookspecs",
        "errors",
        "secret",
        "seeds",
        "printing",
        "processors",
        "slow_work",
        "time_limit",
    )
}
"""What plugins may import of evosdc; those that offer executors also `evosdc.executors`."""

FOUNDATION = {
    f"evosdc.{name}"
    for name in (
        "errors",
        "further_formats",
        "specs",
        "secret",
        "seeds",
        "printing",
        "processors",
        "slow_work",
        "time_limit",
        "_version",
    )
}
"""What every room may import."""

MAY_IMPORT: dict[str, set[str]] = {
    "evosdc.table": set(),
    "evosdc.files": {"evosdc.table"},
    "evosdc.datasets": {"evosdc.files", "evosdc.table"},
    "evosdc.randomisation": {"evosdc.files", "evosdc.table"},
    "evosdc.clustering": {"evosdc.table"},
    "evosdc.model": {"evosdc.hookspecs", "evosdc.randomisation", "evosdc.table"},
    "evosdc.algorithms": {"evosdc.model", "evosdc.table"},
    "evosdc.executors": {"evosdc.model"},
    "evosdc.engine": {"evosdc.model", "evosdc.randomisation", "evosdc.files", "evosdc.table", "evosdc.executors"},
    "evosdc.runs": {"evosdc.files"},
    "evosdc.report": {"evosdc.files", "evosdc.runs"},
    "evosdc.plugins": {
        "evosdc.hookspecs",
        "evosdc.model",
        "evosdc.table",
        "evosdc.algorithms",
        "evosdc.executors",
        "evosdc.datasets",
    },
    "evosdc.assess": {
        "evosdc.plugins",
        "evosdc.model",
        "evosdc.runs",
        "evosdc.randomisation",
        "evosdc.files",
        "evosdc.table",
    },
    "evosdc.tuning": {"evosdc.assess", "evosdc.engine", "evosdc.plugins", "evosdc.model", "evosdc.table"},
    "evosdc.printing": set(),
    "evosdc.options": {"evosdc.printing", "evosdc.model"},
    "evosdc.errors": set(),
    "evosdc.further_formats": set(),
    "evosdc.specs": set(),
    "evosdc.secret": set(),
    "evosdc.processors": set(),
    "evosdc.time_limit": set(),
    "evosdc.hookspecs": set(),
    "evosdc.testing": {"evosdc.plugins", "evosdc.model", "evosdc.table"},
}
"""Rooms whose neighbours are fixed; the rooms above them (experiment, api, cli) may import all of these."""

NOT_BELOW = {
    "evosdc.experiment": {"evosdc.cli", "evosdc.testing", "evosdc.report"},
    "evosdc.api": {"evosdc.cli", "evosdc.testing"},
    "evosdc.cli": {"evosdc.testing"},
}
"""What the upper rooms may not import."""

FOR_COMMANDS = {"evosdc.cli", "evosdc.assess", "evosdc.options"}
"""What the module `command` of a plugin, and its hook for commands, may import besides: parts of the command line."""

FOR_THE_WORKBENCH = {f"evosdc.{room}" for room in ("cli", "datasets", "engine", "options", "plugins", "report", "runs")}
"""What the workbench may import besides: like the command line, it shows what all rooms say."""

FOR_LARGE_FILES = {"evosdc.assess", "evosdc.plugins", "evosdc.executors"}
"""What large files are judged and masked by besides: registered models, measures and methods, and Dask's workers."""

FOR_CERTIFIED_FILES = {
    f"evosdc.{room}" for room in ("api", "assess", "engine", "experiment", "options", "plugins", "report", "runs")
}
"""What `evosdc_certified` imports besides: it runs an experiment, writes pages, and has judges attack its file."""

EXECUTORS = {"evosdc_scoop", "evosdc_dask"}
"""Plugins that build on what all executors share."""


def modules(folder: Path) -> dict[str, Path]:
    """Return the source files below a package folder, by module name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(name: str, path: Path) -> Iterator[str]:
    """Yield the full names of modules that a module imports anywhere, inside functions too.

    Imports for type checkers alone (``if TYPE_CHECKING``) are left out: they tie nothing when the program runs.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", getattr(node.test, "attr", "")) == "TYPE_CHECKING":
            node.body = []
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def room(name: str) -> str:
    """Return the first two parts of a name within evosdc, else the first."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "evosdc" else parts[0]


ALL = {**modules(FRAMEWORK), **{n: p for plugin in PLUGINS for n, p in modules(ROOT / "plugins" / plugin).items()}}


@cache
def imports(name: str) -> frozenset[str]:
    """Return what a module of evosdc or of a plugin imports."""
    return frozenset(imported(name, ALL[name]))


def test_rooms_import_only_what_lies_below() -> None:
    wrong = {}
    for name in (name for name in ALL if room(name) in MAY_IMPORT):
        allowed = MAY_IMPORT[room(name)] | FOUNDATION | {room(name)}
        wrong[name] = {room(other) for other in imports(name) if other.startswith("evosdc.")} - allowed
    assert not told(wrong)


def test_upper_rooms_do_not_import_what_lies_above() -> None:
    upper = [name for name in ALL if room(name) in NOT_BELOW]
    assert not told({name: {room(other) for other in imports(name)} & NOT_BELOW[room(name)] for name in upper})


def test_every_room_has_its_rule() -> None:
    rooms = {room(name) for name in ALL if name.startswith("evosdc.")}
    free = {"evosdc._version", "evosdc.__main__"}
    assert rooms <= MAY_IMPORT.keys() | NOT_BELOW.keys() | free, "a room of evosdc has no rule in this test"


def test_plugins_import_only_the_contract_and_themselves() -> None:
    wrong = {}
    for name in (name for name in ALL if name.startswith("evosdc_")):
        own = {room(other) for other in imports(name) if other.startswith("evosdc")}
        # `from evosdc import model` is found as evosdc.model; a bare `import evosdc` would be the whole framework.
        plugin = name.split(".")[0]
        allowed = CONTRACT | {plugin} | ({"evosdc.executors"} if plugin in EXECUTORS else set())
        allowed |= FOR_COMMANDS if name in (plugin, f"{plugin}.command") else set()
        allowed |= FOR_LARGE_FILES if plugin == "evosdc_large" else set()
        allowed |= FOR_CERTIFIED_FILES if plugin == "evosdc_certified" else set()
        allowed |= FOR_THE_WORKBENCH if plugin == "evosdc_app" else set()
        wrong[name] = own - allowed - {"evosdc._version"}
    assert not told(wrong)


def test_nothing_in_the_framework_imports_a_plugin() -> None:
    framework = [name for name in ALL if name.split(".")[0] == "evosdc"]
    assert not told({name: {other for other in imports(name) if other.startswith("evosdc_")} for name in framework})


def test_experiments_benchmarks_and_tests_are_never_imported() -> None:
    elsewhere = {"experiments", "benchmarks", "tests"}
    assert not told({name: {other.split(".")[0] for other in imports(name)} & elsewhere for name in ALL})


def test_pytest_is_imported_in_the_conformance_suites_only() -> None:
    others = [name for name in ALL if not name.startswith("evosdc.testing")]
    assert not [name for name in others if "pytest" in {other.split(".")[0] for other in imports(name)}]


def test_nothing_is_pickled_from_disk() -> None:
    sources = {name: path.read_text(encoding="utf-8") for name, path in ALL.items()}
    assert not [name for name, text in sources.items() if "allow_pickle=True" in text or "read_pickle" in text]


def told(wrong: dict[str, set[str]]) -> dict[str, list[str]]:
    """Return the modules that import something wrong, with what it is."""
    return {name: sorted(found) for name, found in wrong.items() if found}


OFFERED = {
    name
    for plugin in default_registry().plugins
    if plugin.name != "core"
    for names in plugin.offers.values()
    for name in names
} - {
    *("max", "mean", "loss", "categorical", "numeric", "mixed"),
    *("equations", "id", "height", "inference", "scoop", "groups", "cells"),
}
"""What plugins offer, without names that are also ordinary words, or that of a package."""


def test_the_framework_names_nothing_that_plugins_offer() -> None:
    wrong = {}
    for name in (n for n in ALL if n.split(".")[0] == "evosdc" and room(n) != "evosdc.testing"):
        tree = ast.parse(ALL[name].read_text(encoding="utf-8"))
        texts = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        wrong[name] = texts & OFFERED
    assert not told(wrong)


NO_PLUGIN_FILES = {"EVOSDC_PLUGINS": "", "EVOSDC_REGISTERED": "[]"}
"""What other tests may have left in the environment is no part of what is shipped."""

HEAVY = ("numpy", "pandas", "numba", "pydantic", "scipy", "deap", "click", "rich", "plotly", "pytest")
LIGHT = [
    "evosdc.errors",
    "evosdc.specs",
    "evosdc.hookspecs",
    "evosdc.plugins.registry",
    "evosdc.plugins.shipped",
    *PLUGINS,
]


def imported_besides(names: Sequence[str], unwanted: Sequence[str]) -> dict[str, list[str]]:
    """Return which of the unwanted modules are there, in a process of its own, once each of the names is imported."""
    program = (
        "import importlib, json, sys\nnames, unwanted = json.loads(sys.argv[1])\nfound = {}\n"
        "for name in names:\n"
        "    importlib.import_module(name)\n"
        "    found[name] = [module for module in unwanted if module in sys.modules]\n"
        "print(json.dumps(found))"
    )
    command = [sys.executable, "-c", program, json.dumps([names, unwanted])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: found for name, found in json.loads(done.stdout).items() if found}


@pytest.mark.parametrize(
    ("names", "unwanted"),
    [
        (LIGHT, HEAVY),
        (
            ["evosdc.experiment.single_run", "evosdc.executors.worker_bootstrap", "evosdc.assess.mask"],
            ("pandas", "plotly", "sklearn", "scipy.stats", "jinja2", "requests", "openpyxl"),
        ),
        (
            [
                "evosdc.engine.loop",
                "evosdc_limit.offer",
                "evosdc_privacy.population",
                "evosdc_privacy.population_uniqueness",
                "evosdc_privacy.differential_privacy",
                "evosdc_social.drawing",
            ],
            (
                "moocore",
                "urllib.request",
                "scipy.special",
                "scipy.sparse",
                "evosdc_limit.generation",
                "evosdc_social.space",
            ),
        ),
    ],
    ids=["start-up", "a run of a text file", "what every run asks"],
)
def test_what_few_need_is_imported_late(names: list[str], unwanted: tuple[str, ...]) -> None:
    assert imported_besides(names, unwanted) == {}


def test_commands_that_compute_nothing_of_a_file_load_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(
        'data = { name = "housing", first = 50 }\nstart = { random = 5 }\nstop = { generations = 1 }\n'
        'measures = { il = ["ctbil"], dr = ["id"] }\nexecutor = "serial"\n'
    )
    assert completed("run", tmp_path / "x.toml", "-o", tmp_path / "done").returncode == 0
    program = (
        "import sys\nfrom evosdc.cli import main\n"
        "for words in ['status done', 'watch done', 'report done -o page.html']:\n"
        "    try:\n        main(words.split())\n    except SystemExit as ended:\n        assert not ended.code\n"
        "    assert 'numba' not in sys.modules, words"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_masking_a_large_text_file_loads_no_searches(tmp_path: Path) -> None:
    lines = ["a,b", *(f"{row / 8},{row % 7 + 0.25}" for row in range(30_000))]
    (tmp_path / "data.csv").write_text("\n".join(lines), encoding="utf-8")
    words = ["mask", "rank-swapping", "data.csv", "--protect", "a,b", "-o", "masked.csv"]
    rare = ("evosdc.engine.loop", "evosdc.experiment.experiment", "moocore")
    program = (
        f"import sys\nfrom evosdc.cli import main\nsys.argv = ['evosdc', *{words!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print(*[m for m in {rare!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (tmp_path / "masked.csv").exists(), done.stderr
    assert done.stderr.splitlines()[-1] == ""  # a line before it may say that kernels are compiled


def test_listing_all_plugins_imports_nothing_heavy() -> None:
    program = (
        "import sys\nfrom evosdc.plugins.registry import default_registry\nfrom evosdc.plugins.kinds import KINDS\n"
        "found = default_registry()\n[found.provider(k, n) for k in KINDS for n in found.names(k)]\n"
        f"print(*[m for m in {HEAVY!r} if m in sys.modules])"
    )
    assert (
        subprocess.check_output([sys.executable, "-c", program], text=True, env=os.environ | NO_PLUGIN_FILES).split()
        == []
    )


class TestTheReaderOfImports:
    """The tests above are worth what `imported` finds."""

    def read(self, tmp_path: Path, source: str, name: str = "evosdc.room.module") -> set[str]:
        (tmp_path / "module.py").write_text(source)
        return set(imported(name, tmp_path / "module.py"))

    def test_all_forms(self, tmp_path: Path) -> None:
        source = "import a.b\nfrom c import d\nfrom . import e\nfrom .f import g\nfrom ..h import i\n"
        assert self.read(tmp_path, source) == {
            "a.b",
            "c.d",
            "evosdc.room.e",
            "evosdc.room.f.g",
            "evosdc.h.i",
        }

    def test_inside_functions(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, "def f():\n    if True:\n        import late") == {"late"}

    def test_for_type_checkers_alone(self, tmp_path: Path) -> None:
        source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import hints\nelse:\n    import real\n"
        assert self.read(tmp_path, source) == {"typing.TYPE_CHECKING", "real"}
