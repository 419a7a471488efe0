"""Options of every command, each declared once.

A model lists the options of one command: name, type, default, limits, and the text that explains them. From it come the
options of the command line, the documentation of the Python function of the same name, the forms of the workbench, the
reference pages, and validation.
"""

from evosdc.options.model import (
    FLAG,
    NAMES,
    TEXTS,
    TIME,
    VALUE,
    Described,
    Options,
    described,
    names,
    option,
    read,
    takes,
    texts,
    time_limit,
)

__all__ = [
    "FLAG", "NAMES", "TEXTS", "TIME", "VALUE", "Described", "Options", "described", "names", "option", "read", "takes",
    "texts", "time_limit",
]  # fmt: skip
