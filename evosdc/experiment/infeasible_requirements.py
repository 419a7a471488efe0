"""Why requirements were missed, as far as it can be known, and which no starting file keeps."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from evosdc.assess.verdict import unmasked_causes
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.default_constraints import MOST_HARM, aims_among, with_origins
from evosdc.experiment.start import met_before_and_after
from evosdc.model import Seedable, matrices_of
from evosdc.model.constraint import Constraints
from evosdc.model.individual import INFEASIBILITY
from evosdc.time_limit import DeadlineOver, time_limited

MOST_AGAIN = 12  # starting files that are masked once more, to tell whether rules of records are the cause


def missed_by_all(constraints: Constraints, judged: Sequence[Mapping[str, float]], own: Sequence[str] = ()) -> str:
    """Return a sentence on requirements that no starting file keeps, with the best value; empty where one keeps all."""
    known = [scores for scores in judged if all(one.figure_name in scores for one in constraints.listed)]
    if not known or any(scores.get(INFEASIBILITY, 0.0) == 0.0 for scores in known):
        return ""
    required: list[str] = []
    limits: list[str] = []
    for one in constraints.listed:
        nearest = (min if one.operator == "<=" else max)(scores[one.figure_name] for scores in known)
        if one.excess(nearest) > 0.0:
            (limits if str(one) in own else required).append(f"{one} (the nearest has {nearest:.3g})")
    missed = required or [f"{text}, which evosdc asks of every file" for text in limits]
    what = f"keeps {' or '.join(missed)}" if missed else "keeps all requirements at once"
    return (
        f"no starting file {what}; the search goes there first, and may not come so far. Masking more attributes, or "
        "asking for less, helps"
    )


def traced(assembly: Assembly, judged: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return judged requirements; ``own`` says whether evosdc set them itself, without a request."""
    genotype = assembly.problem.genotype
    drawing = matrices_of(genotype)
    most_harm = MOST_HARM if drawing is None else drawing.most_relabelled
    experiment, registry = assembly.experiment, assembly.registry
    aims = aims_among(experiment.constraints, registry, experiment.goal)
    return with_origins(judged, registry, most_harm, aims, experiment.accepted)


def causes_of(
    assembly: Assembly, evaluated: int, judged: Sequence[Mapping[str, Any]], seconds: float | None = None
) -> list[str]:
    """Return a sentence for each possible cause of missed requirements on privacy models."""
    # Causes are unmasked quasi-identifiers, and rules of records whose repair made starting files miss requirements
    # that they had fulfilled.
    causes = unmasked_causes(judged)
    with suppress(DeadlineOver), time_limited(seconds, DeadlineOver):
        causes = [*causes, *_rules_cause(assembly, evaluated, judged)]
    return list(causes)


def _rules_cause(assembly: Assembly, evaluated: int, judged: Sequence[Mapping[str, Any]]) -> list[str]:
    problem, rules = assembly.problem, assembly.microdata.rules
    missed = any(not entry["met"] and "unmasked" in entry for entry in judged)
    if rules is None or not missed or not isinstance(problem.genotype, Seedable):
        return []
    files, before, after = met_before_and_after(problem, assembly.plan, evaluated, MOST_AGAIN)
    if before <= after:
        return []
    kinds = [*(["structural zeros"] if rules.zeros else []), *(["edit rules"] if rules.edit_rules else [])]
    advice = " Without them (--no-structural-zeros) such records are published." if rules.zeros else ""
    return [
        f"A cause: of {files} starting files {before} met what privacy models ask for before records that "
        f"{' and '.join(kinds)} forbid were put right, and {after} afterwards.{advice}"
    ]
