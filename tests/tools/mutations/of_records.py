"""How to break recorded matches on purpose: the part of `tests.tools.mutations` that is about records."""

from __future__ import annotations

__all__ = ["RECORD_MUTATIONS", "RECORD_TESTS"]

_MAT = "bgfast/records/formats/mat.py"
_MAT_WRITER = "bgfast/records/formats/mat_writer.py"
_SGF = "bgfast/records/formats/sgf.py"
_REPLAY = "bgfast/records/replay.py"
_GAME = "bgfast/records/game_replay.py"
_LOG = "bgfast/records/finding_log.py"
_EVENTS = "bgfast/records/match_events.py"
_FILES = "bgfast/records/match_files.py"
_CHECK = "bgfast/cli/check.py"
_SHOW = "bgfast/cli/show.py"
_PLAIN = "bgfast/records/formats/_mat.pyx"
_TURNS = "bgfast/games/_turns.pyx"
_FOLLOWED = "bgfast/games/turns.py"
_HISTORY = "bgfast/games/history.py"
_FIBS = "bgfast/position/text/fibs_board.py"
_TESTS = [
    "tests/cli/test_check.py",
    "tests/records/test_match_files.py",
    "tests/records/formats/test_mat.py",
    "tests/records/test_replay.py",
    "tests/records/formats/test_sgf.py",
]

RECORD_TESTS = dict.fromkeys(
    (
        _MAT,
        _MAT_WRITER,
        _SGF,
        _REPLAY,
        _GAME,
        _LOG,
        _EVENTS,
        _FILES,
        _CHECK,
        _SHOW,
        _PLAIN,
        _TURNS,
        _FOLLOWED,
    ),
    _TESTS,
) | {_FIBS: ["tests/position/text/test_fibs_board.py"]}

