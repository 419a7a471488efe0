"""``evosdc plugins``."""

from dataclasses import asdict
from typing import Any

import click

from evosdc.cli.options import json_option


@click.group(invoke_without_command=True)
@click.pass_context
def plugins(context: click.Context) -> None:
    """List plugins and what they offer."""
    if context.invoked_subcommand is None:
        context.invoke(list_plugins)


@plugins.command("list")
@json_option
def list_plugins(as_json: bool = False) -> None:
    """List every masking method, measure, genotype, ... with the plugin that offers it."""
    from evosdc.plugins.kinds import KINDS
    from evosdc.plugins.registry import default_registry

    registry = default_registry()
    offers = {kind: {name: _entry(kind, name) for name in registry.names(kind)} for kind in KINDS}
    if as_json:
        import json

        problems = [asdict(problem) for problem in registry.problems]
        plugins_found = [
            {"name": p.name, "distribution": p.distribution, "version": p.version} for p in registry.plugins
        ]
        click.echo(json.dumps({"plugins": plugins_found, "offers": offers, "problems": problems}, ensure_ascii=False))
        return
    for kind, entries in offers.items():
        if not entries:
            continue
        click.secho(KINDS[kind].plural, bold=True)
        width = max(map(len, entries))
        for name, entry in entries.items():
            click.echo(f"  {name:<{width}}  {entry['summary']}  [{entry['provider']}]")
    for problem in registry.problems:
        click.secho(f"problem: {problem}", fg="red", err=True)


@plugins.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show what is known of NAME: source, provider, and parameters with their ranges."""
    from evosdc.plugins.registry import default_registry

    found = default_registry().kinds_of(name)
    documents = [_entry(kind, name) | {"kind": kind, "parameters": described_parameters(kind, name)} for kind in found]
    if as_json:
        import json

        click.echo(json.dumps(documents[0] if len(documents) == 1 else documents, ensure_ascii=False))
        return
    for document in documents:
        click.secho(f"{document['kind']} {name}", bold=True)
        for key, value in document.items():
            if key in ("kind", "parameters") or value in ("", (), None):
                continue
            text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
            click.echo(f"  {key}: {text}")
        for parameter, text in document["parameters"].items():
            click.echo(f"  parameter {parameter}: {text}")


@plugins.command()
@click.argument("name")
@click.option("--kind", metavar="KIND", help="Needed where several kinds offer the name.")
def test(name: str, kind: str | None) -> int:
    """Run the conformance tests of what is registered as NAME, with its default parameters."""
    from evosdc.cli.conformance import conformance

    return conformance(name, kind)


def _entry(kind: str, name: str) -> dict[str, Any]:
    from evosdc.errors import ClashError
    from evosdc.plugins.registry import default_registry

    try:
        spec = asdict(default_registry().spec(kind, name))
        return {key: value for key, value in spec.items() if key not in ("name", "files")} | {
            "provider": default_registry().provider(kind, name)
        }
    except ClashError as error:
        return {"summary": str(error), "provider": "clash"}


def described_parameters(kind: str, name: str) -> dict[str, str]:
    """Return what is known of each parameter of a plugin: meaning, type, range, default."""
    from evosdc.plugins.registry import default_registry

    params = getattr(default_registry().implementation(kind, name), "Params", None)
    if params is None:
        return {}
    described = {}
    fields = {field.alias or name: name for name, field in params.model_fields.items()}
    for key, schema in params.model_json_schema()["properties"].items() if params.model_fields else ():
        variants = [schema, *(v for v in schema.get("anyOf", ()) if v.get("type") != "null")]
        known = {word: value for variant in variants for word, value in variant.items()}
        limits = [f"{words} {known[word]}" for word, words in _LIMITS.items() if word in known]
        choice = f"one of {', '.join(map(str, known['enum']))}" if "enum" in known else known.get("type", "")
        # A schema does not tell a default that is made anew each time, as that of a table is.
        default = params.model_fields[fields[key]].get_default(call_default_factory=True)
        required = params.model_fields[fields[key]].is_required()
        usual = "required" if required else "" if default is None else f"default {schema.get('default', default)}"
        described[key] = "; ".join(filter(None, [schema.get("description", ""), choice, *limits, usual]))
    return described


_LIMITS = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
}
