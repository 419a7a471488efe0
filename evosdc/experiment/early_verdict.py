"""The verdict on the best file while a search goes on: where it would be no, the search keeps to tighter bounds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from evosdc.assess.intruder import bound_of
from evosdc.assess.judge import second_opinions
from evosdc.assess.three_risks import MOST_EXCESS, TAIL, inferred, three_risks
from evosdc.engine.archive import Archive
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import SearchState, attained, search
from evosdc.engine.statistics import best_of
from evosdc.engine.stop import Stop
from evosdc.experiment.assembly import Assembly, assembled_like
from evosdc.experiment.experiment import TighterBounds
from evosdc.experiment.opinion import members_opinion, plan_of, wanted
from evosdc.experiment.preparation import write_repetition
from evosdc.experiment.problem import aims_among
from evosdc.experiment.reader import experiment_of
from evosdc.experiment.recorder import Recorder
from evosdc.experiment.release import found_in
from evosdc.experiment.start import StartingFile
from evosdc.experiment.summaries import portfolio_summary
from evosdc.experiment.time_budget import TimeGiven
from evosdc.experiment.workers import redirected
from evosdc.model import Individual
from evosdc.model.constraint import Constraint
from evosdc.runs.layout import RESOLVED, RunFolder
from evosdc.secret import judging_seed
from evosdc.table.schema import Role
from evosdc.table.table import Table, assign_known
from evosdc.tuning.tuner import LARGE

AT_THE_END = 1.0

CHECKED = (0.6, 0.6, 0.6, 0.6, AT_THE_END)
"""Shares of the search's remaining time after which its best file is judged; at the end where one was accepted."""

WITH_MEMBERS = 2
"""Times that judges by members and others are run, at most: they take longer than all others."""

SHORT = 0.2
"""Share of the remaining time that a verdict before the end takes at most."""

LEAST_LEFT = 1.0
"""Seconds of search without which tighter bounds are of no use."""

SPARE = 0.99
"""Share of a bound that the search has to keep, so that the verdict finds the bound kept."""

QUANTILES = 5
"""Classes of a sensitive number that a learner guesses (`members-inference`)."""

LESS_LEARNED = 0.5
"""Share of the linkage to which a search goes, at most, where a learner guesses too much.

An excess goes with the linkage by displacements: of six files of `carData`'s Chile that linkage was 38, 23, 9.2, 6.9,
1.6 and 0.9 per cent, and the excess 24.5, 13.0, 5.9, 5.8, 0.8 and 1.4 points. A seventh, of table swapping, does not
fit: 1.2 per cent and 5.2 points.
"""


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
    found = found_in(assembly, whole, masked, {}, scores)
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
        shares.append(min(LESS_LEARNED, MOST_EXCESS / max(inference.mean or 0.0, MOST_EXCESS)))
    if singling.kept is False:
        share = singling.bound / max(singling.worst or 0.0, singling.mean or 0.0)
        margins = {one.figure_name: one.bound * (1.0 - SPARE * share) for one in listed if one.name in tails}
        shares += [] if margins else [share]
    aims = [Constraint.parse(text).name for text in aims_among(experiment.constraints, registry, experiment.goal)]
    linking = [one for one in listed if one.name in (*aims, *followed) and one.name not in tails]
    # The verdict may look in a direction that the search doesn't follow: what counts is how far the followed ones went.
    reached = max((scores.get(one.name, 0.0) for one in linking), default=0.0) or bound
    most = min(shares) * min(bound, found.percent, reached) if min(shares) < 1.0 else bound
    beyond = [line.risk.lower() for line in lines if line.kept is False]
    if members is not None and inferred(members) is None:
        learned = linkage_to_learn(whole)
        if any(scores.get(one.name, 0.0) > learned for one in linking):
            most, beyond = min(most, learned), [*beyond, "inference not checked"]
    if most < bound:
        margins |= {one.figure_name: one.bound - SPARE * most for one in linking if one.bound > SPARE * most}
    return margins, ", ".join(beyond)


def linkage_to_learn(table: Table) -> float:
    """Return the per cent of people linked that discloses sensitive values of `MOST_EXCESS` per cent."""
    # Who is linked rightly discloses the value; of others the commonest one is guessed. In Chile's file, whose
    # commonest vote is that of 35 %, the excess was that part of the linkage by displacements (`LESS_LEARNED`).
    commonest = [1.0]
    for name in table.schema.with_role(Role.SENSITIVE):
        codes = table.column(name).astype(np.int64) if table.schema[name].categorical else np.arange(QUANTILES)
        counts = np.bincount(codes[codes >= 0], minlength=1)
        commonest.append(float(counts.max() / max(counts.sum(), 1)))
    return MOST_EXCESS / max(1.0 - min(commonest), 1e-9)


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


