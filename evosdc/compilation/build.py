"""The step of an installation that compiles the kernels, for setuptools, which finds it by ``setup.cfg``.

``EVOSDC_COMPILE=0`` leaves it out: for a distribution that others install on machines of another kind. There, and where
it fails, kernels are compiled when they are first called.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools.command.build_py import build_py

ROOT = Path(__file__).parents[2]


class CompilingBuild(build_py):  # type: ignore[misc]
    """Copies the modules, and compiles kernels beside what was copied or, for ``pip install -e``, beside the source."""

    def run(self) -> None:
        """Copy and compile; an installation does not fail for want of speed."""
        super().run()
        if not self.editable_mode:
            # What an installation of other sources has left.
            for folder in Path(self.build_lib).rglob("__pycache__"):
                shutil.rmtree(folder)
        if os.environ.get("EVOSDC_COMPILE") == "0":
            return
        folders = [ROOT, ROOT / "plugins"] if self.editable_mode else [Path(self.build_lib).resolve()]
        kept = os.environ.get("PYTHONPATH")
        # Numba's own variables would keep the machine code elsewhere. Bytecode is for pip to make.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        environment["PYTHONPATH"] = os.pathsep.join([*map(str, folders), *([kept] if kept else [])])
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        command = [sys.executable, "-m", "evosdc.compilation"]
        done = subprocess.run(command, env=environment, cwd=folders[0], check=False)
        if done.returncode:
            self.warn("kernels were not compiled; they will be when they are first called")