# name, what stands there, what comes in its place, source
RECORD_MUTATIONS = [
    (
        "records: the right cell is the left player's",
        "return int(5 * (match.start() + 1) > 3 * self.right_column)",
        "return 0",
        _MAT,
    ),
    ("records: a pass behind a roll is a drop", "gap) and _PLAYED.match(word[0])", "gap) and False", _MAT),
    (
        "records: behind a tab a lone cell is the left one",
        "None if tabs == 1 and not match",
        "0 if tabs < 2 and not match",
        _MAT,
    ),
    (
        "records: a loss on its own line is the left player's",
        'match["forfeit"]) and not is_numbered',
        'match["forfeit"]) and False',
        _MAT,
    ),
    (
        "records: a resignation behind a roll is the other player's",
        "is_loss and place and _is_behind_roll",
        "False and place and _is_behind_roll",
        _MAT,
    ),
    ("records: a second row number is nothing", "if place and (row := ", "if False and (row := ", _MAT),
    (
        "records: a long name moves the right cells",
        "min(max(column, MIN_RIGHT_COLUMN), RIGHT_COLUMN)",
        "max(column, MIN_RIGHT_COLUMN)",
        _MAT,
    ),
    (
        "records: a lost line is no finding",
        "self.notice_count += 1\n        event",
        "return\n        event",
        _MAT,
    ),
    ("records: any roll without a colon is a cell", 'gap[-2:] != "  ")', "False)", _MAT),
    ("records: a limit that is none", "if limit < 0 or limit & (limit - 1):", "if limit < 0:", _MAT),
    (
        "records: a win stands below the drop",
        "if event.player and cells[0] is not None",
        "if False",
        _MAT_WRITER,
    ),
    ("records: a comment is played", "self.value is not None or self.skipped", "self.skipped", _SGF),
    (
        "records: plain turns of branches are played",
        "or self.skipped or not self.branches",
        "or not self.branches",
        _SGF,
    ),
    ("records: SGF has any dates", "written = replace(info, date=dated(info.date))", "written = info", _SGF),
    (
        "records: .mat has the dates of SGF",
        'dated(info.date, between=".")',
        "dated(info.date)",
        _MAT_WRITER,
    ),
    (
        "records: a date is another in each format",
        'dated(text) if name == "date" else text',
        "text",
        "bgfast/records/formats/record.py",
        "tests/records/test_match_files.py",
    ),
    ("records: plain turns begin at their semicolon", "Place(number, 4)", "Place(number, 1)", _SGF),
    (
        "records: a plain turn ends its node",
        "self.name, text = plain.groups()",
        'self.name, text = "", plain[2]',
        _SGF,
    ),
    (
        "records: a followed turn is told from the other side",
        "np.frombuffer(board, np.int8), state.position.checkers))\n",
        "np.frombuffer(board, np.int8), state.position.checkers).flip())\n",
        _FOLLOWED,
    ),
    ("records: names are comments, or heads", "not self.has_names and (names", "False and (names", _MAT),
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
        _MAT_WRITER,
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
    ("records: the cube shows anything", "if event.value and event.value != expected:", "if False:", _GAME),
    (
        "records: who is not on turn rolls",
        "event.player is not None and event.player != on_turn:",
        "False:",
        _GAME,
    ),
    ("records: SGF that was cut has its result", 'self.nodes[0].pop("RE", None)', "pass", _SGF),
    (
        "records: a roll is no take of a beaver",
        'in ("beavered", "raccooned") and event',
        'in ("raccooned",) and event',
        _GAME,
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
    (
        "records: another state stands at the end",
        "after if number == len(what.turns) else state",
        "state",
        _HISTORY,
    ),
    (
        "records: a picture may replace its match",
        "check_target(arguments.svg, arguments.words)",
        "pass",
        _SHOW,
        "tests/cli/test_show.py",
    ),
    ("records: what comes in a pipe is closed", "closefd=isinstance(file, str)", "closefd=True", _FILES),
    (
        "records: errors of the output are the file's",
        "    except RecordError as error:\n        where",
        "    except OSError as error:\n        raise BgfastError(str(error)) from None\n"
        "    except RecordError as error:\n        where",
        _FILES,
    ),
    (
        "records: an illegal play without a text is not marked",
        'else "Illegal play"',
        "else play",
        _MAT_WRITER,
    ),
    ("records: a file is replaced unasked", "if not force and os.path.lexists(name):", "if False:", _FILES),
    ("records: Latin-1 is refused", 'return line.decode("latin-1")', "raise", _FILES),
    (
        "records: a wrong score is none",
        "if stated not in (own, last.stated_score) and",
        "if False and",
        _REPLAY,
    ),
    (
        "records: the games decide on the score",
        "    return stated\n\n\ndef _is_over_at",
        "    return own\n\n\ndef _is_over_at",
        _REPLAY,
    ),
    (
        "records: the Crawford game is played again",
        "crawford_played or stated is False)",
        "crawford_played)",
        _REPLAY,
    ),
    (
        "records: a game too many is played",
        "if stated is None and last.match.winner is not None:",
        "if False:",
        _REPLAY,
    ),
    ("records: errors raise nothing", 'if self.strict and severity == "error":', "if False:", _LOG),
    ("records: wrong points are none", "if not stated or stated == result.points:", "if True:", _GAME),
    ("records: a wrong winner is none", "event.player != result.winner:", "False:", _GAME),
    ("records: capped points are wrong", "if stated in (needed, head.length):", "if False:", _GAME),
    ("records: codes are points", "points >= MIN_CODE and points > max_points", "False", _GAME),
    (
        "records: a win without a reason is a resignation",
        'if loss is not None and loss.kind != "forfeit":',
        "if True:",
        _GAME,
    ),
    ("records: the clock is a resignation", 'loss.kind != "forfeit"', "True", _GAME),
    (
        "records: any resignation is single",
        "            if points < stated:\n                continue\n",
        "",
        _GAME,
    ),
    ("records: a resignation waits for ever", "self.loss = event\n            return\n", "return\n", _GAME),
    ("records: what was left out is answered", "and self.is_offer_left_out:", "and False:", _GAME),
    (
        "records: the end of a broken game is lost",
        "        if result is not None:\n            self.event = result",
        "        if False:\n            self.event = result",
        _GAME,
    ),
    ("records: what is skipped is not said", "            self.report_skipped()\n", "", _GAME),
    (
        "records: an illegal play stops the game",
        "            self.play_as_written(text)\n",
        "            raise _Stop\n",
        _GAME,
    ),
    (
        "records: a dead cube is none",
        "is_unchecked = reason is not None and is_dead(self.state)",
        "is_unchecked = False",
        _GAME,
    ),
    (
        "records: a lone cell opens for the left",
        "0 if following is None or following.player is None else 1 - following.player",
        "0",
        _GAME,
    ),
    ("records: resignations are not written", 'if result.ending == "resignation":', "if False:", _EVENTS),
    (
        "records: comments are tags",
        'return f"- {line}" if read_tag(line)',
        'return f"{line}" if read_tag(line)',
        _MAT_WRITER,
    ),
    ("records: automatic doubles are lost", "if ties := sum(", "if ties := 0 * sum(", _MAT_WRITER),
    ("records: SGF always has a cube", 'if rule == "nocube":', 'if rule == "":', _SGF),
    ("records: SGF games need a number", 'if name.lower() == "game" and not is_number:', "if False:", _SGF),
    (
        "records: one unread game refuses the file",
        "is_any_read = is_any_read or is_read",
        "is_any_read = is_read",
        _FILES,
    ),
    (
        "records: nothing is refused",
        "    if unread:\n        findings",
        "    if False:\n        findings",
        _FILES,
    ),
    (
        "records: warnings are errors",
        '(arguments.strict and counts["warning"] > 0)',
        'counts["warning"] > 0',
        _CHECK,
    ),
    (
        "records: a loss without a result is by its cell alone",
        "self.winner_by_next_score() if loss.player is None else",
        "None if loss.player is None else",
        _GAME,
    ),
    ("records: findings have no limit", "if self.log.is_full:", "if False:", _GAME),
    (
        "records: boards of findings are those of the first",
        "if self.last_board[0] != action:",
        "if self.last_board[0] < 0:",
        _GAME,
    ),
    (
        "records: games behind too many findings are read",
        "        if log.is_full:\n            break\n",
        "",
        _REPLAY,
    ),
    ("records: FIBS shows all boards from one side", "if direction == 1:", "if False:", _FIBS),
    ("records: FIBS has no Crawford game", "not money and not may", "False and not may", _FIBS),
    ("records: FIBS has a Crawford game at 4-4", "min(own_score, score) < max", "max", _FIBS),
]
