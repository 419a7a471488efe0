"""The output of a finished run in its folder: result, tables of scores, frequencies, the protected file."""

import logging
from collections.abc import Sequence
from time import monotonic, process_time
from typing import Any

from evosdc.assess.changes import exchanged_sentences, perturbed_values, untouched_records
from evosdc.assess.data_check import given_away_sentences, recomputed_sentences, rules_notes
from evosdc.assess.measure import limit_for
from evosdc.assess.verdict import on_publication
from evosdc.engine.choice import chosen, in_words
from evosdc.engine.digest import digest_of
from evosdc.engine.fresh import rescored
from evosdc.engine.loop import SearchState
from evosdc.engine.problem import Problem
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.display import Display
from evosdc.experiment.earlier import history_of, other_runs
from evosdc.experiment.frequencies import frequencies, write_transitions
from evosdc.experiment.infeasible_requirements import causes_of, traced
from evosdc.experiment.opinion import expected_time, members_opinion, opinion_of, plan_of, wanted
from evosdc.experiment.problem import aggregation_of, judge_constraints
from evosdc.experiment.recipe_outputs import write_recipe
from evosdc.experiment.recipe_profile import differences
from evosdc.experiment.release import order_sentences, privacy_findings, renumbered, write_published, write_release
from evosdc.experiment.start import StartingFile
from evosdc.experiment.summaries import (
    alike_in_words,
    entries_of,
    failure_warning,
    fresh_summary,
    hypervolumes,
    impossible_warning,
    left_out_note,
    original_of,
    portfolio_summary,
    recipe_summary,
    scored,
    time_warning,
    warnings_of,
)
from evosdc.experiment.time_budget import UNLIMITED, TimeGiven
from evosdc.experiment.what_holds import MOST_TRYING, tried
from evosdc.files.atomic import write_text
from evosdc.files.row_order import SHUFFLED
from evosdc.model import Described, Individual, Judgement, Limit, matrices_of
from evosdc.model.individual import ERROR, INFEASIBILITY
from evosdc.printing import csv_text
from evosdc.runs.layout import BEST, CROSSWALK, FREQUENCIES, FRONT, PICTURE, RESULT, RISK, SCORES, RunFolder
from evosdc.runs.result import Result, SecondOpinion
from evosdc.secret import PUBLIC_SEED, public
from evosdc.table.dependence import determinations
from evosdc.table.table import Table

