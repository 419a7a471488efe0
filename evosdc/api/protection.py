"""``evosdc.protect``."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evosdc.api.masking import require_seed
from evosdc.api.tables import as_table, listed
from evosdc.errors import Fault, ParameterError
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd

Data = TypeVar("Data", "pd.DataFrame", Table)


@dataclass(frozen=True)
class Rated:
    """A masked file's figures.

    Parameters
    ----------
    label : str
        How it was made.
    score : tuple of float
        Its fitness: one number, or one for each objective.
    il, dr : float or None
        Information loss and disclosure risk, 0..100; None where no measure of that kind was taken.
    scores : mapping of str to float
        By measure.
    """

    label: str
    score: tuple[float, ...]
    il: float | None
    dr: float | None
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Requirement:
    """What the file had to fulfil, the figure that it has, and whether that is enough."""

    text: str
    value: float
    met: bool


@dataclass(frozen=True)
class ProtectedVerdict:
    """Whether the score holds against judges that the search did not use; `holds` is None without a claim."""

    holds: bool | None
    text: str


@dataclass(frozen=True, eq=False)
class ProtectedData(Generic[Data]):
    """What `protect` found.

    Parameters
    ----------
    masked : DataFrame or Table
        The protected data, as they were given, without identifiers.
    best : Rated
        The figures of that file.
    classical : Rated or None
        The best file without a search: a masking method at its best parameters.
    front : tuple of Rated
        Files that no other one found beats in every objective; of IL and DR where there is a single one.
    requirements : tuple of Requirement
    verdict : ProtectedVerdict or None
        Of the second opinion; None where judges were not asked.
    result : dict
        The content of ``result.json``.
    folder : Path or None
        Where the run is, with its report; None where no folder was asked for.
    """

    masked: Data
    best: Rated
    classical: Rated | None
    front: tuple[Rated, ...]
    requirements: tuple[Requirement, ...]
    verdict: ProtectedVerdict | None
    result: dict[str, Any]
    folder: Path | None

    @property
    def il(self) -> float | None:
        """Information loss, 0..100."""
        return self.best.il

    @property
    def dr(self) -> float | None:
        """Disclosure risk, 0..100."""
        return self.best.dr

    @property
    def score(self) -> tuple[float, ...]:
        """The fitness."""
        return self.best.score

    @property
    def warnings(self) -> tuple[str, ...]:
        """What has to be known before the data are released."""
        return tuple(self.result["warnings"])

    def to_json(self) -> dict[str, Any]:
        """Return the content of ``result.json``; it holds no record."""
        return self.result


def protect(
    data: Data,
    *,
    protect: Sequence[str] | str | None = None,
    seconds: float | None = None,
    fitness: str = "",
    il: Sequence[str] | str | None = None,
    dr: Sequence[str] | str | None = None,
    require: Sequence[str] | str = (),
    tune: bool = True,
    second_opinion: bool = True,
    structural_zeros: bool = True,
    neutralise_formulas: bool = False,
    seed: int = 1,
    executor: str | Mapping[str, Any] = "serial",
    folder: str | Path | None = None,
) -> ProtectedData[Data]:
    """Protect data with good defaults, as ``evosdc protect`` does.

    Parameters
    ----------
    data : DataFrame or Table
        Schema as in `mask`.
    protect : sequence of str, optional
        What to protect; by default the quasi-identifiers, and where none is declared all attributes but identifiers.
    seconds : float, optional
        Length of the search; by default it ends by its generations. Judges take some seconds more.
    fitness : str, optional
        How IL and DR are combined; by default as the command.
    il, dr : sequence of str, optional
        Measures of information loss and disclosure risk; by default risk by role and the losses of analysts.
    require : sequence of str
        What the file must fulfil: ``"k-anonymity >= 3"``.
    tune : bool
        Whether the search begins with masking methods at their best parameters.
    second_opinion : bool
        Whether judges that the search does not use are asked about the result.
    structural_zeros : bool
        Whether combinations that never occur in the data are kept from occurring.
    neutralise_formulas : bool
        Whether texts that a spreadsheet would take for formulas get a quote before them, in the file and in `masked`.
    seed : int
    executor : str or mapping
        As in an experiment: ``{"name": "processes", "workers": 4}``.
    folder : str or Path, optional
        A new folder for the run with all its files and the report; by default none is kept.

    Raises
    ------
    InputError
        Unknown names, attributes or requirements, or data that cannot be protected.
    RunError
        The search failed.

    Examples
    --------
    >>> found = evosdc.protect(frame, protect=["age", "sex"], seconds=60, require=["k-anonymity >= 3"])
    ... # doctest: +SKIP
    >>> found.masked, found.il, found.dr, found.verdict.holds  # doctest: +SKIP
    """
    from evosdc.calls.attribute_choice import choose_attributes
    from evosdc.experiment.build.data import load_data
    from evosdc.experiment.build.protection import protection
    from evosdc.experiment.run.own_data import with_own_data, withdrawn_unless_begun
    from evosdc.experiment.study.study import run_study
    from evosdc.files.masked_file import read_masked
    from evosdc.report import write_report
    from evosdc.runs.layout import REPORT

    require_seed(seed)
    if seconds is not None and not seconds > 0:
        raise ParameterError(Fault("seconds", repr(seconds), "a time above 0"))
    registry, table = default_registry(), as_table(data)
    names = choose_attributes(table.schema, listed(protect))
    with ExitStack() as stack:
        if folder is None:
            path = Path(stack.enter_context(TemporaryDirectory(prefix="evosdc-"))) / "run"
        else:
            path = Path(folder)
        wanted = {"protect": list(names), "neutralise_formulas": neutralise_formulas}
        source = with_own_data({"data": wanted}, table, path)["data"]
        stack.enter_context(withdrawn_unless_begun(path))
        experiment = protection(
            source,
            registry,
            fitness=fitness or registry.default("fitness", "protect"),
            il=listed(il) or (),
            dr=listed(dr) or (),
            require=listed(require) or (),
            structural_zeros=structural_zeros,
            seconds=seconds,
            seed=seed,
            executor={"name": executor} if isinstance(executor, str) else executor,
            tuned=tune,
            second_opinion=second_opinion,
        )
        result = run_study(experiment, path, registry, command="evosdc.protect")
        if folder is not None:
            write_report([path], path / REPORT)
        published = read_masked(path / result["best"]["file"], load_data(experiment.data, registry)).table
    verdict, classical = result.get("verdict"), result["portfolio"]["best"]
    return ProtectedData(
        _as_given(data, table, published, names, neutralise_formulas),
        _rated(result["best"], str(result["best"]["origin"])),
        _rated(classical, str(classical["label"])) if classical is not None else None,
        tuple(_rated(member, str(member["origin"])) for member in result["front"]),
        tuple(Requirement(str(r["requirement"]), float(r["value"]), bool(r["met"])) for r in result["requirements"]),
        ProtectedVerdict(verdict["holds"], verdict["text"]) if verdict is not None else None,
        result,
        path if folder is not None else None,
    )


def _as_given(data: Data, table: Table, published: Table, names: Sequence[str], neutralise: bool) -> Data:
    """Return the published data in the form of the given ones: the masked columns in place, identifiers left out."""
    from evosdc.api.formulas import neutralise_formulas as without_formulas
    from evosdc.files.frame import frame_from_table
    from evosdc.table.alignment import align_codes

    kept = [name for name in table.schema.names if name in published.schema]
    masked = align_codes(table.select(list(names)), published)
    whole = table.with_columns(masked).select(kept)
    if isinstance(data, Table):
        return whole
    frame = frame_from_table(data, masked)
    frame = frame.drop(columns=[column for column in frame.columns if str(column) not in kept])
    return without_formulas(frame) if neutralise else frame


def _rated(entry: Mapping[str, Any], label: str) -> Rated:
    scores = entry["scores"]
    return Rated(label, tuple(entry["fitness"]), scores.get("il"), scores.get("dr"), dict(scores))
