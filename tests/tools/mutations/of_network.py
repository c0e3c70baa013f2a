"""How to break the network, its training and contests: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["NETWORK_MUTATIONS", "NETWORK_TESTS"]

_SUMS = "bgfast/core/network.h"
_CHOICE = "bgfast/core/network.pxi"
_CORE = "bgfast/analysis/_network.pyx"
_SELF_PLAY = "bgfast/analysis/_training.pyx"
_FILE = "bgfast/analysis/network_file.py"
_TRAINING = "bgfast/analysis/training.py"
_CONTEST = "bgfast/analysis/contest.py"
_JUDGED = "bgfast/analysis/judged_positions.py"
_ERRORS = "bgfast/analysis/error_per_move.py"
_CURVE = "bgfast/analysis/training_curve.py"
_COMMAND = "bgfast/cli/train.py"
_TESTS = ["tests/analysis/test_network.py"]
_TRAINING_TESTS = [*_TESTS, "tests/analysis/test_tiny_games.py"]
_ERROR_TESTS = ["tests/analysis/test_error_per_move.py"]
_COMMAND_TESTS = ["tests/cli/test_train.py"]

NETWORK_TESTS = {
    **dict.fromkeys((_SUMS, _CHOICE, _CORE, _FILE), _TESTS),
    _SELF_PLAY: _TRAINING_TESTS,
    _TRAINING: _TRAINING_TESTS,
    _JUDGED: _ERROR_TESTS,
    _ERRORS: _ERROR_TESTS,
    _CONTEST: ["tests/analysis/test_contest.py"],
    _CURVE: _COMMAND_TESTS,
    _COMMAND: _COMMAND_TESTS,
}

# name, what stands there, what comes in its place, source
NETWORK_MUTATIONS = [
    ("races are contact", "rear > front ? BG_NET_CONTACT", "rear >= 0 ? BG_NET_CONTACT", _SUMS),
    ("what is off counts once too few", "(int64_t)(checkers - own)", "(int64_t)(checkers - own - 1)", _SUMS),
    ("the two last places never change", "changed &= ~(uint64_t)0 << 48;", "changed = 0;", _SUMS),
    ("a backgammon without a gammon", "out[2] = out[2] > out[1] ? out[1] : out[2];", "", _SUMS),
    ("blots learn as points", "input[n] = 0;\n", "input[n] = 1;\n", _SUMS),
    ("the bias of outputs learns nothing", "output_bias[k] += step;", "", _SUMS),
    ("hidden units at 0 learn, too", "slope[h] = sum[h] > 0.0f ? slope[h] : 0.0f;", "", _SUMS),
    (
        "finished games are worth nothing",
        "value = board_outcome(&board, scheme, checkers)",
        "value = 0",
        _CHOICE,
    ),
    ("the best for the next player", "if value < least:", "if value > -least:", _CHOICE),
    (
        "a pass is worth what the next player has",
        "self.values[i] = -network_equity",
        "self.values[i] = network_equity",
        _CORE,
    ),
    ("wins and losses stay where they are", "target[0] = 1 - target[0]", "target[0] = target[0]", _SELF_PLAY),
    ("any checksum will do", "!= content[-CHECKSUM:]:", "== b'':", _FILE),
    ("weights that are no numbers", "if not np.isfinite(numbers).all():", "if False:", _FILE),
    ("workers learn nothing from each other", "own += (of_workers - own).sum(axis=0)", "own += 0", _TRAINING),
    ("training begins anew", 'int(network.about.get("games", 0))', "0", _TRAINING),
    ("both players win", "sign = np.where((ended + ply) % 2 == 0, -1, 1)", "sign = 1", _CONTEST),
    ("pairs count as games", "means = points.mean(axis=1)", "means = points.reshape(-1)", _CONTEST),
    (
        "plays judged in another order",
        "in_order[judged_order(plays)] = np.concatenate(losses)",
        "in_order[:] = np.concatenate(losses)",
        _JUDGED,
    ),
    ("plays that nobody has judged", "if wrong.any():", "if False:", _JUDGED),
    ("what is contact is a race", '.phase == "contact"', '.phase != "contact"', _ERRORS),
    ("the error is that of one decision", "/ math.sqrt(number)", "", _ERRORS),
    ("the best mistakes", "[::-1][:worst]", "[:worst]", _ERRORS),
    (
        "any start will do",
        "if self._start.checkers != CHECKERS or self._start.result:",
        "if False:",
        _TRAINING,
    ),
    (
        "all games begin at the start",
        "SelfPlay(self._start.to_array()",
        "SelfPlay(Position.start().to_array()",
        _TRAINING,
    ),
    ("a training goes on from any start", "if self._start != Position.start():", "if False:", _TRAINING),
    ("what was learnt of a win is learnt of a loss", "target[0] = 1\n", "target[0] = 0\n", _SELF_PLAY),
    ("the network before is the first one", "last = network\n", "", _COMMAND),
    (
        "both looks are at pubeval",
        "for opponent in (Pubeval(), before)",
        "for opponent in (Pubeval(), Pubeval())",
        _CURVE,
    ),
    ("an odd number of games is rounded", "if number % 2:", "if False:", _COMMAND),
    ("a network is written over", "if there and not arguments.resume:", "if False:", _COMMAND),
]
