"""``evosdc.cluster``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.api.html import Shown, paragraphs, require_free, table
from evosdc.api.tables import as_table, chosen_of, held_once
from evosdc.options.inspection import ClusterOptions
from evosdc.options.model import read, takes
from evosdc.secret import chosen_seed

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from evosdc.api.picture import Picture
    from evosdc.clustering.clusters import Clusters
    from evosdc.table.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Clustered(Shown):
    """Clusters of a file's records, from the largest to the smallest; see `evosdc.cluster`.

    Parameters
    ----------
    labels : ndarray of int64, shape (n,)
        Cluster of each record, from 0.
    representatives : DataFrame
        A row a cluster: medians of ordinal and numeric attributes, modes of nominal ones; not always a real record.
    sizes : ndarray of int64, shape (c,)
        Records of each cluster.
    medoids : ndarray of int64, shape (c,)
        Position of the record nearest to each representative.
    distances : ndarray of float64, shape (n,)
        Of each record to its representative; an attribute that differs as much as it can counts 1.
    distance : float
        Their mean.
    memberships : ndarray of float64, shape (n, c), optional
        Degrees to which records belong to fuzzy clusters; those of a record sum to 1.
    fuzzy_representatives : DataFrame, optional
    elbow : DataFrame, optional
        A row a number of clusters: ``clusters distance share``, share being that of the distance of one cluster.
    suggested : int, optional
        The number of clusters at the curve's knee.
    stability : mapping of str to float, optional
        Mean loss ``100 (1 - index)`` between clusterings of this same file by different starts, by index.
    warnings : tuple of str
    account : mapping
        All figures as JSON has them.
    """

    title, page = "Clusters of records", "clusters.html"

    labels: "NDArray[np.int64]"
    representatives: "pd.DataFrame"
    sizes: "NDArray[np.int64]"
    medoids: "NDArray[np.int64]"
    distances: "NDArray[np.float64]"
    distance: float
    memberships: "NDArray[np.float64] | None"
    fuzzy_representatives: "pd.DataFrame | None"
    elbow: "pd.DataFrame | None"
    suggested: int | None
    stability: Mapping[str, float] | None
    warnings: tuple[str, ...]
    account: Mapping[str, Any] = field(repr=False)

    @classmethod
    def of(cls, found: "Clusters") -> "Clustered":
        """Return clusters in the form of frames."""
        import pandas as pd

        from evosdc.clustering.clusters import account_of

        account, fuzzy = account_of(found), found.fuzzy
        return cls(
            labels=found.labels,
            representatives=_frame(found.representatives),
            sizes=found.sizes,
            medoids=found.medoids,
            distances=found.distances,
            distance=found.distance,
            memberships=None if fuzzy is None else fuzzy.memberships,
            fuzzy_representatives=None if fuzzy is None else _frame(fuzzy.representatives),
            elbow=None if account["elbow"] is None else pd.DataFrame(account["elbow"]["curve"]),
            suggested=None if found.elbow is None else found.elbow.suggested,
            stability=None if found.stability is None else found.stability.losses,
            warnings=found.warnings,
            account=account,
        )

    @property
    def frame(self) -> "pd.DataFrame":
        """A row a cluster: ``records share distance medoid``, and its representative."""
        import pandas as pd

        figures = pd.DataFrame(self.account["clusters"]).set_index("cluster")
        return pd.concat([figures.drop(columns="representative"), self.representatives], axis=1)

    def report(self, path: str | Path | None = None, overwrite: bool = False) -> Path:
        """Write a page with the curve and return where it is; raises `DataError` where a file exists."""
        from evosdc.files.atomic import write_text
        from evosdc.report.elbow import clusters_page

        target = Path(self.page if path is None else path)
        require_free(target, overwrite)
        write_text(target, clusters_page(self.account, self.title))
        return target

    def plot(self) -> "Picture":
        """Return a picture of the distance by number of clusters, or of the sizes where no curve was computed."""
        from evosdc.api.picture import bars, points

        if self.elbow is None:
            sizes = {f"cluster {place}": {"records": float(size)} for place, size in enumerate(self.sizes)}
            return bars("Clusters of records", "records", sizes)
        corners = self.elbow[["clusters", "distance"]].to_numpy(dtype=float).tolist()
        curve = [(clusters, distance) for clusters, distance in corners]
        lines = {"distance": curve, "suggested": [point for point in curve if point[0] == self.suggested]}
        return points("Distance by number of clusters", "clusters", "mean distance", lines, ["distance"])

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


@takes(ClusterOptions, {"attributes": "protect", "clusters": "c"})
def cluster(data: Any, c: int, **options: Any) -> Clustered:
    """Put the records of data into clusters of similar ones, by medians and modes (c-median).

    Parameters
    ----------
    data : frame or Table
        Schema as in `mask`.
    {options}

    Raises
    ------
    InputError
        Unknown attributes, or numbers outside their ranges.

    Examples
    --------
    >>> found = evosdc.cluster(frame, 8, protect=["age", "sex"])  # doctest: +SKIP
    >>> found.labels, found.representatives, found.suggested, found.report("clusters.html")  # doctest: +SKIP
    """
    from evosdc.clustering.clusters import clusters_of

    chosen = read(ClusterOptions, options | {"c": c})
    frame = held_once(data)
    whole = as_table(frame)
    found = clusters_of(
        whole.select(chosen_of(frame, whole, chosen.protect)), chosen.c, up_to=chosen.up_to, fuzziness=chosen.fuzzy,
        starts=chosen.starts, seed=chosen_seed(chosen.seed, chosen.key), seeds=chosen.seeds,
    )  # fmt: skip
    return Clustered.of(found)


def _frame(records: "Table") -> "pd.DataFrame":
    import numpy as np
    import pandas as pd

    from evosdc.table.schema import Scale

    columns: dict[str, Any] = {}
    for attribute in records.schema.attributes:
        column = records.column(attribute.name)
        if attribute.categorical:
            labels = pd.Index(attribute.categories, dtype=object)
            codes = column.astype(np.int64)
            columns[attribute.name] = pd.Categorical.from_codes(codes, labels, attribute.scale is Scale.ORDINAL)
        else:
            columns[attribute.name] = column
    return pd.DataFrame(columns).rename_axis("cluster")
