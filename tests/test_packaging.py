"""The distribution: nothing is forgotten in its metadata, and what is built can be installed and used."""

from __future__ import annotations

import ast
import configparser
import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent

GREATEST = 3_000_000
"""Bytes of the wheel: Python source and pages, and no machine code of anybody's processor."""


def packages_below(folder: Path) -> set[str]:
    """Return the dotted names of all folders with Python modules in them, the folder itself included."""
    found = set()
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and path.name != "__pycache__" and any(path.glob("*.py")):
            found.add(".".join(path.relative_to(folder.parent).parts))
    return found


PLUGINS = sorted(p.name for p in (ROOT / "plugins").iterdir() if p.is_dir() and any(p.glob("*.py")))
PACKAGES = packages_below(ROOT / "evosdc").union(*(packages_below(ROOT / "plugins" / name) for name in PLUGINS))


@pytest.fixture(scope="module")
def metadata() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def imported(path: Path) -> set[str]:
    """Return the first parts of the names of the modules that a module imports, wherever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found


def listed(metadata: configparser.ConfigParser, section: str, key: str) -> list[str]:
    return [line.strip() for line in metadata[section][key].splitlines() if line.strip()]


class TestMetadata:
    def test_every_package_is_listed_once(self, metadata: configparser.ConfigParser) -> None:
        packages = listed(metadata, "options", "packages")
        assert sorted(packages) == sorted(set(packages)), "a package is listed twice"
        assert set(packages) == PACKAGES

    def test_every_package_is_marked_as_one(self) -> None:
        for name in PACKAGES:
            base = ROOT / "plugins" if name.startswith("evosdc_") else ROOT
            assert (base.joinpath(*name.split(".")) / "__init__.py").exists(), f"{name} has no __init__.py"

    def test_every_plugin_has_its_folder(self, metadata: configparser.ConfigParser) -> None:
        folders = dict(line.split(" = ") for line in listed(metadata, "options", "package_dir"))
        assert folders == {"evosdc": "evosdc", **{name: f"plugins/{name}" for name in PLUGINS}}

    def test_every_plugin_has_its_entry_point(self, metadata: configparser.ConfigParser) -> None:
        points = dict(line.split(" = ") for line in listed(metadata, "options.entry_points", "evosdc"))
        assert sorted(points.values()) == sorted(["evosdc.plugins.shipped", *PLUGINS])

    def test_requirements_are_ranges(self, metadata: configparser.ConfigParser) -> None:
        for line in listed(metadata, "options", "install_requires"):
            assert ">=" in line, f"{line}: no lower bound"
            assert "==" not in line, f"{line}: pinned"

    @pytest.mark.endurance
    def test_what_is_imported_is_required(self, metadata: configparser.ConfigParser) -> None:
        extras = [key for key in metadata["options.extras_require"] if key not in ("test", "lint")]
        lines = listed(metadata, "options", "install_requires")
        lines += [line for key in extras for line in listed(metadata, "options.extras_require", key)]
        required = {canonicalize_name(Requirement(line).name) for line in lines}
        known = packages_distributions()
        for folder in (ROOT / "evosdc", ROOT / "plugins"):
            for path in folder.rglob("*.py"):
                for name in imported(path) - set(sys.stdlib_module_names):
                    if not name.startswith("evosdc") and "testing" not in path.parts:
                        owners = {canonicalize_name(owner) for owner in known.get(name, [name])}
                        assert owners & required, f"{path} imports {name}, which setup.cfg does not require"

    def test_every_data_file_is_listed(self, metadata: configparser.ConfigParser) -> None:
        patterns = {
            name: [line.strip() for line in value.splitlines() if line.strip()]
            for name, value in metadata["options.package_data"].items()
        }
        for name in PACKAGES:
            base = ROOT / "plugins" if name.startswith("evosdc_") else ROOT
            folder = base.joinpath(*name.split("."))
            for path in folder.iterdir():
                if path.is_file() and path.suffix not in (".py", ".pyc"):
                    assert any(path.match(pattern) for pattern in patterns.get(name, [])), f"{path} is not listed"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sdist and with the wheel that was built from it; the source is copied beforehand."""
    folder = tmp_path_factory.mktemp("packaging")
    source = folder / "source"
    source.mkdir()
    leave = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc", "*.egg-info")
    for name in ("evosdc", "plugins"):
        shutil.copytree(ROOT / name, source / name, ignore=leave)
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, source)
    # What a build requires was installed here for the tests; they have it fetched again by nobody.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "dist"


