"""Measures of information loss and of disclosure risk, and the fitnesses that combine them.

This module holds the hooks alone and imports nothing heavy; each measure stands in a module of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import FitnessSpec, MeasureSpec

_HANDBOOK = "Domingo-Ferrer and Torra (2001); handbook chapter on disclosure risk and information loss"


@hookimpl
def evosdc_measures() -> Iterator[MeasureSpec]:
    """Offer the measures of the thesis' categorical experiments."""
    yield MeasureSpec(
        name="dbil",
        implementation="evosdc_measures.dbil:DistanceBasedLoss",
        summary="Distance-based information loss: mean distance between original and masked categories.",
        source=_HANDBOOK,
        kind="il",
    )
    yield MeasureSpec(
        name="ctbil",
        implementation="evosdc_measures.ctbil:ContingencyTableLoss",
        summary="Contingency-table-based information loss: cells moved in all tables of up to K attributes.",
        source=f"{_HANDBOOK}; bounded normalisation: reconstruction",
        kind="il",
    )
    yield MeasureSpec(
        name="ebil",
        implementation="evosdc_measures.ebil:EntropyBasedLoss",
        summary="Entropy-based information loss: uncertainty about the original category given the masked one.",
        source=f"{_HANDBOOK}; estimate from the data and normalisation: reconstruction",
        kind="il",
    )
    yield MeasureSpec(
        name="id",
        implementation="evosdc_measures.interval:IntervalDisclosure",
        summary="Interval disclosure: original categories within p per cent of ranks of the masked one, p = 1..10.",
        source="Domingo-Ferrer and Torra (2001); for categories: reconstruction",
        kind="dr",
        family="interval",
    )
    yield MeasureSpec(
        name="dbrl",
        implementation="evosdc_measures.dbrl:DistanceBasedLinkage",
        summary="Distance-based record linkage: share of records whose nearest counterpart is their own.",
        source=f"{_HANDBOOK}; credit for ties: reconstruction",
        kind="dr",
        family="linkage",
    )
    yield MeasureSpec(
        name="prl",
        implementation="evosdc_measures.prl:ProbabilisticLinkage",
        summary="Probabilistic record linkage: share of records linked to their own by agreement weights from EM.",
        source="Fellegi and Sunter (1969); Jaro (1989); credit for ties: reconstruction",
        kind="dr",
        family="linkage",
    )


@hookimpl
def evosdc_fitnesses() -> Iterator[FitnessSpec]:
    """Offer the two scalar fitnesses of the thesis."""
    yield FitnessSpec(
        name="mean",
        implementation="evosdc_measures.fitness:Mean",
        summary="Mean of information loss and disclosure risk.",
        source="thesis, Eq. 3.2",
    )
    yield FitnessSpec(
        name="max",
        implementation="evosdc_measures.fitness:Max",
        summary="Greater of information loss and disclosure risk, which favours balance.",
        source="thesis, Eq. 3.4",
    )
