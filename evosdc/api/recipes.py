"""``evosdc.apply`` and ``evosdc.explain``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evosdc.api.progress import shown
from evosdc.api.protected_data import Given, ProtectedData, protected
from evosdc.api.tables import as_file
from evosdc.errors import Fault, ParameterError, SchemaError
from evosdc.options.model import read, takes
from evosdc.options.recipes import ApplyOptions
from evosdc.plugins.registry import default_registry
from evosdc.secret import chosen_seed

if TYPE_CHECKING:
    from evosdc.experiment.experiment import Experiment

Data = TypeVar("Data")


@takes(ApplyOptions, {"output": "folder"})
def apply(
    recipe: str | Path,
    data: Data,
    *,
    key: str | Path | None = None,
    seed: int | None = None,
    shuffle: bool = True,
    unlike: bool = False,
    folder: str | Path | None = None,
    progress: bool | None = None,
) -> ProtectedData[Data]:
    """Protect data by a recipe, the next wave of a survey for one, as ``evosdc apply`` does.

    Parameters
    ----------
    recipe : str or Path
        A ``recipe.toml`` as a run with the genotype ``recipes`` leaves it.
    data : frame or Table
        As of `protect`, with the attributes that the recipe masks. A frame with the columns of the first wave is read
        by the schema beside the recipe, ``recipe.schema.toml``.
    {options}

    Returns
    -------
    ProtectedData
        Loss, risk and verdict are those of the new data; ``warnings`` say which attributes are distributed otherwise.

    Raises
    ------
    InputError
        The recipe cannot be read, or the data are not such as it was made for.
    RunError
        A step failed.

    Examples
    --------
    >>> found = evosdc.apply("runs/first/recipe.toml", frame)  # doctest: +SKIP
    """
    from evosdc.experiment.recipe_outputs import application, schema_of_recipe, usable_recipe
    from evosdc.files.frame import table_from_frame
    from evosdc.files.frame_kinds import as_pandas
    from evosdc.files.schema.schema_file import load_schema
    from evosdc.table.table import Table

    options = read(ApplyOptions, locals() | {"output": "frame"})
    drawn = chosen_seed(options.seed, options.key)
    plan = usable_recipe(_path(recipe), default_registry())
    protect = plan.made_for.protect
    columns = set(as_file(data, None)[0].schema.names)
    missing = [name for name in protect if name not in columns]
    if missing:
        raise SchemaError(
            [Fault(name, "no such attribute", "the attributes that the recipe masks") for name in missing]
        )
    # A wave is read as the first one was: its own values may suggest other scales.
    known = None if isinstance(data, Table) else schema_of_recipe(_path(recipe), list(columns))
    if known is None:
        original, roles = as_file(data, list(protect))
    else:
        original, roles = table_from_frame(as_pandas(data), load_schema(known)), {}

    def experiment_on(source: Mapping[str, Any]) -> "Experiment":
        return application(plan, source, default_registry(), options.seed, options.unlike)

    given = Given(data, original, tuple(protect), roles, shuffle=options.shuffle)
    return protected(given, experiment_on, options.folder, "evosdc.apply", shown((), options.progress), drawn)


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
    from evosdc.experiment.recipe_outputs import explanation, usable_recipe

    return list(explanation(usable_recipe(_path(recipe), default_registry())))


def _path(recipe: object) -> Path:
    if isinstance(recipe, str | Path):
        return Path(recipe)
    wanted = "the path of a recipe file"
    raise ParameterError(Fault("recipe", type(recipe).__name__, wanted, "A search may have found none."))
