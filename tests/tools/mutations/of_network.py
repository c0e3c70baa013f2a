"""How to break the network, its training and contests: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["NETWORK_MUTATIONS", "NETWORK_TESTS"]

_SUMS = "bgfast/core/network.h"
_CHOICE = "bgfast/core/network.pxi"
_ANY_BOARD = "bgfast/core/network.pyx"
_CAPI = "bgfast/capi.pyx"
_CORE = "bgfast/analysis/_network.pyx"
_SELF_PLAY = "bgfast/analysis/_training.pyx"
_FILE = "bgfast/analysis/network_file.py"
_TRAINING = "bgfast/analysis/training.py"
_CONTEST = "bgfast/analysis/contest.py"
_COMMAND = "bgfast/cli/train.py"
_TESTS = ["tests/analysis/test_network.py"]

NETWORK_TESTS = {
    **dict.fromkeys((_SUMS, _CHOICE, _ANY_BOARD, _SELF_PLAY, _FILE, _TRAINING), _TESTS),
    _CORE: [*_TESTS, "tests/analysis/test_rollouts_in_core.py"],
    _CAPI: ["tests/test_capi.py"],
    _CONTEST: ["tests/analysis/test_contest.py"],
    _COMMAND: ["tests/cli/test_train.py"],
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
        "worth[0] = -network_equity",
        "worth[0] = network_equity",
        _ANY_BOARD,
    ),
    ("all rolls are the first", "rows += sizes[roll] * BOARD_SIZE", "pass", _CORE),
    ("finished boards are evaluated", "if outcome:\n        out[0]", "if False:\n        out[0]", _ANY_BOARD),
    (
        "C takes any object for a network",
        "network._nets, core_network.NETS_NAME",
        "network._nets, NULL",
        _CAPI,
    ),
    ("C evaluates any board", "return -2 - i\n        _evaluate", "pass\n        _evaluate", _CAPI),
    ("C gets one value", "NULL if values == NULL else values + i", "values", _CAPI),
    ("wins and losses stay where they are", "target[0] = 1 - target[0]", "target[0] = target[0]", _SELF_PLAY),
    ("any checksum will do", "!= content[-CHECKSUM:]:", "== b'':", _FILE),
    ("weights that are no numbers", "if not np.isfinite(numbers).all():", "if False:", _FILE),
    ("workers learn nothing from each other", "own += (of_workers - own).sum(axis=0)", "own += 0", _TRAINING),
    ("training begins anew", 'int(network.about.get("games", 0))', "0", _TRAINING),
    ("both players win", "sign = np.where((ended + ply) % 2 == 0, -1, 1)", "sign = 1", _CONTEST),
    ("pairs count as games", "means = points.mean(axis=1)", "means = points.reshape(-1)", _CONTEST),
    ("a network is written over", "if there and not arguments.resume:", "if False:", _COMMAND),
]
