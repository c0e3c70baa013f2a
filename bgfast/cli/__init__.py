"""The command ``bgfast``: one file a command."""
