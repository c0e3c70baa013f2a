"""``python -m bgfast`` is the command ``bgfast``."""

import sys

from .cli import main

sys.exit(main())
