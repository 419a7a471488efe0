"""The summary of a run at the top of its page: what was protected, and its state."""

import math
from collections.abc import Mapping
from typing import Any

from evosdc.report.frames import mapping, protected_attributes, spent
from evosdc.report.standings import BROKEN, MISSED, Standing, Standings
from evosdc.report.wording import STATES, count, duration, listing, number, percent, plural, quoted
from evosdc.runs.reader import RecordedRun


def sentences(run: RecordedRun, stand: Standings) -> list[str]:
    """Return the summary of a run, a paragraph an element, without mark-up."""
    texts = (
        _protected(run),
        _searched(run, stand),
        _stands(run, stand),
        _chosen(run, stand),
        run.without_paths(mapping(run.result.recipe).get("words")),  # what a file costs that can be explained
        _limited(stand),
        _constraints(run),
        _fronts(run, stand),
        changed_text(run),
        _dropped(run),
    )
    return [text for text in texts if text]


def notice(run: RecordedRun) -> str:
    """Return a warning where a run is not complete, with its own message; empty where it is."""
    if run.phase == "done":
        return ""
    message = run.without_paths(run.status.get("message"))
    text = STATES.get(run.phase, f"The state of the run is {quoted(run.phase)}.")
    return f"{text} The run says: {message}" if message else text


def key_figures(stand: Standings) -> list[dict[str, Any]]:
    """Return the three files to compare, each with name, label, figures by heading, and whether it is the best."""
    named = (
        ("Unprotected original", stand.identity),
        ("Tuned classical file" if stand.tuned else "Best portfolio file", stand.portfolio),
        ("Best file found", stand.best),
        ("The file that was written", stand.published),
    )
    return [
        {
            "name": name,
            # A label that says no more than the name is left out.
            "label": "; ".join(
                filter(None, [standing.label * (standing is stand.portfolio), _outside(standing, stand)])
            ),
            "figures": _figures(standing, stand),
            "best": standing is stand.best,
        }
        for name, standing in named
        if standing is not None
    ]


def _outside(standing: Standing, stand: Standings) -> str:
    """Return in words that a file breaks bounds; those that the search tightened only where it is not the best."""
    further = stand.best is not None and standing.outside > stand.best.outside
    return BROKEN if standing.beyond else MISSED if further else ""


def _figures(standing: Standing, stand: Standings) -> list[tuple[str, str]]:
    both = [(name, number(value)) for name, value in (("IL", standing.il), ("DR", standing.dr)) if math.isfinite(value)]
    if stand.best is not None and stand.best.score == stand.best.il and standing.score == standing.il:
        rows = [("information lost, of 100 (less is better)", number(standing.il)), *both[1:]]
    else:
        rows = [("score (less is better)", number(standing.score)), *both]
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
    if stand.best is not None and run.resolved.get("tighter"):
        misses = ", which the best file misses" if stand.best.scores.get("tighter") else ""
        words.append(f". The verdict on an earlier file was no, so that it kept to tighter bounds{misses}")
    evidence = run.without_paths(tuned.get("evidence"))
    reason = run.without_paths(run.result.stopped)
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
        beyond = ", which breaks the bounds" if stand.identity.beyond else ""
        others.append(f"{number(stand.identity.score)} for the unprotected original{beyond}")
    text += f", against {listing(others).rstrip(',')}." if others else "."
    return " ".join(part for part in (text, gain_text(stand), _published(run, stand)) if part)


def _constraints(run: RecordedRun) -> str:
    """Return which constraints the written file fulfils."""
    # A requirement on the verdict stands with the verdict.
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
    choice = run.result.chosen
    if not choice:
        return ""
    file = stand.published or stand.best
    pair = f" (IL {number(file.il)}, DR {number(file.dr)})" if file is not None and stand.has_map else ""
    words = run.without_paths(choice.get("words"))
    return f"The file that was written is {words}{pair}; it is member {choice.get('member')}."


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


NOTHING_TO_SEE = 0.005  # A gain of less would be printed as 0.00
RELATIVE_NOISE = 1e-9


def gain_text(stand: Standings) -> str:
    """Return how the best file compares with the best of the portfolio and with the original; empty where unknown."""
    return " ".join(text for text in (_over_portfolio(stand), _over_original(stand)) if text)


def _over_portfolio(stand: Standings) -> str:
    gain = stand.improvement
    if stand.portfolio is None or not math.isfinite(gain):
        return ""
    if where := _outside(stand.portfolio, stand):
        return f"{stand.rival.capitalize()} is no rival: {where}."
    base = stand.portfolio.score
    if abs(gain) <= RELATIVE_NOISE * max(1.0, abs(base)):
        return f"Nothing was gained: no file better than {stand.rival} was found."
    if gain < 0:
        return f"Nothing was gained: the best file found is worse than {stand.rival}{_by(-gain)}."
    if gain < NOTHING_TO_SEE:
        return f"Next to nothing was gained: it is better than {stand.rival} by less than 0.01 points."
    percent = number(100 * gain / base, 1) if base > 0 else "0.0"
    share = f", or {percent} %," if percent != "0.0" else ""
    return f"That is {number(gain)} points{share} less than {stand.rival}; less is better."


