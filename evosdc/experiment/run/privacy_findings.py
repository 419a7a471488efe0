"""What privacy models say of the file that a run publishes, beside what they say of the original."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from evosdc.assess.risk import assess, build_models, intruder_view_of, view_summary
from evosdc.errors import InputError
from evosdc.model import IntruderView, Microdata
from evosdc.plugins.registry import Registry
from evosdc.processors import side_by_side
from evosdc.table.table import Rows, Table


def privacy_findings(
    microdata: Microdata, masked: Table, registry: Registry, omitted: Rows | None = None
) -> dict[str, Any]:
    """Return the content of ``risk.json``."""
    # The protected attributes are what an intruder knows; sensitive attributes, weights and households are those of the
    # schema, and are published as they are.
    published = microdata.table.with_columns(masked).without(omitted)
    if not len(published):
        return {"note": "No record is published."}
    try:
        files = {
            name: intruder_view_of(table, microdata.protect)
            for name, table in (("original", microdata.table), ("published", published))
        }
        names: dict[str, Mapping[str, Any]] = {name: {} for name in registry.names("privacy-model")}
        figures = _assessed(files, names, registry)
        return _document(files, names, figures, registry)
    except InputError as error:
        return {"note": str(error)}
    except Exception as error:  # a plugin's fault must not lose a search that has ended well; its text may hold records
        return {"note": f"A privacy model failed: {type(error).__name__}."}


def _assessed(
    files: Mapping[str, IntruderView], names: Mapping[str, Mapping[str, Any]], registry: Registry
) -> dict[str, Mapping[str, Any]]:
    """Return the figures of each file; of long ones side by side."""
    assessed = [partial(assess, view, names, registry) for view in files.values()]
    return dict(zip(files, side_by_side(len(files["original"].table), assessed), strict=True))


def _document(
    files: Mapping[str, IntruderView],
    names: Mapping[str, Mapping[str, Any]],
    figures: Mapping[str, Mapping[str, Any]],
    registry: Registry,
) -> dict[str, Any]:
    listed = []
    for name, model in build_models(names, registry).items():
        if all(name in figures[file] for file in files):
            listed.append(
                {
                    "name": name,
                    "headline": model.headline,
                    "larger_is_safer": model.larger_is_safer,
                    **{file: figures[file][name][model.headline] for file in files},
                    "in_words": model.in_words(figures["published"][name]),
                }
            )
    return {"models": listed, **figures, **view_summary(files["published"])}
