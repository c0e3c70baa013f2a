"""The command ``bgfast``: one module per command."""
