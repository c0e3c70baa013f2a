"""How to break recorded matches on purpose: the part of `tests.tools.mutations` that is about records."""

from __future__ import annotations

__all__ = ["RECORD_MUTATIONS", "RECORD_TESTS"]

_MAT = "bgfast/records/mat.py"
_SGF = "bgfast/records/sgf.py"
_REPLAY = "bgfast/records/replay.py"
_FILES = "bgfast/records/match_files.py"
_CHECK = "bgfast/cli/check.py"
_CONVERT = "bgfast/cli/convert.py"
_SHOW = "bgfast/cli/show.py"
_PLAIN = "bgfast/records/_mat.pyx"
_TURNS = "bgfast/games/_turns.pyx"
_FOLLOWED = "bgfast/games/turns.py"
_HISTORY = "bgfast/games/history.py"
_FIBS = "bgfast/position/text/fibs_board.py"
_TESTS = [
    "tests/cli/test_check.py",
    "tests/records/test_match_files.py",
    "tests/records/test_mat.py",
    "tests/records/test_replay.py",
    "tests/records/test_sgf.py",
]

RECORD_TESTS = dict.fromkeys(
    (_MAT, _SGF, _REPLAY, _FILES, _CHECK, _CONVERT, _SHOW, _PLAIN, _TURNS, _FOLLOWED), _TESTS
) | {_FIBS: ["tests/position/text/test_fibs_board.py"]}

