"""``evosdc plugins`` and ``evosdc new-plugin``: offers of plugins, their tests, and a new distribution."""

import json
import keyword
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict
from importlib import metadata, resources
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from string import Template
from typing import Any
from xml.etree import ElementTree

import click

from evosdc.cli.text import print_json, print_rows, say
from evosdc.errors import ClashError, Fault, InputError, did_you_mean
from evosdc.files.atomic import write_text
from evosdc.options import data as options_of
from evosdc.plugins.diagnosis import diagnose
from evosdc.plugins.discovery import IN_WORDS
from evosdc.plugins.growth import growth_or_reason
from evosdc.plugins.kinds import KINDS, Kind
from evosdc.plugins.registry import default_registry
from evosdc.specs import DatasetSpec, LimitSpec, MeasureSpec, OperatorSpec, Spec


def plugins_list(options: options_of.PluginsListOptions) -> None:
    """List all offers, with the plugin of each."""
    registry = default_registry()
    offers = {kind: {name: _entry(kind, name) for name in registry.names(kind)} for kind in KINDS}
    if options.as_json:
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


def plugins_show(options: options_of.PluginsShowOptions) -> None:
    """Show the details of a name."""
    documents = [
        _entry(kind, options.name) | {"kind": kind, "parameters": described_parameters(kind, options.name)}
        for kind in default_registry().kinds_of(options.name)
    ]
    if options.as_json:
        print_json(documents[0] if len(documents) == 1 else documents)
        return
    for document in documents:
        click.secho(f"{document['kind']} {options.name}", bold=True)
        for key, value in document.items():
            if key in ("kind", "parameters") or value in ("", (), None):
                continue
            text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
            click.echo(f"  {key}: {text}")
        for parameter, text in document["parameters"].items():
            click.echo(f"  parameter {parameter}: {text}")


def plugins_test(options: options_of.PluginsTestOptions) -> int:
    """Test what is registered as a name."""
    name, registry = options.name, default_registry()
    kinds = [KINDS[kind] for kind in registry.kinds_of(name) if options.kind in (None, kind)]
    if len(kinds) != 1:
        wanted = f"--kind with one of {', '.join(kind.name for kind in kinds or KINDS.values())}"
        raise InputError(Fault("plugins test", repr(name), wanted))
    if find_spec("pytest") is None:
        raise InputError(Fault("plugins test", "an environment without pytest", "pytest", "pip install pytest"))
    (kind,) = kinds
    require_testable(kind, registry.spec(kind.name, name))
    body = declared(kind, registry.spec(kind.name, name))
    checks, passed, pytest_output = _run(TEMPLATE.format(suite=kind.suite, kind=kind.name, name=name, declared=body))
    growth, reason = growth_or_reason(kind.name, name, registry)
    if options.as_json:
        document = {"kind": kind.name, "name": name, "checks": checks, "growth": list(map(asdict, growth))}
        print_json(document | {"reason": reason, "passed": passed})
        return 0 if passed else 1
    if options.verbose or not checks:
        say(pytest_output)
    rows = []
    for one in checks:
        result = "failed" if one["failed"] else "passed" if one["passed"] else "does not apply"
        further = [f"{one['failed']} failed"] if one["failed"] else []
        further += [f"{one['skipped']} do not apply"] if one["skipped"] else []
        rows.append((one["group"], result, ", ".join([f"{one['passed']} passed", *further, f"{one['seconds']:.1f} s"])))
    for each in growth:
        exponent = "" if each.exponent is None else f"n^{max(each.exponent, 0.0):.1f}"
        largest = f"{1000.0 * each.seconds[-1]:.3g} ms for {each.records[-1]} records"
        rows.append((f"growth: {each.operation}", exponent, largest))
    for each in growth:
        rows.append((f"memory: {each.operation}", f"{each.memory:.1f} MB", f"for {each.records[-1]} records"))
    rows += [] if growth else [("growth", "", reason)]
    styles = ["red" if row[1] == "failed" else "" for row in rows]
    print_rows(dict.fromkeys(("check", "result", "detail"), "left"), rows, f"{kind.name} {name}", styles)
    for complaint in (complaint for one in checks for complaint in one["complaints"]):
        say(f"FAILED {complaint}")
    if not passed and not options.verbose:
        say("evosdc plugins test --verbose shows what pytest says.")
    return 0 if passed else 1


