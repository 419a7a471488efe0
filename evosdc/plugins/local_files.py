"""Plugins in single files of the user's own: ``--plugin FILE``, or the variable ``EVOSDC_PLUGINS``."""

import atexit
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType

from evosdc.errors import Fault, InputError, PluginError

# Names the files, as PATH names folders. Workers of this machine inherit it; those of others get the files.
VARIABLE = "EVOSDC_PLUGINS"


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file with a plugin, whose module is named after it."""

    path: Path

    @property
    def name(self) -> str:
        """Name of the module."""
        return self.path.stem

    @property
    def version(self) -> str:
        """A digest of the content, so that a run knows when the file has changed."""
        return sha256(self.path.read_bytes()).hexdigest()[:12] if self.path.is_file() else ""

    def load(self) -> ModuleType:
        """Import and return the module; the same one each time."""
        known = sys.modules.get(self.name)
        if known is not None and _same(getattr(known, "__file__", None), self.path):
            return known
        if not self.path.is_file():
            raise PluginError(f"there is no file {self.path}")
        if not self.name.isidentifier():
            raise PluginError(f"{self.path.name} cannot be a module: rename it to letters, digits and underscores")
        found = None if known is not None else find_spec(self.name)
        if known is not None or (found is not None and not _same(found.origin, self.path)):
            raise PluginError(f"{self.path.name} has the name of another module, {self.name}: rename it")
        spec = spec_from_file_location(self.name, self.path)
        if spec is None or spec.loader is None:
            raise PluginError(f"{self.path.name} is no Python file")
        module = module_from_spec(spec)
        sys.modules[self.name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[self.name]
            raise
        return module


def _same(file: str | None, path: Path) -> bool:
    return file is not None and Path(file).resolve() == path.resolve()


def local_files() -> list[LocalFile]:
    """Return the files that the environment names, each once."""
    named = [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    return [LocalFile(path) for path in dict.fromkeys(named)]


def add_local_file(path: Path) -> None:
    """Have a file searched for plugins, in this process and in workers that it starts."""
    if not path.is_file() or path.suffix != ".py":
        given = "no file" if not path.exists() else "a folder" if path.is_dir() else "a file that is no Python module"
        raise InputError(Fault(f"--plugin {path}", given, "a file FILE.py with hooks or evosdc.register"))
    from evosdc.plugins.registry import default_registry

    default_registry.cache_clear()
    listed = [str(file.path) for file in local_files()]
    os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys([*listed, str(path.resolve())]))


def receive(sources: Mapping[str, str]) -> Path | None:
    """Have plugin files of another computer, texts by path, searched in this process and those that it starts."""
    # A file that is here too is used as it is. Others are kept in a folder, which is returned, until this process ends.
    folder = None
    for path, text in sources.items():
        file = Path(path)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            if folder is None:
                folder = Path(mkdtemp(prefix="evosdc-plugins-"))
                atexit.register(rmtree, folder, ignore_errors=True)
            file = folder / file.name
            file.write_text(text, encoding="utf-8")
        add_local_file(file)
    return folder
