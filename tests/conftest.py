"""What holds for all tests."""

from hypothesis import settings

# How long an example takes says something about the machine, and nothing about the code.
settings.register_profile("bgfast", deadline=None)
settings.load_profile("bgfast")
