"""Mutations of one position and one turn."""

from __future__ import annotations

_PLAYS = "bgfast/position/plays.pxi"

TESTS = {
    _PLAYS: [
        "tests/position/test_objects.py",
        "tests/position/test_play_lists.py",
        "tests/position/test_whole_turns.py",
    ],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "compare lists without their rules",
        "            and self._switches == that._switches\n",
        "",
        _PLAYS,
    ),
    (
        "an index beyond the plays is a plain IndexError",
        "        except IndexError:\n",
        "        except KeyError:\n",
        _PLAYS,
    ),
    (
        "anything is compared with plays",
        "        elif isinstance(play, Play):\n            for i",
        "        elif True:\n            for i",
        _PLAYS,
    ),
    (
        "the first play alone decides how many dice are used",
        "for row in range(len(self))), default=0",
        "for row in range(min(1, len(self)))), default=0",
        _PLAYS,
    ),
    (
        "a play has no marks of hits",
        "self._list._position.board.point[0] - after[0]",
        "0",
        _PLAYS,
    ),
    (
        "an illegal text is among the plays",
        "                return False\n",
        "                return True\n",
        _PLAYS,
    ),
]
