"""Execute the notebooks, so that they show what comes out: ``python -m docs.execute [NAME ...]``, a minute each."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).resolve().parent / "notebooks"


def execute(path: Path) -> None:
    """Run the cells of a notebook in their order, in a folder that is then removed, and store their outputs in it."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as place:
        shutil.copytree(FOLDER.parent / "files", Path(place) / "files")
        own = Path(place) / "notebooks"
        own.mkdir()
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(own)}}).execute()
    for cell in notebook.cells:
        # When a cell ran says nothing to a reader, and would change the file each time.
        cell.metadata.pop("execution", None)
        # Warnings name folders of the machine that ran it.
        if "outputs" in cell:
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
    nbformat.write(notebook, path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="names of notebooks; default: all")
    chosen = parser.parse_args().names or [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]
    for name in chosen:
        execute(FOLDER / f"{name}.ipynb")
        print(f"{name}: executed")
