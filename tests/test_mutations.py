"""The catalogue of mutations matches the sources."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.tools import generated_mutations
from tests.tools.mutations.catalogue import MUTATIONS

ROOT = Path(__file__).parents[1]
WORD = re.compile(r"(?<![0-9A-Za-z_])[A-Za-z_][A-Za-z_0-9]*")
COMMENT = re.compile(r"#.*|/\*.*?\*/")
PYTHON_NAMES = {*keyword.kwlist, *dir(builtins)}
needs_sources = pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="a wheel has no sources")


@needs_sources
def test_mutated_texts_are_in_the_sources() -> None:
    missing = [m.name for m in MUTATIONS if m.old not in (ROOT / m.source).read_text(encoding="utf-8")]
    assert not missing


@needs_sources
def test_mutations_use_names_of_their_source() -> None:
    """A mutation with an outdated name would fail to compile, which proves nothing."""
    unknown_words = []
    for mutation in MUTATIONS:
        words = set(WORD.findall((ROOT / mutation.source).read_text(encoding="utf-8")))
        known_words = words | PYTHON_NAMES
        new_words = set(WORD.findall(COMMENT.sub("", mutation.new)))
        # The first and the last word of a mutation may be fragments.
        unknown_words += [
            (mutation.name, word)
            for word in new_words - known_words
            if not any(known_word.startswith(word) or known_word.endswith(word) for known_word in words)
        ]
    assert not unknown_words


def test_mutations_change_the_text() -> None:
    assert not [m.name for m in MUTATIONS if m.old == m.new]


def test_tests_of_mutations_exist() -> None:
    paths = {path for mutation in MUTATIONS for path in mutation.tests}
    for tests in generated_mutations.TESTS.values():
        paths.update(tests.split())
    assert not [path for path in sorted(paths) if not (ROOT / path).exists()]


@needs_sources
def test_modules_of_generated_mutations_exist() -> None:
    assert not [path for path in generated_mutations.TESTS if not (ROOT / path).exists()]


def test_names_of_mutations_are_unique() -> None:
    assert not [name for name, count in Counter(m.name for m in MUTATIONS).items() if count > 1]
