"""Types of kernels' arguments survive being written, and what is listed is what there is."""

import ast
import configparser
import inspect
import subprocess
import sys
import tomllib
from collections import namedtuple
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from numba.core import types
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from evosdc.compilation.listed import listed, signatures_in, write_list
from evosdc.compilation.signatures import read, signature, written
from evosdc.kernel import Kernel
from evosdc.machine_code.kinds import named

ROOT = Path(__file__).parents[2]
Pair = namedtuple("Pair", "first second")

KINDS = [
    types.int64,
    types.uint8,
    types.float64,
    types.boolean,
    types.Array(types.int32, 2, "C"),
    types.Array(types.int32, 2, "F"),
    types.Array(types.boolean, 1, "A", readonly=True),
    types.Tuple((types.int64, types.Array(types.float64, 1, "C"))),
    types.UniTuple(types.int64, 3),
    types.NamedTuple((types.int64, types.Array(types.float64, 1, "C")), Pair),
    types.NamedUniTuple(types.int64, 2, Pair),
    types.Tuple((types.NamedUniTuple(types.int64, 2, Pair), types.float64)),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_type_that_was_written_is_read(kind):
    assert read(written(kind)) == kind


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="unicode_type"):
        written(types.unicode_type)


def test_a_list_that_was_written_is_read(tmp_path):
    write_list(listed(), tmp_path / "kernels.json")
    assert (tmp_path / "kernels.json").read_text() == (ROOT / "evosdc" / "compilation" / "kernels.json").read_text()


def decorated() -> set[str]:
    """Return all kernels, as their source declares them."""
    found = set()
    for base in (ROOT / "evosdc", ROOT / "plugins"):
        for path in base.rglob("*.py"):
            module = ".".join(path.relative_to(ROOT if base.name == "evosdc" else base).with_suffix("").parts)
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef):
                    marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
                    if marks & {"kernel", "kernel_part", "inlined_kernel", "inner_kernel", "long_kernel"}:
                        found.add(f"{module.removesuffix('.__init__')}:{node.name}")
    return found


def test_every_kernel_is_listed():
    known = {f"{module}:{name}" for module, functions in listed().items() for name in functions}
    advice = "run all tests, then python -m evosdc.compilation.recording"
    assert decorated() == known, advice


def test_what_is_listed_can_be_compiled():
    # The types are looked at, not the code: that takes a minute.
    for module, functions in listed().items():
        for name, signatures in functions.items():
            function = named(f"{module}:{name}")
            assert isinstance(function, Kernel)
            for given in signatures:
                inspect.signature(function.py_func).bind(*signature(given))
    assert signatures_in(listed()) > 300


PROGRAM = """
import sys
from importlib import import_module

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Blocked())
from evosdc.compilation.listed import listed
for module in listed():
    import_module(module)
"""


def test_an_installation_has_what_it_compiles_with():
    """Modules with kernels are imported where nothing is installed but what the build requires."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    metadata = configparser.ConfigParser(delimiters=("=",))
    metadata.read(ROOT / "setup.cfg", encoding="utf-8")
    run = metadata["options"]["install_requires"].split("\n")
    at_hand, wanted = ({canonicalize_name(Requirement(line).name) for line in lines if line} for lines in (build, run))
    absent = wanted - at_hand
    assert {"pandas", "rich"} <= absent
    blocked = [
        name for name, owners in packages_distributions().items() if absent & set(map(canonicalize_name, owners))
    ]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *blocked], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
