"""How to break the training of networks: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["TRAINING_MUTATIONS", "TRAINING_TESTS"]

_LEARNING = "bgfast/core/network/network_learning.h"
_LEARNER = "bgfast/learning/training/_learner.pyx"
_POSITIONS = "bgfast/learning/training/_positions.pyx"
_LAYER = "bgfast/learning/training/learning_layer.py"
_ROUNDING = "bgfast/learning/training/dense_rounding.py"
_TRAINING = "bgfast/learning/training/training.py"
_ALTERNATIVES = "bgfast/learning/training/alternatives.py"
_TARGETS = "bgfast/learning/training/targets.py"
_SETTINGS = "bgfast/learning/training/settings.py"
_STATE = "bgfast/learning/training/state.py"
_COMMAND = "bgfast/cli/train.py"
_LEARNER_TESTS = ["tests/learning/training/test_learner.py"]
_POSITION_TESTS = ["tests/learning/training/test_positions.py"]
_WHOLE_TESTS = ["tests/learning/training/test_training.py"]

TRAINING_TESTS = {
    **dict.fromkeys((_LEARNING, _LEARNER, _LAYER), _LEARNER_TESTS),
    _ROUNDING: ["tests/learning/training/test_dense_rounding.py"],
    _POSITIONS: _POSITION_TESTS,
    **{source: [*_POSITION_TESTS, *_WHOLE_TESTS] for source in (_TRAINING, _TARGETS, _SETTINGS, _STATE)},
    _ALTERNATIVES: ["tests/learning/training/test_alternatives.py"],
    _COMMAND: ["tests/cli/test_train.py"],
}

# name, what stands there, what comes in its place, source
TRAINING_MUTATIONS = [
    ("a bar counts whole", "value[n++] = 0.5f * (float)k;", "value[n++] = (float)k;", _LEARNING),
    ("features learn the whole step", "value[n++] = 1.0f - share;", "value[n++] = 1.0f;", _LEARNING),
    ("a second knot learns nothing", "value[n++] = share;", "value[n++] = 0.0f;", _LEARNING),
    ("the bias learns nothing", "row[n] = BG_WEIGHTS_BIAS;\n    value[n++] = 1.0f;", "", _LEARNING),
    (
        "hidden units at 0 learn, too",
        "t.c = bg_lanes_where_positive(t.c, active.c);",
        "",
        _LEARNING,
    ),
    (
        "dense units at 0 learn, too",
        "sample->behind[j] = sample->dense[j] > 0.0f ? sample->behind[j] : 0.0f;",
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
        "rows += (BG_INPUT_ROWS + head * units) * BG_TILE;",
        "rows += BG_INPUT_ROWS * BG_TILE;",
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
        "a lost gammon counts as one that is won",
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
        "bg_lanes_add(bg_lanes_sqrt(square), least)",
        "bg_lanes_add(square, least)",
        _LEARNING,
    ),
    (
        "the mean keeps too little",
        "bg_lanes_add(bg_lanes_mul(keep_mean, bg_lanes_load(net->mean + i))",
        "bg_lanes_add(bg_lanes_mul(keep_square, bg_lanes_load(net->mean + i))",
        _LEARNING,
    ),
    (
        "without features some rows stay",
        "bg_learner_adam(net, first, BG_WEIGHTS_FEATURES * BG_TILE, step);",
        "",
        _LEARNING,
    ),
    ("the tail stays", "bg_learner_adam(net, first, net->heads * of_head, step);", "", _LEARNING),
    (
        "the dense layer's bias stays",
        "bg_lanes_store(to, bg_lanes_add(bg_lanes_load(to), bg_lanes_load(sample->behind + j)));",
        "",
        _LEARNING,
    ),
    ("steps are not corrected", "sqrt(1 - KEEP_SQUARE ** steps)", "1", _LEARNER),
    ("any row is learnt from", "if part == PARTS or self.heads[part] < 0:", "if False:", _LEARNER),
    ("a batch of any size", "if not 0 < n <= self.batch:", "if False:", _LEARNER),
    (
        "weights of any number",
        "if not weights.shape[0] == mean.shape[0] == square.shape[0] == size:",
        "if False:",
        _LEARNER,
    ),
    (
        "a step is left half taken",
        "if not self.stepped[i]:\n                        self._step(i)",
        "pass",
        _LEARNER,
    ),
    ("dead units have no ceiling", "np.maximum(peaks, np.float32(least))", "peaks", _LAYER),
    (
        "first layers of any size fit",
        "and (first_layer.hidden, first_layer.has_features) == (self.hidden, self.features)",
        "",
        _LAYER,
    ),
    (
        "the first layers of other parts fit",
        "all(weights.heads[part].first_layer == number for part in self.parts)",
        "True",
        _LAYER,
    ),
    (
        "parts share a first layer in any case",
        "settings.dense and settings.shared",
        "settings.dense",
        _TRAINING,
    ),
    ("parts never share a first layer", "settings.dense and settings.shared", "False", _TRAINING),
    ("dense layers of any size fit", "== units for part", "!= [] for part", _LAYER),
    ("outputs begin without bias", "tail[-LANES:][:OUTPUTS] = (*outputs, behind)[0].bias", "pass", _LAYER),
    ("dense layers begin without bias", "tail[: self.dense] = behind.bias", "pass", _LAYER),
    ("each weight is rounded by itself", "weights[:, place] + made_up", "weights[:, place]", _ROUNDING),
    ("the greatest weight is made up with", "kept[:, place], weights[:, place]", "False, 0", _ROUNDING),
    (
        "what is lost counts the other way",
        "lost[:, place] = weights[:, place] - np.clip(",
        "lost[:, place] = -weights[:, place] + np.clip(",
        _ROUNDING,
    ),
    (
        "activations leave 7 bits",
        "np.rint(activations / units), GREATEST",
        "activations, GREATEST",
        _ROUNDING,
    ),
    (
        "heads are rounded for all positions",
        "activations[parts[rows] == part]",
        "activations",
        _LAYER,
    ),
    (
        "the activations of the first batch are those of all",
        "&out[first + i, tile * TILE]",
        "&out[i, tile * TILE]",
        _LEARNER,
    ),
    ("no play is by lot", "if by_lot:", "if False:", _POSITIONS),
    ("every play is by lot", "stream_uniform(&state) < self.noise", "True", _POSITIONS),
    ("plays by lot at any time", "% STRETCH < BY_LOT_PLIES", "% STRETCH < STRETCH", _POSITIONS),
    (
        "nobody says what is by lot",
        "self.by_lot[ply, game] = by_lot",
        "self.by_lot[ply, game] = False",
        _POSITIONS,
    ),
    ("errors of other games count", "if ends[i]:", "if False:", _POSITIONS),
    (
        "errors of the opponent's are one's own",
        "-later[0], later[3], later[4], later[1], later[2])",
        "later[0], later[1], later[2], later[3], later[4])",
        _POSITIONS,
    ),
    (
        "errors fade from the first",
        "later[j] = error + trace * later[j]",
        "later[j] = trace * (error + later[j])",
        _POSITIONS,
    ),
    ("what is won is lost", "<int8_t> -result", "<int8_t> result", _POSITIONS),
    ("games have the dice of others", "<uint64_t> (self.first_ply + ply)", "<uint64_t> ply", _POSITIONS),
    ("doubles come twice", "1 if ROLLS[roll][0] == ROLLS[roll][1] else 2", "1", _POSITIONS),
    (
        "a target is the opponent's",
        "flipped = probabilities_flipped(&later[roll].probabilities)",
        "flipped = later[roll].probabilities",
        _POSITIONS,
    ),
    (
        "a pass is no board",
        "memcpy(rows + size * BOARD_SIZE, after.point, BOARD_SIZE)",
        "memcpy(rows + size * BOARD_SIZE, board.point, BOARD_SIZE)",
        _POSITIONS,
    ),
    ("differences are not flipped", "_flipped(later))", "later)", _TARGETS),
    (
        "the trace is the other way round",
        "np.float32(trace) * targets[ply] + np.float32(1 - trace) * said[ply]",
        "np.float32(1 - trace) * targets[ply] + np.float32(trace) * said[ply]",
        _TARGETS,
    ),
    ("games without an end count", "known[ply] = ended = ended | over", "known[ply] = True", _TARGETS),
    ("positions are met again", "fresh = unlike(judged)", "fresh = judged", _TRAINING),
    ("a play by lot tells what a position is worth", "(points != 0) | by_lot", "points != 0", _TRAINING),
    ("games run into each other", "cut[-1] = True", "pass", _TRAINING),
    ("what came later is not learnt from", "add_later_errors(of_games, said, cut, trace)", "pass", _TARGETS),
    (
        "alternatives take over nothing",
        "ahead[len(cut) :] + (of_games - ahead[: len(cut)])[beside]",
        "ahead[len(cut) :]",
        _TARGETS,
    ),
    ("alternatives stand beside the position before", "rows[found.rows] + 1", "rows[found.rows]", _TRAINING),
    (
        "alternatives to plays by lot",
        "rows = np.flatnonzero(~cut)",
        "rows = np.arange(len(cut) - 1)",
        _TRAINING,
    ),
    (
        "alternatives stand beside any position",
        "or not ((beside >= 0) & (beside < len(cut))).all()",
        "",
        _TRAINING,
    ),
    (
        "the one play is an alternative",
        "rows = rows[in_company(plays.owners[rows])]",
        "",
        _ALTERNATIVES,
    ),
    ("any play is an alternative", "plays.owners[rows], NEAR,", "plays.owners[rows], 10,", _ALTERNATIVES),
    (
        "the worst are alternatives",
        "np.lexsort((equities, plays",
        "np.lexsort((-equities, plays",
        _ALTERNATIVES,
    ),
    (
        "rows of alternatives begin anew",
        "rows.append(own.rows + first)",
        "rows.append(own.rows)",
        _ALTERNATIVES,
    ),
    (
        "a position counts as its first time",
        "np.stack(sums, axis=1) / times[:, None]",
        "targets[first]",
        _TARGETS,
    ),
    ("all is kept", "kept = dict([*kept.items()][-number:])", "", _TRAINING),
    (
        "a pass begins anew",
        "for place in range(max(0, done), len(batches)):",
        "for place in range(len(batches)):",
        _TRAINING,
    ),
    ("steps do not fall", "* (last / first) ** min(share, 1.0)", "", _TRAINING),
    ("the anneal ends as a round does", "            last = end\n", "            pass\n", _TRAINING),
    ("the anneal has short steps", "            last = end\n", "            first = last = end\n", _TRAINING),
    (
        "no time is too long",
        "return passes / self.passes\n        left",
        "return passes / self.passes\n        return 0.5\n        left",
        _TRAINING,
    ),
    (
        "rounds have no end",
        "over = now + took + ANNEAL_SHARE * limit > limit",
        "over = now > limit",
        _TRAINING,
    ),
    (
        "an order for all rounds",
        'self._random("order", self.round, number)',
        'self._random("order", 0, number)',
        _TRAINING,
    ),
    (
        "nothing judges at the beginning",
        "self.network if self.begin is None or self.caught_up else self.begin",
        "self.network",
        _TRAINING,
    ),
    ("means shrink for ever", "BG_LEAST_GRADIENT 1e-15f", "BG_LEAST_GRADIENT 0.0f", _LEARNING),
    ("negative means are cut off", "((a > least) | (a < -least))", "(a > least)", _LEARNING),
    ("nobody catches up", "self.caught_up or (learnt and", "(False and", _TRAINING),
    ("caught up before anything is learnt", "learnt = self.round > 0", "learnt = True", _TRAINING),
    ("one of the same shape begins at random", "layer.begin_with(begin.weights)", "pass", _TRAINING),
    (
        "what it knows is gone through eight times",
        "not self._fits and not self.round",
        "not self.round",
        _TRAINING,
    ),
    ("the last round is the network", "average + np.float32(share) *", "average +", _TRAINING),
    ("rounds count alike", "(1 + LATER) / (1 + exact + LATER)", "1 / (1 + exact)", _TRAINING),
    ("an anneal of the last round", 'own.arrays["weights"][:] = average', "pass", _TRAINING),
    ("averages of any size", "or any(map(_differ, averages, self.averages))", "", _TRAINING),
    (
        "caught up by who is further off",
        "_off(self.network, fresh) <=",
        "_off(self.network, fresh) >=",
        _TRAINING,
    ),
    ("the network that was", "made[0] != self.round or", "", _TRAINING),
    ("positions stay for ever", "old.unlink()", "pass", _STATE),
    (
        "what it says of itself is not looked at",
        'or progress["phase"] not in ("play", "judge", "learn")',
        "",
        _TRAINING,
    ),
    (
        "rounds that are added are not played",
        'self.kind, self.phase, self.pass_began = "round", "play", self.steps\n        self.settings',
        "self.settings",
        _TRAINING,
    ),
    ("fewer rounds are no addition", "if rounds <= planned or", "if", _TRAINING),
    ("any noise", "number is not None and 0 <= number <= 1", "number is not None", _SETTINGS),
    ("any steps", "if min(self.steps) <= 0:", "if False:", _SETTINGS),
    ("the last teacher alone", "total += probabilities", "total = probabilities * 1.0", _TARGETS),
    ("teachers may return equities", "if probabilities.ndim != 2:", "if False:", _TARGETS),
    (
        "teachers are not asked",
        "targets[some] = mean_probabilities(self.teachers, boards[some])",
        "targets[some] = exact_targets(player, boards[some], self.threads)",
        _TRAINING,
    ),
    ("teachers are corrected", "if not self.teachers:", "if True:", _TRAINING),
    ("any number of teachers", "if len(teachers) != len(settings.teachers):", "if False:", _TRAINING),
    ("older settings are refused", 'content = {"teachers": [], **content}', "pass", _SETTINGS),
    ("teachers of any kind", "if not isinstance(self.teachers, tuple) or", "if", _SETTINGS),
    (
        "teachers that are not resumed",
        "if settings.teachers and named_evaluator is None:",
        "if False:",
        _STATE,
    ),
    (
        "a network is written over",
        "if os.path.exists(there) and not arguments.resume:",
        "if False:",
        _COMMAND,
    ),
    ("what is typed otherwise is left out", "elif typed != getattr(own, name):", "if False:", _COMMAND),
    (
        "rounds and a limit of time",
        "if arguments.rounds is not None and arguments.time_limit is not None:",
        "if False:",
        _COMMAND,
    ),
]
