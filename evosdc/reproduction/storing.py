"""Putting results in the place of those that are stored."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from evosdc.errors import RunError
from evosdc.files.atomic import atomic
from evosdc.reproduction.declaration import PROFILES
from evosdc.reproduction.record import RECORD, read_record, record_of, stored_folder
from evosdc.reproduction.rerun import Rerun
from evosdc.reproduction.studies import Study

PAGES = "readme_tables.py"
"""Script beside the studies that brings their pages up to date."""


def store(quick: Rerun, full: Rerun) -> list[Path]:
    """Put the results of a quick and a full run, and the pictures of the full one, in place of those that are stored.

    Both are stored together, and so come of the same code: a quick run that gives other figures than the stored
    quick ones then tells that the full ones are stale.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    RunError
        A picture that the study declares was not made.
    """
    study = full.study
    drawn = pictures(full)
    _remove_old(study)
    written = []
    for made in (quick, full):
        folder = stored_folder(study, made.profile)
        for name, path in made.results.items():
            written.append(_copy(path, folder / name))
    written += [_copy(path, study.folder / path.name) for path in drawn]
    target = study.folder / RECORD
    _write(target, json.dumps(record_of(quick, full), indent=1, ensure_ascii=False) + "\n")
    pages = study.folder.parent / PAGES
    if pages.is_file():
        # Its status says whether a page was not up to date, which is expected now.
        subprocess.run([sys.executable, str(pages)], check=False, stdout=subprocess.DEVNULL)
    return [*written, target]


def pictures(full: Rerun) -> list[Path]:
    """Return the pictures of a full run; raises `RunError` where one was not made."""
    found: list[Path] = []
    for picture in full.study.declaration.pictures:
        matching = sorted(full.folder.glob(picture.file))
        if not matching:
            raise RunError(f"{full.study.name}: no picture {picture.file} in {full.folder}")
        found += matching
    return list(dict.fromkeys(found))


def _remove_old(study: Study) -> None:
    record = read_record(study)
    if record is None:
        return
    for profile in PROFILES:
        for name in record[profile]["results"]:
            (stored_folder(study, profile) / name).unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return target


def _write(target: Path, text: str) -> None:
    with atomic(target) as temporary:
        temporary.write_text(text, encoding="utf-8")
    target.chmod(0o644)
