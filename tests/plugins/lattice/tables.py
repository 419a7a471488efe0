"""Random files with hierarchies, and the plain definitions that the plugin is compared with."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from math import log, log2

import numpy as np
from hypothesis import strategies as st

from evosdc.model import Microdata
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Table


@st.composite
def hierarchies(draw, name="a", most_leaves=6, most_height=3):
    count = draw(st.integers(1, most_leaves))
    height = draw(st.integers(1, most_height))
    leaves = tuple(f"{name}{i}" for i in range(count))
    group, columns = list(range(count)), []
    for level in range(1, height):
        below = sorted(set(group))
        to = {g: draw(st.integers(0, max(len(below) - 1, 0))) for g in below}
        group = [to[g] for g in group]
        columns.append([f"{name}{level}.{g}" for g in group])
    rows = tuple((*(column[i] for column in columns), "*") for i in range(count))
    return Hierarchy(leaves, rows, name)


@st.composite
def files(draw, missing=True):
    attributes = draw(st.integers(1, 3))
    n = draw(st.integers(1, 24))
    described, columns = [], []
    for j in range(attributes):
        hierarchy = draw(hierarchies(f"v{j}-"))
        scale = draw(st.sampled_from([Scale.NOMINAL, Scale.ORDINAL]))
        described.append(Attribute(f"q{j}", Role.QUASI_IDENTIFIER, scale, hierarchy.leaves, hierarchy))
        lowest = MISSING if missing and draw(st.booleans()) else 0
        columns.append(draw(st.lists(st.integers(lowest, len(hierarchy.leaves) - 1), min_size=n, max_size=n)))
    values = draw(st.integers(1, 4))
    scale = draw(st.sampled_from([Scale.NOMINAL, Scale.ORDINAL]))
    hierarchy = draw(hierarchies("s")) if scale is Scale.NOMINAL and draw(st.booleans()) else None
    labels = hierarchy.leaves if hierarchy else tuple(f"s{i}" for i in range(values))
    values = len(labels)
    described.append(Attribute("s", Role.SENSITIVE, scale, labels, hierarchy))
    columns.append(draw(st.lists(st.integers(0, values - 1), min_size=n, max_size=n)))
    table = Table(Schema(tuple(described)), np.array(columns, dtype=np.int32).T.copy(), np.empty((n, 0)))
    return Microdata(table, tuple(a.name for a in described[:-1]))


def paths(microdata):
    """Return, by attribute, each record's labels from level 0 to the root; None for a missing value below the root."""
    result = []
    for attribute in microdata.original.schema.attributes:
        column = []
        for code in microdata.original.column(attribute.name):
            if code == MISSING:
                column.append((*[None] * attribute.hierarchy.height, "*"))
            else:
                column.append(attribute.hierarchy.path(attribute.categories[code]))
        result.append(column)
    return result


def all_levels(microdata):
    return product(*(range(a.hierarchy.height + 1) for a in microdata.original.schema.attributes))


def safe(values, overall, attribute, params):
    """Whether a class of sensitive codes meets the model, by the definitions."""
    n, counts = len(values), Counter(values)
    if n < params.get("k", 1) or len(counts) < params.get("p", 1):
        return False
    if "l" in params:
        least, kind = params["l"], params.get("diversity", "distinct")
        if kind == "distinct" and len(counts) < least:
            return False
        if kind == "entropy" and -sum(c / n * log(c / n) for c in counts.values()) < log(least) - 1e-9:
            return False
        if kind == "recursive":
            r = sorted(counts.values(), reverse=True)
            if len(r) < least or not r[0] < params.get("c", 3.0) * sum(r[int(least) - 1 :]):
                return False
    if "t" in params:
        # Only sensitive values that occur in the file take part, ordered ones by rank.
        total = sum(overall.values())
        difference = [counts[v] / n - overall[v] / total for v in sorted(overall)]
        kind = params.get("distance") or (
            "ordinal" if attribute.scale is not Scale.NOMINAL else "hierarchical" if attribute.hierarchy else "nominal"
        )
        if kind == "hierarchical":
            distance = distance_in(attribute, dict(zip(sorted(overall), difference, strict=True)))
        elif kind == "ordinal":
            distance = sum(abs(sum(difference[: i + 1])) for i in range(len(difference))) / max(len(difference) - 1, 1)
        else:
            distance = sum(map(abs, difference)) / 2
        if distance > params["t"] + 1e-9:
            return False
    return True


