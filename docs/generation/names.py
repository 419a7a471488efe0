"""Links from names of methods and measures in code style to their sections of the reference."""

from __future__ import annotations

from typing import Any

from docutils.nodes import literal, reference

from evosdc.plugins.registry import default_registry

KINDS = ("masking-method", "measure")
LINKED = ("docs/masking/", "docs/measures/", "docs/methods/", "docs/understand/", "experiments/")
"""Pages where a name in code style is that of a method or measure; elsewhere it may be a column or a key."""


def add_links(app: Any) -> None:
    """Link names on the site; at a code host they stay plain, since generated pages are not stored."""
    pages = {
        name: f"docs/reference/generated/plugins/{kind}"
        for kind in reversed(KINDS)
        for name in default_registry().names(kind)
    }

    def resolved(app: Any, tree: Any, page: str) -> None:
        if not page.startswith(LINKED):
            return
        for node in list(tree.findall(literal)):
            name = node.astext()
            if name in pages and not isinstance(node.parent, reference):
                address = f"{app.builder.get_relative_uri(page, pages[name])}#{name}"
                node.replace_self(reference("", "", node.deepcopy(), internal=True, refuri=address))

    app.connect("doctree-resolved", resolved)
