"""Mutations of the network, its training and contests."""

from __future__ import annotations

_LANES = "bgfast/core/network/lanes.h"
_LAYOUT = "bgfast/core/network/network_layout.h"
_FEATURES = "bgfast/core/network/position_features.h"
_ROWS = "bgfast/core/network/network_rows.h"
_ACCUMULATOR = "bgfast/core/network/network_accumulator.h"
_FORWARD = "bgfast/core/network/network_forward.h"
_TABLES = "bgfast/core/network/network_tables.h"
_CHOICE = "bgfast/core/network/network.pxi"
_ANY_BOARD = "bgfast/core/network/network.pyx"
_CAPI = "bgfast/capi.pyx"
_CORE = "bgfast/evaluation/evaluators/_network.pyx"
_DENSE = "bgfast/core/network/dense.h"
_IN_CORE = "tests/analysis/rollouts/test_rollouts_in_core.py"

TESTS = {
    _LANES: ["tests/evaluation/evaluators/test_network.py"],
    _LAYOUT: ["tests/evaluation/evaluators/test_network.py"],
    _FEATURES: ["tests/evaluation/evaluators/test_network.py"],
    _ROWS: ["tests/evaluation/evaluators/test_network.py"],
    _ACCUMULATOR: ["tests/evaluation/evaluators/test_network.py"],
    _FORWARD: ["tests/evaluation/evaluators/test_network.py"],
    _CHOICE: ["tests/evaluation/evaluators/test_network.py"],
    _ANY_BOARD: ["tests/evaluation/evaluators/test_network.py"],
    _TABLES: ["tests/evaluation/evaluators/test_network.py", "tests/learning/training/test_learner.py"],
    _DENSE: ["tests/evaluation/evaluators/test_network.py"],
    _CORE: ["tests/evaluation/evaluators/test_network.py", _IN_CORE],
    _CAPI: ["tests/test_capi.py"],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "ties are not broken by gammons",
        "score += weight * cubeless",
        "pass",
        "bgfast/evaluation/evaluators/_network.pyx",
        "tests/evaluation/evaluators/test_plays_at_a_score.py",
    ),
    ("races are contact", "if (bg_highest(own) < bg_lowest(other))", "if (0)", _LAYOUT),
    (
        "buckets: checkers back are those of both sides",
        "? BG_NET_BOTH_BACK : BG_NET_MOVER_BACK",
        "? BG_NET_MOVER_BACK : BG_NET_BOTH_BACK",
        _LAYOUT,
    ),
    (
        "one checker too few is off",
        "bg_table_off_row(0, BG_NET_CHECKERS - own)",
        "bg_table_off_row(0, BG_NET_CHECKERS - own - 1)",
        _ROWS,
    ),
    ("the opponent's checkers stay on the board", " | (uint64_t)off_opponent << 24", "", _ROWS),
    (
        "triples are not updated",
        "bg_net_differences(before, &next);",
        "bg_net_differences(before, &next) & ~((uint64_t)0xffff << 32);",
        _ACCUMULATOR,
    ),
    (
        "further checkers are not updated",
        "bg_net_differences(before, &next);",
        "bg_net_differences(before, &next) & ~(uint64_t)0xffffffff;",
        _ACCUMULATOR,
    ),
    ("checkers on the bar count from the third on", "few = place % 25 ? 2 : 0;", "few = 2;", _ROWS),
    ("two of the opponent's checkers are one", "count < -2 ? -2", "count < -1 ? -1", _ROWS),
    ("wide registers know one checker a point", "1 << 16 | 5 << 8 | 25", "1 << 16 | 5 << 8 | 24", _ROWS),
    ("pairs of features are their first", "BG_FEATURE_VALUES + second;", "BG_FEATURE_VALUES;", _ROWS),
    ("the greatest value of a feature has no row", "knots->knots - 1] + 1;", "knots->knots - 1];", _FEATURES),
    (
        "boards that wait change by the rows of the first",
        "bg_net_change_tile(a, h, registers, rows + n);",
        "bg_net_change_tile(a, h, registers, rows);",
        _FORWARD,
    ),
    (
        "boards after the second get its outputs",
        "activations + i * net->inputs, boards",
        "activations, boards",
        _FORWARD,
    ),
    (
        "triples have no weights of their own",
        "memcpy(to, own, sizeof(float) * size);",
        "memset(to, 0 * own[0], sizeof(float) * size);",
        _TABLES,
    ),
    (
        "the third checker counts as the fourth",
        "count <= 5 ? count - 1 : 5",
        "count < 5 ? count : 5",
        _TABLES,
    ),
    (
        "features are not updated",
        "bg_net_differences(before, &next);",
        "bg_net_differences(before, &next) & ~((uint64_t)0xffff << 48);",
        _ACCUMULATOR,
    ),
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
        "fit = above > 0 ? (2147000000.0f",
        "fit = above > 0 ? 64 * (2147000000.0f",
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
        "a pass has the sign of the next player",
        "equity[0] = -network_equity",
        "equity[0] = network_equity",
        _ANY_BOARD,
    ),
    ("all rolls use the rows of the first", "rows += sizes[roll] * BOARD_SIZE", "pass", _CORE, _IN_CORE),
    (
        "results of finished games replace other evaluations",
        "probabilities_to_floats(&probabilities, out + i * LANES)",
        "probabilities_to_floats(&probabilities, out + first * LANES)",
        _ANY_BOARD,
    ),
    (
        "boards together with the first one's bucket",
        "bg_net_bucket(boards + number * row_size) == bucket",
        "bg_net_bucket(boards + number * row_size) >= 0",
        _FORWARD,
    ),
    (
        "all boards have the rows of the first",
        "accumulators[b].rows[i] = ",
        "accumulators[0].rows[i] = ",
        _ACCUMULATOR,
    ),
    (
        "C accepts any object as a network",
        "network._nets, core_network.NETS_NAME",
        "network._nets, NULL",
        _CAPI,
    ),
    (
        "C evaluates any board",
        "                break\n            n += 1",
        "                pass\n            n += 1",
        _CAPI,
    ),
    ("C gets one value", "NULL if values == NULL else values + i", "values", _CAPI),
    ("every eighth pair counts as 0", "& 0xff) << (i / 2)", "& 0x7f) << (i / 2)", _DENSE),
    (
        "half of the pairs count as 0",
        "test_epi32_mask(a, a)",
        "test_epi32_mask(a, a) & 0xff",
        _DENSE,
        "",
        "x86_vnni",
    ),
    (
        "the second of two pairs is the first",
        "activations + 2 * l",
        "activations + 2 * k",
        _DENSE,
        "",
        "x86_vnni",
    ),
    ("squares of another pair", "bg_pair(squares + 2 * k)", "bg_pair(squares)", _DENSE, "", "x86_vnni"),
    (
        "a unit's products of squares count for another",
        "_mm512_loadu_si512(row + 2 * units + 32)",
        "_mm512_loadu_si512(row + 2 * units)",
        _DENSE,
        "",
        "x86_vnni",
    ),
    (
        "squares of half the size in wide registers",
        "_mm512_mulhrs_epi16(a, a)",
        "_mm512_mulhrs_epi16(a, bg_int16s_relu(a, 1))",
        _LANES,
        "",
        "x86_vnni",
    ),
    (
        "both boards get the sums of the first",
        "pair += 2 * inputs",
        "pair += 0 * inputs",
        _DENSE,
        "",
        "x86_vnni",
    ),
    (
        "pairs active on one board alone are left out",
        "active |= bg_active",
        "active = bg_active",
        _DENSE,
        "",
        "x86_vnni",
    ),
    ("the bounds of sums leave out bar and off", "place <= BG_NET_PLACES", "place < 25", _TABLES),
    ("the bounds of sums are those of 14 checkers", "largest[BG_NET_CHECKERS][h]", "largest[14][h]", _TABLES),
    ("narrow registers round squares down", "_mm_add_epi16(low, _mm_set1_epi16(1))", "low", _LANES),
    (
        "activations instead of squares",
        "bg_lanes_splat(activation * activation)",
        "bg_lanes_splat(activation)",
        _FORWARD,
    ),
    (
        "outputs read no squares",
        "if (inputs > hidden)\n                sums",
        "if (0)\n                sums",
        _FORWARD,
    ),
    ("squares of half the size", "weight * 32768.0f", "weight * 65536.0f", _TABLES),
    ("sums of squares beyond 32 bits", "peak * peak / 32768.0f + 0.5f", "peak / 32768.0f", _TABLES),
    (
        "the scale of one unit for all",
        "layer->scale[input < hidden ? input : input - hidden]",
        "layer->scale[0]",
        _TABLES,
    ),
    ("weights of other inputs", "j * 2 + (h & 1)", "j * 2 + (1 - (h & 1))", _TABLES),
    ("all units by the scale of one", "* net->dense_scale[j]", "* net->dense_scale[0]", _FORWARD),
    (
        "quantized units without a bias",
        "* net->dense_scale[j] + net->dense_bias[j]",
        "* net->dense_scale[j]",
        _FORWARD,
    ),
    (
        "float units without a bias",
        "bg_tile_load(net->dense_bias + j);",
        "bg_tile_load((const float[32]){0});",
        _FORWARD,
    ),
    ("units that are not active count", "count += from[h] > 0.0f;", "count++;", _LANES),
    (
        "the last changed row is left out",
        "rows->n = bg_popcount((uint32_t)changed)",
        "rows->n = bg_popcount((uint32_t)(changed & (changed - 1)))",
        _ACCUMULATOR,
    ),
    ("finished games are left out", "in range(BUCKETS + 1):", "in range(BUCKETS):", _CORE),
    ("buckets of any size", "not 0 < hidden <= MAX_HIDDEN or hidden % 32:", "hidden < 0:", _CORE),
    ("buckets in any number", "if len(heads) != BUCKETS:", "if False:", _CORE),
    ("tables change while they are read", "if self.layers:", "if False:", _CORE),
    ("NaN goes through the sigmoid", "enough = a >= low", "enough = ~(a < low)", _LANES),
]
