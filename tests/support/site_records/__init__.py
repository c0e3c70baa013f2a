"""Records in the manner of sites, programs and people, with expected results."""

from __future__ import annotations

import pytest

from tests.support.site_records import mat_endings, mat_errors, mat_layouts, mat_results, positions, sgf

MAT_CASES = mat_endings.CASES | mat_layouts.CASES | mat_results.CASES | mat_errors.CASES | positions.CASES
SGF_CASES = sgf.CASES | positions.SGF_CASES
CASES = {f"mat: {name}": case for name, case in MAT_CASES.items()}
CASES |= {f"sgf: {name}": case for name, case in SGF_CASES.items()}
all_cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