@pytest.mark.packaging
class TestBuilding:
    def expected(self) -> set[str]:
        return {
            str(path.relative_to(base))
            for base in (ROOT, ROOT / "plugins")
            for top in (base.glob("evosdc*") if base != ROOT else [ROOT / "evosdc"])
            for path in top.rglob("*")
            if path.is_file()
            and path.suffix in (".py", ".html", ".css", ".js", ".typed")
            and "__pycache__" not in path.parts
        }

    @pytest.mark.endurance
    def test_the_wheel_holds_every_file(self, built: Path) -> None:
        (wheel,) = built.glob("*.whl")
        names = set(zipfile.ZipFile(wheel).namelist())
        assert self.expected() <= names, sorted(self.expected() - names)
        stray = {n.split("/")[0] for n in names if ".dist-info" not in n} - {"evosdc", *PLUGINS}
        assert not stray, f"the wheel holds {stray} besides"

    def test_the_wheel_is_pure_and_small(self, built: Path) -> None:
        (wheel,) = built.glob("*.whl")
        assert wheel.name.endswith("-py3-none-any.whl")
        assert wheel.stat().st_size < GREATEST
        compiled = (".nbi", ".nbc", ".so", ".pyd", ".dll", ".dylib", ".pyc", ".kernels")
        assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(compiled)]

    def test_the_sdist_holds_what_is_needed_to_build(self, built: Path) -> None:
        (sdist,) = built.glob("*.tar.gz")
        with tarfile.open(sdist) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
        assert {"setup.cfg", "pyproject.toml", "README.md"} <= names
        expected = {f"plugins/{name}" if name.startswith("evosdc_") else name for name in self.expected()}
        assert expected <= names, sorted(expected - names)

    @pytest.mark.endurance
    def test_it_works_in_a_fresh_environment(self, built: Path, tmp_path: Path) -> None:
        (wheel,) = built.glob("*.whl")
        venv.create(tmp_path / "environment", with_pip=False)
        python = tmp_path / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
        clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        pip = [sys.executable, "-m", "pip", "--python", str(python)]
        install = [*pip, "install", "--no-deps", "--no-index", "--no-compile", str(wheel)]
        done = subprocess.run(install, capture_output=True, text=True, env=clean, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        # What is required is borrowed from here, after the environment's own packages: to install it takes a minute.
        asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        own = Path(subprocess.run(asked, capture_output=True, text=True, env=clean, check=True).stdout.strip())
        here = [path for path in sys.path if path.endswith("-packages")]
        (own / "required.pth").write_text("\n".join(here) + "\n", encoding="utf-8")
        program = (
            "import json, evosdc\n"
            "from evosdc.plugins.registry import default_registry\n"
            "from evosdc.plugins.kinds import KINDS\n"
            "found = default_registry()\n"
            "loaded = [found.implementation(k, n).__name__ for k in KINDS for n in found.names(k)]\n"
            "print(json.dumps({'file': evosdc.__file__, 'problems': [str(p) for p in found.problems],\n"
            "                  'plugins': [p.name for p in found.plugins], 'loaded': loaded}))"
        )
        done = subprocess.run([str(python), "-c", program], capture_output=True, text=True, env=clean, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        outcome = json.loads(done.stdout)
        assert str(tmp_path) in outcome["file"], "another evosdc than the installed one was imported"
        assert outcome["problems"] == []
        assert set(outcome["plugins"]) == {"core", *(name.removeprefix("evosdc_") for name in PLUGINS)}
        assert outcome["loaded"]
        command = str(python.with_name("evosdc"))
        shown = subprocess.run([command, "plugins", "list"], capture_output=True, text=True, env=clean, cwd=tmp_path)
        assert "mdav" in shown.stdout, shown.stderr
        # Few measures, no methods and no compilation: this is about what was installed.
        (tmp_path / "x.toml").write_text(
            'data = { name = "housing", first = 100 }\nstart = { random = 5 }\nstop = { generations = 2 }\n'
            'executor = "serial"\n'
            'measures = { il = ["ctbil"], dr = ["id"] }\n'
        )
        quick_start = [command, "run", "x.toml", "-o", "runs/first"]
        uncompiled = {**clean, "NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run(quick_start, capture_output=True, text=True, env=uncompiled, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "report.html" in done.stdout
        assert (tmp_path / "runs" / "first" / "best.csv").exists()
