"""The command line: thin commands that parse, call and print.

Each command's module is imported when the command is used, so that ``evosdc --help`` answers at once.
"""

import errno
import sys
import traceback
from contextlib import nullcontext

import click

from evosdc._version import __version__
from evosdc.cli.compiling import announced_compilation
from evosdc.cli.options import Later
from evosdc.cli.signals import Stopped, asked_to_stop, stoppable
from evosdc.cli.text import harmless
from evosdc.errors import EvosdcError, InputError, did_you_mean

# The overview: by section the commands, the module of `evosdc.options` with the model of each, the module here with its
# function, and its description. Commands without a description are plugins', whose hooks say what they do.
Places = dict[str, tuple[str, str, str]]
SECTIONS: dict[str, Places] = {
    "Protect": {
        "init": ("data", "schema", "Look at a data file and propose a schema."),
        "edit": ("data", "schema", "Change what a schema file says of an attribute, or take that back."),
        "protect": ("search", "run", "Do the whole job with good defaults."),
        "tune": ("search", "tune", "Find the best parameters of every masking method."),
        "mask": ("masking", "mask", "Mask a data file by one method."),
        "certify": ("", "", ""),
        "apply": ("masking", "recipe", "Protect a file by a recipe, such as the next wave of a survey."),
        "choose": ("runs", "members", "Make a member of a run's front its best file, in a folder of its own."),
        "export": ("runs", "members", "Write the protected file of a member of a run's front."),
        "table": ("", "", ""),
        "households": ("", "", ""),
        "app": ("", "", ""),
    },
    "Inspect": {
        "risk": ("inspection", "risk", "Show what one file discloses by itself."),
        "measure": ("inspection", "measure", "Measure a masked file against its original."),
        "judge": ("inspection", "judge", "Give a second opinion on a masked file."),
        "classes": ("", "", ""),
        "limit": ("", "", ""),
        "cluster": ("inspection", "cluster", "Group similar records into clusters."),
        "explain": ("masking", "recipe", "Say what each step of a recipe contributes."),
        "member": ("runs", "members", "Show for one file of a front what the report shows for the best file."),
        "report": ("runs", "pages", "Write one HTML page about one or more runs."),
        "dossier": ("runs", "pages", "Write the dossier of a release: the evidence, and who signs it."),
        "doctor": ("data", "doctor", "Say which files of a folder are for publication, and what is wrong."),
        "estimate": ("", "", ""),
    },
    "Experiments": {
        "run": ("runs", "run", "Run an experiment file."),
        "check": ("runs", "run", "Validate an experiment file and run nothing."),
        "resume": ("runs", "run", "Continue a run that was stopped."),
        "finish": ("runs", "status", "End a run from another terminal or computer, with its best file so far."),
        "status": ("runs", "status", "Show how a run or a study is doing."),
        "watch": ("runs", "status", "Follow a run or a study until it ends."),
        "compare": ("runs", "pages", "Compare searches by rank tests and effect sizes of their runs."),
        "study": ("", "", "Statistics of a study over data sets, searches and seeds."),
        "datasets": ("", "", "List the known data sets or the attributes of one, or fetch one."),
    },
    "Plugins": {
        "plugins": ("", "", "List plugins and what they offer."),
        "new-plugin": ("data", "plugins", "Write a distribution that adds a plugin of your own."),
    },
}
GROUPS: dict[str, Places] = {
    "study": {"report": ("runs", "pages", "Test whether searches differ over data sets and seeds.")},
    "datasets": {
        "list": ("data", "datasets", "List data sets with size, licence, and whether they are on this computer."),
        "fetch": ("data", "datasets", "Find a data set, or download it, and check it."),
        "attributes": ("data", "datasets", "List the attributes of a data set with their roles and scales."),
    },
    "plugins": {
        "list": ("data", "plugins", "List every masking method, measure and so on, with the plugin that offers it."),
        "show": ("data", "plugins", "Show the source, provider and parameters of a name."),
        "test": ("data", "plugins", "Test what is registered as a name: its contract, and its cost."),
        "doctor": ("data", "plugins", "Explain plugins that do not load or cannot be used."),
    },
}
COMMANDS = [name for places in SECTIONS.values() for name, place in places.items() if place[2]]
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


class Subcommands(click.Group):
    """A group whose commands are imported when used."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import and return a command."""
        found = super().get_command(ctx, name)
        return found.imported() if isinstance(found, Later) else found


