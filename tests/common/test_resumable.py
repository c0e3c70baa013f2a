"""Identity of jobs in resumable files."""

from __future__ import annotations

import pytest

from bgfast import BgfastError
from bgfast.common.resumable import check_same_job


@pytest.mark.parametrize("stored", [1.0, True, "1", [1], {"1": 1}, None])
def test_types_distinguish_jobs(stored: object) -> None:
    check_same_job("file", "count", {"depth": 1}, {"depth": 1})
    with pytest.raises(BgfastError, match=r"file is that of another count: its depth is .*, here it is 1"):
        check_same_job("file", "count", {"depth": stored}, {"depth": 1})


def test_jobs_survive_a_file() -> None:
    check_same_job("file", "count", {"board": [1, 2], "rules": {"b": 1, "a": 2}, "more": None},
                   {"board": (1, 2), "rules": {"a": 2, "b": 1}})  # fmt: skip
