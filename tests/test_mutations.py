"""The list of mutations: what CI tries a part of each time has to fit the code all of the time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.tools.mutations.catalogue import MUTATIONS

ROOT = Path(__file__).parents[1]
SOURCES = pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="the sources are not part of a wheel")


@SOURCES
def test_what_a_mutation_changes_stands_in_its_source() -> None:
    gone = [m.name for m in MUTATIONS if m.old not in (ROOT / m.source).read_text(encoding="utf-8")]
    assert not gone


def test_a_mutation_changes_something() -> None:
    assert not [m.name for m in MUTATIONS if m.old == m.new]


def test_who_is_to_notice_is_there() -> None:
    assert not [(m.name, path) for m in MUTATIONS for path in m.tests if not (ROOT / path).exists()]


def test_names_are_names() -> None:
    assert not [name for name, count in Counter(m.name for m in MUTATIONS).items() if count > 1]
