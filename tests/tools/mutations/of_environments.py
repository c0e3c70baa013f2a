"""How to break environments: a part of `tests.tools.mutations` that needs what the extra `rl` installs."""

from __future__ import annotations

__all__ = ["ENVIRONMENT_MUTATIONS", "ENVIRONMENT_TESTS"]

_GROUND = "bgfast/learning/environments/ground.py"
_POLICY = "bgfast/evaluation/evaluators/evaluators.py"
_ONE = "bgfast/learning/environments/gymnasium_env.py"
_MANY = "bgfast/learning/environments/vector_env.py"
_LOOPS = "bgfast/learning/environments/_vector_env.pyx"
_TWO = "bgfast/learning/environments/aec_env.py"
_FRAMES = "bgfast/learning/environments/frames.py"
_PUBLIC = "bgfast/environments.py"
_PACKAGE = "bgfast/__init__.py"
_MISSING = "tests/learning/environments/test_environments_missing.py"
_TESTS = ["tests/learning/environments/test_environments.py"]

ENVIRONMENT_TESTS = {
    **dict.fromkeys((_GROUND, _ONE, _MANY, _LOOPS, _TWO, _FRAMES), _TESTS),
    _PUBLIC: [_MISSING, *_TESTS],
}

# name, what stands there, what comes in its place, source
ENVIRONMENT_MUTATIONS = [
    (
        "a missing package stops who asks for every attribute",
        "raise AttributeError(str(error)) from error",
        "raise",
        _PACKAGE,
        _MISSING,
    ),
    (
        "environments are no attribute",
        '("environments", "evaluators", "reference")',
        '("evaluators", "reference")',
        _PACKAGE,
        _MISSING,
    ),
    ("bars of either sign in a space", "    high[0] = low[BAR] = 0\n", "", _GROUND),
    ("pixels upside down", "scale(pixels, -pixels).translate(0, height)", "scale(pixels, pixels)", _FRAMES),
    (
        "pixels with an opacity",
        "np.array(canvas.buffer_rgba())[:, :, :3]",
        "np.array(canvas.buffer_rgba())",
        _FRAMES,
    ),
    (
        "pixels of a mover who is always X",
        "replace(position._diagram(roll, status), mover=mover)",
        "position._diagram(roll, status)",
        _GROUND,
    ),
    ("nothing is printed for people", 'if self.render_mode == "human":', "if False:", _ONE),
    ("dice of 5 in a space", "high[BOARD_SIZE:] = 0, 6", "high[BOARD_SIZE:] = 0, 5", _GROUND),
    ("one action more than plays", "mask[:plays] = 1", "mask[: plays + 1] = 1", _GROUND),
    ("a mask that is cut off", "if plays > max_plays:", "if False:", _GROUND),
    ("a pass that turns no board", "position.flip().to_array()[None]", "position.to_array()[None]", _GROUND),
    (
        "successors from the mover's side",
        "flip_boards(plays.boards, boards)",
        "boards[:] = plays.boards",
        _GROUND,
    ),
    ("the action behind the last", "0 <= number < count", "0 <= number <= count", _GROUND),
    ("actions from the end", "0 <= number < count", "-count <= number < count", _GROUND),
    ("text loses a game", 'illegal == "lose" and number is not None', 'illegal == "lose"', _GROUND),
    ("an illegal action is cheap", "WORST = -3", "WORST = -1", _GROUND),
    ("the lower die begins in an environment", "int(first < second)", "int(first > second)", _GROUND),
    ("doubles open a game", "if first != second:", "if True:", _GROUND),
    ("no lot is drawn", "int(dice.integers(2)), throw", "0, throw", _GROUND),
    ("a lot under any rules", 'rules.opening == "colour_lot"', "True", _GROUND),
    ("max_plays without an end", "1 <= number <= MAX_PLAYS", "1 <= number", _GROUND),
    ("an opponent that helps", 'best="min"', 'best="max"', _POLICY, _TESTS[0]),
    ("an opponent under standard rules", "position.plays(roll, self.rules)", "position.plays(roll)", _GROUND),
    (
        "wins that count otherwise",
        "results(found.boards, self._rules, self._checkers)",
        "results(found.boards, checkers=self._checkers)",
        _POLICY,
        _TESTS[0],
    ),
    ("an opponent that asks nobody", "if self.policy is None:", "if True:", _GROUND),
    ("the first of random plays", "plays[int(choices.integers(len(plays)))]", "plays[0]", _GROUND),
    ("the other player begins", "if beginner == 1:", "if beginner == 0:", _ONE),
    ("a loss is a win", "return -win_level(", "return win_level(", _ONE),
    ("a win is a loss", "return win_level(position", "return -win_level(position", _ONE),
    (
        "wins by standard rules",
        "return win_level(position, self._rules)",
        "return win_level(position, STANDARD)",
        _ONE,
    ),
    (
        "the board of a win from the other side",
        "self._position = position.flip()",
        "self._position = position",
        _ONE,
    ),
    ("dice after the end", "self._dice, self._plays = NO_DICE, None", "self._plays = None", _ONE),
    (
        "plays by standard rules",
        "self._position.plays(roll, self._rules)",
        "self._position.plays(roll)",
        _ONE,
    ),
    ("a seed that is not used", "super().reset(seed=seed)", "super().reset()", _ONE),
    ("many games, and no seed", "super().reset(seed=seed)", "super().reset()", _MANY),
    (
        "openings of the seed before",
        "        self._openings = (self._boards[:0], self._dice[:0])\n        self._boards,",
        "        self._boards,",
        _MANY,
    ),
    ("the same seed at each step", "(self._seed + 1) % 2**64", "self._seed", _MANY),
    ("illegal actions are let pass", 'if bad >= 0 and self._illegal == "error":', "if False:", _MANY),
    (
        "illegal actions cost nothing",
        "            points[(places < 0) | (places >= self._marked)] = WORST\n",
        "            pass\n",
        _MANY,
    ),
    (
        "the place behind the last is legal",
        "(places >= self._marked)] = WORST",
        "(places > self._marked)] = WORST",
        _MANY,
    ),
    ("points by standard rules", "WIN_SCHEMES[rules.win_scheme]", 'WIN_SCHEMES["standard"]', _MANY),
    ("random plays by standard rules", "RandomChoice(switches,", "RandomChoice(None,", _MANY),
    ("listed plays by standard rules", "Fill(self._switches,", "Fill(None,", _MANY),
    ("an evaluator's plays by standard rules", "dice, rules=self._rules, flip", "dice, flip", _MANY),
    ("a game that is over is not turned", "chosen = flip(boards)", "chosen = boards.copy()", _MANY),
    (
        "new games with old dice",
        "self._boards[ended], self._dice[ended] = self._begun(len(ended))",
        "self._boards[ended], _ = self._begun(len(ended))",
        _MANY,
    ),
    (
        "the last boards are those of new games",
        "        last[ended, :BOARD_SIZE] = self._boards[ended]\n",
        "",
        _MANY,
    ),
    (
        "an opening is dealt twice",
        "self._openings = (boards[number:], dice[number:])",
        "self._openings = (boards, dice)",
        _MANY,
    ),
    ("doubles open games", "self._next_seed(), opening=True)", "self._next_seed())", _MANY),
    ("a lot for all games", 'if self._rules.opening == "colour_lot":', "if True:", _MANY),
    ("no lot for any game", 'if self._rules.opening == "colour_lot":', "if False:", _MANY),
    ("the opponent begins with the higher die", "dice[:, 0] < dice[:, 1]", "dice[:, 0] > dice[:, 1]", _MANY),
    (
        "the opponent's dice are played again",
        "        dice[opponent] = random_dice(len(theirs), self._next_seed())\n",
        "",
        _MANY,
    ),
    (
        "a mask that is used again",
        "boards, mask = boards.copy(), mask.copy()",
        "boards = boards.copy()",
        _MANY,
    ),
    ("boards that are used again", "boards, mask = boards.copy(), mask.copy()", "mask = mask.copy()", _MANY),
    (
        "offsets that are used again",
        "Successors(boards, self._offsets.copy(), None)",
        "Successors(boards, self._offsets, None)",
        _MANY,
    ),
    ("everything is copied", "        if self._copy:\n", "        if True:\n", _MANY),
    (
        "rows that are lost in larger memory",
        "            room[: fill.total] = self._room[: fill.total]\n",
        "",
        _MANY,
    ),
    ("floats are actions", 'not in "iu"', 'not in "iuf"', _MANY),
    (
        "the row before the one chosen",
        "row += actions[i]",
        "row += actions[i] - 1 if actions[i] else 0",
        _LOOPS,
    ),
    (
        "any place is in a segment",
        "if 0 <= actions[i] < offsets[i + 1] - offsets[i]:",
        "if 0 <= actions[i]:",
        _LOOPS,
    ),
    ("the last bad game is named", "            elif bad < 0:\n", "            else:\n", _LOOPS),
    ("ones that stay", "memset(&mask[i, 0] + new, 0, old - new)", "pass", _LOOPS),
    (
        "a mask is written beyond its end",
        "if new > mask.shape[1]:",
        "if new > mask.shape[1] + 100000:",
        _LOOPS,
    ),
    (
        "the dice the other way round",
        "out[i, BOARD_SIZE] = dice[i, 0]",
        "out[i, BOARD_SIZE] = dice[i, 1]",
        _LOOPS,
    ),
    (
        "the winner pays",
        "{agent: points, self.possible_agents[following]: -points}",
        "{agent: -points, self.possible_agents[following]: points}",
        _TWO,
    ),
    (
        "both win",
        "self.possible_agents[following]: -points}",
        "self.possible_agents[following]: points}",
        _TWO,
    ),
    ("the same agent goes on", "following = other_player(self._on_roll)", "following = self._on_roll", _TWO),
    (
        "both agents see the same side",
        "self._position if on_roll else self._position.flip()",
        "self._position",
        _TWO,
    ),
    ("everybody sees the dice", "self._dice if on_roll else NO_DICE", "self._dice", _TWO),
    (
        "a mask for who is not on roll",
        "if self._plays is None or not on_roll else",
        "if self._plays is None else",
        _TWO,
    ),
    ("agents play by standard rules", "position.plays(roll, self._rules)", "position.plays(roll)", _TWO),
    (
        "agents win by standard rules",
        "win_level(position, self._rules)",
        "win_level(position, STANDARD)",
        _TWO,
    ),
    ("a seed that decides nothing", "seeding.np_random(seed)", "seeding.np_random(None)", _TWO),
    ("a package is missed too late", '("gymnasium", "pettingzoo")', '("gymnasium",)', _PUBLIC),
    (
        "no vector environment is registered",
        '    vector_entry_point="bgfast.environments:BackgammonVectorEnv",\n',
        "",
        _PUBLIC,
    ),
]
