"""The plugin contract, on one page.

A plugin is a module or package that a distribution names under the entry-point group ``evosdc``::

    [options.entry_points]
    evosdc =
        hospital = evosdc_hospital

and that implements some of the hooks below, each marked with `hookimpl`. *Offers* are plural nouns without arguments
and yield specs (`evosdc.specs`). *Events* are in the past tense; they receive what happened and cannot change it: an
event hook that raises is reported and ignored.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pluggy

from evosdc.specs import (
    AlgorithmSpec,
    DatasetSpec,
    ExecutorSpec,
    FitnessSpec,
    FormatSpec,
    GenotypeSpec,
    LimitSpec,
    MaskingMethodSpec,
    MeasureSpec,
    OperatorSpec,
    PictureSpec,
    PortfolioSpec,
    PrivacyModelSpec,
)

if TYPE_CHECKING:
    import click

PROJECT = "evosdc"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def evosdc_masking_methods() -> Iterable[MaskingMethodSpec]:  # type: ignore[empty-body]
    """Offer masking methods.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_masking_methods():
    ...     yield MaskingMethodSpec(
    ...         name="shuffle", implementation="evosdc_hospital.shuffle:Shuffle", summary="Permute each attribute."
    ...     )
    """


@hookspec
def evosdc_measures() -> Iterable[MeasureSpec]:  # type: ignore[empty-body]
    """Offer measures of information loss, disclosure risk or privacy.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_measures():
    ...     yield MeasureSpec(
    ...         name="share-changed", implementation="evosdc_hospital.share:ShareChanged", kind="il",
    ...         summary="Percentage of cells that differ from the original.",
    ...     )
    """


@hookspec
def evosdc_privacy_models() -> Iterable[PrivacyModelSpec]:  # type: ignore[empty-body]
    """Offer privacy models: what one file, taken by itself, reveals.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_privacy_models():
    ...     yield PrivacyModelSpec(
    ...         name="share-unique", implementation="evosdc_hospital.unique:ShareUnique",
    ...         summary="Percentage of records that no other one equals.",
    ...     )
    """


@hookspec
def evosdc_fitnesses() -> Iterable[FitnessSpec]:  # type: ignore[empty-body]
    """Offer ways of combining scores into objectives.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_fitnesses():
    ...     yield FitnessSpec(name="product", implementation="evosdc_hospital.fitness:Product", summary="IL times DR.")
    """


@hookspec
def evosdc_genotypes() -> Iterable[GenotypeSpec]:  # type: ignore[empty-body]
    """Offer genotypes.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_genotypes():
    ...     yield GenotypeSpec(
    ...         name="rules", implementation="evosdc_hospital.rules:Rules", summary="A list of recoding rules."
    ...     )
    """


@hookspec
def evosdc_algorithms() -> Iterable[AlgorithmSpec]:  # type: ignore[empty-body]
    """Offer search algorithms.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_algorithms():
    ...     yield AlgorithmSpec(
    ...         name="annealing", implementation="evosdc_hospital.annealing:Annealing", summary="Simulated annealing."
    ...     )
    """


@hookspec
def evosdc_operators() -> Iterable[OperatorSpec]:  # type: ignore[empty-body]
    """Offer operators of variation and selection, which experiments name under ``operators``.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_operators():
    ...     yield OperatorSpec(
    ...         name="blur", implementation="evosdc_hospital.blur:blur", varies="mutate", summary="Blur a genome."
    ...     )
    """


@hookspec
def evosdc_executors() -> Iterable[ExecutorSpec]:  # type: ignore[empty-body]
    """Offer ways of running tasks in parallel.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_executors():
    ...     yield ExecutorSpec(
    ...         name="grid", implementation="evosdc_hospital.grid:Grid", summary="The hospital's batch system."
    ...     )
    """


@hookspec
def evosdc_datasets() -> Iterable[DatasetSpec]:  # type: ignore[empty-body]
    """Offer data sets by name.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_datasets():
    ...     yield DatasetSpec(
    ...         name="ward", implementation="evosdc_hospital.ward:load", summary="A made-up ward.",
    ...         records=200, attributes=9, licence="CC0",
    ...     )
    """


@hookspec
def evosdc_formats() -> Iterable[FormatSpec]:  # type: ignore[empty-body]
    """Offer formats of data files: what reads one as a table, and writes it back with masked values in place.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_formats():
    ...     yield FormatSpec(
    ...         name="charts", implementation="evosdc_hospital.charts:parse", summary="Charts of the ward.",
    ...         suffixes=(".chart",),
    ...     )
    """


@hookspec
def evosdc_pictures() -> Iterable[PictureSpec]:  # type: ignore[empty-body]
    """Offer pictures of protected files; a finished run asks all plugins, and its report shows them.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_pictures():
    ...     yield PictureSpec(
    ...         name="ward-plan", implementation="evosdc_hospital.plan:pictures", summary="Where patients lie."
    ...     )
    """


@hookspec
def evosdc_portfolios() -> Iterable[PortfolioSpec]:  # type: ignore[empty-body]
    """Offer portfolios: lists of masking methods with parameters that start a search.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_portfolios():
    ...     yield PortfolioSpec(
    ...         name="gentle", implementation="evosdc_hospital.portfolio:gentle", summary="Light protections only."
    ...     )
    """


@hookspec
def evosdc_limits() -> Iterable[LimitSpec]:  # type: ignore[empty-body]
    """Offer limits: what no masked file of an original beats, whatever the method, under some measures.

    A finished run asks all plugins, with its measures and a time; the first answer is in its result and report.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_limits():
    ...     yield LimitSpec(
    ...         name="entropy", implementation="evosdc_hospital.limit:limit", summary="What entropies leave open."
    ...     )
    """


@hookspec
def evosdc_commands(cli: "click.Group") -> None:
    """Add commands to the command line.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_commands(cli):
    ...     @cli.command()
    ...     def hello():
    ...         click.echo("hello")
    """


@hookspec
def evosdc_run_started(run: Mapping[str, Any]) -> None:
    """Called when a run begins; `run` holds title, folder, genotype, fitness, algorithm and the public seed, if any.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_run_started(run):
    ...     print("begin", run["title"])
    """


@hookspec
def evosdc_generation_done(run: Mapping[str, Any], record: Mapping[str, Any]) -> None:
    """Hear that a generation is complete; `record` is the line that the journal got.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_generation_done(run, record):
    ...     print(record["generation"], record["best"])
    """


@hookspec
def evosdc_run_finished(run: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    """Hear that a run has ended; `result` is the content of ``result.json``.

    Example
    -------
    >>> @hookimpl
    ... def evosdc_run_finished(run, result):
    ...     print("best", result["best"]["fitness"])
    """


EVENTS: tuple[str, ...] = ("evosdc_run_started", "evosdc_generation_done", "evosdc_run_finished")
