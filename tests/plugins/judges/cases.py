"""Judges by name, and small files for their tests."""

from __future__ import annotations

import numpy as np

from evosdc.model import Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

LEARNED = ("learned-linkage", "learned-inference")
ATTACKS = ("singling-out", "linkability", "inference")
SETS = ("repu", "disco", "tcap")
COARSER = ("downcoding",)
LOSSES = ("tables-3", "association", "classifier-utility", "pmse")
RISKS = (
    "learned-linkage",
    "partial-linkage",
    "displacement-linkage",
    "linkability",
    "learned-inference",
    "inference",
    "singling-out",
)
TAILS = ("surest-matches",)
ALL = (*RISKS, *SETS, *COARSER, *TAILS, *LOSSES)
OF_GRAPHS = ("informed-semantic-dr", "neighbourhood-dr")
"""Judges of another plugin."""


def judge(name, **params):
    return default_registry().build("measure", name, params)


def fitted(name, original, protect=None, **params):
    return judge(name, **params).fit_in(Microdata(original, tuple(protect or original.schema.names)))


def attribute(name, size, scale="nominal", role="quasi-identifier"):
    return Attribute(name, Role(role), Scale(scale), tuple(map(str, range(size))))


def table(attributes, codes, numbers=None):
    codes = np.asarray(codes, dtype=np.int32)
    return Table(Schema(tuple(attributes)), codes, np.empty((len(codes), 0)) if numbers is None else numbers)


def digits(text, sizes=None, scales=None, roles=None):
    """Return a table of records written as words of digits, one attribute a digit: ``"01 11"``."""
    codes = np.array([[int(digit) for digit in record] for record in text.split()], dtype=np.int32)
    width = codes.shape[1]
    sizes = sizes or [int(codes[:, v].max()) + 1 for v in range(width)]
    scales, roles = scales or ["nominal"] * width, roles or ["quasi-identifier"] * width
    return table([attribute(f"a{v}", sizes[v], scales[v], roles[v]) for v in range(width)], codes)


def people(n=400, sizes=(6, 5, 8, 3), scales=("ordinal", "nominal", "ordinal", "nominal"), seed=3, besides=0):
    """Return people whose attributes go together, as in real files; the last `besides` are not to be protected."""
    rng = np.random.default_rng(seed)
    latent = rng.random(n)
    codes = [np.clip((latent + 0.4 * rng.standard_normal(n)) * size, 0, size - 1).astype(np.int32) for size in sizes]
    attributes = [attribute(f"a{v}", size, scale) for v, (size, scale) in enumerate(zip(sizes, scales, strict=True))]
    for extra in range(besides):
        codes.append(np.clip((latent + 0.2 * rng.standard_normal(n)) * 4, 0, 3).astype(np.int32))
        attributes.append(attribute(f"b{extra}", 4, role="other"))
    return table(attributes, np.column_stack(codes))


def noisy(original, share, seed=5):
    """Return the table with a share of the values of every attribute shuffled among their records."""
    rng = np.random.default_rng(seed)
    codes = original.codes.copy()
    for v in range(codes.shape[1]):
        hit = np.flatnonzero(rng.random(len(codes)) < share)
        codes[hit, v] = rng.permutation(codes[hit, v])
    return Table(original.schema, codes, original.numbers)


def permuted(original, seed=7):
    """Return the records in another order: a file that knows nothing of who is who."""
    return original.take(np.random.default_rng(seed).permutation(len(original)))


def relabelled(masked, seed=11):
    """Return the table with the labels of every attribute exchanged, each for another one."""
    rng = np.random.default_rng(seed)
    codes = masked.codes.copy()
    for v, attribute in enumerate(masked.schema.categorical):
        order = rng.permutation(len(attribute.categories))
        to = np.empty(len(order), dtype=np.int32)
        to[order] = np.roll(order, 1)
        codes[:, v] = np.append(to, -1)[codes[:, v]]
    return Table(masked.schema, codes, masked.numbers)