_LOG = logging.getLogger("evosdc.pictures")

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
    members: dict[str, Any] | None = None,  # of `members_opinion`, where these judges ran before
) -> dict[str, Any]:
    """Write ``best.csv scores.csv front.csv frequencies.json risk.json result.json``; return the last one's content."""
    tell = (display or Display()).concluding
    began, worked = monotonic(), process_time()
    tell("writing the protected file and its scores")
    problem, algorithm = assembly.problem, assembly.algorithm
    choice = assembly.experiment.choose if best is None else None
    member = None if choice is None else chosen([one.point for one in state.front], choice)
    if best is None:
        best = algorithm.solution(state.population, state.best) if member is None else state.front[member]
    if problem.tracks:
        for difference in rescored(problem, best, (*state.population, *state.front)):
            (display or Display()).message(f"a tracker led to another score than the file has: {difference}")
    masked = problem.decode(best.genome, best.key)
    file = BEST.removesuffix(".csv") + assembly.source.original.suffix
    genotype = problem.genotype
    omitted = genotype.omitted(best.genome)
    shuffled = assembly.experiment.data.shuffle
    written = write_published(assembly, best, masked, folder.file(file), folder.file(CROSSWALK), omitted, shuffled)
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
        shown = " ".join(title.replace("--", "\N{EN DASH}").split())
        write_text(folder.file(f"{PICTURE}-{number}.svg"), f"<!-- {shown} -->\n{picture}")
    _write_scores(folder, assembly, starting, state)
    folder.write_json(FREQUENCIES, frequencies(assembly.microdata.original, masked))
    risk = privacy_findings(assembly.microdata, masked, assembly.registry, omitted)
    folder.write_json(RISK, risk)
    described = genotype if isinstance(genotype, Described) else None
    for name, text in described.files(best.genome).items() if described else ():
        write_text(folder.file(name), text)
    recipe = write_recipe(folder, assembly, best)
    if (drawing := matrices_of(genotype)) is not None:
        write_transitions(folder, assembly.microdata.original, masked, drawing.transitions(best.genome))
    judged = traced(assembly, judge_constraints(problem.constraints, best.scores, problem.measures))
    broken = [str(entry["requirement"]) for entry in judged if not entry["met"]]
    balancing = assembly.registry.defaults("fitness", "protect")
    experiment = assembly.experiment
    portfolio = portfolio_summary(starting, folder)
    opinion, unasked = SecondOpinion(), list[str]()
    if not partial and wanted(experiment, folder, state.progress.seconds):
        table = assembly.source.table
        span = expected_time(len(table), len(assembly.microdata.protect), len(table.schema.names))
        # Of all threads: long files are assessed side by side, while this one waits.
        given = given.slowed((monotonic() - began) / max(process_time() - worked, 1e-3))
        left = given.for_judges
        within = span if left is None else f"{span}, {max(left, 0.0):.0f} s at most"
        if left is None or left >= 1.0:
            tell(f"asking judges for a second opinion: {within}")
        answered = (display or Display()).judging
        # Judges by members and others have a half of this time: the verdict hangs on them.
        half = None if left is None else monotonic() + 0.5 * left
        members = members or members_opinion(
            assembly,
            plan_of(folder, portfolio["best"]),
            state.progress.generation,
            lambda: None if half is None else half - monotonic(),
        )
        earlier = assembly.earlier or other_runs(folder.path, assembly.source)
        opinion, unasked = opinion_of(assembly, starting, best, masked, answered, lambda: given.for_judges, earlier)
        opinion = opinion.model_copy(update={"members": members, **history_of(assembly, earlier)})
    tell("judging the file: fresh draws, limit, intruders, analyses")
    fresh = fresh_summary(assembly, starting, best)
    limit = None
    if not partial:
        spendable = state.progress.seconds if given.left is None else min(state.progress.seconds, 0.5 * given.left)
        limit = _limit_of(assembly, spendable)
    above: dict[str, Any] | None = None  # the limit with per cent above it; None for fitnesses without one
    known = min((file.individual for file in entries_of(starting)), key=lambda i: i.precedence, default=None)
    if limit is not None:
        name = experiment.fitness.name
        files = {"best": best, "classical": known}
        percent = {kind: None if one is None else limit.above(one.objectives[0], name) for kind, one in files.items()}
        above = limit.to_json() | {"fitness": limit.least.get(name), "above": percent}
    exchanged = exchanged_sentences(assembly.microdata.original, masked)
    ordered = order_sentences(assembly)
    stated = [*exchanged, *ordered]
    alike, records = alike_in_words(assembly.microdata.original), len(assembly.source.table)
    made_for = experiment.made_for
    unlike = [] if made_for is None else differences(made_for, assembly.source.table)
    document: dict[str, Any] = {
        "title": experiment.heading,
        "seed": public(problem.streams.seed),
        "fitness": experiment.fitness.name,
        "evaluations": state.progress.evaluations,
        "failed": state.progress.failed,
        "generations": state.progress.generation,
        "seconds": round(state.progress.seconds, 3),
        "digest": digest_of(state.population),
        "stopped": reason,
        "records": records,
        "protect": list(assembly.microdata.protect),
        "missing_rule": str(assembly.source.table.schema.na),
        "dropped_identifiers": list(written.dropped),
        "changed": dict(written.changed),
        "perturbed": perturbed_values(assembly.source.table, masked),
        "untouched": untouched_records(assembly.source.table, masked),
        "warnings": [
            *warnings_of(starting, best, written.changed, len(masked), broken, balancing, alike),
            *causes_of(assembly, len(starting), judged, given.for_judges),
            *failure_warning(state.progress.failed, state.progress.evaluations),
            *time_warning(reason, records, state.progress.evaluations, len(starting) - 1, len(assembly.plan.listed)),
            *(f"{sentence}." for one in unlike for sentence in one.sentences()),
            *given_away_sentences(
                [
                    one
                    for one in determinations(assembly.source.table, assembly.microdata.protect)
                    if one.by not in renumbered(assembly)
                ]
            ),
            *ordered,
            *exchanged,
            *(said for said in (opinion.best or {}).get("warnings", ()) if said not in stated),
            *impossible_warning(fresh),
            *written.order_sentences,
            *([] if written.neutralised else written.formula_sentences),
            *([PUBLIC_SEED] if public(problem.streams.seed) is not None else ()),
        ],
        "identity": scored(unprotected) if (unprotected := original_of(starting, best)) is not None else None,
        "portfolio": portfolio,
        "best": scored(best)
        | _of_file(problem, masked)
        | {"origin": best.origin, "genome": algorithm.describe(state.population, best), "file": file},
        "requirements": judged,
        "hypervolume": hypervolumes(starting, state),
        "notes": [
            *([SO_FAR] if partial else ()),
            *(described.notes if described else ()),
            *algorithm.notes(state.population, best),
            *(() if genotype.generalises else rules_notes(assembly.microdata, genotype)),
            *left_out_note(starting, assembly.plan.without_best),
            *unasked,
            *assembly.source.left_out_sentences(written.dropped),
            *recomputed_sentences(assembly.source.recomputed, written.changed),
            *assembly.source.duplicates,
            *([SHUFFLED] if shuffled else ()),
            *(written.formula_sentences if written.neutralised else ()),
        ],
        "fresh": fresh,
        "front": [scored(member) | {"origin": member.origin} for member in state.front],
    }
    document |= {
        "second_opinion": opinion,
        "so_far": partial,
        "chosen": None if choice is None else {"member": member, "words": in_words(choice)},
        "recipe": recipe_summary(folder, best, recipe, portfolio["best"]),
        "limit": above,
    }
    end = monotonic() + (MOST_TRYING if given.left is None else min(MOST_TRYING, 0.5 * given.left))

    def what_holds() -> list[str]:
        tell("trying which columns to coarsen or to drop")
        return tried(assembly, best, starting, lambda: end - monotonic())

    verdict, named = write_release(folder, assembly, masked, document, risk, exchanged, omitted, what_holds)
    document |= {"verdict": verdict, "best": document["best"] | {"file": named}}
    document["requirements"] = [*judged, *on_publication(verdict, experiment.constraints)]
    written_result = Result.model_validate(document).to_json()
    folder.write_json(RESULT, written_result)
    return written_result


