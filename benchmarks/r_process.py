"""What an R process takes around a function of sdcMicro: its start, the packages sdcMicro loads, and its files.

sdcMicro itself need not be there: the packages that its namespace imports are (Debian has them as ``r-base-core``,
``r-cran-data.table``, ``r-cran-shiny`` and so on), but for shinyBS and prettydoc. Files are read and written by
data.table, one of them, which is R's fastest. A real process takes somewhat longer, by what is left out.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from shutil import which
from statistics import median

IMPORTED = (
    "MASS",
    "Rcpp",
    "carData",
    "cluster",
    "data.table",
    "ggplot2",
    "knitr",
    "rhandsontable",
    "robustbase",
    "shiny",
    "xtable",
    "DT",
    "rmarkdown",
)
"""What sdcMicro's namespace imports, besides R's own packages."""


def seconds_around(file: Path, written: Path | None, repeat: int) -> float | None:
    """Return the CPU seconds of an R process that reads a CSV file, and writes it where `written` is given: a median.

    None where R or one of the packages is not there.
    """
    if which("Rscript") is None:
        return None
    packages = ", ".join(f'"{name}"' for name in IMPORTED)
    program = f"for (name in c({packages})) suppressPackageStartupMessages(loadNamespace(name)); "
    program += f'x <- data.table::fread("{file}"); '
    program += f'data.table::fwrite(x, "{written}")' if written is not None else ""
    seconds = list[float]()
    for _ in range(repeat):
        before = getrusage(RUSAGE_CHILDREN)
        done = subprocess.run(["Rscript", "--vanilla", "-e", program], capture_output=True, check=False)
        after = getrusage(RUSAGE_CHILDREN)
        if done.returncode:
            return None
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return median(seconds)