def plugins_doctor(options: options_of.PluginsDoctorOptions) -> int:
    """Explain plugins that do not load."""
    found = diagnose(options.name)
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
    try:
        spec = asdict(default_registry().spec(kind, name))
        return {key: value for key, value in spec.items() if key not in ("name", "files")} | {
            "provider": default_registry().provider(kind, name)
        }
    except ClashError as error:
        return {"summary": str(error), "provider": "clash"}


def described_parameters(kind: str, name: str) -> dict[str, str]:
    """Return meaning, type, range and default of each parameter of a plugin."""
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
        # A schema has no default that is made each time, such as that of a table.
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


# A command is no offer with a spec: its hook is given the command line.
# what can be made, by kind; of each there is a file in `plugin_templates` with its module
MADE = {**KINDS, "command": Kind("command", "commands", Spec, "", "command")}

# further lines of the spec
DECLARED = {
    "measure": '\n        kind="il",\n        scales=("nominal", "ordinal", "numeric"),',
    "operator": '\n        varies="mutate",',
    "dataset": '\n        records=60,\n        attributes=3,\n        licence="CC0",',
    "format": '\n        suffixes=(".psv",),',
    "limit": '\n        il=("dbil",),\n        dr=("best-guess",),',
}

# what a suite is given besides the function
DATA = {
    "dataset": "\n    records, attributes = 60, 3\n",
    "format": '\n    content = b"age|ward\\nold|north\\nchild|south\\n"\n',
}

NEEDED = ("pip", "pytest")  # modules without which a new distribution cannot be installed and tested
BUILDS_ALONE = (70, 1)  # the version of setuptools from which on it builds without the package wheel

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def new_plugin(options: options_of.NewPluginOptions) -> None:
    """Write a small distribution that adds a plugin."""
    require_usable(options.kind, options.name)
    folder = options.output or Path(f"evosdc-{options.name}")
    require_free(folder)
    for path, text in files(options.kind, options.name).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / path, text)
        (folder / path).chmod(0o644)  # source code, not microdata
        say(f"{folder / path}")
    lacking = [module for module in NEEDED if find_spec(module) is None]
    if lacking:
        say(f"Lacking for what follows: {', '.join(lacking)}. Install them first.")
    offline = builds_offline(version_of("setuptools"), find_spec("wheel") is not None)
    own = ["--no-build-isolation"] if offline else []
    install = [sys.executable, "-m", "pip", "install", "--no-deps", *own, "-e", str(folder)]
    say(f"Next: {shlex.join(install)}")
    if not offline:
        say("It downloads setuptools to build with; setuptools 70.1 or later in this environment makes that needless.")
    say(f"Then: {shlex.join([sys.executable, '-m', 'pytest', str(folder)])}, which needs pytest")
    if options.kind in KINDS and options.kind != "format":  # which is tested with a file of its own
        say(f"And: evosdc plugins test {options.name}, which also tells how fast it is")


