"""The published file: the order of its records, its description in ``release.json``, and its verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from evosdc.assess.background import further_knowledge, unchanged_columns, unchanged_together
from evosdc.assess.classes import cross_tables
from evosdc.assess.data_check import given_away_sentences
from evosdc.assess.intruder import Found, audience_of, bound_of, found_by_intruder, found_by_value, two_way_of
from evosdc.assess.risk import assess, build_models, intruder_view_of, view_summary
from evosdc.assess.three_risks import HISTORY, RESTORED, TAIL
from evosdc.assess.utility import analyses, corrections
from evosdc.assess.verdict import Evidence, on_publication, on_verdict, verdict_of
from evosdc.errors import Fault, InputError, RunError
from evosdc.experiment.assembly import Assembly, known_to_attackers
from evosdc.experiment.problem import aims_among
from evosdc.experiment.provenance import digest
from evosdc.files.original import Original
from evosdc.files.source import Source, WriteReport
from evosdc.model import Individual, Microdata
from evosdc.model.individual import INFEASIBILITY
from evosdc.plugins.registry import Registry
from evosdc.printing import NO_TIME
from evosdc.processors import side_by_side
from evosdc.runs.layout import RELEASE, RESULT, RunFolder
from evosdc.runs.published import write_crosswalk
from evosdc.runs.result import Requirement, Result, Scored, SecondOpinion, Verdict
from evosdc.secret import Purpose, public, stream
from evosdc.table.dependence import determinations
from evosdc.table.exact_values import known_of
from evosdc.table.households import households_of, shared_in_households
from evosdc.table.row_positions import disclosed_by_order, position_sentences, random_order
from evosdc.table.schema import Role
from evosdc.table.table import MISSING, Rows, Table


def write_published(
    assembly: Assembly,
    individual: Individual,
    masked: Table,  # its file, in the order of the original
    path: Path,
    crosswalk: Path,
    omitted: Rows | None,  # positions of records that are not published
    shuffle: bool,
    source: Source | None = None,  # in place of the assembly's, where it is to be written otherwise
) -> WriteReport:
    """Write the file of an individual, and where its records are in random order the crosswalk."""
    # Files of one run that are not the same have orders of their own, so that their records cannot be joined by number.
    whole = assembly.source if source is None else source
    order = None
    if shuffle:
        order = random_order(len(masked), assembly.seed, crc32(individual.key))
        order = order if omitted is None else order[~np.isin(order, omitted)]
    elif omitted is not None and len(omitted):
        order = np.setdiff1d(np.arange(len(masked), dtype=np.intp), omitted)
    if shuffle:
        masked = _with_other_numbers(assembly, masked)
    written = whole.write(path, masked, order=order)
    if shuffle and order is not None:
        write_crosswalk(crosswalk, whole.rows[order])
    return written


def renumbered(assembly: Assembly) -> tuple[str, ...]:
    """Return the column with the numbers of households, where these are exchanged: members publish what they share."""
    table, protect = assembly.source.table, assembly.microdata.protect
    keys = table.schema.with_role(Role.HOUSEHOLD)[:1]
    shuffled = assembly.experiment.data.shuffle and not set(keys) & set(protect)
    return keys if shuffled and shared_in_households(table, protect) else ()


_NUMBERS = 2  # address of what the numbers of households are drawn from, apart from the order of records


def _with_other_numbers(assembly: Assembly, masked: Table) -> Table:
    """Return masked columns beside the households' numbers, exchanged at random."""
    # Else a register with the same numbers would identify each household.
    table = assembly.source.table
    for key in renumbered(assembly):
        column, home = table.column(key), households_of(table).of
        first = np.unique(home, return_index=True)[1]
        numbers = column[first].copy()
        known = np.flatnonzero(numbers != MISSING if table.schema[key].categorical else ~np.isnan(numbers))
        order = stream(assembly.seed, Purpose.SHUFFLE, _NUMBERS).permutation(known)
        numbers[known] = numbers[order]
        masked = masked.beside({key: numbers[home]}, table.schema)
    return masked


def order_sentences(assembly: Assembly) -> list[str]:
    """Return what the order of the published records discloses of masked columns; nothing where it is random."""
    if assembly.experiment.data.shuffle:
        return []
    return position_sentences(disclosed_by_order(assembly.source.table, assembly.microdata.protect))


