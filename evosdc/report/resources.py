"""The templates and other files that pages are made of."""

from functools import cache
from importlib.resources import files

import jinja2

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
    return environment.get_template(name)
