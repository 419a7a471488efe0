"""What the figures of a run mean, and what to bear in mind."""

import math

from evosdc.report.standings import Standing, Standings
from evosdc.report.wording import number
from evosdc.runs.reader import RecordedRun


def meanings(run: RecordedRun, stand: Standings) -> list[str]:
    """Return what the figures of a run mean, a paragraph an element."""
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
    """Return what a reader must bear in mind, a paragraph an element."""
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
