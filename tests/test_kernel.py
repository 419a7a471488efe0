"""Compilation works where nothing can be kept on disk."""

import numba
from numba.core import caching

from evosdc.kernel import kernel


def twice(number):
    return 2 * number


def test_compiled_functions_are_kept_on_disk():
    compiled = kernel(twice)
    assert isinstance(compiled, numba.core.dispatcher.Dispatcher)
    assert compiled(21) == 42
    assert compiled.stats.cache_path is not None


def test_no_place_for_the_cache_is_no_obstacle(monkeypatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    compiled = kernel(twice)
    assert compiled(21) == 42
    assert compiled.stats.cache_path is None
