"""Hooks of the measures of loss and risk, and of the fitnesses that combine them; imports nothing heavy."""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import FitnessSpec, MeasureSpec
from evosdc_measures import analysis_loss, categorical_loss, interval_disclosure, linkage, numeric_loss


@hookimpl
def evosdc_measures() -> Iterator[MeasureSpec]:
    """Offer the measures of this package, family by family."""
    for family in (categorical_loss, numeric_loss, analysis_loss, interval_disclosure, linkage):
        yield from family.SPECS
    scales = ("nominal", "ordinal", "numeric")
    yield MeasureSpec(
        name="impossible-records", implementation="evosdc_measures.validity:ImpossibleRecords",
        summary="Records with a combination that never occurs in the original, or that break an edit rule: per cent.",
        source="edit rules: Fellegi and Holt (1976); structural zeros found by margins: reconstruction",
        kind="model", scales=scales,
    )  # fmt: skip
    yield MeasureSpec(
        name="suppression", implementation="evosdc_measures.validity:Suppression",
        summary="Values of the original that the masked file leaves out: per cent.",
        source="Willenborg and de Waal (2001)", kind="model", scales=scales,
    )  # fmt: skip


@hookimpl
def evosdc_fitnesses() -> Iterator[FitnessSpec]:
    """Offer the two scalar fitnesses of the thesis, a weighted one, and that of several objectives."""
    yield FitnessSpec(
        name="mean", implementation="evosdc_measures.fitness:Mean",
        summary="Mean of information loss and disclosure risk.",
        meaning="the mean of IL and DR", source="thesis, Eq. 3.2", default_for=("experiment",),
    )  # fmt: skip
    yield FitnessSpec(
        name="max", implementation="evosdc_measures.fitness:Max",
        summary="Greater of information loss and disclosure risk, which favours balance.",
        meaning="the greater of IL and DR", source="thesis, Eq. 3.4", default_for=("balance",),
    )  # fmt: skip
    yield FitnessSpec(
        name="loss", implementation="evosdc_measures.fitness:Loss",
        summary="Information loss alone: risk is kept below bounds, by --audience or constraints.",
        meaning="IL, with the risk below its bounds", source="design: the least loss of a file that may be published",
        default_for=("protect",),
    )  # fmt: skip
    yield FitnessSpec(
        name="weighted", implementation="evosdc_measures.fitness:Weighted",
        summary="Weighted mean of information loss and disclosure risk, or of single measures.",
        meaning="the weighted mean of IL and DR, or of single measures, with the weights among the settings",
        source="Domingo-Ferrer, Torra (2001), whose score weighs its components.",
    )  # fmt: skip
    yield FitnessSpec(
        name="pareto", implementation="evosdc_measures.fitness:Pareto",
        summary="Information loss and disclosure risk, or every measure, as objectives of their own: a whole front.",
        source="Deb et al. (2002) for the use of several objectives.",
    )  # fmt: skip
