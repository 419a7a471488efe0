"""The templates and other files that pages are made of."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import jinja2
from jinja2.filters import do_mark_safe

from evosdc._version import __version__
from evosdc.report.drawn import DARK, Drawing, drawing

# the part of plotly.js that these figures need: points, lines, bars, boxes and heat maps; 1.5 MB of 4.8
PLOTLY = "plotly-cartesian.min.js"


@cache
def resource(name: str) -> str:
    """Return the text of a file of this package."""
    return files("evosdc.report").joinpath(name).read_text(encoding="utf-8")


def page(name: str, drawings: Mapping[str, str] | None = None, **context: Any) -> str:
    """Return a page, complete in itself; with `drawings`, figures as JSON by their elements, plotly.js stands in it."""
    shared: dict[str, Any] = {"version": __version__, "style": resource("style.css")}
    shared |= {"written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    if drawings is not None:
        shared |= {"drawings": drawings, "script": resource("page.js"), "night": json.dumps(DARK)}
        shared |= {"plotly": resource(PLOTLY)}
    return _environment().get_template(name).render(shared | context)


def script_json(drawn: Drawing) -> str:
    """Return a figure as JSON inside a script element: nothing in it may look like a tag to the HTML parser."""
    return drawing(drawn).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@cache
def _environment() -> jinja2.Environment:
    """Return templates that escape what they show."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(resource), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["prose"] = prose
    return environment


def prose(text: str) -> str:
    """Return a sentence as HTML that needs no more escaping: commands in backticks as code."""
    return do_mark_safe(re.sub("`([^`]+)`", r"<code>\1</code>", escape(text)))