def files(kind: str, name: str) -> dict[str, str]:
    """Return the files of a new distribution: texts by path."""
    made, package = MADE[kind], f"evosdc_{name.replace('-', '_')}"
    words = {
        "name": name, "package": package, "distribution": f"evosdc-{name}", "class_name": class_name(name, made),
        "noun": made.noun, "module": made.short, "hook": made.hook, "spec": made.spec.__name__, "suite": made.suite,
        "method": made.short, "given": f", {made.given}" if made.given else "", "declared": DECLARED.get(kind, ""),
        "contract": IN_WORDS, "title": "".join(part.capitalize() for part in name.split("-")),
        "data": DATA.get(kind, ""),
        "look": f"evosdc {name} --help" if kind == "command" else f"evosdc plugins show {name}",
        "tested": "what it prints" if kind == "command" else f"the suite `{made.suite}`, to which you add your own",
    }  # fmt: skip
    test = kind if kind in ("limit", "command") else "class" if made.contract else "function"
    templates = {
        "pyproject.toml": "pyproject",
        "README.md": "readme",
        ".ci/run": "ci",
        ".github/workflows/test.yml": "workflow",
        f"{package}/__init__.py": "command-hook" if kind == "command" else "hook",
        f"{package}/{made.short}.py": kind,
        f"tests/test_{package}.py": f"{test}-test",
    }
    return {path: Template(template(which)).substitute(words) for path, which in templates.items()}


def template(name: str) -> str:
    """Return the text of a template."""
    return (resources.files("evosdc.cli") / "plugin_templates" / f"{name}.txt").read_text(encoding="utf-8")


def class_name(name: str, kind: Kind) -> str:
    """Return the name of the class: that of the plugin in capitals, unless it means something else in its module."""
    words = "".join(part.capitalize() for part in name.split("-")) if kind.contract else name.replace("-", "_")
    taken = set(re.findall(r"\w+", f"{template(kind.name)} {kind.suite}")) | set(keyword.kwlist)
    if words not in taken:
        return words
    return f"{words}{kind.short.capitalize()}" if kind.contract else f"{words}_{kind.short}"


def version_of(distribution: str) -> tuple[int, ...]:
    """Return the first numbers of the version of an installed distribution; empty where it is not installed."""
    try:
        found = re.match(r"[0-9]+(?:\.[0-9]+)*", metadata.version(distribution))
    except metadata.PackageNotFoundError:
        return ()
    return tuple(map(int, found[0].split("."))) if found else ()


def builds_offline(setuptools: tuple[int, ...], wheel: bool) -> bool:
    """Whether the installed packages can build a distribution without downloads."""
    return setuptools >= BUILDS_ALONE or (wheel and bool(setuptools))


def require_usable(kind: str, name: str) -> None:
    """Raise `InputError` with all that is wrong with a kind and a name."""
    faults = []
    if kind not in MADE:
        faults.append(Fault("KIND", repr(kind), f"one of {', '.join(MADE)}", did_you_mean(kind, MADE)))
    if not NAME.fullmatch(name):
        wanted = "lower-case letters and digits joined by hyphens, a letter first"
        faults.append(Fault("NAME", repr(name), wanted, "For example share-changed."))
    elif kind in KINDS and name in default_registry().names(kind):
        taken = f"a name that {default_registry().provider(kind, name)} offers"
        faults.append(Fault(f"{kind} {name}", taken, "a name of your own", "Two offers of one name cannot be used."))
    if faults:
        raise InputError(faults)


def require_free(folder: Path) -> None:
    """Raise `InputError` when the place of the new distribution is taken."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        given = "a folder that is not empty" if folder.is_dir() else "a file"
        raise InputError(Fault(str(folder), given, "a new or empty folder", "Choose another one with -o."))


TEMPLATE = """
from math import inf

from evosdc.table.schema import Scale
from evosdc.plugins.registry import default_registry
from evosdc.testing import {suite}


def build(*given):
    return default_registry().build({kind!r}, {name!r}, {{}}, *given)


def function():
    return default_registry().implementation({kind!r}, {name!r})


class Test{suite}({suite}):
{declared}