def _over_original(stand: Standings) -> str:
    if stand.best is None or stand.identity is None or stand.identity.beyond:
        return ""
    lost = stand.best.score - stand.identity.score
    # Written so that an unknown score says nothing.
    if not lost >= -RELATIVE_NOISE * max(1.0, abs(stand.identity.score)):
        return ""
    worse = f"; it is worse{_by(lost)}" if lost >= NOTHING_TO_SEE else ""
    return f"The best file does not score better than the unprotected original{worse}."


def _by(points: float) -> str:
    return f" by {number(points)} points" if points >= NOTHING_TO_SEE else " by less than 0.01 points"


def changed_total(run: RecordedRun) -> tuple[float, float]:
    """Return how many protected cells differ from the original, and the share of all in percent; NaN where unknown."""
    changed, records = run.result.changed, run.result.records
    if not changed:
        return math.nan, math.nan
    cells = records * len(changed)
    total = sum(changed.values())
    return float(total), 100.0 * total / cells if cells else math.nan


def changed_text(run: RecordedRun) -> str:
    """Return in a sentence how many protected cells differ from the original; empty where the run does not tell."""
    changed, records = run.result.changed, run.result.records
    if not changed:
        return ""
    total, share = changed_total(run)
    if not total:
        return "No protected cell of the published file differs from the original: the file is not protected."
    each = listing([f"{name} {count(cells)}{_share(cells, records)}" for name, cells in changed.items()])
    size = f" of {plural(records * len(changed), 'protected cell')}" if records else " protected cells"
    whole = f" ({percent(share)})" if math.isfinite(share) else ""
    by = f": {each}." if len(changed) > 1 else f", all of {next(iter(changed))}."
    return f"In the published file, {count(total)}{size}{whole} differ from the original{by}{_untouched_text(run)}"


def _untouched_text(run: RecordedRun) -> str:
    """Return how many records have no value changed at all; empty where none has, or one column alone was masked."""
    records, alone = (run.result.untouched.get(key) for key in ("records", "alone"))
    if not records or alone is None or len(run.result.changed) < 2:
        return ""
    be, their = ("is", "its") if records == 1 else ("are", "their")
    text = f" {plural(records, 'record')} {be} published with all {their} protected values as in the original"
    were = "was" if alone == 1 else "were"
    return f"{text}; {count(alone)} of them {were} like no other one there." if alone else f"{text}."


def _share(cells: int, records: int) -> str:
    return f" ({percent(100.0 * cells / records)})" if records else ""


def meanings(run: RecordedRun, stand: Standings) -> list[str]:
    """Return the meaning of a run's figures, a paragraph an element."""
    fitness = run.option("fitness")
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
            "better than another in all of them. Where one has to be best, it is the balanced one: files are ranked "
            f"by {'the greater of IL and DR' if stand.has_map else 'the first objective'}, called the score."
        )
    else:
        usual = f"what the fitness {fitness or 'in use'} computes from the measures"
        meaning = run.environment.get("meaning") or usual
        texts.append(f"The score is the fitness that the search made small: {meaning}. Less is better.")
    return texts


def caveats(run: RecordedRun, stand: Standings) -> list[str]:
    """Return the caveats for readers, a paragraph an element."""
    texts = run.sentences("notes")
    if stand.has_map:
        if stand.identity:
            texts.append(_to_beat(stand.identity))
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
        "The search is random: the same key or seed gives the same result, another one another. Scores can be compared "
        "between runs on the same file, attributes, measures and rule for missing values only."
    )
    if run.frequencies:
        texts.append(
            "This page shows no record, but the exact counts of categories in the original, and a category that occurs "
            "once is nearly a record. Keep the page as confidential as the file; it is made to be filed, not published."
        )
    return texts


def _to_beat(identity: Standing) -> str:
    """Return where the unprotected original stands; that it is not where one expects it, only where it is not."""
    il, dr, score = (number(value) for value in (identity.il, identity.dr, identity.score))
    if dr == number(100.0):
        return f"The unprotected original has IL {il} and DR {dr} in this run, so the score to beat is {score}."
    averaged = math.isclose(identity.score, (identity.il + identity.dr) / 2)
    expected = ", not 50" if averaged and score != number(50.0) else ""
    return (
        "The unprotected original need not have DR 100: where records are alike, an intruder can only guess between "
        f"them. In this run it has IL {il} and DR {dr}, so the score to beat is {score}{expected}."
    )
