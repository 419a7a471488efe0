"""The guard of searches for transition matrices: no winner may be a mere relabelling."""

from evosdc.experiment.config.experiment import Experiment, MeasureEntry, Measures
from evosdc.model import PostRandomised
from evosdc.plugins.registry import Registry

NO_BOUND = 100.0
"""Per cent of the records from which there is nothing to guard."""


def guarded(experiment: Experiment, genotype: object, registry: Registry) -> Experiment:
    """Return an experiment in which matrices are bounded in the harms that plugins offer, relabelling for one.

    What bounds a harm already stays as it is, so that an experiment may be stricter or looser; so does an experiment
    with another kind of genotype, or with a genotype that is told to guard nothing.

    Parameters
    ----------
    experiment : Experiment
        With measures.
    genotype : object
        Not yet built, if it is None: then there is nothing to guard.
    registry : Registry
    """
    measures = experiment.measures
    if not isinstance(genotype, PostRandomised) or measures is None or genotype.most_relabelled >= NO_BOUND:
        return experiment
    bounded = {text.partition("<")[0].strip() for text in experiment.constraints}
    harms = [name for name in registry.defaults("measure", "harm") if name not in bounded]
    taken = {measure.name for measure in measures.all}
    others = [*measures.other, *(MeasureEntry(name=name) for name in harms if name not in taken)]
    limits = [f"{name} <= {genotype.most_relabelled:g}" for name in harms]
    judged = Measures.model_validate({**dict(measures), "other": tuple(others)})
    return experiment.model_copy(update={"measures": judged, "constraints": (*experiment.constraints, *limits)})
