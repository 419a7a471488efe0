"""Build the site: ``python -m docs.build [-o build/site]``. Needs the extra ``docs``, and no network.

Every warning is an error: a link that leads nowhere, a page in no contents, a docstring that cannot be read.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = ("-W", "--keep-going", "-n", "-q", "-b", "html", "-j", "1", "-c", str(ROOT / "docs"))


def build(output: Path) -> int:
    """Build the site anew in the folder `output` and return the exit status."""
    from sphinx.cmd.build import main

    for old in (output, output.with_name(f"{output.name}-doctrees")):
        shutil.rmtree(old, ignore_errors=True)
    trees = str(output.with_name(f"{output.name}-doctrees"))
    return int(main([*OPTIONS, "-d", trees, str(ROOT), str(output)]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "site", metavar="FOLDER")
    chosen = parser.parse_args().output.resolve()
    status = build(chosen)
    if status == 0:
        print(f"Open {chosen / 'index.html'}")
    sys.exit(status)
