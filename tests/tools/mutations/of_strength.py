"""How to break the benchmark of contested decisions and error per play: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["STRENGTH_MUTATIONS", "STRENGTH_TESTS"]

_FAMILIES = "bgfast/learning/strength/families.py"
_DECISIONS = "bgfast/learning/strength/contested_decisions.py"
_ERRORS = "bgfast/learning/strength/error_per_play.py"
_COMMAND = "bgfast/cli/error_per_play.py"
_MAKER = "benchmarks/make_contested_decisions.py"

STRENGTH_TESTS = {
    _FAMILIES: ["tests/learning/strength/test_families.py"],
    _DECISIONS: ["tests/learning/strength/test_contested_decisions.py"],
    _ERRORS: ["tests/learning/strength/test_error_per_play.py"],
    _COMMAND: ["tests/cli/test_error_per_play.py"],
    _MAKER: ["tests/benchmarks/test_contested_decisions.py"],
}

# name, what stands there, what comes in its place, source
STRENGTH_MUTATIONS = [
    ("long openings", "MAX_OPENING_MOVED = 3", "MAX_OPENING_MOVED = 4", _FAMILIES),
    ("an opening of one player", "if all(_number_moved", "if any(_number_moved", _FAMILIES),
    (
        "a bear-off of the mover alone",
        "sides = ((mover, opponent), (opponent, mover))",
        "sides = ((mover, opponent),)",
        _FAMILIES,
    ),
    (
        "a race is a bear-off",
        '"bear-off" if _number_away(mover) == 0 else "long race"',
        '"bear-off"',
        _FAMILIES,
    ),
    ("three checkers are contained", "MAX_CONTAINED = 2", "MAX_CONTAINED = 3", _FAMILIES),
    ("an anchor is contained", "and _number_of_points(points, OPPONENT_HOME) == 0", "", _FAMILIES),
    ("the outfield is behind", "back = (*OPPONENT_HOME, BAR)", "back = range(7, 26)", _FAMILIES),
    ("a back game with one anchor", "OPPONENT_HOME) >= 2", "OPPONENT_HOME) >= 1", _FAMILIES),
    ("a back game ahead", ">= MIN_BACK_GAME_DEFICIT", "> -999", _FAMILIES),
    ("a prime in front", "range(rearmost + 1, BAR)", "range(1, BAR)", _FAMILIES),
    (
        "a prime with gaps",
        "run = run + 1 if points[point] >= 2 else 0",
        "run += points[point] >= 2",
        _FAMILIES,
    ),
    ("one short prime", "or all(\n        _traps", "or any(\n        _traps", _FAMILIES),
    ("a blitz with two points", "MIN_BLITZ_POINTS = 3", "MIN_BLITZ_POINTS = 2", _FAMILIES),
    ("any anchor holds", "HOLDING_POINTS = range(18, 23)", "HOLDING_POINTS = range(18, 25)", _FAMILIES),
    ("two anchors hold", "+ (points[18] >= 2) == 1", ">= 1", _FAMILIES),
    (
        "somebody is behind the holder",
        "and all(points[point] >= 0 for point in range(HOME.stop))",
        "",
        _FAMILIES,
    ),
    ("positions of any size", "if position.checkers != CHECKERS:", "if False:", _FAMILIES),
    (
        "the second judge is exact",
        "better.loss_se, worse.loss_se, better_second.equity_se, worse_second.equity_se",
        "better.loss_se, worse.loss_se",
        _DECISIONS,
    ),
    (
        "judges differ in one direction",
        '"judges-differ" if abs(distance) >',
        '"judges-differ" if distance >',
        _DECISIONS,
    ),
    (
        "judges differ in rounding",
        "max(NORMAL_95 * error, MIN_DISAGREEMENT)",
        "NORMAL_95 * error",
        _DECISIONS,
    ),
    ("one judge is enough", "if len(both) < 2:", "if not both:", _DECISIONS),
    ("a minus sign before zero", "round(value * MILLI, 1) + 0.0", "value * MILLI", _DECISIONS),
    ("numbers that are none", "if not math.isfinite(value):", "if False:", _DECISIONS),
    ("one trial", "int(text) < 2", "int(text) < 1", _DECISIONS),
    ("the smaller die first", "if not 6 >= larger >= smaller >= 1:", "if not 6 >= larger:", _DECISIONS),
    ("nothing is best", "or candidates[0].loss or", "or", _DECISIONS),
    (
        "plays that are illegal",
        "if len(listed) != len(rows) or {position_id for position_id, _, _ in listed} != set(rows):",
        "if len(listed) != len(rows):",
        _DECISIONS,
    ),
    (
        "plays that are listed twice",
        "if len(listed) != len(rows) or {position_id",
        "if {position_id",
        _DECISIONS,
    ),
    (
        "estimates are exact",
        "(position_id, loss, math.nan) for",
        "(position_id, loss, 0.0) for",
        _DECISIONS,
    ),
    ("the error is that of one decision", "/ math.sqrt(number)", "", _ERRORS),
    ("the error of the rollouts does not shrink", ".sum())) / number * MILLI", ".sum())) * MILLI", _ERRORS),
    ("the best mistakes", "[::-1][:worst]", "[:worst]", _ERRORS),
    ("agreement costs, too", "losses == 0)", "losses >= 0)", _ERRORS),
    ("every decision is of one family", "mean(families == family)", "mean(families != '')", _ERRORS),
    ("the judges always differ", 'decision.judges == "judges-differ"', "True", _ERRORS),
    ("the same play has an error", "np.where(same, 0, errors)", "errors", _ERRORS),
    (
        "differences are no differences",
        "(contested.losses[rows] - contested.losses[other_rows])",
        "(contested.losses[rows] + contested.losses[other_rows])",
        _ERRORS,
    ),
    ("players of other decisions", "if first.contested.decisions !=", "if False !=", _ERRORS),
    (
        "a standard error is an interval",
        "half = NORMAL_95 * self.standard_error",
        "half = self.standard_error",
        _ERRORS,
    ),
    ("three players", "if not 1 <= len(names) <= 2:", "if not names:", _COMMAND),
    (
        "standard errors are printed",
        "± {NORMAL_95 * mean.rollout_error:.2f}",
        "± {mean.rollout_error:.2f}",
        _COMMAND,
    ),
    ("Ctrl-C prints no errors", "if known:\n", "if False:\n", _COMMAND),
    ("rollouts are forgotten", "self._decisions = {", "_ = {", _MAKER),
    ("trials for what is settled", "or is_settled(self._decisions[key]):", "or False:", _MAKER),
    (
        "the second judge is forgotten",
        "decision = decision._replace(second=self._decisions[key].second)",
        "pass",
        _MAKER,
    ),
    ("other options go on", "!= self._notes:", "== 0:", _MAKER),
    ("a decision comes twice", "or (position.gnubg_id, roll) in keys", "", _MAKER),
]
