"""Put the stored tables of studies into their READMEs, so that the pages say what the files say.

    python experiments/readme_tables.py                    # exit status 1 where a page was not up to date; it is then

A page marks a table by a comment ``<!-- table scores.csv -->`` and its end by ``<!-- end -->``. Column names may follow
the file, separated by bars: ``<!-- table scores.csv: file | fitness | best found -->``.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import click

HERE = Path(__file__).parent
_MARKED = re.compile(
    r"(<!-- table (?P<file>[^\s:]+\.csv)(?:: (?P<columns>[^\n]*?))? -->\n).*?(<!-- end -->)", re.DOTALL
)


def with_tables(text: str, folder: Path) -> str:
    """Return a page with all marked tables as the files of a folder have them."""
    return _MARKED.sub(lambda mark: f"{mark[1]}\n{_table(folder / mark['file'], mark['columns'])}\n{mark[4]}", text)


def _table(path: Path, columns: str | None) -> str:
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    wanted = [name.strip() for name in columns.split("|")] if columns else header
    places = [header.index(name) for name in wanted] if columns else list(range(len(header)))
    lines = [wanted, ["---"] * len(wanted), *([_shown(row[place], header[place]) for place in places] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _shown(cell: str, name: str) -> str:
    """Return a cell; numbers that were written in full with two decimals, p values with three."""
    digits = 3 if name.startswith("p of ") else 2
    return f"{float(cell):.{digits}f}" if re.fullmatch(r"-?\d+\.\d{4,}(e-?\d+)?", cell) else cell


@click.command()
def main() -> None:
    """Bring the pages up to date."""
    changed = []
    for page in sorted(HERE.glob("*/README.md")):
        before = page.read_text(encoding="utf-8")
        after = with_tables(before, page.parent)
        if after != before:
            page.write_text(after, encoding="utf-8")
            changed.append(page.relative_to(HERE))
    for page in changed:
        click.echo(f"brought up to date: {page}")
    raise SystemExit(1 if changed else 0)


if __name__ == "__main__":
    main()
