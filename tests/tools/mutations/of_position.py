"""How to break one position and one turn: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["POSITION_MUTATIONS", "POSITION_TESTS"]

_STEPS = "bgfast/position/explain/steps.py"
_TURN = "bgfast/position/explain/turn.py"
_PLAY_TEXT = "bgfast/position/text/play_text.py"
_ATTEMPT = "bgfast/position/explain/attempt.py"
_REFUSAL = "bgfast/position/explain/refusal.py"
_PLAYS = "bgfast/position/plays.pxi"
_NEXT = "bgfast/position/next_moves.py"
_DECISION = "bgfast/position/decision.py"
_MATCH_ID = "bgfast/position/text/match_id.py"
_SVG = "bgfast/position/board_svg.py"
_XGID = "bgfast/position/text/xgid_text.py"
_POSITION_IDS = "bgfast/position/text/position_ids.py"
_OGID = "bgfast/position/text/ogid_text.py"
_DECORATED = "bgfast/position/text/decorated_text.py"
_TEXTS = "bgfast/position/position_files.py"
_ERRORS = "bgfast/errors.py"
_TEST_OF_TEXTS = "tests/position/test_position_files.py"

POSITION_TESTS = {
    _STEPS: ["tests/position/explain/test_steps.py"],
    _TURN: ["tests/position/test_next_moves.py", "tests/position/text/test_play_text_rules.py"],
    _PLAY_TEXT: [
        "tests/position/text/test_play_text_rules.py",
        "tests/position/explain/test_refusal.py",
        "tests/position/test_whole_turns.py",
    ],
    _POSITION_IDS: ["tests/position/test_objects.py"],
    _ERRORS: ["tests/position/test_objects.py"],
    _ATTEMPT: ["tests/position/explain/test_refusal.py"],
    _REFUSAL: ["tests/position/explain/test_refusal.py"],
    _PLAYS: [f"tests/position/test_{of}.py" for of in ("objects", "play_lists", "whole_turns")],
    _NEXT: ["tests/position/test_play_so_far.py"],
    _MATCH_ID: ["tests/position/test_decision.py"],
    _DECISION: ["tests/position/test_decision.py"],
    _XGID: ["tests/position/text/test_position_ids.py"],
    _OGID: ["tests/position/text/test_ogid.py"],
    _DECORATED: [_TEST_OF_TEXTS],
    _SVG: ["tests/games/test_svg.py"],
}

# name, what stands there, what comes in its place, source
POSITION_MUTATIONS = [
    ("XGIDs: no limit of the cube is a limit", "if max_cube == 1 and (", "if False and (", _XGID),
    ("XGIDs: no doubling is no limit", "if max_cube == 1 and (", "if max_cube == 1 or (", _XGID),
    ("XGIDs: 9 fields are too few", "if len(fields) == _XGID_FIELDS - 1:", "if False:", _XGID),
    ("OGIDs: who acted is on roll", '("W" if offered else "B")', '("B" if offered else "W")', _OGID),
    ("OGIDs: White does not begin", 'state == "IW" and not dice_field and', "False and", _OGID),
    (
        "OGIDs: Black's board is seen by White",
        "board if is_white else tuple(",
        "board if True else tuple(",
        _OGID,
    ),
    ("OGIDs: a dead cube may be turned", 'value if cube[1] == "D" else', "", _OGID),
    ("OGIDs: dice that were played", "and state not in _BEFORE_ROLL", "", _OGID),
    ("OGIDs: dice as they were thrown", "*sorted(context.dice)", "*context.dice", _OGID),
    ("OGIDs: any bar", "(at in (0, BAR) and at != bar)", "False", _OGID),
    (
        "texts: a position is given twice",
        "self.board in (board, tuple(",
        "self.board in (None, tuple(",
        _DECORATED,
    ),
    ("texts: a mirrored board is another one", ", tuple(-n for n in reversed(board)))", ",)", _DECORATED),
    (
        "texts: all words of 14 letters are IDs",
        'if is_alone or _board("gnubg", plain[1]) is not None:',
        "if True:",
        _DECORATED,
    ),
    ("texts: any match ID", " and line - position_line <= _MATCH_ID_LINES:", ":", _DECORATED),
    (
        "texts: a wrong XGID is no XGID",
        "if whole or (len(text)",
        "if whole or False and (len(text)",
        _DECORATED,
    ),
    ("texts: one of several rolls", "if len(rolls) == 1:", "if rolls:", _DECORATED),
    ("texts: comments are read", 'in ("", "#"):', 'in ("",):', _DECORATED),
    ("texts: an ID twice in a line is two", "== (line, text)  #", "== ()  #", _DECORATED),
    (
        "texts: lists are decorated",
        'if None not in forms or "typed" in forms:',
        "if None not in forms:",
        _TEXTS,
        _TEST_OF_TEXTS,
    ),
    (
        "texts: bare IDs are decorated",
        'return "bare" in forms and',
        "return False and",
        _TEXTS,
        _TEST_OF_TEXTS,
    ),
    (
        "texts: UTF-16 is not known",
        'content = content.decode("utf-16").encode("utf-8")',
        "pass",
        _TEXTS,
        _TEST_OF_TEXTS,
    ),
    (
        "texts: binary files hold positions",
        'if b"\\0" in content and',
        "if False and",
        _TEXTS,
        _TEST_OF_TEXTS,
    ),
    (
        "notation: a pass behind a whole play",
        "if _ends_with_pass(text) and",
        "if False and",
        _PLAY_TEXT,
        "tests/position/test_passes.py",
    ),
    (
        "notation: a pass behind moves is no part of a play",
        'while len(tokens) > 1 and tokens[-1].lower() == "pass":',
        "while False:",
        _PLAY_TEXT,
        "tests/position/test_passes.py",
    ),
    (
        "notation: the number of an action is a point",
        "        if action is None:\n            raise\n",
        "        raise\n",
        _PLAY_TEXT,
        "tests/position/test_passes.py",
    ),
    ("a Crawford game that no player is near", "max(score) == match_length - 1 and", "", _XGID),
    ("a Crawford game at 12-12 to 13", "and not score[0] == score[1] > 0", "", _XGID),
    (
        "single moves: an exact bear-off with any number",
        '(rules.bearoff_die == "exact" and start < die)',
        "False",
        _STEPS,
    ),
    (
        "single moves: not only the rearmost checker",
        '(rules.bearoff_die == "rearmost" and higher)',
        "False",
        _STEPS,
    ),
    (
        "single moves: bearing off is never compulsory",
        "compulsory = bear_off if rules.bearoff_compulsory else OFF",
        "compulsory = OFF",
        _STEPS,
    ),
    (
        "single moves: one checker more than a point may hold",
        "board[end] >= stack_max",
        "board[end] > stack_max",
        _STEPS,
    ),
    (
        "single moves: a number is forfeited before all are home",
        'broken.add("forfeit-before-all-home")',
        "pass",
        _STEPS,
    ),
    (
        "single moves: a number is forfeited while its point is occupied",
        'broken.add("forfeit-occupied-point")',
        "pass",
        _STEPS,
    ),
    (
        "single moves: a number is forfeited once all are off",
        " and rearmost(board) > OFF:",
        ":",
        _STEPS,
    ),
    (
        "single moves: checkers that meet break a rule that holds",
        'if f"{rule}:{way}" in lifted:',
        "if True:",
        _STEPS,
    ),
    (
        "sequences: a die may be left that can still be played",
        "return not any(self.can_move(state.board, die) for die in set(state.dice))",
        "return True",
        _TURN,
    ),
    (
        "sequences: either die if only one can be played",
        "if self.longest == used == 1 and",
        "if False and",
        _TURN,
    ),
    (
        "sequences: forfeits where the turn passes",
        "if self.longest == 0:",
        "if False:",
        _TURN,
    ),
    (
        "sequences: hopeless results are searched to the end",
        "astray > len(dice) or",
        "",
        _TURN,
        "tests/engines/crosscheck/test_diagnosis.py",
    ),
    (
        "sequences: some of the ways to a result are forgotten",
        "rest), []).extend(more)",
        "rest), more)",
        _TURN,
        "tests/engines/crosscheck/test_diagnosis.py",
    ),
    (
        "notation: the higher number is forfeited where the lower will do",
        "key=lambda dice: (len(dice), [-die for die in dice])",
        "key=lambda dice: (len(dice), dice)",
        _PLAY_TEXT,
    ),
    (
        "notation: any forfeits fit",
        " and _fits(forfeits, turn, results[row].tolist())",
        "",
        _PLAY_TEXT,
    ),
    (
        "notation: a forfeited die carries a checker, too",
        "in ways(hops, rest)",
        "in ways(hops, dice)",
        _PLAY_TEXT,
    ),
    (
        "notation: the play of any other roll",
        "if sorted(dice) != sorted(roll):",
        "if False:",
        _PLAY_TEXT,
        "tests/position/test_objects.py",
    ),
    (
        "notation: the roll before a play counts for its dice in order",
        "if sorted(dice) != sorted(roll):",
        "if dice != tuple(roll):",
        _PLAY_TEXT,
        "tests/position/test_objects.py",
    ),
    (
        "notation: no play is no pass",
        'words == ["no", "play"] or',
        "",
        _PLAY_TEXT,
        "tests/position/test_objects.py",
    ),
    (
        "IDs: anything may follow a pasted one",
        "    if pasted[2]:\n",
        "    if False:\n",
        _POSITION_IDS,
    ),
    ("IDs: a match ID of any length", "{12})(?!\\S)", "+)(?!\\S)", _POSITION_IDS),
    (
        "IDs: a match ID is the roll",
        "text[(match_id or found).end() :]",
        "text[found.end() :]",
        _POSITION_IDS,
    ),
    (
        "refusal: the limit of a point is blamed for a compulsory bear-off",
        '"bear-off-compulsory" not in order.broken',
        '"full-point" not in order.broken',
        _ATTEMPT,
    ),
    (
        "refusal: a die that is left over is no reason",
        "    _left_over,\n",
        "",
        _REFUSAL,
    ),
    (
        "take lists of other rules for equal",
        "            and self._switches == that._switches\n",
        "",
        _PLAYS,
    ),
    (
        "a place behind the plays is no error of bgfast's",
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
        "iteration by place does not end",
        "class InvalidIndexError(BgfastError, IndexError):",
        "class InvalidIndexError(BgfastError):",
        _ERRORS,
    ),
    (
        "the first play tells how many dice are used",
        "for row in range(len(self))), default=0",
        "for row in range(min(1, len(self)))), default=0",
        _PLAYS,
    ),
    (
        "a play that hits says so no more",
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
    (
        "a carried checker may hit what it likes",
        "if len({state.board for state in reached}) > 1:",
        "if False:",
        _NEXT,
    ),
    ("other checkers carry on", "if move.from_ == at != move.to:", "if at != move.to:", _NEXT),
    (
        "match IDs: the scores are swapped",
        "(score_x, score_o) if on_roll",
        "(score_o, score_x) if on_roll",
        _MATCH_ID,
    ),
    ("match IDs: the Jacoby rule is always off", "not context.jacoby", "True", _MATCH_ID),
    (
        "match IDs: points of more than 15 bits",
        "_MAX_POINTS = (1 << 15) - 1",
        "_MAX_POINTS = 1 << 16",
        _MATCH_ID,
    ),
    (
        "decisions: an XGID that cannot be read",
        "        read_xgid(text)\n        return text",
        "        return text",
        _DECISION,
    ),
    (
        "decisions: a roll against the dice",
        "sorted(roll) != sorted(dice)",
        "False",
        _DECISION,
        "tests/evaluation/evaluators/test_lookahead.py",
    ),
    ("decisions: a cube above its greatest value", "if self.cube > self.max_cube:", "if False:", _DECISION),
    ("match IDs: dice as they come", "sorted(context.dice, reverse=True)", "context.dice", _MATCH_ID),
    (
        "pictures: checkers off the board are forgotten",
        "for number in range(off):",
        "for number in range(0):",
        _SVG,
    ),
    (
        "pictures: points as the player below counts",
        "point if self.mover_below else BAR - point\n            y",
        "point\n            y",
        _SVG,
    ),
    (
        "pictures: clicks on points as the player below counts",
        "point = own if self.mover_below else BAR - own",
        "point = own",
        _SVG,
    ),
    (
        "pictures: clicks on the bar always below",
        "self._point_x(BAR), self.mover_below",
        "self._point_x(BAR), True",
        _SVG,
    ),
    ("pictures: stacks have no number", "if number > STACK:", "if False:", _SVG),
    (
        "pictures: the Crawford game has a cube",
        "if diagram.cube is None or diagram.crawford:",
        "if diagram.cube is None:",
        _SVG,
    ),
    (
        "pictures: arrows end in the order of the text",
        "(self._paths(order, spots) for order in permutations(ways)),",
        "(self._paths(order, spots) for order in [ways]),",
        _SVG,
    ),
    (
        "pictures: arrows on each point from its edge on",
        "key=lambda spot: spot[1],",
        "key=lambda spot: 0,",
        _SVG,
    ),
    (
        "pictures: arrows stop where nothing is hit",
        "if place != OFF and board[place] == -1:",
        "if place != OFF:",
        _SVG,
    ),
    (
        "pictures: dice as they were thrown",
        "sorted(self.diagram.roll, reverse=True)",
        "self.diagram.roll",
        _SVG,
    ),
    ("pictures: a title of any characters", '_check_characters("title", title)', "pass", _SVG),
]
