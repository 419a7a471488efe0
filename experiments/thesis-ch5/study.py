"""Clustering before protection, and the slides on microaggregation: chapter 5 of the thesis in one command.

    python experiments/thesis-ch5/study.py [--smoke] [-o FOLDER]

Housing and German Credit are protected by microaggregation and by global medians, with and without c-median clusters
before, for all c and k. The study draws the dispersion of IL and DR, lists the best protections, tests by signed ranks
over seeds where clustering helps, and says what cluster analysis loses. After that come the experiments of the slides
on Census and Housing. Tables (CSV) and pictures (SVG) go to the study's own folder, whose README is brought up to date;
with ``-o`` to another one. ``--smoke`` takes the survey that comes with evosdc, and few c, k and seeds.

Text and numbers of chapter 5 are not available, titles of its sections, figures and tables are: a reconstruction.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import click
import pictures
import slides
from chapter import cluster_tables, comparison_tables, first_draw, lost_clusters, protection_tables
from clusterings import INDEX, Analysis
from protections import FILES, LOST, METHODS, Judge, Protection, original_of, protections
from tables import publish

from evosdc.plugins.registry import Registry, default_registry

HERE = Path(__file__).parent
ANONYMITY = ("max, same k", "not dominated", "not dominated, informed")
CLUSTERING = ("lost clusters, same k", "not dominated, lost clusters")
"""Quantities that are drawn."""


@dataclass(frozen=True)
class Profile:
    """How much is done."""

    files: Sequence[str] = tuple(FILES)
    cs: Sequence[int] = range(2, 11)
    ks: Sequence[int] = range(2, 21)
    seeds: Sequence[int] = range(1, 17)
    analysis_seeds: Sequence[int] = range(1, 4)
    yardstick_seeds: Sequence[int] = range(1, 11)
    census: bool = True
    slide_ks: Sequence[int] = slides.HOUSING_KS


SMOKE = Profile(("housing",), (2, 5), (2, 6), range(1, 7), (1,), (1, 2, 3), False, (2, 3))


@click.command()
@click.option("--smoke", is_flag=True, help="The embedded file, few numbers of clusters, classes and seeds.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False),
    help="Default: the study's own folder; of --smoke runs/thesis-ch5.",
)  # fmt: skip
def main(smoke: bool, output: Path | None) -> None:
    """Run the study."""
    profile, registry = SMOKE if smoke else Profile(), default_registry()
    target = output or (Path("runs/thesis-ch5") if smoke else HERE)
    target.mkdir(parents=True, exist_ok=True)
    chapter_five(profile, registry, target)
    microaggregation_slides(profile, registry, target)
    if target.resolve() == HERE.resolve():
        subprocess.run([sys.executable, str(HERE.parent / "readme_tables.py")], check=False)
    click.echo(f"Tables and pictures: {target}; {process_time():.0f} s of one core")


def chapter_five(profile: Profile, registry: Registry, target: Path) -> None:
    """Make the tables and pictures of chapter 5."""
    found: dict[tuple[str, str], list[Protection]] = {}
    originals, lost, yardsticks = {}, {}, {}
    # All of them first: a file that is not at hand is said at once.
    for file, original in [(file, original_of(file, registry)) for file in profile.files]:
        judge = Judge(original, registry)
        originals[file] = Protection("original", 1, 1, 0, original, judge.figures(original))
        for method in METHODS:
            files = list(protections(original, judge, method, profile.ks, profile.cs, profile.seeds))
            found[file, method] = files
            click.echo(f"{file}, {method}: {len(files)} files")
            pictures.dispersion(file, first_draw(files), target / f"{file}-{method}.svg")
        analysis = Analysis(original, profile.analysis_seeds)
        lost[file] = lost_clusters(found, file, analysis)
        yardsticks[file] = analysis.yardstick(profile.yardstick_seeds)
        drawn = [(one, losses[INDEX], one.figures[LOST]) for one, losses in lost[file]]
        pictures.lost_clusters(file, drawn, yardsticks[file][INDEX], target / f"{file}-clusters.svg")
    protection_tables(found, originals, target)
    compared = comparison_tables(found, target)
    pictures.differences(compared, ANONYMITY, target / "differences.svg")
    pictures.differences(compared, CLUSTERING, target / "differences-clusters.svg")
    cluster_tables(lost, yardsticks, target)


def microaggregation_slides(profile: Profile, registry: Registry, target: Path) -> None:
    """Make the tables and pictures of the slides."""
    if profile.census:
        numbers = list(slides.census(registry))
        rows = [[length, k, *losses.values()] for length, k, losses in numbers]
        publish(target / "census.csv", "Census: mean variation (%)", ["attributes", "k", *numbers[0][2]], rows)
        pictures.census(numbers, target / "census.svg")
    classes = list(slides.housing(registry, profile.slide_ks))
    rows = [[length, k, average, *losses.values()] for length, k, average, losses in classes]
    publish(target / "averages.csv", "Housing by averages", ["attributes", "k", "average", *classes[0][3]], rows)
    header = ["attributes", "loss", "median", "convex median", "difference", "k at which the median is better"]
    publish(
        target / "averages-summary.csv", "Median and convex median, means over k", header, slides.side_by_side(classes)
    )
    pictures.averages(classes, target / "averages.svg")


if __name__ == "__main__":
    main()
