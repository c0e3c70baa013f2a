"""Training of networks: settings and training runs."""

from typing import TYPE_CHECKING

from bgfast.common.foreign_names import missing_in
from bgfast.learning.training_run import Training
from bgfast.learning.training_settings import Settings

__all__ = ["Settings", "Training"]

if not TYPE_CHECKING:
    __getattr__ = missing_in(__name__)
