"""A page for each kind of plugin, with a section for everything registered: spec, parameters and docstring."""

from __future__ import annotations

from dataclasses import asdict

from docs.generation.keys import keys_table
from docs.generation.markdown import cell, contents, python, table
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registry import default_registry

GUIDES = {
    ("masking-method", "pram"): "pram.md",
    ("genotype", "groups"): "social.md#groups",
    **{("genotype", name): f"{name}.md" for name in ("cells", "pram", "equations", "recipes", "lattice")},
}
"""Written pages about single plugins, below ``docs``."""

SHOWN_ELSEWHERE = ("name", "summary", "implementation", "files", "source")

INTRODUCTION = """# Methods, measures and all other plugins

Everything that is registered, by kind, with parameters, ranges and sources. These pages are generated from the program.
`evosdc plugins list` and `evosdc plugins show NAME` print the same, for your own plugins too.

"""


def plugin_pages() -> dict[str, str]:
    """Return the pages by their paths below the folder of generated pages."""
    kinds = [kind for kind in KINDS if default_registry().names(kind)]
    pages = {"plugins.md": INTRODUCTION + contents(f"plugins/{kind}" for kind in kinds)}
    return pages | {f"plugins/{kind}.md": kind_page(kind) for kind in kinds}


def kind_page(kind: str) -> str:
    """Return the page of a kind: a table of all plugins, then a section for each."""
    registry = default_registry()
    names = registry.names(kind)
    rows = [(f"[`{name}`](#{name})", cell(registry.spec(kind, name).summary)) for name in names]
    title = "All " + KINDS[kind].plural.replace("-", " ").replace("datasets", "data sets")
    sections = [plugin_section(kind, name) for name in names]
    return "\n".join([f"# {title}\n\n{table(('name', 'what it is'), rows)}", *sections])


def plugin_section(kind: str, name: str) -> str:
    """Return the section of one plugin."""
    registry = default_registry()
    spec = registry.spec(kind, name)
    facts = [
        (key.replace("_", " "), _shown(key, value))
        for key, value in asdict(spec).items()
        if key not in SHOWN_ELSEWHERE and value not in ("", (), None, "minimise")
    ]
    facts += [("source", cell(spec.source))] if spec.source else []
    facts += [("offered by", registry.provider(kind, name))]
    parts = [f"## `{name}`\n\n{spec.summary}\n", "".join(f"- {key}: {value}\n" for key, value in facts)]
    if (kind, name) in GUIDES:
        parts.append(f"How to use it: [{name}](../../../{GUIDES[kind, name]}).\n")
    implementation = registry.implementation(kind, name)
    parameters = getattr(implementation, "Params", None)
    if parameters is not None and parameters.model_fields:
        parts.append(keys_table(parameters))
    module, _, attribute = str(spec.implementation).partition(":")
    directive = "autoclass" if isinstance(implementation, type) else "autofunction"
    return "\n".join([*parts, python(directive, f"{module}.{attribute}", "no-index")])


def _shown(key: str, value: object) -> str:
    """Return a field of a spec in words."""
    if key == "range" and isinstance(value, tuple):
        least, greatest = value
        return f"from {least:g}" if greatest == float("inf") else f"{least:g} to {greatest:g}"
    return cell(", ".join(map(str, value)) if isinstance(value, tuple) else value)
