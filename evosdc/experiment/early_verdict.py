"""The verdict before the end: where it would be no, a search keeps to tighter bounds; and which columns would help."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
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
from evosdc.engine.problem import Problem
from evosdc.engine.statistics import best_of
from evosdc.engine.stop import Stop
from evosdc.errors import EvosdcError
from evosdc.experiment.assembly import Assembly, assembled_like
from evosdc.experiment.experiment import MaskingEntry, TighterBounds
from evosdc.experiment.opinion import plan_of, wanted
from evosdc.experiment.problem import aims_among
from evosdc.experiment.reader import experiment_of
from evosdc.experiment.recorder import Recorder
from evosdc.experiment.release import found_in
from evosdc.experiment.start import StartingFile, write_repetition
from evosdc.experiment.summaries import entries_of, portfolio_summary
from evosdc.experiment.time_budget import TimeGiven
from evosdc.experiment.trials import Trials
from evosdc.experiment.workers import redirected
from evosdc.model import Individual
from evosdc.model.individual import INFEASIBILITY
from evosdc.runs.layout import RESOLVED
from evosdc.secret import judging_seed
from evosdc.table.schema import Role, Scale
from evosdc.table.table import MISSING, Table, assign_known
from evosdc.tuning.tuner import LARGE

# Shares of the search's remaining time after which its best file is judged; at the end where one was accepted. The
# first is early: what a learner guesses depends on the start more than on the search, which then has all its time
# within the bounds that are needed.
AT_THE_END = 1.0
CHECKED = (0.1, 0.6, 0.6, 0.6, AT_THE_END)

FOR_MEMBERS = 0.4  # share of the remaining time that judges by members and others take at most
SHORT = 0.2  # share of the remaining time that a verdict before the end takes at most
LEAST_LEFT = 1.0  # seconds of search without which tighter bounds are of no use
SPARE = 0.99  # share of a bound that the search has to keep, so that the verdict finds the bound kept
QUANTILES = 5  # classes of a sensitive number that a learner guesses (`members-inference`)

# Share of the linkage to which a search goes, at most, where a learner guesses too much. An excess goes with the
# linkage by displacements: of six files of `carData`'s Chile that was 38, 23, 9.2, 6.9, 1.6 and 0.9 per cent, and the
# excess 24.5, 13.0, 5.9, 5.8, 0.8 and 1.4 points. A seventh, of table swapping, does not fit: 1.2 per cent and 5.2.
LESS_LEARNED = 0.5


def margins_wanted(
    assembly: Assembly,
    masked: Table,
    scores: Mapping[str, float],
    members: Mapping[str, Any] | None,  # what judges by members and others say
    until: Callable[[], float] = lambda: inf,  # returns the seconds that are left
) -> tuple[dict[str, float], str]:
    """Return by figure how far a search has to stay from its bounds to be publishable, and which risks are beyond."""
    # Nothing where the verdict would accept what was found.
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
    aims = aims_among(listed, registry)
    linking = [one for one in listed if (one in aims or one.name in followed) and one.name not in tails]
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


def judged_anew(problem: Problem, one: Individual) -> Individual:
    """Return an individual with infeasibility and objectives by the bounds of a problem."""
    if one.failed:
        return one
    scores, objectives = problem.judge({name: one.scores[name] for name in problem.measures}, one.genome)
    return Individual(one.genome, one.key, scores, objectives, one.origin)


def rejudged(assembly: Assembly, state: SearchState) -> SearchState:
    """Return the state from which a search continues within other bounds: the best is then one that keeps these."""
    problem = assembly.problem
    known = {one.key: judged_anew(problem, one) for one in (state.best, *state.population, *state.front)}
    members, best = [known[one.key] for one in state.population], best_of(list(known.values()))
    if all(one.key != best.key for one in members):
        members[max(range(len(members)), key=lambda slot: members[slot].precedence)] = best
    front = Archive(list(known.values()))
    progress = replace(state.progress, stalled=0, best=attained(best), volume=None, settled=0)
    return SearchState(state.population.following(members), best, front.individuals, progress, front.passed)


@dataclass
class JudgedSearch:
    """A search whose best file gets a verdict while it goes on, and that keeps to tighter bounds after a no."""

    recorder: Recorder
    state: SearchState
    files: Sequence[StartingFile]
    dispatch: Dispatch | None
    limit: float | None  # seconds of an evaluation
    given: TimeGiven
    # the last state whose best file the verdict accepts, its bounds, and the trials of its plan
    accepted: tuple[SearchState, Assembly, Trials | None] | None = None
    cost: float = 0.0  # seconds that the verdict on a file took

    def __post_init__(self) -> None:
        self.stop = self.recorder.assembly.stop
        self.bounds = experiment_of(self.recorder.folder).tighter

    def run(self) -> str:
        """Search to the end; return why it ended."""
        if (ended := self._repeated()) is not None:
            return ended
        assembly, timed = self.recorder.assembly, self.given.seconds < inf and self.stop.seconds is not None
        # Only a search with a goal whose genomes are one file each is judged. A large file would take much of its time.
        alone = assembly.experiment.goal is not None and assembly.problem.single
        if timed and not self.bounds and alone and len(assembly.source.table) < LARGE:
            for place, share in enumerate(CHECKED):
                if (ended := self._checked(place, share)) is not None:
                    return ended
        return self._until(self.stop)

    def _until(self, stop: Stop) -> str:
        """Search on until a rule ends it; return why it ended."""
        assembly, state = self.recorder.assembly, self.state
        evaluator = Evaluator(assembly.problem, self.dispatch, self.limit, assembly.experiment.on_error.rule)
        evaluator.remember([*state.population, *state.front])
        streams = assembly.problem.streams
        self.state, reason = search(assembly.algorithm, evaluator, streams, stop, state, self.recorder)
        return reason

    def _keep_to(self, bounds: Sequence[TighterBounds]) -> None:
        """Have the search keep to the last of some bounds from now on."""
        self.recorder.assembly = within(self.recorder.assembly, bounds)
        self.dispatch = redirected(self.dispatch, self.recorder.assembly)

    def _repeated(self) -> str | None:
        """Search as a run did that is repeated or resumed, up to its last bounds; return why it ended before these."""
        for place, one in enumerate(self.bounds, 1):
            if self.state.progress.generation < one.after:
                reason = self._until(replace(self.stop, generations=one.after))
                if self.state.progress.generation < one.after:
                    return reason
            self._keep_to(self.bounds[:place])
            if self.state.progress.generation == one.after:
                self.state = rejudged(self.recorder.assembly, self.state)
        return None

    def _checked(self, place: int, share: float) -> str | None:
        """Search for a share of the time that is left, then judge the best file; return why this ends the search."""
        stop, last = self.stop, share == AT_THE_END
        assert stop.seconds is not None, "the search of a run with a time has one"
        left = stop.seconds - self.state.progress.seconds
        if self.accepted is None if last else self.cost > SHORT * left:
            return None
        early = replace(stop, seconds=stop.seconds - max((1.0 - share) * left, self.cost))
        reason = self._until(early)
        if reason != early.time_over:
            return reason
        left = stop.seconds - self.state.progress.seconds
        if last and not self.state.best.feasible:
            self._go_back("no file keeps the tighter bounds")
            return stop.time_over or reason
        if not self.state.best.feasible or (left < LEAST_LEFT and not last):
            return None
        began = monotonic()
        margins, words = self._verdict(left)
        if last:
            if margins:
                self._go_back(words)
            return stop.time_over or reason
        seconds = self.state.progress.seconds + monotonic() - began
        self.state = replace(self.state, progress=replace(self.state.progress, seconds=seconds))
        if margins:
            self._tighten(margins, words)
            return None
        self.accepted = self.state, self.recorder.assembly, self.recorder.trials
        return None

    def _verdict(self, left: float) -> tuple[dict[str, float], str]:
        """Return what `margins_wanted` says of the best file."""
        assembly, folder, recorder, began = self.recorder.assembly, self.recorder.folder, self.recorder, monotonic()
        end, members_end, state = began + max(0.5 * left, self.cost), began + FOR_MEMBERS * left, self.state
        if wanted(assembly.experiment, folder, self.given.seconds):
            recorder.trials = recorder.trials or Trials(assembly, self._plan())
            recorder.trials.make(lambda: members_end - monotonic())
        judged = monotonic()
        masked = assembly.problem.decode(state.best.genome, state.best.key)
        members = None if recorder.trials is None else recorder.trials.opinion()
        margins, words = margins_wanted(assembly, masked, state.best.scores, members, lambda: end - monotonic())
        self.cost = 1.5 * (monotonic() - judged)
        return margins, words

    def _plan(self) -> tuple[MaskingEntry, ...]:
        """Return the start of the search: the best file within the bounds of now."""
        problem = self.recorder.assembly.problem
        files = [replace(one, individual=judged_anew(problem, one.individual)) for one in self.files]
        return plan_of(self.recorder.folder, portfolio_summary(files, self.recorder.folder).best)

    def _tighten(self, margins: Mapping[str, float], words: str) -> None:
        """Continue within tighter bounds."""
        recorder = self.recorder
        recorder.display.message(f"the verdict would be no ({words}): the search goes on within tighter bounds")
        recorder.trials = None  # of another plan
        self.bounds = (*self.bounds, TighterBounds(after=self.state.progress.generation, margins=dict(margins)))
        self._keep_to(self.bounds)
        recorder.state = self.state = rejudged(recorder.assembly, self.state)
        recorder.save()
        self._store_bounds(self.bounds)

    def _go_back(self, words: str) -> None:
        """Return to the last state whose best file the verdict accepts: the run is as if its search had ended there."""
        assert self.accepted is not None, "at the end only what may be replaced is judged"
        self.state, self.recorder.assembly, self.recorder.trials = self.accepted
        generation = self.state.progress.generation
        text = f"the verdict on the last file would be no ({words}): that of generation {generation} is kept"
        self.recorder.display.message(text)
        self.recorder.return_to(self.state)
        self._store_bounds(self.recorder.assembly.experiment.tighter)

    def _store_bounds(self, bounds: Sequence[TighterBounds]) -> None:
        folder = self.recorder.folder
        folder.write_json(RESOLVED, experiment_of(folder).model_copy(update={"tighter": tuple(bounds)}).to_json())
        write_repetition(folder, self.recorder.assembly, None, None)


CLASSES = 5  # classes, of about equal frequency, in which a column is tried
COLUMNS_TRIED = 8  # columns that are tried: those of the most values, which single people out
SHOWN = 3  # findings that are said, those of least loss first
MOST_TRYING = 15.0  # seconds that all of this takes at most
FILES_TRIED = 3  # best tuned files that are tried, beside the file found


def tried(
    assembly: Assembly,
    best: Individual,
    starting: Sequence[StartingFile],
    left: Callable[[], float],  # returns the seconds that are left for this
) -> list[str]:
    """Return sentences on columns that would make a file publishable if dropped, or published in classes."""
    # A column that is dropped is measured as one with a single value: it discloses nothing, and its tables are lost.
    problem, original = assembly.problem, assembly.microdata.original
    tuned = [one.individual for one in sorted(entries_of(starting), key=lambda one: one.individual.precedence)]
    files = [one for one in (best, *tuned[:FILES_TRIED]) if one.genome is not None]
    tables = [problem.decode(one.genome, one.key) for one in files]
    values = {name: len(np.unique(original.column(name))) for name in original.schema.names}
    names = sorted(values, key=lambda name: -values[name])[:COLUMNS_TRIED]
    within = list[tuple[float, str, Table, Mapping[str, float]]]()
    seen = list[str]()
    for name in names:
        if left() > 0.0:
            seen.append(name)
        for words, table in _versions(original, tables, name, values[name]):
            if left() <= 0.0:
                break
            with suppress(EvosdcError):
                scores, _ = problem.score(table)
                if not scores.get(INFEASIBILITY, 0.0):
                    within.append((float(scores["il"]), words, table, scores))
    said = dict[str, float]()
    for loss, words, table, known_scores in sorted(within, key=lambda one: one[0]):
        if len(said) == SHOWN or left() <= 0.0:
            break
        if words not in said and not margins_wanted(assembly, table, known_scores, None)[0]:
            said[words] = loss
    listed = [f"{words} (loss {loss:.1f})" for words, loss in said.items()]
    if listed:
        return [f"Tried: a file keeps the bounds {', or '.join(listed)}."]
    if not seen or left() <= 0.0:
        return ["The time was over before it was tried which columns to coarsen or to drop."]
    return [f"Tried: to coarsen or to drop one of {', '.join(seen)}. No such file keeps the bounds."]


def _versions(original: Table, tables: Sequence[Table], name: str, values: int) -> Iterator[tuple[str, Table]]:
    """Yield masked files with a column in classes, then with a single value of it."""
    column = original.column(name)
    categorical = original.schema[name].categorical
    present = np.sort(column[column != MISSING] if categorical else column[~np.isnan(column)])
    if not len(present):
        return
    ordered = original.schema[name].scale is not Scale.NOMINAL
    for classes in (CLASSES, 1) if ordered and values > CLASSES else (1,):
        places = ((np.arange(classes) + 0.5) * len(present) / classes).astype(np.intp)
        middles = np.unique(present[places])
        words = f"with {name} in {len(middles)} classes" if classes > 1 else f"without {name}"
        for table in tables:
            own = table.column(name)
            nearest = middles[np.abs(own[:, None] - middles).argmin(axis=1)]
            column = np.where(table.absent(name) & (classes > 1), own, nearest)
            yield words, table.with_columns(table.select(()).beside({name: column}, table.schema))
