"""Training of networks: settings and training runs."""

from bgfast.learning.training.settings import Settings
from bgfast.learning.training.training import Training

__all__ = ["Settings", "Training"]
