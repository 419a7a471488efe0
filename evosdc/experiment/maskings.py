"""Masking methods in an experiment file: entries of a start, and the wish to have methods tuned."""

import shlex
from typing import Any

from pydantic import ConfigDict, Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Masking, Parameters
from evosdc.options.written import listed, parameters


class MaskingEntry(Parameters):
    """One masking method of a start: ``{ method = "mdav", k = 3, attributes = ["age"], by = ["region"] }``."""

    # Further steps are applied to what it makes: ``then = [{ method = "pram", design = "a" }]``.

    model_config = ConfigDict(extra="allow", frozen=True)

    method: str = Field(description="a registered masking method")
    attributes: tuple[str, ...] = Field((), description="attributes that it masks; default: all protected ones")
    by: tuple[str, ...] = Field((), description="attributes of the file that form strata, each masked on its own")
    then: "tuple[MaskingEntry, ...]" = Field((), description="further steps, each applied to what the one before made")
    draw: int | None = Field(
        None, ge=0, description="take the file that `evosdc mask --draw` makes of the run's key or seed; default: any"
    )

    right_labels: tuple[str, ...] = Field(
        (), description="attributes to publish, after the last step, under the labels that most of their records have"
    )
    move_values: tuple[str, ...] = Field(
        (), description="attributes whose rare values, where they were kept, change places after all else"
    )

    @property
    def masking(self) -> Masking:
        """The entry as the portfolio's own class."""
        then = tuple(step.masking for step in self.then)
        return Masking(
            self.method, dict(self.model_extra or {}), self.attributes, self.by, then, self.draw,
            self.right_labels, self.move_values,
        )  # fmt: skip

    @classmethod
    def of(cls, masking: Masking) -> "MaskingEntry":
        """Return the entry of a masking."""
        then = tuple(cls.of(step) for step in masking.then)
        own = {"attributes": masking.attributes, "by": masking.by, "then": then, "draw": masking.draw}
        own |= {"right_labels": masking.right_labels, "move_values": masking.move_values}
        return cls(method=masking.method, **own, **masking.params)


def step_of(text: str) -> dict[str, Any]:
    """Return a further step, given as a method and its parameters, as an experiment file would say it."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ParameterError(Fault("--then", repr(text), "METHOD KEY=VALUE ...", f"{error}.")) from None
    if not words:
        raise ParameterError(Fault("--then", "nothing", "METHOD KEY=VALUE ..."))
    method, *settings = words
    own = {key: listed(value) for key, _, value in (s.partition("=") for s in settings) if key in ("attributes", "by")}
    params = parameters(s for s in settings if s.partition("=")[0] not in own)
    return {**params, "method": method, **own}


class PlannedStart(Parameters):
    """How much of a search goes to evolving a protection plan, whose file then starts it."""

    share: float = Field(0.1, gt=0, le=1, description="of the seconds and evaluations at which the search stops")
    evaluations: int | None = Field(None, ge=1, description="plans to evaluate at most, in place of the share")
    seconds: float | None = Field(
        None, gt=0, description="likewise; the result then depends on the machine's speed, as with stop.seconds"
    )
    files: int = Field(4, ge=1, description="how many files of the plan start the search, where it is random")


class TunedStart(Parameters):
    """How much of a search goes to tuning masking methods, whose best files then start it."""

    share: float = Field(0.2, gt=0, le=1, description="of the seconds and evaluations at which the search stops")
    evaluations: int | None = Field(None, ge=1, description="files to mask and judge at most, in place of the share")
    seconds: float | None = Field(
        None, gt=0, description="likewise; the result then depends on the machine's speed, as with stop.seconds"
    )
    methods: tuple[str, ...] = Field((), description="masking methods to tune; default: all that fit the file")
    files: int = Field(24, ge=1, description="how many of the best files start the search, besides each method's best")
