"""Whether this program was started by a launcher of workers, whose executor is then the one to use."""

import sys
from collections.abc import Iterable

from evosdc.specs import Spec


def launching_executor(specs: Iterable[Spec]) -> str | None:
    """Return the name of the executor whose own launcher runs this program, or None.

    ``python -m scoop script.py`` makes its workers available to the script. Nothing is imported to find out.
    """
    for spec in specs:
        module, _, attribute = getattr(spec, "launcher", "").partition(":")
        if module and getattr(sys.modules.get(module), attribute, False):
            return spec.name
    return None
