"""How to break what to do with cube, score and roll: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["DECISION_MUTATIONS", "DECISION_TESTS"]

_CUBE = "bgfast/analysis/decisions/cube_decision.py"
_SCORES = "bgfast/analysis/decisions/score_map.py"
_ROLLS = "bgfast/analysis/decisions/roll_map.py"
_BRANCHES = "bgfast/analysis/decisions/branches.py"
_OPPONENTS = "bgfast/analysis/strength/opponents.py"
_CUBE_TESTS = "tests/analysis/decisions/test_cube_decision.py"
_OPPONENT_TESTS = "tests/analysis/strength/test_opponents.py"
_PLAY = "bgfast/cli/play.py"
_ROLLOUT = "bgfast/cli/rollout.py"
_ROLLOUT_TESTS = "tests/cli/test_rollout.py"

DECISION_TESTS = {
    _CUBE: [_CUBE_TESTS],
    _SCORES: ["tests/analysis/decisions/test_score_map.py"],
    _ROLLS: ["tests/analysis/decisions/test_roll_map.py"],
}

DECISION_MUTATIONS = [
    ("cube decisions: rolled dice do not matter", "if decision.dice is not None:", "if False:", _CUBE),
    (
        "cube decisions: any double may be on offer",
        'forbid the offer."""\n    Game.from_decision(decision)\n',
        'forbid the offer."""\n',
        _CUBE,
    ),
    (
        "cube decisions: a beaver is answered by another one",
        'return _NEXT_OFFER[self.decision.offer or "double"] if name == "beaver" else name',
        "return name",
        _CUBE,
    ),
    (
        "decisions: beavers on offer are those of the doubler",
        "sign = 1 if turns % 2 else -1",
        "sign = 1",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: nobody gives a raccoon up",
        "-min(turned_value(levels[turns + 1], 2 ** (turns + 1)), levels[turns].of_points(1))",
        "-turned_value(levels[turns + 1], 2 ** (turns + 1))",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: raccoons beyond the greatest cube",
        "while len(levels) <= turns + 1 and (",
        "while len(levels) <= turns + 1 and (True or ",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: tables know beavers as doubles",
        "lambda now, times: times / 2 * double_take",
        "lambda now, times: double_take",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: looking ahead a beaver is worth the double",
        "self._after_doubling(root, times)",
        "self._after_doubling(root, 2)",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "cube decisions: the answer is the doubler's action",
        "return self._answer_name(str(self.equities.answers)).capitalize()",
        "return str(self.equities.words)",
        _CUBE,
    ),
    (
        "cube decisions: who may not double is told to",
        "return str(self.equities.words) if self.why_not is None else NO_DOUBLE",
        "return str(self.equities.words)",
        _CUBE,
    ),
    (
        "cube decisions: answers are seen by the doubler",
        '-getattr(values, f"double_{name}")',
        'getattr(values, f"double_{name}")',
        _CUBE,
    ),
    (
        "cube decisions: the doubler's chances under a double",
        'else 1 - getattr(self.mwc, f"double_{name}")',
        'else getattr(self.mwc, f"double_{name}")',
        _CUBE,
    ),
    (
        "cube decisions: actions come in any order",
        "key=lambda item: not item[0].startswith(first)",
        "key=lambda item: item[0].startswith(first)",
        _CUBE,
    ),
    (
        "cube decisions: a turned cube is doubled",
        "redouble = decision.cube_owner == 1",
        "redouble = False",
        _CUBE,
    ),
    (
        "cube decisions: points of a live cube where it is not",
        '"live": 1.0, "cubeful"',
        '"live": 0.9, "cubeful"',
        _CUBE,
    ),
    (
        "cube decisions: no row is named",
        'f"decision {row}: {error}"',
        'f"{error}"',
        _CUBE,
    ),
    (
        "maps of scores: the Crawford game is one like others",
        "crawford = own.crawford or opponent.crawford",
        "crawford = False",
        _SCORES,
    ),
    (
        "maps of scores: both need one point in the Crawford game",
        "(own.away == opponent.away or decision.cube > 1 or decision.cube_owner)",
        "(decision.cube > 1 or decision.cube_owner)",
        _SCORES,
    ),
    (
        "maps of scores: a double that wins nothing more",
        "decision.cube >= own.away",
        "decision.cube > own.away",
        _SCORES,
    ),
    (
        "maps of scores: the players are exchanged",
        "score=(length - own.away, length - opponent.away)",
        "score=(length - opponent.away, length - own.away)",
        _SCORES,
    ),
    ("maps of scores: too good is no double", 'return "TG" if', 'return "ND" if', _SCORES),
    (
        "maps of rolls: a double waits for its answer",
        "    refuse_offer(root)\n",
        "",
        _ROLLS,
    ),
    (
        "maps of rolls: after a reply the opponent is on roll",
        "candidate.play.position.flip() if play is None else play.position",
        "candidate.play.position if play is None else play.position.flip()",
        _ROLLS,
    ),
    (
        "maps of rolls: every take is a pass",
        'result.equities.answers == "pass"',
        'result.equities.answers != "pass"',
        _ROLLS,
    ),
    (
        "maps of rolls: who cannot double loses a market",
        "if not all(result.why_not is None for result in cube_results):",
        "if False:",
        _ROLLS,
    ),
    (
        "decisions: tables do not know better",
        "            if exact\n            else result",
        "            if False\n            else result",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: looking ahead the cube stays as it is",
        "double_take = once.denormalized(self._after_doubling(root, 2).equity)",
        "double_take = once.denormalized(no_double.equity)",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: nobody gives a beaver up",
        "double_beaver = max(beaver, once.of_points(-1))",
        "double_beaver = beaver",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "opponents play as without a cube",
        "return self._player.best_plays(decision)[0].play",
        "return self._player.best_plays(game.position, game.dice)[0].play",
        _OPPONENTS,
        _OPPONENT_TESTS,
    ),
    (
        "opponents double as in money play",
        "return bool(cube_decision(decision, self._player, rules=self.rules).equities.doubles)",
        "return self._equity(game) >= DOUBLES",
        _OPPONENTS,
        _OPPONENT_TESTS,
    ),
    (
        "opponents beaver nothing",
        '"Beaver": "beaver", "Raccoon"',
        '"Beaver": "take", "Raccoon"',
        _OPPONENTS,
        _OPPONENT_TESTS,
    ),
    (
        "opponents answer without a cube",
        """        if decision is None:
            return "take" if""",
        """        if True:
            return "take" if""",
        _OPPONENTS,
        _OPPONENT_TESTS,
    ),
    (
        "hints of plays are for no cube",
        "best = player.best_plays(decision)[:HINTED]",
        "best = player.best_plays(game.position, game.dice)[:HINTED]",
        _PLAY,
        "tests/cli/test_play.py",
    ),
    (
        "rollout: the efficiency is the usual one",
        "            efficiency=cube.efficiency,\n",
        "",
        _ROLLOUT,
        _ROLLOUT_TESTS,
    ),
    ("rollout: the table is the usual one", "            met=cube.met,\n", "", _ROLLOUT, _ROLLOUT_TESTS),
]
