"""How to break games and matches on purpose: the part of `tests.tools.mutations` that needs no compiler."""

from __future__ import annotations

__all__ = ["GAME_MUTATIONS", "GAME_TESTS"]

_RULES = [
    "tests/games/test_game_cases.py",
    "tests/games/test_match.py",
    "tests/games/test_game.py",
    "tests/games/test_saving.py",
    "tests/games/test_game_stateful.py",
]
_LEGALITY = "bgfast/games/legal_actions.py"
_TRANSITIONS = "bgfast/games/transitions.py"
_TABLE = "bgfast/games/base.py"
_RECORD = "bgfast/games/history.py"
_MADE = "bgfast/games/unchecked_plays.py"
_MATCH = "bgfast/games/match.py"
_SCORING = "bgfast/games/scoring.py"
_DICE = "bgfast/games/dice.py"
_SAVED = "bgfast/games/saving.py"
_HANDS = "bgfast/games/unchecked_plays.py"
_CUBE = "bgfast/games/scoring.py"
_PLAY = "bgfast/cli/play.py"
_SAVED_GAME = "bgfast/cli/saved_game.py"
_SHEET = "bgfast/games/score_sheet.py"
_SIMPLE = "bgfast/analysis/strength/simple_player.py"
_OPPONENT = "bgfast/analysis/strength/opponents.py"

GAME_TESTS = {
    **dict.fromkeys(
        (_LEGALITY, _TRANSITIONS, _TABLE, _RECORD, _MADE, _MATCH, _SCORING, _DICE, _SAVED, _HANDS, _CUBE),
        _RULES,
    ),
    _PLAY: ["tests/cli/test_play.py"],
    _SAVED_GAME: ["tests/cli/test_play.py"],
    _SHEET: ["tests/cli/test_play.py"],
    _SIMPLE: ["tests/cli/test_play.py"],
    _OPPONENT: ["tests/analysis/strength/test_opponents.py", "tests/cli/test_play.py"],
}

