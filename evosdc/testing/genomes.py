"""Genomes and their dumps, as the genotype suite compares them."""

import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model.genotype import Dump
from evosdc.testing.purity import arrays_in, is_genome


def assert_genome(genome: object, maker: str) -> None:
    """Assert that a genome is made of arrays and plain values only, and that its arrays are read-only."""
    assert is_genome(genome), f"{maker} returned {type(genome).__name__}: a genome is an ndarray or a tuple of such"
    for array in arrays_in(genome):
        assert not array.flags.writeable, f"{maker} returned a writable array; set array.flags.writeable = False"


def through_npz(dump: Dump) -> dict[str, NDArray[Any]]:
    """Return a dump as it comes back from the bytes of an npz file without pickle."""
    assert isinstance(dump, Mapping), f"dump returned {type(dump).__name__}, wanted a mapping of names to arrays"
    for name, array in dump.items():
        assert isinstance(name, str), f"dump uses the key {name!r}, wanted text"
        assert isinstance(array, np.ndarray), f"dump holds {type(array).__name__} under {name!r}, wanted an array"
        assert not array.dtype.hasobject, f"dump holds an array of objects under {name!r}, which npz would pickle"
    file = io.BytesIO()
    np.savez(file, **dict[str, Any](dump))
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def same_dump(a: Dump, b: Dump) -> bool:
    """Whether two dumps hold the same arrays: names, types, shapes and bits."""
    return a.keys() == b.keys() and all(
        a[name].dtype == b[name].dtype and a[name].shape == b[name].shape and a[name].tobytes() == b[name].tobytes()
        for name in a
    )


def neighbours(dump: Dump, rng: np.random.Generator, tries: int = 40) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield dumps that differ from `dump` in one element, which gets the value of another one or one near it.

    They need not be valid genomes.
    """
    names = [name for name, array in dump.items() if array.size]
    for attempt in range(tries if names else 0):
        name = names[attempt % len(names)]
        array = dump[name].copy().reshape(-1)
        position = int(rng.integers(array.size))
        donor = array[int(rng.integers(array.size))]
        if donor == array[position] and array.dtype.kind in "iufb":
            with np.errstate(over="ignore"):
                donor = ~array[position] if array.dtype.kind == "b" else array[position] + rng.choice([-1, 1])
        array[position] = donor
        changed = {**dump, name: array.reshape(dump[name].shape)}
        if not same_dump(changed, dump):
            yield changed


def lost_genes(parents: tuple[Dump, Dump], children: tuple[Dump, Dump], what: str) -> str:
    """Return what is wrong with the children's genes, or an empty text.

    Parameters
    ----------
    parents, children : pairs of dumps
    what : {"nothing", "alleles", "genes"}
        What the genotype says that its crossover conserves; see `GenotypeConformance.conserves`.
    """
    if what == "nothing":
        return ""
    for name in parents[0]:
        a, b = (parent[name] for parent in parents)
        c, d = (child[name] for child in children)
        if not a.shape == b.shape == c.shape == d.shape:
            return f"the arrays {name!r} have different shapes, so that genes cannot stand at the same locus"
        straight, crossed = (c == a) & (d == b), (c == b) & (d == a)
        inherited = ((c == a) | (c == b)) & ((d == a) | (d == b))
        kept = inherited if what == "alleles" else straight | crossed
        if not kept.all():
            count = int(np.size(kept) - np.count_nonzero(kept))
            return f"crossover lost genes at {count} of {np.size(kept)} loci of {name!r}"
    return ""