def write_release(
    folder: RunFolder,
    assembly: Assembly,
    masked: Table,  # the protected attributes as they are published
    result: Result,  # without a verdict
    judged: Sequence[Mapping[str, Any]],  # its requirements, each with what is known of it
    risk: Mapping[str, Any],  # of `privacy_findings`
    exchanged: Sequence[str],  # sentences on swapped categories
    omitted: Rows | None = None,  # positions of records that are not published
    # Returns sentences on what was tried that would make a refused file hold, or another one lose less.
    advice: Callable[[bool], Sequence[str]] = lambda refused: (),
) -> Result:
    """Write ``release.json``; return the result with its verdict, and with the name that this gives the file."""
    microdata, whole, registry, experiment = (
        assembly.microdata, assembly.source.table, assembly.registry, assembly.experiment
    )  # fmt: skip
    best, opinion, identity = result.best, result.second_opinion, result.identity
    original, published = whole.without(omitted), whole.with_columns(masked).without(omitted)
    shown = masked.without(omitted)
    measured = any(name in best.scores for name in registry.defaults("measure", "identity"))
    # The intruder is tried again only where other judges are: that costs about as much as an evaluation.
    found = None
    if measured or opinion.best is not None:
        of_file = (best.of_file or best).scores if omitted is None else None
        found = found_in(assembly, original, shown, identity.scores if identity is not None else {}, of_file)
    numbers = renumbered(assembly)
    kept_apart = [*result.dropped_identifiers, *assembly.source.recomputed, *numbers]
    away = [d for d in determinations(whole, microdata.protect) if d.by not in numbers]
    columns = unchanged_columns(whole, microdata.protect, kept_apart, result.changed, away)
    same = [column.attribute for column in columns]
    by_masked = found.percent if found is not None else 0.0
    together = unchanged_together(known_to_attackers(assembly, original), published, microdata.protect, same, by_masked)
    analysed = analyses(original, published, microdata.protect) if len(shown) else {}
    summary = found.to_json() if found is not None else _of_model(risk, len(shown))
    intruder = {key: value for key, value in summary.items() if key != "at_risk"} if summary is not None else None
    texts = [str(entry["requirement"]) for entry in judged if not entry["own"]]
    bound, bound_by = bound_of(texts, str((intruder or {}).get("measure", "")), registry, experiment.accepted)
    named = experiment.audience if experiment.bound is None and not bound_by else None
    evidence = Evidence(
        intruder=intruder,
        requirements=judged,
        # The intruder says how many people are linked; nobody but the search says what is guessed of masked columns.
        aims=[
            str(one)
            for one in aims_among(assembly.problem.constraints.listed, registry)
            if one.name in registry.defaults("measure", "identity")
        ],
        bound=bound,
        bound_by=bound_by,
        audience=named or audience_of(bound),
        two_way=two_way_of(registry),
        analyses=analysed,
        unchanged=[column.to_json() for column in columns],
        together=together.to_json() if together is not None else None,
        further=[one.to_json() for one in further_knowledge(original, shown, microdata.protect, same, registry)],
        by_value=found_by_value(original, published, found.known) if found is not None else None,
        changed=sum(result.changed.values()),
        cells=len(masked) * len(result.changed),
        idle=identity is not None and len(best.fitness) == 1 and _order(best) >= _order(identity),
        exchanged=exchanged,
        given_away=[
            *given_away_sentences([d for d in away if result.changed.get(d.masked)]),
            *order_sentences(assembly),
        ],
        single_valued=[
            name
            for name in microdata.protect
            if len(np.unique(original.column(name))) > 1 and len(np.unique(published.column(name))) == 1
        ],
        given_away_by=list(dict.fromkeys(d.by for d in away if result.changed.get(d.masked))),
        # What the search followed is known without judges.
        tails={
            name: {"value": best.scores[name]}
            for name in registry.defaults("measure", "followed")
            if name in best.scores and registry.measure(name).family == TAIL
        },
        sensitive=bool(whole.schema.with_role(Role.SENSITIVE)),
        public_seed=public(assembly.seed) is not None,
        above_limit=((result.limit or {}).get("above") or {}).get("best"),
    )
    verdict = verdict_of(_with_opinion(evidence, opinion))
    # Where too many people are singled out or linked, coarser or fewer columns would help; a column may cost much, too.
    beyond = any(line.kept is False for line in verdict.risks[:2])
    if experiment.goal is not None and not result.so_far and (beyond or verdict.publishable):
        evidence = replace(evidence, tried=advice(verdict.publishable is False))
        verdict = verdict_of(_with_opinion(evidence, opinion))
    refused = verdict.publishable is False and experiment.released and not result.so_far
    name = folder.name_by_verdict(best.file, refused)
    folder.write_json(
        RELEASE,
        {
            "published": digest(folder.file(name)),
            "cross_tables": cross_tables(original, published, microdata.protect) if len(shown) else [],
            "corrections": corrections(original, published, analysed["tables"]) if analysed else [],
            "records": found.to_json() if found is not None else None,
            "omitted": 0 if omitted is None else len(omitted),
            "codebook": _codebook(published, result.dropped_identifiers, assembly.source.original),
            "meanings": _meanings(assembly, best.scores, opinion),
            # Pages show these two by themselves.
            "analyses": evidence.analyses,
            "published_unchanged": list(evidence.unchanged),
            "evidence": asdict(replace(evidence, analyses={}, unchanged=())),
        },
    )
    return _judged(result, verdict, name, [*judged, *on_publication(verdict, experiment.constraints)])


