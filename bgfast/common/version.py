"""Version of bgfast, read by the build and the package."""

__version__ = "0.1.0"
