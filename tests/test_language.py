"""Language of the package: no private phrases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.language import PRIVATE_PHRASES, ROOT, riddles

pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="beside a wheel there are no sources"
)


def test_the_package_has_no_riddles_and_private_phrases() -> None:
    assert [f"{path}:{line}: {text}" for path, line, text in riddles(ROOT / "bgfast")] == []


def test_riddles_are_found_in_every_kind_of_source(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text('"""A table."""\n\ndef f():\n    """Return what it holds."""\n')
    assert list(riddles(tmp_path)) == []
    (tmp_path / "a.pyx").write_text('cdef int f():\n    """Whether it is one."""\n    return 0\n')
    (tmp_path / "b.pxi").write_text("# The evaluator looks ahead.\n")
    (tmp_path / "c.py").write_text('class A:\n    r"""What it holds."""\n')
    places = [(path.name, line, text) for path, line, text in riddles(tmp_path)]
    assert places == [("a.pyx", 2, '"""Whether'), ("b.pxi", 1, "looks ahead"), ("c.py", 2, '"""What')]
    assert "at most" not in PRIVATE_PHRASES
