"""The pages of docs/plugins and what stands in them: ``python -m tests.kit.pages`` writes the examples anew."""

from __future__ import annotations

import re
from pathlib import Path

from evosdc.cli.plugins import MADE, files

FOLDER = Path(__file__).parents[2] / "docs" / "plugins"

EXAMPLES = {
    "measure": "share-changed",
    "masking-method": "partial-permutation",
    "genotype": "suppressions",
    "algorithm": "own-mutant",
    "privacy-model": "share-alone",
    "fitness": "loss-times-risk",
    "operator": "copied-genes",
    "executor": "threads",
    "dataset": "ward",
    "portfolio": "gentle",
    "format": "bar-separated",
    "limit": "commonest-category",
    "picture": "change-bars",
    "command": "count-records",
}
"""The plugin of each page, by kind."""

ELSEWHERE = {
    "measure": "Its measure has a tracker. [The how-to](../howto/measure.md) builds another measure step by step.",
    "genotype": "[The tutorial](tutorial.md) shows a smaller genotype.",
    "operator": "[Another tutorial](crossover.md) shows a crossover.",
    "picture": "Its picture has one bar for each attribute, as long as its share of changes.",
    "limit": "It bounds `best-guess` by the share of the commonest categories.",
    "dataset": "Its data set has three attributes and 60 made-up records.",
    "executor": "Its executor runs tasks in threads.",
    "privacy-model": "Its model is the percentage of records that match no other record.",
    "fitness": "Its fitness is IL times DR, with a parameter that is added to both.",
    "format": "Its format has vertical bars between the values.",
    "portfolio": "Its portfolio has rank swapping and MDAV with small parameters.",
    "command": "Its command counts the records and columns of a file.",
}
"""Kinds whose code the page does not show: what the example does, or the page that shows another one."""

BEGIN, END = "<!-- example, written by tests/kit/pages.py -->", "<!-- end of the example -->"


def example(kind: str) -> str:
    """Return the example of a page: the implementation that ``evosdc new-plugin`` writes, beside hook and test."""
    name = EXAMPLES[kind]
    texts = files(kind, name)
    package = f"evosdc_{name.replace('-', '_')}"
    path = f"{package}/{MADE[kind].short}.py"
    command = f"    evosdc new-plugin {kind} {name}"
    wrote = f"writes a distribution with hook, test and `{path}`:"
    if kind in ELSEWHERE:
        return "\n\n".join([BEGIN, command, f"{wrote.removesuffix(':')}. {ELSEWHERE[kind]}", END])
    return "\n\n".join([BEGIN, command, wrote, f"```python\n{texts[path]}```", END])


def page(kind: str) -> Path:
    """Return where the page of a kind is."""
    return FOLDER / f"{kind}.md"


def with_example(text: str, kind: str) -> str:
    """Return a page's text with its example as it is now."""
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: example(kind), text, flags=re.DOTALL)


def main() -> None:
    """Write the examples of all pages anew."""
    for kind in EXAMPLES:
        path = page(kind)
        path.write_text(with_example(path.read_text(encoding="utf-8"), kind), encoding="utf-8")


if __name__ == "__main__":
    main()