# name, what stands there, what comes in its place, source
RECORD_MUTATIONS = [
    (
        "records: the right cell is the left player's",
        "return int(5 * (cell.start() + 1) > 3 * self.right)",
        "return 0",
        _MAT,
    ),
    (
        "records: a pass behind a roll is a drop",
        "if not (passes and behind",
        "if not (False and behind",
        _MAT,
    ),
    ("records: a limit that is none", "if limit < 0 or limit & (limit - 1):", "if limit < 0:", _MAT),
    ("records: a win stands below the drop", "if event.player and cells[0] is not None", "if False", _MAT),
    ("records: a comment is played", "self.value is not None or self.skipped", "self.skipped", _SGF),
    (
        "records: plain turns of branches are played",
        "or self.skipped or not self.branches",
        "or not self.branches",
        _SGF,
    ),
    ("records: SGF has any dates", "told = replace(info, date=dated(info.date))", "told = info", _SGF),
    (
        "records: .mat has the dates of SGF",
        'dated(info.date, between=".")',
        "dated(info.date)",
        _MAT,
    ),
    (
        "records: a date is another in each format",
        'dated(text) if name == "date" else text',
        "text",
        "bgfast/records/record.py",
        "tests/records/test_match_files.py",
    ),
    ("records: plain turns begin at their semicolon", "Place(number, 4)", "Place(number, 1)", _SGF),
    (
        "records: a plain turn ends its node",
        "self.name, text = found.groups()",
        'self.name, text = "", found[2]',
        _SGF,
    ),
    (
        "records: a followed turn is told from the other side",
        "np.frombuffer(board, np.int8), state.position.checkers))\n",
        "np.frombuffer(board, np.int8), state.position.checkers).flip())\n",
        _FOLLOWED,
    ),
    ("records: names are comments, or heads", "not self.named and (names", "False and (names", _MAT),
    (
        "records: comments are written as they are",
        "map(clean, event.text.splitlines())",
        "event.text.splitlines()",
        _SGF,
    ),
    (
        "records: tags with nothing",
        "for name, value in tags if _value(value)]",
        "for name, value in tags if value]",
        _MAT,
    ),
    (
        "records: properties with nothing",
        "for name, text in texts if clean(text))",
        "for name, text in texts if text)",
        _SGF,
    ),
    (
        "records: comments with nothing",
        'event.kind != "comment" or _comment(event)]',
        'event.kind != "x"]',
        _SGF,
    ),
    ("records: B counts as W", "(point if player == 0 else 25 - point)", "point", _SGF),
    ("records: branches are played", "elif self.skipped or self.branches[-1]:", "elif False:", _SGF),
    (
        "records: a position that is set up is skipped",
        "for name in _SETUP.intersection(node):",
        "for name in ():",
        _SGF,
    ),
    ("records: an illegal play is not marked", "{'KO[]' if event.flagged else ''}", "", _SGF),
    (
        "records: a wrong score is none",
        "if game.score is not None and game.score != match.score:",
        "if False:",
        _REPLAY,
    ),
    (
        "records: wrong points are none",
        "elif event.value and event.value != result.points:",
        "elif False:",
        _REPLAY,
    ),
    (
        "records: a wrong winner is none",
        "elif winner is not None and winner != result.winner:",
        "elif False:",
        _REPLAY,
    ),
    ("records: the cube shows anything", "if event.value and event.value != expected:", "if False:", _REPLAY),
    ("records: who is not on turn rolls", "event.player != on_turn:", "False:", _REPLAY),
    (
        "records: the games before are lost",
        "kept = match if match._number_done() else None",
        "kept = None",
        _REPLAY,
    ),
    ("records: nothing is left of a first game", "if number > 1:  # of", "if True:  # of", _REPLAY),
    (
        "records: nothing is left of SGF that was cut",
        "if reader.branches and reader.nodes:",
        "if False:",
        _SGF,
    ),
    ("records: SGF that was cut has its result", 'reader.nodes[0].pop("RE", None)', "pass", _SGF),
    (
        "records: a dead cube is wrong",
        'WARNINGS = ("dead cube", "skipped")',
        'WARNINGS = ("skipped",)',
        _REPLAY,
    ),
    (
        "records: what is not checked is wrong",
        'WARNINGS = ("dead cube", "skipped")',
        'WARNINGS = ("dead cube",)',
        _REPLAY,
    ),
    ("records: what is not checked is not said", "            self.tell_skipped()\n", "", _REPLAY),
    (
        "records: a roll is no take of a beaver",
        'in ("beavered", "raccooned") and event',
        'in ("raccooned",) and event',
        _REPLAY,
    ),
    ("records: tabs have the width of a letter", "(TAB - len(columns) % TAB if letter", "(1 if letter", _MAT),
    (
        "records: a plain cell of the right is of the left",
        "<int> (5 * (cell.at + 1) > 3 * right)",
        "0",
        _PLAIN,
    ),
    (
        "records: plain columns begin with 0",
        "_tuple(Place, (number, cell.at + 1))",
        "_tuple(Place, (number, cell.at))",
        _PLAIN,
    ),
    ("records: a plain win ends no match", "            cell.match,\n", "            False,\n", _PLAIN),
    (
        "records: a checker on the way is not asked for",
        "if stop > 0 and board.point[stop] == -1:",
        "if False:",
        _TURNS,
    ),
    (
        "records: nine pips and one for 6-4",
        "        if not (\n            (made_with",
        "        if False and not (\n            (made_with",
        _TURNS,
    ),
    (
        "records: three pips for a double of twos",
        "if hops.end[i] and (here - hops.end[i]) % die:",
        "if False:",
        _TURNS,
    ),
    ("records: turns of whom it is not", "if whose != player or", "if", _TURNS),
    (
        "records: a pass though there are plays",
        "if generate(NULL, board, die1, die2, rows, NULL, False):\n        return False",
        "if False:\n        return False",
        _TURNS,
    ),
    ("records: any rules are followed", "generated_switches(state.rules) is not None", "False", _FOLLOWED),
    (
        "records: own dice are passed over",
        "if self._source is not None:\n            return 0",
        "if False:\n            return 0",
        _HISTORY,
    ),
    (
        "records: what is undone is a whole run",
        "            last, state = self._done()[-1]\n",
        "            pass\n",
        _HISTORY,
    ),
    ("records: turns count as one action", "what.actions if isinstance(what, Turns) else 1", "1", _HISTORY),
    (
        "records: another state stands at the end",
        "after if number == len(what.turns) else state",
        "state",
        _HISTORY,
    ),
    (
        "records: the first file that cannot be read ends it",
        "content, status = {",
        "raise\n            content, status = {",
        _CHECK,
    ),
    ("records: show hides what is wrong", "for wrong in found:", "for wrong in ():", _SHOW),
    (
        "records: a picture may replace its match",
        "check_target(arguments.svg, arguments.words)",
        "pass",
        _SHOW,
        "tests/cli/test_show.py",
    ),
    ("records: show blames a game for those before", "            found.clear()\n", "", _SHOW),
    ("records: what comes in a pipe is closed", "closefd=isinstance(file, str)", "closefd=True", _FILES),
    (
        "records: errors of the output are the file's",
        "    except RecordError as error:\n        where",
        "    except OSError as error:\n        raise BgfastError(str(error)) from None\n"
        "    except RecordError as error:\n        where",
        _FILES,
    ),
    (
        "records: half a match is written unasked",
        "if error.match is None or not arguments.partial:",
        "if error.match is None:",
        _CONVERT,
    ),
    ("records: half a match is all right", "match, status = error.match, 1", "match = error.match", _CONVERT),
    (
        "records: an illegal play without a text is a pass",
        "elif event.flagged:  #",
        "elif False:  #",
        _REPLAY,
    ),
    ("records: an illegal play without a text is not marked", 'else "Illegal play"', "else play", _MAT),
    ("records: a file is replaced unasked", "if not force and os.path.lexists(name):", "if False:", _FILES),
    ("records: Latin-1 is refused", 'return line.decode("latin-1")', "raise", _FILES),
    ("records: FIBS shows all boards from one side", "if direction == 1:", "if False:", _FIBS),
    ("records: FIBS has no Crawford game", "not money and not may", "False and not may", _FIBS),
    ("records: FIBS has a Crawford game at 4-4", "min(own_score, score) < max", "max", _FIBS),
]
