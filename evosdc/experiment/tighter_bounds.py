"""An early verdict on the best file of a search, and a further search within tighter bounds where it is refused.

A search follows what it can judge in microseconds. The verdict asks more: both directions of each attack, the people
worst off, and what a learner guesses of people in the file beyond others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evosdc.assess.intruder import bound_of
from evosdc.assess.judge import second_opinions
from evosdc.assess.three_risks import TAIL, three_risks
from evosdc.engine.archive import Archive
from evosdc.engine.loop import SearchState, attained
from evosdc.engine.statistics import best_of
from evosdc.experiment.assembly import Assembly, assembled_like
from evosdc.experiment.default_constraints import aims_among
from evosdc.experiment.experiment import TighterBounds
from evosdc.experiment.release import found_in
from evosdc.model import Individual
from evosdc.model.constraint import Constraint
from evosdc.secret import judging_seed
from evosdc.table.role_assignment import assign_known
from evosdc.table.schema import Role
from evosdc.table.table import Table
from evosdc.tuning.tuner import LARGE

CHECKED = (0.6, 0.6)
"""Shares of the search's remaining time after which its best file is judged; again only where it was refused."""

LEAST_LEFT = 1.0
"""Seconds of search without which tighter bounds are of no use."""

SPARE = 0.99
"""Share of a bound that the search has to keep, so that the verdict finds the bound kept."""

LESS_LEARNED = 0.7
"""Share of the linkage to which a search goes where a learner guesses too much: an excess goes about with linkage."""


def judgeable(assembly: Assembly) -> bool:
    """Whether the best file of a search can be judged before its end: it has a goal, and a genome is one file.

    In a large file that takes as long as much of the search.
    """
    small = len(assembly.source.table) < LARGE
    return small and assembly.experiment.goal is not None and assembly.problem.single


def margins_wanted(
    assembly: Assembly,
    masked: Table,
    scores: Mapping[str, float],
    members: Mapping[str, Any] | None,
    until: Callable[[], float | None] = lambda: None,
) -> tuple[dict[str, float], str]:
    """Return by figure how far a search has to stay from its bounds to be publishable, and which risks are beyond.

    Nothing where the verdict would accept what was found; `members` is what judges by members and others say, `until`
    returns the seconds that are left.
    """
    registry, experiment, protect = assembly.registry, assembly.experiment, assembly.microdata.protect
    whole = assembly.source.table
    listed = [one for one in assembly.problem.constraints.listed if one.operator == "<="]
    found = found_in(assembly, whole, masked, None, scores)
    if found is None:
        return {}, ""
    bound, _ = bound_of(list(map(str, listed)), found.measure, registry, experiment.accepted)
    followed = registry.defaults("measure", "followed")
    judges: Mapping[str, Any] = second_opinions(
        assign_known(whole, protect), {"": assembly.source.published(masked)}, protect, registry=registry,
        judges=followed, seed=judging_seed(assembly.seed), in_order=False, until=until,
    )[""].to_json()["judges"]  # fmt: skip
    tails = {name: one for name, one in judges.items() if one["family"] == TAIL}
    lines = three_risks(found.to_json(), bound, "", tails, members, bool(whole.schema.with_role(Role.SENSITIVE)))
    singling, linkability, inference = lines
    shares, margins = [1.0], dict[str, float]()
    if linkability.kept is False:
        shares += [bound / max(found.percent, 1e-9), linkability.worst_bound / max(linkability.worst or 0.0, 1.0)]
    if inference.kept is False:
        shares.append(LESS_LEARNED)
    if singling.kept is False:
        share = singling.bound / max(singling.worst or 0.0, singling.mean or 0.0)
        margins = {one.figure_name: one.bound * (1.0 - SPARE * share) for one in listed if one.name in tails}
        shares += [] if margins else [share]
    if min(shares) < 1.0:
        aims = [Constraint.parse(text).name for text in aims_among(experiment.constraints, registry, experiment.goal)]
        linking = [one for one in listed if one.name in (*aims, *followed) and one.name not in tails]
        most = SPARE * min(shares) * min(bound, found.percent)
        margins |= {one.figure_name: one.bound - most for one in linking if one.bound > most}
    return margins, ", ".join(line.risk.lower() for line in lines if line.kept is False)


def within(assembly: Assembly, bounds: Sequence[TighterBounds]) -> Assembly:
    """Return an assembly whose search keeps to the last of some bounds."""
    if assembly.experiment.tighter == tuple(bounds):
        return assembly
    other = assembled_like(assembly, assembly.experiment.model_copy(update={"tighter": tuple(bounds)}))
    return replace(other, plan=assembly.plan, stop=assembly.stop)


def rejudged(assembly: Assembly, state: SearchState) -> SearchState:
    """Return the state from which a search continues within other bounds: the best is then one that keeps these."""
    problem = assembly.problem

    def judged(one: Individual) -> Individual:
        if one.failed:
            return one
        scores, objectives = problem.judge({name: one.scores[name] for name in problem.measures}, one.genome)
        return Individual(one.genome, one.key, scores, objectives, one.origin)

    known = {one.key: judged(one) for one in (state.best, *state.population, *state.front)}
    members, best = [known[one.key] for one in state.population], best_of(list(known.values()))
    if all(one.key != best.key for one in members):
        members[max(range(len(members)), key=lambda slot: members[slot].precedence)] = best
    front = Archive(list(known.values()))
    progress = replace(state.progress, stalled=0, best=attained(best), volume=None, settled=0)
    return SearchState(state.population.following(members), best, front.individuals, progress, front.passed)
