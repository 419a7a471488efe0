import pytest

from evosdc.executors.tasks import packed, resolve, run_chunk, run_packed, unpacked
from evosdc.model import Failure, Task

from .work import task


def test_outcomes_are_in_order_and_timed():
    outcomes = run_chunk(task("asleep", [0.02, 0.0], first=5))
    assert [(outcome.id, outcome.value) for outcome in outcomes] == [(5, 0.02), (6, 0.0)]
    assert outcomes[0].seconds >= 0.02
    assert outcomes[1].seconds > 0.0


def test_an_exception_is_a_value_that_shows_code_but_no_variables():
    good, bad, also_good = run_chunk(task("picky", [0, 1, 2]))
    assert good.ok
    assert also_good.ok
    assert (good.value, also_good.value) == (0, 20)
    assert not bad.ok
    assert bad.value.type == "ValueError"
    assert bad.value.message == "payload 1 after 5 letters"
    assert "in picky" in bad.value.traceback
    # The source line that raises is shown; the value of its variable is not.
    assert "secret_of_the_record" in bad.value.traceback
    assert "Smith" not in bad.value.traceback


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("no_such_module_anywhere:f", "ModuleNotFoundError"),
        ("os:no_such_function", "AttributeError"),
        ("os.path", "ValueError"),
        ("os:sep", "ValueError"),
    ],
)
def test_a_name_that_leads_nowhere_fails_every_item(name, kind):
    outcomes = run_chunk(Task(name, None, 0, ((1, None), (2, None))))
    assert [outcome.id for outcome in outcomes] == [1, 2]
    assert [outcome.value.type for outcome in outcomes] == [kind, kind]


def test_resolve_finds_attributes_of_attributes():
    assert resolve("pathlib:Path.cwd")() is not None


def test_an_exception_without_a_message_that_can_be_made():
    (outcome,) = run_chunk(Task(f"{__name__}:raise_mute", None, 0, ((1, None),)))
    assert outcome.value.type == "MuteError"


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def raise_mute(shared, seed, payload):
    raise MuteError


def test_the_time_limit_cannot_be_swallowed_and_spares_the_next_item():
    late, good = run_chunk(task("busy", [30.0, 0.01]), time_limit=0.5)
    assert late.value == Failure("TimeLimit", "the evaluation took longer than 0.5 s")
    assert 0.5 <= late.seconds < 30.0
    assert good.value == 0.01


def test_what_ends_late_fails_though_it_never_looked_at_the_clock():
    late, good = run_chunk(task("asleep", [0.6, 0.0]), time_limit=0.5)
    assert late.value.type == "TimeLimit"
    assert good.value == 0.0


@pytest.mark.parametrize(("payload", "kind"), [("sys-exit", SystemExit), ("interrupt", KeyboardInterrupt)])
def test_wishes_of_the_user_pass_through_unless_contained(payload, kind):
    with pytest.raises(kind):
        run_chunk(task("leave", [payload]))
    (outcome,) = run_chunk(task("leave", [payload]), contain=True)
    assert outcome.value.type == kind.__name__


def through(given):
    parcel = packed(given)
    assert isinstance(parcel, bytes)
    return unpacked(given, run_packed(parcel))


def test_a_result_that_cannot_be_sent_fails_alone():
    outcomes = through(task("odd", ["a", "unpicklable", "none"]))
    assert [outcomes[0].value, outcomes[2].value] == ["a", None]
    assert "cannot be sent back" in outcomes[1].value.message


def test_a_result_that_cannot_be_read_fails_its_chunk():
    outcomes = through(task("odd", ["a", "unreadable"]))
    assert [outcome.value.type for outcome in outcomes] == ["RuntimeError", "RuntimeError"]


def test_a_task_that_cannot_be_sent_or_read_is_a_failure():
    refused = packed(task("echo", [lambda: None]))
    assert isinstance(refused, Failure)
    assert "cannot be sent" in refused.message
    given = task("echo", [1, 2])
    outcomes = unpacked(given, run_packed(b"nonsense"))
    assert [outcome.value.type for outcome in outcomes] == ["UnpicklingError", "UnpicklingError"]
