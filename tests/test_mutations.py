"""Catalogue of mutations: it fits the code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.tools.mutations.catalogue import MUTATIONS

ROOT = Path(__file__).parents[1]
SOURCES = pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="the sources are not part of a wheel")


@SOURCES
def test_mutated_texts_are_in_the_sources() -> None:
    gone = [m.name for m in MUTATIONS if m.old not in (ROOT / m.source).read_text(encoding="utf-8")]
    assert not gone


def test_mutations_change_the_text() -> None:
    assert not [m.name for m in MUTATIONS if m.old == m.new]


def test_tests_of_mutations_exist() -> None:
    assert not [(m.name, path) for m in MUTATIONS for path in m.tests if not (ROOT / path).exists()]


def test_names_of_mutations() -> None:
    assert not [name for name, count in Counter(m.name for m in MUTATIONS).items() if count > 1]
