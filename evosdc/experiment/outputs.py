"""The output of a finished run in its folder: result, tables of scores, frequencies, the protected file."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from time import monotonic, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.assess.changes import exchanged_sentences, perturbed_values, untouched_records
from evosdc.assess.data_check import given_away_sentences, recomputed_sentences, rules_notes
from evosdc.assess.measure import limit_for
from evosdc.assess.verdict import unmasked_causes
from evosdc.engine.choice import chosen, in_words
from evosdc.engine.digest import digest_of
from evosdc.engine.fresh import rescored
from evosdc.engine.loop import SearchState
from evosdc.experiment import summaries
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.costly_columns import MUCH, advice_on
from evosdc.experiment.data import releases_of, says_none
from evosdc.experiment.display import Display
from evosdc.experiment.early_verdict import MOST_TRYING, tried
from evosdc.experiment.opinion import expected_time, opinion_of, plan_of, wanted
from evosdc.experiment.problem import aggregation_of, judge_constraints
from evosdc.experiment.recipe import differences, write_recipe
from evosdc.experiment.release import order_sentences, privacy_findings, renumbered, write_published, write_release
from evosdc.experiment.start import StartingFile, met_before_and_after, scored
from evosdc.experiment.time_budget import UNLIMITED, TimeGiven
from evosdc.experiment.transitions import write_transitions
from evosdc.experiment.trials import Trials
from evosdc.files.atomic import write_text
from evosdc.files.published import SHUFFLED
from evosdc.model import Described, Individual, Judgement, Limit, Seedable, matrices_of
from evosdc.model.constraint import Constraints
from evosdc.model.individual import ERROR, INFEASIBILITY, TIGHTER
from evosdc.printing import csv_text
from evosdc.runs import layout
from evosdc.runs.layout import RunFolder
from evosdc.runs.result import Best, Member, Result, Scored, SecondOpinion, bounds_of
from evosdc.secret import PUBLIC_SEED, public
from evosdc.table.dependence import determinations
from evosdc.table.table import Table
from evosdc.time_limit import DeadlineOver, time_limited

_LOG = logging.getLogger("evosdc.pictures")

FOR_MEMBERS = 0.7  # share of the time for judges that those by members and others take at most

# What a result says of itself that is not the end.
SO_FAR = "The run was stopped before its end: this is the best file so far, which no judge saw; evosdc resume goes on."


def write_outputs(
    folder: RunFolder,
    assembly: Assembly,
    starting: Sequence[StartingFile],
    state: SearchState,
    reason: str,
    partial: bool = False,
    display: Display | None = None,  # shows the present step
    best: Individual | None = None,  # whose file is written; by default the search's solution
    given: TimeGiven = UNLIMITED,  # when all has to be over: judges, causes and the limit end early where need be
    trials: Trials | None = None,  # on parts of the people, where some were made before
) -> Result:
    """Write ``best.csv scores.csv front.csv frequencies.json risk.json result.json``; return the last one."""
    shown = display or Display()
    began, worked = monotonic(), process_time()
    shown.concluding("writing the protected file and its scores")
    problem, algorithm = assembly.problem, assembly.algorithm
    choice = assembly.experiment.choose if best is None else None
    place = None if choice is None else chosen([one.point for one in state.front], choice)
    if best is None:
        best = algorithm.solution(state.population, state.best) if place is None else state.front[place]
    if problem.tracks:
        for difference in rescored(problem, best, (*state.population, *state.front)):
            shown.message(f"a tracker led to another score than the file has: {difference}")
    starting, state, best = _by_own_bounds(problem.constraints, starting, state, best)
    masked = problem.decode(best.genome, best.key)
    file = layout.BEST.removesuffix(".csv") + assembly.source.original.suffix
    genotype = problem.genotype
    omitted = genotype.omitted(best.genome)
    shuffled = assembly.experiment.data.shuffle
    crosswalk = folder.file(layout.CROSSWALK)
    written = write_published(assembly, best, masked, folder.file(file), crosswalk, omitted, shuffled)
    drawn = dict(algorithm.pictures(state.population, best))
    for name in assembly.registry.names("picture"):
        try:
            drawn |= assembly.registry.implementation("picture", name)(assembly.source.table, masked)
        except Exception as error:
            # Any plugin may offer pictures, and a run does not end without a result for them. A text of an unknown
            # error might hold values of records.
            _LOG.warning("picture %s failed with %s", name, type(error).__name__)
    for number, (title, picture) in enumerate(drawn.items(), 1):
        # Two hyphens would end the comment, and an attribute's name may hold them.
        comment = " ".join(title.replace("--", "\N{EN DASH}").split())
        write_text(folder.file(f"{layout.PICTURE}-{number}.svg"), f"<!-- {comment} -->\n{picture}")
    _write_scores(folder, assembly, starting, state)
    folder.write_json(layout.FREQUENCIES, frequencies(assembly.microdata.original, masked))
    risk = privacy_findings(assembly.microdata, masked, assembly.registry, omitted)
    folder.write_json(layout.RISK, risk)
    described = genotype if isinstance(genotype, Described) else None
    for name, text in described.files(best.genome).items() if described else ():
        write_text(folder.file(name), text)
    recipe = write_recipe(folder, assembly, best)
    if (drawing := matrices_of(genotype)) is not None:
        write_transitions(folder, assembly.microdata.original, masked, drawing.transitions(best.genome))
    judged = judge_constraints(problem, best.scores, assembly.registry)
    experiment, whole = assembly.experiment, assembly.source.table
    portfolio = summaries.portfolio_summary(starting, folder)
    opinion, unasked = SecondOpinion(), list[str]()
    costs_much = experiment.goal is not None and best.scores.get("il", 0.0) >= MUCH
    if costs_much:
        given = given.kept_back(MOST_TRYING)
    if not partial and wanted(experiment, folder, state.progress.seconds):
        span = expected_time(len(whole), len(assembly.microdata.protect), len(whole.schema.names))
        # `process_time` counts all threads; several work on a long file while this one waits.
        given = given.slowed((monotonic() - began) / max(process_time() - worked, 1e-3))
        left = given.for_judges
        within = span if left == inf else f"{span}, {max(left, 0.0):.0f} s at most"
        if left >= 1.0:
            shown.concluding(f"asking judges for a second opinion: {within}")
        # Judges by members and others have a good part of this time: the verdict hangs on them.
        end = monotonic() + FOR_MEMBERS * left
        trials = trials or Trials(assembly, plan_of(folder, portfolio.best), state.progress.generation)
        trials.make(lambda: end - monotonic())
        trials.ask_others(lambda: end - monotonic())
        none = says_none(experiment.data.earlier)
        earlier, said = releases_of(assembly.earlier, none, folder.path, assembly.source)
        opinion, unasked = opinion_of(
            assembly, starting, best, masked, shown.judging, lambda: given.for_judges, earlier
        )
        history = {"earlier": [one.label for one in earlier], "earlier_named": said}
        opinion = opinion.model_copy(update={"members": trials.opinion(), **history})
    shown.concluding("judging the file: fresh draws, limit, intruders, analyses")
    fresh = summaries.fresh_summary(assembly, starting, best)
    limit = None
    if not partial:
        limit = _limit_of(assembly, min(state.progress.seconds, 0.5 * given.left))
    above: dict[str, Any] | None = None  # the limit with per cent above it; None for fitnesses without one
    if limit is not None:
        name = experiment.fitness.name
        tuned = [file.individual for file in summaries.entries_of(starting)]
        known = min(tuned, key=lambda individual: individual.precedence, default=None)
        files = {"best": best, "classical": known}
        percent = {kind: None if one is None else limit.above(one.objectives[0], name) for kind, one in files.items()}
        above = limit.to_json() | {"fitness": limit.least.get(name), "above": percent}
    exchanged = exchanged_sentences(assembly.microdata.original, masked)
    ordered = order_sentences(assembly)
    unlike = [] if experiment.made_for is None else differences(experiment.made_for, whole)
    away = [d for d in determinations(whole, assembly.microdata.protect) if d.by not in renumbered(assembly)]
    unprotected, own = summaries.original_of(starting, best), scored(best)
    of_file: dict[str, Any] = {}  # scores of the published file alone, where the solution was judged on several
    if not problem.single:
        scores, objectives = problem.score(masked)
        of_file = {
            "draws": None if problem.expected else problem.draws,
            "of_file": Scored(scores=scores, fitness=list(objectives)),
        }
    result = Result(
        title=experiment.heading,
        seed=public(problem.streams.seed),
        fitness=experiment.fitness.name,
        evaluations=state.progress.evaluations,
        failed=state.progress.failed,
        generations=state.progress.generation,
        seconds=round(state.progress.seconds, 3),
        digest=digest_of(state.population),
        stopped=reason,
        records=len(whole),
        protect=list(assembly.microdata.protect),
        missing_rule=str(whole.schema.na),
        dropped_identifiers=list(written.dropped),
        changed=dict(written.changed),
        perturbed=perturbed_values(whole, masked),
        untouched=untouched_records(whole, masked),
        warnings=[
            *summaries.warnings_of(assembly, starting, best, written.changed, judged),
            *causes_of(assembly, len(starting), judged, given.for_judges),
            *summaries.failure_warning(state.progress.failed, state.progress.evaluations),
            *summaries.time_warning(
                reason, len(whole), state.progress.evaluations, len(starting) - 1, len(assembly.plan.listed)
            ),
            *(f"{sentence}." for one in unlike for sentence in one.sentences()),
            *given_away_sentences(away),
            *ordered,
            *exchanged,
            *(said for said in (opinion.best or {}).get("warnings", ()) if said not in (*exchanged, *ordered)),
            *summaries.impossible_warning(fresh),
            *written.order_sentences,
            *([] if written.neutralised else written.formula_sentences),
            *([PUBLIC_SEED] if public(problem.streams.seed) is not None else ()),
        ],
        identity=None if unprotected is None else scored(unprotected),
        portfolio=portfolio,
        best=Best(
            scores=own.scores,
            fitness=own.fitness,
            origin=best.origin,
            genome=algorithm.describe(state.population, best),
            file=file,
            **of_file,
        ),
        requirements=judged,
        bounds=bounds_of(experiment.to_json()),
        hypervolume=summaries.hypervolumes(starting, state),
        notes=[
            *([SO_FAR] if partial else ()),
            *(described.notes if described else ()),
            *algorithm.notes(state.population, best),
            *(() if genotype.generalises else rules_notes(assembly.microdata, genotype)),
            *summaries.left_out_note(starting, assembly.plan.without_best),
            *unasked,
            *assembly.source.remarks,
            *assembly.source.left_out_sentences(written.dropped),
            *recomputed_sentences(assembly.source.recomputed, written.changed),
            *written.code_sentences,
            *assembly.source.duplicates,
            *([SHUFFLED] if shuffled else ()),
            *(written.formula_sentences if written.neutralised else ()),
        ],
        fresh=fresh,
        front=[Member(**dict(scored(member)), origin=member.origin) for member in state.front],
        second_opinion=opinion,
        so_far=partial,
        chosen=None if choice is None else {"member": place, "words": in_words(choice)},
        recipe=summaries.recipe_summary(folder, best, recipe, portfolio.best),
        limit=above,
    )
    end = monotonic() + min(MOST_TRYING, 0.5 * given.left)

    def advice(refused: bool) -> list[str]:
        if genotype.generalises or not problem.single or not (refused or costs_much):
            return []
        shown.concluding("trying which columns to coarsen or to drop")
        if refused:
            found = tried(assembly, best, starting, lambda: end - monotonic())
        else:
            found = advice_on(assembly, masked, own.scores["il"], starting, lambda: end - monotonic())
        for sentence in found:
            shown.message(sentence)
        return found

    result = write_release(folder, assembly, masked, result, judged, risk, exchanged, omitted, advice)
    folder.write_json(layout.RESULT, result.to_json())
    return result


def _by_own_bounds(
    constraints: Constraints, starting: Sequence[StartingFile], state: SearchState, best: Individual
) -> tuple[Sequence[StartingFile], SearchState, Individual]:
    """Return the files of a search that kept to tighter bounds, with what they miss of its own and of these."""
    # What keeps the own bounds breaks none, though the search went by others in the end.
    if not constraints.margins_kept:
        return starting, state, best
    own = replace(constraints, margins_kept={})

    def judged(one: Individual) -> Individual:
        if one.failed:
            return one
        scores = own.judge(one.scores) | {TIGHTER: constraints.judge(one.scores)[INFEASIBILITY]}
        return Individual(one.genome, one.key, scores, one.objectives, one.origin)

    files = [replace(file, individual=judged(file.individual)) for file in starting]
    members = state.population.following([judged(one) for one in state.population.members])
    front = tuple(judged(one) for one in state.front)
    return files, replace(state, population=members, best=judged(state.best), front=front), judged(best)


def _write_scores(folder: RunFolder, assembly: Assembly, starting: Sequence[StartingFile], state: SearchState) -> None:
    names = [*assembly.problem.measures]
    names += [name for name in ("il", "dr") if name in state.best.scores]
    rows: list[tuple[str, int, str, str, Individual]] = []
    for slot, file in enumerate(starting):
        if file.left_out:
            continue
        kind, origin = ("portfolio", file.masking.method) if file.masking else ("identity", "original")
        rows.append((kind, slot, origin, file.label, file.individual))
    for kind, members in (("population", state.population.members), ("front", state.front)):
        for slot, individual in enumerate(members):
            rows.append((kind, slot, individual.origin, f"{kind} {slot} ({individual.origin})", individual))
    genotype = assembly.problem.genotype
    names += [*genotype.trait_names] if isinstance(genotype, Described) else []
    names += [figure for figure in assembly.problem.constraints.derived if figure in state.best.scores]
    names += [name for name in (ERROR, INFEASIBILITY, TIGHTER) if any(name in row[-1].scores for row in rows)]
    lines: list[list[Any]] = []
    for *said, individual in rows:
        # Of a failed evaluation only the infeasibility is known.
        known = {INFEASIBILITY: individual.infeasibility if individual.failed else 0.0}
        known |= {} if individual.failed else scored(individual).scores
        objective = None if individual.failed else individual.objectives[0]
        lines.append([*said, objective, *(known.get(name) for name in names)])
    header = ["set", "slot", "origin", "label", "fitness", *names]
    write_text(folder.file(layout.SCORES), csv_text([header, *lines]))
    front = [[line[1], line[2], *line[4:]] for line in lines if line[0] == "front"]
    write_text(folder.file(layout.FRONT), csv_text([["member", "origin", "fitness", *names], *front]))


LEAST, MOST = 1.0, 30.0  # seconds that the limit may take, at least and at most; in between as many as the search took


def _limit_of(assembly: Assembly, seconds: float) -> Limit | None:
    """Return the limit of all masked files by the run's measures; None without one, or where the time is too short."""
    experiment, registry, original = assembly.experiment, assembly.registry, assembly.microdata.original
    measures = experiment.measures
    assert measures is not None, "the assembly fills in the measures"
    if not registry.names("limit"):
        return None
    names = set(original.schema.names)
    params = {m.name: registry.parameters("measure", m.name, m.params).model_dump() for m in measures.il + measures.dr}
    partial = frozenset(m.name for m in measures.all if m.of is not None and set(m.of) != names)
    judgement = Judgement(original, aggregation_of(measures, registry), params, partial)
    return limit_for(judgement, registry, min(max(LEAST, seconds), MOST))


