"""How to break rollouts: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["ROLLOUT_MUTATIONS", "ROLLOUT_TESTS"]

_DICE = "bgfast/analysis/rollouts/_dice.pyx"
_CORE = "bgfast/analysis/rollouts/_trials.pyx"
_LUCK = "bgfast/analysis/rollouts/_luck.pyx"
_CUBE = "bgfast/analysis/rollouts/_cube_states.pyx"
_CUBE_USE = "bgfast/analysis/rollouts/cube_use.py"
_CANDIDATES = "bgfast/analysis/rollouts/candidates.py"
_EVALUATORS = "bgfast/analysis/evaluators/_evaluators.pyx"
_PROBABILITIES = "bgfast/core/board/probabilities.pxd"
_ARRAYS = "bgfast/common/probabilities.py"
_EVALUATOR = "bgfast/analysis/evaluators/evaluators.py"
_SIDE_BY_SIDE = "bgfast/analysis/rollouts/trials.py"
_RESULT = "bgfast/analysis/rollouts/result.py"
_CHECKPOINT = "bgfast/analysis/rollouts/checkpoint.py"
_ROLLOUTS = "bgfast/analysis/rollouts/rollout.py"
_JUDGED = "bgfast/analysis/rollouts/judged_as.py"
_COMMAND = "bgfast/cli/rollout.py"
_VALIDATION = "bgfast/common/validation.py"
_STRANGE = "tests/analysis/evaluators/test_strange_evaluators.py"
_TESTS = ["tests/analysis/rollouts/test_rollouts.py"]
_IDENTITY = "bgfast/analysis/rollouts/identity.py"
_KEPT = ["tests/analysis/rollouts/test_rollout_checkpoint.py"]
_CUBEFUL = ["tests/analysis/rollouts/test_cubeful_rollouts.py"]
_BOTH = ["tests/analysis/rollouts/test_rollouts_in_core.py", *_TESTS, *_CUBEFUL]

ROLLOUT_TESTS = {
    **dict.fromkeys((_DICE, _EVALUATOR), _TESTS),
    **dict.fromkeys((_CUBE, _CUBE_USE), _CUBEFUL),
    _CANDIDATES: [*_CUBEFUL, *_TESTS],
    _RESULT: ["tests/analysis/rollouts/test_rollout_result.py", *_CUBEFUL, *_TESTS],
    _ROLLOUTS: [*_TESTS, *_KEPT, *_CUBEFUL],
    _CHECKPOINT: [*_KEPT, *_CUBEFUL],
    _IDENTITY: ["tests/analysis/rollouts/test_evaluator_identity.py"],
    **dict.fromkeys((_CORE, _EVALUATORS, _SIDE_BY_SIDE), _BOTH),
    _LUCK: ["tests/analysis/strength/test_contest.py", *_BOTH],
    _PROBABILITIES: _BOTH,
    _ARRAYS: _BOTH,
    _COMMAND: ["tests/cli/test_rollout.py"],
    _JUDGED: ["tests/analysis/rollouts/test_judged_as.py"],
}

# name, what stands there, what comes in its place, source
ROLLOUT_MUTATIONS = [
    (
        "rollouts: nothing has a sign",
        "{round(chance, digits + 2) + 0.0:.{digits}%}",
        "{chance:.{digits}%}",
        _ARRAYS,
        "tests/analysis/rollouts/test_rollouts.py",
    ),
    (
        "who is doubled in a rollout passes what is to be taken",
        "if taken > passed:",
        "if taken < passed:",
        _CUBE,
    ),
    (
        "rollouts double where that is wrong",
        "if min(taken, passed) <= value[0]:",
        "if taken <= value[0]:",
        _CUBE,
    ),
    (
        "exact tables decide about nothing in a rollout",
        "cdef bint known = _known(tables, &now.stakes, board, value, &taken)",
        "cdef bint known = False",
        _CUBE,
    ),
    (
        "exact tables of other sides",
        "sides.number[1] * tables.sides + sides.number[0]",
        "sides.number[0] * tables.sides + sides.number[1]",
        _CUBE,
    ),
    (
        "exact tables decide where the cube has a limit",
        "tables.sides == 0 or not stakes.endless or",
        "tables.sides == 0 or",
        _CUBE,
    ),
    (
        "exact tables decide where gammons are won",
        "tables.checkers - 1, &sides",
        "tables.checkers, &sides",
        _CUBE,
    ),
    (
        "exact tables of an owned cube for a centred one",
        "tables.centred if stakes.owner == 0 else",
        "tables.owned if stakes.owner == 0 else",
        _CUBE,
    ),
    (
        "taken in a rollout with the cube before the double",
        "x = cube_efficiency(model, &states[now.doubled].stakes, board, probabilities)",
        "x = cube_efficiency(model, &now.stakes, board, probabilities)",
        _CUBE,
    ),
    (
        "ends that nobody was asked about are equities",
        "return np.where(ended, evaluations_of_points(result), evaluations)",
        "return evaluations",
        _SIDE_BY_SIDE,
        "tests/analysis/rollouts/test_cubeful_rollouts.py",
    ),
    (
        "rollout: plays of a double that waits",
        """            refuse_offer(context)
