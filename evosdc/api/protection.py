"""``evosdc.protect``, ``evosdc.apply``, ``evosdc.explain``, and their results."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakValueDictionary

from evosdc.api.outcome import Outcome
from evosdc.api.progress import shown
from evosdc.api.tables import KNOWN_AS, SchemaLike, as_file, as_given, columns_of, held_once, ordered_by
from evosdc.errors import Fault, ParameterError, SchemaError
from evosdc.options.masking import ApplyOptions
from evosdc.options.model import read, takes
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry
from evosdc.runs import result as results
from evosdc.runs.layout import CROSSWALK, DATA, RECIPE, RELEASE, read_object
from evosdc.secret import Key, chosen_seed
from evosdc.table.schema import NewValues, Role
from evosdc.table.table import Rows, Table

if TYPE_CHECKING:
    from evosdc.experiment.experiment import DataSource, Experiment

Data = TypeVar("Data")

_UNTIL_THE_END: "dict[str, TemporaryDirectory[str]]" = {}
# results by the id of their frames, while they exist
_RESULTS: "WeakValueDictionary[int, ProtectedData[Any]]" = WeakValueDictionary()


@dataclass(eq=False, repr=False)
class ProtectedData(Outcome, Generic[Data]):
    """Protected data, with the figures and verdict of the run that made them; see `evosdc.protect`."""

    next_words = 'Next: .frame, .front, .plot(), .choose("knee"), .warnings, .report("report.html")'

    frame: Data  # in the form of the data given, without identifiers and what is to be dropped
    result: results.Result
    folder: Path | None  # with its report; None where no folder was requested
    roles: Mapping[str, str]
    # By published record the position of the original one, for you alone; None where records keep their order.
    rows: Rows | None
    _kept: "_Kept[Data]"

    def choose(self, which: int | str | Mapping[str, float], output: str | Path | None = None) -> "ProtectedData[Data]":
        """Return another file of the front with its own verdict, as `evosdc.choose`; nothing is searched again.

        Parameters
        ----------
        which : int, str or mapping
            Its number in `front`; or ``"knee"``, ``"balanced"``, ``"il=20,dr=15"``, ``{"il": 20, "dr": 15}``.
        output : str or Path, optional
            A new folder for it; by default none is kept.

        Raises
        ------
        InputError
            There is no such file, or the folder is not empty.

        Examples
        --------
        >>> knee = found.choose("knee")  # doctest: +SKIP
        >>> knee.frame, knee.publishable  # doctest: +SKIP
        """
        return self._kept.chosen(which, None if output is None else Path(output))

    @contextmanager
    def run(self) -> Iterator[Path]:
        """Lend the run folder, with the data that the run reads."""
        with self._kept.with_data():
            yield self._kept.run

    @property
    def original(self) -> Table:
        """The data given, as a table."""
        return self._kept.original

    def made_from(self, data: Any) -> bool:
        """Return whether these are the data that were given, the same object."""
        return self._kept.data is data

    @property
    def protected(self) -> tuple[str, ...]:
        """The columns that were protected."""
        return self._kept.protect

    @property
    def recipe(self) -> Path | None:
        """The recipe file that the run left, for `evosdc.explain` and `evosdc.apply`; None where it found none.

        Copy it elsewhere where no folder was requested: it lasts until the program ends.
        """
        for temporary in self._kept.temporary:
            _UNTIL_THE_END.setdefault(temporary.name, temporary)
        file = self._kept.run / RECIPE
        return file if file.exists() else None

    def _page_text(self) -> str:
        from evosdc.report.page import render
        from evosdc.runs.reader import read_run_folders

        return render(read_run_folders([self._kept.run]))


@dataclass(frozen=True)
class _Kept(Generic[Data]):
    """Data as a user gave them, how to publish them, and the run on them, from which its files can be read."""

    data: Data
    original: Table
    protect: tuple[str, ...]
    roles: Mapping[str, str]  # by column the role proposed for a frame, and why
    neutralise: bool
    shuffle: bool
    source: "DataSource"
    run: Path
    home: Path  # the folder whose ``data`` the run reads
    temporary: "tuple[TemporaryDirectory[str], ...]"  # folders that last as long as the result

    def found(self, result: results.Result, kept: bool) -> ProtectedData[Data]:
        """Return the result of the run, in the form of the data; `kept` is whether the user named its folder."""
        from evosdc.experiment.data import load_data
        from evosdc.files.source import read_masked
        from evosdc.runs.published import published_places
        from evosdc.table.alignment import align_codes

        original = self.original
        source = load_data(self.source, default_registry())
        left_out = int(read_object(self.run / RELEASE).get("omitted", 0))
        rows = published_places(self.run / CROSSWALK, source, len(original) - left_out)
        published = read_masked(self.run / result.best.file, source.ordered_by(rows)).table
        names = [name for name in original.schema.names if name in published.schema]
        emptied = (a.name for a in original.schema.attributes if a.new_values is NewValues.MISSING)
        changed = [*self.protect, *original.schema.with_role(Role.HOUSEHOLD), *emptied]
        changed = [name for name in dict.fromkeys(changed) if name in published.schema]
        masked = align_codes(original.take(rows).select(changed), published)
        data = ordered_by(self.data, rows) if self.shuffle else self.data
        frame, published_rows = as_given(data, masked, names, self.neutralise), rows if self.shuffle else None
        found = ProtectedData(frame, result, self.run if kept else None, self.roles, published_rows, self)
        _RESULTS[id(frame)] = found
        return found

    def chosen(self, which: int | str | Mapping[str, float], output: Path | None) -> ProtectedData[Data]:
        """Return a member of the front as the best file of a run of its own."""
        from evosdc.experiment.members import choose_member, named_member
        from evosdc.report import write_pages

        own = [TemporaryDirectory(prefix="evosdc-")] if output is None else []
        target = output if output is not None else Path(own[0].name) / "run"
        with self.with_data():
            result = choose_member(self.run, named_member(which), target, default_registry(), None, "evosdc.choose")
            if output is not None:
                write_pages(target)
            return replace(self, run=target, temporary=(*self.temporary, *own)).found(result, output is not None)

    @contextmanager
    def with_data(self) -> Iterator[None]:
        """Have the data that the run reads in their folder, which a temporary one does not keep."""
        from evosdc.experiment.data import write_own_data

        absent = not (self.home / DATA).exists()
        if absent:
            write_own_data(self.original, self.home / DATA)
        try:
            yield
        finally:
            if absent:
                rmtree(self.home / DATA)


def result_with(original: Any, masked: Any) -> ProtectedData[Any] | None:
    """Return the result whose frame and data these are; None where they come from elsewhere."""
    found = _RESULTS.get(id(masked))
    return found if found is not None and found.frame is masked and found.made_from(original) else None


def _protected(
    data: Data,
    protect: Sequence[str] | None,
    experiment_on: "Callable[[Mapping[str, Any]], Experiment]",
    options: ProtectOptions | ApplyOptions,
    folder: Path | None,
    command: str,
    schema: SchemaLike,
) -> ProtectedData[Data]:
    """Run an experiment on data of the user's own, and return the result in the form of these."""
    from evosdc.assess.defaults import choose_attributes
    from evosdc.experiment.data import with_own_data, withdrawn_unless_begun
    from evosdc.experiment.study import run_study
    from evosdc.report import write_pages

    began = monotonic()
    drawn = chosen_seed(options.seed, options.key)
    original, roles = as_file(held_once(data, schema), protect)
    names = choose_attributes(original.schema, protect)
    neutralise = isinstance(options, ProtectOptions) and options.neutralise_formulas
    callbacks = options.callback if isinstance(options, ProtectOptions) else ()
    temporary = [TemporaryDirectory(prefix="evosdc-")] if folder is None else []
    path = folder if folder is not None else Path(temporary[0].name) / "run"
    with ExitStack() as stack:
        wanted = {"protect": list(names), "neutralise_formulas": neutralise, "shuffle": options.shuffle}
        source = with_own_data({"data": wanted}, original, path)["data"]
        stack.enter_context(withdrawn_unless_begun(path))
        experiment = experiment_on(source)
        key = drawn if isinstance(drawn, Key) else None
        display = shown(callbacks, options.progress)
        result = run_study(experiment, path, default_registry(), display, command, monotonic() - began, key)
        if folder is not None:
            write_pages(path)
        kept = _Kept(
            data, original, names, roles, neutralise, options.shuffle, experiment.data, path, path, tuple(temporary)
        )
        found = kept.found(result, folder is not None)
    if temporary:
        rmtree(path / DATA)  # the report needs no copy of the confidential data
    return found


