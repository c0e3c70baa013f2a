"""The hook `.githooks/commit-msg`, which checks commit messages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[1] / ".githooks" / "commit-msg"
BODY = "\n\nA body gives the reason.\n"
MESSAGES = {
    f"cube: refuse negative scores{BODY}": "",
    "Merge branch 'main'\n": "",
    f"cube: {'refuse ' * 10}{BODY}": "the subject has 76 characters; expected at most 72",
    f"Refuse negative scores{BODY}": 'the subject is not "area: verb ..."',
    f"cube: negative scores{BODY}": "'negative' is not a verb of the list",
    f"cube: refused scores{BODY}": "'refused' is not a verb of the list",
    "cube: refuse negative scores\n\n# Comments do not count.\n": "the message has no body",
}


@pytest.mark.skipif(sys.platform == "win32" or not HOOK.exists(), reason="needs bash and a source tree")
def test_the_hook_refuses_invalid_messages(tmp_path: Path) -> None:
    file = tmp_path / "message"
    for message, expected in MESSAGES.items():
        file.write_text(message, encoding="utf-8")
        process = subprocess.run([HOOK, file], capture_output=True, text=True, check=False)
        assert (expected in process.stderr, process.returncode) == (True, int(bool(expected))), message
