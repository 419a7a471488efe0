"""Packages that not every site has: tests that need them are skipped with the reason."""

from __future__ import annotations

import pytest


def require_dask() -> None:
    """Skip the test where Dask cannot be used."""
    for package in ("distributed", "cryptography"):
        pytest.importorskip(package, reason=f"the optional package {package} is not installed")
