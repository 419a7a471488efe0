"""The limit of a search: the function behind the name ``guesses``."""

from evosdc.model.limit import Judgement
from evosdc.model.limit import Limit as SearchLimit
from evosdc_limit.objective import COUNTED, LOSSES

# Measures of what an intruder guesses, and what the limit calls them
GUESSES = {"best-guess": "guess", "guess-gain": "guess-gain"}
LINES = 11  # supporting lines of a search's limit: enough for a picture
COMPLETE = 1e-3  # greatest gap of a reported bound: one that was stopped early says little


def guesses_limit(judgement: Judgement, seconds: float) -> SearchLimit | None:
    """Return the limit of the measures of a search; None where they have none, or time is too short."""
    # IL has to be the mean of some of `dbil`, `ctbil` and `ebil`, with `ctbil-across` or without, and DR made of one of
    # `best-guess` and `guess-gain` with linkages or without, over all protected attributes, all of them categorical.
    # Linkages and `ctbil-across` count as 0.
    how, schema = judgement.aggregation, judgement.original.schema
    guesses = [name for name in how.disclosure if name in GUESSES]
    judging = {*how.il, *how.disclosure}
    if schema.numeric or len(judgement.original) == 0 or judging & judgement.partial:
        return None
    if (
        not set(how.il) & set(LOSSES)
        or not set(how.il) <= set(COUNTED)
        or len(guesses) != 1
        or len(how.disclosure) != 1
    ):
        return None
    if any(judgement.params.get(name, {}).get("by_hierarchy") for name in how.il):
        return None
    # Late: linear programs take a while to import, and the measures of most searches have no limit
    from evosdc_limit.bound import limit_of, value_at

    order = int(judgement.params.get("ctbil", {}).get("K", 2))
    # Where the greater risk counts, DR is at least the guess; in a mean with a linkage of 0 it is half of it.
    halved = bool(how.linkage) and how.risks == "mean"
    found = limit_of(
        judgement.original,
        GUESSES[guesses[0]],
        losses=how.il,
        linkage=halved,
        lines=LINES,
        order=order,
        seconds=seconds,
    )
    if found.gap > COMPLETE:
        return None
    least = {"max": found.max, "mean": value_at(found.lines, 0.5)}
    return SearchLimit(least, found.curve, how.il, (*how.disclosure, *how.linkage), schema.names)
