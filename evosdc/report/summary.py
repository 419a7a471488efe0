"""The plain words on top of a run: what was protected, where it stands, what the numbers mean, what to bear in mind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from evosdc.report.comparison import spent
from evosdc.report.folders import RunFolder
from evosdc.report.standings import Standing, Standings
from evosdc.report.wording import FITNESSES, STATES, count, duration, listing, number, plural, quoted


def protected_attributes(run: RunFolder) -> list[str]:
    """Return the protected attributes by name: as the result has them, or the experiment, or the frequencies."""
    data = run.resolved.get("data")
    listed = data.get("protect") if isinstance(data, dict) else None
    for names in (run.result.get("protect"), listed, list(run.frequencies)):
        if isinstance(names, list | tuple) and names:
            return [str(name) for name in names]
    return []


def sentences(run: RunFolder, stand: Standings) -> list[str]:
    """Return the summary of a run, a paragraph an element, without mark-up."""
    return [text for text in (_protected(run), _searched(run, stand), _stands(run, stand), _dropped(run)) if text]


def notice(run: RunFolder) -> str:
    """Return a warning where a run is not complete, with what the run itself says; empty where it is."""
    if run.state == "done":
        return ""
    message = str(run.status.get("message") or "").strip()
    text = STATES.get(run.state, f"The state of the run is {quoted(run.state)}.")
    return f"{text} The run says: {message}" if message else text


def meanings(run: RunFolder, stand: Standings) -> list[str]:
    """Return what the figures of a run mean, a paragraph an element."""
    fitness = run.setting("fitness")
    texts: list[str] = []
    if stand.best is None:
        return texts
    if stand.has_map:
        texts.append(
            "IL, information loss, runs from 0 (the published file is as useful as the original) to 100 (nothing "
            "useful is left). DR, disclosure risk, runs from 0 (the simulated intruders learn nothing) to 100 (they "
            "find every respondent). Both are better when they are small, and each is bought with the other."
        )
    if stand.objectives > 1:
        texts.append(
            f"The fitness {fitness} has {stand.objectives} objectives that are not combined; no file of the front is "
            "better than another in all of them. Where this page ranks files, it does so by "
            f"{'the mean of IL and DR' if stand.has_map else 'the first objective'}, called the score."
        )
    else:
        meaning = FITNESSES.get(fitness, f"what the fitness {fitness or 'in use'} computes from the measures")
        texts.append(f"The score is the fitness that the search made small: {meaning}. Less is better.")
    return texts


def caveats(run: RunFolder, stand: Standings) -> list[str]:
    """Return what a reader must bear in mind, a paragraph an element."""
    texts = []
    if stand.has_map:
        if stand.identity:
            texts.append(
                "The unprotected original need not have DR 100: where records are alike, an intruder can only guess "
                f"between them. In this run it has IL {number(stand.identity.il)} and DR {number(stand.identity.dr)}, "
                f"so the score to beat is {number(stand.identity.score)}, not 50."
            )
        texts.append(
            "DR is the risk under the attacks listed among the measures, by an intruder who knows the protected "
            "attributes. It bounds no other attack, and attributes that were not protected are published as they were."
        )
        texts.append(
            "How the measures are combined into IL and DR (a mean; of the record linkages the most successful one, "
            "unless set otherwise) is a reconstruction: the published sources do not print their weights."
        )
    texts.append(
        "Some methods, measures and operators fill gaps of the papers that they come from. Their documentation calls "
        "them reconstructions; figures that rest on them need not equal those in print."
    )
    texts.append(
        "The search is random: the same seed gives the same result, another seed another one. Scores can be compared "
        "between runs on the same file, attributes, measures and rule for missing values only."
    )
    if run.frequencies:
        texts.append(
            "This page shows no record, but the exact counts of categories in the original. Keep it as confidential as "
            "such counts are; it is made to be filed, not to be published."
        )
    return texts


def key_figures(stand: Standings) -> list[dict[str, Any]]:
    """Return the three files to compare, each with name, label, figures by heading, and whether it is the best."""
    named = (
        ("Unprotected original", stand.identity),
        ("Best portfolio file", stand.portfolio),
        ("Best file found", stand.best),
        ("The file that was written", stand.published),
    )
    return [
        {
            "name": name,
            # A label that says no more than the name is left out.
            "label": standing.label if name == "Best portfolio file" else "",
            "figures": _figures(standing),
            "best": standing is stand.best,
        }
        for name, standing in named
        if standing is not None
    ]


def _figures(standing: Standing) -> list[tuple[str, str]]:
    rows = [("score", number(standing.score))]
    rows += [
        (name, number(value)) for name, value in (("IL", standing.il), ("DR", standing.dr)) if math.isfinite(value)
    ]
    return rows


def _protected(run: RunFolder) -> str:
    names = protected_attributes(run)
    records = run.result.get("records")
    source = run.setting("data") or run.setting("data", "file")
    whose = f" of {source}" if source else ""
    if not names:
        return f"The file{whose} was protected." if source else ""
    size = f", in a file of {plural(records, 'record')}" if isinstance(records, int) else ""
    which = "attribute" if len(names) == 1 else "attributes"
    verb = "was" if len(names) == 1 else "were"
    return f"The {which} {listing(names)}{whose} {verb} protected{size}."


def _searched(run: RunFolder, stand: Standings) -> str:
    if not spent(run, "evaluations") > 0:
        return ""
    words = [
        f"The search evaluated {plural(spent(run, 'evaluations'), 'file')} in "
        f"{plural(spent(run, 'generations'), 'generation')} and {duration(spent(run, 'seconds'))}"
    ]
    if stand.size:
        words.append(f", starting from a portfolio of {plural(stand.size, 'file')} made with known methods")
    reason = run.result.get("stopped")
    return "".join(words) + (f". It ended because: {str(reason).rstrip('.')}." if reason else ".")


def _stands(run: RunFolder, stand: Standings) -> str:
    if stand.best is None:
        return "The search has not written its files yet." if run.journal else "No file has been evaluated yet."
    best = stand.best
    pair = f" (IL {number(best.il)}, DR {number(best.dr)})" if stand.has_map else ""
    text = f"The best file {'found' if run.state == 'done' else 'so far'} has a score of {number(best.score)}{pair}"
    others = []
    if stand.portfolio:
        known = quoted(stand.portfolio.label)
        others.append(f"{number(stand.portfolio.score)} for the best portfolio file, {known},")
    if stand.identity:
        others.append(f"{number(stand.identity.score)} for the unprotected original")
    text += f", against {listing(others).rstrip(',')}." if others else "."
    return " ".join(part for part in (text, improvement_text(stand), _published(stand)) if part)


def _published(stand: Standings) -> str:
    if stand.published is None:
        return ""
    pair = f" (IL {number(stand.published.il)}, DR {number(stand.published.dr)})" if stand.has_map else ""
    return f"Mind that the file that the run wrote is another one, that with the least first objective{pair}."


def improvement_text(stand: Standings) -> str:
    """Return in a sentence how the best file compares with the best of the portfolio; empty where there is none."""
    gain = stand.improvement
    if stand.portfolio is None or not math.isfinite(gain):
        return ""
    if gain <= 0:
        return "Nothing better than the best portfolio file was found."
    base = stand.portfolio.score
    share = f", or {number(100 * gain / base, 1)} %," if base > 0 else ""
    return f"That is {number(gain)} points{share} less than the best portfolio file; less is better."


def _dropped(run: RunFolder) -> str:
    dropped: Sequence[Any] = run.result.get("dropped_identifiers") or ()
    if not dropped:
        return ""
    names = listing([str(name) for name in dropped])
    noun = "attribute is" if len(dropped) == 1 else "attributes are"
    return f"{count(len(dropped))} identifying {noun} left out of the published file: {names}."
