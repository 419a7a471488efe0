"""When a search ends, as an experiment says it."""

from typing import Any

from pydantic import Field, field_validator

from evosdc.model import Parameters


class Settling(Parameters):
    """When a front counts as settled: ``0.01``, or ``{ tolerance = 0.01, generations = 100 }``."""

    tolerance: float = Field(ge=0, description="growth of the hypervolume, in per cent of the box, that is none")
    generations: int = Field(50, ge=1, description="generations with no more than that, altogether")


class StopRule(Parameters):
    """Limits of the search; the first one reached ends it."""

    generations: int | None = Field(None, ge=0, description="of the algorithm; 500 where nothing else ends the search")
    evaluations: int | None = Field(None, ge=1, description="files that are judged, those known already included")
    seconds: float | None = Field(
        None, gt=0, description="of tuning, start and search; the result then depends on the machine's speed"
    )
    whole: float | None = Field(
        None, gt=0, description="seconds of the run all told, with judges, result and report; likewise"
    )
    stalled: int | None = Field(None, ge=1, description="generations without improvement")
    target: float | None = Field(
        None, description="objective of the best file (with several: the greatest one) at which the search is content"
    )
    diversity: float | None = Field(
        None, ge=0, description="mean distance between members of the population, in the genotype's own units"
    )
    hypervolume: Settling | None = Field(
        None, description="the search ends when the front's hypervolume grows no more: a tolerance, or a table"
    )

    @field_validator("hypervolume", mode="before")
    @classmethod
    def _from_tolerance(cls, value: Any) -> Any:
        return {"tolerance": value} if isinstance(value, int | float) and not isinstance(value, bool) else value
