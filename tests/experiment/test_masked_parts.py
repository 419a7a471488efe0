"""Strata and clusters are masked to the same file on any executor."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evosdc
from evosdc.assess.mask import apply_masking, build_steps
from evosdc.cli import main
from evosdc.errors import Fault, InputError, ParameterError, PluginError
from evosdc.executors.processes import ProcessesExecutor
from evosdc.executors.tasks import failure_of
from evosdc.experiment.masked_parts import carrying_out, executor_for_parts, job_of
from evosdc.model import Executor, Masking, Microdata, Outcome, Task
from evosdc.model.dividing import Part
from evosdc.plugins.registry import default_registry
from evosdc.secret import Purpose, quick_stream, stream
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_scoop.executor import ScoopExecutor
from tests.optional import require_dask

REGISTRY = default_registry()


def survey(n: int = 120) -> Table:
    rng = np.random.default_rng(6)
    attributes = (
        Attribute("grade", Role.QUASI_IDENTIFIER, Scale.ORDINAL, tuple("abcdef")),
        Attribute("region", Role.STRATUM, Scale.NOMINAL, ("north", "süd", "west")),
        Attribute("income", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
        Attribute("debt", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
        Attribute("weight", Role.WEIGHT, Scale.NUMERIC),
    )
    codes = np.column_stack([rng.integers(-1, 6, n), rng.integers(0, 3, n)]).astype(np.int32)
    return Table(Schema(attributes), codes, np.column_stack([rng.normal(size=(n, 2)), rng.uniform(1, 9, n)]))


CASES: list[tuple[str, dict[str, Any]]] = [
    ("rank-swapping", {"p": 30, "by": ["region"]}),
    ("clustered", {"c": 5, "inner": {"method": "mdav", "k": 3}}),
    ("clustered", {"c": 4, "by": ["region"], "inner": {"method": "rank-swapping", "p": 40}}),
    ("clustered", {"c": 3, "inner": {"method": "clustered", "c": 2, "inner": {"method": "k-member", "k": 3}}}),
    ("clustered", {"c": 3, "inner": {"method": "mondrian", "k": 4, "output": "interval"}}),
    ("clustered", {"c": 3, "protect": ["income"], "inner": {"method": "ipso", "confidential": ["debt"]}}),
    ("noise", {"alpha": 0.3, "protect": ["income"], "by": ["region"], "then": [{"method": "clustered", "c": 3}]}),
]


@pytest.fixture(scope="module")
def serial() -> list[Table]:
    return [evosdc.mask(survey(), name, seed=3, **params) for name, params in CASES]


def differing(executor: str | dict[str, Any], serial: list[Table], cases: int = len(CASES)) -> list[str]:
    """Return the methods whose files an executor makes otherwise than `evosdc.mask` does here."""
    place, others = executor_for_parts(executor, REGISTRY), []
    assert place is not None
    with carrying_out(place) as carry_out:
        for (name, params), wanted in list(zip(CASES, serial, strict=True))[:cases]:
            given = dict(params)
            by, names = tuple(given.pop("by", ())), tuple(given.pop("protect", ()))
            then = tuple(
                Masking(step["method"], {k: v for k, v in step.items() if k != "method"}, names)
                for step in given.pop("then", ())
            )
            masking = Masking(name, given, by=by, then=then)
            microdata = Microdata(survey(), names or ("grade", "income", "debt"))
            found = apply_masking(
                masking, build_steps(masking, REGISTRY), microdata, stream(3, Purpose.MASK), carry_out
            )
            whole = microdata.table.with_columns(found)
            if whole.schema != wanted.schema or not whole.same_records(wanted):
                others.append(name)
    return others


def test_serial(serial: list[Table]) -> None:
    assert differing("serial", serial) == []


@pytest.mark.endurance
def test_processes(serial: list[Table]) -> None:
    assert differing({"name": "processes", "workers": 2}, serial) == []


@pytest.mark.endurance
def test_scoop(serial: list[Table]) -> None:
    assert differing({"name": "scoop", "workers": 2}, serial, 4) == []


@pytest.mark.cluster
@pytest.mark.endurance
def test_dask(serial: list[Table]) -> None:
    require_dask()
    assert differing({"name": "dask", "workers": 2}, serial, 4) == []


class Watched(ProcessesExecutor):
    """Counts tasks and items, and runs them in this process."""

    def __init__(self) -> None:
        super().__init__(None, 2)
        self.tasks: list[Task] = []

    def __enter__(self):
        return self

    def map(self, tasks):
        from evosdc.executors.tasks import run_chunk

        self.tasks += tasks
        folder = Path(tasks[0].shared.folder)
        assert folder.stat().st_mode & 0o77 == 0
        return [run_chunk(task) for task in tasks]


def test_parts_travel_by_name_and_nothing_is_left() -> None:
    place = Watched()
    microdata = Microdata(survey(), ("grade", "income", "debt"))
    masking = Masking(
        "clustered", {"c": 80, "inner": {"method": "clustered", "c": 1, "inner": {"method": "noise"}}}, ("income",)
    )
    with carrying_out(place, Path("/nowhere")) as carry_out:
        apply_masking(masking, build_steps(masking, REGISTRY), microdata, stream(1, Purpose.MASK), carry_out)
    items = [item for task in place.tasks for item in task.items]
    assert [number for number, _ in items] == list(range(len(items)))
    assert len({task.shared for task in place.tasks}) == 1
    assert not os.path.exists(place.tasks[0].shared.folder)  # noqa: PTH110


def test_what_is_in_one_part_or_cannot_be_addressed_stays_here() -> None:
    place = Watched()
    microdata = Microdata(survey(), ("income", "debt"))
    with carrying_out(place) as carry_out:
        for name, params in (("mdav", {"k": 3}), ("clustered", {"c": 1})):
            masking = Masking(name, params)
            apply_masking(masking, build_steps(masking, REGISTRY), microdata, stream(1, Purpose.MASK), carry_out)
        masking = Masking("clustered", {"c": 4})
        quick = apply_masking(
            masking, build_steps(masking, REGISTRY), microdata, quick_stream(1, Purpose.MASK), carry_out
        )
    assert not place.tasks
    assert quick.same_records(
        apply_masking(masking, build_steps(masking, REGISTRY), microdata, quick_stream(1, Purpose.MASK))
    )


def test_a_stream_that_was_drawn_from_has_no_address() -> None:
    method = REGISTRY.build("masking-method", "noise", {})
    rows = np.arange(3)
    fresh, drawn, spawned = (stream(1, Purpose.MASK) for _ in range(3))
    drawn.random()
    spawned.spawn(1)
    assert job_of(Part(method, rows, fresh)) is not None
    assert job_of(Part(method, rows, drawn)) is job_of(Part(method, rows, spawned)) is None
    assert job_of(Part(method, None, fresh)) is None


def test_refusals_of_a_part_are_told_as_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    from evosdc_masking.microaggregation.mdav import Mdav

    def refuses(self, table, weights, rng):
        raise ParameterError(Fault("method mdav", "this", "that", "Do."))

    monkeypatch.setattr(Mdav, "published", refuses)
    with pytest.raises(ParameterError, match=r"method mdav: given this; wanted that\. Do\."):
        _masked_by(Watched())


def test_a_method_that_fails_is_told_without_its_words() -> None:
    class Failing(Watched):
        def map(self, tasks):
            failure = failure_of(ValueError("secret 17"))
            return [tuple(Outcome(number, failure, 0.0) for number, _ in task.items) for task in tasks]

    with pytest.raises(PluginError, match=r"method clustered failed on \d+ records of the file: ValueError") as caught:
        _masked_by(Failing())
    assert "17" not in str(caught.value)


def _masked_by(place: Executor) -> Table:
    masking = Masking("clustered", {"c": 3, "inner": {"method": "mdav", "k": 3}})
    microdata = Microdata(survey(), ("income", "debt"))
    with carrying_out(place) as carry_out:
        return apply_masking(masking, build_steps(masking, REGISTRY), microdata, stream(1, Purpose.MASK), carry_out)


def test_from_python_and_on_the_command_line(tmp_path: Path) -> None:
    table = survey().select(["grade", "income", "debt"])
    wanted = evosdc.mask(table, "clustered", c=4, inner={"method": "noise"}, protect=["income", "debt"], seed=1)
    found = evosdc.mask(
        table, "clustered", c=4, inner={"method": "noise"}, protect=["income", "debt"],
        seed=1, executor={"name": "processes", "workers": 1},
    )  # fmt: skip
    assert found.same_records(wanted)
    lines = [f"{a},{b!r}" for a, b in zip(table.column("income").tolist(), table.column("debt").tolist(), strict=True)]
    (tmp_path / "survey.csv").write_text("\n".join(["income,debt", *lines]))
    command = ["mask", "clustered", str(tmp_path / "survey.csv"), "--protect", "income,debt", "--set", "c=4"]
    command += ["--seed", "1"]
    inline = [*command, "--set", 'inner={ method = "noise", alpha = 0.4 }', "-o", str(tmp_path / "here.csv")]
    dotted = [*command, "--set", "inner.method=noise", "--set", "inner.alpha=0.4", "-o", str(tmp_path / "there.csv")]
    for words in (inline, [*dotted, "--executor", "processes", "--workers", "1"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()
    manifest = json.loads((tmp_path / "here.manifest.json").read_text())
    assert manifest["parameters"] == {"c": 4, "inner": {"method": "noise", "alpha": 0.4}}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "here.csv", "here.manifest.json", "survey.csv", "there.csv", "there.manifest.json",
    ]  # fmt: skip


def test_unknown_executors_are_told_with_all_other_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError) as caught:
        evosdc.mask(survey(), "clustered", c=0, executor="procesess")
    assert "Did you mean 'processes'?" in str(caught.value)
    assert "clustered: c: given 0" in str(caught.value)
    with pytest.raises(InputError, match="workers"):
        evosdc.mask(survey(), "mdav", executor={"name": "processes", "workers": 0})
    with pytest.raises(SystemExit) as ended:
        main(["mask", "clustered", "housing", "--set", "c=0", "--executor", "scop", "-o", str(tmp_path / "x.csv")])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "clustered: c: given 0" in told
    assert "Did you mean 'scoop'?" in told


def test_by_default_all_is_done_in_this_process() -> None:
    assert executor_for_parts(None, REGISTRY) is None
    assert isinstance(executor_for_parts("scoop", REGISTRY), ScoopExecutor)
