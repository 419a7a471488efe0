"""The files of chapter 5 protected with and without clustering before, and what measures say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import evosdc
from evosdc.experiment.data import load_data, microdata_of
from evosdc.experiment.experiment import DataSource
from evosdc.model import Fitted, Measure
from evosdc.plugins.registry import Registry
from evosdc.table.table import Table

FILES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "housing": ("housing", ("built", "degree", "grade1")),
    "german": ("german-credit", ("existacc", "savings", "presemploy")),
}
"""By short name: the data set, and the attributes that the thesis protects."""

METHODS = ("mdav", "global-median")
LOSSES = ("dbil", "ctbil", "ebil")
LINKAGES = ("dbrl", "prl")
INFORMED = ("guess-gain", "informed-linkage", "worst-relabelling")
CLUSTERS, FEWER = 8, 5
"""Of cluster analysis: the default of ``cluster-agreement``, and another. How many the thesis takes is not known."""

LOST, LOST_OF_FEWER = "lost clusters", f"lost of {FEWER} clusters"
"""``cluster-agreement`` from the original's clusters on, where a small change is a small loss."""

MEASURES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    **{name: (name, {}) for name in (*LOSSES, "id", *LINKAGES, *INFORMED)},
    LOST: ("cluster-agreement", {"clusters": CLUSTERS, "begin": "original"}),
    LOST_OF_FEWER: ("cluster-agreement", {"clusters": FEWER, "begin": "original"}),
}
"""By name in the tables: registered name and parameters."""

FIGURES = ("il", "dr", "mean", "max", "informed-dr", "informed-max", *MEASURES)


@dataclass(frozen=True)
class Protection:
    """A masked file and its figures.

    Parameters
    ----------
    method : str
    c : int
        Clusters before protection; 1 where there was none.
    k : int
        Least number of records of a class.
    seed : int
        Of the clustering; methods themselves draw nothing.
    masked : Table
    figures : mapping of str to float
        `FIGURES`, 0..100.
    """

    method: str
    c: int
    k: int
    seed: int
    masked: Table
    figures: Mapping[str, float]

    @property
    def point(self) -> tuple[float, float]:
        """IL and DR of the thesis's measures."""
        return self.figures["il"], self.figures["dr"]

    @property
    def informed_point(self) -> tuple[float, float]:
        """IL, and DR by an informed intruder."""
        return self.figures["il"], self.figures["informed-dr"]

    @property
    def clusters_point(self) -> tuple[float, float]:
        """Lost clusters in place of IL, and DR."""
        return self.figures[LOST], self.figures["dr"]

    @property
    def digest(self) -> str:
        """Tells masked files apart."""
        return sha256(self.masked.codes.tobytes()).hexdigest()


class Judge:
    """The measures, fitted to one original."""

    def __init__(self, original: Table, registry: Registry) -> None:
        self._fitted: dict[str, Fitted] = {}
        for name, (registered, params) in MEASURES.items():
            measure: Measure = registry.build("measure", registered, params)
            self._fitted[name] = measure.fit(original)

    def figures(self, masked: Table) -> dict[str, float]:
        """Return `FIGURES`.

        IL is the mean of the three losses, DR the mean of interval disclosure and the greater linkage, as in all
        experiments of the thesis here. The informed DR has guess gain in place of interval disclosure, which also
        counts what anybody guesses without the file, and the informed linkage among the linkages.
        """
        found = {name: float(fitted.score(masked)) for name, fitted in self._fitted.items()}
        il = sum(found[name] for name in LOSSES) / len(LOSSES)
        linked = max(found[name] for name in LINKAGES)
        dr = (found["id"] + linked) / 2
        informed = (found["guess-gain"] + max(linked, found["informed-linkage"])) / 2
        scores = {"il": il, "dr": dr, "mean": (il + dr) / 2, "max": max(il, dr)}
        return scores | {"informed-dr": informed, "informed-max": max(il, informed)} | found


def original_of(file: str, registry: Registry) -> Table:
    """Return the protected attributes of a file."""
    name, protect = FILES[file]
    return microdata_of(load_data(DataSource(name=name), registry), protect).original


def protections(
    original: Table, judge: Judge, method: str, ks: Sequence[int], cs: Sequence[int], seeds: Sequence[int]
) -> Iterator[Protection]:
    """Yield a file for each k without clustering, and for each c, k and seed with it."""
    names = original.schema.names
    for k in ks:
        masked = evosdc.mask(original, method, protect=names, seed=seeds[0], k=k)
        yield Protection(method, 1, k, seeds[0], masked, judge.figures(masked))
    for c in cs:
        for k in ks:
            for seed in seeds:
                inner = {"method": method, "k": k}
                masked = evosdc.mask(original, "clustered", protect=names, seed=seed, c=c, inner=inner)
                yield Protection(method, c, k, seed, masked, judge.figures(masked))
