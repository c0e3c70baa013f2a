"""How to break the reading of binary files on purpose: the part of `tests.tools.mutations` about them."""

from __future__ import annotations

__all__ = ["BINARY_RECORD_MUTATIONS", "BINARY_RECORD_TESTS"]

_XG = "bgfast/records/formats/xg.py"
_ARCHIVE = "bgfast/records/formats/xg_archive.py"
_ENDPOINTS = "bgfast/records/formats/endpoints.py"
_BINARY = "bgfast/records/formats/binary_files.py"
_GVFORMAT = "bgfast/records/formats/gvformat_files.py"
_CHILD = "bgfast/records/formats/gvformat_child.py"

_XG_TESTS = ["tests/records/formats/test_xg.py"]
_GVFORMAT_TESTS = ["tests/records/formats/test_gvformat_files.py"]

BINARY_RECORD_TESTS = dict.fromkeys((_XG, _ARCHIVE, _ENDPOINTS, _BINARY), _XG_TESTS)
BINARY_RECORD_TESTS |= dict.fromkeys((_GVFORMAT, _CHILD), _GVFORMAT_TESTS)

# name, what stands there, what comes in its place, source
BINARY_RECORD_MUTATIONS = [
    ("xg: boards are from the side of player 0", "        if player == 1:\n", "        if False:\n", _XG),
    ("xg: a beaver is a take", "if answer == 2:", "if answer == 3:", _XG),
    ("xg: automatic doubles do not turn the cube", "(abs(cube) + self.automatic_doubles)", "abs(cube)", _XG),
    ("xg: moves stand before the board", "if board_after(before, moves) != after:", "if False:", _XG),
    ("xg: equities before a roll of another player", "and self.cube[0] == player else", "else", _XG),
    ("xg: candidate plays are those that were made", "== after), None)", "!= after), None)", _XG),
    (
        "xg: probabilities in the order of the file",
        "win, win_gammon, win_backgammon, lose_gammon",
        "win, win_backgammon, win_gammon, lose_gammon",
        _XG,
    ),
    ("xg: plies are counted from 0", 'f"{code + 1}-ply"', 'f"{code}-ply"', _XG),
    ("xg: luck that is missing", "luck > _NOT_ANALYSED and", "", _XG),
    ("xg: resignations have no level", "value=level if 1 <= level <= 3 else 0", "value=0", _XG),
    ("xg: settlements are resignations", "if _RESIGNED <= how < _SETTLED:", "if _RESIGNED <= how:", _XG),
    ("xg: names of old versions", "if self._int(552) >= _UNICODE_SINCE:", "if True:", _XG),
    ("xg: games of any length", "if number + 2 - self.game.place.line > _MAX_GAME:", "if False:", _XG),
    (
        "xg: positions of their own are played from",
        "self.record, 21)) != start:",
        "self.record, 21)) == 0:",
        _XG,
    ),
    ("xg: files that are cut off", "if self.members.truncated or", "if", _XG),
    ("archives: expand without end", "if len(expanded) > limit:", "if False:", _ARCHIVE),
    ("archives: members that are cut off", "        if truncated:\n", "        if False:\n", _ARCHIVE),
    ("archives: groups of RTF are text", "        if hidden_depth:\n", "        if False:\n", _ARCHIVE),
    ("endpoints: nothing is hit", "if after[end + 1] == -1:", "if False:", _ENDPOINTS),
    (
        "endpoints: moves forwards only",
        "(starts if change < 0 else ends)",
        "(ends if change < 0 else starts)",
        _ENDPOINTS,
    ),
    ("binary: files of any size", "if len(content) > MAX_FILE:", "if False:", _BINARY),
    ("binary: any JSON is BGBlitz's", '"format"\\s*:\\s*"BGF"\'', '"format"\'', _BINARY),
    ("gvformat: players in the order of names", '0 if document.get("swapped") else 1', "1", _GVFORMAT),
    ("gvformat: a take behind a beaver turns the cube", "1 if self.is_beavered else 2", "2", _GVFORMAT),
    (
        "gvformat: games that are not over are won",
        "if winner in (0, 1) and points",
        "if winner in (0, 1)",
        _GVFORMAT,
    ),
    (
        "gvformat: boards are from the side of player 0",
        "before = self.board if player == 0 else _flipped(self.board)",
        "before = self.board",
        _GVFORMAT,
    ),
    (
        "gvformat: wrong documents end in foreign errors",
        "(KeyError, TypeError, ValueError,",
        "(ValueError,",
        _GVFORMAT,
    ),
    ("gvformat: white's points count down", "point = 25 - start if", "point = start if", _GVFORMAT),
    ("gvformat: the process is waited for without end", "timeout=TIMEOUT_SECONDS", "timeout=None", _GVFORMAT),
    ("gvformat: no limit of memory or time", "    limit_resources()\n", "", _CHILD),
    (
        "gvformat: a bomb is expanded",
        "stream.decompress(packed, MAX_EXPANDED + 1)",
        "stream.decompress(packed)",
        _CHILD,
    ),
    ("gvformat: documents of any size", "if len(answer) > MAX_OUTPUT:", "if False:", _CHILD),
    ("gvformat: compressed data that is cut off", "if not stream.eof:", "if False:", _CHILD),
]
