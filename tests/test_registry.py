from __future__ import annotations

import sys
from importlib.metadata import Distribution, version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from evosdc.errors import ClashError, DataError, Fault, ParameterError, PluginError, UnknownNameError
from evosdc.hookspecs import hookimpl
from evosdc.model import MaskingMethod, Parameters
from evosdc.plugins import discovery
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registry import PluginProblem, Registry, default_registry
from evosdc.specs import FitnessSpec
from evosdc.table.table import Table
from tests.fake_plugins import distribute, measure, messages, method, offering, plugin, registry

HERE = __name__


class Shift(MaskingMethod):
    """A method to build, that refuses a step that is 13."""

    class Params(Parameters):
        step: int = 1

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        if params.step == 13:
            raise RuntimeError("unlucky\nsecond line")
        if params.step == 14:
            raise DataError(Fault("step", "14", "another"))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        return table


NOT_A_CLASS = 3


def no_offers() -> list[object]:
    return []


class TestLookUp:
    def test_names_are_sorted_and_kept_by_kind(self) -> None:
        found = registry(a=offering("evosdc_masking_methods", method("mdav"), method("aggregate")))
        assert found.names("masking-method") == ("aggregate", "mdav")
        assert found.names("measure") == ()
        assert found.problems == ()

    def test_spec_is_the_one_that_was_yielded(self) -> None:
        spec = measure("dbil", family="linkage")
        assert registry(a=offering("evosdc_measures", spec)).spec("measure", "dbil") is spec

    def test_unknown_name_lists_all_and_suggests(self) -> None:
        found = registry(a=offering("evosdc_masking_methods", method("mdav"), method("pram")))
        with pytest.raises(UnknownNameError, match=r"'mdva'; wanted one of mdav, pram. Did you mean 'mdav'\?$"):
            found.spec("masking-method", "mdva")

    def test_unknown_name_without_neighbours_suggests_nothing(self) -> None:
        found = registry(a=offering("evosdc_masking_methods", method("mdav")))
        with pytest.raises(UnknownNameError) as caught:
            found.implementation("masking-method", "zzz")
        assert "Did you mean" not in str(caught.value)

    def test_unknown_name_points_to_plugins_with_problems(self) -> None:
        with pytest.raises(UnknownNameError, match=r"no plugin offers any.* 'evosdc plugins list' shows them"):
            registry(broken=offering("evosdc_measures", "text")).spec("measure", "dbil")

    def test_unknown_kind(self) -> None:
        with pytest.raises(UnknownNameError, match=r"'measures'; wanted one of masking-method.*Did you mean 'measure'"):
            registry().names("measures")

    def test_provider_of_a_plugin_given_directly_is_its_name(self) -> None:
        assert registry(mine=offering("evosdc_measures", measure())).provider("measure", "share") == "mine"

    def test_plugins_tell_what_they_offer(self) -> None:
        (info,) = registry(
            mine=plugin(evosdc_measures=lambda: [measure("b"), measure("a")], evosdc_fitnesses=no_offers)
        ).plugins
        assert (info.name, info.distribution, info.version) == ("mine", "", "")
        assert info.offers == {"measure": ("b", "a")}


class TestClash:
    def test_two_plugins_one_name_names_both(self) -> None:
        found = registry(
            left=offering("evosdc_measures", measure("same")),
            right=offering("evosdc_measures", measure("same"), measure("other")),
        )
        with pytest.raises(ClashError, match="left and right"):
            found.spec("measure", "same")
        with pytest.raises(ClashError, match="left and right"):
            found.implementation("measure", "same")
        with pytest.raises(ClashError):
            found.provider("measure", "same")
        assert "measure 'same' is offered more than once: by left and right" in messages(found)
        assert found.spec("measure", "other").name == "other"

    def test_a_file_beside_the_distribution_made_of_it_is_to_be_left_out(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten: None
    ) -> None:
        (tmp_path / "own_twin.py").write_text(GOOD.format(name="twin"))
        monkeypatch.setenv("EVOSDC_PLUGINS", str(tmp_path / "own_twin.py"))
        found = Registry.load({"installed": offering("evosdc_measures", measure("twin"))})
        with pytest.raises(ClashError, match=r"Leave out --plugin own_twin\.py, or uninstall or rename"):
            found.spec("measure", "twin")

    def test_one_name_of_two_kinds_is_no_clash(self) -> None:
        found = registry(
            a=offering("evosdc_measures", measure("pram")), b=offering("evosdc_masking_methods", method("pram"))
        )
        assert found.problems == ()

    def test_a_plugin_that_offers_a_name_twice(self) -> None:
        found = registry(a=offering("evosdc_measures", measure("same"), measure("same")))
        assert "offered more than once: by a and a" in messages(found)


