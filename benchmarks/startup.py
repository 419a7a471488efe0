"""How long the command line takes to answer: the best of a few starts of each command.

python benchmarks/startup.py
"""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

COMMANDS = (["--help"], ["--version"], ["plugins", "list"], ["datasets", "list"], ["run", "--help"])


def seconds(words: list[str]) -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-m", "evosdc", *words], check=True, capture_output=True)
    return perf_counter() - began


if __name__ == "__main__":
    for words in COMMANDS:
        print(f"evosdc {' '.join(words):<20} {min(seconds(words) for _ in range(5)):.3f} s")
