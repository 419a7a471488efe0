import pytest

from evosdc.engine.stop import Progress, Stop


@pytest.mark.parametrize(
    ("stop", "progress", "word"),
    [
        (Stop(generations=5), Progress(generation=5), "5 generations"),
        (Stop(evaluations=100), Progress(evaluations=101), "100 evaluations"),
        (Stop(seconds=2.5), Progress(seconds=2.6), "2.5 seconds"),
        (Stop(stalled=3), Progress(stalled=3), "3 generations without improvement"),
        (Stop(target=20.0), Progress(best=20.0), "target 20 reached"),
        (Stop(tolerance=0.1, settled=4), Progress(settled=4), "hypervolume within 0.1 for 4 generations"),
        (Stop(diversity=1.5), Progress(diversity=1.4), "diversity below 1.5"),
    ],
)
def test_each_limit_ends_the_search(stop, progress, word):
    assert stop.reason(progress) == word
    assert stop.reason(Progress()) is None


def test_no_limit_never_ends():
    assert Stop().reason(Progress(10**9, 10**12, 1e9, 10**9, -1.0, 0.0)) is None


def test_a_front_settles_when_many_small_steps_come_to_little():
    stop, progress, told = Stop(tolerance=1.0, settled=3), Progress(), []
    for volume in (None, 50.0, 50.6, 51.2, 51.9, 52.0, 52.1, 52.2, 52.2):
        progress = Progress(0, 0, 0.0, 0, 0.0, None, 0, *stop.followed(progress, volume))
        told.append((progress.volume, progress.settled, stop.reason(progress) is not None))
    assert told == [
        (None, 0, False), (50.0, 0, False), (50.0, 1, False), (51.2, 0, False), (51.2, 1, False), (51.2, 2, False),
        (51.2, 3, True), (51.2, 4, True), (51.2, 5, True),
    ]  # fmt: skip
    assert Stop().followed(Progress(), 50.0) == (None, 0)