class TestDefaults:
    def test_several_in_the_order_of_offers(self) -> None:
        found = registry(
            a=offering("evosdc_measures", measure("z", default_for=("numeric",)), measure("y")),
            b=offering("evosdc_measures", measure("b", default_for=("mixed", "numeric"))),
        )
        assert found.defaults("measure", "numeric") == ("z", "b")
        assert found.defaults("measure", "categorical") == ()
        assert found.default("measure", "mixed") == "b"

    def test_where_one_is_wanted_none_and_several_are_refused(self) -> None:
        specs = [measure(name, default_for=("numeric",)) for name in ("z", "b")]
        found = registry(a=offering("evosdc_measures", *specs))
        with pytest.raises(ClashError, match="measure: given z and b as defaults for numeric; wanted one of them"):
            found.default("measure", "numeric")
        with pytest.raises(UnknownNameError, match="no plugin has a default for mixed; wanted one of b, z"):
            found.default("measure", "mixed")


class TestBrokenOffers:
    @pytest.mark.parametrize(
        ("hook", "offer", "message"),
        [
            ("evosdc_measures", "dbil", "an object of type str, wanted MeasureSpec"),
            ("evosdc_measures", method("mdav"), "an object of type MaskingMethodSpec, wanted MeasureSpec"),
            ("evosdc_measures", measure("Share Changed"), "the name 'Share Changed', wanted lower-case"),
            ("evosdc_measures", measure("-x"), "the name '-x'"),
            ("evosdc_measures", measure(implementation="module.Class"), "wanted 'package.module:Class'"),
            ("evosdc_measures", measure("dr"), "kept for an aggregate"),
            ("evosdc_measures", measure(kind="loss"), "kind 'loss', wanted il, dr or model"),
            ("evosdc_measures", measure(direction="down"), "direction 'down', wanted minimise or maximise"),
            ("evosdc_measures", measure(range=(1.0, 1.0)), r"range (1.0, 1.0), wanted (least, greatest)"),
            ("evosdc_measures", measure(scales=("ratio",)), "scales ('ratio',), wanted some of nominal"),
            ("evosdc_measures", measure(default_for=("text",)), "default_for ('text',), wanted some of categorical"),
        ],
    )
    def test_an_ill_formed_offer_is_told_and_the_others_work(self, hook: str, offer: object, message: str) -> None:
        found = registry(a=offering(hook, measure("good"), offer, measure("also-good")))
        assert message in messages(found)
        assert found.names("measure") == ("also-good", "good")

    def test_all_faults_of_an_offer_are_told(self) -> None:
        found = messages(registry(a=offering("evosdc_measures", measure("X y", kind="loss", implementation="x"))))
        for fault in ("the name 'X y'", "kind 'loss'", "implementation 'x'"):
            assert fault in found

    def test_a_hook_that_raises_midway_keeps_what_it_yielded(self) -> None:
        def offers():
            yield measure("first")
            raise ZeroDivisionError("division")

        found = registry(
            a=plugin(evosdc_measures=offers, evosdc_masking_methods=lambda: [method("x")]),
            b=offering("evosdc_measures", measure("third")),
        )
        assert found.names("measure") == ("first", "third")
        assert found.names("masking-method") == ("x",)
        assert found.problems == (
            PluginProblem(
                "a", "", "evosdc_measures raised ZeroDivisionError: division; what it offers after that is missing."
            ),
        )

    def test_a_spec_returned_instead_of_yielded(self) -> None:
        found = registry(a=plugin(evosdc_measures=lambda: measure()))
        assert "returned MeasureSpec, wanted several specs. Yield each spec" in messages(found)

    def test_something_else_returned(self) -> None:
        assert "returned int" in messages(registry(a=plugin(evosdc_measures=lambda: 3)))

    def test_a_misspelt_hook(self) -> None:
        found = registry(a=plugin(evosdc_measure=no_offers, evosdc_measures=lambda: [measure()]))
        assert "there is no hook 'evosdc_measure'. Did you mean 'evosdc_measures'?" in messages(found)
        assert found.names("measure") == ("share",)

    def test_a_hook_like_no_other(self) -> None:
        assert "Hooks are evosdc_masking_methods, " in messages(registry(a=plugin(evosdc_quux=no_offers)))

    def test_a_hook_without_its_marker(self) -> None:
        found = registry(a=SimpleNamespace(evosdc_measures=lambda: [measure()]))
        assert "evosdc_measures is not marked with @hookimpl" in messages(found)
        assert "from evosdc.model import hookimpl" in messages(found)
        assert found.names("measure") == ()

    def test_a_hook_with_an_argument_that_it_does_not_get(self) -> None:
        found = registry(
            a=plugin(evosdc_measures=lambda table: [measure()]), b=offering("evosdc_measures", measure("good"))
        )
        assert "plugin a: could not be loaded: PluginValidationError" in messages(found)
        assert found.names("measure") == ("good",)
        assert [info.name for info in found.plugins] == ["b"]


