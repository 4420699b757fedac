"""Settings of the whole suite."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Hundreds of processes start; without bytecode each compiles all that it imports. Where none may stand beside the
# sources, it stands among what is built.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / "build" / "bytecode")

# What a helper asserts is told as what a test asserts. Not so the product: it has a plug-in of pytest, for which pytest
# would rewrite all of its modules, seconds in each process that starts.
pytest.register_assert_rewrite("tests.support")
for finder in sys.meta_path:
    getattr(finder, "_must_rewrite", set()).discard("validator")

# No deadline: a shared machine is slow at times. Derandomized: a run says the same as the one before it.
# HYPOTHESIS_PROFILE=deep is what .ci/run looks at as well; "search" looks further, and elsewhere each time.
settings.register_profile(
    "suite", deadline=None, max_examples=25, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", settings.get_profile("suite"), max_examples=50)
settings.register_profile("search", settings.get_profile("suite"), max_examples=5000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def pytest_configure(config: pytest.Config) -> None:
    """Look as far as ``-m deep`` means, where no profile is asked for, and hear Ctrl-C.

    What a script starts in the background ignores Ctrl-C, and so would all that the tests start.
    """
    if config.option.markexpr == "deep" and "HYPOTHESIS_PROFILE" not in os.environ:
        settings.load_profile("deep")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Start no processes for one file or one test; each would import and collect as much as this one.

    Else one more than there are processors: many tests wait, for processes of their own, clocks and answers.
    """
    return 0 if len(config.args) == 1 and ".py" in config.args[0] else (os.cpu_count() or 1) + 1
