"""Files from which work goes on: the same job and nothing else."""

from __future__ import annotations

import pytest

from bgfast import BgfastError
from bgfast.common.resumable import check_same_job


@pytest.mark.parametrize("found", [1.0, True, "1", [1], {"1": 1}, None])
def test_values_of_another_kind_are_another_job(found: object) -> None:
    check_same_job("file", "count", {"depth": 1}, {"depth": 1})
    with pytest.raises(BgfastError, match=r"file is that of another count: its depth is .*, here it is 1"):
        check_same_job("file", "count", {"depth": found}, {"depth": 1})


def test_a_job_is_the_same_after_it_was_in_a_file() -> None:
    check_same_job("file", "count", {"board": [1, 2], "rules": {"b": 1, "a": 2}, "more": None},
                   {"board": (1, 2), "rules": {"a": 2, "b": 1}})  # fmt: skip
