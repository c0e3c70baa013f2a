"""How to break the network, its training and contests: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["NETWORK_MUTATIONS", "NETWORK_TESTS"]

_LANES = "bgfast/core/network/lanes.h"
_LAYOUT = "bgfast/core/network/network_layout.h"
_FEATURES = "bgfast/core/network/position_features.h"
_ACCUMULATOR = "bgfast/core/network/network_accumulator.h"
_FORWARD = "bgfast/core/network/network_forward.h"
_TABLES = "bgfast/core/network/network_tables.h"
_CHOICE = "bgfast/core/network/network.pxi"
_ANY_BOARD = "bgfast/core/network/network.pyx"
_CAPI = "bgfast/capi.pyx"
_CORE = "bgfast/evaluation/evaluators/_network.pyx"
_PLAYERS = "bgfast/evaluation/evaluators/_evaluators.pyx"
_FILE = "bgfast/evaluation/evaluators/network_file.py"
_ONNX = "bgfast/evaluation/evaluators/network_onnx.py"
_WEIGHTS = "bgfast/evaluation/evaluators/network_weights.py"
_DENSE = "bgfast/core/network/dense.h"
_CONTEST = "bgfast/learning/strength/contest.py"
_CURVE = "bgfast/learning/training/curve.py"
_COMMAND = "bgfast/cli/train.py"
_TESTS = ["tests/evaluation/evaluators/test_network.py"]
_IN_CORE = "tests/analysis/rollouts/test_rollouts_in_core.py"
_COMMAND_TESTS = ["tests/cli/test_train.py"]

NETWORK_TESTS = {
    **dict.fromkeys((_LANES, _LAYOUT, _FEATURES, _ACCUMULATOR, _FORWARD, _CHOICE, _ANY_BOARD), _TESTS),
    # Learning alone asks for inputs one by one.
    _TABLES: [*_TESTS, "tests/learning/training/test_learner.py"],
    **{source: ["tests/evaluation/evaluators/test_network_file.py", *_TESTS] for source in (_FILE, _WEIGHTS)},
    _DENSE: _TESTS,
    _ONNX: ["tests/evaluation/evaluators/test_network_onnx.py"],
    _CORE: [*_TESTS, "tests/analysis/rollouts/test_rollouts_in_core.py"],
    _CAPI: ["tests/test_capi.py"],
    _CONTEST: ["tests/learning/strength/test_contest.py"],
    _CURVE: _COMMAND_TESTS,
}

# name, what stands there, what comes in its place, source
NETWORK_MUTATIONS = [
    ("races are contact", "if (bg_highest(own) < bg_lowest(other))", "if (0)", _LAYOUT),
    (
        "who has checkers back",
        "? BG_NET_BOTH_BACK : BG_NET_MOVER_BACK",
        "? BG_NET_MOVER_BACK : BG_NET_BOTH_BACK",
        _LAYOUT,
    ),
    (
        "what is off counts once too few",
        "bg_table_off_row(0, BG_NET_CHECKERS - own)",
        "bg_table_off_row(0, BG_NET_CHECKERS - own - 1)",
        _ACCUMULATOR,
    ),
    (
        "what is off is as before",
        "if (off_opponent != accumulator->off_opponent) {",
        "if (0) {",
        _ACCUMULATOR,
    ),
    ("the last place never changes", "places = BG_NET_PLACES", "places = BG_NET_PLACES - 1", _ACCUMULATOR),
    ("features are as before", "bg_store(accumulator->features, features);", "", _ACCUMULATOR),
    ("a backgammon without a gammon", "out[2] = out[2] > out[1] ? out[1] : out[2];", "", _FORWARD),
    (
        "gammons count once lost",
        "bg_lanes_sub(bg_lanes_add(bg_lanes_add(plain",
        "bg_lanes_add(bg_lanes_add(bg_lanes_add(plain",
        _FORWARD,
    ),
    ("rounding down", "(x < 0 ? -0.5f : 0.5f)", "0.0f", _TABLES),
    ("too large for 16 bits", "scale[h] = 32000.0f /", "scale[h] = 320000.0f /", _TABLES),
    (
        "too large for 32 bits",
        "fit = total > 0 ? (2147483647.0f",
        "fit = total > 0 ? 64 * (2147483647.0f",
        _TABLES,
    ),
    ("no halves between knots", "bg_net_add_scaled_to(hidden, to, to, w + size, share);", "", _TABLES),
    ("blots learn as points", "input[n] = 0;\n", "input[n] = 1;\n", _TABLES),
    ("others move before the bar is empty", "others = several_on_bar ? 0 :", "others = 0 ? 0 :", _FEATURES),
    ("doubles move three times", "(s | t | u | u >> D[i]) & blots", "(s | t | u) & blots", _FEATURES),
    ("a closed point lets through", "bg_all_bits_if(back) & 4095", "bg_all_bits_if(back) & 4094", _FEATURES),
    ("anchors on the bar", "far = side->made >> 13 & 0xfff;", "far = side->made >> 13;", _FEATURES),
    (
        "finished games are worth nothing",
        "equities[k] = board_result(&board, scheme, checkers)",
        "equities[k] = 0",
        _CHOICE,
    ),
    ("the best for the next player", "if equities[k] < lowest:", "if equities[k] > -lowest:", _CHOICE),
    ("the last lanes stay behind", "while k < number:", "while k + LANES < number:", _CHOICE),
    (
        "a pass is worth what the next player has",
        "equity[0] = -network_equity",
        "equity[0] = network_equity",
        _ANY_BOARD,
    ),
    ("all rolls are the first", "rows += sizes[roll] * BOARD_SIZE", "pass", _CORE, _IN_CORE),
    ("finished boards are evaluated", "if result:\n        ended", "if False:\n        ended", _ANY_BOARD),
    (
        "C takes any object for a network",
        "network._nets, core_network.NETS_NAME",
        "network._nets, NULL",
        _CAPI,
    ),
    ("C evaluates any board", "return -2 - i\n        _evaluate", "pass\n        _evaluate", _CAPI),
    ("C gets one value", "NULL if values == NULL else values + i", "values", _CAPI),
    ("any checksum will do", "!= content[-CHECKSUM:]:", "== b'':", _FILE),
    ("weights that are no numbers", "if not bounded.all():", "if False:", _WEIGHTS),
    (
        "weights of any size",
        "(array >= -MOST_WEIGHT) & (array <= MOST_WEIGHT)",
        "np.isfinite(array)",
        _WEIGHTS,
    ),
    ("weights in memory of others", "np.array(array, np.float32", "np.asarray(array, np.float32", _WEIGHTS),
    ("sizes of any type", "type(features) is int", "True", _FILE),
    ("16 bits for weights that need more", "bits = 16 if all(", "bits = 16 if any(", _FILE),
    ("no ceiling above a hidden layer", ".ceiling > 0).all()", ".ceiling > 0).any()", _WEIGHTS),
    ("first layers that nobody reads", "    if unread:", "    if False:", _WEIGHTS),
    (
        "activations in 16 bits alone: one less than there is room for",
        "most = _mm_set1_epi16(127)",
        "most = _mm_set1_epi16(126)",
        _LANES,
    ),
    ("activations are cut off", "_mm_add_epi16(low, _mm_set1_epi16(1))", "low", _LANES),
    ("every eighth four is taken for 0", "& 0xff) << (i / 4)", "& 0x7f) << (i / 4)", _DENSE),
    ("one sum of two is counted twice", "_MM_SHUFFLE(3, 1, 3, 1)", "_MM_SHUFFLE(2, 0, 2, 0)", _DENSE),
    ("a ceiling for all units", "ceiling[h] * scale[h]", "ceiling[0] * scale[h]", _TABLES),
    ("weights of other inputs", "j * 4 + (h & 3)", "j * 4 + (3 - (h & 3))", _TABLES),
    ("all units by the scale of one", "* net->dense_scale[j]", "* net->dense_scale[0]", _FORWARD),
    (
        "quantized units without a bias",
        "* net->dense_scale[j] + net->dense_bias[j]",
        "* net->dense_scale[j]",
        _FORWARD,
    ),
    (
        "float units without a bias",
        "const float *bias = net->dense_bias + j;",
        "const float bias[32] = {0};",
        _FORWARD,
    ),
    ("units that are not active count", "count += from[h] > 0.0f;", "count++;", _LANES),
    (
        "the last changed row is left out",
        "n + bg_popcount(changed);",
        "n + bg_popcount(changed & (changed - 1));",
        _ACCUMULATOR,
    ),
    (
        "a model adds up all heads",
        'asked.append(self.node("Mul", values,',
        'asked.append(self.node("Add", values,',
        _ONNX,
    ),
    ("a model's gammon without a win", 'gammon = self.node("Min", gammon, win)', "pass", _ONNX),
    (
        "a model's losing gammon while winning",
        'self.node("Sub", self.tensor(np.ones(1, np.float32)), win)',
        "win",
        _ONNX,
    ),
    ("the opponent's inputs from the mover's home", "-boards[:, ::-1]]", "-boards]", _ONNX),
    ("a model's numbers end after seven bits", "while number > 127:", "while False:", _ONNX),
    ("parts of any size", "not 0 < hidden <= MAX_HIDDEN or hidden % 32:", "hidden < 0:", _CORE),
    ("parts in any number", "if len(heads) != PARTS:", "if False:", _CORE),
    ("tables change while they are read", "if self.layers:", "if False:", _CORE),
    ("NaN goes through the sigmoid", "enough = a >= low", "enough = ~(a < low)", _LANES),
    ("both players win", "-_sign_of_mover(ended, ply) * result", "result", _CONTEST),
    (
        "contest: luck is added",
        "points - np.concatenate(self._luck)",
        "points + np.concatenate(self._luck)",
        _CONTEST,
    ),
    ("contest: luck is the mover's", "_sign_of_mover(games[rows], ply) * luck", "luck", _CONTEST),
    (
        "contest: no luck is counted",
        "(boards[1:] == boards[:-1]).all",
        "(boards[1:] == boards[:-1]).any",
        _CONTEST,
    ),
    ("contest: luck under rules with other plays", "generated_switches(rules) is None and ", "", _CONTEST),
    (
        "contest: luck under rules with other points",
        " and rules.win_scheme == STANDARD.win_scheme",
        "",
        _CONTEST,
    ),
    (
        "contest: each block begins with the first position",
        "np.arange(begin, end) % len(self._starts)",
        "np.arange(end - begin) % len(self._starts)",
        _CONTEST,
    ),
    (
        "contest: games from positions begin with an opening roll",
        "opening=True) if positions is None else None",
        "opening=True)",
        _CONTEST,
    ),
    ("pairs count as games", "means = points.mean(axis=1)", "means = points.reshape(-1)", _CONTEST),
    ("the network before is the first one", "last = network\n", "pass\n", _COMMAND),
    (
        "both looks are at pubeval",
        "for opponent in (Pubeval(), before)",
        "for opponent in (Pubeval(), Pubeval())",
        _CURVE,
    ),
    ("an odd number of games is rounded", "if number % 2:", "if False:", _COMMAND),
    ("one file for two things", "if file == one:", "if False:", _COMMAND),
    ("what is learnt cannot be written", "    check_name(arguments.out)\n", "", _COMMAND),
    (
        "anything is a curve",
        "            _, length = _read(path, content)\n",
        "            length = len(content)\n",
        _CURVE,
    ),
    (
        "a torn line of a curve stays",
        "append_whole(lock.descriptor, length, line)",
        "append_whole(lock.descriptor, len(content), line)",
        _CURVE,
    ),
    ("a torn line of a curve is not told", "    elif torn:\n", "    elif False:\n", _CURVE),
]
