"""Training of networks: settings and training runs."""

from typing import TYPE_CHECKING

from bgfast.common import lazy_names
from bgfast.learning.training_run import Training
from bgfast.learning.training_settings import Settings

__all__ = ["Settings", "Training"]

if not TYPE_CHECKING:
    __getattr__, _ = lazy_names(__name__, {})