def _judged(result: Result, verdict: Verdict, file: str, required: Sequence[Mapping[str, Any]]) -> Result:
    """Return a result with its verdict, the name that this gives the file, and the requirement on the verdict."""
    return result.model_copy(
        update={
            "verdict": verdict,
            "best": result.best.model_copy(update={"file": file}),
            "requirements": [Requirement.model_validate(entry) for entry in required],
        }
    )


def judge_again(folder: RunFolder, opinion: SecondOpinion, released: bool) -> Result:
    """Rewrite the verdict of a run by a later second opinion; return its result."""
    # `released` says whether the file is for release, so that its name says what the verdict says.
    result = Result.read(folder.path)
    release = folder.read_object(RELEASE, "evidence", "analyses", "published_unchanged")
    try:
        stored = Evidence(**release["evidence"])
    except TypeError:
        where, needed = f"{folder.path / RELEASE}: evidence", "that of this version: protect the original again"
        raise RunError(Fault(where, "that of another version of evosdc", needed)) from None
    evidence = replace(stored, analyses=release["analyses"], unchanged=release["published_unchanged"])
    verdict = verdict_of(_with_opinion(evidence, opinion))
    entries = [entry.model_dump() for entry in result.requirements]
    required = [entry for entry in entries if not on_verdict(entry)]
    wanted = [entry["requirement"] for entry in entries if on_verdict(entry)]
    name = folder.name_by_verdict(result.best.file, verdict.publishable is False and released)
    folder.write_json(RELEASE, release | {"published": digest(folder.file(name))})
    result = result.model_copy(update={"second_opinion": opinion})
    result = _judged(result, verdict, name, [*required, *on_publication(verdict, wanted)])
    folder.write_json(RESULT, result.to_json())
    return result


def _with_opinion(evidence: Evidence, opinion: SecondOpinion) -> Evidence:
    """Return evidence with the findings of judges."""
    best = opinion.best or {}
    contradiction, judges = opinion.text.removeprefix("Does not hold: "), best.get("judges") or {}
    # More people than the search claims, but within the bound: a wrong claim, and no danger.
    within = opinion.holds is False and not any(
        one["exceeds"] and (one["family"] != "linkage" or one["value"] > evidence.bound) for one in judges.values()
    )
    return replace(
        evidence,
        holds=None if within else opinion.holds,
        contradiction="" if within else contradiction,
        corrected=contradiction if within else "",
        contradicting=[name for name, one in judges.items() if one["exceeds"] and one["family"] == "linkage"],
        answered=opinion.answered,
        unasked=opinion.asked - opinion.answered,
        lacking=sum(reason != NO_TIME for reason in (best.get("not_applicable") or {}).values()),
        used=opinion.used_by_the_search,
        members=opinion.members,
        tails=_of_family(judges, TAIL) or _of_family(judges, RESTORED) or evidence.tails,
        earlier=opinion.earlier,
        earlier_named=opinion.earlier_named,
        history=next((one for one in judges.values() if one["family"] == HISTORY), None),
    )


def _of_family(judges: Mapping[str, Mapping[str, Any]], family: str) -> dict[str, Mapping[str, Any]]:
    return {name: one for name, one in judges.items() if one["family"] == family}


def _order(scored: Scored) -> tuple[float, float]:
    """Return the key that is less for the better of two files: its excess over constraints, then its one objective."""
    return scored.scores.get(INFEASIBILITY, 0.0), scored.fitness[0]


def _of_model(risk: Mapping[str, Any], records: int) -> dict[str, Any] | None:
    """Return the expected re-identifications by a privacy model in a generalised file: values are coarse but true."""
    sides = [risk.get("published") or {}, risk.get("original") or {}]
    for name, figures in sides[0].items():
        if isinstance(figures, dict) and "expected_reidentifications" in figures and records:
            expected = float(figures["expected_reidentifications"])
            before = float((sides[1].get(name) or {}).get("expected_reidentifications", 0.0))
            return {
                "measure": name, "percent": 100.0 * expected / records, "original_percent": 100.0 * before / records,
                "expected": expected, "records": records, "known": list(risk.get("quasi_identifiers") or ()),
            }  # fmt: skip
    return None


