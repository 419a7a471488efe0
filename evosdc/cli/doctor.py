"""``evosdc doctor``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.cli.text import print_json, say
from evosdc.options.shared import JsonOptions

if TYPE_CHECKING:
    from evosdc.runs.publication_check import Check

MOST_NAMED = 8  # files of a kind that are named; `--json` names all

_KINDS = {
    "run": "a run folder",
    "study": "a folder of several runs",
    "tuning": "a folder of evosdc tune",
    "clusters": "a folder of evosdc cluster",
    "folder": "no folder of a run",
}


@click.command()
@click.argument("folder", type=PATH, default=".")
@takes_options(JsonOptions)
def doctor(folder: Path, options: JsonOptions) -> None:
    """Say which files of FOLDER are for publication, and which are for you alone; default: the current folder.

    Looks at names, at what evosdc wrote beside the files, and at who may read them. Changes nothing. Exit status 1
    where something is wrong.
    """
    from dataclasses import asdict

    from evosdc.runs.publication_check import check_folder

    found = check_folder(folder)
    if options.as_json:
        files = [{"name": one.name, "publish": one.published, "reason": one.reason} for one in found.files]
        print_json(
            {"folder": str(folder), "kind": found.kind, "verdict": found.verdict or None, "files": files,
             "wrong": [asdict(one) for one in found.findings]}
        )  # fmt: skip
    else:
        _show(folder, found)
    if found.findings:
        click.get_current_context().exit(1)


def _show(folder: Path, found: "Check") -> None:
    verdict = f" Verdict: {found.verdict.upper()}." if found.verdict else ""
    say(f"{folder}: {_KINDS[found.kind]}.{verdict}")
    for heading, published in (("For publication:", True), ("For you alone, never published:", False)):
        chosen = [one for one in found.files if one.published is published]
        say(heading if chosen else f"{heading} nothing.")
        names: dict[str, list[str]] = {}
        for one in chosen:
            names.setdefault(one.reason, []).append(one.name)
        for reason, own in names.items():
            more = f" and {len(own) - MOST_NAMED} more" if len(own) > MOST_NAMED else ""
            say(f"  {', '.join(own[:MOST_NAMED])}{more}: {reason}")
    say("Wrong:" if found.findings else "Nothing is wrong.")
    for finding in found.findings:
        say(f"  - {finding.text}")
        if finding.command:
            say(f"    {finding.command}")
