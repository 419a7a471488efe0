"""Shared by all tests: how hypothesis draws, and how tests are shared out to processes."""

from __future__ import annotations

import gc
import inspect
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace
from zlib import crc32

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from evosdc import secret
from evosdc.plugins import registered
from evosdc.plugins.registry import default_registry
from evosdc.testing.tables import INTERPRETED, SHAPES
from tests import published

# A distribution of its own, with tests that run only where it is installed: see test_stranger.py.
collect_ignore = ["stranger"]

# Tests start hundreds of processes: they share compiled modules even where the environment says to keep none.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A rehearsal is a run by itself; tests of it ask for it.
os.environ.setdefault("EVOSDC_REHEARSAL", "no")

# Three processes share two cores: threads of linear algebra, on small arrays, would wait for each other besides.
# Processes of the tests, and programs that they start, inherit it.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# The garbage collector would walk through thousands of collected tests again and again, and find nothing.
gc.set_threshold(50_000, 20, 50)

# Kernels compile at their first call, so no single example has a deadline.
# The usual examples are the same in each run, so that it passes or fails for what was changed; new ones are drawn by
# --hypothesis-profile=thorough.
for profile, examples in (("evosdc", 12), ("thorough", 500)):
    hypothesis_settings.register_profile(
        profile,
        deadline=None,
        max_examples=examples,
        derandomize=profile == "evosdc",
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
hypothesis_settings.load_profile("evosdc")

LARGE = ("scipy.stats", "pandas", "networkx", "numba", "openpyxl")
"""Packages of many modules that tests import."""

ASKS = "asks for published data sets by name, or for files of their folder; skipped where they are not at hand"
"""What the mark `data` means; see `published.py`."""

_keys: Counter[tuple[str, ...]] = Counter()


def repeated_bytes(size: int) -> bytes:
    """Return the bytes of a fresh key, the same whenever a test is run, and others for each key that it draws.

    Else a test that looks at what a search finds would pass or fail by chance. They follow from the lines of tests that
    led here, whatever ran before; programs that tests start draw keys of their own.
    """
    places, frame = list[str](), inspect.currentframe()
    while frame := frame and frame.f_back:
        if frame.f_code.co_filename.startswith(_TESTS):
            places.append(f"{frame.f_code.co_filename.removeprefix(_TESTS)}:{frame.f_lineno}")
    address = (os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0], *places)
    _keys[address] += 1
    return blake2b("/".join([*places, str(_keys[address])]).encode(), digest_size=size).digest()


_TESTS = str(Path(__file__).parent)
secret.secrets = SimpleNamespace(token_bytes=repeated_bytes)  # type: ignore[assignment]

# Nothing here has to outlive a power cut, and a run waits for the disk forty times.
os.fsync = lambda file: None  # type: ignore[assignment]

EARLY = (
    "docs/test_blocks.py",
    "test_packaging.py",
    "masking/test_conformance.py",
    "executors/test_deaths.py",
    "executors/test_scoop.py",
    "test_stranger.py",
    "app/test_attacks.py",
    "tests/files/",
)
"""Files that begin: one process compiles what searches call while the others do what needs none of it.

Else each of them would compile the same kernels, where none are in numba's cache.
"""

FIRST = ("packaging", "cluster")
"""Marks of the tests that take longest: they come next, so that none is left alone at the end."""

LONG = (
    "app/test_browser.py",
    "experiments/test_reproduce.py",
    "app/test_screens.py",
    "judges/test_conformance.py",
    "numeric/test_conformance.py",
    "large/test_masking.py",
    "tuning/test_tuner.py",
    "test_notebooks.py",
)
"""Files whose tests take long all together: they follow, for the same reason."""

SHARED_OUT = ("test_deaths.py", "test_scoop.py", "test_folders_disk.py")
"""Files whose tests wait long and have little in common: each test goes to whichever process is free."""


