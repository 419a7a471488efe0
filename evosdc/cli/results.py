"""The result of a run on the terminal: at most fifteen lines; all else is in the report."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.text import harmless, print_table, say, scores_in_words

if TYPE_CHECKING:
    from evosdc.runs.result import Result

MOST_REASONS = 3
"""Reasons and conditions that are printed; the others are counted."""

_COLOURS = {"publishable": "green", "publishable on conditions": "yellow", "not publishable": "red"}


def print_json(data: Any) -> None:
    """Print one JSON object and nothing else."""
    click.echo(json.dumps(data, ensure_ascii=False, allow_nan=False))


def print_outcome(path: Path, result: "Result", report: Path | None) -> None:
    """Print the verdict and its reasons, the use of the file, people re-identified, where files are, what to do next.

    Parameters
    ----------
    path : Path
        The run folder.
    result : Result
    report : Path, optional
    """
    verdict = result.verdict
    if result.so_far:
        say("Stopped before its end: this is the best file so far.")
    click.secho(harmless(verdict.line), fg=_COLOURS.get(verdict.headline), bold=True)
    marked = [f"  {'!' if verdict.publishable else '-'} {text}" for text in verdict.conditions]
    marked = marked if verdict.publishable and marked else [f"  - {text}" for text in verdict.reasons] + marked
    for line in marked[:MOST_REASONS]:
        say(line.replace(" RUN", f" {shlex.quote(str(path))}"))
    left, remarks = len(marked) - MOST_REASONS, len(result.warnings)
    more = [f"{left} more reasons or conditions" if left > 1 else "1 more reason or condition"] if left > 0 else []
    more += [f"{remarks} warning{'s' * (remarks != 1)}"] if remarks else []
    asked = result.second_opinion.asked
    more += [f"{result.second_opinion.answered} of {asked} judges answered"] if asked else []
    if more:
        say(f"  {'; '.join(more)}: see {'result.json' if report is None else 'the report'}.")
    for line in (*_facts(result), *_files(path, result, report)):
        say(line)
    say(f"Next:            {next_command(path, result)}")


def _facts(result: "Result") -> Iterator[str]:
    """Yield the three risks, what analysts can use, and the score."""
    verdict = result.verdict
    for line in verdict.risks if any(line.kept is not None for line in verdict.risks) else ():
        yield f"{f'{line.risk}:':<16} {line.words}"
    for words, texts in (("Analysts can:", verdict.trust.yes), ("They cannot:", verdict.trust.no)):
        if texts:
            yield f"{words:<16} use {'; '.join(text[:1].lower() + text[1:].rstrip('.') for text in texts)}."
    chosen = f"; chosen: {result.chosen['words']} (member {result.chosen['member']})" if result.chosen else ""
    yield f"{'Score:':<16} {scores_line(result)}{chosen}"


def scores_line(result: "Result") -> str:
    """Return the score of the file found, beside the best without a search and the original."""
    best, rival, original = result.best.of_file or result.best, result.portfolio.best, result.identity
    line = f"{scores_in_words({'fitness': best.fitness, **best.scores})} by {result.fitness}"
    line += f"; without a search {_numbers(rival.fitness)} ({rival.label})" if rival is not None else ""
    return line + (f"; unprotected {_numbers(original.fitness)}" if original is not None else "")


def _numbers(fitness: Sequence[float]) -> str:
    return " ".join(f"{value:.3f}" for value in fitness)


def _files(path: Path, result: "Result", report: Path | None) -> Iterator[str]:
    from evosdc.runs.layout import FOR_USERS

    without = f" (without {', '.join(result.dropped_identifiers)})" if result.dropped_identifiers else ""
    yield f"{'Protected file:':<16} {path / result.best.file}{without}"
    if (path / FOR_USERS).exists():
        yield f"{'For its users:':<16} {path / FOR_USERS}"
    again = shlex.join(["evosdc", "report", str(path)])
    yield f"{'Report:':<16} {report if report is not None else f'none; {again} writes it'}"


def next_command(path: Path, result: "Result") -> str:
    """Return the one command that helps most: check, search within the bound, or see what may be published."""
    from evosdc.assess.verdict import NO
    from evosdc.cli.options import command_line
    from evosdc.model.constraint import CONDITIONAL

    verdict, opinion = result.verdict, result.second_opinion
    if result.so_far:
        return shlex.join(["evosdc", "resume", str(path)])
    if verdict.headline != NO:
        unchecked = opinion.holds is None and not opinion.used_by_the_search
        open_ones = unchecked and opinion.answered < max(opinion.asked, 1)
        return shlex.join(["evosdc", "judge" if open_ones else "doctor", str(path)])
    typed = re.sub(r" (-o|--output)[ =]\S+", "", command_line())  # that folder is there now
    wanted = [text.split('"')[1] for reason in verdict.reasons for text in reason.split("--require ")[1:]]
    wanted = [text for text in (*wanted, CONDITIONAL) if text not in typed]
    if typed.startswith("evosdc protect ") and wanted and verdict.people_found is not None:
        return f"{typed} --require {shlex.quote(wanted[0])}"
    return shlex.join(["evosdc", "member", str(path), "best"])


def print_settings(result: Mapping[str, Any]) -> None:
    """Print the figures of a sweep's settings, or of the replicates of one setting; nothing for a single run."""
    entries = result.get("settings") or ()
    if not entries:
        spread = result.get("spread")
        if spread:
            deviation = "" if spread["sd"] is None else f", standard deviation {spread['sd']:.3f}"
            say(
                f"Fitness over {len(result['replicates'])} replicates: mean {spread['mean']:.3f}{deviation}, "
                f"from {spread['min']:.3f} to {spread['max']:.3f}."
            )
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Settings", title_justify="left")
    table.add_column("setting", overflow="fold")
    for heading in ("runs", "fitness", "sd", "min", "median", "IL", "DR"):
        table.add_column(heading, justify="right")
    for entry in entries:
        fitness = entry["fitness"]
        own = [*(fitness[key] for key in ("mean", "sd", "min", "median")), entry["il"]["mean"], entry["dr"]["mean"]]
        table.add_row(
            Text("\n".join(harmless(f"{key} = {value}") for key, value in entry["values"].items())),
            str(entry["runs"]),
            *("" if value is None else f"{value:.3f}" for value in own),
        )
    print_table(table)
    for text in findings(result["comparison"], [entry["label"] for entry in entries]):
        say(text)


def findings(comparison: Mapping[str, Any], labels: Sequence[str]) -> list[str]:
    """Return what the rank tests between the settings of a sweep came to, a sentence for each finding."""
    from evosdc.runs.rank_tests import METHOD, rank_sentences

    sentences = []
    for name, title in (("fitness", "fitness"), ("il", "IL"), ("dr", "DR")):
        found = comparison.get(name)
        if found is None:
            sentences.append(f"{title}: means something else in each setting, or is not known; not compared.")
        else:
            sentences += rank_sentences(title, found, labels)
    return [*sentences, METHOD]