def distance_in(attribute, difference):
    """Return the earth mover's distance in a hierarchy, inner node by inner node (Li et al. 2007)."""
    hierarchy = attribute.hierarchy

    def extra(level, label):
        return sum(d for v, d in difference.items() if hierarchy.path(attribute.categories[v])[level] == label)

    total = 0.0
    for level in range(1, hierarchy.height + 1):
        for label in {hierarchy.path(attribute.categories[v])[level] for v in difference}:
            below = {
                hierarchy.path(attribute.categories[v])[level - 1]
                for v in difference
                if hierarchy.path(attribute.categories[v])[level] == label
            }
            extras = [extra(level - 1, child) for child in below]
            even = min(sum(e for e in extras if e > 0), -sum(e for e in extras if e < 0))
            total += level / hierarchy.height * even
    return total


def reference(microdata, levels, params):
    """Return suppressed records and losses of a node by their definitions, record by record."""
    columns = paths(microdata)
    attributes = microdata.original.schema.attributes
    n = len(microdata.table)
    sensitive = microdata.table.column("s").tolist()
    sensed = microdata.table.schema["s"]
    overall = Counter(sensitive)
    keys = [tuple(column[r][level] for column, level in zip(columns, levels, strict=True)) for r in range(n)]
    classes = defaultdict(list)
    for r, key in enumerate(keys):
        classes[key].append(r)
    kept = {k for k, rows in classes.items() if safe([sensitive[r] for r in rows], overall, sensed, params)}
    gone = [r for r in range(n) if keys[r] not in kept]
    dm = sum(len(classes[k]) ** 2 for k in kept) + n * len(gone)
    lm, iloss, entropy, precision = [], [], 0.0, []
    for column, level, attribute in zip(columns, levels, attributes, strict=True):
        hierarchy = attribute.hierarchy
        domain = len(hierarchy.leaves)
        below = Counter(path[level] for path in map(hierarchy.path, hierarchy.leaves))
        loss = 0
        for r in range(n):
            label = "*" if r in set(gone) else column[r][level]
            size = 1 if label is None else domain if label == "*" else below[label]
            loss += size - 1
            wide = n if label == "*" else sum(column[i][level] == label for i in range(n))
            entropy += log2(wide / sum(column[i][0] == column[r][0] for i in range(n)))
        lm.append(loss / (n * (domain - 1)) if domain > 1 else 0.0)
        iloss.append(loss / (n * domain))
        precision.append(level / hierarchy.height)
    share = len(gone) / n
    return {
        "suppressed": len(gone),
        "dm": float(dm),
        "dm-star": float(sum(len(rows) ** 2 for rows in classes.values())),
        "lm": sum(lm) / len(lm),
        "iloss": sum(iloss) / len(iloss),
        "cavg": n / (len(kept) + bool(gone)) / params["k"],
        "aecs": n / (len(kept) + bool(gone)),
        "entropy": entropy,
        "precision": sum(precision) / len(precision) * (1 - share) + share,
        "height": float(sum(levels)),
    }


def privacy_parameters():
    return st.fixed_dictionaries(
        {"k": st.integers(1, 5)},
        optional={
            "p": st.integers(1, 3),
            "l": st.integers(1, 3),
            "diversity": st.sampled_from(["distinct", "entropy", "recursive"]),
            "t": st.sampled_from([0.1, 0.3, 0.6]),
            "distance": st.sampled_from(["nominal", "ordinal"]),
        },
    ).map(_consistent)


def _consistent(given):
    """Return parameters without those that do nothing for want of another."""
    needs = {"diversity": "l", "distance": "t"}
    given = {name: value for name, value in given.items() if needs.get(name, "k") in given}
    return given | ({"p": min(given["p"], given["k"])} if "p" in given else {})