@takes(ProtectOptions, KNOWN_AS | {"k": 'require=["k-anonymity >= 3"]'})
def protect(data: Data, *, schema: SchemaLike = None, **options: Any) -> ProtectedData[Data]:
    """Protect data with good defaults, as ``evosdc protect`` does.

    Parameters
    ----------
    data : frame or Table
        Of pandas, Polars, PyArrow or another library that narwhals knows. Scales are those of the columns' types, roles
        those that ``evosdc init`` proposes; a table has both. Frames of pandas whose records are shuffled get a new
        index; ``crosswalk.csv`` in the run folder says which record is which.
    schema : str, Path or Schema, optional
        A schema file or a schema, for a frame, in place of what is proposed.
    {options}

    Raises
    ------
    RunError
        The search failed.

    Examples
    --------
    >>> found = evosdc.protect(frame, require=["k-anonymity >= 3"], time="60s")  # doctest: +SKIP
    >>> found.frame, found.verdict, found.front, found.scores, found.report("report.html")  # doctest: +SKIP
    """
    from evosdc.experiment.protection import protection

    chosen = read(ProtectOptions, options)
    if chosen.executor is None and chosen.workers is None:
        chosen = chosen.model_copy(update={"executor": "serial"})

    def experiment_on(source: Mapping[str, Any]) -> "Experiment":
        return protection(source, default_registry(), chosen)

    return _protected(data, chosen.protect, experiment_on, chosen, chosen.output, "evosdc.protect", schema)


