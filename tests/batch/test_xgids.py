"""Batch reading of XGIDs, compared with `Decision.read`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Decision, InvalidPositionError, NotationError, from_xgids
from tests.support.position_texts import xg_text

START = "-b----E-C---eE---c-e----B-"
TEXTS = [
    f"XGID={START}:0:0:1:00:0:0:0:0:10",
    f"{START}:1:-1:-1:31:2:3:0:7:10",
    f"XGID={START}:2:1:1:D:4:6:0:7:8",
    f"XGID={START}:0:0:-1:66:6:2:1:7:10",
    f"XGID={START}:1:-1:1:B:0:0:3:0:15",
    f"XGID={START}:1:-1:1:R:12:5:1:0:6",
    "XGID=-a----E-C---eE---c-e----AA:0:0:1:52:0:0:2:0:10",
]


def test_rows_equal_single_decisions() -> None:
    decisions = from_xgids(TEXTS)
    for row, text in enumerate(TEXTS):
        decision = Decision.read(text)
        assert decisions.boards[row].tolist() == decision.position.to_array().tolist()
        assert tuple(decisions.dice[row]) == (decision.dice or (0, 0))
        assert decisions.offer[row] == (decision.offer or "")
        assert tuple(decisions.score[row]) == decision.score
        for name in "turn cube cube_owner match_length crawford jacoby beaver max_cube".split():
            assert getattr(decisions, name)[row] == getattr(decision, name), (row, name)
    types = "int8 int8 int8 <U7 int32 int8 int32 int32 bool bool bool int32".split()
    assert [np.dtype(array.dtype) for array in decisions] == [np.dtype(name) for name in types]


def test_tuples_arrays_iterators_and_files_are_accepted(tmp_path: Path) -> None:
    expected = from_xgids(TEXTS)
    (tmp_path / "xgids.txt").write_text("\n".join(TEXTS) + "\n")
    with open(tmp_path / "xgids.txt") as file:
        containers: list[Any] = [tuple(TEXTS), np.array(TEXTS), iter(TEXTS), file]
        for container in containers:
            assert all(np.array_equal(a, b) for a, b in zip(from_xgids(container), expected, strict=True))


def test_empty_input() -> None:
    decisions = from_xgids([])
    assert decisions.boards.shape == (0, 26)
    assert decisions.dice.shape == decisions.score.shape == (0, 2)
    assert bgfast.flip(decisions.boards).shape == (0, 26)


def test_surrounding_text_is_ignored(tmp_path: Path) -> None:
    expected = from_xgids(TEXTS)
    texts = [
        TEXTS[0],
        f'"{TEXTS[1]}",',
        f"see {TEXTS[2]} and so on",
        TEXTS[3].replace("=", " = "),
        xg_text(Decision.read(TEXTS[4])),
        f"<a href='?id={TEXTS[5].replace(':', '%3A')}'>",
        TEXTS[6],
    ]
    assert all(np.array_equal(a, b) for a, b in zip(from_xgids(texts), expected, strict=True))
    texts[2] = f"see: {TEXTS[2]} and so on"  # directly after a word, the ID would be ignored
    (tmp_path / "xgids.txt").write_text("\n\nbetween\n".join(texts), "utf-8")
    with open(tmp_path / "xgids.txt", encoding="utf-8") as file:
        assert all(np.array_equal(a, b) for a, b in zip(from_xgids(file), expected, strict=True))


def test_invalid_lines_of_files_are_refused(tmp_path: Path) -> None:
    for content, error, message in (
        (f"from here\n{TEXTS[0].replace(':00:', ':70:')}", NotationError, "line 2: field 5"),
        (f"from here\n{TEXTS[0].replace('b----E', 'b----P')}", InvalidPositionError, "line 2: X has"),
        ("from here\non", NotationError, "row 0: an XGID of 1 fields"),
    ):
        (tmp_path / "xgids.txt").write_text(content)
        with open(tmp_path / "xgids.txt") as file, pytest.raises(error, match=message):
            from_xgids(file)
