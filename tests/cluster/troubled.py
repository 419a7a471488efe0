"""A plugin, installed for a test alone: measures that get into trouble when a file says so, or over some candidates."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CODE = """
import os, signal, sys, time
from pathlib import Path
from evosdc import hookimpl
from evosdc.specs import MeasureSpec

ORDER = Path(__file__).with_name("order")


@hookimpl
def evosdc_measures():
    yield MeasureSpec(name="troubled", implementation="evosdc_troubled:Troubled", summary="Trouble.", kind="dr")
    yield MeasureSpec(name="fragile", implementation="evosdc_troubled:Fragile", summary="Some trouble.", kind="dr")


def __getattr__(name):
    if name not in ("Troubled", "Fragile"):
        raise AttributeError(name)
    from evosdc.model import Fitted, Measure, Parameters

    class Calm(Fitted):
        def __init__(self, original):
            self.codes = original.codes.copy()

        def score(self, masked):
            return trouble() or 100.0 * float((masked.codes == self.codes).mean())

    class Troubled(Measure):
        def fit(self, original):
            return Calm(original)

    class Brittle(Fitted):
        def __init__(self, original, kind):
            self.codes, self.kind = original.codes.copy(), kind

        def score(self, masked):
            changed = int((masked.codes != self.codes).sum())
            if changed % 3 == 1:
                return fail(self.kind)
            return 100.0 - changed / self.codes.size

    class Fragile(Measure):
        class Params(Parameters):
            kind: str = "raise"

        def fit(self, original):
            return Brittle(original, self.params.kind)

    return {"Troubled": Troubled, "Fragile": Fragile}[name]


def in_worker():
    main = getattr(sys.modules["__main__"], "__spec__", None)
    return main is not None and main.name.startswith(("evosdc.executors", "evosdc_scoop"))


def fail(kind):
    if kind == "die" and in_worker():
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "nan":
        return float("nan")
    if kind == "linger":
        time.sleep(0.5)
    raise RuntimeError("no luck")


def trouble():
    if not in_worker():
        return None
    time.sleep(0.01)  # long enough for a test to be there in time
    try:
        ORDER.rename(ORDER.with_suffix(".obeyed"))
    except FileNotFoundError:
        return None
    match ORDER.with_suffix(".obeyed").read_text():
        case "raise":
            raise RuntimeError("no luck")
        case "nan":
            return float("nan")
        case "hang":
            time.sleep(600)
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
"""


class Trouble:
    """The plugin in a folder of its own.

    Parameters
    ----------
    folder : Path
        Empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "evosdc_troubled.py").write_text(CODE)
        information = folder / "evosdc_troubled-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: evosdc-troubled\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text("[evosdc]\ntroubled = evosdc_troubled\n")
        path = [str(folder), str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}

    def order(self, kind: str) -> None:
        """Have the next evaluation of a worker get into trouble."""
        (self.folder / "order").write_text(kind)

    def forget(self) -> None:
        """Take back what was ordered."""
        for name in ("order", "order.obeyed"):
            (self.folder / name).unlink(missing_ok=True)

    @property
    def obeyed(self) -> bool:
        """Whether a worker did."""
        return (self.folder / "order.obeyed").exists()


def command(*words: object) -> list[str]:
    """Return a command line of evosdc that makes a checkpoint every twentieth of a second."""
    hasty = "import sys, evosdc.experiment.recorder as o; o.INTERVAL = 0.05; "
    return [sys.executable, "-c", f"{hasty}from evosdc.cli import main; main(sys.argv[1:])", *map(str, words)]