def _codebook(published: Table, dropped: Sequence[str], original: Original) -> list[dict[str, Any]]:
    """Return what users of the published file may know of its columns: nothing that is not in it."""
    # Values of columns that are carried in another form are not in it: they have the numbers of records in the
    # original.
    listed: list[dict[str, Any]] = []
    for attribute in published.schema.attributes:
        if attribute.name in dropped:
            continue
        label = original.variable_labels.get(attribute.name, "")
        entry = {"attribute": attribute.name, "role": str(attribute.role)} | ({"label": label} if label else {})
        if attribute.name in original.carried:
            listed.append(entry | {"described": original.carried[attribute.name]})
            continue
        column = published.column(attribute.name)
        present = set(np.unique(column).tolist()) if attribute.categorical else set()
        listed.append(
            entry
            | {
                "scale": str(attribute.scale),
                "decimals": attribute.decimals,
                "categories": [label for code, label in enumerate(attribute.categories) if code in present],
                "missing": int(published.absent(attribute.name).sum()),
            }
        )
    return listed


def _meanings(assembly: Assembly, scores: Mapping[str, float], opinion: SecondOpinion) -> dict[str, str]:
    """Return each measure and judge of the result in one sentence."""
    registry = assembly.registry
    known = set(registry.names("measure"))
    names = [name for name in (*scores, *((opinion.best or {}).get("judges") or {})) if name in known]
    meanings = {name: registry.spec("measure", name).summary for name in dict.fromkeys(names)}
    fixed = {
        "il": "Information loss: the mean of the measures of loss.",
        "dr": "Disclosure risk: what the measures of risk come to together.",
    }
    return meanings | {name: text for name, text in fixed.items() if name in scores}


def found_in(
    assembly: Assembly,
    original: Table,  # all attributes of the records that are published
    masked: Table,  # their protected attributes
    before: Mapping[str, float],  # scores of the unprotected original, as far as they are known
    scored: Mapping[str, float] | None = None,
) -> Found | None:
    """Return the re-identifications of the informed intruder; None where no measure of identity can read the file."""
    if masked.schema != assembly.microdata.original.schema:
        return None
    registry, measures, protect = assembly.registry, assembly.experiment.measures, assembly.microdata.protect
    params = {m.name: m.params for m in measures.all} if measures is not None else {}
    # What the search was judged by is not fitted again where it judges all that the intruder knows.
    judged = known_of(original, protect) == protect
    whole = [m.name for m in measures.all if not m.of] if measures is not None and judged else []
    fitted = {name: assembly.problem.measures[name] for name in whole}
    unprotected = {name: before[name] for name in fitted if name in before}
    try:
        return found_by_intruder(original, masked, protect, registry, params, fitted, unprotected, scored)
    except InputError:
        return None


def privacy_findings(
    microdata: Microdata, masked: Table, registry: Registry, omitted: Rows | None = None
) -> dict[str, Any]:
    """Return the content of ``risk.json``."""
    # The protected attributes are what an intruder knows; sensitive attributes, weights and households are those of the
    # schema, and are published as they are.
    published = microdata.table.with_columns(masked).without(omitted)
    if not len(published):
        return {"note": "No record is published."}
    try:
        files = {
            name: intruder_view_of(table, microdata.protect)
            for name, table in (("original", microdata.table), ("published", published))
        }
        names: dict[str, Mapping[str, Any]] = {name: {} for name in registry.names("privacy-model")}
        assessed = [partial(assess, view, names, registry) for view in files.values()]
        figures = dict(zip(files, side_by_side(len(microdata.table), assessed), strict=True))
        listed = [
            {
                "name": name,
                "headline": model.headline,
                "larger_is_safer": model.larger_is_safer,
                **{file: figures[file][name][model.headline] for file in files},
                "in_words": model.in_words(figures["published"][name]),
            }
            for name, model in build_models(names, registry).items()
            if all(name in figures[file] for file in files)
        ]
        return {"models": listed, **figures, **view_summary(files["published"])}
    except InputError as error:
        return {"note": str(error)}
    except Exception as error:  # a plugin's fault must not lose a search that has ended well; its text may hold records
        return {"note": f"A privacy model failed: {type(error).__name__}."}