MOST_AGAIN = 12  # starting files that are masked once more, to tell whether rules of records are the cause


def missed_by_all(constraints: Constraints, judged: Sequence[Mapping[str, float]]) -> str:
    """Return a sentence on requirements that no starting file keeps, with the best value; empty where one keeps all."""
    known = [scores for scores in judged if all(one.figure_name in scores for one in constraints.listed)]
    if not known or any(scores.get(INFEASIBILITY, 0.0) == 0.0 for scores in known):
        return ""
    required: list[str] = []
    limits: list[str] = []
    for one in constraints.listed:
        nearest = (min if one.operator == "<=" else max)(scores[one.figure_name] for scores in known)
        if one.excess(nearest) > 0.0:
            (limits if one.own else required).append(f"{one} (the nearest has {nearest:.3g})")
    missed = " or ".join(required or limits)
    of_evosdc = ", which evosdc requires of every file" if limits and not required else ""
    what = f"keeps {missed}{of_evosdc}" if missed else "keeps all requirements at once"
    return (
        f"no starting file {what}; the search goes there first, and may not come so far. Masking more attributes, or "
        "asking for less, helps"
    )


def causes_of(
    assembly: Assembly, evaluated: int, judged: Sequence[Mapping[str, Any]], seconds: float = inf
) -> list[str]:
    """Return a sentence for each possible cause of missed requirements on privacy models."""
    # Causes are unmasked quasi-identifiers, and rules of records whose repair made starting files miss requirements
    # that they had fulfilled.
    causes = list(unmasked_causes(judged))
    problem, rules = assembly.problem, assembly.microdata.rules
    missed = any(not entry["met"] and "unmasked" in entry for entry in judged)
    if rules is None or not missed or not isinstance(problem.genotype, Seedable):
        return causes
    with suppress(DeadlineOver), time_limited(seconds, DeadlineOver):
        files, before, after = met_before_and_after(problem, assembly.plan, evaluated, MOST_AGAIN)
        if before > after:
            kinds = [*(["structural zeros"] if rules.zeros else []), *(["edit rules"] if rules.edit_rules else [])]
            advice = " Without them (--no-structural-zeros) such records are published." if rules.zeros else ""
            causes.append(
                f"A cause: of {files} starting files {before} met what privacy models ask for before records that "
                f"{' and '.join(kinds)} forbid were put right, and {after} afterwards.{advice}"
            )
    return causes


