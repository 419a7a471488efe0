"""Showing what a run found, on the terminal."""

import json
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import click

from evosdc.cli.fresh_draws import print_fresh
from evosdc.cli.text import harmless, print_table, say, warn

MOST_OF_NAME = 24
"""Characters of the names of measures that are shown in one line, at most."""

_AGGREGATES = {"il": "information loss (IL)", "dr": "disclosure risk (DR)"}


def print_json(data: Any) -> None:
    """Print one JSON object and nothing else."""
    click.echo(json.dumps(data, ensure_ascii=False, allow_nan=False))


def print_result(result: Mapping[str, Any]) -> None:
    """Print the original, the best file of the portfolio, the recipe and the best file found, one column each."""
    from rich.table import Table

    columns: list[tuple[str, Mapping[str, Any], float | None]] = []
    above = (result.get("limit") or {}).get("above") or {}
    if result.get("identity"):
        columns.append(("original", result["identity"], None))
    portfolio, recipe, of_file = result["portfolio"]["best"], result.get("recipe"), result["best"].get("of_file")
    # Of a single file that was made and not changed, one column is enough.
    if portfolio and (result["generations"] or result["portfolio"]["size"] > 1):
        known = f"best of {result['portfolio']['size']} in portfolio"
        known = "tuned classical method" if result["portfolio"].get("tuned") else known
        columns.append((f"{known}\n{portfolio['label']}", portfolio, above.get("classical")))
    if recipe and not of_file:
        fitness = [recipe["scores"]["score"]] if "score" in recipe["scores"] else []
        heading = f"recipe of {recipe['steps']} step{'s' * (recipe['steps'] != 1)}\n{_mean_of(recipe.get('draws'))}"
        columns.append((heading, {"scores": recipe["scores"], "fitness": fitness}, None))
    heading = f"best found\n{_mean_of(result['best']['draws'])}" if of_file else "best found"
    columns.append((heading, result["best"], above.get("best")))
    if of_file:
        columns.append(("its file,\nas published", of_file, None))
    table = Table(title=str(result["title"]), title_justify="left")
    scores = result["best"]["scores"]
    names: list[str] = [n for n in _AGGREGATES if n in scores] + [n for n in scores if n not in _AGGREGATES]
    # Of measures the whole name is shown, however many columns there are.
    labels = [_AGGREGATES.get(name, name) for name in names]
    width = min(max((len(word) for label in labels for word in label.split()), default=MOST_OF_NAME), MOST_OF_NAME)
    table.add_column("", no_wrap=True)
    for heading, *_ in columns:
        table.add_column(heading, justify="right")
    objectives = [[f"{value:.3f}" for value in scored["fitness"]] for _, scored, _ in columns]
    heading = fill(f"fitness ({result['fitness']})", width)
    table.add_row(heading, *(" ".join(row) for row in objectives), style="bold")
    for name, label in zip(names, labels, strict=True):
        # A trait of genomes is none of the original's nor of a masked file's.
        figures = (scored["scores"].get(name) for _, scored, _ in columns)
        table.add_row(fill(label, width), *("" if figure is None else f"{figure:.3f}" for figure in figures))
    if above and result["limit"].get("fitness"):
        shares = ("" if share is None else f"{share:.1f} %" for *_, share in columns)
        table.add_row(fill("above the limit", width), *shares)
    print_table(table)
    if result.get("fresh"):
        print_fresh(result["fresh"])
    drawn = "" if result["seed"] is None else f"seed {result['seed']}; "
    say(
        f"{result['generations']} generations, {result['evaluations']} evaluations in {result['seconds']:.1f} s; "
        f"stopped: {result['stopped']}; {drawn}missing values count by the rule "
        f"'{result['missing_rule']}'."
    )
    if result.get("chosen"):
        say(f"The file that was written is {result['chosen']['words']} (member {result['chosen']['member']}).")
    tuned = result["portfolio"].get("tuned") or {}
    if tuned.get("evidence"):
        say(tuned["evidence"])
    if result.get("recipe"):
        say(result["recipe"]["words"])
    changed = ", ".join(f"{name} {count}" for name, count in result["changed"].items())
    say(f"Of {result['records']} records, values changed: {changed}.")
    if result.get("dropped_identifiers"):
        say(f"Left out of the protected file: {', '.join(result['dropped_identifiers'])}.")


def _mean_of(draws: int | None) -> str:
    """Say over how many files of a plan, or of another random solution, figures are means."""
    if draws is None:
        return "mean of its files"
    return "of its file" if draws == 1 else f"mean of {draws}"