del {suite}
"""

# headings of the table, and words in the names of the tests that belong there; all others are contract checks
GROUPS = (
    ("determinism", ("repeatable", "always_the_same", "streams_alone", "seed", "alone_decide", "remembered", "order")),
    ("tracked equals recomputed", ("tracker", "children_have", "contributions", "changed_rows", "changes_lead")),
)

CONTRACT = "contract"


def require_testable(kind: Kind, spec: Spec) -> None:
    """Raise `InputError` for a plugin that cannot be tested by its name alone."""
    if kind.name == "format":
        given, wanted = "a format, which is tested with a small file of its own", "a subclass of FormatConformance"
        raise InputError(Fault(f"plugins test {spec.name}", given, wanted, "See docs/plugins/format.md."))
    implementation = default_registry().implementation
    if kind.name == "operator" and "toolbox" in signature(implementation(kind.name, spec.name)).parameters:
        given, wanted = "an operator that takes the toolbox of a search", "a subclass of OperatorConformance"
        raise InputError(Fault(f"plugins test {spec.name}", given, wanted, "See docs/plugins/operator.md."))
    if isinstance(spec, DatasetSpec) and spec.files:
        given, wanted = "a data set of published files", "one that needs none"
        raise InputError(Fault(f"plugins test {spec.name}", given, wanted, f"evosdc datasets fetch {spec.name}"))


def declared(kind: Kind, spec: Spec) -> str:
    """Return the body of the suite's subclass: declarations of the spec, and the construction of the plugin."""
    lines = []
    if scales := getattr(spec, "scales", ()):
        lines.append(f"scales = frozenset(map(Scale, {tuple(scales)!r}))")
    if isinstance(spec, MeasureSpec):
        lines += [f"kind = {spec.kind!r}", f"range = {spec.range!r}"]
    if isinstance(spec, DatasetSpec):
        lines += [f"records, attributes = {spec.records}, {spec.attributes}"]
    if isinstance(spec, OperatorSpec):
        lines.append(f"varies = {spec.varies!r}")
    if isinstance(spec, LimitSpec):
        family = {n: getattr(default_registry().spec("measure", n), "family", "") for n in spec.dr}
        lines += [
            f"il = {spec.il!r}",
            f"linkage = {tuple(n for n in spec.dr if family[n] == 'linkage')!r}",
            f"disclosure = {tuple(n for n in spec.dr if family[n] != 'linkage')!r}",
            "def limit(self, judgement, seconds): return function()(judgement, seconds)",
            "def measure(self, name): return default_registry().build('measure', name, {})",
        ]
    elif kind.contract:
        lines.append(f"def {kind.short}(self, {kind.given}): return build({kind.given})")
    else:
        lines.append(f"def {kind.short}(self): return function()")
    return "\n".join(f"    {line}" for line in lines)


def _run(text: str) -> tuple[list[dict[str, Any]], bool, str]:
    """Return the results of a file of tests by group, whether all passed, and what pytest said."""
    with tempfile.TemporaryDirectory() as folder:
        path, results = Path(folder) / "test_conformance.py", Path(folder) / "results.xml"
        path.write_text(text, encoding="utf-8")
        options = ["-q", "-p", "no:cacheprovider", "--rootdir", folder, "--no-header", f"--junitxml={results}"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, str(path)], check=False, capture_output=True, text=True
        )
        # Written by pytest a moment ago, in a folder of this process.
        cases = list(ElementTree.parse(results).iter("testcase")) if results.exists() else []
    groups: dict[str, list[ElementTree.Element]] = {title: [] for title in (CONTRACT, *(title for title, _ in GROUPS))}
    for case in cases:
        name = case.get("name", "")
        groups[next((title for title, words in GROUPS if any(word in name for word in words)), CONTRACT)].append(case)
    checks = []
    for group, own in ((group, own) for group, own in groups.items() if own):
        broken = [(case.get("name"), fault) for case in own for fault in case if fault.tag in ("failure", "error")]
        skipped = sum(child.tag == "skipped" for case in own for child in case)
        complaints = [f"{name}: {(fault.get('message') or '').strip().partition(chr(10))[0]}" for name, fault in broken]
        seconds = sum(float(case.get("time", 0.0)) for case in own)
        counts = {"passed": len(own) - len(broken) - skipped, "failed": len(broken), "skipped": skipped}
        checks.append({"group": group, **counts, "seconds": seconds, "complaints": complaints})
    return checks, done.returncode == 0, done.stdout + done.stderr
