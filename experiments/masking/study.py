"""Mask six files by the whole catalogue of methods and rank the results, in the manner of the handbook's Table 35.1.

    python experiments/masking/study.py [--smoke] [--top 25] [-o FOLDER] [FILE ...]

Tarragona, Census and EIA are numeric; Adult (its first 1000 and all 30162 complete records), German Credit and Solar
Flare categorical. Each registered masking method is applied over its grid (see `catalogue`), every result is judged
(see `scoring`), and the table is printed best first. The folder gets ``scores.csv``, ``best.csv`` (the best
score of each method), ``top.csv`` (the best entries of each file), ``tables.md``, ``refused.csv``
(entries that a method refused or that change nothing) and ``masking.html``. ``--smoke`` takes 150 records of two files
and the ends of each grid.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from zlib import crc32

import click
from catalogue import entries
from handbook import comparison
from pages import Row, best_of_methods, listing, top_of_files, write_csv, write_page
from scoring import Scale

from evosdc.assess.mask import apply_masking
from evosdc.errors import InputError
from evosdc.experiment.data import load_data, microdata_of
from evosdc.experiment.experiment import DataSource
from evosdc.model import Microdata
from evosdc.plugins.registry import Registry, default_registry
from evosdc.secret import Purpose, stream

FILES = {
    "tarragona": DataSource(name="tarragona"),
    "census": DataSource(name="census"),
    "eia": DataSource(name="eia"),
    "adult-1000": DataSource(name="adult", complete=True, first=1000),
    "adult": DataSource(name="adult", complete=True),
    "german": DataSource(name="german-credit"),
    "flare": DataSource(name="solar-flare"),
}
SMOKE = {
    "tarragona": DataSource(name="tarragona", first=150),
    "german": DataSource(name="german-credit", first=150),
}


def judged(microdata: Microdata, registry: Registry, smoke: bool, seed: int) -> tuple[list[Row], list[Row], Scale]:
    """Return the scores of all entries, best first, those that are left out, and what they were judged by."""
    original = microdata.original
    scale = Scale.of(original, registry)
    rows: list[Row] = [{"method": "original", "label": "original", "seconds": 0.0} | scale.scores(original)]
    refused: list[Row] = []
    for entry in entries(original, registry, smoke):
        masking, label = entry.masking, entry.label
        # the stream hangs on the entry alone, so that further methods leave the others' results as they are
        began = process_time()
        try:
            method = registry.build("masking-method", masking.method, masking.params)
            masked = apply_masking(masking, (method,), microdata, stream(seed, Purpose.MASK, crc32(label.encode())))
            why = "" if masked.schema == original.schema else "publishes generalised labels"
        except InputError as error:
            why = str(error.faults[0])
        seconds = round(process_time() - began, 3)
        if not why and masked.same_records(original):
            why = "changes nothing"
        if why:
            refused.append({"method": masking.method, "label": label, "why": why})
        else:
            rows.append({"method": masking.method, "label": label} | scale.scores(masked) | {"seconds": seconds})
    return sorted(rows, key=lambda row: float(str(row["score"]))), refused, scale


@click.command()
@click.argument("files", nargs=-1, type=click.Choice(tuple(FILES)))
@click.option("--smoke", is_flag=True, help="150 records of two files, the ends of each grid.")
@click.option("--top", type=click.IntRange(min=1), default=25, show_default=True, help="Lines of each table.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/masking"), show_default=True)
def main(files: tuple[str, ...], smoke: bool, top: int, seed: int, output: Path) -> None:
    """Mask FILES (all unless named), print the tables and write them."""
    registry = default_registry()
    output.mkdir(parents=True, exist_ok=True)
    profile = SMOKE if smoke else FILES
    by_file: dict[str, list[Row]] = {}
    tables, refusals = [], []
    for title in files or tuple(profile):
        try:
            source = load_data(profile.get(title, FILES[title]), registry)
        except InputError as error:
            raise click.ClickException(str(error)) from None
        rows, refused, scale = judged(microdata_of(source, None), registry, smoke, seed)
        by_file[title] = rows
        refusals += [{"file": title} | dict(row) for row in refused]
        heading = f"{title}: {len(source.table)} records, {len(rows) - 1} masked files"
        tables.append(listing(heading, rows, top) + ("\n" + comparison(rows) if title == "census" else ""))
        click.echo(tables[-1])
        if scale.left_out:
            click.echo(f"Not at hand for {title}: {', '.join(scale.left_out)}.\n")
        if refused:
            click.echo(f"Left out: {len(refused)} entries that were refused or change nothing, see refused.csv.\n")
        # written after each file, so that a long study leaves what it has
        write_csv(
            [{"file": name} | dict(row) for name, found in by_file.items() for row in found], output / "scores.csv"
        )
        (output / "tables.md").write_text("\n".join(tables), encoding="utf-8")
        write_csv(refusals or [{"file": "", "method": "", "label": "", "why": ""}], output / "refused.csv")
        write_csv(best_of_methods(by_file), output / "best.csv")
        write_csv(top_of_files(by_file, top), output / "top.csv")
        write_page(by_file, output / "masking.html")
    click.echo(f"Written: {output}")


if __name__ == "__main__":
    main()
