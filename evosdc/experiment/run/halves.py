"""Half of the people, protected by the plan of a run: what judges by members and others attack.

A published file tells of its people what it tells of anybody like them, and what it gives away of them alone. Only
people who are not in it show the difference. So the plan of the run protects one half of them, and both are attacked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from evosdc.assess.judge import second_opinions
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import first_state, search
from evosdc.engine.stop import Stop
from evosdc.errors import EvosdcError, Fault, InputError, ParameterError
from evosdc.experiment.assembly import Assembly, assembled_like
from evosdc.experiment.experiment import Start
from evosdc.experiment.maskings import MaskingEntry
from evosdc.experiment.published_file import published_file
from evosdc.experiment.recipe import read_recipe
from evosdc.experiment.start import starting_individual
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import RECIPE, RESULT, RunFolder
from evosdc.secret import Key, Purpose, Seed, judging_seed, stream
from evosdc.table.role_assignment import assign_known
from evosdc.table.schema import Role
from evosdc.table.table import Rows, Table
from evosdc.time_limit import DeadlineOver, time_limited

# Generations of the search on a half at most, and seconds: a quick form, which is stated beside the figures.
GENERATIONS, SECONDS = 100, 20.0

FEWEST = 100  # records from which halves say something
_HALVES, _KEY = 21, 22  # addresses of the halves and of what the plan draws from on one of them


@dataclass(frozen=True, eq=False)
class HalfRelease:
    """A half of the people as the plan protects it, and the other half."""

    members: Table
    others: Table
    published: Table  # the masked attributes of the members, record by record
    generations: int
    evaluations: int
    seconds: float


def plan_of(folder: RunFolder, best: Mapping[str, Any] | None) -> tuple[MaskingEntry, ...]:
    """Return what the search of a run began with, at its tuned parameters: the best masking, and the evolved plan."""
    entries = [] if best is None else [_entry(best)]
    recipe = folder.file(RECIPE)
    if recipe.exists():
        entries.append(read_recipe(Path(recipe)).entry)
    return tuple(entries)


def _entry(told: Mapping[str, Any]) -> MaskingEntry:
    own = {key: told[key] for key in ("method", "attributes", "by", "right_labels", "move_values") if told.get(key)}
    then = [_entry(step) for step in told.get("then", ())]
    return MaskingEntry(**own, **dict(told.get("params", {})), **({"then": tuple(then)} if then else {}))


def halves_of(records: int, seed: Seed) -> tuple[Rows, Rows]:
    """Return the positions of two halves of the records, each ascending."""
    order = stream(judging_seed(seed), Purpose.JUDGE, _HALVES).permutation(records).astype(np.intp)
    return np.sort(order[: records // 2]), np.sort(order[records // 2 :])


def half_release(
    assembly: Assembly, plan: tuple[MaskingEntry, ...], generations: int, seconds: float | None = None
) -> HalfRelease:
    """Return a half of the people as the plan of a run protects it: the start at its parameters, then the search."""
    began = monotonic()
    records = len(assembly.source.table)
    if records < FEWEST:
        raise ParameterError(Fault("halves", f"{records} records", f"at least {FEWEST}"))
    if assembly.problem.genotype.generalises:
        given = f"genotype {assembly.experiment.genotype.name}"
        raise ParameterError(Fault("halves", given, "one that publishes the original's own categories"))
    first, second = halves_of(records, assembly.seed)
    experiment = assembly.experiment
    if plan:
        experiment = experiment.model_copy(update={"start": Start(methods=plan)})
    elif experiment.start is not None:
        experiment = experiment.model_copy(
            update={"start": experiment.start.model_copy(update={"tuned": None, "planned": None, "files": ()})}
        )
    seed = assembly.seed
    own = assembled_like(
        assembly, experiment, first, seed.derived(Purpose.JUDGE, _KEY) if isinstance(seed, Key) else seed
    )
    problem, rule = own.problem, own.experiment.on_error.rule
    started = [starting_individual(problem, own.plan, place, rule) for place in range(own.plan.candidates)]
    state = first_state(own.algorithm, started)
    evaluator = Evaluator(problem, None, None, rule)
    evaluator.remember(started)
    stop = Stop(generations=min(generations, GENERATIONS), seconds=min(SECONDS, seconds or SECONDS))
    if stop.generations:
        state, _ = search(own.algorithm, evaluator, problem.streams, stop, state, lambda state, record: None)
    best = own.algorithm.solution(state.population, state.best)
    masked = problem.decode(best.genome, best.key)
    whole = assembly.source.table
    progress = state.progress
    return HalfRelease(
        whole.take(first), whole.take(second), masked, progress.generation, progress.evaluations, monotonic() - began
    )


def members_opinion(
    assembly: Assembly,
    plan: tuple[MaskingEntry, ...],
    generations: int,  # of the run
    until: Callable[[], float | None] = lambda: None,
) -> dict[str, Any] | None:
    """Return what judges by members and others say of the plan of a run, JSON-able; None where nothing is sensitive."""
    # ``judges`` as in a second opinion, ``not_applicable``, ``members`` and ``others`` (how many people), and the
    # ``generations``, ``evaluations`` and ``seconds`` of the search on the half; or ``not_checked``: why nobody was
    # asked.
    if not assembly.source.table.schema.with_role(Role.SENSITIVE):
        return None
    left = until()
    if left is not None and left < 1.0:
        return {"not_checked": "the time given was over before"}
    try:
        with time_limited(None if left is None else 0.7 * left, DeadlineOver):
            half = half_release(assembly, plan, generations, None if left is None else 0.3 * left)
    except DeadlineOver:
        return {"not_checked": "the time given was too short to protect half of the people by the same plan"}
    except InputError as error:
        fault = error.faults[0]
        return {"not_checked": f"given {fault.given}; wanted {fault.wanted}"}
    except EvosdcError as error:
        return {"not_checked": f"half of the people cannot be protected by the same plan ({type(error).__name__})"}
    protect, registry = assembly.microdata.protect, assembly.registry
    members, others = (assign_known(table, protect) for table in (half.members, half.others))
    asked = [*registry.defaults("measure", "members"), *_with_baseline(assembly)]
    found = second_opinions(
        members,
        {"": members.with_columns(half.published)},
        protect,
        registry=registry,
        judges=asked,
        seed=judging_seed(assembly.seed),
        in_order=False,
        until=until,
        others=others,
    )[""].to_json()
    return {
        "judges": found["judges"],
        "not_applicable": found["not_applicable"],
        "members": len(members),
        "others": len(others),
        "generations": half.generations,
        "evaluations": half.evaluations,
        "seconds": round(half.seconds, 1),
    }


def members_of(path: Path, registry: Registry) -> dict[str, Any] | None:
    """Return `members_opinion` of a run that has ended."""
    folder = RunFolder(path)
    assembly = published_file(path, registry).assembly
    result = folder.read_object(RESULT, "best")
    return members_opinion(
        assembly, plan_of(folder, result.get("portfolio", {}).get("best")), int(result.get("generations", 0))
    )


def _with_baseline(assembly: Assembly) -> list[str]:
    """Return the judges of attributes told whose chance is people who are not in the file."""
    registry = assembly.registry
    names = registry.defaults("measure", "judge")
    return [name for name in names if getattr(registry.spec("measure", name), "family", "") == "attribution"]
