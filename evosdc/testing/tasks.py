"""Task functions for the executor suite, which workers import and run."""

from pathlib import Path
from time import monotonic, sleep
from typing import Any

from evosdc.model import SharedFiles
from evosdc.secret import Purpose, Seed, stream


def scaled(shared: SharedFiles | None, seed: Seed, payload: Any) -> Any:
    """Return the payload times the seed."""
    return payload * seed


def slow_at_first(shared: SharedFiles | None, seed: Seed, payload: tuple[int, float]) -> int:
    """Return a number after some seconds."""
    number, seconds = payload
    sleep(seconds)
    return number


def after(shared: SharedFiles | None, seed: Seed, payload: tuple[int, str]) -> int:
    """Return a number once a file is there, or after a minute."""
    number, path = payload
    limit = monotonic() + 60.0
    while not Path(path).exists() and monotonic() < limit:
        sleep(0.005)
    return number


def reciprocal(shared: SharedFiles | None, seed: Seed, payload: float) -> float:
    """Return the reciprocal; raises for 0."""
    return 1 / payload


def echo_shared(shared: SharedFiles | None, seed: Seed, payload: None) -> tuple[str, str] | None:
    """Return what the shared files are said to be, as it arrived."""
    return None if shared is None else (shared.folder, shared.digest)


def nested(shared: SharedFiles | None, seed: Seed, payload: Any) -> Any:
    """Return the payload as it arrived, with the sum of its array, not a number, and infinity."""
    array = payload[0]
    return payload, float(array.sum()), float("nan"), float("inf")


def drawn(shared: SharedFiles | None, seed: Seed, payload: int) -> Any:
    """Return random numbers that the seed and the payload decide."""
    return stream(seed, Purpose.GENERATE, payload).random(4)
