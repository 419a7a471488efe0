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
        (Stop(diversity=1.5), Progress(diversity=1.4), "diversity below 1.5"),
    ],
)
def test_each_limit_ends_the_search(stop, progress, word):
    assert stop.reason(progress) == word
    assert stop.reason(Progress()) is None


def test_no_limit_never_ends():
    assert Stop().reason(Progress(10**9, 10**12, 1e9, 10**9, -1.0, 0.0)) is None
