"""Records in the manner of sites, programs and people, with expected results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tests.support.site_records import mat_endings, mat_errors, mat_layouts, mat_results, positions, sgf

MAT_CASES = mat_endings.CASES | mat_layouts.CASES | mat_results.CASES | mat_errors.CASES | positions.CASES
SGF_CASES = sgf.CASES | positions.SGF_CASES
CASES = {f"mat: {name}": case for name, case in MAT_CASES.items()}
CASES |= {f"sgf: {name}": case for name, case in SGF_CASES.items()}


def all_cases(check: Callable[..., None]) -> Callable[..., None]:
    """Return a test that runs a check on every case; a failure notes the name of the case."""

    @functools.wraps(check)
    def test(**fixtures: Any) -> None:
        for name, case in CASES.items():
            try:
                check(case=case, **fixtures)
            except BaseException as error:
                error.add_note(f"case {name!r}")
                raise

    signature = inspect.signature(check)
    fixtures = [item for name, item in signature.parameters.items() if name != "case"]
    test.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
    return test
