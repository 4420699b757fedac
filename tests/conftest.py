"""Settings of the whole suite."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# What a helper asserts is told as what a test asserts.
pytest.register_assert_rewrite("tests.support")

# No deadline: a shared machine is slow at times. Derandomized: a run says the same as the one before it.
# HYPOTHESIS_PROFILE=search looks further.
settings.register_profile(
    "suite", deadline=None, max_examples=100, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
