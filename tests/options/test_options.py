"""Options are declared once: Python's signatures and the command line agree with the models."""

from __future__ import annotations

import inspect
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
from evosdc.cli import cli
from evosdc.errors import InputError, ParameterError
from evosdc.options.inspection import ClusterOptions, JudgeOptions, MeasureOptions, RiskOptions
from evosdc.options.masking import ApplyOptions, MaskOptions
from evosdc.options.model import described, read
from evosdc.options.runs import (
    CheckOptions,
    ChooseOptions,
    CompareOptions,
    DossierOptions,
    FinishOptions,
    MemberOptions,
    RunOptions,
    StudyReportOptions,
)
from evosdc.options.search import LimitOptions, ProtectOptions, TuneOptions
from evosdc.options.written import listed, named_parameters, names_text, override
from evosdc_certified.options import CertifyOptions

MODELS = {
    "protect": ProtectOptions,
    "tune": TuneOptions,
    "mask": MaskOptions,
    "measure": MeasureOptions,
    "risk": RiskOptions,
    "judge": JudgeOptions,
    "limit": LimitOptions,
    "cluster": ClusterOptions,
    "apply": ApplyOptions,
    "compare": CompareOptions,
    "study_report": StudyReportOptions,
    "finish": FinishOptions,
    "run": RunOptions,
    "choose": ChooseOptions,
    "member": MemberOptions,
    "dossier": DossierOptions,
    "check_records": CheckOptions,
    "certify": CertifyOptions,
}
NO_OPTIONS = {
    "data", "recipe", "experiment", "number", "original", "masked", "method", "params", "folder", "folders", "schema",
    "say",
}  # fmt: skip
"""What is worked on, and parameters of methods."""


@pytest.mark.parametrize("name", MODELS)
def test_a_function_has_the_options_of_its_model_with_their_defaults(name):
    model, function = MODELS[name], getattr(evosdc, name)
    wanted = {
        one.name: inspect.Parameter.empty if one.required else one.default
        for one in described(model)
        if one.only != "command"
    }
    own = inspect.signature(function).parameters
    given = {key: one.default for key, one in own.items() if key not in NO_OPTIONS or key in wanted}
    if name == "choose":  # which everybody names by its place
        wanted = {}
        given.pop("output")
    assert given == wanted
    for one in described(model):
        if one.only != "command":
            assert one.text
            assert f"\n    {one.name} : {one.annotation}\n" in function.__doc__
    assert "{options}" not in function.__doc__


def commands_of(group, context, above=()):
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands_of(command, context, (*above, name))
        else:
            yield " ".join((*above, name)), command


def test_every_command_has_the_options_of_its_model_and_no_others():
    with click.Context(cli) as context:
        known = dict(commands_of(cli, context))
    assert len(known) > 40
    for name, command in known.items():
        own = {one.name: one for one in command.params if isinstance(one, click.Option)}
        wanted = [one for one in described(command.callback.model) if one.only != "python"]
        assert set(own) == {one.name for one in wanted}, name
        assert all(one.text and own[one.name].help.startswith(one.text) for one in wanted), name
        assert not {"attributes", "seconds"} & set(own), name


def test_all_faults_of_a_call_are_told_at_once():
    with pytest.raises(InputError) as caught:
        read(ProtectOptions, {"time": "soon", "generations": 0, "seed": -1, "tune": "no", "require": 3})
    assert {fault.where for fault in caught.value.faults} == {"time", "generations", "seed", "tune", "require"}
    with pytest.raises(InputError) as caught:
        read(ProtectOptions, {"time": 0, "workers": True}, command=True)
    assert {fault.where for fault in caught.value.faults} == {"--time", "--workers"}


def test_options_are_read_as_they_are_meant():
    found = read(
        ProtectOptions, {"protect": "age", "time": "1.5m", "seed": np.int64(3), "key": "k", "il": pd.Index(["a"])}
    )
    assert (found.protect, found.time, found.seed, found.key) == (("age",), 90.0, 3, Path("k"))
    assert found.il == ("a",)
    assert found.executor_entry() is None
    assert read(ProtectOptions, {"workers": 2}).executor_entry() == {"name": "processes", "workers": 2}


@pytest.mark.parametrize(
    ("call", "now"),
    [
        (lambda frame: evosdc.mask(frame, "mdav", k=3, attributes=["a"]), "protect"),
        (lambda frame: evosdc.measure(frame, frame, attributes=["a"]), "protect"),
        (lambda frame: evosdc.tune(frame, seconds=3), "time"),
        (lambda frame: evosdc.limit(frame, seconds=3), "time"),
        (lambda frame: evosdc.protect(frame, folder="x"), "output"),
        (lambda frame: evosdc.protect(frame, requir="x"), "'require'"),
        (lambda frame: evosdc.protect(frame, sensitive=["b"]), "schema="),
        (lambda frame: evosdc.protect(frame, k=3), "k-anonymity >= 3"),
        (lambda frame: evosdc.measure("runs/x"), "evosdc.read_table"),
        (lambda frame: evosdc.judge("runs/nope"), "no such folder; wanted a run folder"),
        (lambda frame: evosdc.protect(frame, schema=3), "path of a schema file"),
        (lambda frame: evosdc.protect(evosdc.Protector, schema="x.toml"), "no such file"),
    ],
)
def test_another_name_or_input_is_refused_with_what_to_type(call, now):
    with pytest.raises(InputError, match=now):
        call(pd.DataFrame({"a": [1, 2, 3, 4], "b": list("xyxy")}))


def test_the_command_line_tells_all_faults_at_once_and_names_what_was_renamed(capsys):
    from evosdc.cli import main

    with pytest.raises(SystemExit) as left:
        main(["protect", "x.csv", "--time", "soon", "--workers", "0", "--seed", "x"])
    told = capsys.readouterr().err
    assert left.value.code == 2
    assert all(f"Error: {name}: given" in told for name in ("--time", "--workers", "--seed"))
    with pytest.raises(SystemExit):
        main(["mask", "mdav", "x.csv", "--quasi-identifiers", "a", "-o", "y.csv"])
    assert "--protect" in capsys.readouterr().err


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6), min_size=1, max_size=4))
def test_any_names_are_read_as_they_were_written(names):
    assert listed(names_text(names)) == names


@pytest.mark.parametrize(
    ("setting", "document"),
    [
        ("a.b=3", {"a": {"b": 3}}),
        ('cuts."age.x "=[1, 2]', {"cuts": {"age.x ": [1, 2]}}),
        ('"a=b"=c=d', {"a=b": "c=d"}),
        ("width.age [y]=5", {"width": {"age [y]": 5}}),
    ],
)
def test_keys_of_settings_may_hold_dots_in_quotes(setting, document):
    found: dict = {}
    override(found, setting)
    assert found == document


def test_a_bound_may_be_written_with_its_sign():
    assert (
        read(ProtectOptions, {"bound": "9%"}).bound == read(ProtectOptions, {"bound": "9"}, command=True).bound == 9.0
    )
    with pytest.raises(ParameterError, match="bound"):
        read(ProtectOptions, {"bound": "nine%"})


def test_a_setting_without_a_name_is_refused_with_what_to_type():
    known = {"dbrl": (), "partial-linkage": ("subsets",)}
    with pytest.raises(ParameterError, match=r"Type --set partial-linkage\.subsets=2\."):
        named_parameters(["subsets=2"], known)
    assert named_parameters(["partial-linkage.subsets=2"], known)["partial-linkage"] == {"subsets": 2}
