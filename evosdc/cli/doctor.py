"""``evosdc doctor``."""

from dataclasses import asdict
from pathlib import Path

import click

from evosdc.cli.text import print_json, say
from evosdc.options.data import DoctorOptions
from evosdc.runs.publication_check import Check, check_folder

MOST_NAMED = 8  # files of a kind that are named; `--json` names all

_KINDS = {
    "run": "a run folder",
    "study": "a folder of several runs",
    "tuning": "a folder of evosdc tune",
    "clusters": "a folder of evosdc cluster",
    "folder": "no folder of a run",
}


def doctor(options: DoctorOptions) -> None:
    """Print which files of a folder are for publication."""
    found = check_folder(options.folder)
    if options.as_json:
        files = [{"name": one.name, "publish": one.published, "reason": one.reason} for one in found.files]
        print_json(
            {"folder": str(options.folder), "kind": found.kind, "verdict": found.verdict or None, "files": files,
             "wrong": [asdict(one) for one in found.findings]}
        )  # fmt: skip
    else:
        _show(options.folder, found)
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
