"""What a report tells of the best file of a run, of any other member of its front."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from evosdc.assess.classes import cross_tables
from evosdc.assess.intruder import found_by_intruder
from evosdc.assess.judge import second_opinions
from evosdc.assess.utility import analyses
from evosdc.engine.choice import Choice
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.run.export import Member, front_member
from evosdc.experiment.run.opinion import claims_of, used_judges
from evosdc.experiment.run.summaries import scored
from evosdc.model import Generalising, Individual
from evosdc.plugins.registry import Registry
from evosdc.secret import judging_seed
from evosdc.table.role_assignment import assign_known
from evosdc.table.table import Table


def member_findings(
    path: Path,
    member: Member | Choice,
    registry: Registry,
    judge: bool = False,
    answered: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Return what is to be known of a member of the front before it is published.

    Parameters
    ----------
    path : Path
        The run folder.
    member : int, "best" or Choice
        Its position in ``front.csv``, or which one it is.
    registry : Registry
    judge : bool
        Whether judges that the search did not use are asked.
    answered : callable, optional
        Told how many of how many judges have answered.

    Returns
    -------
    dict
        ``member origin scores fitness protect cross_tables analyses records``, keys as in ``release.json``; with
        `judge` also ``second_opinion``.

    Raises
    ------
    InputError
        As `front_member`; or judges are asked of a file whose values were generalised, which they cannot read.
    """
    assembly, individual, member = front_member(path, member, registry)
    problem, microdata = assembly.problem, assembly.microdata
    masked = problem.decode(individual.genome, individual.key)
    genotype = problem.genotype
    omitted = genotype.omitted(individual.genome) if isinstance(genotype, Generalising) else None
    whole, shown = assembly.source.table, masked.without(omitted)
    original, published = whole.without(omitted), whole.with_columns(masked).without(omitted)
    document: dict[str, Any] = {
        "member": member,
        "origin": individual.origin,
        **scored(individual),
        "protect": list(microdata.protect),
        "cross_tables": cross_tables(original, published, microdata.protect) if len(shown) else [],
        "analyses": analyses(original, published, microdata.protect) if len(shown) else {},
        "records": None,
    }
    comparable = masked.schema == microdata.original.schema
    if comparable and len(shown):
        measures = assembly.experiment.measures
        params = {m.name: m.params for m in measures.all} if measures is not None else {}
        found = found_by_intruder(original, shown, microdata.protect, registry, params)
        document["records"] = found.to_json() if found is not None else None
    if judge:
        document["second_opinion"] = _opinion(assembly, individual, masked, registry, answered)
    return document


def _opinion(
    assembly: Assembly,
    individual: Individual,
    masked: Table,
    registry: Registry,
    answered: Callable[[int, int], None] | None,
) -> dict[str, Any]:
    found = second_opinions(
        assign_known(assembly.source.table, assembly.microdata.protect),
        {"": assembly.source.published(masked)},
        assembly.microdata.protect,
        registry=registry,
        without=used_judges(assembly.experiment, registry),
        claimed={"": claims_of(individual.scores, assembly.experiment, registry)},
        seed=judging_seed(assembly.seed),
        answered=answered,
        in_order=not assembly.experiment.data.shuffle,
    )
    return found[""].to_json()
