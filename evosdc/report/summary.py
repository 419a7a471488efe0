"""The plain words on top of a run: what was protected, and where it stands."""

import math
from collections.abc import Mapping
from typing import Any

from evosdc.report.comparison import spent
from evosdc.report.frames import mapping
from evosdc.report.standings import Standing, Standings
from evosdc.report.verdicts import changed_text, gain_text
from evosdc.report.wording import STATES, count, duration, listing, number, plural, quoted
from evosdc.runs.reader import RecordedRun


def protected_attributes(run: RecordedRun) -> list[str]:
    """Return the protected attributes by name: as the result has them, or the experiment, or the frequencies."""
    data = run.resolved.get("data")
    listed = data.get("protect") if isinstance(data, dict) else None
    for names in (run.result.protect, listed, list(run.frequencies)):
        if isinstance(names, list | tuple) and names:
            return [str(name) for name in names]
    return []


def sentences(run: RecordedRun, stand: Standings) -> list[str]:
    """Return the summary of a run, a paragraph an element, without mark-up."""
    texts = (
        _protected(run),
        _searched(run, stand),
        _stands(run, stand),
        _chosen(run, stand),
        _explained(run),
        _limited(stand),
        _constraints(run),
        _fronts(run, stand),
        changed_text(run),
        _dropped(run),
    )
    return [text for text in texts if text]


def notice(run: RecordedRun) -> str:
    """Return a warning where a run is not complete, with what the run itself says; empty where it is."""
    if run.phase == "done":
        return ""
    message = run.told(run.status.get("message"))
    text = STATES.get(run.phase, f"The state of the run is {quoted(run.phase)}.")
    return f"{text} The run says: {message}" if message else text


def key_figures(stand: Standings) -> list[dict[str, Any]]:
    """Return the three files to compare, each with name, label, figures by heading, and whether it is the best."""
    named = (
        ("Unprotected original", stand.identity),
        (_known(stand), stand.portfolio),
        ("Best file found", stand.best),
        ("The file that was written", stand.published),
    )
    return [
        {
            "name": name,
            # A label that says no more than the name is left out.
            "label": standing.label if standing is stand.portfolio else "",
            "figures": _figures(standing, stand),
            "best": standing is stand.best,
        }
        for name, standing in named
        if standing is not None
    ]


def _known(stand: Standings) -> str:
    return "Tuned classical method" if stand.tuned else "Best portfolio file"


def _figures(standing: Standing, stand: Standings) -> list[tuple[str, str]]:
    rows = [("score", number(standing.score))]
    rows += [
        (name, number(value)) for name, value in (("IL", standing.il), ("DR", standing.dr)) if math.isfinite(value)
    ]
    above = stand.above(standing)
    if math.isfinite(above) and standing is not stand.identity:
        rows.append(("above limit", f"{number(above, 1)} %"))
    return rows


def _limited(stand: Standings) -> str:
    """Return how far files are above the limit; empty where the measures have none."""
    if not stand.limit > 0.0 or stand.best is None:
        return ""
    text = (
        f"No masked file can have a score below {number(stand.limit)} by these measures, whatever the method; the best "
        f"file lies {number(stand.above(stand.best), 1)} % above that limit"
    )
    if stand.portfolio is not None:
        text += f", {stand.rival} {number(stand.above(stand.portfolio), 1)} %"
    return f"{text}."


def _protected(run: RecordedRun) -> str:
    names = protected_attributes(run)
    records = run.result.records
    source = run.source
    whose = f" of {source}" if source else ""
    if not names:
        return f"The file{whose} was protected." if source else ""
    size = f", in a file of {plural(records, 'record')}" if records else ""
    which = "attribute" if len(names) == 1 else "attributes"
    verb = "was" if len(names) == 1 else "were"
    return f"The {which} {listing(names)}{whose} {verb} protected{size}."


