"""How Hypothesis works in all tests."""

from __future__ import annotations

from hypothesis import Phase, settings

# On a busy machine an example may take long for no fault of the code; a test that demands speed measures it.
settings.register_profile("tests", deadline=None)
# For `tests.tools.mutations`, which asks only whether a test fails.
settings.register_profile(
    "first failure",
    parent=settings.get_profile("tests"),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
settings.load_profile("tests")
