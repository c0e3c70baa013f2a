"""Training of networks: settings and training runs."""

from bgfast.learning.training_run import Training
from bgfast.learning.training_settings import Settings

__all__ = ["Settings", "Training"]
