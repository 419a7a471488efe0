"""``evosdc datasets``."""

import numpy as np

from evosdc.cli.inputs import files_behind, require_apart
from evosdc.cli.text import answer, print_json, print_rows, say
from evosdc.datasets.loading import load_dataset
from evosdc.datasets.storage import locate
from evosdc.files.atomic import require_unused
from evosdc.options.data import DatasetsAttributesOptions, DatasetsFetchOptions, DatasetsListOptions
from evosdc.plugins.registry import default_registry
from evosdc.specs import DatasetSpec


def datasets_list(options: DatasetsListOptions) -> None:
    """List the data sets, their size and licence, and whether they are at hand."""
    specs = [spec for spec in default_registry().specs("dataset") if isinstance(spec, DatasetSpec)]
    rows = [
        {"name": spec.name, "records": spec.records, "attributes": spec.attributes, "licence": spec.licence,
         "at_hand": locate(spec) is not None, "summary": spec.summary}
        for spec in specs
    ]  # fmt: skip
    width = max(len(spec.name) for spec in specs)
    answer(
        options,
        {"datasets": rows},
        (
            f"{row['name']:<{width}}  {row['records']:>7} x {row['attributes']:<3} "
            f"{'at hand' if row['at_hand'] else 'to fetch':<9} {row['summary']}"
            for row in rows
        ),
    )


def datasets_fetch(options: DatasetsFetchOptions) -> None:
    """Find a data set in EVOSDC_DATA or the cache, or download it, and check it."""
    name, output = options.name, options.output
    source = load_dataset(default_registry().spec("dataset", name))  # type: ignore[arg-type]
    if output is not None:
        require_apart(output, *files_behind(source, name))
        require_unused(output, replace=options.force)
    say(f"{name}: {len(source.table)} records, {len(source.table.schema)} attributes, from {source.origin}")
    if output is not None:
        source.write(output, source.table, drop_identifiers=False)
        say(f"Wrote {output}")


def datasets_attributes(options: DatasetsAttributesOptions) -> None:
    """List the attributes of a data set with their roles, scales and numbers of different values."""
    table = load_dataset(default_registry().spec("dataset", options.name)).table  # type: ignore[arg-type]
    rows = []
    for one in table.schema.attributes:
        column = table.column(one.name)
        present = column[column >= 0] if one.categorical else column[~np.isnan(column)]
        counts = {"values": len(np.unique(present)), "missing": len(column) - len(present)}
        rows.append({"attribute": one.name, "role": one.role.value, "scale": one.scale.value} | counts)
    if options.as_json:
        print_json({"name": options.name, "attributes": rows})
        return
    columns = {"attribute": "left", "role": "left", "scale": "left", "values": "right", "missing": "right"}
    print_rows(columns, [[str(cell) for cell in row.values()] for row in rows], f"{options.name}: {len(table)} records")
