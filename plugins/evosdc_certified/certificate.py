"""What the guarantee of a certified file means, in plain words: the verdict of a proof."""

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from typing import Any

from evosdc_certified.tables import Budget, PrivateTables

PUBLIC = 0.75
RESEARCHERS = 0.95  # the surest guess that a file for anybody, and one for researchers under contract, may allow


def total_variation(budget: Budget) -> float:
    """Return how much likelier any event is at most with a unit in the data than without it, 0..1."""
    # The least of two bounds on the total variation distance of what is published with and without it: that of
    # (epsilon, delta), and by Pinsker's inequality that of rho, which bounds the Kullback-Leibler divergence.
    growth = exp(budget.epsilon)
    by_epsilon = (growth - 1.0 + 2.0 * budget.delta) / (growth + 1.0)
    return min(by_epsilon, sqrt(budget.rho / 2.0), 1.0)


def surest_guess(budget: Budget) -> float:
    """Return the greatest probability of a right guess whether a unit is in the file, from even odds."""
    return 0.5 + 0.5 * total_variation(budget)


def public_sentences(tables: PrivateTables) -> list[str]:
    """Return the facts assumed public; they cost nothing."""
    domain = tables.domain
    said = [f"The attributes and their order: {', '.join(domain.names)}."]
    listed = [c.name for c in domain.columns if c.labels]
    if listed:
        said.append(f"The categories that the schema lists: of {', '.join(listed)}.")
    for column in domain.columns:
        if column.edges:
            low, high = (end / 10**column.decimals for end in (column.edges[0], column.edges[-1] - 1))
            said.append(f"The bounds of {column.name}: {low:g} to {high:g}. Numbers beyond count as the bound.")
    if domain.texts:
        said.append(f"Rules of records: {'; '.join(domain.texts)}.")
    said.append(f"delta: {tables.budget.delta:g}; by default it tells the order of magnitude of the number of records.")
    if tables.budget.unit == "household":
        said.append(f"The greatest size of a household: {tables.budget.largest}.")
    return said


def verdict(tables: PrivateTables, opinion: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict as ``result.json`` has it; `opinion` is that of `evosdc_certified.judging.second_opinion`."""
    budget, guess = tables.budget, surest_guess(tables.budget)
    unit = "person" if budget.unit == "person" else f"household of up to {budget.largest} people"
    reasons = [
        f"Proof: epsilon {budget.epsilon:g}, delta {budget.delta:g}, for each {unit} added or removed.",
        f"Whatever an attacker knows and computes, a guess whether a {budget.unit} is in the data is right in at most "
        f"{100.0 * guess:.1f} % of the cases, where it is 50 % without the file.",
        "No record of the file belongs to anybody: it was evolved on noisy tables alone.",
    ]
    conditions = []
    if guess > PUBLIC:
        conditions.append(
            f"The proof is weak at epsilon {budget.epsilon:g}: give the file to researchers under contract."
        )
    conditions.append("Further files or tables of the same people add up: keep an account of every epsilon.")
    if opinion["holds"] is False:
        # A proof holds of a program without faults, and of records each of which is one person's.
        reasons.insert(
            0,
            f"{opinion['text']} Either several records are of one {budget.unit}, or the program has a fault: report "
            "it, and do not publish the file.",
        )
    publishable = guess <= RESEARCHERS and opinion["holds"] is not False
    headline = "not publishable" if not publishable else "publishable" + " on conditions" * (guess > PUBLIC)
    return {
        "publishable": publishable,
        "headline": headline,
        "reasons": reasons,
        "conditions": conditions,
        "people_found": 0.0,
        "audience": "public" if guess <= PUBLIC else "researchers",
        "surest_guess": guess,
    }


def account(tables: PrivateTables) -> Sequence[dict[str, Any]]:
    """Return the price of each measurement, and the noise where it is a table."""
    sigmas = {" x ".join(tables.domain.names[c] for c in t.columns): t.sigma for t in tables.tables}
    return [{"what": p.what, "rho": p.rho, "sigma": sigmas.get(p.what)} for p in tables.payments]
