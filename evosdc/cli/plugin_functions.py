"""What ``evosdc new-plugin`` begins with besides the classes of `evosdc.cli.plugin_classes`: small, and all pass."""

FITNESS = '''"""The fitness `$name`."""

from collections.abc import Mapping

from pydantic import Field

from evosdc.model import Fitness, Parameters


class $class_name(Fitness):
    """IL times DR, in per cent; say here what yours makes small, and from which paper."""

    class Params(Parameters):
        """Parameters of the fitness."""

        offset: float = Field(1.0, ge=0, description="added to both, so that neither alone can make it 0")

    params: Params

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the objectives, all minimised."""
        offset = self.params.offset
        return ((scores["il"] + offset) * (scores["dr"] + offset) / 100.0,)
'''

EXECUTOR = '''"""The executor `$name`."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from evosdc.model import Executor, Outcome, Parameters, Task, run_chunk


class $class_name(Executor):
    """Tasks run in threads; say here where yours run. What an item raises is a failure, never an exception."""

    class Params(Parameters):
        """No parameters."""

    def __init__(self, params: Params, workers: int) -> None:
        super().__init__(params, workers)
        self._pool: ThreadPoolExecutor | None = None

    def map(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        """Run tasks and return the outcomes of each, in order."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.workers)
        return list(self._pool.map(run_chunk, tasks))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the workers."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
'''

OPERATOR = '''"""The operator `$name`."""

import numpy as np


def $class_name(genome: np.ndarray, rng: np.random.Generator, times: int = 1) -> np.ndarray:
    """Return a genome in which something took the place of something else; say here what yours does.

    All randomness comes from `rng`. Further arguments are parameters, which experiments may set.
    """
    changed = genome.copy()
    for _ in range(times):
        one, other = rng.integers(len(changed), size=2)
        changed[one] = changed[other]
    changed.flags.writeable = False
    return changed
'''

DATASET = '''"""The data set `$name`."""

from collections.abc import Mapping
from pathlib import Path

from evosdc.model import Attribute, Role, Scale, Source, source_from_lines

AGES = ("child", "adult", "old")
WARDS = ("north", "south", "east")

ATTRIBUTES = (
    Attribute("age", Role.QUASI_IDENTIFIER, Scale.ORDINAL, AGES),
    Attribute("ward", Role.QUASI_IDENTIFIER, Scale.NOMINAL, WARDS),
    Attribute("nights", Role.SENSITIVE, Scale.NUMERIC),
)


def $class_name(paths: Mapping[str, Path]) -> Source:
    """Return the data set, made up here; files that the spec lists are in `paths`, by name."""
    records = [[AGES[n * n % 3], WARDS[n % 3], str(n * 7 % 11)] for n in range(60)]
    return source_from_lines("$name", ATTRIBUTES, records)
'''

PORTFOLIO = '''"""The portfolio `$name`."""

from evosdc.model import Masking, Table


def $class_name(table: Table) -> list[Masking]:
    """Return the files that a search starts from; say here which methods yours has, and why these."""
    swaps = [Masking("rank-swapping", {"p": p}) for p in (2.0, 5.0, 10.0)]
    averages = [Masking("mdav", {"k": k}) for k in (3, 5) if k <= len(table)]
    return [*swaps, *averages]
'''

FORMAT = '''"""The format `$name`."""

from evosdc.model import Original, parse_delimited


def $class_name(content: bytes, where: str) -> Original | None:
    """Return a file of values between vertical bars; None for one without a bar.

    Whatever you return reads and writes itself: see `evosdc.model.Original`.
    """
    return parse_delimited(content, where, "|") if b"|" in content else None
'''

LIMIT = '''"""The limit `$name`."""

import numpy as np

from evosdc.model import Judgement, Limit


def $class_name(judgement: Judgement, seconds: float) -> Limit | None:
    """Return what no masked file beats: everybody can guess the commonest category of an attribute.

    So `best-guess` never falls below the share of the commonest categories. None for other measures.
    """
    how, original = judgement.aggregation, judgement.original
    if how.disclosure != ("best-guess",) or how.linkage or set(how.il) - {"dbil"} or original.schema.numeric:
        return None
    counts = [np.bincount(column + 1).max() for column in original.codes.T]
    least = 100.0 * float(np.mean(counts)) / len(original)
    curve = ((0.0, least), (100.0, least))
    return Limit({"max": least, "mean": least / 2.0}, curve, how.il, how.disclosure, original.schema.names)
'''

PICTURE = '''"""The picture `$name`."""

from collections.abc import Mapping

import numpy as np

from evosdc.model import Table


def $class_name(original: Table, masked: Table) -> Mapping[str, str]:
    """Return SVG documents by title: here a bar for each categorical attribute, as long as its share of changes.

    Nothing of single records may be seen.
    """
    names = [attribute.name for attribute in masked.schema.categorical]
    if not names or not len(masked):
        return {}
    before = np.stack([original.column(name) for name in names], axis=1)
    shares = (before != masked.codes).mean(axis=0)
    bars = [
        f'<rect x="0" y="{20 * place}" width="{300 * share:.1f}" height="14" fill="#0072b2"/>'
        for place, share in enumerate(shares.tolist())
    ]
    size = f'width="320" height="{20 * len(names)}"'
    return {"Share of changed values": f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(bars)}</svg>'}
'''

COMMAND = '''"""The command `$name`."""

from pathlib import Path

import click


@click.command("$name")
@click.argument("file", type=click.Path(path_type=Path))
def $class_name(file: Path) -> None:
    """Count the records and columns of a delimited FILE; say here what yours does."""
    from evosdc import read_table

    table = read_table(file)
    click.echo(f"{len(table)} records, {len(table.schema)} columns")
'''