""",
        """            pass
""",
        _ROLLOUTS,
        "tests/analysis/rollouts/test_cubeful_rollouts.py",
    ),
    (
        "rollout: beavers scale with a greatest cube, too",
        "    if stakes.may_double and stakes.may_beaver_below_limit:",
        "    if False:",
        _CANDIDATES,
    ),
    (
        "analyse: beavers below a limit are refused at last",
        "if arguments.rollout and given.roll is None:",
        "if False:",
        "bgfast/cli/analyse.py",
        "tests/cli/test_analyse_cube.py",
    ),
    (
        "analyse: offers are not rolled out",
        "if arguments.rolls or arguments.cubeless:",
        "if arguments.rolls or arguments.cubeless or arguments.rollout:",
        "bgfast/cli/analyse.py",
        "tests/cli/test_analyse_cube.py",
    ),
    (
        "rollout: doubles on offer that are not allowed",
        "    Game.from_decision(context)\n",
        "",
        _CANDIDATES,
    ),
    ("a beaver in a rollout is a take", "return now.beavered", "return now.doubled", _CUBE),
    ("a pass in a rollout is worth nothing", "        value[0] = passed\n", "        value[0] = 0\n", _CUBE),
    ("the cube is doubled but five times", "    MOST = 6\n", "    MOST = 5\n", _CUBE),
    (
        "the cube's value is always that of who is on roll",
        "if (state ^ start) & 1 else value",
        "if False else value",
        _CUBE,
    ),
    (
        "who is not to double doubles at once",
        "(ply != 0 or not self.cube_waits[candidate])",
        "(ply != 0 or True)",
        _CORE,
    ),
    ("who passes wins in the core", "result = -1 if ply % 2 else 1", "result = 1 if ply % 2 else -1", _CORE),
    (
        "the core counts the luck with the cube for the other player",
        "            more_with_cube = -more_with_cube\n",
        "",
        _CORE,
    ),
    (
        "the core forgets the mean over the rolls with the cube",
        "cube_luck[roll] -= mean_with_cube",
        "cube_luck[roll] -= 0",
        _CORE,
    ),
    (
        "what is kept of a board is that of another cube",
        "if cached.cube_state != cube_state or not board_equal",
        "if not board_equal",
        _CORE,
    ),
    (
        "what is kept of a board is that of one that waits for its roll",
        "now.cube_state if asks else ~now.cube_state",
        "now.cube_state",
        _CORE,
    ),
    (
        "what is done with the cube is kept for another board",
        "cached.asked = cached.judged = False",
        "cached.judged = False",
        _CORE,
    ),
    ("the cube stays with who has played", "now.cube_state = now.cube_state ^ 1", "pass", _CORE),
    (
        "side by side the luck with the cube is that of the other player",
        "gains if ply % 2 else -gains",
        "-gains if ply % 2 else gains",
        _SIDE_BY_SIDE,
    ),
    (
        "side by side who is not to double doubles at once",
        "may &= self._waits[games] == 0",
        "pass",
        _SIDE_BY_SIDE,
    ),
    (
        "a pass side by side leaves no probabilities",
        "judged |= self._cube.passed.reshape(judged.shape)",
        "pass",
        _SIDE_BY_SIDE,
    ),
    (
        "a checkpoint takes any value of the cube",
        "        or not _are_values(numbers[..., EVALUATION:], lucky, job)\n",
        "",
        _CHECKPOINT,
    ),
    (
        "who looks ahead does so about the cube",
        "return policy.evaluator if isinstance(policy, Lookahead) else policy",
        "return policy",
        _CUBE_USE,
    ),
    ("different cubes go together", "if len(different) > 1:", "if False:", _CANDIDATES),
    (
        "a verdict looks at the take alone",
        "(1.0, no_double.equity_se)]",
        "(9.0, no_double.equity_se)]",
        _RESULT,
    ),
    (
        "a verdict's beaver cannot be given up",
        "max(2 * double_take.equity, -2.0) if beavers",
        "2 * double_take.equity if beavers",
        _RESULT,
    ),
    (
        "a raccoon in a verdict cannot be passed",
        '"raccoon": 4 * min(taken, passed)}',
        '"raccoon": 4 * taken}',
        _RESULT,
    ),
    (
        "the other player's chances to win the match",
        "self.numbers[c] if sign > 0 else",
        "self.numbers[c] if sign < 0 else",
        _RESULT,
    ),
    (
        "a decision is settled by one answer alone",
        "or all(\n            mean <= -errors * error",
        "or any(\n            mean <= -errors * error",
        _RESULT,
    ),
    ("rolls of two plies go together", "5 * (trial // ROLLS) + 7 * first", "trial // ROLLS + first", _DICE),
    ("the second roll follows from the first", "(trial // ROLLS + first) % ROLLS", "first", _DICE),
    (
        "dice of another trial",
        "ROLLOUT_DICE, <uint64_t> trial,",
        "ROLLOUT_DICE, <uint64_t> trial + 1,",
        _DICE,
    ),
    (
        "the loser wins in the core",
        "result = result if ply % 2 else -result",
        "result = -result if ply % 2 else result",
        _CORE,
    ),
    (
        "a pass ends a trial's turn without a flip",
        "board_flip(&before, board)   # a pass",
        "board[0] = before",
        _CORE,
    ),
    (
        "the core counts luck for the other player",
        "if ply % 2 == 0:\n            more",
        "if ply % 2:\n            more",
        _CORE,
    ),
    (
        "doubles are as likely as other rolls in the core, with the cube",
        "weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2",
        "weight = 1",
        _CORE,
    ),
    (
        "a pass is no bad luck",
        "memcpy(to, flipped.point, BOARD_SIZE)",
        "memcpy(to, board.point, BOARD_SIZE)",
        _LUCK,
    ),
    (
        "doubles are as likely as other rolls in luck",
        "1 if ROLLS[roll][0] == ROLLS[roll][1] else 2, ORDERED_ROLLS",
        "2, ORDERED_ROLLS",
        _LUCK,
    ),
    ("luck of a roll is the next player's", "self.out[i] = -luck[", "self.out[i] = luck[", _LUCK),
    (
        "luck of a roll with the lower die first is that of another roll",
        "max(self.dice[i, 0], self.dice[i, 1]), min(self.dice[i, 0], self.dice[i, 1])",
        "self.dice[i, 0], self.dice[i, 1]",
        _LUCK,
    ),
    (
        "the policy evaluates its own plays for luck",
        "self.evaluator.evaluation(board, checkers, out)",
        "self.policy.evaluation(board, checkers, out)",
        _LUCK,
    ),
    (
        "the core truncates for the wrong player",
        "if self.most_plies % 2:",
        "if not self.most_plies % 2:",
        _CORE,
    ),
    ("the core adds luck", "evaluation_gain(&end, &now.luck)", "evaluation_gain(&now.luck, &end)", _CORE),
    (
        "a roll is kept for another one",
        "int roll = 6 * (die1 - 1) + die2 - 1",
        "int roll = die1 + die2",
        _CORE,
    ),
    (
        "a board is kept for another one",
        "or not board_equal(&cached.board, board):",
        "or cached.played == 0:",
        _CORE,
    ),
    (
        "lots are drawn once for all",
        "if cached != NULL and not self.policy.draws_lots and not given_up():",
        "if cached != NULL:",
        _CORE,
    ),
    (
        "gammons won stay those of the other player",
        "1 - given.win, given.lose_gammon",
        "1 - given.win, given.win_gammon",
        _PROBABILITIES,
    ),
    (
        "a gain of the other player is a chance of his in the core",
        "flipped.probabilities.win = 0 - gain.probabilities.win",
        "pass",
        _PROBABILITIES,
    ),
    (
        "a gain of the other player is a chance of his",
        "found[:, 0] = 0 - given[:, 0]",
        "pass",
        _ARRAYS,
    ),
    (
        "who knows equities knows probabilities",
        "Probabilities(NAN, NAN, NAN, NAN, NAN)",
        "Probabilities(0, 0, 0, 0, 0)",
        _PROBABILITIES,
    ),
    (
        "who only chooses judges, too",
        "isinstance(each, BuiltIn) and each.tells_points",
        "isinstance(each, BuiltIn)",
        _SIDE_BY_SIDE,
    ),
    (
        "luck is judged by evaluators of Python in the core",
        "asked.append(self.luck_evaluator)",
        "pass",
        _SIDE_BY_SIDE,
    ),
    (
        "the last of equal plays",
        "            if equity < least:",
        "            if equity <= least:",
        _EVALUATORS,
    ),
    ("pubeval without the bar", "total += w[0] * board.point[BAR] / 2\n", "pass\n", _EVALUATORS),
    (
        "pubeval's contact is that after the play",
        "equity = self.equity(&board, race)",
        "equity = self.equity(&board, board_phase(&board) != PHASE_CONTACT)",
        _EVALUATORS,
    ),
    ("finished games are passed on", "if not finished.any():", "if True:", _EVALUATOR),
    ("NaN is a value", "if not bounded.all():", "if False:", _EVALUATOR),
    (
        "values of any size",
        "np.abs(values) <= MOST_VALUE",
        "np.isfinite(values)",
        _EVALUATOR,
        "tests/analysis/evaluators/test_strange_evaluators.py",
    ),
    (
        "an evaluator is handed the boards of the game",
        "own = boards.copy()",
        "own = boards",
        _EVALUATOR,
        _STRANGE,
    ),
    ("covers is handed the boards of others", "boards.copy())", "boards)", _EVALUATOR, _STRANGE),
    (
        "answers stay in memory of the evaluator",
        "np.array(array, np",
        "np.asarray(array, np",
        _EVALUATOR,
        _STRANGE,
    ),
    ("any dtype is a number", '"numbers", "iufO"', '"numbers", "?bcSUMmiufO"', _EVALUATOR, _STRANGE),
    ("masked numbers are numbers", "    if masked:", "    if False:", _VALIDATION, _STRANGE),
    ("StopIteration is passed on", "except StopIteration", "except StopAsyncIteration", _EVALUATOR, _STRANGE),
    (
        "a link of a chain is known by what it is",
        "last = at ==",
        "last = evaluator is self.evaluators[-1] or at ==",
        _EVALUATOR,
        _STRANGE,
    ),
    ("gammons lost count as won", "win_gammon - lose_gammon", "win_gammon + lose_gammon", _ARRAYS),
    ("the first of a chain takes all", "if last else _covered", "if True else _covered", _EVALUATOR),
    (
        "the loser wins side by side",
        "sign = 1 if ply % 2 else -1",
        "sign = -1 if ply % 2 else 1",
        _SIDE_BY_SIDE,
    ),
    ("luck of the other player", "luck if ply % 2 else flipped_gains(luck)", "luck", _SIDE_BY_SIDE),
    ("rolls weigh the same in luck", "WEIGHTS / WEIGHTS.sum()", "np.full(21, 1 / 21)", _SIDE_BY_SIDE),
    (
        "truncated for the wrong player",
        "if self.job.truncate % 2:",
        "if not self.job.truncate % 2:",
        _SIDE_BY_SIDE,
    ),
    ("luck is added", "ends - np.where(", "ends + np.where(", _SIDE_BY_SIDE),
    ("a play is worth what its position is", "each if sign > 0 else", "each if True else", _RESULT),
    (
        "the worst candidate first",
        "key=lambda c: -worth[c].mean()",
        "key=lambda c: worth[c].mean()",
        _RESULT,
    ),
    ("groups count as trials", "GROUP**2 * groups", "GROUP * groups", _RESULT),
    (
        "quasi-random trials count as independent",
        "if not quasi_random or groups",
        "if True or groups",
        _RESULT,
    ),
    (
        "a checkpoint is for any rollout",
        "self._journal.begin({**settings, **known})",
        "pass",
        _CHECKPOINT,
    ),
    (
        "nothing is kept",
        "            kept.keep(block.part(kept.end, block.last))\n",
        "            pass\n",
        _ROLLOUTS,
    ),
    (
        "decisions of another run count",
        "                self.resumed +=",
        "                self._decisions += int(block.plies.sum())\n                self.resumed +=",
        _ROLLOUTS,
    ),
    (
        "what is played twice counts twice",
        "            first = self.done\n",
        "            first = 0\n",
        _ROLLOUTS,
    ),
    (
        "trials of a file that are played already count twice",
        "            if known.last > self.done:",
        "            if True:",
        _ROLLOUTS,
    ),
    ("a file with more trials than are asked for", "known.part(self.done, self.trials)", "known", _ROLLOUTS),
    (
        "what was played without a file is not kept",
        "        self._keep(kept)  # what was played before",
        "        pass  # what was played before",
        _ROLLOUTS,
    ),
    (
        "what cannot be kept does not count",
        "                self._blocks.append(block)\n                self._decisions",
        "                if kept is not None:\n                    kept.keep(block)\n"
        "                self._blocks.append(block)\n                self._decisions",
        _ROLLOUTS,
    ),
    ("one rollout is played twice at a time", "if self._playing:", "if False:", _ROLLOUTS),
    (
        "what is precise enough is played on",
        "if self._blocks and not self.done % LOOK and",
        "if False and",
        _ROLLOUTS,
    ),
    (
        "any evaluator goes on",
        "            check_same_evaluators(",
        "            (lambda *_: None)(",
        _CHECKPOINT,
        "tests/analysis/rollouts/test_evaluator_identity.py",
    ),
    ("answers are the same if their first digit is", "CLOSE = 1e-5", "CLOSE = 1e-1", _IDENTITY),
    ("answers are the same if their last digit is", "CLOSE = 1e-5", "CLOSE = 0", _IDENTITY),
    ("whoever draws lots is known", "if apart := _first_difference(answers, again):", "if False:", _IDENTITY),
    ("what stands beside a board is always the same", "boards[::-1])[::-1]", "boards)", _IDENTITY),
    (
        "all chains are alike",
        '        elif word == "chain":',
        '        elif word == "chain" and False:',
        _IDENTITY,
    ),
    ("a chain's parts are asked for all boards", "left[covered], job", "left, job", _IDENTITY),
    (
        "what a part covers is anything",
        "elif before != value:",
        'elif word != "covers" and before != value:',
        _IDENTITY,
    ),
    (
        "a derived class is what it is derived from",
        'type(evaluator).__module__.partition(".")[0] == "bgfast"',
        "True",
        _IDENTITY,
    ),
    (
        "one that is never asked is known",
        "if not isinstance(getattr(evaluator",
        "if False and (getattr(evaluator",
        _IDENTITY,
    ),
    (
        "plays are not looked at",
        "if isinstance(evaluator, Player):\n        identity",
        "if False:\n        identity",
        _IDENTITY,
    ),
    (
        "the policy is the evaluator's",
        "if role == ROLES[0] or each != found[ROLES[0]]",
        "if role == ROLES[0]",
        _IDENTITY,
    ),
    (
        "finished games are asked for",
        "results(boards, job.rules, job.checkers) == 0]",
        "results(boards, job.rules, job.checkers) < 9]",
        _IDENTITY,
    ),
    (
        "evaluators are asked here",
        "return self._fetched(self._submit(executor, function, *given))",
        "return function(*given)",
        _ROLLOUTS,
        "tests/analysis/rollouts/test_evaluator_identity.py",
    ),
    ("blocks in a file have gaps", "not self.end == first < last", "not first < last", _CHECKPOINT),
    ("points in a file are anything", 'found.dtype.kind != "i" or ', "", _CHECKPOINT),
    (
        "there may be points beyond all ends",
        "((found >= least) & (found <= most)).all()",
        "True",
        _CHECKPOINT,
    ),
    (
        "games without a winner are over",
        "not ((points != 0) | (plies == job.truncate)).all()",
        "False",
        _CHECKPOINT,
    ),
    ("probabilities of 99", "not (sound | unknown).all()", "False", _CHECKPOINT),
    ("equities of 99", "(np.abs(equities) <= limits)", "True", _CHECKPOINT),
    (
        "luck has no limit",
        "np.where(bounded, (MOST_POINTS",
        "np.where(bounded & (lucky == 0), (MOST_POINTS",
        _CHECKPOINT,
    ),
    (
        "differences need not be precise",
        "max(each.equity_se, each.difference_se)",
        "each.equity_se",
        _ROLLOUTS,
    ),
    (
        "errors are looked at after each block",
        "return last // LOOK != first // LOOK and self._precise()",
        "return self._precise()",
        _ROLLOUTS,
    ),
    (
        "the difference from the best is above 0",
        "_mean(worth[c] - best,",
        "_mean(best - worth[c],",
        _RESULT,
    ),
    ("an interval of one error", "half = NORMAL_95 * error", "half = error", _RESULT),
    ("any number is a number", "json.dumps(content, allow_nan=False)", "json.dumps(content)", _RESULT),
    (
        "the context of a text is dropped",
        "return ((text.position, text.context),)",
        "return ((text.position, None),)",
        _CANDIDATES,
    ),
    ("the roll of a text is dropped", "if not text.rest and text.dice is None:", "if True:", _CANDIDATES),
    ("a score alone is none", "any(context.score) or ", "", _JUDGED),
    ("who owns the cube is no matter", " or context.cube_owner)", ")", _JUDGED),
    (
        "a broken executor's results are lost",
        "self.result() if self.done >= FEWEST else None",
        "None",
        _ROLLOUTS,
    ),
    (
        "a game given up in the middle of a thought counts",
        "        if given_up():   #",
        "        if False:   #",
        _CORE,
    ),
    (
        "luck that was not judged to its end is kept",
        "cached.judged = not given_up()",
        "cached.judged = True",
        _CORE,
    ),
    (
        "games left when the time was over begin anew",
        "        if begun == 0:\n            board_read(board",
        "        if True:\n            board_read(board",
        _CORE,
    ),
    (
        "games of a range behind one that is left are lost",
        "                self.left[slot] = now\n",
        "                now.last = now.game + 1\n                self.left[slot] = now\n",
        _CORE,
    ),
    (
        "no time is over in the core",
        " and not limit.over():\n            began = time.perf_counter()\n"
        "            done = trials.play(step, limit.left())",
        ":\n            began = time.perf_counter()\n            done = trials.play(step, 1e9)",
        _SIDE_BY_SIDE,
    ),
    (
        "games side by side that are over count when the time is",
        "    except OverError:\n        return\n",
        "    except OverError:\n        pass\n",
        _SIDE_BY_SIDE,
    ),
    ("each block finds out about first plies anew", "    idle.append(trials)\n", "", _SIDE_BY_SIDE),
    ("the worst plays at first sight", "plays.roll)[:top]]", "plays.roll)[-top:]]", _COMMAND),
    (
        "the live line counts what another run has done",
        "progress.initial = rollout.resumed",
        "pass",
        _COMMAND,
    ),
    (
        "what a live line says is found out each time",
        "max(PAUSE, pause)",
        "PAUSE",
        "bgfast/common/progress.py",
        "tests/common/test_terminal.py",
    ),
    ("Ctrl-C prints nothing", "if rollout.done >= FEWEST:\n", "if False:\n", _COMMAND),
]
