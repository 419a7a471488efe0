"""The input of the functions: files, DataFrames and lists of names."""

import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evosdc.errors import DataError, Fault, ParameterError
from evosdc.files.published import QUOTE, is_formula
from evosdc.table.schema import WITHHELD, Role, Schema
from evosdc.table.table import Rows, Table

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.files.frame import HeldFrame

Frame = TypeVar("Frame")
SchemaLike = str | Path | Schema | None
"""A schema, or the path of a schema file; None: the types of the columns tell."""

KNOWN_AS = {
    "attributes": "protect=", "keys": "protect=", "quasi_identifiers": "protect=", "columns": "protect=",
    "sensitive": "schema=, a schema file with the roles; `evosdc init` proposes one", "clusters": "c=",
    "roles": "schema=, a schema file with the roles; `evosdc init` proposes one", "seconds": "time=",
    "folder": "output=",
}  # fmt: skip
"""Other names under which options of functions on data are looked for."""


def read_table(
    path: str | Path,
    schema: str | Path | Schema | None = None,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Read a data file.

    Parameters
    ----------
    path : str or Path
        Delimited text, Parquet, Feather, Excel, SPSS, Stata or SAS, also packed by gzip or ZIP.
    schema : str, Path or Schema, optional
        A schema file or a schema; inferred from the data when not given.
    encoding : str, optional
        Of delimited text, such as ``cp1250`` or ``cp1251``; recognised if not given.
    sheet : str, optional
        Of a workbook; the first with records if not given.

    Raises
    ------
    InputError
        The file or the schema cannot be used; the error names every fault.
    """
    from evosdc.files.source import read_source

    given = schema if isinstance(schema, Schema) or schema is None else Path(schema)
    return read_source(Path(path), given, encoding=encoding, sheet=sheet).table


def as_table(data: Any) -> Table:
    """Return a table as it is, and a frame as a table whose attributes have no role."""
    if isinstance(data, Table):
        return data
    from evosdc.files.frame import table_from_frame

    return table_from_frame(_held(data))


def held_once(data: Any, schema: "SchemaLike" = None) -> Any:
    """Return a frame as one whose columns are read once, by a schema where there is one; a table as it is."""
    if schema is None:
        return data if isinstance(data, Table) else _held(data)
    from evosdc.files.schema.description import describe
    from evosdc.files.schema.schema_file import load_schema

    if isinstance(data, Table):
        advice = "A Table has a schema of its own: evosdc.read_table(file, schema)."
        raise ParameterError(Fault("schema", "beside a Table", "a frame", advice))
    if not isinstance(schema, str | Path | Schema):
        wanted = "the path of a schema file, or a Schema"
        raise ParameterError(
            Fault("schema", type(schema).__name__, wanted, "`evosdc init DATA -o schema.toml` proposes one.")
        )
    said = describe(schema) if isinstance(schema, Schema) else load_schema(Path(schema))
    return replace(_held(data), description=said)


def columns_of(data: Any) -> list[str]:
    """Return the names of the columns of a table or frame."""
    return list(data.schema.names) if isinstance(data, Table) else [str(name) for name in _held(data).frame.columns]


def _described(data: Any) -> bool:
    """Whether data have a schema of their own."""
    return isinstance(data, Table) or _held(data).description is not None


def _held(data: Any) -> "HeldFrame":
    from evosdc.files.frame import HeldFrame, as_pandas

    return data if isinstance(data, HeldFrame) else HeldFrame(as_pandas(data), data)


def as_file(data: Any, protect: Sequence[str] | None = None) -> tuple[Table, dict[str, str]]:
    """Return a table as it is, and a frame as a table with the roles that `evosdc init` would propose."""
    # Scales are those of the columns' types (`evosdc.files.frame.table_from_frame`); codes of missing values among
    # numbers are recognised. Where nothing tells the quasi-identifiers there are none.
    if isinstance(data, Table):
        return data, {}
    from evosdc.files.frame import table_from_frame
    from evosdc.files.inference.proposal import infer_schema
    from evosdc.files.schema.description import AttributeDescription, SchemaDescription

    whole = _held(data)
    frame = whole.frame
    if whole.description is not None or (len(whole.parts) and not len(frame)):
        return table_from_frame(whole), {}  # refuses one without records
    found = infer_schema(whole)
    described, reasons = {}, {}
    for label, attribute in zip(frame.columns, found.schema.attributes, strict=True):
        role = attribute.role
        if role is Role.QUASI_IDENTIFIER and not found.telling:
            role = Role.OTHER
        if attribute.name in (protect or ()) and role is not Role.SENSITIVE:
            role = Role.QUASI_IDENTIFIER
        described[str(label)] = AttributeDescription(role, missing=attribute.missing)
        reasons[str(label)] = f"{role}: {found.reasons[attribute.name]}"
    return table_from_frame(whole, SchemaDescription(described, found.schema.missing)), reasons


def ordered_by(data: Any, rows: Rows) -> Any:
    """Return a frame or table with some or all of its records in another order, given by their positions."""
    from evosdc.files.frame import reordered

    return data.take(rows) if isinstance(data, Table) else reordered(data, rows.tolist())


def chosen_of(data: Any, table: Table, attributes: Sequence[str] | None, warn: bool = True) -> tuple[str, ...]:
    """Return the attributes to work on, by `choose_attributes`."""
    # A frame tells no roles. Where no attributes are named, columns that look like identifiers or free text are left
    # out, with a `UserWarning` that names them unless `warn` is False: to mask them would be no protection, and nobody
    # should believe that.
    from evosdc.assess.defaults import choose_attributes

    chosen = choose_attributes(table.schema, attributes)
    if attributes is not None or _described(data):
        return chosen
    apart, reasons = _apart(data, chosen)
    if apart:
        advice = "Drop such columns before you publish, or name the attributes."
        if len(apart) == len(chosen):
            raise DataError(Fault("attributes", f"none, and nothing but identifiers ({reasons})", "names", advice))
        warning = f"Left as they are, since they look like identifiers or free text ({reasons}). {advice}"
        if warn:
            warnings.warn(warning, stacklevel=4)
    return tuple(name for name in chosen if name not in apart)


def without_identifiers(data: Any, table: Table, needed: Collection[str]) -> list[str]:
    """Return the columns of a frame that are published: all but those that look like identifiers or free text."""
    if _described(data):
        return [one.name for one in table.schema.attributes if one.name in needed or one.role not in WITHHELD]
    apart, reasons = _apart(data, [name for name in table.schema.names if name not in needed])
    if apart:
        warning = f"Left out, since they look like identifiers or free text ({reasons})."
        warnings.warn(f"{warning} Name them in protect to keep them.", stacklevel=3)
    return [name for name in table.schema.names if name not in apart]


def _apart(data: Any, names: Sequence[str]) -> tuple[list[str], str]:
    """Return those columns of a frame that look like identifiers or free text, and why."""
    from evosdc.files.inference.proposal import infer_schema

    found = infer_schema(_held(data))
    apart = [name for name in names if found.schema[name].role in WITHHELD]
    return apart, "; ".join(f"{name}: {found.reasons.get(name, found.schema[name].role)}" for name in apart)


def warn_of_another_order(original: Any, masked: Any) -> None:
    """Warn by a `UserWarning` where the indices of two frames have the same labels, in another order."""
    before, after = getattr(original, "index", None), getattr(masked, "index", None)
    if not (hasattr(before, "equals") and hasattr(after, "equals")) or before is None or before.equals(after):
        return
    if after is not None and len(before) == len(after) and set(before) == set(after):
        text = "The indices of both frames have the same labels in another order. Records are matched by position, not "
        warnings.warn(f"{text}by label: masked.loc[original.index] puts them in order.", stacklevel=5)


def as_version(
    data: Any, original: Table, generalised: bool | None = False, required: Sequence[str] | None = None
) -> Table:
    """Return a masked version of a table as a table; columns that were left out of it are left out."""
    if isinstance(data, Table):
        return data
    from evosdc.files.frame import table_from_frame
    from evosdc.files.source import is_generalised, widened

    whole = _held(data)
    columns = [part.column for part in whole.parts]
    if generalised is None:
        generalised = is_generalised(original.schema, columns)
    held = {column.name for column in columns}
    kept = [name for name in original.schema.names if name in held or name in (required or ())]
    schema = original.schema.select(kept)
    return table_from_frame(whole, widened(schema, columns) if generalised else schema)


def as_given(data: Any, masked: Table, kept: Sequence[str] | None = None, neutralise: bool = False) -> Any:
    """Return a masked table in the form of the input: a table, or a frame with the columns in place."""
    if isinstance(data, Table):
        whole = data.with_columns(masked)
        return whole if kept is None else whole.select(list(kept))
    from evosdc.files.frame import frame_from_table, like

    held = _held(data)
    frame = frame_from_table(held, masked)
    if kept is not None:
        frame = frame.drop(columns=[column for column in frame.columns if str(column) not in kept])
    return like(held.given, neutralise_formulas(frame) if neutralise else frame)


def listed(names: Sequence[str] | str | None) -> list[str] | None:
    """Return names as a list; a single text is one name, and None stays None."""
    return [names] if isinstance(names, str) else None if names is None else list(names)


def neutralise_formulas(frame: Frame) -> Frame:
    """Return a copy of a frame in which no text is a formula to the spreadsheet that opens it as a file.

    Texts that begin with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return get a quote before them, names of
    columns too; numbers, and texts that are numbers, stay as they are.

    Parameters
    ----------
    frame : frame
        Of pandas, Polars, PyArrow or another library that narwhals knows.

    Examples
    --------
    >>> published = evosdc.neutralise_formulas(evosdc.mask(frame, "mdav", k=3))  # doctest: +SKIP
    """
    from evosdc.files.frame import as_pandas, like

    result = as_pandas(frame).copy()
    for place in range(result.shape[1]):
        column = result.iloc[:, place]
        distinct = [text for text in column.drop_duplicates() if isinstance(text, str) and is_formula(text)]
        if distinct:
            harmless = {text: QUOTE + text for text in distinct}
            result.isetitem(place, _renamed(column, harmless))
    result.columns = [QUOTE + name if isinstance(name, str) and is_formula(name) else name for name in result.columns]
    given: Frame = like(frame, result)
    return given


def _renamed(column: "pd.Series[Any]", texts: dict[str, str]) -> Any:
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.rename_categories(texts).array
    return column.map(lambda value: texts.get(value, value) if isinstance(value, str) else value).array
