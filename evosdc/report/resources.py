"""The templates and other files that pages are made of."""

import json
import re
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import jinja2
from jinja2.filters import do_mark_safe

from evosdc._version import __version__
from evosdc.report import wording
from evosdc.report.drawn import DARK

# the part of plotly.js that these figures need: points, lines, bars, boxes and heat maps; 1.5 MB of 4.8
PLOTLY = "plotly-cartesian.min.js"


@cache
def resource(name: str) -> str:
    """Return the text of a file of this package."""
    return files("evosdc.report").joinpath(name).read_text(encoding="utf-8")


def page(name: str, **context: Any) -> str:
    """Return a page, complete in itself. Its template puts figures into `drawings`, by their elements."""
    shared: dict[str, Any] = {"version": __version__, "style": resource("style.css"), "drawings": {}}
    shared |= {"written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    shared |= {"plotly": resource(PLOTLY), "script": resource("page.js"), "night": json.dumps(DARK)}
    return _environment().get_template(name).render(shared | context)


@cache
def _environment() -> jinja2.Environment:
    """Return templates that escape what they show."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(resource), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    for show in (prose, wording.number, wording.count, wording.percent, wording.duration, wording.with_error):
        environment.filters[show.__name__] = show
    return environment


def prose(text: str) -> str:
    """Return a sentence as HTML that needs no more escaping: commands in backticks as code."""
    return do_mark_safe(re.sub("`([^`]+)`", r"<code>\1</code>", escape(text)))
