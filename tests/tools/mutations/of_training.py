"""Mutations of the training of networks."""

from __future__ import annotations

_LEARNING = "bgfast/core/network/network_learning.h"
_LEARNER = "bgfast/learning/training/_learner.pyx"
_POSITIONS = "bgfast/learning/training/_positions.pyx"

TESTS = {
    _LEARNING: ["tests/learning/training/test_learner.py"],
    _LEARNER: ["tests/learning/training/test_learner.py"],
    _POSITIONS: ["tests/learning/training/test_positions.py"],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "a checker on the bar counts as 1 instead of a half",
        "value[n++] = 0.5f * (float)k;",
        "value[n++] = (float)k;",
        _LEARNING,
    ),
    (
        "the first knot of a feature gets the whole step",
        "value[n++] = 1.0f - share;",
        "value[n++] = 1.0f;",
        _LEARNING,
    ),
    ("the second knot of a feature learns nothing", "value[n++] = share;", "value[n++] = 0.0f;", _LEARNING),
    ("the bias learns nothing", "row[n] = BG_WEIGHTS_BIAS;\n    value[n++] = 1.0f;", "", _LEARNING),
    (
        "hidden units at 0 learn, too",
        "t.c = bg_lanes_where_positive(t.c, active.c);",
        "",
        _LEARNING,
    ),
    (
        "dense units at 0 learn, too",
        "sample->next_gradient[j] = sample->dense[j] > 0.0f ? sample->next_gradient[j] : 0.0f;",
        ";",
        _LEARNING,
    ),
    (
        "dense units may be negative",
        "sample->dense[j] = x > 0.0f ? x : 0.0f;",
        "sample->dense[j] = x;",
        _LEARNING,
    ),
    (
        "heads are mixed up",
        "rows += (bg_learner_input_rows(net) + head * bg_learner_head_rows(net)) * BG_TILE;",
        "rows += bg_learner_input_rows(net) * BG_TILE;",
        _LEARNING,
    ),
    ("triples learn nothing", "has_triples && k < BG_NET_TRIPLES", "k < 0 * has_triples", _LEARNING),
    (
        "squares learn nothing",
        "bg_tile_add_to(gradient + squares_row + j * BG_TILE, square, scale);",
        "",
        _LEARNING,
    ),
    (
        "the slope of a square is half of it",
        "bg_lanes_add(by_square.b, by_square.b)",
        "by_square.b",
        _LEARNING,
    ),
    (
        "a batch counts as its sum",
        "share * (out[k] - target[k] + BG",
        "(out[k] - target[k] + BG",
        _LEARNING,
    ),
    ("equities do not count", "BG_EQUITY_SHARE 10.0f", "BG_EQUITY_SHARE 0.0f", _LEARNING),
    (
        "a lost gammon counts as a won one",
        "{2.0f, 1.0f, 1.0f, -1.0f, -1.0f}",
        "{2.0f, 1.0f, 1.0f, 1.0f, -1.0f}",
        _LEARNING,
    ),
    (
        "a gradient is forgotten",
        "bg_lanes_store(net->gradient + i, zero);",
        "",
        _LEARNING,
    ),
    (
        "no root of the squares",
        "bg_lanes_add(bg_lanes_sqrt(square), epsilon)",
        "bg_lanes_add(square, epsilon)",
        _LEARNING,
    ),
    (
        "the mean keeps too little",
        "bg_lanes_add(bg_lanes_mul(keep_mean, bg_lanes_load(net->mean + i))",
        "bg_lanes_add(bg_lanes_mul(keep_square, bg_lanes_load(net->mean + i))",
        _LEARNING,
    ),
    (
        "without features some rows are not updated",
        "bg_learner_adam(net, first, BG_WEIGHTS_FEATURES * BG_TILE, step);",
        "",
        _LEARNING,
    ),
    ("the tail is not updated", "bg_learner_adam(net, first, net->heads * tail_size, step);", "", _LEARNING),
    (
        "the dense layer's bias is not updated",
        "bg_lanes_store(to, bg_lanes_add(bg_lanes_load(to), bg_lanes_load(sample->next_gradient + j)));",
        "",
        _LEARNING,
    ),
    ("steps are not corrected", "sqrt(1 - KEEP_SQUARE ** steps)", "1", _LEARNER),
    ("any row is learnt from", "if bucket == BUCKETS or self.heads[bucket] < 0:", "if False:", _LEARNER),
    ("a batch of any size", "if not 0 < n <= self.batch:", "if False:", _LEARNER),
    (
        "weights of any number",
        "if not weights.shape[0] == mean.shape[0] == square.shape[0] == size:",
        "if False:",
        _LEARNER,
    ),
    (
        "an interrupted step is not completed",
        "if not self.stepped[i]:\n                        self._step(i)",
        "pass",
        _LEARNER,
    ),
    (
        "the activations of the first batch are those of all",
        "&out[first + i, tile * TILE]",
        "&out[i, tile * TILE]",
        _LEARNER,
    ),
    ("no play is random", "if is_random:", "if False:", _POSITIONS),
    ("every play is random", "stream_uniform(&state) < self.noise", "True", _POSITIONS),
    ("plays are random in all plies", "% STRETCH < RANDOM_PLIES", "% STRETCH < STRETCH", _POSITIONS),
    (
        "random plays are not reported",
        "self.is_random[ply, game] = is_random",
        "self.is_random[ply, game] = False",
        _POSITIONS,
    ),
    ("errors of other games count", "if ends[i]:", "if False:", _POSITIONS),
    (
        "errors are not flipped to the other side",
        "-later[0], later[3], later[4], later[1], later[2])",
        "later[0], later[1], later[2], later[3], later[4])",
        _POSITIONS,
    ),
    (
        "the trace is applied to the first error, too",
        "later[j] = error + trace * later[j]",
        "later[j] = trace * (error + later[j])",
        _POSITIONS,
    ),
    ("points have the wrong sign", "<int8_t> -result", "<int8_t> result", _POSITIONS),
    (
        "dice do not depend on earlier plies",
        "<uint64_t> (self.first_ply + ply)",
        "<uint64_t> ply",
        _POSITIONS,
    ),
    (
        "targets: doubles weigh as much as other rolls",
        "1 if ROLLS[roll][0] == ROLLS[roll][1] else 2",
        "1",
        _POSITIONS,
    ),
    (
        "targets are not flipped to the mover's side",
        "flipped = probabilities_flipped(&replies[roll].probabilities)",
        "flipped = replies[roll].probabilities",
        _POSITIONS,
    ),
    (
        "a pass keeps the mover's side",
        "memcpy(rows + size * BOARD_SIZE, after.point, BOARD_SIZE)",
        "memcpy(rows + size * BOARD_SIZE, board.point, BOARD_SIZE)",
        _POSITIONS,
    ),
    ("means become denormal", "BG_MIN_GRADIENT 1e-15f", "BG_MIN_GRADIENT 0.0f", _LEARNING),
    ("negative means are cut off", "((a > threshold) | (a < -threshold))", "(a > threshold)", _LEARNING),
]