# name, what stands there, what comes in its place, source
GAME_MUTATIONS = [
    (
        "the opponent's cube may be turned",
        "if state.cube.owner == opponent:",
        "if False:",
        _LEGALITY,
    ),
    (
        "a dead cube may be turned",
        "state.cube.value >= match.away",
        "state.cube.value > match.away",
        _LEGALITY,
    ),
    ("the cube is used in the Crawford game", "match is not None and match.crawford:", "False:", _LEGALITY),
    (
        "a double after the roll",
        'if state.phase in ("to_play", "moved"):\n        # "only',
        'if False:\n        # "only',
        _LEGALITY,
    ),
    (
        "a cube before White's first roll",
        'return "there is no cube before White\'s first roll"',
        "return None",
        _LEGALITY,
    ),
    (
        "beavers in a match",
        'if state.match is not None:\n        # "Match play adds ... no beavers',
        'if False:\n        # "Match play adds ... no beavers',
        _LEGALITY,
    ),
    ("beavers under any rules", "if not state.rules.beavers:", "if False:", _LEGALITY),
    (
        "a roll while a double is pending",
        '("opening", "first_roll", "to_roll", "moved")',
        '("opening", "first_roll", "to_roll", "moved", "doubled")',
        _LEGALITY,
    ),
    (
        "dice that were moved with are rolled again",
        "if state.rolled_in is None else None",
        "if False else None",
        _LEGALITY,
    ),
    ("passing with a legal play", "if legal else None", "if False else None", _LEGALITY),
    (
        "a challenge of a legal play",
        'return None if state.moved is not None else "there',
        'return None if True else "there',
        _LEGALITY,
    ),
    (
        "resigning in the middle of a turn",
        '_only_in("first_roll", "to_roll", "to_play")',
        '_only_in("first_roll", "to_roll", "to_play", "moved")',
        _LEGALITY,
    ),
    ("the lower die begins", "dice[0] > dice[1]", "dice[0] < dice[1]", _TRANSITIONS),
    (
        "the position is not turned for the second player",
        "position=state.position.flip() if player else state.position",
        "position=state.position",
        _TRANSITIONS,
    ),
    (
        "any number of automatic doubles",
        "state.ties == state.rules.automatic_doubles",
        "not state.rules.automatic_doubles",
        _TRANSITIONS,
    ),
    (
        "automatic doubles in the Crawford game",
        "automatic_doubles or crawford",
        "automatic_doubles",
        _TRANSITIONS,
    ),
    (
        "rolling does not accept an illegal play",
        "rolled_in=state.phase, moved=None)",
        "rolled_in=state.phase)",
        _TRANSITIONS,
    ),
    (
        "doubling does not accept an illegal play",
        'phase="doubled", moved=None)',
        'phase="doubled")',
        _TRANSITIONS,
    ),
    ("a forced play does not save a premature roll", "not moved.forced and ", "", _TRANSITIONS),
    ("a race does not save a premature roll", ' and moved.after.phase == "contact"', "", _TRANSITIONS),
    (
        "premature rolls are void under all rules",
        'state.rules.premature_roll == "void" and ',
        "",
        _TRANSITIONS,
    ),
    (
        "an opening roll again keeps the side",
        "position = state.position.flip() if state.on_turn else state.position",
        "position = state.position",
        _TRANSITIONS,
    ),
    (
        "the doubler keeps the cube",
        "Cube(times * state.cube.value, taker)",
        "Cube(times * state.cube.value, state.on_turn)",
        _TRANSITIONS,
    ),
    ("a beaver only doubles", "times = 4 if", "times = 2 if", _TRANSITIONS),
    ("a take does not count for the Jacoby rule", ", cube_turned=True", "", _TRANSITIONS),
    ("a beaver given up costs the old stake", "2 * state.cube.value, 1", "state.cube.value, 1", _TRANSITIONS),
    (
        "a drop costs the offered stake",
        "_won(state, state.on_turn, state.cube.value",
        "_won(state, state.on_turn, 2 * state.cube.value",
        _TRANSITIONS,
    ),
    (
        "an illegal play may end the game",
        'if not legal and after.phase == "over":',
        "if False:",
        _TRANSITIONS,
    ),
    (
        "an illegal play is accepted at once",
        "moved=None if moved.legal else moved",
        "moved=None",
        _TRANSITIONS,
    ),
    (
        "a pass keeps the player on turn",
        "on_turn=other_player(state.on_turn),\n        dice=None",
        "on_turn=state.on_turn,\n        dice=None",
        _TRANSITIONS,
    ),
    ("a challenge gives other dice", "dice=moved.roll", "dice=moved.roll[::-1]", _TRANSITIONS),
    ("a challenge leaves the checkers", "position=moved.before", "position=moved.after", _TRANSITIONS),
    (
        "a refused resignation restarts the turn",
        "phase=state.resumes, resumes",
        'phase="to_roll", resumes',
        _TRANSITIONS,
    ),
    (
        "the resigner wins",
        "other_player(state.on_turn),\n        level",
        "state.on_turn,\n        level",
        _TRANSITIONS,
    ),
    ("Jacoby in a match", "state.rules.jacoby and state.match is None", "state.rules.jacoby", _TRANSITIONS),
    ("Jacoby in spite of the cube", "jacoby and not state.cube_turned", "jacoby", _TRANSITIONS),
    (
        "Jacoby leaves resigned gammons",
        "level = _counted(state, state.resignation)",
        "level = state.resignation",
        _TRANSITIONS,
    ),
    (
        "the level is not multiplied",
        "return _won(state, winner, level * state.cube.value, level,",
        "return _won(state, winner, state.cube.value, level,",
        _TRANSITIONS,
    ),
    (
        "unchecked plays without a roll",
        'action.unchecked and state.phase in ("to_play", "moved")',
        "action.unchecked",
        _TRANSITIONS,
    ),
    (
        "plays are not checked",
        "legal = any(play.position == after for play in plays)",
        "legal = not action.unchecked",
        _TRANSITIONS,
    ),
    ("a score at the length", "if max(score) >= length:", "if max(score) > length:", _SCORING),
    ("a Crawford game at any score", "if self.crawford and max", "if False and max", _SCORING),
    (
        "a wrong win scheme",
        "results(position.to_array()[None], rules, position",
        "results(position.to_array()[None], RuleSet(), position",
        _SCORING,
    ),
    ("cubes of 3", "number & (number - 1)", "False", _CUBE),
    ("cubes of any height", "not 1 <= number <= GREATEST_CUBE", "number < 1", _CUBE),
    (
        "doubles beyond the greatest cube",
        "return cube_objection(2 * state.cube.value)",
        "return None",
        _LEGALITY,
    ),
    (
        "beavers beyond the greatest cube",
        "return cube_objection(4 * state.cube.value)",
        "return None",
        _LEGALITY,
    ),
    ("ties beyond the greatest cube", " or state.cube.value == GREATEST_CUBE", "", _TRANSITIONS),
    ("the Crawford game again and again", "not crawford_played and max(score)", "max(score)", _MATCH),
    (
        "no Crawford game",
        "crawford = not crawford_played and max(score) == length - 1",
        "crawford = False",
        _MATCH,
    ),
    (
        "a match goes on at its length",
        "max(self.score) < self.length",
        "max(self.score) <= self.length",
        _MATCH,
    ),
    ("points for the loser", "player == game.result.winner", "player != game.result.winner", _MATCH),
    (
        "a new game begins in the middle of one",
        "if state.game.result is None:\n        return",
        "if False:\n        return",
        _MATCH,
    ),
    (
        "each game of a match holds all results before it",
        "ended=state.ended.and_then(game.result)",
        "ended=_ended_games([*state.ended, game.result])",
        _MATCH,
    ),
    ("each game has the dice of the first", "throws=state.game.throws,", "throws=0,", _MATCH),
    (
        "undo leaves the dice",
        "self._undone.append(self._done.pop())",
        "self._undone.append(self._done[-1])",
        _RECORD,
    ),
    (
        "games are compared state by state",
        "self.history == other.history",
        "self._done == other._done",
        _RECORD,
    ),
    (
        "games that differ in what was undone are equal",
        "and [action for action, _ in self._undone] == [action for action, _ in other._undone]",
        "",
        _RECORD,
    ),
    ("redo after another action", "        self._undone.clear()\n", "", _RECORD),
    ("a pass that is played is a play", "if not len(plays) and after ==", "if False and after ==", _MADE),
    ("the play of any other roll by hand", "play = without_roll(play, plays.roll)", "pass", _MADE),
    (
        "moves that come once are asked for twice",
        "tee(play) if isinstance(play, Iterator) else (play, play)",
        "(play, play)",
        _MADE,
    ),
    ("anybody may act", 'player_number("by", by) != player', 'player_number("by", by) > 1', _RECORD),
    (
        "what was undone is not saved",
        "[action_content(action) for action in (*self.history, *undone)]",
        "[action_content(action) for action in self.history]",
        _RECORD,
    ),
    ("what was undone is saved backwards", "in reversed(self._undone)", "in self._undone", _RECORD),
    ("saved dice are not compared", "if thrown != expected:", "if False:", _RECORD),
    ("saved texts are not compared", "if (action.after, action.text) != expected:", "if False:", _MADE),
    (
        "dice are drawn before it is known that they may be",
        "        self._check(name)\n        thrown",
        "        thrown",
        _TABLE,
    ),
    ("a seeded game never throws a six", "integers(1, 7,", "integers(1, 6,", _DICE),
    ("White is always X", "int(self._generator.integers(2))", "0", _DICE),
    (
        "dice are thrown anew after undo",
        "while len(self._throws) <= place:",
        "del self._throws[place:]\n        while len(self._throws) <= place:",
        _DICE,
    ),
    (
        "the generator is restored from its name alone",
        "        bits.state = state\n        same = _plain(bits.state) == state",
        "        same = True",
        _DICE,
    ),
    ("saved turns always end", '"ends_turn": action.ends_turn', '"ends_turn": True', _SAVED),
    ("saved levels are all single", 'level=resigned_level(content["level"])', "level=1", _SAVED),
    ("hands do not hit", "                board[0] -= 1\n", "", _HANDS),
    ("hands stand on held points", "board[end] < -1", "board[end] < -15", _HANDS),
    ("hands forget what they forfeit", "hops_text(hops, forfeits)", "hops_text(hops, ())", _HANDS),
    ("hands carry upwards", "BAR >= start > end >= OFF", "BAR >= start and BAR > end >= OFF", _HANDS),
    ("a roll in the terminal is a play", 'if word.split()[:1] == ["roll"]:', "if False:", _PLAY),
    ("list in the terminal is help", 'if word in ("plays", "list"):', 'if word == "plays":', _PLAY),
    ("nobody asks the terminal with a question mark", '"help", "?", "sheet"', '"help", "sheet"', _PLAY),
    ("undo in the terminal stops at a pass", ' and "pass_turn" not in legal', "", _PLAY),
    ("undo in the terminal stops with the opponent", "if self.game.to_act == PERSON and", "if", _PLAY),
    ("numbers in the terminal begin at 0", "plays[int(word) - 1]", "plays[int(word) - 2]", _PLAY),
    ("resigning in the terminal is always single", "return LEVELS.index(level) + 1", "return 1", _PLAY),
    (
        "every resignation is accepted",
        "accepts = self.accepts_resignation(",
        "accepts = True or (",
        _OPPONENT,
    ),
    (
        "a session in the terminal has no end",
        "if self.games is not None and len(self.game.state.ended) >= self.games:",
        "if False:",
        _PLAY,
    ),
    (
        "whoever races on bears nothing off",
        "cost = 1 if rear > HOME else rear",
        "cost = 1 if rear > HOME else 99",
        _SIMPLE,
    ),
    ("whoever races on goes home for nothing", "        pips -= cost\n", "", _SIMPLE),
    ("the opponent takes everything", "if self.takes_double(game) else", "if True else", _OPPONENT),
    (
        "a beaver is answered for the other side",
        "if game.on_turn == game.to_act else game.position",
        "if game.on_turn is None else game.position",
        _OPPONENT,
    ),
    (
        "the network sees the other side",
        "return equity if game.on_turn == game.to_act else -equity",
        "return equity",
        _OPPONENT,
    ),
    ("nobody is too good to double", "if equity > TOO_GOOD and not single:", "if False:", _OPPONENT),
    (
        "gammons count under the Jacoby rule",
        "self.rules.jacoby and game.cube.owner is None",
        "False",
        _OPPONENT,
    ),
    (
        "an owned cube is turned as early",
        "DOUBLES if game.cube.owner is None else REDOUBLES",
        "DOUBLES",
        _OPPONENT,
    ),
    (
        "pubeval plays its worst",
        "return plays[int(self._policy.rows(game.position.to_array()[None], found, none, none)[0])]",
        "return plays[0]",
        _OPPONENT,
    ),
    (
        "the advanced level does not look ahead",
        "NetworkOpponent(rules, ply=1)",
        "NetworkOpponent(rules, ply=0)",
        _OPPONENT,
    ),
    (
        "players are given the dice to come",
        "self._source.content() if complete and self._source is not None else None,",
        "self._source.content() if self._source is not None else None,",
        _RECORD,
    ),
    (
        "players are given what was undone",
        "reversed(self._undone)] if complete else []",
        "reversed(self._undone)]",
        _RECORD,
    ),
    ("hints in the terminal are the worst plays", "game.dice)[:HINTED]", "game.dice)[-HINTED:]", _PLAY),
    ("hints in the terminal turn every cube", "if adviser.offers_double(game)", "if True", _PLAY),
    ("saved in the terminal without the dice", "game.to_json(complete=True)", "game.to_json()", _SAVED_GAME),
    (
        "saved in the terminal over anything",
        "if not BEGINNING.match(file.read(MOST_BEGINNING)):",
        "if False:",
        _SAVED_GAME,
    ),
    ("gone on with without dice", "    if game._source is None:", "    if False:", _SAVED_GAME),
    (
        "gone on with under other rules than asked for",
        "if typed is not None and typed != own:",
        "if False:",
        _SAVED_GAME,
    ),
    ("unknown words in the terminal are plays", 'if not re.search(r"[0-9/]", word)', "if False", _PLAY),
    (
        "no line is edited in the terminal",
        "if sys.stdin.isatty() and sys.stdout.isatty():",
        "if False:",
        _PLAY,
    ),
    ("who leads in the terminal has lost", "elif mine > theirs:", "elif mine < theirs:", _PLAY),
    ("nothing is said of other rules", "if as_standard or not self.learnt:", "if True:", _OPPONENT),
    ("no level is told in the terminal", "if other.notice is not None:", "if False:", _PLAY),
    (
        "the columns of the sheet are one",
        "if self._cells[player] or self._cells[1]:",
        "if self._cells[player]:",
        _SHEET,
    ),
]