GOOD = """
from evosdc.hookspecs import hookimpl
from evosdc.specs import MeasureSpec

@hookimpl
def evosdc_measures():
    yield MeasureSpec(name="{name}", implementation="nowhere:N", summary="")
"""


class TestEntryPoints:
    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("import module_that_is_not_there", "ModuleNotFoundError: No module named 'module_that_is_not_there'"),
            ("raise ValueError('bad day')", "ValueError: bad day"),
            ("def f(:", "SyntaxError"),
            ("import sys; sys.exit(3)", "SystemExit: 3"),
        ],
    )
    def test_a_plugin_that_cannot_be_imported_is_told_and_the_rest_work(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str
    ) -> None:
        distribute(tmp_path, "evosdc-fake-broken", source)
        distribute(tmp_path, "evosdc-fake-good", GOOD.format(name="fake-good"))
        monkeypatch.syspath_prepend(tmp_path)
        found = Registry.load()
        (problem,) = [p for p in found.problems if p.plugin == "evosdc_fake_broken"]
        assert problem.distribution == "evosdc-fake-broken"
        assert message in problem.message
        assert str(problem).startswith("plugin evosdc_fake_broken (evosdc-fake-broken): could not be loaded")
        assert found.spec("measure", "fake-good").implementation == "nowhere:N"
        for module in ("evosdc_fake_broken", "evosdc_fake_good"):
            sys.modules.pop(module, None)

    def test_provider_names_distribution_and_version(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        distribute(tmp_path, "evosdc-fake-versioned", GOOD.format(name="fake-versioned"), "versioned", "2.3")
        monkeypatch.syspath_prepend(tmp_path)
        found = Registry.load()
        assert found.provider("measure", "fake-versioned") == "versioned (evosdc-fake-versioned 2.3)"

    def test_two_distributions_may_use_one_entry_point_name(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        distribute(tmp_path, "evosdc-fake-one", GOOD.format(name="fake-one"), "same")
        distribute(tmp_path, "evosdc-fake-two", GOOD.format(name="fake-two"), "same")
        monkeypatch.syspath_prepend(tmp_path)
        names = Registry.load().names("measure")
        assert {"fake-one", "fake-two"} <= set(names)

    def test_what_a_distribution_says_of_itself_is_read_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        read: list[str] = []
        origin = discovery._origin

        def counted(distribution: Distribution | None) -> tuple[str, str]:
            name, version = origin(distribution)
            read.append(name)
            return name, version

        monkeypatch.setattr(discovery, "_origin", counted)
        plugins = [p for p in Registry.load().plugins if p.distribution == "evosdc"]
        assert len(plugins) > 1
        assert {p.version for p in plugins} == {version("evosdc")}
        assert read.count("evosdc") == 1

    def test_entry_points_can_be_left_out(self) -> None:
        assert Registry.load(entry_points=False).plugins == ()

    def test_the_plugins_that_come_with_evosdc_have_no_problems(self) -> None:
        own = [p for p in default_registry().problems if p.distribution == "evosdc"]
        assert not own, "\n".join(map(str, own))

    def test_every_implementation_that_comes_with_evosdc_can_be_imported(self) -> None:
        found = default_registry()
        for kind in KINDS:
            for name in found.names(kind):
                assert callable(found.implementation(kind, name))

    def test_the_default_registry_is_loaded_once(self) -> None:
        assert default_registry() is default_registry()


class TestImplementation:
    def of(self, implementation: str, hook: str = "evosdc_masking_methods") -> Registry:
        if hook == "evosdc_masking_methods":
            return registry(mine=offering(hook, method("shift", implementation)))
        return registry(mine=offering(hook, FitnessSpec(name="shift", implementation=implementation, summary="")))

    def test_it_is_imported(self) -> None:
        assert self.of(f"{HERE}:Shift").implementation("masking-method", "shift") is Shift

    @pytest.mark.parametrize(
        ("implementation", "message"),
        [
            ("module_that_is_not_there:Shift", "needs the module 'module_that_is_not_there', which is not installed"),
            (f"{HERE}:Shft", "Shft cannot be had: AttributeError"),
            (f"{HERE}:NOT_A_CLASS", "is not a subclass of evosdc.model.MaskingMethod"),
            (f"{HERE}:Path", "is not a subclass of evosdc.model.MaskingMethod"),
        ],
    )
    def test_failures_are_told_in_words(self, implementation: str, message: str) -> None:
        with pytest.raises(PluginError, match="masking-method shift of plugin mine") as caught:
            self.of(implementation).implementation("masking-method", "shift")
        assert message in str(caught.value)

    def test_a_module_that_fails_while_imported(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "evosdc_fake_failing.py").write_text("1 / 0")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(PluginError, match="importing evosdc_fake_failing failed: ZeroDivisionError"):
            self.of("evosdc_fake_failing:X").implementation("masking-method", "shift")

    def test_an_implementation_of_another_kind(self) -> None:
        with pytest.raises(PluginError, match=r"is not a subclass of evosdc\.model\.Fitness"):
            self.of(f"{HERE}:Shift", "evosdc_fitnesses").implementation("fitness", "shift")

    def test_build_validates_parameters(self) -> None:
        built = self.of(f"{HERE}:Shift").build("masking-method", "shift", {"step": 4})
        assert isinstance(built, Shift)
        assert built.params.step == 4

    def test_build_refuses_parameters_all_at_once(self) -> None:
        with pytest.raises(ParameterError) as caught:
            self.of(f"{HERE}:Shift").build("masking-method", "shift", {"step": "many", "stride": 1})
        assert {fault.where for fault in caught.value.faults} == {
            "masking-method shift: step",
            "masking-method shift: stride",
        }

    def test_build_lets_evosdc_errors_through(self) -> None:
        with pytest.raises(DataError):
            self.of(f"{HERE}:Shift").build("masking-method", "shift", {"step": 14})

    def test_build_turns_other_errors_into_plain_words(self) -> None:
        with pytest.raises(PluginError, match=r"shift of plugin mine could not be set up: RuntimeError: unlucky\.$"):
            self.of(f"{HERE}:Shift").build("masking-method", "shift", {"step": 13})


def test_a_plugin_may_be_a_class_instance() -> None:
    class Methodical:
        @hookimpl
        def evosdc_masking_methods(self):
            yield method("inner")

    assert registry(a=Methodical()).names("masking-method") == ("inner",)
