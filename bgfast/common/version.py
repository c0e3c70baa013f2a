"""The version of bgfast, in one place: the build and the package read it here."""

__all__ = ["__version__"]

__version__ = "0.1.0"