def pytest_configure(config: pytest.Config) -> None:
    """Let tests send signals, and find no published data but those that they ask for."""
    config.addinivalue_line("markers", f"data(*names): {ASKS}")
    cache = Path(mkdtemp(prefix="evosdc-cache-"))
    config.add_cleanup(partial(shutil.rmtree, cache, ignore_errors=True))
    published.keep_from_downloading(cache)
    import_apart(config)
    # A shell's background job hands down that Ctrl-C is ignored, and ``nohup`` that SIGHUP is.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def import_apart(config: pytest.Config) -> None:
    """Import large packages and all tests, each process beginning at another place.

    In a fresh environment Python compiles what is imported. So one process compiles a module, and the others read it.
    """
    process = getattr(config, "workerinput", None)
    if process is None:
        return
    here, named = Path(__file__).parent, [config.rootpath / name.partition("::")[0] for name in config.args]
    files = [path for path in sorted(here.rglob("test_*.py")) if any(map(path.is_relative_to, named))]
    files = [path.relative_to(here.parent).with_suffix("") for path in files]
    tests = [".".join(path.parts) for path in files if path.parts[1] not in collect_ignore]
    for names in (LARGE, tests):
        first = len(names) * int(process["workerid"].removeprefix("gw")) // process["workercount"]
        for name in (*names[first:], *names[:first]):
            # What cannot be imported is said when tests are collected.
            with suppress(Exception, pytest.skip.Exception):
                import_module(name)


@pytest.fixture(scope="session")
def data_sets() -> published.DataSets:
    """Files and tables of published data sets; a test that asks for one that is not at hand is skipped."""
    return published.DataSets()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what takes `data_sets`, be it by another fixture, and choose the tables of a conformance suite."""
    if "data_sets" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.data)
    suite = getattr(item, "cls", None)
    thorough = item.config.getoption("--hypothesis-profile", default=None) == "thorough"
    if suite is not None and suite not in _sampled and not thorough:
        suites = [cls for cls in suite.__mro__ if cls.__module__.startswith("evosdc.testing")]
        others = [cls for cls in suite.__mro__ if cls not in suites and cls not in _sampled]
        if suites and not any("tables" in vars(cls) for cls in others):
            suite.tables = tables_of(item.nodeid.rpartition("::")[0])
            _sampled.add(suite)


_sampled: set[type] = set()


def tables_of(suite: str) -> tuple[str, ...]:
    """Return the tables of `evosdc.testing` that a conformance suite is run on in every check.

    Three are for all suites, and two of the others follow from its name, so that each table is met by a fourth of them.
    ``--hypothesis-profile=thorough`` runs every suite on all.
    """
    others = [name for name in SHAPES if name not in INTERPRETED]
    first = crc32(suite.encode()) % len(others)
    return (*INTERPRETED, others[first], others[(first + 3) % len(others)])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what asks for data that are not at hand, before any fixture is made; hide data from what asks for none."""
    asked = list(item.iter_markers("data"))
    published.show(bool(asked))
    if asked:
        published.require(name for mark in asked for name in mark.args)


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Forget plugins of single files and registered classes, in this process and its environment."""
    monkeypatch.setenv("EVOSDC_PLUGINS", "")
    monkeypatch.setenv("EVOSDC_REGISTERED", "[]")
    monkeypatch.setattr(registered, "_KNOWN", {})
    default_registry.cache_clear()
    yield
    default_registry.cache_clear()
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return three processes for two cores, since many tests wait for others; none for files that were named."""
    if config.args_source is config.ArgsSource.ARGS and all(".py" in argument for argument in config.args):
        return 0
    cores = len(os.sched_getaffinity(0))
    return cores + cores // 2


def pytest_collection_finish() -> None:
    """Spare the garbage collector what stays to the end."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        file = item.nodeid.partition("::")[0]
        early, long = ([part in file for part in parts] for parts in (EARLY, LONG))
        marks = [item.get_closest_marker(mark) is not None for mark in FIRST]
        return [*early, *marks, *long, True].index(True)

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Share tests out by file, so that what a module prepares is prepared once, in the order of the collection."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            return nodeid if path.endswith(SHARED_OUT) else path

        def _reschedule(self, node) -> None:  # type: ignore[no-untyped-def]
            # A process that takes the place of one that died has nothing to do before it has collected the tests.
            if node in self.registered_collections:
                super()._reschedule(node)

        def mark_test_complete(self, node, item_index, duration=0) -> None:  # type: ignore[no-untyped-def]
            super().mark_test_complete(node, item_index, duration)
            # What is done is asked about after each test, which takes long where all of it is kept.
            units = self.assigned_work[node]
            for path in [path for path, unit in units.items() if all(unit.values())]:
                del units[path]

    config.option.loadscopereorder = False
    return ByFile(config, log)
