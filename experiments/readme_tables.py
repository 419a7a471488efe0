"""Put what studies declare and store into their READMEs, so that the pages say what the files say.

    python experiments/readme_tables.py                    # exit status 1 where a page was not up to date; it is then

A page marks a table by a comment ``<!-- table scores.csv -->`` and its end by ``<!-- end -->``. Column names may follow
the file, separated by bars, and then the rows that are shown:
``<!-- table scores.csv: file | fitness | best found where fitness = max and k = 5 -->``. By ``<!-- study -->`` and
``<!-- end -->`` it marks the place of what ``study.toml`` says: the source, the command, what is a reconstruction, and
when the stored results were made; by ``<!-- pictures -->`` that of the pictures. What is not stored is said not to be.
``docs/papers.md`` has the list of all studies between ``<!-- studies -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).parent
_MARKED = re.compile(
    r"(<!-- table (?P<file>[^\s:]+\.csv)(?:: (?P<columns>[^\n]*?))?(?: where (?P<rows>[^\n]*?))? -->\n)"
    r".*?(<!-- end -->)",
    re.DOTALL,
)
_STUDY = re.compile(r"(<!-- study -->\n).*?(<!-- end -->)", re.DOTALL)
_STUDIES = re.compile(r"(<!-- studies -->\n).*?(<!-- end -->)", re.DOTALL)
_PICTURES = re.compile(r"(<!-- pictures -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(text: str, folder: Path) -> str:
    """Return a page with all marked tables, and what the study says of itself, as the files of a folder have them."""
    text = _STUDY.sub(lambda mark: f"{mark[1]}\n{_study(folder)}\n{mark[2]}", text)
    text = _PICTURES.sub(lambda mark: f"{mark[1]}\n{_pictures(folder)}\n{mark[2]}", text)
    text = _STUDIES.sub(lambda mark: f"{mark[1]}\n{_studies()}\n{mark[2]}", text)

    def table(mark: re.Match[str]) -> str:
        return f"{mark[1]}\n{_table(folder / mark['file'], mark['columns'], mark['rows'])}\n{mark[5]}"

    return _MARKED.sub(table, text)


def _declared(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))


def _studies() -> str:
    """Return the list of all studies with their sources."""
    lines = []
    for path in sorted(HERE.glob("*/study.toml")):
        declared = _declared(path.parent)
        link = f"[{declared['title']}](../experiments/{path.parent.name}/README.md)"
        work = re.split(r", (?:figures?|tables?)\b", declared["source"])[0]
        lines.append(f"- {link}" + (f": {work}\n" if work != "ours" else "\n"))
    return "".join(lines)


def _study(folder: Path) -> str:
    """Return what a study declares, and when its results were stored."""
    declared = _declared(folder)
    again, stored = f"python experiments/reproduce.py {folder.name}", folder / "stored.json"
    lines = [
        f"**Source**: {declared['source']}. {declared['summary']}\n",
        f"**Run it**: `{again} --full --check` ({declared['full']['time']}; "
        f"without `--full` {declared['quick']['time']}).\n",
    ]
    if declared.get("reconstruction"):
        lines += ["**Reconstructed**\n", *(f"- {one}" for one in declared["reconstruction"]), ""]
    if stored.exists():
        full = json.loads(stored.read_text(encoding="utf-8"))["full"]
        lines.append(f"Stored on {full['date']} (`stored.json`).\n")
    else:
        lines.append(f"Results were not stored by this command yet: `{again} --store` does it.\n")
    return "\n".join(lines)


def _pictures(folder: Path) -> str:
    """Return the pictures that a study declares and that are stored."""
    declared = _declared(folder).get("pictures", ())
    stored = [one for one in declared if (folder / one["file"]).exists()]
    return "\n".join(f"![{one['title']}]({one['file']})\n" for one in stored) or "Not stored yet.\n"


def _table(path: Path, columns: str | None, chosen: str | None) -> str:
    if not path.exists():
        return "Not stored yet.\n"
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    for condition in chosen.split(" and ") if chosen else ():
        name, _, value = condition.partition(" = ")
        rows = [row for row in rows if row[header.index(name)] == value]
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
    for page in sorted([*HERE.glob("*/README.md"), HERE.parent / "docs" / "papers.md"]):
        before = page.read_text(encoding="utf-8")
        after = with_tables(before, page.parent)
        if after != before:
            page.write_text(after, encoding="utf-8")
            changed.append(page.relative_to(HERE.parent))
    for page in changed:
        click.echo(f"brought up to date: {page}")
    raise SystemExit(1 if changed else 0)


if __name__ == "__main__":
    main()
