from __future__ import annotations

import subprocess
import sys


def test_importing_the_hooks_loads_nothing_heavy() -> None:
    code = (
        "import sys, evosdc_masking; list(evosdc_masking.evosdc_masking_methods()); "
        "print(sorted({'numpy', 'numba', 'pandas', 'pydantic', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
