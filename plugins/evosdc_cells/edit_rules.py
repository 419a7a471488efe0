"""Edit rules: combinations of values that no record may have, structural zeros for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, ParameterError, did_you_mean
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc_cells.domain import NumberCoding

Values = str | float | tuple[str, ...] | tuple[float, float]
"""A category, several, or the bounds of an interval of numbers, both included."""

Genes = NDArray[Any]
_WHERE = "genotype cells: edit_rules"


@dataclass(frozen=True, eq=False)
class EditRules:
    """What is forbidden, over codes.

    Parameters
    ----------
    rules : tuple of tuple of (int, ndarray or tuple of int)
        For each rule, by column of the genes: which category codes are meant (bool, the last entry for a missing
        value), or the least and greatest code of a number. A record breaks the rule where all its columns are met.
    """

    rules: tuple[tuple[tuple[int, NDArray[np.bool_] | tuple[int, int]], ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def broken(self, genes: Genes) -> NDArray[np.bool_]:
        """Return which of some records break a rule, shape (m,); `genes` has shape (m, V)."""
        broken = np.zeros(len(genes), dtype=bool)
        for rule in self.rules:
            met = np.ones(len(genes), dtype=bool)
            for column, meant in rule:
                values = genes[:, column]
                met &= (meant[0] <= values) & (values <= meant[1]) if isinstance(meant, tuple) else meant[values]
            broken |= met
        return broken

    def kept(self, genes: Genes, fallback: Genes) -> Genes:
        """Return the genes with the records that break a rule taken from `fallback`, which breaks none."""
        if not self.rules:
            return genes
        broken = self.broken(genes)
        return np.where(broken[:, None], fallback, genes) if broken.any() else genes

    def repaired(self, genes: Genes) -> Genes:
        """Return the genes with each record that breaks a rule replaced by the one that differs in fewest cells.

        Of equally near records the first is taken.

        Raises
        ------
        ParameterError
            Every record breaks a rule.
        """
        broken = self.broken(genes) if self.rules else np.zeros(0, dtype=bool)
        if not broken.any():
            return genes
        valid = np.unique(genes[~broken], axis=0)
        if not len(valid):
            raise ParameterError(Fault(_WHERE, "rules that every record breaks", "rules that some record keeps"))
        repaired = genes.copy()
        for row in np.flatnonzero(broken):
            repaired[row] = valid[int((valid != genes[row]).sum(axis=1).argmin())]
        return repaired


def edit_rules_of(rules: Sequence[Mapping[str, Values]], schema: Schema, coding: NumberCoding) -> EditRules:
    """Return the edit rules that a user wrote, each a mapping from attributes to what must not come together.

    Raises
    ------
    ParameterError
        Attributes that are not protected, unknown categories, intervals that are none; all at once.
    """
    collect, made = FaultCollector(), []
    columns = {a.name: j for j, a in enumerate((*schema.categorical, *schema.numeric))}
    for number, rule in enumerate(rules, start=1):
        parts: list[tuple[int, NDArray[np.bool_] | tuple[int, int]]] = []
        where = f"{_WHERE}: rule {number}"
        if not rule:
            collect.faults.append(Fault(where, "no attribute", "a combination of values"))
        for name, values in rule.items():
            if name not in columns:
                wanted = f"one of the protected attributes {', '.join(columns)}"
                collect.faults.append(Fault(where, repr(name), wanted, did_you_mean(name, columns)))
                continue
            with collect.step():
                attribute = schema[name]
                if attribute.categorical:
                    parts.append((columns[name], _meant(attribute, values, schema.missing, where)))
                else:
                    bounds = _bounds(attribute, values, where)
                    j = columns[name] - len(schema.categorical)
                    low, high = (np.array(bounds) * coding.scale[j]).tolist()
                    base = int(coding.base[j])
                    parts.append((columns[name], (max(int(np.ceil(low)) - base, 0), int(np.floor(high)) - base)))
        made.append(tuple(parts))
    if collect.faults:
        raise ParameterError(collect.faults)
    return EditRules(tuple(made))


def _meant(attribute: Attribute, values: Values, missing: Sequence[str], where: str) -> NDArray[np.bool_]:
    given = values if isinstance(values, tuple) else (values,)
    meant = np.zeros(len(attribute.categories) + 1, dtype=bool)
    if attribute.scale is Scale.ORDINAL and not any(isinstance(value, str) for value in given):
        numbers = _numbers(attribute.categories)
        if numbers is not None:
            low, high = _bounds(attribute, values, where)
            meant[:-1] = (low <= numbers) & (numbers <= high)
            return meant
    labels = [value if isinstance(value, str) else f"{value:g}" for value in given]
    unknown = [label for label in labels if label not in attribute.code and label not in missing]
    if unknown:
        wanted = f"categories of {attribute.name}"
        raise ParameterError(Fault(where, repr(unknown[0]), wanted, did_you_mean(unknown[0], attribute.categories)))
    meant[[attribute.code.get(label, len(attribute.categories)) for label in labels]] = True
    return meant


def _numbers(labels: Sequence[str]) -> NDArray[np.float64] | None:
    try:
        return np.array([float(label) for label in labels])
    except ValueError:
        return None


def _bounds(attribute: Attribute, values: Values, where: str) -> tuple[float, float]:
    pair = values if isinstance(values, tuple) else (values, values)
    if len(pair) != 2 or any(isinstance(bound, str) for bound in pair):
        raise ParameterError(Fault(where, repr(values), f"[least, greatest] of {attribute.name}, which is numeric"))
    low, high = float(pair[0]), float(pair[1])
    if not low <= high:
        raise ParameterError(Fault(where, f"[{low}, {high}]", "the least number first"))
    return low, high