def _of_file(problem: Problem, masked: Table) -> dict[str, Any]:
    """Return the scores of the published file alone, where the solution was judged on several."""
    if problem.single:
        return {}
    scores, objectives = problem.score(masked)
    return {
        "draws": None if problem.expected else problem.draws,
        "of_file": {"scores": scores, "fitness": list(objectives)},
    }


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
    judged = [individual for *_, individual in rows]
    names += [name for name in (ERROR, INFEASIBILITY) if any(name in individual.scores for individual in judged)]
    lines = [[*row[:-1], *_figures(individual, names)] for row, individual in zip(rows, judged, strict=True)]
    header = ["set", "slot", "origin", "label", "fitness", *names]
    write_text(folder.file(SCORES), csv_text([header, *lines]))
    front = [[line[1], line[2], *line[4:]] for line in lines if line[0] == "front"]
    write_text(folder.file(FRONT), csv_text([["member", "origin", "fitness", *names], *front]))


def _figures(individual: Individual, names: Sequence[str]) -> list[float | None]:
    """Return the first objective and the named scores; of a failed evaluation only the infeasibility."""
    if individual.failed:
        return [None, *(individual.infeasibility if name == INFEASIBILITY else None for name in names)]
    scores = {INFEASIBILITY: 0.0, **scored(individual)["scores"]}
    return [individual.objectives[0], *(scores.get(name) for name in names)]


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