class Commands(Subcommands):
    """The group of all commands; plugins may add to it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        self._add_plugins()
        return list(self.commands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import and return a command."""
        if name not in self.commands:
            self._add_plugins()
        return super().get_command(ctx, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant, with a suggestion when there is none of that name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            advice = did_you_mean(args[0], self.list_commands(ctx)) if args else ""
            if advice and "mean" not in error.message:
                raise click.UsageError(f"{error.message} {advice}", ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview, by sections, without importing the commands."""
        self._add_plugins()
        texts = {name: command.get_short_help_str(limit=100) for name, command in self.commands.items()}
        placed = {name for names in SECTIONS.values() for name in names}
        for section, names in SECTIONS.items():
            shown = [name for name in names if name in texts]
            if section == "Plugins":
                shown += [name for name in texts if name not in placed]
            with formatter.section(section):
                formatter.write_dl([(name, texts[name]) for name in shown])

    def _add_plugins(self) -> None:
        if not getattr(self, "_plugins_added", False):
            self._plugins_added = True
            from evosdc.plugins.registry import default_registry

            default_registry().add_commands(self)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="evosdc")
def cli() -> None:
    """Find, by evolution, the best way to publish confidential microdata.

    Start with: evosdc init DATA.csv -o schema.toml, then: evosdc protect DATA.csv --schema schema.toml

    Add --debug to any command to see where an error came from, and --plugin FILE.py to use a plugin of your own in a
    single file. Exit status: 0 done, 1 the run failed, 2 bad input.
    """


@click.pass_context
def _list(context: click.Context) -> None:
    """Carry out the command that lists, where a group is named without one of its commands."""
    listing = context.command.get_command(context, "list") if isinstance(context.command, click.Group) else None
    if context.invoked_subcommand is None and listing is not None:
        context.invoke(listing)


def _add(group: click.Group, places: Places, above: str = "") -> None:
    """Add commands, whose models and functions are named after them, and groups of commands."""
    for name, (model, module, text) in places.items():
        full = f"{above} {name}".strip().replace("-", " ")
        named = f"evosdc.options.{model}:{full.title().replace(' ', '')}Options"
        if module:
            group.add_command(Later(name, f"evosdc.cli.{module}:{full.replace(' ', '_')}", text, named))
        elif name in GROUPS:
            lists = "list" in GROUPS[name]
            inner = Subcommands(name, help=text, invoke_without_command=lists, callback=_list if lists else None)
            _add(inner, GROUPS[name], name)
            group.add_command(inner)


for _places in SECTIONS.values():
    _add(cli, _places)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        quiet = not {"-q", "--quiet"}.isdisjoint(words)
        with stoppable(), nullcontext() if quiet else announced_compilation(_say):
            rest = without_plugins(words)
            status = cli.main(rest, prog_name="evosdc", standalone_mode=False, obj=tuple(words))
        sys.exit(status if isinstance(status, int) else 0)
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            traceback.print_exc()
        number = asked_to_stop()
        # A library that is interrupted while it is imported may fail with an error of its own.
        sys.exit(_report_error(error if number is None or isinstance(error, KeyboardInterrupt) else Stopped(number)))


def without_plugins(words: list[str]) -> list[str]:
    """Have the files of ``--plugin FILE`` searched for plugins; return the words without them."""
    from pathlib import Path

    from evosdc.plugins.local_files import add_local_file

    rest, after = [], iter(words)
    for word in after:
        if word == "--plugin":
            file = next(after, None)
            if file is None:
                raise click.UsageError("Option '--plugin' requires a FILE.py.")
            add_local_file(Path(file))
        elif word.startswith("--plugin="):
            add_local_file(Path(word.partition("=")[2]))
        else:
            rest.append(word)
    return rest


def _report_error(error: BaseException) -> int:
    """Print an error in plain words and return the exit status."""
    if isinstance(error, click.ClickException):
        if isinstance(error, click.NoSuchOption) and (naming := _naming_option(error)):
            error = click.UsageError(click.NoSuchOption(error.option_name).format_message() + naming, error.ctx)
        error.show()
        return BAD_INPUT
    if isinstance(error, KeyboardInterrupt | click.Abort):
        _say("Stopped.")
        cause = error.__cause__ if isinstance(error, click.Abort) else error
        return 128 + cause.number if isinstance(cause, Stopped) else INTERRUPTED
    if isinstance(error, InputError):
        for fault in error.faults:
            _say(f"Error: {fault}")
        return BAD_INPUT
    if isinstance(error, EvosdcError):
        _say(f"Error: {error}")
        return FAILED
    if isinstance(error, BrokenPipeError):
        return FAILED
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        _say("Error: the disk is full. Free some space and try again.")
        return FAILED
    if isinstance(error, MemoryError):
        _say("Error: there is not enough memory for this file.")
        return FAILED
    if isinstance(error, OSError):
        _say(f"Error: {error.strerror or error}: {error.filename or ''}")
        return FAILED
    _say(f"Error: {type(error).__name__} in evosdc or a plugin; this is a defect. Add --debug to see where.")
    return FAILED


# options by which commands, here and elsewhere, name attributes
_NAMING = ("--protect", "--attributes", "--quasi-identifiers", "--keys", "--columns", "--fields", "--variables")


def _naming_option(error: click.NoSuchOption) -> str:
    """Return which option of a command names attributes, where one of another command was given for that."""
    command = error.ctx.command if error.ctx is not None else None
    if command is None or not {error.option_name, f"{error.option_name}s"} & {*_NAMING}:
        return ""
    known = {name for one in command.params for name in one.opts}
    return next((f" Attributes are named by {name}." for name in _NAMING if name in known), "")


def _say(text: str) -> None:
    click.echo(harmless(text), err=True)
