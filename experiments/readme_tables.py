"""Put what studies declare and store into their READMEs, so that the pages say what the files say.

    python experiments/readme_tables.py                    # exit status 1 where a page was not up to date; it is then

A page marks a table by a comment ``<!-- table scores.csv -->`` and its end by ``<!-- end -->``. Column names may follow
the file, separated by bars: ``<!-- table scores.csv: file | fitness | best found -->``. By ``<!-- study -->`` and
``<!-- end -->`` it marks the place of what ``study.toml`` says: the source, the commands, what is a reconstruction, and
where the stored results were made; by ``<!-- pictures -->`` that of the pictures. What is not stored is said not to be.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path

import click

HERE = Path(__file__).parent
_MARKED = re.compile(
    r"(<!-- table (?P<file>[^\s:]+\.csv)(?:: (?P<columns>[^\n]*?))? -->\n).*?(<!-- end -->)", re.DOTALL
)
_STUDY = re.compile(r"(<!-- study -->\n).*?(<!-- end -->)", re.DOTALL)
_PICTURES = re.compile(r"(<!-- pictures -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(text: str, folder: Path) -> str:
    """Return a page with all marked tables, and what the study says of itself, as the files of a folder have them."""
    text = _STUDY.sub(lambda mark: f"{mark[1]}\n{_study(folder)}\n{mark[2]}", text)
    text = _PICTURES.sub(lambda mark: f"{mark[1]}\n{_pictures(folder)}\n{mark[2]}", text)
    return _MARKED.sub(lambda mark: f"{mark[1]}\n{_table(folder / mark['file'], mark['columns'])}\n{mark[4]}", text)


def _study(folder: Path) -> str:
    """Return what a study declares, and when its results were stored."""
    declared = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    again, stored = f"python experiments/reproduce.py {folder.name}", folder / "stored.json"
    lines = [
        f"**Source**: {declared['source']}. {declared['summary']}\n",
        f"**Again**: `{again} --check` runs a quick version ({declared['quick']['time']} of one "
        "processor) and compares it with the stored one, "
        f"`{again} --full --check` all of it ({declared['full']['time']}).\n",
    ]
    if declared.get("reconstruction"):
        lines += ["**Reconstructions**\n", *(f"- {one}" for one in declared["reconstruction"]), ""]
    if stored.exists():
        full = json.loads(stored.read_text(encoding="utf-8"))["full"]
        took = f"{full['processor seconds']:.0f} s of the processor"
        lines.append(f"Results stored on {full['date']} by evosdc {full['evosdc']}: {took}; {full['machine']}.\n")
    else:
        lines.append(f"Results were not stored by this command yet: `{again} --store` does it.\n")
    return "\n".join(lines)


def _pictures(folder: Path) -> str:
    """Return the pictures that a study declares and that are stored."""
    declared = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8")).get("pictures", ())
    stored = [one for one in declared if (folder / one["file"]).exists()]
    return "\n".join(f"![{one['title']}]({one['file']})\n" for one in stored) or "Not stored yet.\n"


def _table(path: Path, columns: str | None) -> str:
    if not path.exists():
        return "Not stored yet.\n"
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    wanted = [name.strip() for name in columns.split("|")] if columns else header
    places = [header.index(name) for name in wanted] if columns else list(range(len(header)))
    lines = [wanted, ["---"] * len(wanted), *([_shown(row[place], header[place]) for place in places] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _shown(cell: str, name: str) -> str:
    """Return a cell; numbers that were written in full with two decimals, p values with three."""
    if not re.fullmatch(r"-?\d+\.\d{4,}(e-?\d+)?", cell):
        return cell
    digits = 3 if name.startswith("p of ") or abs(float(cell)) < 1.0 else 2
    return f"{float(cell):.{digits}f}"


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
