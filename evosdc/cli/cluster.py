"""``evosdc cluster``."""

from pathlib import Path

from evosdc.api.clustering import ACCOUNT, Clustered, clustered
from evosdc.assess.defaults import choose_attributes
from evosdc.cli.display import display
from evosdc.cli.inputs import open_source
from evosdc.cli.text import print_json, print_rows, say, warn
from evosdc.errors import DataError, Fault
from evosdc.files.atomic import check_writable
from evosdc.options.inspection import ClusterOptions
from evosdc.report.elbow import elbow_rows, sentences
from evosdc.runs.layout import replacing

MOST_SHOWN = 40  # clusters in the table for people


def cluster(options: ClusterOptions) -> None:
    """Put records into clusters, and print or write them."""
    output = options.output
    if output is not None and output.exists() and not options.force:
        raise DataError(Fault(str(output), "a path that exists", "a new folder", "Choose another one, or add --force."))
    if output is not None and output.parent.exists() and not output.is_dir():
        check_writable(output)
    table = open_source(options.data, options.schema_file, options.reading).table
    table = table.select(choose_attributes(table.schema, options.protect, otherwise_all=False))
    with display(options.quiet or options.as_json) as shown:
        found = clustered(table, options, shown.clustering)
    files: list[str] = []
    if output is not None:
        with replacing(output, options.force, ACCOUNT):
            files = found.write(output, f"Clusters of {Path(options.data).name}", options.neutralise_formulas)
    if options.as_json:
        print_json({**found.account, **({"files": files} if files else {})})
        return
    _show(found)
    warn(found.warnings)
    if files:
        say(f"Wrote {', '.join(files)} to {output}. They are as confidential as the data.")


def _show(found: Clustered) -> None:
    account, rows = found.account, []
    for row in account["clusters"][:MOST_SHOWN]:
        words = "not shown: it may be one of so few records"
        if row["representative"] is not None:
            words = ", ".join(f"{name} {value or 'missing'}" for name, value in row["representative"].items())
        share, distance = f"{100 * row['share']:.1f}", f"{row['distance']:.3f}"
        rows.append([str(row["cluster"]), str(row["records"]), share, distance, words])
    columns = dict.fromkeys(("cluster", "records", "%", "mean distance"), "right")
    print_rows(columns | {"representative: medians and modes": "left"}, rows, "Clusters")
    if len(account["clusters"]) > MOST_SHOWN:
        say(f"And {len(account['clusters']) - MOST_SHOWN} smaller clusters: --json and -o have all.")
    if account["elbow"] is not None:
        columns = dict.fromkeys(("clusters", "mean distance", "% of one cluster"), "right") | {"": "left"}
        print_rows(columns, [list(row.values()) for row in elbow_rows(account)], "Distance by number of clusters")
    for text in sentences(account):
        say(text)
    drawn = "" if account["seed"] is None else f"Seed {account['seed']}, "
    say(f"{drawn}{account['starts']} starts; missing values: rule '{account['missing_rule']}'.")
