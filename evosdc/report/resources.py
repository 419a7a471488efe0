"""The templates and other files that pages are made of."""

import re
from functools import cache
from html import escape
from importlib.resources import files

import jinja2
from jinja2.filters import do_mark_safe

PLOTLY = "plotly-cartesian.min.js"
"""The part of plotly.js that these figures need: points, lines, bars, boxes and heat maps; 1.5 MB of 4.8."""


@cache
def resource(name: str) -> str:
    """Return the text of a file of this package."""
    return files("evosdc.report").joinpath(name).read_text(encoding="utf-8")


@cache
def template(name: str) -> jinja2.Template:
    """Return a template that escapes what it shows."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(resource),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["prose"] = prose
    return environment.get_template(name)


def prose(text: str) -> str:
    """Return a sentence as HTML that needs no more escaping: commands in backticks as code."""
    return do_mark_safe(re.sub("`([^`]+)`", r"<code>\1</code>", escape(text)))
