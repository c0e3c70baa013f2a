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
        "if take_value > pass_value:",
        "if take_value < pass_value:",
        _CUBE,
    ),
    (
        "rollouts double where that is wrong",
        "if min(take_value, pass_value) <= value[0]:",
        "if take_value <= value[0]:",
        _CUBE,
    ),
    (
        "exact tables decide about nothing in a rollout",
        "cdef bint exact = _known(tables, &current.stakes, board, value, &take_value)",
        "cdef bint exact = False",
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
        "efficiency = cube_efficiency(model, &states[current.doubled].stakes, board, probabilities)",
        "efficiency = cube_efficiency(model, &current.stakes, board, probabilities)",
        _CUBE,
    ),
    (
        "ends that nobody was asked about are equities",
        "return np.where(is_over, evaluations_of_points(outcomes), evaluations)",
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
    ("a beaver in a rollout is a take", "return current.beavered", "return current.doubled", _CUBE),
    (
        "a pass in a rollout is worth nothing",
        "        value[0] = pass_value\n",
        "        value[0] = 0\n",
        _CUBE,
    ),
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
        "            cube_gain = -cube_gain\n",
        "",
        _CORE,
    ),
    (
        "the core forgets the mean over the rolls with the cube",
        "cube_luck[roll] -= cube_mean",
        "cube_luck[roll] -= 0",
        _CORE,
    ),
    (
        "what is kept of a board is that of another cube",
        "if entry.cube_state != cube_state or not board_equal",
        "if not board_equal",
        _CORE,
    ),
    (
        "what is kept of a board is that of one that waits for its roll",
        "current.cube_state if may_double else ~current.cube_state",
        "current.cube_state",
        _CORE,
    ),
    (
        "what is done with the cube is kept for another board",
        "entry.asked = entry.judged = False",
        "entry.judged = False",
        _CORE,
    ),
    ("the cube stays with who has played", "current.cube_state = current.cube_state ^ 1", "pass", _CORE),
    (
        "side by side the luck with the cube is that of the other player",
        "gains if ply % 2 else -gains",
        "-gains if ply % 2 else gains",
        _SIDE_BY_SIDE,
    ),
    (
        "side by side who is not to double doubles at once",
        "may_double &= self._has_decided[games] == 0",
        "pass",
        _SIDE_BY_SIDE,
    ),
    (
        "a pass side by side leaves no probabilities",
        "is_evaluated |= self._cube.passed.reshape(is_evaluated.shape)",
        "pass",
        _SIDE_BY_SIDE,
    ),
    (
        "a checkpoint takes any value of the cube",
        "        or not _are_valid_values(numbers[..., EVALUATION:], lucky_plies, job)\n",
        "",
        _CHECKPOINT,
    ),
    (
        "who looks ahead does so about the cube",
        "return policy.evaluator if isinstance(policy, Lookahead) else policy",
        "return policy",
        _CUBE_USE,
    ),
    ("different cubes go together", "if len(distinct) > 1:", "if False:", _CANDIDATES),
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
        '"raccoon": 4 * min(take, pass_)}',
        '"raccoon": 4 * take}',
        _RESULT,
    ),
    (
        "the other player's chances to win the match",
        "self.numbers[row] if sign > 0 else",
        "self.numbers[row] if sign < 0 else",
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
        "if ply % 2 == 0:\n            gain",
        "if ply % 2:\n            gain",
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
        "memcpy(row, flipped.point, BOARD_SIZE)",
        "memcpy(row, board.point, BOARD_SIZE)",
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
    (
        "the core adds luck",
        "evaluation_gain(&end, &current.luck)",
        "evaluation_gain(&current.luck, &end)",
        _CORE,
    ),
    (
        "a roll is kept for another one",
        "int roll = 6 * (die1 - 1) + die2 - 1",
        "int roll = die1 + die2",
        _CORE,
    ),
    (
        "a board is kept for another one",
        "or not board_equal(&entry.board, board):",
        "or entry.played == 0:",
        _CORE,
    ),
    (
        "lots are drawn once for all",
        "if entry != NULL and not self.policy.draws_lots and not given_up():",
        "if entry != NULL:",
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
        "flipped[:, 0] = 0 - gains[:, 0]",
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
        "isinstance(evaluator, BuiltIn) and evaluator.tells_points",
        "isinstance(evaluator, BuiltIn)",
        _SIDE_BY_SIDE,
    ),
    (
        "luck is judged by evaluators of Python in the core",
        "evaluators.append(self.luck_evaluator)",
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
    ("luck is added", "adjusted - np.where(", "adjusted + np.where(", _SIDE_BY_SIDE),
    ("a play is worth what its position is", "outcome if sign > 0 else", "outcome if True else", _RESULT),
    (
        "the worst candidate first",
        "key=lambda row: -equities[row].mean()",
        "key=lambda row: equities[row].mean()",
        _RESULT,
    ),
    ("groups count as trials", "GROUP_TRIALS**2 * groups", "GROUP_TRIALS * groups", _RESULT),
    (
        "quasi-random trials count as independent",
        "if not quasi_random or groups",
        "if True or groups",
        _RESULT,
    ),
    (
        "a checkpoint is for any rollout",
        "self._journal.begin({**settings, **recorded})",
        "pass",
        _CHECKPOINT,
    ),
    (
        "nothing is kept",
        "            journal.append(block.part(journal.end, block.last))\n",
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
        "            if saved.last > self.done:",
        "            if True:",
        _ROLLOUTS,
    ),
    ("a file with more trials than are asked for", "saved.part(self.done, self.trials)", "saved", _ROLLOUTS),
    (
        "what was played without a file is not kept",
        "        self._save(journal)  # trials of earlier",
        "        pass  # trials of earlier",
        _ROLLOUTS,
    ),
    (
        "what cannot be kept does not count",
        "                self._blocks.append(block)\n                self._decisions",
        "                if journal is not None:\n                    journal.append(block)\n"
        "                self._blocks.append(block)\n                self._decisions",
        _ROLLOUTS,
    ),
    ("one rollout is played twice at a time", "if self._is_playing:", "if False:", _ROLLOUTS),
    (
        "what is precise enough is played on",
        "if self._blocks and not self.done % INTERIM_TRIALS and",
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
    ("answers are the same if their first digit is", "TOLERANCE = 1e-5", "TOLERANCE = 1e-1", _IDENTITY),
    ("answers are the same if their last digit is", "TOLERANCE = 1e-5", "TOLERANCE = 0", _IDENTITY),
    (
        "whoever draws lots is known",
        "if pair := _first_difference(evaluations, repeated):",
        "if False:",
        _IDENTITY,
    ),
    ("what stands beside a board is always the same", "boards[::-1])[::-1]", "boards)", _IDENTITY),
    (
        "all chains are alike",
        '        elif key == "chain":',
        '        elif key == "chain" and False:',
        _IDENTITY,
    ),
    ("a chain's parts are asked for all boards", "remaining[covered], job", "remaining, job", _IDENTITY),
    (
        "what a part covers is anything",
        "elif expected != value:",
        'elif key != "covers" and expected != value:',
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
        "if role == ROLES[0] or identity != by_role[ROLES[0]]",
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
        "return self._fetch(self._submit(executor, function, *arguments))",
        "return function(*arguments)",
        _ROLLOUTS,
        "tests/analysis/rollouts/test_evaluator_identity.py",
    ),
    ("blocks in a file have gaps", "not self.end == first < last", "not first < last", _CHECKPOINT),
    ("points in a file are anything", 'numbers.dtype.kind != "i"\n        or ', "", _CHECKPOINT),
    (
        "there may be points beyond all ends",
        "((numbers >= minimum) & (numbers <= maximum)).all()",
        "True",
        _CHECKPOINT,
    ),
    (
        "games without a winner are over",
        "not ((points != 0) | (plies == job.truncate)).all()",
        "False",
        _CHECKPOINT,
    ),
    ("probabilities of 99", "not (valid | missing).all()", "False", _CHECKPOINT),
    ("equities of 99", "(np.abs(equities) <= limits)", "True", _CHECKPOINT),
    (
        "luck has no limit",
        "np.where(bounded, (MAX_POINTS",
        "np.where(bounded & (lucky_plies == 0), (MAX_POINTS",
        _CHECKPOINT,
    ),
    (
        "differences need not be precise",
        "max(estimate.equity_se, estimate.difference_se)",
        "estimate.equity_se",
        _ROLLOUTS,
    ),
    (
        "errors are looked at after each block",
        "return last // INTERIM_TRIALS != first // INTERIM_TRIALS and self._is_precise()",
        "return self._is_precise()",
        _ROLLOUTS,
    ),
    (
        "the difference from the best is above 0",
        "_mean(equities[row] - best,",
        "_mean(best - equities[row],",
        _RESULT,
    ),
    ("an interval of one error", "margin = NORMAL_95 * error", "margin = error", _RESULT),
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
        "self.result() if self.done >= MIN_TRIALS else None",
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
        "entry.judged = not given_up()",
        "entry.judged = True",
        _CORE,
    ),
    (
        "games left when the time was over begin anew",
        "        if first_ply == 0:\n            board_read(board",
        "        if True:\n            board_read(board",
        _CORE,
    ),
    (
        "games of a range behind one that is left are lost",
        "                self.left[slot] = current\n",
        "                current.last = current.game + 1\n                self.left[slot] = current\n",
        _CORE,
    ),
    (
        "no time is over in the core",
        " and not limit.over():\n            start = time.perf_counter()\n"
        "            is_done = trials.play(step, limit.left())",
        ":\n            start = time.perf_counter()\n            is_done = trials.play(step, 1e9)",
        _SIDE_BY_SIDE,
    ),
    (
        "games side by side that are over count when the time is",
        "    except OverError:\n        return\n",
        "    except OverError:\n        pass\n",
        _SIDE_BY_SIDE,
    ),
    ("each block finds out about first plies anew", "    idle_trials.append(trials)\n", "", _SIDE_BY_SIDE),
    ("the worst plays at first sight", "plays.roll)[:top]]", "plays.roll)[-top:]]", _COMMAND),
    (
        "the live line counts what another run has done",
        "progress.initial = rollout.resumed",
        "pass",
        _COMMAND,
    ),
    (
        "what a live line says is found out each time",
        "max(PAUSE_SECONDS, pause)",
        "PAUSE_SECONDS",
        "bgfast/common/progress.py",
        "tests/common/test_terminal.py",
    ),
    ("Ctrl-C prints nothing", "if rollout.done >= MIN_TRIALS:\n", "if False:\n", _COMMAND),
]