def evolved(
    recorder: Recorder,
    state: SearchState,
    files: Sequence[StartingFile],
    dispatch: Dispatch | None,
    limit: float | None,
    given: TimeGiven,
) -> tuple[SearchState, str]:
    """Search; where an early verdict is no, continue within tighter bounds."""

    def until(stop: Stop) -> tuple[SearchState, str]:
        assembly = recorder.assembly
        evaluator = Evaluator(assembly.problem, dispatch, limit, assembly.experiment.on_error.rule)
        evaluator.remember([*state.population, *state.front])
        return search(assembly.algorithm, evaluator, assembly.problem.streams, stop, state, recorder)

    folder, stop = recorder.folder, recorder.assembly.stop
    bounds = experiment_of(folder).tighter
    for place, one in enumerate(bounds):  # of a run that is repeated or resumed
        if state.progress.generation < one.after:
            state, reason = until(replace(stop, generations=one.after))
            if state.progress.generation < one.after:
                return state, reason
        recorder.assembly = within(recorder.assembly, bounds[: place + 1])
        dispatch = redirected(dispatch, recorder.assembly)
        if state.progress.generation == one.after:
            state = rejudged(recorder.assembly, state)
    timed = given.seconds is not None and stop.seconds is not None
    accepted: tuple[SearchState, Assembly] | None = None
    cost = 0.0  # seconds that the verdict on a file took
    experiment = recorder.assembly.experiment
    for place, share in enumerate(CHECKED if timed and not bounds and judgeable(recorder.assembly) else ()):
        assert given.seconds is not None, "only a run with a time is judged early"
        assert stop.seconds is not None, "the search of a run with a time has one"
        left = stop.seconds - state.progress.seconds
        last = share == AT_THE_END
        if accepted is None if last else cost > SHORT * left:
            continue
        early = replace(stop, seconds=stop.seconds - max((1.0 - share) * left, cost))
        state, reason = until(early)
        if reason != early.time_over:
            return state, reason
        left = stop.seconds - state.progress.seconds
        if last and accepted is not None and not state.best.feasible:
            return _back(recorder, *accepted, "no file keeps the tighter bounds"), stop.time_over or reason
        if not state.best.feasible or (left < LEAST_LEFT and not last):
            continue
        began = monotonic()
        end = began + max(0.5 * left, cost)

        def rest(end: float = end) -> float:
            return end - monotonic()

        members = recorder.members
        if members is None and place < WITH_MEMBERS and wanted(experiment, folder, given.seconds):
            plan = plan_of(folder, portfolio_summary(files, folder).best)
            members = members_opinion(recorder.assembly, plan, state.progress.generation, rest)
        judging = monotonic() - began
        masked = recorder.assembly.problem.decode(state.best.genome, state.best.key)
        margins, words = margins_wanted(recorder.assembly, masked, state.best.scores, members, rest)
        cost = 1.5 * (monotonic() - began - judging)
        if last:
            assert accepted is not None, "at the end only what may be replaced is judged"
            return (_back(recorder, *accepted, words) if margins else state), stop.time_over or reason
        seconds = state.progress.seconds + monotonic() - began
        state = replace(state, progress=replace(state.progress, seconds=seconds))
        if not margins:
            if recorder.members is None and inferred(members) is not None:
                # These judges do not run again, so that the search has their time.
                recorder.members, stop = members, replace(stop, seconds=stop.seconds + judging)
                recorder.assembly = replace(recorder.assembly, stop=stop)
            accepted = state, recorder.assembly
            continue
        recorder.display.message(f"the verdict would be no ({words}): the search goes on within tighter bounds")
        bounds = (*bounds, TighterBounds(after=state.progress.generation, margins=margins))
        recorder.assembly = within(recorder.assembly, bounds)
        dispatch = redirected(dispatch, recorder.assembly)
        recorder.state = state = rejudged(recorder.assembly, state)
        recorder.save()
        _keep_bounds(folder, recorder.assembly, bounds)
    return until(stop)


def _keep_bounds(folder: RunFolder, assembly: Assembly, bounds: Sequence[TighterBounds]) -> None:
    folder.write_json(RESOLVED, experiment_of(folder).model_copy(update={"tighter": tuple(bounds)}).to_json())
    write_repetition(folder, assembly, None, None)


def _back(recorder: Recorder, state: SearchState, assembly: Assembly, words: str) -> SearchState:
    """Return to the last state whose best file the verdict accepts: the run is as if its search had ended there."""
    generation = state.progress.generation
    text = f"the verdict on the last file would be no ({words}): that of generation {generation} is kept"
    recorder.display.message(text)
    recorder.assembly = assembly
    recorder.return_to(state)
    _keep_bounds(recorder.folder, assembly, assembly.experiment.tighter)
    return state
