"""The contents in the sidebar of each page, from titles alone.

Sphinx copies all headings of all pages for each page, and drops all but the titles then: a third of the time of the
site. Here they are dropped once.
"""

from __future__ import annotations

from typing import Any

from docutils.nodes import bullet_list
from sphinx.addnodes import toctree


def add_sidebar(app: Any) -> None:
    """Let contents of titles be made from titles."""
    kept: dict[str, bullet_list] = {}

    def page(app: Any, _name: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
        if "toctree" not in context:
            return
        environment, whole = app.env, context["toctree"]

        def contents(**asked: Any) -> str:
            if not asked.get("titles_only"):
                return str(whole(**asked))
            if not kept:
                kept.update({name: titles(headings) for name, headings in environment.tocs.items()})
            every = environment.tocs
            environment.tocs = kept
            try:
                return str(whole(**asked))
            finally:
                environment.tocs = every

        context["toctree"] = contents

    app.connect("html-page-context", page, priority=100)  # before the theme asks


def titles(headings: bullet_list) -> bullet_list:
    """Return a page's title, and below it the contents that lead to other pages."""
    copy = headings.deepcopy()
    for entry in copy.children:
        if len(entry.children) > 1:
            below = list(entry.findall(toctree))
            if below:
                entry[1][:] = below
            else:
                entry.pop(1)
    return copy
