"""``evosdc cluster``."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.options import DATA, takes_options
from evosdc.cli.text import print_json, print_rows, say, warn
from evosdc.options.inspection import ClusterOptions

if TYPE_CHECKING:
    from evosdc.clustering.clusters import Clusters

LABELS, REPRESENTATIVES, ACCOUNT, PAGE = "labels.csv", "representatives.csv", "clusters.json", "report.html"
MEMBERSHIPS, FUZZY_REPRESENTATIVES = "memberships.csv", "fuzzy-representatives.csv"

MOST_SHOWN = 40  # clusters in the table for people


@click.command()
@click.argument("data", type=DATA)
@takes_options(ClusterOptions)
def cluster(data: str, options: ClusterOptions) -> None:
    """Put the records of DATA, a file or a registered data set, into clusters of similar ones by medians and modes.

    Shows the clusters, how near records are to them by number of clusters, and how far they hang on the starts. Writes
    the cluster of each record with -o, and nothing without.
    """
    from evosdc.assess.defaults import choose_attributes
    from evosdc.cli.display import display
    from evosdc.cli.inputs import open_source
    from evosdc.clustering.clusters import account_of, clusters_of
    from evosdc.errors import DataError, Fault
    from evosdc.files.atomic import check_writable
    from evosdc.runs.layout import replacing
    from evosdc.secret import chosen_seed

    output = options.output
    if output is not None and output.exists() and not options.force:
        raise DataError(Fault(str(output), "a path that exists", "a new folder", "Choose another one, or add --force."))
    if output is not None and output.parent.exists() and not output.is_dir():
        check_writable(output)
    table = open_source(data, options.schema_file, options.reading).table
    table = table.select(choose_attributes(table.schema, options.protect, otherwise_all=False))
    with display(options.quiet or options.as_json) as shown:
        found = clusters_of(
            table, options.c, up_to=options.up_to, fuzziness=options.fuzzy, starts=options.starts,
            seed=chosen_seed(options.seed, options.key), seeds=options.seeds, told=shown.clustering,
        )  # fmt: skip
    account = account_of(found)
    if output is not None:
        title = f"Clusters of {Path(data).name}"
        with replacing(output, options.force, ACCOUNT):
            account["files"] = _write(output, found, account, title, options.neutralise_formulas)
    if options.as_json:
        print_json(account)
        return
    _show(account)
    warn(account["warnings"])
    if output is not None:
        say(f"Wrote {', '.join(account['files'])} to {output}. They are as confidential as the data.")


def _write(output: Path, found: "Clusters", account: Mapping[str, Any], title: str, neutralise: bool) -> list[str]:
    """Write the files of a new folder and return their names."""
    from evosdc.clustering.clusters import texts_of
    from evosdc.files.atomic import make_folder, write_text
    from evosdc.files.formulas import QUOTE, is_formula
    from evosdc.printing import csv_text
    from evosdc.report.elbow import clusters_page

    def cells(texts: Iterable[str]) -> list[str]:
        return [QUOTE + text if neutralise and is_formula(text) else text for text in texts]

    def short(values: Iterable[float]) -> list[str]:
        return [f"{value:.6g}" for value in values]

    names = cells(found.representatives.schema.names)
    rows = [
        [row["cluster"], row["records"], f"{row['distance']:.6g}", row["medoid"], *cells(values.values())]
        for row, values in zip(account["clusters"], texts_of(found.representatives), strict=True)
    ]
    labels = map(list, zip(found.labels.tolist(), short(found.distances), strict=True))
    texts = {
        LABELS: csv_text([["cluster", "distance"], *labels]),
        REPRESENTATIVES: csv_text([["cluster", "records", "distance", "medoid", *names], *rows]),
        ACCOUNT: json.dumps(account, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        PAGE: clusters_page(account, title),
    }
    if found.fuzzy is not None:
        columns = [f"cluster {place}" for place in range(len(account["clusters"]))]
        texts[MEMBERSHIPS] = csv_text([columns, *(short(row) for row in found.fuzzy.memberships)])
        fuzzy = enumerate(texts_of(found.fuzzy.representatives))
        rows = [[place, *cells(row.values())] for place, row in fuzzy]
        texts[FUZZY_REPRESENTATIVES] = csv_text([["cluster", *names], *rows])
    make_folder(output)
    for name, text in texts.items():
        write_text(output / name, text)
    return list(texts)


def _show(account: Mapping[str, Any]) -> None:
    from evosdc.report.elbow import sentences

    rows = []
    for row in account["clusters"][:MOST_SHOWN]:
        values = row["representative"]
        words = "not shown: it may be one of so few records"
        if values is not None:
            words = ", ".join(f"{name} {value or 'missing'}" for name, value in values.items())
        share, distance = f"{100 * row['share']:.1f}", f"{row['distance']:.3f}"
        rows.append([str(row["cluster"]), str(row["records"]), share, distance, words])
    columns = dict.fromkeys(("cluster", "records", "%", "mean distance"), "right")
    print_rows(columns | {"representative: medians and modes": "left"}, rows, "Clusters")
    if len(account["clusters"]) > MOST_SHOWN:
        say(f"And {len(account['clusters']) - MOST_SHOWN} smaller clusters: --json and -o have all.")
    if account["elbow"] is not None:
        marks = (("suggested", account["elbow"]["suggested"]), ("taken", len(account["clusters"])))
        curve = []
        for point in account["elbow"]["curve"]:
            mark = ", ".join(word for word, number in marks if number == point["clusters"])
            curve.append([str(point["clusters"]), f"{point['distance']:.4f}", f"{100 * point['share']:.1f}", mark])
        columns = dict.fromkeys(("clusters", "mean distance", "% of one cluster"), "right")
        print_rows(columns | {"": "left"}, curve, "Distance by number of clusters")
    for text in sentences(account):
        say(text)
    drawn = "" if account["seed"] is None else f"Seed {account['seed']}, "
    say(f"{drawn}{account['starts']} starts; missing values: rule '{account['missing_rule']}'.")
