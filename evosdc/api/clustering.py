"""``evosdc.cluster``."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evosdc.api.html import Shown, paragraphs, table
from evosdc.api.picture import Picture, bars, points
from evosdc.api.tables import KNOWN_AS, SchemaLike, as_table, chosen_of, held_once, neutralise_formulas
from evosdc.files.atomic import make_folder, write_text
from evosdc.options.inspection import ClusterOptions
from evosdc.options.model import read, takes
from evosdc.secret import chosen_seed
from evosdc.table.table import Table

ACCOUNT = "clusters.json"  # by which a folder of clusters is known


@dataclass(frozen=True, eq=False, repr=False)
class Clustered(Shown):
    """Clusters of a file's records, from the largest to the smallest; see `evosdc.cluster`."""

    title, page = "Clusters of records", "clusters.html"

    labels: NDArray[np.int64]  # cluster of each record, from 0
    # A row a cluster: medians of ordinal and numeric attributes, modes of nominal ones; not always a real record.
    representatives: pd.DataFrame
    sizes: NDArray[np.int64]  # records of each cluster
    medoids: NDArray[np.int64]  # position of the record nearest to each representative
    distances: NDArray[np.float64]  # of each record to its representative; an attribute counts at most 1
    distance: float  # their mean
    memberships: NDArray[np.float64] | None  # degrees to which records belong to fuzzy clusters, summing to 1
    fuzzy_representatives: pd.DataFrame | None
    elbow: pd.DataFrame | None  # a row a number of clusters; its share is that of the distance of one cluster
    suggested: int | None  # the number of clusters at the curve's knee
    stability: Mapping[str, float] | None  # mean loss between clusterings of this file by other starts, by index
    warnings: tuple[str, ...]
    account: Mapping[str, Any]  # all figures as JSON has them
    texts: tuple[pd.DataFrame, ...] = ()  # representatives as a file has them, and fuzzy ones

    @property
    def frame(self) -> pd.DataFrame:
        """A row a cluster: ``records share distance medoid``, and its representative."""
        figures = pd.DataFrame(self.account["clusters"]).set_index("cluster")
        return pd.concat([figures.drop(columns="representative"), self.representatives], axis=1)

    def write(self, folder: str | Path, title: str = title, neutralise: bool = False) -> list[str]:
        """Write labels, representatives, figures and page into a new folder and return the names of these files."""
        from evosdc.report.elbow import clusters_page

        figures = pd.DataFrame(self.account["clusters"])[["cluster", "records", "distance", "medoid"]]
        texts = {
            "labels.csv": _csv({"cluster": self.labels, "distance": self.distances}),
            "representatives.csv": _csv(pd.concat([figures, self.texts[0]], axis=1), neutralise),
            ACCOUNT: json.dumps(self.account, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
            "report.html": clusters_page(self.account, title),
        }
        if self.memberships is not None:
            texts["memberships.csv"] = _csv({f"cluster {c}": own for c, own in enumerate(self.memberships.T)})
            fuzzy = pd.concat([figures[["cluster"]], self.texts[1]], axis=1)
            texts["fuzzy-representatives.csv"] = _csv(fuzzy, neutralise)
        make_folder(Path(folder))
        for name, text in texts.items():
            write_text(Path(folder) / name, text)
        return list(texts)

    def plot(self) -> Picture:
        """Return a picture of the distance by number of clusters, or of the sizes where no curve was computed."""
        if self.elbow is None:
            sizes = {f"cluster {place}": {"records": float(size)} for place, size in enumerate(self.sizes)}
            return bars("Clusters of records", "records", sizes)
        corners = self.elbow[["clusters", "distance"]].to_numpy(dtype=float).tolist()
        curve = [(clusters, distance) for clusters, distance in corners]
        lines = {"distance": curve, "suggested": [point for point in curve if point[0] == self.suggested]}
        return points("Distance by number of clusters", "clusters", "mean distance", lines, ["distance"])

    def _page_text(self) -> str:
        from evosdc.report.elbow import clusters_page

        return clusters_page(self.account, self.title)

    def _lines(self) -> Iterator[str]:
        from evosdc.report.elbow import sentences

        yield f"{len(self.sizes)} clusters of {len(self.labels)} records, mean distance {self.distance:.3g}."
        yield from sentences(self.account)
        yield from self.warnings
        yield "Next: .labels, .representatives, .frame, .plot()"

    def _repr_html_(self) -> str:
        from evosdc.report.elbow import sentences

        names, rows = self.account["attributes"], []
        for row in self.account["clusters"]:
            few = dict.fromkeys(names, "too few records to show")
            values = row["representative"] or few
            figures = (row["cluster"], row["records"], row["share"], row["distance"])
            rows.append((*figures, *(values[name] for name in names)))
        header = ["cluster", "records", "share", "mean distance", *names]
        return table(header, rows) + paragraphs([*sentences(self.account), *self.warnings])


@takes(ClusterOptions, KNOWN_AS)
def cluster(data: Any, c: int, *, schema: SchemaLike = None, **options: Any) -> Clustered:
    """Put the records of data into clusters of similar ones, by medians and modes (c-median).

    Parameters
    ----------
    data : frame or Table
        Schema as in `mask`.
    schema : str, Path or Schema, optional
        A schema file or a schema, for a frame.
    {options}

    Examples
    --------
    >>> found = evosdc.cluster(frame, 8, protect=["age", "sex"])  # doctest: +SKIP
    >>> found.labels, found.representatives, found.suggested, found.report("clusters.html")  # doctest: +SKIP
    """
    chosen = read(ClusterOptions, options | {"c": c})
    frame = held_once(data, schema)
    whole = as_table(frame)
    return clustered(whole.select(chosen_of(frame, whole, chosen.protect)), chosen)


def clustered(
    table: Table, options: ClusterOptions, progress: Callable[[int, int], Any] = lambda done, total: None
) -> Clustered:
    """Return the clusters of a table, as frames; `progress` gets how many clusterings of how many are done."""
    from evosdc.clustering.clusters import account_of, clusters_of, texts_of

    found = clusters_of(
        table, options.c, up_to=options.up_to, fuzziness=options.fuzzy, starts=options.starts,
        seed=chosen_seed(options.seed, options.key), seeds=options.seeds, progress=progress,
    )  # fmt: skip
    account, fuzzy = account_of(found), found.fuzzy
    represented = [found.representatives] + ([] if fuzzy is None else [fuzzy.representatives])
    frames = [one.to_pandas().rename_axis("cluster") for one in represented]
    return Clustered(
        found.labels, frames[0], found.sizes, found.medoids, found.distances, found.distance,
        memberships=None if fuzzy is None else fuzzy.memberships,
        fuzzy_representatives=None if fuzzy is None else frames[1],
        elbow=None if account["elbow"] is None else pd.DataFrame(account["elbow"]["curve"]),
        suggested=None if found.elbow is None else found.elbow.suggested,
        stability=None if found.stability is None else found.stability.losses,
        warnings=found.warnings, account=account,
        texts=tuple(pd.DataFrame(texts_of(own)) for own in represented),
    )  # fmt: skip


def _csv(columns: Any, neutralise: bool = False) -> str:
    frame = pd.DataFrame(columns)
    frame = neutralise_formulas(frame) if neutralise else frame
    return str(frame.to_csv(index=False, float_format="%.6g", lineterminator="\n"))
