"""Published data sets, which not every site has: a test asks for them by name, and is skipped where they are not.

There is one road. A test that leaves it to evosdc to find a data set says ``@pytest.mark.data("census")``; one that
reads files or tables itself takes the fixture ``data_sets``, which brings the mark along. So ``pytest -m data`` selects
what asks for data. All other tests find none, whatever the computer has: `tests/conftest.py` hides them. So a test that
forgot to ask fails at its author's, not where the data are not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evosdc.datasets.catalogue import dataset_specs
from evosdc.datasets.loading import load_dataset
from evosdc.datasets.storage import VARIABLE, locate
from evosdc.table.table import Table

SPECS = {spec.name: spec for spec in dataset_specs()}
FOLDER = Path(os.environ[VARIABLE]).expanduser().absolute() if os.environ.get(VARIABLE) else None
"""What the variable named before the first test, whether it is there or not; tests change folders and hide it."""

FURTHER = ("ihsn_testdata", "index.json", "nist_acs_excerpts", "social_karate", "social_uk_mps_twitter")
"""What tests ask for beside the data sets of the catalogue and their folders."""
PLACES = {*FURTHER, *(place.partition("/")[0] for spec in SPECS.values() for f in spec.files for place in f.folders)}


class DataSets:
    """Files and tables of published data sets; a test that asks for one that is not at hand is skipped."""

    def require(self, *names: str) -> None:
        """Skip the test unless all data sets are at hand, for what it lets evosdc do with them."""
        require(names)

    def path(self, name: str) -> Path:
        """Return the path of a file or folder, given by its path in the folder of the data sets."""
        require([name])
        assert FOLDER is not None
        return FOLDER / name

    def table(self, name: str) -> Table:
        """Return a data set of the catalogue, as evosdc reads it."""
        require([name])
        return _table(name)


def require(names: Iterable[str] = ()) -> None:
    """Skip the test unless all that is named is at hand.

    Parameters
    ----------
    names : iterable of str
        Data sets of the catalogue, and paths in the folder of the data sets. None: the folder itself is all that is
        asked for.
    """
    names = list(names)
    # Or else a test with a wrong name would be skipped for good.
    unknown = [name for name in names if name not in SPECS and name.partition("/")[0] not in PLACES]
    assert not unknown, f"no published data set has the name {', '.join(unknown)}"
    if FOLDER is None or not FOLDER.is_dir():
        pytest.skip(f"{VARIABLE} names no folder with the published data sets")
    if missing := [name for name in names if not _at_hand(name, FOLDER)]:
        pytest.skip(f"the folder that {VARIABLE} names has no {', '.join(missing)}")


def asking(name: str, *values: object) -> Any:
    """Return parameters of a test, of which the first is a data set that the test asks for.

    Parameters
    ----------
    name : str
        A data set of the catalogue, or a path in the folder of the data sets.
    values : object
        The parameters that come after the name.
    """
    return pytest.param(name, *values, marks=pytest.mark.data(name))


def show(shown: bool) -> None:
    """Let evosdc find the data sets, in this process and in those that it starts, or hide them."""
    if shown and FOLDER is not None:
        os.environ[VARIABLE] = str(FOLDER)
    else:
        os.environ.pop(VARIABLE, None)


def keep_from_downloading(folder: Path) -> None:
    """Give evosdc a cache that has nothing and can take nothing, so that it neither finds data nor asks for them.

    Parameters
    ----------
    folder : Path
        Takes the caches of other programs; evosdc's has the name of a file in it.
    """
    (folder / "evosdc").touch()
    os.environ["XDG_CACHE_HOME"] = str(folder)


@cache
def _at_hand(name: str, folder: Path) -> bool:
    return locate(SPECS[name]) is not None if name in SPECS else (folder / name).exists()


@cache
def _table(name: str) -> Table:
    return load_dataset(SPECS[name], offline=True).table