MANY_CATEGORIES, RARE = 60, 3


def frequencies(original: Table, masked: Table) -> dict[str, Any]:
    """Return, by categorical attribute, how often each category occurs before and after: counts, no records."""
    # A rare category of an attribute with many is nearly a record: with more than 60 categories all that occur fewer
    # than 3 times both before and after are counted together, as the last entry.
    document = {}
    for attribute in original.schema.categorical:
        after = masked.schema[attribute.name]  # by name: numbers that were generalised have become categories, too
        labels = after.categories if len(after.categories) > len(attribute.categories) else attribute.categories
        columns = [np.asarray(table.column(attribute.name), dtype=np.int64) for table in (original, masked)]
        counts = [np.bincount(column + 1, minlength=len(labels) + 1) for column in columns]
        present = np.stack([count[1:] for count in counts])
        names = list(labels)
        rare: NDArray[np.bool_] = np.all(present < RARE, axis=0)
        if len(labels) > MANY_CATEGORIES and rare.sum() > 1:
            names = [name for name, few in zip(labels, rare, strict=True) if not few]
            names.append(f"{int(rare.sum())} rare categories")
            present = np.column_stack([present[:, ~rare], present[:, rare].sum(axis=1)])
        document[attribute.name] = {
            "scale": str(attribute.scale),
            "categories": names,
            "before": present[0].tolist(),
            "after": present[1].tolist(),
            "missing_before": int(counts[0][0]),
            "missing_after": int(counts[1][0]),
        }
    return document
