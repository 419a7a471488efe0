"""One test a hook, each through the registry, as a plugin's hooks are always called."""

from __future__ import annotations

import inspect
import logging
import re
from typing import Any

import click
import pytest
from click.testing import CliRunner

from evosdc import hookspecs, model, testing
from evosdc.hookspecs import EVENTS
from evosdc.plugins.kinds import KINDS, Kind
from evosdc.specs import DatasetSpec
from tests.fake_plugins import offering, plugin, registry

HOOKS = [name for name, member in vars(hookspecs).items() if name.startswith("evosdc_") and callable(member)]
RUN = {"title": "Trial", "seed": 1, "sizes": [1, 2]}


def spec(kind: str, name: str = "something"):
    more = {"records": 1, "attributes": 1, "licence": "CC0"} if KINDS[kind].spec is DatasetSpec else {}
    return KINDS[kind].spec(name=name, implementation="m:C", summary="", **more)


def test_every_hook_is_an_offer_an_event_or_the_commands() -> None:
    assert set(HOOKS) == {*(kind.hook for kind in KINDS.values()), *EVENTS, "evosdc_commands"}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_names_a_contract_and_a_suite_that_exist(kind: Kind) -> None:
    assert bool(kind.contract) is hasattr(model, kind.contract or "-")
    assert bool(kind.suite) is hasattr(testing, kind.suite or "-")
    assert kind.spec.__name__ == f"{kind.contract or kind.name.capitalize()}Spec"


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_docstring_with_an_example_of_itself(hook: str) -> None:
    text = inspect.getdoc(getattr(hookspecs, hook)) or ""
    code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) (.*)$", text, re.MULTILINE))
    compile(code, hook, "exec")
    assert f"def {hook}(" in code


@pytest.mark.parametrize("hook", [kind.hook for kind in KINDS.values()])
def test_the_examples_of_offers_work(hook: str) -> None:
    text = inspect.getdoc(getattr(hookspecs, hook)) or ""
    code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) (.*)$", text, re.MULTILINE))
    names = dict(vars(hookspecs))
    exec(code, names)
    found = registry(example=plugin(**{hook: names[hook]}))
    assert found.problems == ()
    (kind,) = [name for name, kind in KINDS.items() if kind.hook == hook]
    assert len(found.names(kind)) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_offers_are_found_under_their_kind_only(kind: str) -> None:
    found = registry(a=offering(KINDS[kind].hook, spec(kind)))
    assert {k: found.names(k) for k in KINDS} == {k: ("something",) if k == kind else () for k in KINDS}


class TestCommands:
    def group(self) -> click.Group:
        @click.group()
        def cli() -> None: ...

        @cli.command()
        def run() -> None:
            click.echo("the real run")

        return cli

    def test_commands_are_added(self) -> None:
        def evosdc_commands(cli):
            @cli.command()
            def hello() -> None:
                click.echo("hello")

        cli = self.group()
        assert registry(a=plugin(evosdc_commands=evosdc_commands)).add_commands(cli) == ()
        assert CliRunner().invoke(cli, ["hello"]).output == "hello\n"

    def test_a_plugin_that_raises_adds_nothing_and_the_next_one_works(self) -> None:
        def breaks(cli):
            cli.command(name="half")(lambda: None)
            raise KeyError("oops")

        def works(cli):
            cli.command(name="fine")(lambda: None)

        cli = self.group()
        (problem,) = registry(a=plugin(evosdc_commands=breaks), b=plugin(evosdc_commands=works)).add_commands(cli)
        assert problem.plugin == "a"
        assert "evosdc_commands raised KeyError" in problem.message
        assert set(cli.commands) == {"run", "fine"}

    def test_a_command_that_is_there_cannot_be_replaced(self) -> None:
        def replaces(cli):
            cli.command(name="run")(lambda: None)
            cli.command(name="new")(lambda: None)

        cli = self.group()
        (problem,) = registry(a=plugin(evosdc_commands=replaces)).add_commands(cli)
        assert "would replace or remove the command run" in problem.message
        assert CliRunner().invoke(cli, ["run"]).output == "the real run\n"
        assert set(cli.commands) == {"run"}

    def test_a_command_cannot_be_removed(self) -> None:
        cli = self.group()
        (problem,) = registry(a=plugin(evosdc_commands=lambda cli: cli.commands.clear())).add_commands(cli)
        assert "remove the command run" in problem.message
        assert set(cli.commands) == {"run"}


FACTS: dict[str, dict[str, Any]] = {
    "evosdc_run_started": {"run": RUN},
    "evosdc_generation_done": {"run": RUN, "record": {"generation": 3, "best": 12.5}},
    "evosdc_run_finished": {"run": RUN, "result": {"best": {"fitness": 12.5}}},
}


class TestEvents:
    @pytest.mark.parametrize("event", EVENTS)
    def test_subscribers_hear_the_facts(self, event: str) -> None:
        heard: list[dict[str, Any]] = []
        listeners = {
            "evosdc_run_started": lambda run: heard.append({"run": run}),
            "evosdc_generation_done": lambda run, record: heard.append({"run": run, "record": record}),
            "evosdc_run_finished": lambda run, result: heard.append({"run": run, "result": result}),
        }
        registry(a=plugin(**{event: listeners[event]})).announce(event, **FACTS[event])
        assert heard == [FACTS[event]]

    def test_a_subscriber_may_take_some_facts_only(self) -> None:
        heard: list[object] = []
        found = registry(a=plugin(evosdc_generation_done=lambda record: heard.append(record["generation"])))
        found.announce("evosdc_generation_done", **FACTS["evosdc_generation_done"])
        assert heard == [3]

    def test_a_subscriber_cannot_change_the_facts_for_the_engine_or_for_others(self) -> None:
        heard: list[object] = []

        def spoils(run):
            run["seed"] = 99
            run["sizes"].append(3)

        run = {"seed": 1, "sizes": [1, 2]}
        found = registry(
            a=plugin(evosdc_run_started=spoils), b=plugin(evosdc_run_started=lambda run: heard.append(run))
        )
        found.announce("evosdc_run_started", run=run)
        assert run == {"seed": 1, "sizes": [1, 2]}
        assert heard == [run]

    def test_a_subscriber_that_raises_is_told_once_and_ignored(self, caplog: pytest.LogCaptureFixture) -> None:
        heard: list[str] = []

        def fails(run):
            raise RuntimeError("no network")

        found = registry(
            a=plugin(evosdc_run_started=fails), b=plugin(evosdc_run_started=lambda run: heard.append(run["title"]))
        )
        with caplog.at_level(logging.WARNING, "evosdc.plugins"):
            for _ in range(3):
                found.announce("evosdc_run_started", run=RUN)
        assert heard == ["Trial"] * 3
        assert caplog.messages == ["plugin a: evosdc_run_started raised RuntimeError: no network; ignored."]

    def test_a_subscriber_cannot_end_the_program(self, caplog: pytest.LogCaptureFixture) -> None:
        def leaves(run):
            raise SystemExit(3)

        registry(a=plugin(evosdc_run_started=leaves)).announce("evosdc_run_started", run=RUN)
        assert "SystemExit: 3" in caplog.text

    def test_an_interrupt_by_the_user_goes_through(self) -> None:
        def interrupted(run):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            registry(a=plugin(evosdc_run_started=interrupted)).announce("evosdc_run_started", run=RUN)

    def test_an_event_that_does_not_exist_is_a_mistake_of_the_caller(self) -> None:
        with pytest.raises(ValueError, match="'evosdc_run_begun' is no event"):
            registry().announce("evosdc_run_begun", run=RUN)
