"""When a search ends."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come."""

    # Completed; evaluations count every requested candidate, duplicates too, so that the count does not depend
    # on what happens to be in the cache.
    generation: int = 0
    evaluations: int = 0
    seconds: float = 0.0  # spent so far, over all resumes
    stalled: int = 0  # generations since the best objective (or, with several objectives, the front) last changed
    # Objective of the best candidate, or with several objectives the greatest coordinate of the balanced one
    # (`evosdc.model.individual.precedence_of`); infinite while no candidate fulfils the constraints.
    best: float = float("inf")
    diversity: float | None = None  # of the population: mean distance between members, in the units of the genotype
    # Of the evaluations, those that failed and count as the worst there can be (`evosdc.engine.failures`).
    failed: int = 0
    # Hypervolume of the front when it last grew by more than `Stop.tolerance`; None where nothing asks for it.
    volume: float | None = None
    settled: int = 0  # generations since then


@dataclass(frozen=True, slots=True)
class Stop:
    """Limits; the search ends at the first that is reached. None for no limit."""

    generations: int | None = None
    evaluations: int | None = None
    seconds: float | None = None  # the only limit that makes a result depend on the speed of the machine
    stalled: int | None = None  # generations without improvement
    target: float | None = None  # what `Progress.best` has to come down to
    # Mean distance between members of the population below which nothing new is to be expected.
    diversity: float | None = None
    tolerance: float | None = None  # growth of the front's hypervolume, in per cent of the box, that is as good as none
    settled: int = 50  # generations with no more than that, altogether, after which the search ends

    def followed(self, before: Progress, volume: float | None) -> tuple[float | None, int]:
        """Return `volume` and `settled` of the progress after a generation, from those before it."""
        if self.tolerance is None or volume is None:
            return None, 0
        if before.volume is None or abs(volume - before.volume) > self.tolerance:
            return volume, 0
        return before.volume, before.settled + 1

    @property
    def time_over(self) -> str | None:
        """What `reason` says when the time is over; None where there is no limit of time."""
        return None if self.seconds is None else f"{self.seconds:g} seconds"

    def reason(self, progress: Progress) -> str | None:
        """Return why the search ends now, in words; None when it goes on."""
        if self.generations is not None and progress.generation >= self.generations:
            return f"{self.generations} generations"
        if self.evaluations is not None and progress.evaluations >= self.evaluations:
            return f"{self.evaluations} evaluations"
        if self.seconds is not None and progress.seconds >= self.seconds:
            return self.time_over
        if self.stalled is not None and progress.stalled >= self.stalled:
            return f"{self.stalled} generations without improvement"
        if self.target is not None and progress.best <= self.target:
            return f"target {self.target:g} reached"
        if self.diversity is not None and progress.diversity is not None and progress.diversity < self.diversity:
            return f"diversity below {self.diversity:g}"
        if self.tolerance is not None and progress.settled >= self.settled:
            return f"hypervolume within {self.tolerance:g} for {self.settled} generations"
        return None
