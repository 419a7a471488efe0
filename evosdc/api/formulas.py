"""``evosdc.neutralise_formulas``."""

from typing import TYPE_CHECKING, Any, TypeVar

from evosdc.files.formulas import QUOTE, is_formula

if TYPE_CHECKING:
    import pandas as pd


Frame = TypeVar("Frame")


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
    from evosdc.files.frame_kinds import as_pandas, like

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
