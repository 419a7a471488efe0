"""Shared by all tests."""

from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# A distribution of its own, with tests that run only where it is installed: see test_stranger.py.
collect_ignore = ["stranger"]

# Kernels compile at their first call, so no single example has a deadline.
hypothesis_settings.register_profile(
    "evosdc", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
hypothesis_settings.load_profile("evosdc")
