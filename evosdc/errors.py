"""Every exception that evosdc raises on purpose::

    EvosdcError
    ├── InputError            what the user gave cannot be used; exit status 2
    │   ├── DataError         a data file, a DataFrame or a table
    │   ├── SchemaError       a schema file or an attribute's description
    │   ├── HierarchyError    a generalization hierarchy
    │   ├── ParameterError    a parameter of a method, measure, genotype, algorithm, ...
    │   ├── ExperimentError   an experiment file
    │   ├── UnknownNameError  a name that nothing is registered under
    │   ├── ClashError        a name that two plugins register
    │   ├── DatasetError      a registered data set that cannot be had
    │   └── CheckpointError   a run folder that cannot be gone on with
    └── RunError              the run itself failed; exit status 1
        ├── PluginError       a plugin broke its contract
        ├── EvaluationError   a candidate could not be evaluated
        │   └── PluginRaisedError   since a plugin raised
        └── ExecutorError     workers could not be started, or were lost for good

Messages never hold values of records, except the one offending value that a user needs in order to mend a schema.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with the input.

    Parameters
    ----------
    where : str
        The file, key or attribute concerned.
    given : str
        What was found there.
    wanted : str
        What would have been accepted.
    advice : str
        What to do about it; may be empty.
    """

    where: str
    given: str
    wanted: str
    advice: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: given {self.given}; wanted {self.wanted}."
        return f"{text} {self.advice}" if self.advice else text


_PREFIX = 3  # Number of letters that identify a prefix.


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return a sentence that names the known word nearest to what was given; empty when none is near."""
    from difflib import get_close_matches

    words = {word.casefold().strip(): word for word in known}
    plain = given.casefold().strip()
    nearest = [words[word] for word in get_close_matches(plain, list(words), n=1)]
    nearest = nearest or [word for key, word in words.items() if len(plain) >= _PREFIX and key.startswith(plain)]
    return f"Did you mean {nearest[0]!r}?" if nearest else ""


class EvosdcError(Exception):
    """Base of all errors that evosdc raises on purpose."""

    @property
    def public(self) -> str:
        """What files may keep of its text: all, unless a plugin wrote a part of it."""
        return str(self)


class InputError(EvosdcError):
    """Input that cannot be used, with every fault found in it.

    Parameters
    ----------
    faults : Fault or iterable of Fault
        All that is wrong, in the order of discovery.
    """

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type["InputError"], tuple[tuple[Fault, ...]]]:
        """Return what recreates the error in another process: its faults, not its text."""
        return type(self), (self.faults,)


class DataError(InputError):
    """A data file, a DataFrame or a table cannot be used."""


class SchemaError(InputError):
    """A schema file or an attribute's description cannot be used."""


class HierarchyError(InputError):
    """A generalization hierarchy is not well formed or does not fit its attribute."""


class ParameterError(InputError):
    """Parameters of a method, measure, genotype, fitness, algorithm or executor were refused."""


class ExperimentError(InputError):
    """An experiment file cannot be run."""


class UnknownNameError(InputError):
    """Nothing is registered under a name."""


class ClashError(InputError):
    """Two plugins register the same name."""


class DatasetError(InputError):
    """A registered data set cannot be found, fetched or verified."""


class CheckpointError(InputError):
    """A run folder cannot be gone on with: it is damaged, or its data or versions have changed."""


class RunError(EvosdcError):
    """A run that began on good input could not be completed."""


class PluginError(RunError):
    """A plugin broke its contract."""


class EvaluationError(RunError):
    """A candidate could not be evaluated."""


class PluginRaisedError(EvaluationError):
    """A plugin raised an error that is not one of evosdc's.

    Parameters
    ----------
    text : str
        With the name of the plugin and with its message.
    public : str
        The same without the message, which may hold values of records.
    """

    def __init__(self, text: str, public: str) -> None:
        super().__init__(text, public)

    @classmethod
    def of(cls, plugin: str, method: str, error: Exception) -> "PluginRaisedError":
        """Return the error that names the method, the plugin and the cause."""
        raised = f"{plugin}: {method} raised {type(error).__name__}"
        return cls(f"{raised}: {error}", raised)

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def public(self) -> str:
        """The text without the plugin's message."""
        return str(self.args[1])


def asked(plugin: str, method: Callable[..., T], *given: Any) -> T:
    """Return the result of a method of a plugin; where it raises, raise `PluginRaisedError` that names both."""
    try:
        return method(*given)
    except (EvosdcError, MemoryError):
        raise
    except Exception as error:
        raise PluginRaisedError.of(plugin, method.__name__, error) from error


class ExecutorError(RunError):
    """Workers could not be started, or were lost for good."""


class FaultCollector:
    """Runs steps one after the other and keeps the faults of all those that fail, so that all are reported at once."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    @contextmanager
    def step(self) -> Iterator[None]:
        """Keep the faults of an `InputError` raised in the block, and go on after it."""
        try:
            yield
        except InputError as error:
            self.faults += [fault for fault in error.faults if fault not in self.faults]

    def settle(self, kind: type[InputError] = InputError) -> None:
        """Raise all faults that were kept as one error."""
        if self.faults:
            raise kind(self.faults)