def _searched(run: RecordedRun, stand: Standings) -> str:
    if not spent(run, "evaluations") > 0:
        return ""
    words = [
        f"The search evaluated {plural(spent(run, 'evaluations'), 'file')} in "
        f"{plural(spent(run, 'generations'), 'generation')} and {duration(spent(run, 'seconds'))}"
    ]
    if stand.size:
        words.append(f", starting from a portfolio of {plural(stand.size, 'file')} made with known methods")
    tuned = mapping(run.result.portfolio.tuned)
    tried = tuned.get("evaluations")
    if stand.size and isinstance(tried, int):
        words.append(f" that had been tuned for this score on {plural(tried, 'file')}")
    evidence = run.told(tuned.get("evidence"))
    reason = run.told(run.result.stopped)
    over = reason.endswith(" seconds")  # of the run as a whole, of which the search is a part
    because = f"since the {reason} given for all of it were over" if over else f"because: {reason.rstrip('.')}"
    ended = f". It ended {because}." if reason else "."
    return "".join(words) + ended + (f" {evidence}" if evidence else "")


def _stands(run: RecordedRun, stand: Standings) -> str:
    if stand.best is None:
        return "The search has not written its files yet." if run.journal else "No file has been evaluated yet."
    best = stand.best
    pair = f" (IL {number(best.il)}, DR {number(best.dr)})" if stand.has_map else ""
    text = f"The best file {'found' if run.phase == 'done' else 'so far'} has a score of {number(best.score)}{pair}"
    others = []
    if stand.portfolio:
        known = quoted(stand.portfolio.label)
        others.append(f"{number(stand.portfolio.score)} for {stand.rival}, {known},")
    if stand.identity:
        others.append(f"{number(stand.identity.score)} for the unprotected original")
    text += f", against {listing(others).rstrip(',')}." if others else "."
    return " ".join(part for part in (text, gain_text(stand), _published(run, stand)) if part)


def _explained(run: RecordedRun) -> str:
    """Return what a file costs that can be explained, where a plan was evolved first."""
    return run.told(mapping(run.result.recipe).get("words"))


def _constraints(run: RecordedRun) -> str:
    """Return which constraints the written file fulfils."""
    # What is required of the verdict stands with the verdict.
    judged = [one for one in (entry.model_dump() for entry in run.result.requirements) if "verdict" not in one]
    held = [_constraint(entry) for entry in judged if entry.get("met")]
    broken = [_constraint(entry) for entry in judged if not entry.get("met")]
    texts = []
    if held:
        every = "Every constraint holds" if not broken else "These constraints hold"
        texts.append(f"{every} in the file that was written: {listing(held)}.")
    if broken:
        texts.append(f"The file that was written breaks {listing(broken)}.")
    return " ".join(texts)


def _constraint(entry: Mapping[str, Any]) -> str:
    value = entry.get("value")
    figure = number(value) if isinstance(value, int | float) else "unknown"
    return f"{entry.get('words', entry.get('requirement'))} (it is {figure})"


def _fronts(run: RecordedRun, stand: Standings) -> str:
    """Return how the front that was found compares with that of the portfolio; for several objectives only."""
    volumes = mapping(run.result.hypervolume)
    found, known = volumes.get("front"), volumes.get("portfolio")
    if stand.objectives < 2 or not isinstance(found, int | float) or not isinstance(known, int | float):
        return ""
    reference, own = number(volumes.get("reference"), 0), number(known)
    verdict = "more than" if found > known else "no more than"
    return (
        f"The front that was found dominates {number(found)} % of the space up to the reference point, which has "
        f"{reference} in every objective: {verdict} the front of the portfolio alone, which dominates {own} %."
    )


def _chosen(run: RecordedRun, stand: Standings) -> str:
    """Return which member of the front was written, where the experiment says which one; empty where it does not."""
    told = run.result.chosen
    if not told:
        return ""
    file = stand.published or stand.best
    pair = f" (IL {number(file.il)}, DR {number(file.dr)})" if file is not None and stand.has_map else ""
    return f"The file that was written is {run.told(told.get('words'))}{pair}; it is member {told.get('member')}."


def _published(run: RecordedRun, stand: Standings) -> str:
    if stand.published is None or run.result.chosen:
        return ""
    pair = f" (IL {number(stand.published.il)}, DR {number(stand.published.dr)})" if stand.has_map else ""
    return f"Mind that the file that the run wrote is another one, which the algorithm chose{pair}."


def _dropped(run: RecordedRun) -> str:
    dropped = run.result.dropped_identifiers
    if not dropped:
        return ""
    names = listing(dropped)
    noun = "attribute is" if len(dropped) == 1 else "attributes are"
    return f"{count(len(dropped))} identifying {noun} left out of the published file: {names}."