@takes(ApplyOptions, {"output": "folder="})
def apply(recipe: str | Path, data: Data, *, schema: SchemaLike = None, **options: Any) -> ProtectedData[Data]:
    """Protect data by a recipe, the next wave of a survey for one, as ``evosdc apply`` does.

    Parameters
    ----------
    recipe : str or Path
        A ``recipe.toml`` as a run with the genotype ``recipes`` leaves it.
    data : frame or Table
        As of `protect`, with the attributes that the recipe masks. A frame with the columns of the first wave is read
        by the schema beside the recipe, ``recipe.schema.toml``.
    schema : str, Path or Schema, optional
        Another schema file or schema, for a frame.
    {options}

    Returns
    -------
    ProtectedData
        Loss, risk and verdict are those of the new data; ``warnings`` say which attributes are distributed otherwise.

    Raises
    ------
    RunError
        A step failed.

    Examples
    --------
    >>> found = evosdc.apply("runs/first/recipe.toml", frame)  # doctest: +SKIP
    """
    from evosdc.experiment.recipe import application, schema_of_recipe, usable_recipe

    chosen = read(ApplyOptions, options)
    plan = usable_recipe(_path(recipe), default_registry())
    columns = columns_of(data)
    missing = [name for name in plan.made_for.protect if name not in columns]
    if missing:
        wanted = "the attributes that the recipe masks"
        raise SchemaError([Fault(name, "no such attribute", wanted) for name in missing])

    def experiment_on(source: Mapping[str, Any]) -> "Experiment":
        return application(plan, source, default_registry(), chosen.seed, chosen.unlike)

    # A wave is read as the first one was: its own values may suggest other scales.
    if schema is None and not isinstance(data, Table):
        schema = schema_of_recipe(_path(recipe), columns)
    return _protected(data, list(plan.made_for.protect), experiment_on, chosen, chosen.folder, "evosdc.apply", schema)


def explain(recipe: str | Path) -> list[str]:
    """Return what a recipe does, and what each of its steps contributes, in sentences; as ``evosdc explain`` does.

    Raises
    ------
    InputError
        The recipe cannot be read.

    Examples
    --------
    >>> evosdc.explain("runs/first/recipe.toml")  # doctest: +SKIP
    """
    from evosdc.experiment.recipe import explanation, usable_recipe

    return list(explanation(usable_recipe(_path(recipe), default_registry())))


def _path(recipe: object) -> Path:
    if isinstance(recipe, str | Path):
        return Path(recipe)
    wanted = "the path of a recipe file"
    raise ParameterError(Fault("recipe", type(recipe).__name__, wanted, "A search may have found none."))
