"""``evosdc plugins``."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.options import takes_options
from evosdc.options.plugins import TestOptions
from evosdc.options.shared import JsonOptions

if TYPE_CHECKING:
    from evosdc.cli.conformance import Report


@click.group(invoke_without_command=True)
@click.pass_context
def plugins(context: click.Context) -> None:
    """List plugins and what they offer."""
    if context.invoked_subcommand is None:
        context.invoke(list_plugins, as_json=False)


@plugins.command("list")
@takes_options(JsonOptions)
def list_plugins(options: JsonOptions) -> None:
    """List every masking method, measure, genotype, ... with the plugin that offers it."""
    from evosdc.plugins.kinds import KINDS
    from evosdc.plugins.registry import default_registry

    registry = default_registry()
    offers = {kind: {name: _entry(kind, name) for name in registry.names(kind)} for kind in KINDS}
    if options.as_json:
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
@takes_options(JsonOptions)
def show(name: str, options: JsonOptions) -> None:
    """Show what is known of NAME: source, provider, and parameters with their ranges."""
    from evosdc.plugins.registry import default_registry

    found = default_registry().kinds_of(name)
    documents = [_entry(kind, name) | {"kind": kind, "parameters": described_parameters(kind, name)} for kind in found]
    if options.as_json:
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
@takes_options(TestOptions)
def test(name: str, options: TestOptions) -> int:
    """Test what is registered as NAME, with its default parameters: does it keep its contract, and what does it cost?

    The table has the checks of its conformance suite; whether the same seed gives the same; whether updates equal a
    new computation; by which power of the number of records the time grows (1: linear); and the memory of a call.
    """
    from evosdc.cli.conformance import conformance
    from evosdc.cli.results import print_json

    report = conformance(name, options.kind)
    if options.as_json:
        print_json(report.to_json())
    else:
        _print_report(report, options.verbose)
    return 0 if report.passed else 1


def _print_report(report: "Report", verbose: bool) -> None:
    """Print the table of a plugin's test, and what its tests complain of."""
    from rich.table import Table
    from rich.text import Text

    from evosdc.cli.text import harmless, print_table, say

    if verbose or not report.checks:
        say(report.said)
    shown = Table(title=f"{report.kind} {report.name}", title_justify="left")
    for heading in ("check", "result", "detail"):
        shown.add_column(heading, overflow="fold")
    for checks in report.checks:
        none = not (checks.passed or checks.failed)
        result = Text("does not apply") if none else Text("passed", style="green")
        result = Text("failed", style="red") if checks.failed else result
        skipped = f", {checks.skipped} do not apply" if checks.skipped else ""
        failed = f", {checks.failed} failed" if checks.failed else ""
        shown.add_row(checks.group, result, f"{checks.passed} passed{failed}{skipped}, {checks.seconds:.1f} s")
    for growth in report.growth:
        exponent = "" if growth.exponent is None else f"n^{max(growth.exponent, 0.0):.1f}"
        largest = f"{1000.0 * growth.seconds[-1]:.3g} ms for {growth.records[-1]} records"
        shown.add_row(f"growth: {growth.operation}", exponent, largest)
    for growth in report.growth:
        shown.add_row(f"memory: {growth.operation}", f"{growth.memory:.1f} MB", f"for {growth.records[-1]} records")
    if not report.growth:
        shown.add_row("growth", "", Text(harmless(report.reason)))
    print_table(shown)
    for checks in report.checks:
        for complaint in checks.complaints:
            say(f"FAILED {complaint}")
    if not report.passed and not verbose:
        say("evosdc plugins test --verbose shows what pytest says.")


@plugins.command()
@click.argument("name", required=False)
@takes_options(JsonOptions)
def doctor(name: str | None, options: JsonOptions) -> int:
    """Explain plugins that do not load or cannot be used: what is wrong, where, and what to do.

    NAME is a plugin, or a module or file that should be one; by default all plugins are looked at.
    """
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.plugins.diagnosis import diagnose

    found = diagnose(name)
    if options.as_json:
        print_json({"plugins": [asdict(one) for one in found]})
    else:
        for one in found:
            if one.faults:
                click.secho(f"{one.name} ({one.origin}): does not work as it should", fg="red")
            else:
                say(f"{one.name} ({one.origin}): {one.offers or 'no offers'}")
            for fault in one.faults:
                say(f"  - {fault.what}")
                if fault.where:
                    say(f"    at {fault.where}")
                say(f"    {fault.advice}")
    return 1 if any(one.faults for one in found) else 0


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
