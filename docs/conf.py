"""Sphinx configuration of the site; ``python -m docs.build`` builds it.

The root of the repository is the root of the sources, so that pages link to each other as they do on a code host, and
the pages of the studies are read where they stand.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs.generation.contents import add_contents  # noqa: E402
from docs.generation.mathematics import add_mathematics  # noqa: E402
from docs.generation.names import add_links  # noqa: E402
from docs.generation.pages import write_pages  # noqa: E402
from docs.generation.sidebar import add_sidebar  # noqa: E402
from evosdc import __version__  # noqa: E402

project = "evosdc"
author = "the evosdc developers"
project_copyright = f"2026, {author}"
release = version = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "experiments/*/README.md", "experiments/*/*.svg"]
# Folders without pages are not even looked through: environments of thousands of files among them.
exclude_patterns = [
    "docs/front/**",
    "**/__pycache__",
    ".*",
    "build",
    "runs",
    "tests",
    "evosdc",
    "plugins",
    "benchmarks",
]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 4
myst_fence_as_directive = ["math"]
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

smartquotes = False  # options begin with two hyphens

html_theme = "furo"
html_title = "evosdc"
html_extra_path = ["front"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_google_docstring = False
suppress_warnings = ["ref.python"]
# Types in docstrings are words for people: shapes and ranges, not names to link.
nitpick_ignore_regex = [("py:.*", ".*")]


def setup(app):
    """Write the generated pages, add contents and links, and render formulas as MathML, which needs no script."""
    write_pages()
    add_contents(app)
    add_links(app)
    add_mathematics(app)
    add_sidebar(app)
    for part in ("description", "options", "epilog"):
        app.connect(f"sphinx-click-process-{part}", stars_are_stars)


def stars_are_stars(app, context, lines):
    """Keep a star in the help of a command from beginning an emphasis."""
    lines[:] = [line.replace("*", "\\*") for line in lines]