SHOWN = 12
"""Columns that are published unchanged which the terminal names; the report names all."""

_COLOURS = {"publishable": "green", "publishable on conditions": "yellow", "not publishable": "red"}


def print_publication(result: Mapping[str, Any]) -> None:
    """Print whether the file may be published and why, whom an intruder finds, and what can be trusted."""
    from evosdc.assess.intruder import measured_by
    from evosdc.assess.utility import named

    told = result.get("publication")
    if not told:
        return
    click.secho(harmless(verdict_line(told)), fg=_COLOURS.get(str(told["headline"])), bold=True)
    for text in told["reasons"]:
        say(f"  - {text}")
    for text in told["conditions"]:
        say(f"  ! {text}")
    found = told["intruder"]
    if found:
        records = found["records"]
        before = found["original_percent"] * records / 100.0
        say(
            f"Expected re-identifications by an informed intruder: {found['expected']:.0f} of {records} "
            f"({found['percent']:.2f} %, by {measured_by(found)}); without protection {before:.0f}."
        )
    for key, words in (("yes", "An analyst can trust"), ("no", "An analyst cannot trust")):
        texts = told["trust"][key]
        if texts:
            say(f"{words}: {' '.join(texts)}")
    if told["published_unchanged"]:
        say(f"Published unchanged: {named(told['published_unchanged'], SHOWN)}. {_together(told)}".rstrip())
    if told["above_limit"] is not None:
        say(f"The score lies {told['above_limit']:.1f} % above the limit, which no masked file can beat.")


def verdict_line(told: Mapping[str, Any]) -> str:
    """Return in a line whether a file may be published."""
    provided = f": {told['provided']}" if told.get("provided") else ""
    return f"Verdict: {str(told['headline']).upper()}{provided}"


def _together(told: Mapping[str, Any]) -> str:
    """Return what unchanged columns tell together, where no condition says it already."""
    words = str((told.get("unchanged_together") or {}).get("words", ""))
    return "" if any(words in text for text in told["conditions"]) else words


def print_verdict(result: Mapping[str, Any]) -> None:
    """Print whether the score holds against judges that the search did not use; nothing where none was asked."""
    from evosdc.assess.verdict import ASK
    from evosdc.printing import NO_TIME, not_applicable_sentences

    verdict, opinion = result.get("verdict"), result.get("second_opinion")
    if not verdict or not opinion:
        return
    colour = {True: "green", False: "red"}.get(verdict["holds"], "yellow")
    click.secho(harmless(f"Second opinion: {verdict['text']}"), fg=colour, bold=True)
    if opinion["classical"] is not None and opinion["classical"]["verdict"] != verdict["text"]:
        say(f"The same of {opinion['classical_label']}: {opinion['classical']['verdict']}")
    for sentence in not_applicable_sentences(opinion["best"]["not_applicable"]):
        say(f"{sentence}.")
    judges, lacking = opinion["best"]["judges"], opinion["best"]["not_applicable"]
    if NO_TIME in lacking.values():
        say(f"{len(judges)} of {len(judges) + len(lacking)} judges have answered; {ASK} asks those that had no time.")


def print_requirements(result: Mapping[str, Any]) -> None:
    """Print whether the file fulfils what was required of it, what it does not fulfil first, and what evosdc adds."""
    from evosdc.assess.verdict import figure_words, required_words

    judged = result.get("requirements") or ()
    for own, met, words, colour in (
        (False, False, "Requirements NOT met", "red"),
        (False, True, "Requirements met", "green"),
        (True, False, "NOT kept, which evosdc keeps besides", "yellow"),
        (True, True, "Kept besides", None),
    ):
        chosen = [entry for entry in judged if entry["met"] is met and bool(entry.get("own")) is own]
        texts = [f"{required_words(entry)} ({figure_words(entry)})" for entry in chosen]
        if texts:
            click.secho(harmless(f"{words}: {', '.join(texts)}."), fg=colour, bold=not own)


def print_settings(result: Mapping[str, Any]) -> None:
    """Print what the settings of a sweep, or the replicates of one setting, came to; nothing for a single run."""
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


def print_warnings(result: Mapping[str, Any]) -> None:
    """Print what was decided for the user, and what has to be known before the file is released."""
    for note in result.get("notes", ()):
        say(f"Note: {note}")
    warn(result.get("warnings", ()))
