"""Entry point of ``python -m bgfast``."""

import sys

from bgfast.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
