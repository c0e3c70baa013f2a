"""Files from which work goes on: the same job and nothing else, up to a damaged end."""

from __future__ import annotations

import pytest

from bgfast import BgfastError
from bgfast.common.resumable import check_same_job, sound_beginning

GOOD = b'{"a":1}'


@pytest.mark.parametrize("found", [1.0, True, "1", [1], {"1": 1}, None])
def test_values_of_another_kind_are_another_job(found: object) -> None:
    check_same_job("file", "count", {"depth": 1}, {"depth": 1})
    with pytest.raises(BgfastError, match=r"file is that of another count: its depth is .*, here it is 1"):
        check_same_job("file", "count", {"depth": found}, {"depth": 1})


def test_a_job_is_the_same_after_it_was_in_a_file() -> None:
    check_same_job("file", "count", {"board": [1, 2], "rules": {"b": 1, "a": 2}, "more": None},
                   {"board": (1, 2), "rules": {"a": 2, "b": 1}})  # fmt: skip


@pytest.mark.parametrize(
    "bad",
    [
        b'{"a":',
        b"",
        b"[]",
        b"1",
        b'"a"',
        b"\0\0\0",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":1}{"a":1}',
        b"9" * 5000,
    ],
)
def test_a_damaged_end_does_not_count_and_a_damaged_middle_is_told(bad: bytes) -> None:
    assert sound_beginning("file", [GOOD, GOOD, bad]) == [{"a": 1}] * 2
    assert sound_beginning("file", [GOOD, bad, bad]) == [{"a": 1}]
    assert sound_beginning("file", [bad]) == []
    with pytest.raises(BgfastError, match=r"file, line 2: b.* is damaged, and line 4 is not; left as it is"):
        sound_beginning("file", [GOOD, bad, bad, GOOD])
    with pytest.raises(BgfastError, match=r"file, line 4: b.* is damaged, and line 5 is not"):
        sound_beginning("file", [bad, GOOD], first=4)


def test_nothing_damaged() -> None:
    assert sound_beginning("file", [GOOD] * 3) == [{"a": 1}] * 3
    assert sound_beginning("file", []) == []
