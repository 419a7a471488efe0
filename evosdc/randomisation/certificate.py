"""What transition matrices prove of a post-randomised file, for every attacker.

The proofs hold for matrices that do not come from the data. A matrix that was made or evolved on the original tells
something by its choice alone; one of k that were fixed before costs a factor of at most k in the capacity.
"""

from collections.abc import Sequence
from math import exp, inf, log, log1p, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix


def epsilon(rows: NDArray[np.float64]) -> float:
    """Return ``max_l ln(max_k p_kl / min_k p_kl)``; infinite where a column is zero in some rows only."""
    # A published value then changes the odds of any two original ones by a factor of at most ``exp(epsilon)``
    # (Kasiviswanathan et al. 2011).
    if len(rows) < 2:
        return 0.0
    most, least = rows.max(axis=0), rows.min(axis=0)
    reached = most > 0.0
    if (least[reached] <= 0.0).any():
        return inf
    return log(float((most[reached] / least[reached]).max()))


def capacity(matrices: Sequence[Matrix], missing: int = 0) -> float:
    """Return C: any guess about a record gets at most C times as good by its published values."""
    # Maximal leakage, ``C = prod_v sum_b max_a P_v(b|a)`` (Issa, Wagner, Kamath 2020). Linking record by record finds
    # at most C/n of the people.
    sums = [float(matrix.max(axis=0).sum()) if matrix.size else 1.0 for matrix in matrices]
    return prod(sums) if not missing else prod(sums) * 2.0**missing


def shuffled_epsilon(local: float, records: int, delta: float) -> float | None:
    """Return epsilon of a shuffled file of records that are each `local` differentially private."""
    # Theorem 3.1 of Feldman, McMillan, Talwar (2021), in closed form; None where it does not apply. Every published
    # column has to be randomised, and the order of the records random.
    if not 0.0 < local < inf or local > log(records / (16.0 * log(2.0 / delta))):
        return None
    growth = exp(local)
    noise = 8.0 * sqrt(growth * log(4.0 / delta) / records) + 8.0 * growth / records
    return min(local, log1p((growth - 1.0) / (growth + 1.0) * noise))


def certificate(matrices: Sequence[Matrix], records: int, independent: bool, missing: int = 0) -> dict[str, Any]:
    """Return the guarantees of matrices for a file, and the sentences on them."""
    bound = capacity(matrices, missing)
    linked = min(1.0, bound / max(1, records))
    local = inf if missing else sum(epsilon(matrix) for matrix in matrices)
    delta = 10.0 ** -np.ceil(2.0 * np.log10(max(2, records)))
    shuffled = shuffled_epsilon(local, records, delta) if independent else None
    figures = (
        f"any guess about a record gets at most {bound:.4g} times as good by the file, and at most {linked:.1%} of "
    )
    figures += "the people are linked record by record"
    if independent:
        said = [
            f"Proof for matrices that were not chosen by these data: {figures}, whatever an attacker knows. "
            "A matrix chosen among k by the data costs a factor of k; one that was evolved on them proves nothing."
        ]
        if shuffled is not None:
            said.append(
                f"With shuffled records and every published column randomised the file is differentially private: "
                f"epsilon {shuffled:.2g} at delta {delta:g}."
            )
    else:
        said = [
            "No proof: the matrices were made from these data, and tell something by their choice. "
            f"The same matrices, chosen without the data, would prove that {figures}."
        ]
    return {
        "certified": independent,
        "capacity": bound,
        "linked_at_most": linked,
        "local_epsilon": None if local == inf else local,
        "shuffled_epsilon": shuffled,
        "delta": float(delta),
        "sentences": said,
    }
