"""Who is best where: stored results of evosdc beside others, evosdc included where it loses.

    python experiments/best/best.py -o runs/best

Nothing is computed anew: figures come from the tables that studies and benchmarks have stored, and from
``published.csv``, which names its sources. ``best.csv`` has a row for each question.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import click

HERE = Path(__file__).resolve().parent
STUDIES, BENCHMARKS = HERE.parent, HERE.parents[1] / "benchmarks" / "results"
HEADER = ("question", "evosdc", "others", "best", "stored in")

Row = dict[str, str]


def table(*place: str) -> list[Row]:
    """Return the rows of a stored table."""
    root = BENCHMARKS if place[0] == "benchmarks" else STUDIES / place[0]
    with (root / place[-1]).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def certified() -> Iterator[tuple[str, ...]]:
    """Yield files with a proof beside the published ones."""
    own = {row["question"]: 0.0 for row in table("best", "published.csv")}
    columns = {"adult-pairs": "pair_distance", "adult-accuracy": "accuracy_ratio"}
    columns |= {"national-marginals": "k_marginal", "national-unique": "unique_found"}
    files = table("benchmarks", "certified-files.csv")
    rows = [row for row in files if row["epsilon"] == "1.0" and row["method"] == "evosdc"]
    for question, column in columns.items():
        file = "adult" if question.startswith("adult") else "national2019"
        own[question] = fmean(float(row[column]) for row in rows if row["file"] == file)
    for question, figure in own.items():
        others = [row for row in table("best", "published.csv") if row["question"] == question]
        found = {"evosdc": figure, **{row["who"]: float(row["figure"]) for row in others}}
        best = min(found, key=lambda who: found[who] if others[0]["less is better"] == "yes" else -found[who])
        said = ", ".join(f"{row['who']} {row['figure']}" for row in others)
        yield (
            f"{others[0]['what']} (better: {'less' if others[0]['less is better'] == 'yes' else 'more'})",
            (f"{figure:.4g}"),
            said,
            best,
            "benchmarks/results/certified-files.csv",
        )


def counted(what: str, pairs: list[tuple[float, float]], ours: str, theirs: str, place: str) -> tuple[str, ...]:
    """Return a row of how many times the first of two figures is less."""
    less, more = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    best = ours if less > more else theirs if more > less else "neither"
    return f"{what} (better: less)", f"{ours}: less in {less} of {len(pairs)}", f"{theirs}: less in {more}", best, place


def rows() -> Iterator[tuple[str, ...]]:
    """Yield all rows."""
    yield from certified()
    files = [row for row in table("benchmarks", "publishable-files.csv") if row["classical"]]
    pairs = [(float(row["loss"]), float(row["classical"])) for row in files]
    place = "benchmarks/results/publishable-files.csv"
    what = "Loss of runs on real files at equal bounds on linkage"
    yield counted(what, pairs, "evosdc protect", "tuned masking methods", place)
    informed = table("thesis-ch3", "informed.csv")
    pairs = [(float(row["best found"]), float(row["tuned classical"])) for row in informed]
    place = "experiments/thesis-ch3/informed.csv"
    yield counted(
        "Thesis, chapter 3: score of whole files", pairs, "the thesis's search", "tuned masking methods", place
    )
    attributes = [row for row in table("thesis-ch4-pram", "attributes.csv") if row["fitness"] == "max"]
    pairs = [(float(row["fresh evolved"]), float(row["fresh standard"])) for row in attributes]
    place = "experiments/thesis-ch4-pram/attributes.csv"
    yield counted("Thesis, 4.1: PRAM, greatest of IL and DR", pairs, "evolved matrices", "standard matrices", place)
    equations = []
    for file in ("german", "flare", "housing"):
        first, *others = table("thesis-ch4-gp", f"standard-{file}-max.csv")
        equations.append((float(first["score"]), min(float(row["score"]) for row in others)))
    place = "experiments/thesis-ch4-gp/standard-*-max.csv"
    yield counted(
        "Thesis, 4.2: PRAM, greatest of IL and DR", equations, "evolved equations", "standard matrices", place
    )
    tests = [row for row in table("thesis-ch5", "summary.csv") if row["quantity"] == "max, same k"]
    better, worse = (sum(int(row[name]) for row in tests) for name in ("better", "worse"))
    yield (
        "Thesis, chapter 5: clusters before protection, greatest of IL and DR (better: less)",
        f"with clusters: better in {better} tests",
        f"without: better in {worse}",
        "with clusters" if better > worse else "without clusters",
        "experiments/thesis-ch5/summary.csv",
    )
    saved = [float(row["median saved"]) for row in table("thesis-ch6", "ranks.csv")]
    yield (
        "Thesis, chapter 6: loss of a graph's groups at equal risk, saved in per cent (better: more)",
        f"evolved groups: {', '.join(f'{one:.1f}' for one in saved)}",
        "MDAV: 0",
        "evolved groups",
        "experiments/thesis-ch6/ranks.csv",
    )
    figures = {row["search"]: row for row in table("ga-tabu", "pima-summed.csv")}
    shares = {name: int(row["optimal_runs"]) / int(row["runs"]) for name, row in figures.items()}
    nodes = {name: int(row["mean_evaluations"]) for name, row in figures.items()}
    most = max(shares.values())
    yield (
        "Cui, Kim and Lee: lattice of Pima, share of runs that reach the optimum (better: more)",
        ", ".join(f"{name} {shares[name]:.2f}" for name in ("tabu-best", "hybrid-best")),
        ", ".join(f"{name} {shares[name]:.2f}" for name in ("genetic", "tabu-all", "hybrid-all")),
        min((name for name in shares if shares[name] == most), key=lambda name: nodes[name]),
        "experiments/ga-tabu/pima-summed.csv",
    )
    large = [r for r in table("large-lattices", "results.csv") if (r["measure"], r["evaluations"]) == ("lm", "5000")]
    for file in dict.fromkeys(row["file"] for row in large):
        means = {row["search"]: float(row["mean"]) for row in large if row["file"] == file}
        yield (
            f"Lattice of {file} attributes, LM after 5000 nodes (better: less)",
            f"tabu {means['tabu']:.4f}, ga-tabu {means['ga-tabu']:.4f}",
            f"genetic {means['genetic']:.4f}, top-down {means['top-down']:.4f}",
            min(means, key=lambda name: means[name]),
            "experiments/large-lattices/results.csv",
        )


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/best"), show_default=True)
def main(output: Path) -> None:
    """Write the table."""
    output.mkdir(parents=True, exist_ok=True)
    with (output / "best.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows()])
    click.echo((output / "best.csv").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
