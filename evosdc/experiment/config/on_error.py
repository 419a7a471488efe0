"""What an experiment says of evaluations that fail."""

from typing import Any, Literal

from pydantic import Field, model_validator

from evosdc.engine.failures import ErrorRule
from evosdc.model import Parameters


class OnError(Parameters):
    """What becomes of an evaluation that fails: ``"penalise"``, or ``{ action = "retry", times = 3 }``."""

    action: Literal["raise", "penalise", "retry"] = Field(
        "raise",
        description="end the run; go on, the candidate being the worst there can be; or try again, then end the run",
    )
    times: int = Field(2, ge=1, le=100, description="further tries of retry")

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"action": value} if isinstance(value, str) else value

    @property
    def rule(self) -> ErrorRule:
        """The entry as the engine's own class."""
        return ErrorRule(self.action, self.times)
