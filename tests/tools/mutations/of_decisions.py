"""Mutations of cube decisions, score maps and roll maps."""

from __future__ import annotations

__all__ = ["DECISION_MUTATIONS", "DECISION_TESTS"]

_CUBE = "bgfast/analysis/decisions/cube_decision.py"
_SCORES = "bgfast/analysis/decisions/score_map.py"
_ROLLS = "bgfast/analysis/decisions/roll_map.py"
_BRANCHES = "bgfast/analysis/decisions/branches.py"
_OPPONENTS = "bgfast/learning/strength/opponents.py"
_CUBE_TESTS = "tests/analysis/decisions/test_cube_decision.py"
_OPPONENT_TESTS = "tests/learning/strength/test_opponents.py"
_PLAY = "bgfast/cli/play.py"
_ROLLOUT = "bgfast/cli/rollout.py"
_ROLLOUT_TESTS = "tests/cli/test_rollout.py"

DECISION_TESTS = {
    _CUBE: [_CUBE_TESTS],
    _SCORES: ["tests/analysis/decisions/test_score_map.py"],
    _ROLLS: ["tests/analysis/decisions/test_roll_map.py"],
}

DECISION_MUTATIONS = [
    ("cube decisions: dice are accepted", "if decision.dice is not None:", "if False:", _CUBE),
    (
        "cube decisions: illegal offers are accepted",
        'forbid the offer."""\n    Game.from_decision(decision)\n',
        'forbid the offer."""\n',
        _CUBE,
    ),
    (
        "cube decisions: a raccoon is called a beaver",
        'return _NEXT_OFFER[self.decision.offer or "double"] if name == "beaver" else name',
        "return name",
        _CUBE,
    ),
    (
        "decisions: offered beavers have the doubler's sign",
        "sign = 1 if turns % 2 else -1",
        "sign = 1",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: raccoons cannot be passed",
        "-min(turned_value(levels[turns + 1], 2 ** (turns + 1)), levels[turns].of_points(1))",
        "-turned_value(levels[turns + 1], 2 ** (turns + 1))",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: raccoons beyond the maximum cube",
        "while len(levels) <= turns + 1 and (",
        "while len(levels) <= turns + 1 and (True or ",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: exact beavers have the value of doubles",
        "lambda turned, times: times / 2 * double_take",
        "lambda turned, times: double_take",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: searched beavers have the value of doubles",
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
        "cube decisions: illegal doubles are proper actions",
        "return str(self.equities.words) if self.why_not is None else NO_DOUBLE",
        "return str(self.equities.words)",
        _CUBE,
    ),
    (
        "cube decisions: answers have the doubler's sign",
        '-getattr(values, f"double_{name}")',
        'getattr(values, f"double_{name}")',
        _CUBE,
    ),
    (
        "cube decisions: answers have the doubler's MWC",
        'else 1 - getattr(self.mwc, f"double_{name}")',
        'else getattr(self.mwc, f"double_{name}")',
        _CUBE,
    ),
    (
        "cube decisions: the proper action is not first",
        "key=lambda item: not item[0].startswith(first)",
        "key=lambda item: item[0].startswith(first)",
        _CUBE,
    ),
    (
        "cube decisions: redoubles are called doubles",
        "redouble = decision.cube_owner == 1",
        "redouble = False",
        _CUBE,
    ),
    (
        "cube decisions: live cube points with efficiency 0.9",
        '"live": 1.0, "cubeful"',
        '"live": 0.9, "cubeful"',
        _CUBE,
    ),
    (
        "cube decisions: errors do not name the row",
        'f"decision {row}: {error}"',
        'f"{error}"',
        _CUBE,
    ),
    (
        "score maps: Crawford games are not special",
        "crawford = own.crawford or opponent.crawford",
        "crawford = False",
        _SCORES,
    ),
    (
        "score maps: both players need one point in the Crawford game",
        "(own.away == opponent.away or decision.cube > 1 or decision.cube_owner)",
        "(decision.cube > 1 or decision.cube_owner)",
        _SCORES,
    ),
    (
        "score maps: doubles of dead cubes are accepted",
        "decision.cube >= own.away",
        "decision.cube > own.away",
        _SCORES,
    ),
    (
        "score maps: players are exchanged",
        "score=(length - own.away, length - opponent.away)",
        "score=(length - opponent.away, length - own.away)",
        _SCORES,
    ),
    ("score maps: too good is shown as no double", 'return "TG" if', 'return "ND" if', _SCORES),
    (
        "roll maps: offers are accepted",
        "    refuse_offer(root)\n",
        "",
        _ROLLS,
    ),
    (
        "roll maps: the opponent is on roll after a reply",
        "candidate.play.position.flip() if play is None else play.position",
        "candidate.play.position if play is None else play.position.flip()",
        _ROLLS,
    ),
    (
        "roll maps: every take is a pass",
        'result.equities.answers == "pass"',
        'result.equities.answers != "pass"',
        _ROLLS,
    ),
    (
        "roll maps: market losers without a legal double",
        "if not all(result.why_not is None for result in cube_results):",
        "if False:",
        _ROLLS,
    ),
    (
        "decisions: exact values are ignored",
        "            if exact\n            else result",
        "            if False\n            else result",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: searched doubles do not turn the cube",
        "double_take = once.denormalized(self._after_doubling(root, 2).equity)",
        "double_take = once.denormalized(no_double.equity)",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "decisions: beavers cannot be passed",
        "double_beaver = max(beaver, once.of_points(-1))",
        "double_beaver = beaver",
        _BRANCHES,
        _CUBE_TESTS,
    ),
    (
        "opponents: plays ignore the cube",
        "return self._player.best_plays(decision)[0].play",
        "return self._player.best_plays(game.position, game.dice)[0].play",
        _OPPONENTS,
        _OPPONENT_TESTS,
    ),
    (
        "opponents: doubles ignore the score",
        "return bool(cube_decision(decision, self._player, rules=self.rules).equities.doubles)",
        "return self._equity(game) >= DOUBLES",
        _OPPONENTS,
        _OPPONENT_TESTS,
    ),
    (
        "opponents: no beavers",
        '"Beaver": "beaver", "Raccoon"',
        '"Beaver": "take", "Raccoon"',
        _OPPONENTS,
        _OPPONENT_TESTS,
    ),
    (
        "opponents: answers ignore the cube",
        """        if decision is None:
            return "take" if""",
        """        if True:
            return "take" if""",
        _OPPONENTS,
        _OPPONENT_TESTS,
    ),
    (
        "hints: plays ignore the cube",
        "best = player.best_plays(decision)[:HINTED]",
        "best = player.best_plays(game.position, game.dice)[:HINTED]",
        _PLAY,
        "tests/cli/test_play.py",
    ),
    (
        "rollout command: the efficiency option is ignored",
        "            efficiency=cube.efficiency,\n",
        "",
        _ROLLOUT,
        _ROLLOUT_TESTS,
    ),
    (
        "rollout command: the match equity table is ignored",
        "            met=cube.met,\n",
        "",
        _ROLLOUT,
        _ROLLOUT_TESTS,
    ),
]
