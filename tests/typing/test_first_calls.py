"""mypy accepts the calls in `tests/data/first_calls.txt` that work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_first_calls import CALLS, ERROR

CONFIGURATION = Path(__file__).parents[2] / "pyproject.toml"
IMPORTS = (
    "import numpy as np\nimport bgfast\nfrom bgfast import *\nfrom bgfast import cube, evaluators, training"
)


@pytest.mark.slow
def test_mypy_accepts_calls_that_work(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api")
    lines = [line.partition("  -> ") for line in CALLS.read_text("utf-8").splitlines() if line[:1] != "#"]
    calls = [call for call, _, expected in lines if not ERROR.match(expected)]
    path = tmp_path / "calls.py"
    path.write_text("\n".join([IMPORTS, *calls, "analyse(3)"]), "utf-8")  # the last call is invalid
    report, failure, _ = api.run(["--config-file", str(CONFIGURATION), "--hide-error-context", str(path)])
    errors = [line for line in report.splitlines() if ": error: " in line]
    assert failure == ""
    assert ["No overload variant" in line for line in errors] == [True], report
