"""A plugin as authors wrote it for contract 2.0: it stays as it is, and works as long as the first number is 2."""

from evosdc.model import (
    AlgorithmSpec,
    FitnessSpec,
    GenotypeSpec,
    MaskingMethodSpec,
    MeasureSpec,
    OperatorSpec,
    PrivacyModelSpec,
    hookimpl,
)

evosdc_contract = "2.0"
SCALES = ("nominal", "ordinal", "numeric")


@hookimpl
def evosdc_measures():
    yield MeasureSpec(
        name="frozen-measure",
        implementation="evosdc_frozen.measure:FrozenMeasure",
        summary="Changed cells.",
        kind="il",
        scales=SCALES,
    )


@hookimpl
def evosdc_masking_methods():
    yield MaskingMethodSpec(
        name="frozen-method",
        implementation="evosdc_frozen.method:FrozenMethod",
        summary="Permuted values.",
    )


@hookimpl
def evosdc_genotypes():
    yield GenotypeSpec(
        name="frozen-genotype",
        implementation="evosdc_frozen.genotype:FrozenGenotype",
        summary="Suppressed cells.",
    )


@hookimpl
def evosdc_algorithms():
    yield AlgorithmSpec(
        name="frozen-algorithm",
        implementation="evosdc_frozen.algorithm:FrozenAlgorithm",
        summary="Mutants.",
    )


@hookimpl
def evosdc_operators():
    yield OperatorSpec(
        name="frozen-operator",
        implementation="evosdc_frozen.operator:flipped",
        summary="One cell flipped.",
        varies="mutate",
    )


@hookimpl
def evosdc_privacy_models():
    yield PrivacyModelSpec(
        name="frozen-model",
        implementation="evosdc_frozen.model:FrozenModel",
        summary="Records alone.",
    )


@hookimpl
def evosdc_fitnesses():
    yield FitnessSpec(name="frozen-fitness", implementation="evosdc_frozen.fitness:FrozenFitness", summary="IL + DR.")


@hookimpl
def evosdc_run_finished(run, result):
    HEARD.append(result["digest"])


HEARD = []
