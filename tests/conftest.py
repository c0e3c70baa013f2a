"""How Hypothesis works in all tests, and where databases are kept: not in the cache of whoever runs them."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

from hypothesis import Phase, settings

if "BGFAST_CACHE" not in os.environ:  # the processes that tests start share it
    os.environ["BGFAST_CACHE"] = tempfile.mkdtemp(prefix="bgfast-cache-")
    atexit.register(shutil.rmtree, os.environ["BGFAST_CACHE"], ignore_errors=True)

# On a busy machine an example may take long for no fault of the code; a test that demands speed measures it.
settings.register_profile("tests", deadline=None)
# For `tests.tools.mutations`, which asks only whether a test fails.
settings.register_profile(
    "first failure",
    parent=settings.get_profile("tests"),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
settings.load_profile("tests")
