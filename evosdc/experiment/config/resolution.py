"""An experiment with nothing left unsaid: every default filled in, so that it can be repeated and read."""

from collections.abc import Iterator
from typing import Any

import tomli_w

from evosdc._version import __version__
from evosdc.experiment.config.experiment import ExecutorChoice, Experiment, MeasureEntry, Named, Start
from evosdc.model.constraint import Constraint, without_publishable
from evosdc.plugins.nested import nested
from evosdc.plugins.registry import Registry


def resolve(experiment: Experiment, registry: Registry, protect: tuple[str, ...], start: Start | None) -> Experiment:
    """Return the experiment with the parameters of everything that it names, and the attributes that it protects.

    Parameters
    ----------
    experiment : Experiment
        Valid: its names are registered and its parameters accepted; with measures, as the assembly leaves it.
    registry : Registry
    protect : tuple of str
        The attributes protected in fact.
    start : Start, or None
        What the search starts from in fact.
    """
    measures = experiment.measures
    assert measures is not None, "the assembly fills in the measures"
    listed = {
        group: tuple(
            MeasureEntry(of=m.of, **_measure(registry, m, experiment.seed).model_dump())
            for m in getattr(measures, group)
        )
        for group in ("il", "dr", "other")
    }
    fitness = experiment.fitness
    if fitness.name in registry.names("fitness"):
        fitness = _filled(registry, "fitness", fitness)
    executor = _filled(registry, "executor", Named(name=experiment.executor.name, **experiment.executor.params))
    return experiment.model_copy(
        update={
            "title": experiment.heading,
            "data": experiment.data.model_copy(update={"protect": protect}),
            "genotype": _filled(registry, "genotype", experiment.genotype),
            "start": start,
            "measures": measures.model_copy(update=listed),
            "fitness": fitness,
            "algorithm": _filled(registry, "algorithm", experiment.algorithm),
            "executor": ExecutorChoice(
                name=executor.name,
                workers=experiment.executor.workers,
                grain=experiment.executor.grain,
                **executor.params,
            ),
        }
    )


def with_executor(
    experiment: Experiment, registry: Registry, name: str | None, workers: int | None, hosts: str | None
) -> Experiment:
    """Return the experiment on another executor, or with other workers or hosts; None leaves what it says.

    Of its parameters those are kept that the other executor has as well. No result depends on any of this.

    Raises
    ------
    InputError
        There is no such executor, or it has no hosts.
    """
    chosen = experiment.executor
    name = name or chosen.name
    fields = registry.implementation("executor", name).Params.model_fields
    known = {field.alias or key for key, field in fields.items()}
    params = {key: value for key, value in chosen.params.items() if name == chosen.name or key in known}
    params |= {} if hosts is None else {"hosts": hosts}
    registry.parameters("executor", name, params)
    other = ExecutorChoice(name=name, workers=workers or chosen.workers, grain=chosen.grain, **params)
    return experiment.model_copy(update={"executor": other})


def named_in(experiment: Experiment, registry: Registry) -> Iterator[tuple[str, str]]:
    """Yield kind and name of everything registered that an experiment uses and a result depends on."""
    yield "genotype", experiment.genotype.name
    algorithm: Named | None = experiment.algorithm
    while algorithm is not None:
        yield "algorithm", algorithm.name
        inner = (_inner(value, registry) for value in algorithm.params.values())
        algorithm = next((found for found in inner if found is not None), None)
    for measure in experiment.measures.all if experiment.measures is not None else ():
        yield "measure", measure.name
    for text in without_publishable(experiment.constraints)[0]:
        name = Constraint.parse(text).name
        if name in registry.names("privacy-model"):
            yield "privacy-model", name
    start = experiment.start
    if start is not None:
        if start.portfolio is not None:
            yield "portfolio", start.portfolio
        tuned = () if start.tuned is None else start.tuned.methods or registry.names("masking-method")
        steps = [step for entry in start.methods for step in entry.masking.steps]
        listed = [name for step in steps for name, _ in nested(registry, step.method, step.params)]
        for method in dict.fromkeys([*listed, *tuned]):
            yield "masking-method", method
    if experiment.data.name is not None:
        yield "dataset", experiment.data.name


def experiment_text(experiment: Experiment) -> str:
    """Return an experiment as the text of an experiment file that repeats it from any folder."""
    document: dict[str, Any] = experiment.model_dump(mode="json", by_alias=True, exclude_none=True)
    if not document["sweep"]:
        del document["sweep"]
    drawn = " --key FILE" if experiment.seed is None else ""
    return f"# As run by evosdc {__version__}; `evosdc run{drawn}` on this file repeats it.\n{tomli_w.dumps(document)}"


def _measure(registry: Registry, named: Named, seed: int | None) -> Named:
    """Return a measure with its parameters; what it draws by comes from the key of a run that has no public seed."""
    full = _filled(registry, "measure", named)
    if seed is not None or "seed" in named.params:
        return full
    return Named(name=full.name, **{key: value for key, value in full.params.items() if key != "seed"})


def _filled(registry: Registry, kind: str, named: Named) -> Named:
    full = registry.parameters(kind, named.name, named.params).model_dump(mode="json", exclude_none=True)
    for key, value in full.items():
        if kind == "algorithm" and (inner := _inner(value, registry)) is not None:
            full[key] = {"name": inner.name, **_filled(registry, kind, inner).params}
    return Named(name=named.name, **full)


def _inner(value: Any, registry: Registry) -> Named | None:
    """Return the algorithm that a parameter of an algorithm names (`islands`, `memetic`); None where it names none."""
    if not isinstance(value, dict) or value.get("name") not in registry.names("algorithm"):
        return None
    return Named.model_validate(value)
