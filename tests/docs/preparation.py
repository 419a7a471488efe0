"""What lies in the folder of a page before its blocks run: the files that its reader is taken to have."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pandas as pd

import evosdc
from evosdc.datasets.loading import load_dataset
from evosdc.plugins.registry import default_registry
from evosdc.secret import Key
from tests.docs.commands import KEY, REFUSED, ROOT, run_line

DROPPED = "evosdc edit schema.toml {} role=drop"
USUAL = (
    "evosdc init patients.csv -o schema.toml",
    DROPPED.format("job"),
    DROPPED.format("income"),
    "evosdc mask mdav patients.csv --schema schema.toml --set k=3 -o masked.csv",
)
"""The road that ``docs/start.md`` goes, and a masked file."""

WITHOUT = (
    "docs/start.md",
    "docs/schema.md",
    "docs/social.md",
    "docs/from-arx.md",
    "docs/from-sdcmicro.md",
    "README.md",
)
"""Pages that begin with the bare files."""

MASK = "evosdc mask {} -o masked.csv"
RUN = "evosdc protect patients.csv --schema schema.toml --time 60s --quiet -o runs/{}"
FURTHER: dict[str, tuple[str, ...]] = {
    "docs/report.md": (
        RUN.format("first") + ' --require "publishable on conditions"',
        RUN.format("second") + " --seed 2",
    ),
    "docs/tables.md": ("evosdc init persons.csv -o persons.toml",),
    "docs/measures/README.md": (
        "rm masked.csv masked.manifest.json",
        MASK.format("pram german-credit --set p=0.8"),
        "evosdc mask mondrian german-credit --set k=5 --set output=interval -o generalised.csv",
    ),
}
"""Further commands before the blocks of a page."""

TABLES = {"docs/limit.md": "german-credit"}
"""The data set that the blocks of Python of a page know as ``table``."""


def prepare(folder: Path, page: str) -> dict[str, Any]:
    """Fill the current folder for a page; return the names that its blocks of Python know."""
    for file in (ROOT / "docs" / "files").glob("*.csv"):
        shutil.copy(file, folder)
    Key(bytes([1] * 32)).write(folder / KEY)
    for name in ("experiments", "benchmarks"):
        (folder / name).symlink_to(ROOT / name)
    visits = [f"2021-0{1 + k % 5}-1{k % 9},2021-0{2 + k % 5}-2{k % 8},{'fm'[k % 2]}" for k in range(40)]
    (folder / "visits.csv").write_text("\n".join(["admitted,discharged,sex", *visits]) + "\n", encoding="utf-8")
    usual = () if page in WITHOUT else USUAL
    for line in (*usual, *FURTHER.get(page, ())):
        status, said = run_line(line)
        assert status == 0 or REFUSED in said, f"{line}\n{said}"
    if page == "docs/social.md":
        draw_graph(folder)
    frame = pd.read_csv("patients.csv")
    names: dict[str, Any] = {"evosdc": evosdc, "pd": pd, "frame": frame}
    if page == "docs/judges.md":
        names["masked"] = evosdc.mask(frame, "rank-swapping", p=10, protect=["age", "sex", "region"], seed=1)
    elif page in TABLES:
        names["table"] = load_dataset(default_registry().spec("dataset", TABLES[page])).table
    return names


def draw_graph(folder: Path) -> None:
    """Write users and edges of a small graph: places, topics, and friends at random."""
    drawn = random.Random(3)
    users = [
        f"u{k},{drawn.choice(('Berlin', 'Bonn', 'Ulm'))},{drawn.choice(('art', 'sport', 'law'))}" for k in range(40)
    ]
    edges = {tuple(sorted(drawn.sample(range(40), 2))) for _ in range(90)}
    (folder / "users.csv").write_text("\n".join(["id,location,topics_1", *users]) + "\n", encoding="utf-8")
    (folder / "edges.csv").write_text(
        "\n".join(["a,b", *(f"u{a},u{b}" for a, b in sorted(edges))]) + "\n", encoding="utf-8"
    )
